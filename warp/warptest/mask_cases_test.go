package warptest_test

import (
	"context"
	"testing"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/intrinsics"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/warptest"
	"github.com/stretchr/testify/require"
)

// A ballot in 32 bits.
func TestBallotCutTo32Bits(t *testing.T) {
	ranks := func(name string, in func(l int) bool) ([]int32, *warp.Report) {
		return wide(t, name, profile(t, name).Lanes, func(w *warp.Warp, out warp.Mem[int32]) {
			m, b, rank := w.MaskReg(), warp.Alloc[uint32](w), warp.Alloc[int32](w)
			warp.Ballot(m, when(w, in))
			warp.MaskBits(b, m)
			below := warp.Alloc[uint32](w)
			warp.SetLanes(below, func(l int) uint32 { return uint32(lane.Below(l).Lo) })
			warp.And(b, b, below)
			warp.Popc(b, b)
			warp.Bitcast(rank, b)
			warp.Store(out, w.ThreadID(), rank)
		})
	}
	right := func(name string, in func(l int) bool) []int32 {
		got, r := wide(t, name, profile(t, name).Lanes, func(w *warp.Warp, out warp.Mem[int32]) {
			m, rank := w.MaskReg(), warp.Alloc[int32](w)
			warp.Ballot(m, when(w, in))
			warp.Rank(rank, m)
			warp.Store(out, w.ThreadID(), rank)
		})
		diagnosed(t, r)
		return got
	}
	all := func(int) bool { return true }
	even := func(l int) bool { return l%2 == 0 }
	ramp := func(n int) []int32 { return by(n, func(l int) int32 { return int32(l) }) }

	got, r := ranks("nv", all)
	require.Equal(t, ramp(32), got)
	diagnosed(t, r)
	got, r = ranks("amd64", all)
	require.Equal(t, append(ramp(32), same(32, int32(32))...), got)
	diagnosed(t, r, want{warp.BallotTruncated, bits(0, 63), 1})
	require.Equal(t, bits(32, 63), r.Faults[0].Missing)
	require.Equal(t, ramp(64), right("amd64", all))
	got, r = ranks("amd64", even)
	diagnosed(t, r, want{kind: warp.BallotTruncated})
	for l := 0; l < 64; l += 2 {
		require.Equal(t, int32(min(l/2, 16)), got[l])
		require.Equal(t, int32(l/2), right("amd64", even)[l])
	}
}

// Masks of 32 bits on HIP.
func TestMaskTypeAndWidth(t *testing.T) {
	moved := func(n int) []int { // down by 16 in groups of 32
		return by(n, func(l int) int {
			if l%32 < 16 {
				return l + 16
			}
			return l
		})
	}
	for _, name := range []string{"amd32", "nv"} {
		for _, mask := range []uint64{0xffffffff, ^uint64(0)} {
			got, r, err := perLane(t, name, 32, func(t *intrinsics.Thread) int {
				return intrinsics.ShflDownSync(t, mask, t.Lane(), 16)
			})
			require.NoError(t, err)
			require.Equal(t, moved(32), got, name)
			diagnosed(t, r)
		}
	}
	// The case asks for a second diagnosis, that the mask is not the set of
	// active lanes. It is the same mistake: the lanes that call and are not
	// named are just those that make the sets differ, and one report names
	// them.
	_, r := wide(t, "amd64", 64, func(w *warp.Warp, out warp.Mem[int32]) {
		x := warp.Alloc[int32](w)
		warp.Shfl(x, w.LaneID(), warp.Shuffle{Mode: crossbar.Down, Operand: 16}, lane.FirstN(32))
	})
	diagnosed(t, r, want{warp.CallerNotInMask, bits(32, 63), 1})
	for _, name := range []string{"amd32", "amd64"} {
		_, r, err := perLane(t, name, profile(t, name).Lanes, func(t *intrinsics.Thread) int {
			return intrinsics.ShflDownSync(t, intrinsics.FullMask, t.Lane(), 16)
		})
		require.NoError(t, err)
		require.Contains(t, warptest.Kinds(r), warp.MaskTooNarrow, name)
	}
	// The case would make this an error on 128 lanes. The language there has
	// masks of 32 bits only, which its own documents use with warps of 128
	// lanes; the profile reads them as masks of the caller's group of 32.
	got, r, err := perLane(t, "mu128", 128, func(t *intrinsics.Thread) int {
		return intrinsics.ShflDownSync(t, intrinsics.FullMask, t.Lane(), 16)
	})
	require.NoError(t, err)
	require.Equal(t, moved(128), got)
	diagnosed(t, r)
}

