package warp_test

import (
	"context"
	"math"
	"testing"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What Issue takes beyond the typed functions: uniform registers, third addends,
// negated predicates, halves of 64-bit values, sets of lanes in rows.

// issuing runs a kernel of encoded instructions on one warp of the H200 and
// returns the records.
func issuing(t *testing.T, kernel func(w *warp.Warp, issue func(warp.Instruction))) []isa.Instr {
	t.Helper()
	var recs []isa.Instr
	e := engine(t, "h200", warp.Config{ValuesOnly: true, Observer: &warp.Observer{
		Instr: func(ev warp.InstrEvent) { recs = append(recs, ev.Instr) }}})
	_, err := e.Run(context.Background(), one(32), func(w *warp.Warp) {
		kernel(w, func(in warp.Instruction) { assert.NoError(t, w.Issue(in)) })
	})
	require.NoError(t, err)
	return recs
}

func lanesOf[T any](f func(l int) T) []T {
	v := make([]T, 32)
	for l := range v {
		v[l] = f(l)
	}
	return v
}

func TestIssueUniformOperands(t *testing.T) {
	r, u := isa.Row, isa.Uniform
	recs := issuing(t, func(w *warp.Warp, issue func(warp.Instruction)) {
		x, y, d := warp.Alloc[int32](w), warp.Alloc[float32](w), warp.Alloc[int32](w)
		p, m := w.Pred(), w.MaskReg()
		warp.SetLanes(x, func(l int) int32 { return int32(l) })
		warp.SetLanes(y, func(l int) float32 { return float32(l) })
		m.Define(lane.Mask{Lo: 1<<40 | 7}) // of 64 bits only the low ones count
		check := func(want func(l int) int32) { assert.Equal(t, lanesOf(want), d.Lanes()) }

		issue(warp.Instruction{Op: isa.Mov, Type: warp.Int32, Dst: r(2), A: u(0)})
		check(func(l int) int32 { return 7 })
		issue(warp.Instruction{Op: isa.IAdd, Type: warp.Int32, Dst: r(2), A: r(0), B: u(0), C: r(0)})
		check(func(l int) int32 { return int32(2*l + 7) })
		issue(warp.Instruction{Op: isa.IAdd, Type: warp.Int32, Variant: 1, Dst: r(2), A: u(0), B: r(0), C: u(0)})
		check(func(l int) int32 { return int32(14 - l) })
		issue(warp.Instruction{Op: isa.IMul, Type: warp.Int32, Dst: r(2), A: r(0), Imm: 3, C: u(0)})
		check(func(l int) int32 { return int32(3*l + 7) })
		issue(warp.Instruction{Op: isa.Logic, Type: warp.Int32, Dst: r(2), A: r(0), B: u(0)})
		check(func(l int) int32 { return int32(l & 7) })
		issue(warp.Instruction{Op: isa.ICmp, Type: warp.Int32, Variant: 4, Dst: isa.Predicate(0), A: u(0), Imm: 7})
		assert.True(t, p.Mask().Empty(), "7 > 7")
		issue(warp.Instruction{Op: isa.ICmp, Type: warp.Int32, Variant: 4, Dst: isa.Predicate(0), A: r(0), B: u(0)})
		assert.Equal(t, lane.Range(8, 32), p.Mask())
		issue(warp.Instruction{Op: isa.Select, Type: warp.Int32, Dst: r(2), A: r(0), B: u(0), C: isa.Predicate(0)})
		check(func(l int) int32 { return max(int32(l), 7) })

		m.Define(lane.Mask{Lo: uint64(math.Float32bits(0.5))})
		issue(warp.Instruction{Op: isa.FFma, Dst: r(1), A: r(1), B: u(0), C: r(1)})
		assert.Equal(t, lanesOf(func(l int) float32 { return 1.5 * float32(l) }), y.Lanes())
	})
	assert.Equal(t, isa.Instr{Op: isa.Mov, Active: 32, Aux: 1, Dst: r(2), A: u(0)}, recs[2])
	assert.Equal(t, isa.Instr{Op: isa.IAdd, Active: 32, Dst: r(2), A: r(0), B: u(0), C: r(0)}, recs[3])
	assert.Equal(t, isa.Instr{Op: isa.IMul, Active: 32, Dst: r(2), A: r(0), B: isa.Constant(3), C: u(0)}, recs[5])
	assert.Equal(t, isa.Instr{Op: isa.FFma, Active: 32, Dst: r(1), A: r(1), B: u(0), C: r(1)}, recs[len(recs)-1])
}

func TestIssueNegatedPredicates(t *testing.T) {
	r, p0, p1 := isa.Row, isa.Predicate(0), isa.Predicate(1)
	issuing(t, func(w *warp.Warp, issue func(warp.Instruction)) {
		x, d := warp.Alloc[int32](w), warp.Alloc[uint32](w)
		p, q, m := w.Pred(), w.Pred(), w.MaskReg()
		warp.SetLanes(x, func(l int) int32 { return int32(l) })
		warp.SetPred(p, lane.FirstN(8))
		warp.SetPred(q, lane.Mask{})

		issue(warp.Instruction{Op: isa.Ballot, Dst: isa.Uniform(0), A: p0, Not: true})
		assert.Equal(t, lane.Range(8, 32), m.Mask())
		issue(warp.Instruction{Op: isa.Select, Type: warp.Int32, Dst: r(1), A: r(0), Imm: 40, C: p0, Not: true})
		assert.Equal(t, lanesOf(func(l int) uint32 {
			if l < 8 {
				return 40
			}
			return uint32(l)
		}), d.Lanes())
		issue(warp.Instruction{Op: isa.Vote, Variant: uint8(warp.VoteAll), Dst: p1, A: p1, Not: true, Guard: p0})
		assert.Equal(t, lane.FirstN(8), q.Mask(), "the other lanes keep what they had")
		issue(warp.Instruction{Op: isa.BarRed, Dst: r(1), A: p0, Not: true})
		assert.Equal(t, uint32(24), d.Lanes()[31])
		issue(warp.Instruction{Op: isa.BarRed, Variant: 1, Dst: p1, A: p0, Not: true})
		assert.True(t, q.Mask().Empty())
		issue(warp.Instruction{Op: isa.BarRed, Variant: 2, Dst: p1, A: p0})
		assert.Equal(t, lane.FirstN(32), q.Mask())
		assert.Equal(t, lane.FirstN(8), p.Mask(), "operands stay what they are")
		issue(warp.Instruction{Op: isa.Exit, A: p0, Not: true})
		assert.Equal(t, lane.FirstN(8), w.Live())
		issue(warp.Instruction{Op: isa.Exit})
		t.Error("the warp is over")
	})
}

func TestIssueHalves(t *testing.T) {
	pair := isa.RowPair
	recs := issuing(t, func(w *warp.Warp, issue func(warp.Instruction)) {
		var rows [6]warp.Reg[uint32]
		for i := range rows {
			rows[i] = warp.Alloc[uint32](w)
		}
		p, m := w.Pred(), w.MaskReg()
		put := func(i int, f func(l int) uint64) {
			warp.SetLanes(rows[i], func(l int) uint32 { return uint32(f(l)) })
			warp.SetLanes(rows[i+1], func(l int) uint32 { return uint32(f(l) >> 32) })
		}
		check := func(i int, want func(l int) uint64) {
			for l := range 32 {
				assert.Equal(t, want(l), uint64(rows[i+1].Lanes()[l])<<32|uint64(rows[i].Lanes()[l]), l)
			}
		}
		f64 := math.Float64bits
		put(0, func(l int) uint64 { return f64(float64(l) / 3) })
		put(2, func(l int) uint64 { return f64(float64(l)) })
		m.Define(lane.Mask{Lo: f64(2)})
		issue(warp.Instruction{Op: isa.DAdd, Dst: pair(4), A: pair(0), B: pair(2), Halves: true})
		check(4, func(l int) uint64 { return f64(float64(l)/3 + float64(l)) })
		issue(warp.Instruction{Op: isa.DFma, Dst: pair(0), A: pair(0), B: isa.Uniform(0), C: pair(2), Halves: true})
		check(0, func(l int) uint64 { return f64(math.FMA(float64(l)/3, 2, float64(l))) })
		issue(warp.Instruction{Op: isa.DCmp, Variant: 4, Dst: isa.Predicate(0), A: pair(2), B: isa.Uniform(0), Halves: true})
		assert.Equal(t, lane.Range(3, 32), p.Mask())
		put(0, func(l int) uint64 { return uint64(l) << 31 })
		issue(warp.Instruction{Op: isa.IAdd, Type: warp.Uint64, Dst: pair(0), A: pair(0), B: pair(0), Halves: true, Guard: isa.Predicate(0)})
		check(0, func(l int) uint64 {
			if l < 3 {
				return uint64(l) << 31
			}
			return uint64(l) << 32
		})
		issue(warp.Instruction{Op: isa.ShflXor, Type: warp.Uint64, Dst: pair(0), A: pair(2), Imm: 1, Halves: true})
		check(0, func(l int) uint64 { return f64(float64(l ^ 1)) })

		// A lane is undefined if either half is, and then both are.
		fresh := warp.Alloc[uint32](w)
		warp.Alloc[uint32](w)
		warp.Set(fresh, 1)
		issue(warp.Instruction{Op: isa.Mov, Type: warp.Uint64, Dst: pair(4), A: pair(6), Halves: true})
		assert.Equal(t, lane.FirstN(32), rows[4].Undefined())
		assert.Equal(t, lane.FirstN(32), rows[5].Undefined())
		// Lanes that take no part keep what they have.
		warp.Set(rows[4], 1)
		issue(warp.Instruction{Op: isa.Mov, Type: warp.Uint64, Dst: pair(4), A: pair(2), Halves: true, Guard: isa.Predicate(0)})
		assert.Equal(t, lane.Mask{}, rows[4].Undefined())
		assert.Equal(t, lane.FirstN(3), rows[5].Undefined())
		assert.Equal(t, uint32(1), rows[4].Lanes()[2])
	})
	assert.Equal(t, isa.Instr{Op: isa.DAdd, Active: 32, Aux: 10, Dst: pair(4), A: pair(0), B: pair(2)}, recs[4])
}
