package warp_test

import (
	"context"
	"fmt"
	"testing"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// onRoutes runs f on devices that have every way between lanes.
func onRoutes(t *testing.T, f func(t *testing.T, w *warp.Warp)) {
	for _, lanes := range []int{32, 64} {
		p, err := device.Lookup("mi300x")
		require.NoError(t, err)
		p = p.Clone()
		p.Lanes = lanes
		p.Rules.RowMoves = append(p.Rules.RowMoves, "row_xmask")
		e := newEngine(t, warp.Config{Device: p, ValuesOnly: true})
		_, err = e.Run(context.Background(), one(lanes), func(w *warp.Warp) { f(t, w) })
		require.NoError(t, err)
	}
}

// A rowCase is a row move and the lane that each lane reads, -1 for none, as the
// instruction set's text has it.
type rowCase struct {
	c    crossbar.RowControl
	from func(l, n int) int
}

func rowCases() []rowCase {
	if16 := func(ok bool, l int) int {
		if ok {
			return l
		}
		return -1
	}
	return []rowCase{
		{crossbar.QuadPermute(3, 0, 0, 1), func(l, _ int) int { return l/4*4 + []int{3, 0, 0, 1}[l%4] }},
		{crossbar.RowShiftLeft(3), func(l, _ int) int { return if16(l%16+3 < 16, l+3) }},
		{crossbar.RowShiftRight(5), func(l, _ int) int { return if16(l%16 >= 5, l-5) }},
		{crossbar.RowRotateRight(7), func(l, _ int) int { return l/16*16 + (l%16+9)%16 }},
		{crossbar.WaveShiftRight, func(l, _ int) int { return l - 1 }},
		{crossbar.RowMirror, func(l, _ int) int { return l/16*16 + 15 - l%16 }},
		{crossbar.RowBroadcast15, func(l, _ int) int { return l/16*16 - 1 }},
		{crossbar.RowBroadcast31, func(l, _ int) int { return if16(l >= 32, 31) }},
		{crossbar.RowXor(9), func(l, _ int) int { return l ^ 9 }},
	}
}

func tryRoutes[T comparable](t *testing.T, w *warp.Warp, value func(k, l int) T, join func(a, b T) T) {
	var zero T
	n := w.Width()
	writes := []crossbar.RowWrite{{Rows: 0xf, Banks: 0xf}, {Rows: 0xf, Banks: 0xf, ZeroFill: true},
		{Rows: 0b1010, Banks: 0b0111}, {Rows: 0b0110, Banks: 0xf, ZeroFill: true, FetchInactive: true}}
	for _, active := range activeSets(n) {
		mark := w.Mark()
		old := func(l int) T { return value(4, l) }
		src := func(l int) T { return value(0, l) }
		// expect says for each active lane where its value comes from: a lane, -1 for
		// zero, -2 for what dst held.
		expect := func(what string, d warp.Reg[T], from func(l int) int) {
			t.Helper()
			undef := lane.Mask{}
			for l := range n {
				f := -2
				if active.Has(l) {
					f = from(l)
				}
				if f >= 0 && undefinedIn(0, n).Has(f) || f == -2 && undefinedIn(4, n).Has(l) {
					undef = undef.With(l)
				}
			}
			check(t, w, what, d, undef, blend(active, func(l int) T {
				switch f := from(l); f {
				case -1:
					return zero
				case -2:
					return old(l)
				default:
					return src(f)
				}
			}, old))
		}
		fresh := func() warp.Reg[T] { return operand(w, 4, old) }
		a := operand(w, 0, src)
		address := warp.Alloc[int32](w)
		warp.SetLanes(address, func(l int) int32 { return int32(4*(l*l+3) + l%4) })
		target := func(l int) int { return (l*l + 3) % n }
		w.Under(active, func() {
			for _, c := range rowCases() {
				for _, to := range writes {
					from := func(l int) int {
						f := c.from(l, n)
						switch {
						case to.Rows>>(l/16%4)&1 == 0 || to.Banks>>(l/4%4)&1 == 0:
							return -2
						case f >= 0 && (active.Has(f) || to.FetchInactive):
							return f
						case to.ZeroFill:
							return -1
						}
						return -2
					}
					d := fresh()
					warp.RowMove(d, a, c.c, to)
					expect("RowMove "+c.c.String(), d, from)
					own := operand(w, 2, func(l int) T { return value(2, l) })
					d = fresh()
					warp.RowApply(d, a, own, c.c, to, join)
					undef := undefinedIn(4, n)
					for l := range active.Lanes() {
						if f := from(l); f > -2 {
							undef = undef.Without(l)
							if undefinedIn(2, n).Has(l) || f >= 0 && undefinedIn(0, n).Has(f) {
								undef = undef.With(l)
							}
						}
					}
					check(t, w, "RowApply "+c.c.String(), d, undef, func(l int) T {
						f := -2
						if active.Has(l) {
							f = from(l)
						}
						switch f {
						case -2:
							return old(l)
						case -1:
							return join(zero, value(2, l))
						}
						return join(src(f), value(2, l))
					})
				}
			}
			d := fresh()
			warp.Permute(d, a, address)
			expect("Permute", d, func(l int) int {
				sender := -1
				for s := range active.Lanes() {
					if target(s) == l {
						sender = s
					}
				}
				return sender
			})
			inactiveIsZero := func(from func(l int) int) func(l int) int {
				return func(l int) int {
					if f := from(l); active.Has(f) {
						return f
					}
					return -1
				}
			}
			d = fresh()
			warp.PermuteBack(d, a, address)
			expect("PermuteBack", d, inactiveIsZero(target))
			d = fresh()
			warp.Swizzle(d, a, 0x1f|2<<5|5<<10)
			expect("Swizzle", d, inactiveIsZero(func(l int) int { return l/32*32 + (l%32 | 2) ^ 5 }))
			d = fresh()
			warp.Swizzle(d, a, 1<<15|0b00_01_10_11)
			expect("Swizzle of four", d, inactiveIsZero(func(l int) int { return l ^ 3 }))
			d = fresh()
			warp.ReadLane(d, a, n-2)
			expect("ReadLane", d, func(int) int { return n - 2 })
			d = fresh()
			warp.ReadFirstLane(d, a)
			expect("ReadFirstLane", d, func(int) int { return active.First() })
			// In place.
			d = operand(w, 0, src)
			warp.Permute(d, d, address)
			b := operand(w, 0, src)
			e := operand(w, 0, src)
			warp.Permute(e, b, address)
			check(t, w, "Permute in place", d, e.Undefined(), func(l int) T { return e.Lanes()[l] })
		})
		w.Release(mark)
	}
}

func TestRoutes(t *testing.T) {
	onRoutes(t, func(t *testing.T, w *warp.Warp) {
		tryRoutes(t, w, func(k, l int) uint8 { return uint8(k*50 + l) }, func(a, b uint8) uint8 { return a - 3*b })
		tryRoutes(t, w, func(k, l int) int32 { return int32(k*1000 + l) }, func(a, b int32) int32 { return a - 3*b })
		tryRoutes(t, w, func(k, l int) float64 { return float64(k) + float64(l)/8 }, func(a, b float64) float64 { return a - 3*b })
		tryRoutes(t, w, func(k, l int) [3]uint32 { return [3]uint32{uint32(k), uint32(l), 7} },
			func(a, b [3]uint32) [3]uint32 { return [3]uint32{a[0], b[1], a[2] + b[2]} })
	})
}

// Each way is one record a word, of the op that the profile has a price for.
func TestRoutesAreInstructions(t *testing.T) {
	p, err := device.Lookup("mi300x")
	require.NoError(t, err)
	var got []isa.Instr
	e := newEngine(t, warp.Config{Device: p, Observer: &warp.Observer{Instr: func(ev warp.InstrEvent) { got = append(got, ev.Instr) }}})
	var dst, src, at isa.Reg
	report, err := e.Run(context.Background(), one(64), func(w *warp.Warp) {
		v, x, address := value(w, int64(1)), value(w, int64(2)), value(w, int32(0))
		dst, src, at = isa.Row(v.Row()), isa.Row(x.Row()), isa.Row(address.Row())
		got = nil
		all := crossbar.RowWrite{Rows: 0xf, Banks: 0xf}
		warp.RowMove(v, x, crossbar.RowMirror, all)
		warp.RowApply(v, x, x, crossbar.RowMirror, all, func(a, b int64) int64 { return a + b })
		warp.Permute(v, x, address)
		warp.PermuteBack(v, x, address)
		warp.Swizzle(v, x, 0x1f)
		warp.ReadLane(v, x, 5)
		warp.ReadFirstLane(v, x)
	})
	require.NoError(t, err)
	var want []isa.Instr
	for _, r := range []isa.Instr{{Op: isa.RowMove}, {Op: isa.RowMove, B: src}, {Op: isa.Permute, B: at}, {Op: isa.Permute, B: at},
		{Op: isa.Permute}, {Op: isa.ReadLane}, {Op: isa.ReadLane}} {
		for word := range isa.Reg(2) {
			in := isa.Instr{Op: r.Op, Active: 64, Dst: dst + word, A: src + word, B: r.B}
			if r.Op == isa.RowMove && r.B != isa.NoReg {
				in.B = src + word
			}
			want = append(want, in)
		}
	}
	require.GreaterOrEqual(t, len(got), len(want))
	assert.Equal(t, want, got[:len(want)])
	assert.Positive(t, report.Cycles)
}

func TestRoutesRefuse(t *testing.T) {
	all := crossbar.RowWrite{Rows: 0xf, Banks: 0xf}
	type call = func(w *warp.Warp, v warp.Reg[int32])
	unsupported := map[string]call{
		"RowMove": func(_ *warp.Warp, v warp.Reg[int32]) { warp.RowMove(v, v, crossbar.RowMirror, all) },
		"RowApply": func(_ *warp.Warp, v warp.Reg[int32]) {
			warp.RowApply(v, v, v, crossbar.RowMirror, all, func(a, b int32) int32 { return a })
		},
		"Permute":       func(_ *warp.Warp, v warp.Reg[int32]) { warp.Permute(v, v, v) },
		"PermuteBack":   func(_ *warp.Warp, v warp.Reg[int32]) { warp.PermuteBack(v, v, v) },
		"Swizzle":       func(_ *warp.Warp, v warp.Reg[int32]) { warp.Swizzle(v, v, 0x1f) },
		"ReadLane":      func(_ *warp.Warp, v warp.Reg[int32]) { warp.ReadLane(v, v, 0) },
		"ReadFirstLane": func(_ *warp.Warp, v warp.Reg[int32]) { warp.ReadFirstLane(v, v) },
	}
	try := func(device string, lanes int, f call) (*warp.Report, error) {
		e := engine(t, device, warp.Config{ValuesOnly: true})
		return e.Run(context.Background(), one(lanes), func(w *warp.Warp) { f(w, value(w, int32(1))) })
	}
	for name, f := range unsupported {
		for _, device := range []string{"h200", "mtt-s4000"} {
			_, err := try(device, 32, f)
			assert.ErrorIs(t, err, warp.Unsupported, "%s on %s", name, device)
		}
		_, err := try("mi300x", 64, f)
		assert.NoError(t, err, name)
	}
	for name, f := range map[string]call{
		"no control": func(_ *warp.Warp, v warp.Reg[int32]) { warp.RowMove(v, v, crossbar.RowShiftLeft(16), all) },
	} {
		_, err := try("mi300x", 64, f)
		assert.ErrorIs(t, err, warp.BadInstruction, name)
		assert.ErrorAs(t, err, new(*crossbar.PatternError), name)
	}
	// What a shuffle warns of.
	found := func(r *warp.Report) (kinds []warp.FaultKind) {
		for _, f := range r.Faults {
			kinds = append(kinds, f.Kind)
		}
		return kinds
	}
	r, err := try("mi300x", 64, func(w *warp.Warp, v warp.Reg[int32]) {
		w.Under(lane.FirstN(3), func() { warp.Swizzle(v, v, 0x1f|1<<10) })
	})
	require.NoError(t, err)
	assert.Equal(t, []warp.FaultKind{warp.ReadInactive}, found(r))
	r, err = try("mi300x", 64, func(w *warp.Warp, v warp.Reg[int32]) { warp.ReadLane(v, v, 64) })
	require.NoError(t, err)
	assert.Equal(t, []warp.FaultKind{warp.OperandRange}, found(r))
}

// Arithmetic is all that can be booked or mapped.
func TestOnlyArithmeticIsBooked(t *testing.T) {
	for name, f := range map[string]func(w *warp.Warp, v warp.Reg[int32], op isa.Op){
		"Warp.Work": func(w *warp.Warp, v warp.Reg[int32], op isa.Op) { w.Work(op, 1) },
		"Map1": func(w *warp.Warp, v warp.Reg[int32], op isa.Op) {
			warp.Map1(v, v, op, func(x int32) int32 { return x })
		},
		"Map2": func(w *warp.Warp, v warp.Reg[int32], op isa.Op) {
			warp.Map2(v, v, v, op, func(x, _ int32) int32 { return x })
		},
	} {
		for op := isa.Invalid; op <= isa.NumOps; op++ {
			e := engine(t, "mi300x", warp.Config{ValuesOnly: true})
			_, err := e.Run(context.Background(), one(64), func(w *warp.Warp) { f(w, value(w, int32(1)), op) })
			if op.Computes() {
				assert.NoError(t, err, "%s of %s", name, op)
			} else {
				assert.ErrorIs(t, err, warp.BadInstruction, "%s of %s", name, op)
			}
		}
	}
}

// A generation has some patterns of row moves, and others end the kernel.
func TestRowMovesOfADevice(t *testing.T) {
	for _, c := range []struct {
		device  string
		control crossbar.RowControl
		has     bool
	}{
		{"mi300x", crossbar.RowBroadcast15, true},
		{"mi300x", crossbar.WaveShiftLeft, true},
		{"mi300x", crossbar.RowXor(3), false},
		{"mi50", crossbar.RowShare(3), false},
		{"rx6900xt", crossbar.RowXor(3), true},
		{"rx6900xt", crossbar.RowShare(3), true},
		{"rx6900xt", crossbar.RowBroadcast15, false},
		{"rx9070xt-wave64", crossbar.WaveRotateRight, false},
	} {
		e := engine(t, c.device, warp.Config{})
		_, err := e.Run(context.Background(), one(e.Device().Lanes), func(w *warp.Warp) {
			warp.RowMove(warp.Alloc[int32](w), w.LaneID(), c.control, crossbar.RowWrite{Rows: 0xf, Banks: 0xf})
		})
		if c.has {
			assert.NoError(t, err, "%s: %v", c.device, c.control)
			continue
		}
		require.ErrorIs(t, err, warp.Unsupported, "%s: %v", c.device, c.control)
		assert.ErrorContains(t, err, fmt.Sprintf("%s has no %v; use one of ", c.device, c.control))
	}
}

// Where a permutation reaches half of the warp only, an address names a lane of the
// own half.
func TestPermutationsReachTheOwnHalf(t *testing.T) {
	for device, reach := range map[string]int{"rx6900xt-wave64": 32, "rx7900xt-wave64": 32, "rx9070xt-wave64": 64, "mi300x": 64, "rx6900xt": 32} {
		e := engine(t, device, warp.Config{})
		_, err := e.Run(context.Background(), one(e.Device().Lanes), func(w *warp.Warp) {
			address, back, forth := warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w)
			warp.SetLanes(address, func(l int) int32 { return int32(4 * (l + 37)) })
			warp.PermuteBack(back, w.LaneID(), address)
			warp.Permute(forth, w.LaneID(), address)
			for l := range w.Width() {
				half := l &^ (reach - 1)
				assert.EqualValues(t, half|(l+37)&(reach-1), back.Lanes()[l], "%s, back, lane %d", device, l)
				assert.EqualValues(t, half|(l-37)&(reach-1), forth.Lanes()[l], "%s, forth, lane %d", device, l)
			}
		})
		require.NoError(t, err)
	}
}