// Callers that their own mask does not name.
func TestCallerNotInItsMask(t *testing.T) {
	low := lane.FirstN(16)
	even := func(l int) bool { return l%2 == 0 }
	for _, name := range []string{"nv", "amd64", "mu128"} {
		n := profile(t, name).Lanes
		_, r := wide(t, name, n, func(w *warp.Warp, out warp.Mem[int32]) {
			x, b := warp.Alloc[int32](w), w.MaskReg()
			warp.Shfl(x, w.LaneID(), warp.Shuffle{Mode: crossbar.Idx}, low)
			for l, v := range x.Lanes()[:16] {
				if v != 0 || !x.Undefined().Contains(bits(16, n-1)) || x.Undefined().Has(l) {
					t.Errorf("%s lane %d has %d, undefined %s", name, l, v, x.Undefined())
				}
			}
			warp.Ballot(b, when(w, even), low)
		})
		diagnosed(t, r, want{warp.CallerNotInMask, bits(16, n-1), 1}, want{warp.CallerNotInMask, bits(16, n-1), 1})

		var ballot lane.Mask
		got, r := wide(t, name, n, func(w *warp.Warp, out warp.Mem[int32]) {
			x, b := warp.Alloc[int32](w), w.MaskReg()
			w.If(when(w, func(l int) bool { return l < 16 }), func() {
				warp.Shfl(x, w.LaneID(), warp.Shuffle{Mode: crossbar.Idx}, low)
				warp.Ballot(b, when(w, even), low)
				warp.Store(out, w.ThreadID(), x)
			})
			ballot = b.Mask()
		})
		diagnosed(t, r)
		require.Equal(t, same(16, int32(0)), got[:16])
		require.Equal(t, lane.Bits(0x5555), ballot)
	}
}

// One mask of all lanes at two call sites.
func TestFullMaskAtTwoCallSites(t *testing.T) {
	crossed := func(mask func(t *intrinsics.Thread) lane.Mask) func(t *intrinsics.Thread) int {
		return func(t *intrinsics.Thread) int {
			if t.Lane() < 16 {
				return intrinsics.ShflXorSync(t, mask(t), t.Lane(), 16)
			} else {
				return intrinsics.ShflXorSync(t, mask(t), t.Lane(), 16)
			}
		}
	}
	all := func(t *intrinsics.Thread) lane.Mask { return t.AllLanes() }
	vote := func(maskless bool) func(t *intrinsics.Thread) bool {
		return func(t *intrinsics.Thread) bool {
			a := t.Lane() >= 16
			switch {
			case t.Lane() < 16 && maskless:
				return intrinsics.All(t, a)
			case t.Lane() < 16:
				return intrinsics.AllSync(t, t.AllLanes(), a)
			case maskless:
				return intrinsics.All(t, a)
			default:
				return intrinsics.AllSync(t, t.AllLanes(), a)
			}
		}
	}
	got, r, err := perLane(t, "nv", 32, crossed(all))
	require.NoError(t, err)
	require.Equal(t, by(32, func(l int) int { return l ^ 16 }), got)
	diagnosed(t, r)
	yes, r, err := perLane(t, "nv", 32, vote(false))
	require.NoError(t, err)
	require.Equal(t, same(32, false), yes)
	diagnosed(t, r)
	for _, name := range []string{"amd32", "amd64"} {
		n := profile(t, name).Lanes
		got, r, err := perLane(t, name, n, crossed(all))
		require.NoError(t, err)
		require.Contains(t, warptest.Kinds(r), warp.MaskNotActive, name)
		require.Equal(t, by(n, func(l int) int { // without the check: lanes of the other arm are not there
			if l < 32 {
				return 0
			}
			return l ^ 16
		}), got, name)
		yes, r, err := perLane(t, name, n, vote(false))
		require.NoError(t, err)
		require.Contains(t, warptest.Kinds(r), warp.MaskNotActive, name)
		require.Equal(t, same(n, false), yes, name)
		yes, r, err = perLane(t, name, n, vote(true))
		require.NoError(t, err)
		require.Equal(t, by(n, func(l int) bool { return l >= 16 }), yes, name)
		diagnosed(t, r)
	}
	_, r, err = perLane(t, "nvp", 32, crossed(all))
	require.NoError(t, err)
	require.Contains(t, warptest.Kinds(r), warp.MaskNotActive)
	require.Contains(t, warptest.Kinds(r), warp.ReadInactive, "and so undefined")
}

