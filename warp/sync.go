package warp

import (
	"fmt"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
)

// SyncWarp makes the lanes of mask wait for each other and orders their
// accesses to memory. The rules for the mask are those of Shfl.
func (w *Warp) SyncWarp(mask lane.Mask) {
	mask = w.members(mask)
	if w.san != nil {
		w.san.syncWarp(w, mask)
	}
	w.emit(isa.WarpSync, isa.NoReg, isa.NoReg, isa.NoReg, isa.NoReg)
}

// SyncBlock waits until all warps of the block have come here and orders their
// accesses to memory. Reached by some lanes of a warp only, it is a fault of
// kind BarrierDivergent; so it is under Config.Sanitize if other warps wait at
// another SyncBlock in the source, as in the sides of an if: languages leave that
// undefined, though warps are counted and go on.
func (w *Warp) SyncBlock() {
	w.enterBlockBarrier()
	w.record(isa.Instr{Op: isa.BarSync})
	w.leaveBarrier(w.waitAt(0, 0, 0, true, false))
}

// SyncCount is SyncBlock, and sets dst to the number of threads of the block in
// which p holds.
func SyncCount(dst Reg[int32], p Pred) {
	dst.w.syncReduce(p, dst.id, reduceCount)
}

// SyncAnd is SyncBlock, and sets dst to whether p holds in all threads of the
// block.
func SyncAnd(dst, p Pred) {
	dst.w.syncReduce(p, dst.reg(), reduceAnd)
}

// SyncOr is SyncBlock, and sets dst to whether p holds in any thread of the
// block.
func SyncOr(dst, p Pred) {
	dst.w.syncReduce(p, dst.reg(), reduceOr)
}

func (w *Warp) broadcastPred(p Pred, v bool) {
	m := lane.Mask{}
	if v {
		m = w.active
	}
	w.preds[p.id] = w.preds[p.id].AndNot(w.active).Or(m)
	w.predUndef[p.id] = w.predUndef[p.id].AndNot(w.active)
}

// A barrierReduction is what a barrier finds out of a predicate.
type barrierReduction uint8

const (
	reduceNothing barrierReduction = iota
	reduceCount
	reduceAnd
	reduceOr
)

func (w *Warp) syncReduce(p Pred, dst isa.Reg, what barrierReduction) {
	m := w.branchMask(p, "predicate of a barrier")
	w.enterBlockBarrier()
	w.record(isa.Instr{Op: isa.BarRed, Dst: dst, A: p.reg()})
	bar := w.waitAt(0, 0, m.Count(), m == w.active, !m.Empty())
	if w.state == stateAtBarrier {
		w.awaits, w.awaitsIn = what, dst // see passBarrier
		return
	}
	w.leaveBarrier(bar)
	w.reduced(bar, dst, what)
}

// reduced puts what a barrier has found into a register.
func (w *Warp) reduced(bar *barrier, dst isa.Reg, what barrierReduction) {
	switch what {
	case reduceCount:
		d := rowOf[int32](w, dst)
		for i := range w.active.Lanes() {
			vals(d)[i] = int32(bar.resultCount)
		}
		w.setDefined(d.cell)
	case reduceAnd:
		w.broadcastPred(w.predOf(dst), bar.resultAnd)
	case reduceOr:
		w.broadcastPred(w.predOf(dst), bar.resultOr)
	}
}

// Barrier waits at the block's barrier of the given number until as many
// threads as named have arrived, whole warps counted. 0 threads stands for the
// whole block. Warps that name different numbers, a number that is no multiple
// of the warp, and a barrier that the device does not have are faults of kind
// BarrierMismatch.
func (w *Warp) Barrier(id, threads int) {
	want := w.barrierWarps(id, threads)
	w.enterBarrier(id)
	w.record(isa.Instr{Op: isa.BarSync, Aux: uint8(id), Count: uint16(want)})
	bar := w.waitAt(id, want, 0, true, false)
	if want == 0 {
		w.leaveBarrier(bar)
	}
}

// Arrive counts the warp at a barrier like Barrier, but does not wait.
func (w *Warp) Arrive(id, threads int) {
	want := w.barrierWarps(id, threads)
	w.enterBarrier(id)
	w.record(isa.Instr{Op: isa.BarArrive, Aux: uint8(id), Count: uint16(want)})
	if bar, complete := w.arrive(id, want, 0, true, false); complete {
		if w.san != nil {
			w.san.complete(id, nil)
		}
		w.block.release(bar)
	}
}

