package warp_test

import (
	"testing"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
	"github.com/stretchr/testify/assert"
)

func TestIssueFunc(t *testing.T) {
	r, p0 := isa.Row, isa.Predicate(0)
	recs := issuing(t, func(w *warp.Warp, issue func(warp.Instruction)) {
		a, b, d, e := warp.Alloc[uint32](w), warp.Alloc[uint32](w), warp.Alloc[uint32](w), warp.Alloc[uint32](w)
		p, q, m := w.Pred(), w.Pred(), w.MaskReg()
		warp.SetLanes(a, func(l int) uint32 { return uint32(l) })
		warp.SetPred(p, lane.FirstN(4))
		w.Under(lane.FirstN(31), func() { warp.Set(b, 5) })

		add := func(to lane.Mask) {
			for l := range to.Lanes() {
				d.Lanes()[l], e.Lanes()[l] = a.Lanes()[l]+b.Lanes()[l], 0
			}
			q.Define(to, to)
		}
		in := warp.Instruction{Op: isa.IAdd, Dst: isa.RowPair(2), Dst2: isa.Predicate(1), A: r(0), B: r(1)}
		assert.NoError(t, w.Front().IssueFunc(in, add))
		assert.Equal(t, uint32(35), d.Lanes()[30])
		assert.Equal(t, lane.Bit(31), d.Undefined(), "an operand is")
		assert.Equal(t, lane.Bit(31), e.Undefined())
		assert.Equal(t, lane.Bit(31), q.Undefined())

		warp.Set(d, 1)
		in.GuardNot, in.Dst, in.Dst2 = p0, r(2), isa.NoReg
		assert.NoError(t, w.Front().IssueFunc(in, add))
		assert.Equal(t, uint32(1), d.Lanes()[3])
		assert.Equal(t, uint32(9), d.Lanes()[4])

		assert.NoError(t, w.Front().IssueFunc(warp.Instruction{Op: isa.UniformALU, Dst: isa.Uniform(0)}, func(lane.Mask) {
			m.Define(lane.Mask{Lo: 3})
		}))
		assert.Equal(t, lane.FirstN(2), m.Mask())

		for _, c := range []struct {
			in     warp.Instruction
			reason string
		}{
			{warp.Instruction{Op: isa.BarSync}, "does more than compute"},
			{warp.Instruction{Op: isa.StoreShared}, "does more than compute"},
			{warp.Instruction{Op: isa.NumOps}, "does more than compute"},
			{warp.Instruction{Op: isa.Logic, Dst: r(255)}, "Dst is R255"},
			{warp.Instruction{Op: isa.Logic, Dst: isa.RowPair(254)}, "a thread has 255 registers"},
			{warp.Instruction{Op: isa.Logic, A: 0x7fff}, "A is"},
			{warp.Instruction{Op: isa.Logic, Guard: r(1)}, "Guard must be a predicate"},
			{warp.Instruction{Op: isa.Logic, Guard: p0, GuardNot: p0}, "exclude each other"},
		} {
			err := w.Front().IssueFunc(c.in, func(lane.Mask) { t.Error("called") })
			assert.ErrorIs(t, err, warp.BadInstruction)
			assert.ErrorContains(t, err, c.reason)
		}
		assert.ErrorContains(t, w.Front().IssueFunc(warp.Instruction{Op: isa.Logic}, nil), "no function")
	})
	assert.Equal(t, isa.Instr{Op: isa.IAdd, Active: 32, Dst: isa.RowPair(2), Dst2: isa.Predicate(1), A: r(0), B: r(1)}, recs[3])
	assert.Equal(t, isa.Instr{Op: isa.IAdd, Active: 28, Guard: 1, Dst: r(2), A: r(0), B: r(1)}, recs[5])
	assert.Len(t, recs, 7)
}