// The active mask as the member mask.
func TestActiveMaskAsMemberMask(t *testing.T) {
	kernel := func(t *intrinsics.Thread) int {
		m := intrinsics.ActiveMask(t)
		x := t.Lane()
		for off := t.WarpSize() / 2; off > 0; off /= 2 {
			x += intrinsics.ShflDownSync(t, m, x, off)
		}
		return x
	}
	got, r, err := perLane(t, "nv", 32, kernel)
	require.NoError(t, err)
	require.Equal(t, 496, got[0])
	diagnosed(t, r, want{kind: warp.ActiveMaskAsMask, count: 5})
	got, r, err = perLane(t, "amd64", 64, kernel)
	require.NoError(t, err)
	require.Equal(t, 2016, got[0])
	diagnosed(t, r)

	program := launch(32, kernel)
	config := warp.Config{Device: profile(t, "nv"), Sanitize: true}
	d, err := warptest.Find(context.Background(), warptest.Exploration{Config: config}, program)
	require.NoError(t, err)
	require.NotNil(t, d, "some legal schedule splits the warp")
	config.Seed, config.Faults = d.Seeds[1], warp.Collect
	e, err := warp.New(config)
	require.NoError(t, err)
	_, r, err = program(context.Background(), e)
	require.NoError(t, err)
	require.Contains(t, warptest.Kinds(r), warp.ReadInactive)
	// On a device in lockstep no schedule does.
	config.Seed, config.Device = 0, profile(t, "amd64")
	d, err = warptest.Find(context.Background(), warptest.Exploration{Config: config}, launch(64, kernel))
	require.NoError(t, err)
	require.Nil(t, d)
}

// launch makes a program of a per-lane kernel for one block.
func launch[T any](threads int, k func(t *intrinsics.Thread) T) warptest.Program {
	return func(ctx context.Context, e *warp.Engine) (any, *warp.Report, error) {
		out := make([]T, threads)
		r, err := intrinsics.Launch(ctx, e, warp.X(1), warp.X(threads), func(t *intrinsics.Thread) {
			out[t.ThreadRank()] = k(t)
		})
		return out, r, err
	}
}