func (w *Warp) barrierWarps(id, threads int) int {
	n := len(w.block.bars)
	bad := func(format string, args ...any) {
		w.raise(Fault{Kind: BarrierMismatch, Lanes: w.active, Detail: fmt.Sprintf(format, args...),
			Advice: fmt.Sprintf("use barriers 0 to %d with a multiple of %d threads, at most the block's", n-1, w.lanes)})
		panic(abort{})
	}
	if id < 0 || id >= n {
		bad("barrier %d, and %s has %d", id, w.Device().Name, n)
	}
	if threads < 0 || threads%w.lanes != 0 || threads > w.run.warps*w.lanes {
		bad("a barrier of %d threads", threads)
	}
	return threads / w.lanes
}

// enterBlockBarrier is enterBarrier for a barrier that all warps have to reach at one
// place in the source.
func (w *Warp) enterBlockBarrier() {
	w.enterBarrier(0)
	if w.san != nil && w.san.check {
		w.san.checkPlace(w)
	}
}

// enterBarrier checks that the warp reaches a block barrier as one.
func (w *Warp) enterBarrier(id int) {
	if missing := w.live.AndNot(w.active); !missing.Empty() && !w.repeated(BarrierDivergent, w.active, missing, lane.Mask{}) {
		w.raise(Fault{Kind: BarrierDivergent, Lanes: w.active, Missing: missing,
			Detail: fmt.Sprintf("barrier %d; lanes %s of the warp are elsewhere", id, missing.Ranges()),
			Advice: "move the barrier out of the branch"})
	}
	if w.checkPassed(id) {
		return
	}
	rules := &w.run.engine.profile.Rules
	if rules.BarrierExited == device.ExitedError {
		if gone := w.run.liveLanes(w.id).AndNot(w.live); !gone.Empty() && !w.repeated(BarrierDivergent, w.active, gone, lane.Mask{}) {
			w.raise(Fault{Kind: BarrierDivergent, Lanes: w.active, Missing: gone,
				Detail: fmt.Sprintf("barrier %d; lanes %s have exited, and this device waits for them", id, gone.Ranges()),
				Advice: "let all threads reach the barrier before any leaves"})
		}
	} else if w.san != nil {
		w.san.checkExited(w, id)
	}
}

// checkPassed faults a barrier in a branch that lanes of the warp have gone past,
// to the end of the kernel. Lanes that return before a barrier are another thing:
// some devices allow it.
func (w *Warp) checkPassed(id int) bool {
	passed := w.passed.AndNot(w.live)
	w.passed = lane.Mask{}
	if !passed.Empty() && !w.repeated(BarrierDivergent, w.active, passed, lane.Mask{}) {
		w.raise(Fault{Kind: BarrierDivergent, Lanes: w.active, Missing: passed,
			Detail: fmt.Sprintf("barrier %d; lanes %s of the warp went past it to the end of the kernel", id, passed.Ranges()),
			Advice: "move the barrier out of the branch"})
	}
	return !passed.Empty()
}

// leaveBarrier checks that no warp of the block had ended before the barrier, on
// devices that wait for all of them.
func (w *Warp) leaveBarrier(bar *barrier) *barrier {
	if w.state == stateAtBarrier {
		return bar // it goes on by passBarrier
	}
	if n := bar.resultEnded; n > 0 && w.run.engine.profile.Rules.BarrierExited == device.ExitedError {
		if w.repeated(BarrierDivergent, w.active, lane.Mask{}, lane.Mask{}) {
			return bar
		}
		w.raise(Fault{Kind: BarrierDivergent, Lanes: w.active,
			Detail: fmt.Sprintf("%d of the %d warps of the block have ended, and this device waits for them", n, w.run.warps),
			Advice: "let all threads reach the barrier before any leaves"})
	} else if n > 0 && w.san != nil {
		w.san.checkEnded(w, bar)
	}
	return bar
}

// Fence orders the warp's accesses to memory before and after it for all
// observers.
func (w *Warp) Fence() { w.fence(true) }

// FenceBlock is Fence for the threads of the block only. It does not wait for what
// the warp has stored, as Fence does on a device whose profile says so.
func (w *Warp) FenceBlock() { w.fence(false) }

func (w *Warp) fence(all bool) {
	if w.san != nil {
		w.san.fence(w, all)
	}
	scope := uint8(isa.FenceBlock)
	if all {
		scope = isa.FenceDevice
	}
	w.record(isa.Instr{Op: isa.Fence, Aux: scope})
}
