package warp_test

import (
	"testing"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
	"github.com/stretchr/testify/assert"
)

func TestIssueSetsOfLanes(t *testing.T) {
	r, u := isa.Row, isa.Uniform
	recs := issuing(t, func(w *warp.Warp, issue func(warp.Instruction)) {
		x, d := warp.Alloc[int32](w), warp.Alloc[uint32](w)
		p, m := w.Pred(), w.MaskReg()
		warp.SetLanes(x, func(l int) int32 { return int32(l % 3) })
		warp.Set(d, 9)
		warp.SetPred(p, lane.FirstN(4))
		issue(warp.Instruction{Op: isa.Ballot, Dst: r(1), A: isa.Predicate(0)})
		assert.Equal(t, lanesOf(func(int) uint32 { return 0xf }), d.Lanes())
		issue(warp.Instruction{Op: isa.Ballot, Dst: r(1), GuardNot: isa.Predicate(0)})
		assert.Equal(t, uint32(0xfffffff0), d.Lanes()[4], "the active lanes")
		assert.Equal(t, uint32(0xf), d.Lanes()[3])
		issue(warp.Instruction{Op: isa.MatchAny, Type: warp.Int32, Dst: r(1), A: r(0)})
		assert.Equal(t, lanesOf(func(l int) uint32 { return 0x49249249 << (l % 3) }), d.Lanes())
		issue(warp.Instruction{Op: isa.MatchAll, Type: warp.Int32, Dst: r(1), Dst2: isa.Predicate(0), A: r(0)})
		assert.Equal(t, lanesOf(func(int) uint32 { return 0 }), d.Lanes())
		assert.True(t, p.Mask().Empty())
		issue(warp.Instruction{Op: isa.MatchAll, Type: warp.Int32, Dst: r(0), Dst2: isa.Predicate(0), A: r(1)})
		assert.Equal(t, int32(-1), x.Lanes()[31])
		assert.Equal(t, lane.FirstN(32), p.Mask())
		issue(warp.Instruction{Op: isa.Redux, Type: warp.Int32, Variant: uint8(warp.ReduxAdd), Dst: u(0), A: r(0)})
		assert.Equal(t, uint64(0xffffffe0), m.Mask().Lo)
		issue(warp.Instruction{Op: isa.Elect, Dst: isa.Predicate(0)})
		assert.Equal(t, lane.Bit(0), p.Mask())
	})
	assert.Equal(t, isa.Instr{Op: isa.MatchAny, Active: 32, Dst: r(1), A: r(0), Count: 3}, recs[5])
	assert.Equal(t, isa.Instr{Op: isa.MatchAll, Active: 32, Dst: r(1), Dst2: isa.Predicate(0), A: r(0), Count: 1}, recs[6])
	assert.Equal(t, isa.Instr{Op: isa.Redux, Active: 32, Dst: u(0), A: r(0)}, recs[8])
	assert.Len(t, recs, 10)
}