// The trailing partial warp.
func TestTrailingPartialWarp(t *testing.T) {
	// blockSum adds up a one for each thread: a tree in each warp, then the
	// results of the first warps.
	var undefined lane.Mask // results of the last warp
	blockSum := func(name string, n, warps int, fixed bool) (int32, *warp.Report) {
		width := profile(t, name).Lanes
		out, r := wide(t, name, n, func(w *warp.Warp, out warp.Mem[int32]) {
			live := min(n-w.ID()*width, width)
			mask := lane.FirstN(width)
			if fixed {
				mask = lane.FirstN(live)
			}
			x, y := warp.Alloc[int32](w), warp.Alloc[int32](w)
			warp.Set(x, 1)
			for off := width / 2; off > 0; off /= 2 {
				if fixed {
					warp.Shfl(y, x, warp.Shuffle{Mode: crossbar.Xor, Operand: int32(off)}, mask)
					w.Where(when(w, func(l int) bool { return l^off < live }), func() { warp.Add(x, x, y) })
					continue
				}
				if profile(t, name).Language == "HIP" {
					warp.Shfl(y, x, warp.Shuffle{Mode: crossbar.Xor, Operand: int32(off)})
				} else {
					warp.Shfl(y, x, warp.Shuffle{Mode: crossbar.Xor, Operand: int32(off)}, mask)
				}
				warp.Add(x, x, y)
			}
			undefined = x.Undefined().And(w.Live())
			at := warp.Alloc[int32](w)
			warp.Set(at, int32(w.ID()))
			w.Where(when(w, func(l int) bool { return l == 0 }), func() { warp.Store(out, at, x) })
		})
		sum := int32(0)
		for _, v := range out[:warps] {
			sum += v
		}
		return sum, r
	}
	for n, floor := range map[int]int32{129: 128, 159: 128, 180: 160, 192: 192} {
		got, _ := blockSum("nv", n, n/32, false)
		require.Equal(t, floor, got, "warps rounded down")
		up := (n + 31) / 32
		live := n - (up-1)*32
		_, r := blockSum("nv", n, up, false)
		if live == 32 {
			diagnosed(t, r)
		} else {
			only(t, r, warp.ReadInactive, warp.UndefinedUse)
			require.Equal(t, bits(0, live-1), undefined, "every live lane's result")
			for i := range r.Faults {
				f := &r.Faults[i]
				require.Equal(t, up-1, f.Warp)
				if f.Kind == warp.UndefinedUse {
					require.Equal(t, lane.Bit(0), f.Lanes, "the sum of the last warp is stored")
				}
			}
		}
		got, r = blockSum("nv", n, up, true)
		require.Equal(t, int32(n), got)
		if live < 32 {
			// The values that are ignored are read all the same: a warning, and
			// no undefined value is used.
			only(t, r, warp.ReadInactive)
		}
		for _, name := range []string{"amd32", "amd64"} {
			width := profile(t, name).Lanes
			got, r := blockSum(name, n, (n+width-1)/width, false)
			require.Equal(t, int32(n), got, "%s: right by luck", name)
			if n%width != 0 {
				only(t, r, warp.ReadInactive)
			}
		}
	}
	last, _ := blockSum("amd64", 180, 3, false)
	first, _ := blockSum("amd64", 180, 2, false)
	require.Equal(t, int32(52), last-first)

	tail := func(width int, mode crossbar.Mode) (lane.Mask, []int32, *warp.Report) {
		var v []int32
		_, r := wide(t, "nv", 16, func(w *warp.Warp, out warp.Mem[int32]) {
			x, y := warp.Alloc[int32](w), warp.Alloc[int32](w)
			warp.Set(x, 1)
			for off := 8; off > 0; off /= 2 {
				warp.Shfl(y, x, warp.Shuffle{Mode: mode, Operand: int32(off), Width: width}, lane.FirstN(16))
				warp.Add(x, x, y)
			}
			undefined, v = x.Undefined().And(w.Live()), append(v, x.Lanes()...)
		})
		return undefined, v, r
	}
	undefined, v, r := tail(16, crossbar.Xor)
	diagnosed(t, r)
	require.True(t, undefined.Empty())
	require.Equal(t, same(16, int32(16)), v[:16])
	undefined, v, r = tail(32, crossbar.Down)
	only(t, r, warp.ReadInactive)
	require.Equal(t, int32(16), v[0])
	require.Equal(t, bits(1, 15), undefined)

	// One lane alone goes through the steps of a warp.
	_, r = wide(t, "nv", 32, func(w *warp.Warp, out warp.Mem[int32]) {
		x, y := warp.Alloc[int32](w), warp.Alloc[int32](w)
		warp.Set(x, 1)
		w.If(when(w, func(l int) bool { return l == 0 }), func() {
			for off := 16; off > 0; off /= 2 {
				warp.Shfl(y, x, warp.Shuffle{Mode: crossbar.Down, Operand: int32(off)}, lane.Bit(0))
				warp.Add(x, x, y)
			}
			warp.Store(out, w.ThreadID(), x)
		})
	})
	diagnosed(t, r, want{warp.ReadInactive, lane.Bit(0), 5}, want{warp.UndefinedUse, lane.Bit(0), 1})
}

