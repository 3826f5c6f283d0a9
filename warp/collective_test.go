package warp_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// source is where lane l of a segment of a warp reads from with an operand that
// is in range, itself if it finds no lane, and whether it finds one.
func source(mode crossbar.Mode, l, operand, width int) (from int, found bool) {
	base := l &^ (width - 1)
	switch mode {
	case crossbar.Idx:
		return base + operand&(width-1), true
	case crossbar.Up:
		from, found = l-operand, l-operand >= base
	case crossbar.Down:
		from, found = l+operand, l+operand < base+width
	default: // an earlier segment can be read, a later one cannot
		from, found = l^operand, l^operand < base+width
	}
	if !found {
		from = l
	}
	return from, found
}

var modes = []crossbar.Mode{crossbar.Idx, crossbar.Up, crossbar.Down, crossbar.Xor}

// tryShuffles holds the values, undefined lanes and in-range predicates of all
// shuffles of one type to the formulas, under full and partial active masks with
// and without a member mask.
func tryShuffles[T comparable](t *testing.T, name string, value func(k, l int) T) {
	t.Helper()
	p, err := device.Lookup(name)
	require.NoError(t, err)
	n := p.Lanes
	r := rand.New(rand.NewPCG(uint64(n), 4))
	e := newEngine(t, warp.Config{Device: p, ValuesOnly: true, Faults: warp.Collect})
	_, err = e.Run(context.Background(), one(n), func(w *warp.Warp) {
		for _, active := range activeSets(n) {
			if active.Empty() {
				continue
			}
			for _, mode := range modes {
				for range 12 {
					mark := w.Mark()
					width := 1 << r.IntN(8)
					for width > n {
						width /= 2
					}
					operand0 := r.IntN(width)
					perLane := make([]int32, n)
					for l := range perLane {
						perLane[l] = int32(operand0)
					}
					lanes := r.IntN(2) == 0
					a, d := operand(w, 0, func(l int) T { return value(0, l) }), operand(w, 4, func(l int) T { return value(4, l) })
					s := warp.Shuffle{Mode: mode, Operand: int32(operand0), Width: width, InRange: w.Pred()}
					if lanes {
						s.PerLane = warp.Alloc[int32](w)
						for l := range perLane {
							perLane[l] = int32(r.IntN(width))
						}
						warp.SetLanes(s.PerLane, func(l int) int32 { return perLane[l] })
					}
					onto := r.IntN(2) == 0
					old, oldUndef := func(l int) T { return value(4, l) }, undefinedIn(4, n)
					if onto {
						d, old, oldUndef = a, func(l int) T { return value(0, l) }, undefinedIn(0, n)
					}
					w.Under(active, func() {
						if r.IntN(2) == 0 {
							warp.Shfl(d, a, s)
						} else {
							warp.Shfl(d, a, s, active)
						}
						undef := oldUndef.AndNot(active)
						var found lane.Mask
						for l := range active.Lanes() {
							from, ok := source(mode, l, int(perLane[l]), width)
							if ok {
								found = found.With(l)
							}
							if !active.Has(from) && p.Rules.Inactive == device.InactiveUndefined ||
								active.Has(from) && undefinedIn(0, n).Has(from) {
								undef = undef.With(l)
							}
						}
						check(t, w, "shuffle "+mode.String(), d, undef, blend(active, func(l int) T {
							from, _ := source(mode, l, int(perLane[l]), width)
							if !active.Has(from) {
								var zero T // what these chips give, or nothing defined
								return zero
							}
							return value(0, from)
						}, old))
						assert.Equal(t, found, s.InRange.Mask())
						assert.Empty(t, s.InRange.Undefined().And(active))
					})
					w.Release(mark)
				}
			}
		}
	})
	require.NoError(t, err)
}

