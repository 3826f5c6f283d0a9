package warp

import (
	"fmt"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp/isa"
)

// IssueFunc executes one encoded instruction that Issue has no meaning for, with
// the active lanes: the engine books op, guard and registers as they are, whatever
// they stand for, and compute does. It is called once, with the lanes that take
// part, and changes registers through Lanes and Define; what it
// writes beside Dst and Dst2 costs nothing. A result is undefined in the lanes in
// which an operand is.
//
// The op must be one that computes in registers, or reads a constant, a special
// register or the clock (which reads nothing, as values do not depend on time).
// The other fields of in have no effect. Errors are those of Issue.
func (f Front) IssueFunc(in Instruction, compute func(lanes lane.Mask)) error {
	w := f.w
	if w.run != nil && w.run.drive != nil {
		if err := w.checkDriven(&in); err != nil {
			return err
		}
	}
	if err := w.checkIssueFunc(&in, compute != nil); err != nil {
		return err
	}
	w.raw, w.encoded = true, true
	switch {
	case in.Guard != isa.NoReg:
		w.Where(w.predOf(in.Guard), func() { w.compute(&in, compute, nil) })
	case in.GuardNot != isa.NoReg:
		w.WhereNot(w.predOf(in.GuardNot), func() { w.compute(&in, compute, nil) })
	default:
		w.compute(&in, compute, nil)
	}
	return nil
}

// An Operation does what an instruction of a host's own means: it reads and writes
// registers by number, in the lanes that take part, through RegAt, PredAt and MaskAt.
// What of Dst and Dst2 is undefined the engine knows.
type Operation func(w *Warp, in Instruction, lanes lane.Mask)

// compute executes a checked instruction whose values f computes, or else own.
func (w *Warp) compute(in *Instruction, f func(lanes lane.Mask), own Operation) {
	undef := w.undefinedIn(in.A).Or(w.undefinedIn(in.B)).Or(w.undefinedIn(in.C))
	more := in.More != [3]isa.Reg{}
	if more {
		for _, r := range in.More {
			undef = undef.Or(w.undefinedIn(r))
		}
	}
	if own != nil {
		own(w, *in, w.active)
	} else {
		f(w.active)
	}
	w.result(in.Dst, undef)
	w.result(in.Dst2, undef)
	if more {
		w.record(isa.Instr{Op: isa.Nop, A: in.More[0], B: in.More[1], C: in.More[2]})
	}
	w.record(isa.Instr{Op: in.Op, Dst: in.Dst, Dst2: in.Dst2, A: in.A, B: in.B, C: in.C})
}

func (w *Warp) checkIssueFunc(in *Instruction, known bool) error {
	bad := func(format string, args ...any) error { return w.badInstruction(in, format, args...) }
	switch op := in.Op; {
	case !known:
		return bad("no function")
	case !op.Computes() && op != isa.LoadConst && (op < isa.ReadSpecial || op > isa.UniformToReg):
		return bad("does more than compute")
	}
	for _, o := range []struct {
		name string
		reg  isa.Reg
	}{{"Dst", in.Dst}, {"Dst2", in.Dst2}, {"A", in.A}, {"B", in.B}, {"C", in.C}, {"More", in.More[0]}, {"More", in.More[1]}, {"More", in.More[2]}} {
		if r := o.reg; r != isa.NoReg && !r.IsPredicate() && !r.IsUniform() {
			rows := 1
			if r.IsPair() {
				rows = 2
			}
			if row := r.Index() - 1; row < 0 || row+rows > w.rows {
				return bad("%s is %s, and a thread has %d registers", o.name, r, w.rows)
			}
		}
	}
	return w.checkGuard(in)
}

// undefinedIn returns the lanes in which a register of any sort is undefined.
func (w *Warp) undefinedIn(r isa.Reg) lane.Mask {
	switch {
	case r == isa.NoReg || r.IsUniform():
		return lane.Mask{}
	case r.IsPredicate():
		return w.predUndef[w.predOf(r).id]
	}
	m := *w.cells[r.Index()-1].undef
	if r.IsPair() {
		m = m.Or(*w.cells[r.Index()].undef)
	}
	return m
}

// result books that the active lanes of a register were written.
func (w *Warp) result(r isa.Reg, undef lane.Mask) {
	switch {
	case r == isa.NoReg || r.IsUniform():
	case r.IsPredicate():
		u := &w.predUndef[w.predOf(r).id]
		*u = u.AndNot(w.active).Or(undef.And(w.active))
	default:
		w.written(&w.cells[r.Index()-1], undef)
		if r.IsPair() {
			w.written(&w.cells[r.Index()], undef)
		}
	}
}

// badInstruction is the error of an encoded instruction.
func (w *Warp) badInstruction(in *Instruction, format string, args ...any) error {
	return &Fault{Kind: BadInstruction, Severity: SeverityError, Block: w.block.index, Warp: w.id,
		Width: w.lanes, Lanes: w.active, Site: w.callSite(), Count: 1,
		Detail: in.Op.String() + ": " + fmt.Sprintf(format, args...), Advice: "check the decoder"}
}