// Widths that are no powers of two, and groups that straddle warps.
func TestWidthNoPowerOfTwo(t *testing.T) {
	// A width is refused for what is wrong with it: one above the warp for that,
	// whether or not it is a power of two. The case lists 48 as no power of two
	// on 32 lanes as well. A width of 0 stands for the whole warp in wide
	// kernels; the functions with the vendors' names refuse it.
	for name, widths := range map[string]map[int]warp.FaultKind{
		"nv":    {48: warp.WidthAboveWarp, 7: warp.WidthNotPowerOfTwo, 3: warp.WidthNotPowerOfTwo, 64: warp.WidthAboveWarp},
		"amd32": {64: warp.WidthAboveWarp},
		"amd64": {48: warp.WidthNotPowerOfTwo, 128: warp.WidthAboveWarp},
		"mu128": {48: warp.WidthNotPowerOfTwo},
	} {
		for width, kind := range widths {
			_, r := shuffled2(t, name, warp.Shuffle{Mode: crossbar.Xor, Operand: 1, Width: width})
			require.Contains(t, warptest.Kinds(r), kind, "%s width %d", name, width)
		}
	}
	_, r, err := perLane(t, "nv", 32, func(t *intrinsics.Thread) int {
		return intrinsics.ShflXorSync(t, intrinsics.FullMask, t.Lane(), 1, 0)
	})
	require.NoError(t, err)
	require.Contains(t, warptest.Kinds(r), warp.WidthNotPowerOfTwo)

	// The butterfly of 32 lanes adds up 1 to 32 only; 48 threads go through
	// shared memory.
	got, _ := wide(t, "nv", 48, func(w *warp.Warp, out warp.Mem[int32]) {
		x, y := warp.Alloc[int32](w), warp.Alloc[int32](w)
		warp.AddImm(x, w.ThreadID(), 1)
		for off := 16; off > 0; off /= 2 {
			warp.ShflXor(y, x, off)
			warp.Add(x, x, y)
		}
		if w.ID() == 0 {
			warp.Store(out, w.ThreadID(), x)
		}
	})
	require.Equal(t, int32(528), got[0])
	groups := func(size, threads int, v func(id int) int32) []int32 {
		got, r := wide(t, "nv", threads, func(w *warp.Warp, out warp.Mem[int32]) {
			s := warp.Shared[int32](w, threads)
			x, y := warp.Alloc[int32](w), warp.Alloc[int32](w)
			warp.SetLanes(x, func(l int) int32 { return v(w.ID()*32 + l) })
			warp.Store(s, w.ThreadID(), x)
			w.SyncBlock()
			warp.Set(x, 0)
			w.Where(when(w, func(l int) bool { return (w.ID()*32+l)%size == 0 }), func() {
				for i := range size {
					warp.Load(y, s.At(i), w.ThreadID())
					warp.Add(x, x, y)
				}
			})
			warp.Store(out, w.ThreadID(), x)
		})
		diagnosed(t, r)
		return got
	}
	require.Equal(t, int32(1176), groups(48, 48, func(id int) int32 { return int32(id + 1) })[0])
	for id, v := range groups(7, 49, func(int) int32 { return 1 }) {
		if id%7 == 0 {
			require.Equal(t, int32(7), v, "group %d, threads %d to %d", id/7, id, id+6)
		}
	}
}

// shuffled2 is a shuffle of the lane numbers whose result is not used.
func shuffled2(t *testing.T, name string, s warp.Shuffle) ([]int32, *warp.Report) {
	t.Helper()
	return wide(t, name, profile(t, name).Lanes, func(w *warp.Warp, out warp.Mem[int32]) {
		warp.Shfl(warp.Alloc[int32](w), w.LaneID(), s)
	})
}