func TestShuffles(t *testing.T) {
	for _, name := range []string{"custom-1", "custom-4", "h200", "mi300x", "mtt-s4000"} {
		tryShuffles(t, name, func(k, l int) uint8 { return uint8(k*100 + l + 1) })
		tryShuffles(t, name, func(k, l int) bool { return (k+l)%3 == 0 })
		tryShuffles(t, name, func(k, l int) int16 { return int16(k*1000 - l) })
		tryShuffles(t, name, func(k, l int) float32 { return float32(k) + float32(l)/4 })
		tryShuffles(t, name, func(k, l int) int64 { return int64(k+1)<<40 - int64(l) })
		tryShuffles(t, name, func(k, l int) [3]int32 { return [3]int32{int32(k), int32(l), 5} })
		tryShuffles(t, name, func(k, l int) [5]float64 { return [5]float64{float64(k), 4: float64(l)} })
	}
}

// The short forms take all operands: in a full warp where they are in range, by
// another way, and beyond. Both agree with the full form.
func TestShortShuffles(t *testing.T) {
	for _, name := range []string{"custom-2", "h200", "mi300x", "mtt-s4000"} {
		e := engine(t, name, warp.Config{Faults: warp.Collect, ValuesOnly: true})
		n := e.Device().Lanes
		_, err := e.Run(context.Background(), one(n), func(w *warp.Warp) {
			for mode, f := range map[crossbar.Mode]func(d, a warp.Reg[float64], k int){
				crossbar.Idx: warp.ShflIdx[float64], crossbar.Up: warp.ShflUp[float64],
				crossbar.Down: warp.ShflDown[float64], crossbar.Xor: warp.ShflXor[float64],
			} {
				for k := -3; k < n+3; k++ {
					for _, onto := range []bool{false, true} {
						mark := w.Mark()
						a, d, full := operand(w, 0, func(l int) float64 { return float64(l) }), warp.Alloc[float64](w), warp.Alloc[float64](w)
						warp.Shfl(full, a, warp.Shuffle{Mode: mode, Operand: int32(k)})
						if onto {
							d = a
						}
						f(d, a, k)
						same(t, w, full, d)
						assert.Equal(t, full.Undefined(), d.Undefined())
						w.Release(mark)
					}
				}
			}
		})
		require.NoError(t, err)
	}
}

// Votes, ballots, matches and reductions of the members of a mask: values,
// undefined lanes, and what they leave alone.
func TestVotesUnderMasks(t *testing.T) {
	for _, name := range []string{"custom-4", "h200", "mtt-s4000"} {
		e := engine(t, name, warp.Config{Faults: warp.Collect, ValuesOnly: true})
		n := e.Device().Lanes
		all := lane.FirstN(n)
		_, err := e.Run(context.Background(), one(n), func(w *warp.Warp) {
			for _, active := range activeSets(n) {
				if active.Empty() {
					continue
				}
				for _, holds := range []lane.Mask{{}, all, active, {Lo: 0xfedcba9876543210, Hi: 0xff}, all.AndNot(active)} {
					mark := w.Mark()
					p, q := w.Pred(), w.Pred()
					p.Define(holds, active) // undefined elsewhere
					q.Define(lane.Bit(0), all)
					member := holds.And(active)
					w.Under(active, func() {
						for kind, yes := range map[warp.VoteKind]bool{
							warp.VoteAll: member == active, warp.VoteAny: !member.Empty(), warp.VoteUni: member == active || member.Empty(),
						} {
							warp.Vote(kind, q, p)
							want := lane.Bit(0).AndNot(active)
							if yes {
								want = want.Or(active)
							}
							assert.Equal(t, want, q.Mask())
							assert.Empty(t, q.Undefined())
						}
						m := w.MaskReg()
						warp.Ballot(m, p, active)
						assert.Equal(t, member, m.Mask())
						assert.Equal(t, !member.Empty(), w.Any(p))
						assert.Equal(t, member == active, w.All(p))
						count, rank := value(w, int32(-1)), value(w, int32(-1))
						warp.CountMask(count, m)
						warp.Rank(rank, m)
						warp.InMask(q, m)
						assert.Equal(t, member, q.Mask().And(active))
						for l := range all.Lanes() {
							wantCount, wantRank := int32(-1), int32(-1)
							if active.Has(l) {
								wantCount, wantRank = int32(member.Count()), int32(member.Rank(l))
							}
							assert.Equal(t, []int32{wantCount, wantRank}, []int32{count.Lanes()[l], rank.Lanes()[l]})
						}
						warp.Elect(q)
						assert.Equal(t, lane.Bit(active.First()), q.Mask().And(active))
						warp.ActiveMask(m)
						assert.Equal(t, active, m.Mask())
					})
					w.Release(mark)
				}
			}
		})
		require.NoError(t, err)
	}
}

