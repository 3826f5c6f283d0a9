package warp_test

import (
	"context"
	"testing"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var fetches = []crossbar.RowFetch{{}, {ZeroFill: true}, {FetchInactive: true}, {ZeroFill: true, FetchInactive: true}}

// tryPermLanes holds the permutations of rows against what the instruction set's text
// says of each lane, for active lanes of every kind.
func tryPermLanes[T comparable](t *testing.T, w *warp.Warp, value func(k, l int) T) {
	var zero T
	n := w.Width()
	const selectors = 0x0f1e2d3c4b5a6978
	nibble := func(l int) int { return int(uint64(selectors) >> (4 * (l % 16)) & 15) }
	for _, active := range activeSets(n) {
		mark := w.Mark()
		a := operand(w, 0, func(l int) T { return value(0, l) })
		perLane := warp.Alloc[int32](w)
		warp.SetLanes(perLane, func(l int) int32 { return int32(-3 * l) })
		for _, f := range fetches {
			// expect checks dst, which held operand k, of which the lanes of written were
			// to take lane from(l) of operand src.
			expect := func(what string, dst warp.Reg[T], k, src int, written lane.Mask, f crossbar.RowFetch, from func(l int) int) {
				t.Helper()
				var undef lane.Mask
				want := make([]T, n)
				for l := range n {
					at, of, bad := l, k, undefinedIn(k, n).Has(l)
					want[l] = value(of, at)
					if active.Has(l) && written.Has(l) {
						switch s := from(l); {
						case active.Has(s) || f.FetchInactive:
							want[l], bad = value(src, s), undefinedIn(src, n).Has(s)
						case f.ZeroFill:
							want[l], bad = zero, false
						}
					}
					if bad {
						undef = undef.With(l)
					}
				}
				check(t, w, what, dst, undef, func(l int) T { return want[l] })
			}
			all := lane.FirstN(n)
			for _, across := range []int{0, 16} {
				d, e := operand(w, 4, func(l int) T { return value(4, l) }), operand(w, 4, func(l int) T { return value(4, l) })
				w.Under(active, func() {
					warp.PermuteRow(d, a, selectors, across != 0, f)
					warp.PermuteRowLanes(e, a, perLane, across != 0, f)
				})
				expect("PermuteRow", d, 4, 0, all, f, func(l int) int { return (l/16*16 + nibble(l)) ^ across })
				expect("PermuteRowLanes", e, 4, 0, all, f, func(l int) int { return (l/16*16 + -3*l&15) ^ across })
			}
			exchanges := map[int]func(a, b warp.Reg[T], f crossbar.RowFetch){16: warp.ExchangeRows[T]}
			if n == 64 {
				exchanges[32] = warp.ExchangeHalves[T]
			}
			for block, exchange := range exchanges {
				x, y := operand(w, 0, func(l int) T { return value(0, l) }), operand(w, 4, func(l int) T { return value(4, l) })
				w.Under(active, func() { exchange(x, y, f) })
				var upper lane.Mask
				for l := range n {
					if l/block%2 == 1 {
						upper = upper.With(l)
					}
				}
				expect("the first of an exchange", x, 0, 4, upper, f, func(l int) int { return l - block })
				expect("the second of an exchange", y, 4, 0, upper.Not(n), f, func(l int) int { return l + block })
			}
			d := operand(w, 4, func(l int) T { return value(4, l) })
			w.Under(active, func() { warp.SwapHalves(d, a) })
			if n == 64 {
				expect("SwapHalves", d, 4, 0, all, crossbar.RowFetch{FetchInactive: true}, func(l int) int { return l ^ 32 })
			} else {
				expect("SwapHalves", d, 4, 0, lane.Mask{}, f, nil)
			}
			// In place.
			d = operand(w, 0, func(l int) T { return value(0, l) })
			w.Under(active, func() { warp.PermuteRow(d, d, selectors, true, f) })
			expect("PermuteRow in place", d, 0, 0, all, f, func(l int) int { return (l/16*16 + nibble(l)) ^ 16 })
		}
		d := operand(w, 4, func(l int) T { return value(4, l) })
		w.Under(active, func() {
			warp.WriteLane(d, 3, value(9, 1))
			warp.WriteLane(d, n-1, value(9, 2))
		})
		check(t, w, "WriteLane", d, undefinedIn(4, n).Without(3).Without(n-1), func(l int) T {
			switch l {
			case 3:
				return value(9, 1)
			case n - 1:
				return value(9, 2)
			}
			return value(4, l)
		})
		w.Release(mark)
	}
}

func TestPermutationsOfRows(t *testing.T) {
	for _, lanes := range []int{32, 64} {
		p, err := device.Custom(lanes)
		require.NoError(t, err)
		e := newEngine(t, warp.Config{Device: p, ValuesOnly: true})
		_, err = e.Run(context.Background(), one(lanes), func(w *warp.Warp) {
			tryPermLanes(t, w, func(k, l int) uint8 { return uint8(k*50 + l) })
			tryPermLanes(t, w, func(k, l int) int32 { return int32(k*1000 + l) })
			tryPermLanes(t, w, func(k, l int) float64 { return float64(k) + float64(l)/8 })
			tryPermLanes(t, w, func(k, l int) [3]uint32 { return [3]uint32{uint32(k), uint32(l), 7} })
		})
		require.NoError(t, err)
	}
}

// A reduction without shared memory or shuffles, the way of the RDNA compilers: by
// permutations of rows, then of halves.
func TestReductionByPermutationsOfRows(t *testing.T) {
	for _, name := range []string{"rx6900xt", "rx7900xt-wave64", "rx9070xt"} {
		e := engine(t, name, warp.Config{})
		n := e.Device().Lanes
		r, err := e.Run(context.Background(), one(n), func(w *warp.Warp) {
			v, u := warp.Alloc[int32](w), warp.Alloc[int32](w)
			warp.Mov(v, w.LaneID())
			for d := uint64(1); d < 16; d *= 2 {
				sel := uint64(0)
				for i := range uint64(16) {
					sel |= (i ^ d) << (4 * i)
				}
				warp.PermuteRow(u, v, sel, false, crossbar.RowFetch{})
				warp.Add(v, v, u)
			}
			warp.PermuteRow(u, v, 0xfedcba9876543210, true, crossbar.RowFetch{})
			warp.Add(v, v, u)
			if n == 64 {
				warp.SwapHalves(u, v)
				warp.Add(v, v, u)
			}
			for _, x := range v.Lanes() {
				require.EqualValues(t, n*(n-1)/2, x)
			}
		})
		require.NoError(t, err, name)
		assert.EqualValues(t, 5+n/64, r.Count(isa.PermLane))
	}
}

// Each is one record a word; an exchange writes two registers, which what follows
// waits for.
func TestPermutationsOfRowsAreInstructions(t *testing.T) {
	var got []isa.Instr
	e := engine(t, "custom-64", warp.Config{Observer: &warp.Observer{Instr: func(ev warp.InstrEvent) {
		if ev.Instr.Op == isa.PermLane || ev.Instr.Op == isa.WriteLane {
			got = append(got, ev.Instr)
			assert.NotNil(t, ev.Sources)
		}
	}}})
	var a, b, at isa.Reg
	_, err := e.Run(context.Background(), one(64), func(w *warp.Warp) {
		v, x, sel := value(w, int64(1)), value(w, int64(2)), value(w, int32(0))
		a, b, at = isa.Row(v.Row()), isa.Row(x.Row()), isa.Row(sel.Row())
		warp.PermuteRow(v, x, 0, false, crossbar.RowFetch{})
		warp.PermuteRowLanes(v, x, sel, false, crossbar.RowFetch{})
		warp.SwapHalves(v, x)
		warp.ExchangeRows(v, x, crossbar.RowFetch{})
		warp.WriteLane(v, 5, 1)
	})
	require.NoError(t, err)
	var want []isa.Instr
	for _, r := range []isa.Instr{{Op: isa.PermLane, A: b}, {Op: isa.PermLane, A: b, B: at}, {Op: isa.PermLane, A: b},
		{Op: isa.PermLane, A: a, B: b, Dst2: b}, {Op: isa.WriteLane, A: a}} {
		for word := range isa.Reg(2) {
			in := isa.Instr{Op: r.Op, Active: 64, Dst: a + word, A: r.A + word, B: r.B}
			if r.Dst2 != isa.NoReg {
				in.Dst2, in.B = b+word, b+word
			}
			want = append(want, in)
		}
	}
	assert.Equal(t, want, got)
}

// A generation has some of them, and others end the kernel with their name.
func TestPermutationsOfADevice(t *testing.T) {
	calls := map[string]func(w *warp.Warp, v, u warp.Reg[int32]){
		"permlane16":      func(_ *warp.Warp, v, u warp.Reg[int32]) { warp.PermuteRow(v, u, 0, false, crossbar.RowFetch{}) },
		"permlanex16":     func(_ *warp.Warp, v, u warp.Reg[int32]) { warp.PermuteRow(v, u, 0, true, crossbar.RowFetch{}) },
		"permlane16_var":  func(_ *warp.Warp, v, u warp.Reg[int32]) { warp.PermuteRowLanes(v, u, u, false, crossbar.RowFetch{}) },
		"permlanex16_var": func(_ *warp.Warp, v, u warp.Reg[int32]) { warp.PermuteRowLanes(v, u, u, true, crossbar.RowFetch{}) },
		"permlane64":      func(_ *warp.Warp, v, u warp.Reg[int32]) { warp.SwapHalves(v, u) },
		"permlane16_swap": func(_ *warp.Warp, v, u warp.Reg[int32]) { warp.ExchangeRows(v, u, crossbar.RowFetch{}) },
		"permlane32_swap": func(_ *warp.Warp, v, u warp.Reg[int32]) { warp.ExchangeHalves(v, u, crossbar.RowFetch{}) },
		"writelane":       func(_ *warp.Warp, v, _ warp.Reg[int32]) { warp.WriteLane(v, 1, 2) },
	}
	rows := []string{"permlane16", "permlanex16", "writelane"}
	for name, has := range map[string][]string{
		"mi50": {"writelane"}, "mi100": {"writelane"}, "mi250x": {"writelane"}, "mi300x": {"writelane"},
		"mi355x":   {"writelane", "permlane16_swap", "permlane32_swap"},
		"rx5700xt": rows, "rx5700xt-wave64": rows, "rx6900xt": rows, "rx6900xt-wave64": rows,
		"rx7900xt": append(rows[:3:3], "permlane64"), "rx7900xt-wave64": append(rows[:3:3], "permlane64"),
		"rx9070xt-wave64": append(rows[:3:3], "permlane64", "permlane16_var", "permlanex16_var"),
		"h200":            {}, "v100": {}, "mtt-s4000": {}, "apple-m1-max": {}, "xe": {}, "adreno-660": {},
	} {
		for call, f := range calls {
			e := engine(t, name, warp.Config{})
			_, err := e.Run(context.Background(), one(e.Device().Lanes), func(w *warp.Warp) {
				u := warp.Alloc[int32](w)
				warp.Mov(u, w.LaneID())
				f(w, value(w, int32(0)), u)
			})
			if assert.ObjectsAreEqual(true, contains(has, call)) {
				assert.NoError(t, err, "%s: %s", name, call)
				continue
			}
			require.ErrorIs(t, err, warp.Unsupported, "%s: %s", name, call)
			if call != "writelane" {
				assert.ErrorContains(t, err, name+" has no "+call)
			}
		}
	}
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func TestPermutationsOfRowsRefuse(t *testing.T) {
	for name, c := range map[string]struct {
		lanes int
		call  func(w *warp.Warp, v warp.Reg[int32])
		kind  warp.FaultKind
	}{
		"narrow":  {16, func(_ *warp.Warp, v warp.Reg[int32]) { warp.PermuteRow(v, v, 0, false, crossbar.RowFetch{}) }, warp.BadInstruction},
		"halves":  {32, func(_ *warp.Warp, v warp.Reg[int32]) { warp.ExchangeHalves(v, v, crossbar.RowFetch{}) }, warp.BadInstruction},
		"itself":  {64, func(_ *warp.Warp, v warp.Reg[int32]) { warp.ExchangeRows(v, v, crossbar.RowFetch{}) }, warp.BadArgument},
		"fixed":   {64, func(w *warp.Warp, v warp.Reg[int32]) { warp.PermuteRow(w.LaneID(), v, 0, false, crossbar.RowFetch{}) }, warp.BadArgument},
		"fixed 2": {64, func(w *warp.Warp, v warp.Reg[int32]) { warp.ExchangeRows(v, w.LaneID(), crossbar.RowFetch{}) }, warp.BadArgument},
		"undefined": {64, func(w *warp.Warp, v warp.Reg[int32]) {
			warp.PermuteRowLanes(v, v, warp.Alloc[int32](w), false, crossbar.RowFetch{})
		}, warp.UndefinedUse},
		"beyond": {64, func(_ *warp.Warp, v warp.Reg[int32]) { warp.WriteLane(v, 64, 1) }, warp.OperandRange},
	} {
		p, err := device.Custom(c.lanes)
		require.NoError(t, err)
		e := newEngine(t, warp.Config{Device: p, ValuesOnly: true, Faults: warp.Strict})
		r, err := e.Run(context.Background(), one(c.lanes), func(w *warp.Warp) { c.call(w, value(w, int32(1))) })
		if c.kind == warp.OperandRange {
			require.NoError(t, err, name)
			require.Len(t, r.Faults, 1, name)
			assert.Equal(t, c.kind, r.Faults[0].Kind, name)
			continue
		}
		assert.ErrorIs(t, err, c.kind, name)
	}
}
