package warp

import (
	"example.com/warpsim/lane"
	"example.com/warpsim/warp/isa"
)

// branchMask returns the active lanes in which p holds; an undefined predicate
// is a fault of kind UndefinedUse.
func (w *Warp) branchMask(p Pred, what string) lane.Mask {
	w.sameWarp(p.w)
	if u := w.predUndef[p.id].And(w.active); !u.Empty() && !w.repeated(UndefinedUse, u, lane.Mask{}, lane.Mask{}) {
		w.raise(Fault{Kind: UndefinedUse, Lanes: u, Detail: "undefined " + what,
			Advice: "compare defined values, in all lanes that are active here"})
	}
	return w.preds[p.id].And(w.active)
}

// branch appends the record of a branch of which taken of the active lanes
// jump.
func (w *Warp) branch(p isa.Reg, taken lane.Mask) {
	in := isa.Instr{Op: isa.Branch, A: p, Aux: isa.BranchDivergent}
	switch taken {
	case lane.Mask{}:
		in.Aux = isa.BranchNotTaken
	case w.active:
		in.Aux = isa.BranchTaken
	}
	w.record(in)
}

// turn appends the record of the branch of a loop that the lanes of stay go on with.
func (w *Warp) turn(p isa.Reg, stay lane.Mask) {
	if stay == w.active && !stay.Empty() {
		w.record(isa.Instr{Op: isa.Branch, A: p, Aux: isa.BranchTaken, Count: isa.LoopBranch})
	} else {
		w.branch(p, stay)
	}
}

// restore makes the lanes of m active again, less those that have exited or
// left the loop since.
func (w *Warp) restore(m lane.Mask) { w.setActive(m.And(w.live).AndNot(w.loopOff)) }

// If runs then with the lanes in which p holds active. The branch and the point
// of reconvergence cost what the device's profile says; then is not run if no
// lane takes it. Where exits the kernel inside then stay exited. Registers that
// then allocates are given back when it returns.
func (w *Warp) If(p Pred, then func()) { w.IfElse(p, then, nil) }

// IfElse runs then with the lanes in which p holds, and then els with the
// others. A part that no lane takes is not run; els may be nil. Registers that a
// part allocates are given back when it returns.
func (w *Warp) IfElse(p Pred, then, els func()) {
	before, guard, mark := w.active, w.guard(), w.Mark()
	taken := w.branchMask(p, "branch condition")
	rest := before.AndNot(taken)
	w.emit(isa.PushSync, isa.NoReg, isa.NoReg, isa.NoReg, isa.NoReg)
	w.branch(p.reg(), rest) // lanes that do not take the body jump over it
	w.setGuard(0)
	if !taken.Empty() {
		w.setActive(taken)
		then()
		w.endBody(mark)
		if els != nil && !w.active.Empty() {
			w.branch(isa.NoReg, w.active)
		}
	}
	if els != nil && !rest.Empty() {
		w.restore(rest)
		if !w.active.Empty() {
			els()
			w.endBody(mark)
		}
	}
	w.restore(before)
	w.setGuard(guard)
	w.emit(isa.Reconverge, isa.NoReg, isa.NoReg, isa.NoReg, isa.NoReg)
}

// Where runs body with the lanes in which p holds active, as predicated
// instructions: there is no branch, every instruction of the body is issued
// and waits for the predicate. Use it for a few instructions, as compilers do.
func (w *Warp) Where(p Pred, body func()) { w.predicated(p, body, false) }

// WhereNot runs body with the lanes in which p does not hold active, see Where.
func (w *Warp) WhereNot(p Pred, body func()) { w.predicated(p, body, true) }

func (w *Warp) predicated(p Pred, body func(), negated bool) {
	before, guard := w.active, w.guard()
	m := w.branchMask(p, "predicate of an instruction")
	if negated {
		m = before.AndNot(m)
	}
	w.setActive(m)
	w.setGuard(p.id + 1)
	body()
	w.setGuard(guard)
	w.restore(before)
}