// An undefined predicate makes the result of a vote undefined, of a ballot or a
// branch a fault.
func TestVotesOfUndefined(t *testing.T) {
	e := engine(t, "h200", warp.Config{Faults: warp.Collect})
	r, err := e.Run(context.Background(), one(32), func(w *warp.Warp) {
		p, q, m := w.Pred(), w.Pred(), w.MaskReg()
		p.Define(lane.FirstN(32), lane.Bit(9).Not(32))
		warp.Vote(warp.VoteAny, q, p)
		assert.Equal(t, lane.FirstN(32), q.Undefined())
		w.Under(lane.FirstN(9), func() {
			warp.Vote(warp.VoteAny, q, p)
			assert.Equal(t, lane.Range(9, 32), q.Undefined())
		})
		warp.Ballot(m, p)
	})
	require.NoError(t, err)
	require.Len(t, r.Faults, 1)
	assert.Equal(t, warp.UndefinedUse, r.Faults[0].Kind)
	assert.Equal(t, lane.Bit(9), r.Faults[0].Lanes)
}

func TestMatchAndReduxUnderMasks(t *testing.T) {
	e := engine(t, "h200", warp.Config{Faults: warp.Collect, ValuesOnly: true})
	_, err := e.Run(context.Background(), one(32), func(w *warp.Warp) {
		for _, active := range activeSets(32) {
			if active.Empty() {
				continue
			}
			mark := w.Mark()
			v := value(w, int32(0))
			warp.SetLanes(v, func(l int) int32 { return int32(l*l%5 - 2) })
			set, m, p := warp.Alloc[lane.Mask](w), w.MaskReg(), w.Pred()
			w.Under(active, func() {
				warp.MatchAny(set, v, active)
				assert.Equal(t, active.Not(32), set.Undefined())
				equal := true
				for l := range active.Lanes() {
					var want lane.Mask
					for k := range active.Lanes() {
						if v.Lanes()[k] == v.Lanes()[l] {
							want = want.With(k)
						}
					}
					equal = equal && want == active
					assert.Equal(t, want, set.Lanes()[l])
				}
				warp.MatchAll(m, p, v)
				want := lane.Mask{}
				if equal {
					want = active
				}
				assert.Equal(t, want, m.Mask())
				assert.Equal(t, want, p.Mask().And(active))

				sum, low, high, and, or, xor := int32(0), int32(1<<31-1), int32(-1<<31), int32(-1), int32(0), int32(0)
				for l := range active.Lanes() {
					x := v.Lanes()[l]
					sum, low, high, and, or, xor = sum+x, min(low, x), max(high, x), and&x, or|x, xor^x
				}
				for op, want := range []int32{sum, low, high, and, or, xor} {
					d := value(w, int32(99))
					warp.Redux(warp.ReduxOp(op), d, v, active)
					for l, got := range d.Lanes() {
						if active.Has(l) && got != want || !active.Has(l) && got != 99 {
							t.Errorf("redux %s, active %s: lane %d is %d, want %d", warp.ReduxOp(op), active, l, got, want)
						}
					}
				}
			})
			w.Release(mark)
		}
	})
	require.NoError(t, err)
}

