package sass

import (
	"fmt"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
)

var shuffles = map[string]struct {
	op   isa.Op
	mode crossbar.Mode
}{
	"IDX": {isa.ShflIdx, crossbar.Idx}, "UP": {isa.ShflUp, crossbar.Up},
	"DOWN": {isa.ShflDown, crossbar.Down}, "BFLY": {isa.ShflXor, crossbar.Xor},
}

// shuffle is SHFL: with an immediate segment it is an encoded instruction of a
// width, with one in a register the instruction set's own form.
func shuffle(in *Instr) step {
	a := in.args
	kind := shuffles[in.mods[0]]
	segment := a[4]
	if !segment.scalar() {
		return func(m *machine, pc int) (int, error) {
			s := warp.Shuffle{Mode: kind.mode, RawB: m.regs[a[3].n], RawC: m.regs[segment.n]}
			if a[0].n >= 0 {
				s.InRange = m.preds[a[0].n]
			}
			m.under(in, func() { warp.Shfl(m.regs[a[1].n], m.regs[a[2].n], s) })
			return pc + 1, nil
		}
	}
	width, ok := segmentWidth(kind.mode, segment.val)
	i := guarded(in, warp.Instruction{Op: kind.op, Type: warp.Uint32, Dst: regOf(a[1]), Dst2: regOf(a[0]),
		A: regOf(a[2]), B: regOf(a[3]), Imm: int64(a[3].val), Width: width})
	return func(m *machine, pc int) (int, error) {
		if !ok {
			return 0, fmt.Errorf("segment %#x is no width", segment.val)
		}
		return pc + 1, m.w.Issue(i)
	}
}

// segmentWidth returns the width that a segment operand is the code of.
func segmentWidth(mode crossbar.Mode, c uint32) (int, bool) {
	for w := 1; w <= lanes; w *= 2 {
		clamp := uint32(lanes - 1)
		if mode == crossbar.Up {
			clamp = 0
		}
		if c == uint32(lanes-w)<<8|clamp {
			return w, true
		}
	}
	return 0, false
}
