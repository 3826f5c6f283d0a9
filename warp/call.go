package warp

import (
	"context"
	"fmt"
)

// wake and rest note that the warp's kernel runs, or does not. While it does
// not, every instruction takes the slow path, which finds that out.
func (w *Warp) wake() {
	w.running = true
	w.setRoom()
	w.setPlain()
}

// setRoom works out how many records the buffer takes with no more to do.
func (w *Warp) setRoom() {
	if w.watched {
		return
	}
	w.room = len(w.buf)
	if most := w.run.engine.config.MaxInstructions; most > 0 {
		w.room = int(max(min(int64(w.room), most-w.total), 0))
	}
}

// checkLimit ends the run if the warp may issue no more instructions.
func (w *Warp) checkLimit() {
	if most := w.run.engine.config.MaxInstructions; most > 0 && w.made() >= most {
		w.raise(Fault{Kind: Endless, Lanes: w.active, Detail: fmt.Sprintf("the warp has issued %d instructions, as many as Config.MaxInstructions allows", most),
			Advice: "let the loop at this line end, or allow more"})
		panic(abort{})
	}
}

func (w *Warp) rest() {
	w.running, w.room = false, 0
	w.setPlain()
}

// call runs the kernel and turns what it panics with into a fault.
func (w *Warp) call() {
	returned := false
	w.lock = OwnThreadLock()
	w.wake()
	defer func() {
		w.rest()
		w.lock.lock.Release()
		if !returned { // recover alone takes half of the small stack that a run's goroutines start with
			w.ended(recover())
		}
	}()
	w.run.kernel(w)
	w.checkLock(true)
	if w.san != nil {
		w.san.endTree(w)
	}
	returned = true
}

// ended notes why a kernel did not return: what it panicked with, nil if its
// goroutine was ended. The deferred function that recovered calls it.
func (w *Warp) ended(p any) {
	if _, ours := p.(abort); ours {
		return
	}
	if c := w.run.clock; c != nil && c.failure != nil {
		w.group.err = c.failure // the observer has ended the goroutine
		return
	}
	f := PanicFault(p)
	if f.Site == (Site{}) && w.locator != nil {
		f.Site = w.locator()
	}
	f.Block, f.Warp, f.Width, f.Lanes = w.block.index, w.id, w.lanes, w.active
	w.group.note(f)
	w.group.fail(&f)
}

// strayRegister ends the kernel that uses registers of another warp, which is
// the one whose records the instruction went to. Outside of all kernels there is
// nothing to end, and no error to return: it panics with the fault.
func (w *Warp) strayRegister() {
	w.mustRun()
	if w.nobodys() {
		f := w.outsideFault()
		f.Detail, f.Advice = "an instruction for a warp whose kernel does not run now, issued from a goroutine of the host's", "issue to the warp whose kernel waits for that"
		panic(f)
	}
	w.raise(Fault{Kind: WrongWarp, Detail: "an instruction whose registers all belong to another warp, or to a kernel that has returned",
		Advice: "allocate registers in the kernel that uses them"})
	panic(abort{})
}

// mustRun panics with the fault of a warp that is used after its run.
func (w *Warp) mustRun() {
	if w.group == nil || w.group.run == nil {
		panic(&Fault{Kind: WrongWarp, Severity: SeverityError, Count: 1, Site: callSite(),
			Detail: "a warp, or a register of one, is used outside of the kernel that it belongs to",
			Advice: "keep neither after the kernel returns"})
	}
}

// abort unwinds a kernel; it never leaves the package.
type abort struct{}

// Fail notes a fault of this warp, with the error that led to it if there was
// one, as the engine notes its own: block, warp and width are filled in, and so
// are severity and site if they are not set. It does not return if the run must
// end.
func (w *Warp) Fail(f Fault, cause error) {
	f.cause = cause
	if f.Kind == NoFault || f.Kind >= numFaultKinds {
		f.Kind = BadInstruction
	}
	w.raise(f)
}

// Cancel ends the run with an error that is no fault, such as a context's; nil
// stands for context.Canceled. It does not return.
func (w *Warp) Cancel(err error) {
	if err == nil {
		err = context.Canceled
	}
	w.mustRun()
	if w.group.err == nil {
		w.group.err = err
	}
	panic(abort{})
}

// outside reports whether the caller's goroutine is not the one that runs the kernel,
// as far as that can be seen, see ThreadLock. Fronts whose kernels do not run on the
// warp's stack (SetLocator) issue from coroutines of their own, which belong to the kernel.
func (w *Warp) outside() bool {
	return w.locator == nil && w.lock != ThreadLock{} && w.lock != OwnThreadLock()
}

// nobodys reports whether the caller's goroutine runs none of the group's kernels.
func (w *Warp) nobodys() bool {
	own := OwnThreadLock()
	if own == (ThreadLock{}) {
		return false
	}
	for _, x := range w.group.warps {
		if x.running && (x.lock == own || x.locator != nil) {
			return false
		}
	}
	return true
}

// outsideFault is the fault of an instruction that waits for other warps, which only
// the goroutine of the kernel can let run.
func (w *Warp) outsideFault() *Fault {
	return &Fault{Kind: WrongWarp, Severity: SeverityError, Block: w.block.index, Warp: w.id, Width: w.lanes, Lanes: w.active, Count: 1, Site: callSite(),
		Detail: "an instruction that waits for other warps, issued from another goroutine than the kernel's",
		Advice: "issue barriers, and what depends on the order of blocks, from the kernel function"}
}