// Lanes that have exited do not vote.
func TestExitedLanesDoNotVote(t *testing.T) {
	kernel := func(masked bool, answers *[3]lane.Mask) func(w *warp.Warp, out warp.Mem[int32]) {
		return func(w *warp.Warp, out warp.Mem[int32]) {
			full := lane.FirstN(w.Width())
			a, n, b := w.Pred(), w.Pred(), w.MaskReg()
			w.Exit(when(w, func(l int) bool { return l%3 != 0 }))
			not13 := when(w, func(l int) bool { return l != 13 })
			is13 := when(w, func(l int) bool { return l == 13 })
			yes := when(w, func(int) bool { return true })
			if masked {
				warp.Vote(warp.VoteAll, a, not13, full)
				warp.Vote(warp.VoteAny, n, is13, full)
				warp.Ballot(b, yes, full)
			} else {
				warp.Vote(warp.VoteAll, a, not13)
				warp.Vote(warp.VoteAny, n, is13)
				warp.Ballot(b, yes)
			}
			*answers = [3]lane.Mask{a.Mask(), n.Mask(), b.Mask()}
		}
	}
	for name, ballot := range map[string]uint64{"nv": 0x49249249, "amd64": 0x9249249249249249} {
		n := profile(t, name).Lanes
		stay := lane.Bits(ballot)
		require.Equal(t, (n+2)/3, stay.Count(), "11 lanes of 32, 22 of 64")
		var got [3]lane.Mask
		_, r := wide(t, name, n, kernel(false, &got))
		require.Equal(t, [3]lane.Mask{stay, {}, stay}, got, name)
		diagnosed(t, r)
		_, r = wide(t, name, n, kernel(true, &got))
		require.Equal(t, [3]lane.Mask{stay, {}, stay}, got, name)
		if name == "nv" {
			diagnosed(t, r)
		} else {
			only(t, r, warp.MaskNotActive)
		}
	}
}

// What hardware reductions take.
func TestWhatHardwareReductionsTake(t *testing.T) {
	_, _, err := tryWide(t, "nv", 32, func(w *warp.Warp, out warp.Mem[int32]) {
		x := warp.Alloc[uint64](w)
		warp.Set(x, 1<<40)
		warp.Redux(warp.ReduxAdd, x, x)
	})
	require.ErrorIs(t, err, warp.Unsupported)
	require.ErrorContains(t, err, "u64.add")
	// Of 32 bits alone: the low word of 1<<40 is 0. By shuffles it is whole.
	got, r := wide(t, "nv", 32, func(w *warp.Warp, out warp.Mem[uint64]) {
		x, y := warp.Alloc[uint64](w), warp.Alloc[uint64](w)
		warp.SetLanes(x, func(l int) uint64 {
			if l == 0 {
				return 1 << 40
			}
			return 0
		})
		for d := 16; d > 0; d /= 2 {
			warp.ShflDown(y, x, d)
			warp.Add(x, x, y)
		}
		warp.Store(out, w.ThreadID(), x)
	})
	diagnosed(t, r)
	require.Equal(t, uint64(1099511627776), got[0])
	// Floats and narrow integers cannot be written: Redux takes integers, and
	// of these the profile has those of 32 bits.
	for op := warp.ReduxAdd; op <= warp.ReduxXor; op++ {
		_, r := wide(t, "nv", 32, func(w *warp.Warp, out warp.Mem[int32]) {
			x, y := warp.Alloc[int32](w), warp.Alloc[uint32](w)
			warp.Redux(op, x, w.LaneID())
			warp.Bitcast(y, w.LaneID())
			warp.Redux(op, y, y)
			warp.Store(out, w.ThreadID(), x)
		})
		diagnosed(t, r)
		_, _, err := tryWide(t, "nv", 32, func(w *warp.Warp, out warp.Mem[int32]) {
			x := warp.Alloc[int16](w)
			warp.Set(x, 1)
			warp.Redux(op, x, x)
		})
		require.ErrorIs(t, err, warp.Unsupported)
	}
	sums, _ := wide(t, "nv", 32, func(w *warp.Warp, out warp.Mem[uint32]) {
		x := warp.Alloc[uint32](w)
		warp.Set(x, 0x10000000)
		warp.Redux(warp.ReduxAdd, x, x)
		warp.Store(out, w.ThreadID(), x)
	})
	require.Equal(t, same(32, uint32(0)), sums)
	some, r := wide(t, "nv", 32, func(w *warp.Warp, out warp.Mem[int32]) {
		x := warp.Alloc[int32](w)
		w.If(when(w, func(l int) bool { return l < 16 }), func() {
			warp.Redux(warp.ReduxAdd, x, w.LaneID(), lane.FirstN(16))
			warp.Store(out, w.ThreadID(), x)
		})
	})
	diagnosed(t, r)
	require.Equal(t, same(16, int32(120)), some[:16])
}