// While runs body as long as cond holds in some lane, with the lanes in which
// it still does active. cond is evaluated once before every turn by the lanes
// that are still in the loop. Each turn costs a branch. Registers that cond and
// body allocate are given back at the end of the turn.
//
// In the order of a compiler (Config.Order) a loop is unrolled that counts by a constant, as
// AddImm does, in which all lanes stay together and that has no barrier. Of a stride that a
// compiler does not know, as a multiple of the block's size, add a register: such a loop
// has one turn after the other, and so one load under way instead of up to 16.
//
// A loop that waits for what no other warp will store is not named, as it is in kernels
// written per lane (package intrinsics): what a wide kernel's Go code decides by is not
// seen. Config.MaxInstructions, or the context of the run, ends it.
func (w *Warp) While(cond func() Pred, body func()) {
	before, guard, off, mark := w.active, w.guard(), w.loopOff, w.Mark()
	w.setGuard(0)
	w.loopOff = lane.Mask{}
	w.loops++
	w.emit(isa.PushSync, isa.NoReg, isa.NoReg, isa.NoReg, isa.NoReg)
	for {
		p := cond()
		stay := w.branchMask(p, "loop condition")
		w.turn(p.reg(), stay)
		if stay.Empty() {
			w.endBody(mark)
			break
		}
		w.setActive(stay)
		body()
		w.endBody(mark)
		w.loopOff = w.broken // those that only left the turn are back
		in := stay.And(w.live).AndNot(w.broken)
		if in.Empty() {
			break
		}
		w.setActive(in)
	}
	w.loops--
	w.broken, w.loopOff = w.broken.AndNot(before), off
	w.restore(before)
	w.setGuard(guard)
	w.emit(isa.Reconverge, isa.NoReg, isa.NoReg, isa.NoReg, isa.NoReg)
}

// Break takes the lanes in which p holds out of the innermost While. Outside of
// one it ends the kernel with a fault of kind BadInstruction.
func (w *Warp) Break(p Pred) {
	w.insideLoop("break")
	m := w.branchMask(p, "condition of a break")
	w.branch(p.reg(), m)
	w.broken = w.broken.Or(m)
	w.loopOff = w.loopOff.Or(m)
	w.restore(w.active)
}

// Continue takes the lanes in which p holds out of the present turn of the
// innermost While. Outside of one it ends the kernel with a fault of kind
// BadInstruction.
func (w *Warp) Continue(p Pred) {
	w.insideLoop("continue")
	m := w.branchMask(p, "condition of a continue")
	w.branch(p.reg(), m)
	w.loopOff = w.loopOff.Or(m)
	w.restore(w.active)
}

func (w *Warp) insideLoop(what string) {
	if w.loops == 0 {
		w.raise(Fault{Kind: BadInstruction, Lanes: w.active, Detail: what + " outside of a loop",
			Advice: "call it in the body of a While"})
	}
}

// Exit ends the kernel for the lanes in which p holds. They take no part in
// anything any more; barriers and member masks do not wait for them on devices
// whose rules say so. Exit does not return if no lane is left: the warp is done.
func (w *Warp) Exit(p Pred) { w.exit(p.reg(), w.branchMask(p, "condition of an exit")) }

func (w *Warp) exit(p isa.Reg, m lane.Mask) {
	w.record(isa.Instr{Op: isa.Exit, A: p})
	w.live = w.live.AndNot(m)
	if w.live.Empty() {
		if w.san != nil {
			w.san.endTree(w)
		}
		if w.group.driven() {
			w.restore(w.active)
			w.exited()
			return
		}
		panic(abort{})
	}
	w.restore(w.active)
}

// Jump costs the branch of a loop whose turns the kernel's Go code decides:
// the warp branches as one.
func (w *Warp) Jump() { w.turn(isa.NoReg, w.active) }

// Under runs body with exactly the live lanes of m active, at no cost: for
// hosts that keep track of divergence themselves. Inside, If and While narrow m further. A predicate of Where stays in
// force.
func (w *Warp) Under(m lane.Mask, body func()) {
	before := w.active
	w.setActive(m.And(w.live))
	body()
	w.restore(before)
}