// What a mask may name, by the rules of the device: who calls must be named;
// exited lanes are not waited for where the mask decides, and must not be named
// where the active lanes do.
func TestMemberMaskRules(t *testing.T) {
	for _, c := range []struct {
		device string
		mask   func(n int) lane.Mask
		exit   lane.Mask
		in     lane.Mask // active at the call, of those left
		kinds  []warp.FaultKind
	}{
		{"h200", lane.FirstN, lane.Mask{}, lane.FirstN(32), nil},
		{"h200", lane.FirstN, lane.Only(3, 31), lane.FirstN(32), nil},
		{"mi300x", lane.FirstN, lane.Only(3, 31), lane.FirstN(64), []warp.FaultKind{warp.MaskNotActive}},
		{"mi300x", func(n int) lane.Mask { return lane.FirstN(n).AndNot(lane.Only(3, 31)) }, lane.Only(3, 31), lane.FirstN(64), nil},
		{"h200", lane.FirstN, lane.Mask{}, lane.FirstN(8), []warp.FaultKind{warp.MaskAbsent}},
		{"h200", func(int) lane.Mask { return lane.FirstN(8) }, lane.Mask{}, lane.FirstN(8), nil},
		{"h200", func(int) lane.Mask { return lane.FirstN(8) }, lane.Mask{}, lane.FirstN(10), []warp.FaultKind{warp.CallerNotInMask}},
		{"h200", func(int) lane.Mask { return lane.Range(8, 12) }, lane.Mask{}, lane.FirstN(10), []warp.FaultKind{warp.CallerNotInMask, warp.MaskAbsent}},
		{"h200", func(int) lane.Mask { return lane.Mask{} }, lane.Mask{}, lane.FirstN(32), []warp.FaultKind{warp.MaskZero}},
		{"h200", func(n int) lane.Mask { return lane.FirstN(n + 1) }, lane.Mask{}, lane.FirstN(32), []warp.FaultKind{warp.MaskBeyondWarp}},
		{"mtt-s4000", func(n int) lane.Mask { return lane.FirstN(n) }, lane.Mask{}, lane.FirstN(128), nil},
	} {
		e := engine(t, c.device, warp.Config{Faults: warp.Collect})
		n := e.Device().Lanes
		r, err := e.Run(context.Background(), one(n), func(w *warp.Warp) {
			p := w.Pred()
			warp.SetPred(p, c.exit)
			w.Exit(p)
			w.Under(c.in, func() { w.SyncWarp(c.mask(n)) })
		})
		require.NoError(t, err)
		var kinds []warp.FaultKind
		for _, f := range r.Faults {
			kinds = append(kinds, f.Kind)
		}
		assert.Equal(t, c.kinds, kinds, "%+v", c)
	}
}

// A collective takes one member mask: two are a mistake, told at the caller's line.
func TestTwoMemberMasks(t *testing.T) {
	for name, call := range map[string]func(w *warp.Warp, v warp.Reg[int32], m lane.Mask){
		"Shfl":   func(w *warp.Warp, v warp.Reg[int32], m lane.Mask) { warp.Shfl(v, v, warp.Shuffle{}, m, m) },
		"Ballot": func(w *warp.Warp, _ warp.Reg[int32], m lane.Mask) { warp.Ballot(w.MaskReg(), w.Pred(), m, m) },
		"Redux":  func(w *warp.Warp, v warp.Reg[int32], m lane.Mask) { warp.Redux(warp.ReduxAdd, v, v, m, m) },
	} {
		p, err := device.Lookup("h200")
		require.NoError(t, err)
		e, err := warp.New(warp.Config{Device: p})
		require.NoError(t, err)
		_, err = e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(32)}, func(w *warp.Warp) {
			call(w, value(w, int32(1)), lane.FirstN(32))
		})
		require.ErrorIs(t, err, warp.BadArgument, name)
		assert.Contains(t, err.Error(), "2 member masks", name)
		assert.Contains(t, err.Error(), "collective_test.go", name)
	}
}
