package warp

import (
	"example.com/warpsim/lane"
	"example.com/warpsim/warp/isa"
)

// Book issues an instruction of an op that only computes in registers, for all active
// lanes, and changes no value: for a front whose kernels compute outside of registers
// and say what that would cost. dst is written and the others are read; each may be
// none. It counts for [Report.Booked]. An op that does more than compute ends the
// kernel with a fault of kind BadInstruction. guard is a predicate that it waits for
// before it is issued, or none.
func (f Front) Book(op isa.Op, guard, dst, a, b, c isa.Reg) {
	w := f.w
	w.mustCompute(op)
	w.booked++
	if !guard.IsPredicate() {
		w.emit(op, dst, a, b, c)
		return
	}
	before := w.guard()
	w.setGuard(uint8(guard-isa.Predicate(0)) + 1)
	w.emit(op, dst, a, b, c)
	w.setGuard(before)
}

// BookBranch is Book for a branch on a predicate, by which the lanes of taken jump.
func (f Front) BookBranch(p isa.Reg, taken lane.Mask) {
	f.w.booked++
	f.w.turn(p, taken)
}

// PerLane notes that the kernel computes outside of registers, see [Report.PerLane].
func (f Front) PerLane() { f.w.lanewise = true }

// Register returns a predicate as instruction records name it.
func (f Front) Register(p Pred) isa.Reg { return p.reg() }

// Result returns the register that the last instruction has written, or none.
func (f Front) Result() isa.Reg {
	if f.w.n == 0 {
		return isa.NoReg
	}
	return f.w.buf[f.w.n-1].Dst
}

// Registers returns how many 32-bit registers a thread has.
func (f Front) Registers() int { return f.w.rows }
