package warp

import (
	"context"
	"fmt"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp/isa"
)

// Drive runs a launch whose instructions the host decodes itself, without a kernel
// function: drive is called once with the warps of all blocks, block by block, and issues
// to whichever it likes, in any order, by [Warp.Issue] or the functions for kernels, until
// it returns. Registers are read and written by number: [RegAt], [Warp.PredAt],
// [Warp.MaskAt]; [Front.Activate] says which lanes are active. The report is that of a
// kernel whose warps issue the same. There is one goroutine for all warps, which must all be
// used from it, and none after drive has returned; each warp takes the memory of a whole
// register file, and there are at most 16,384.
//
// A warp that comes to a barrier does not wait in the call: it is [Warp.Waiting] until the
// last one has come, and results of the barrier are in their registers from then on.
// Issue returns a *[Fault] of kind BadInstruction for it meanwhile. A warp whose lanes have all
// exited has ended; the others end as drive returns, and those that wait then for ever
// are a fault of kind Deadlock. An error of drive's is what Drive returns. Faults that
// end a run end drive in the midst of the call; other errors are those of Run, and
// Config.Seed is one, as the host chooses the schedule.
func (e *Engine) Drive(ctx context.Context, l Launch, drive func(warps []*Warp) error) (*Report, error) {
	switch {
	case drive == nil:
		return &Report{Launch: l}, &ConfigError{"drive", "nil", "pass the function that issues"}
	case e != nil && e.config.Seed != 0:
		return &Report{Launch: l}, &ConfigError{"Config.Seed", "set", "the host that drives the warps chooses their schedule: leave it out"}
	}
	return e.launch(ctx, l, nil, drive)
}

// mostDriven is how many warps a host may drive at a time.
const mostDriven = 1 << 14

// driven reports whether a host issues for all warps of the group.
func (g *group) driven() bool { return g.run.drive != nil }

// drive lets the host issue.
func (g *group) drive(live []*Warp) error {
	g.begun = len(live)
	for _, w := range live {
		w.lock, w.awaits, w.raw = OwnThreadLock(), reduceNothing, true
		w.wake()
	}
	defer func() {
		for _, w := range live {
			w.rest()
			w.lock.lock.Release()
		}
	}()
	err := g.host(live)
	switch {
	case g.err != nil:
		return g.err
	case err != nil:
		return err
	case g.running > 0:
		return g.deadlock(live)
	}
	return nil
}

// host calls the host's function and ends the warps that it has left.
func (g *group) host(live []*Warp) (err error) {
	returned := false
	defer func() {
		if !returned {
			live[0].ended(recover())
		}
	}()
	if err = g.run.drive(live); err == nil && g.err == nil {
		for again := true; again; { // the end of one may be what others wait for
			again = false
			for _, w := range live {
				if w.state == stateReady {
					w.rest()
					w.done()
					again = true
				}
			}
		}
	}
	returned = true
	return err
}

// Waiting reports whether the warp waits at a barrier: see Engine.Drive.
func (w *Warp) Waiting() bool { return w.state == stateAtBarrier }

// passBarrier lets a warp go on that a host drives.
func (w *Warp) passBarrier(bar *barrier) {
	what := w.awaits
	w.awaits = reduceNothing
	if bar.want == 0 {
		w.leaveBarrier(bar)
	}
	w.reduced(bar, w.awaitsIn, what)
}

// checkDriven is what may be wrong with an instruction for a warp that a host drives.
func (w *Warp) checkDriven(in *Instruction) error {
	switch w.state {
	case stateAtBarrier:
		return w.badInstruction(in, "the warp waits at barrier %d", w.waitBarrier)
	case stateDone:
		return w.badInstruction(in, "all lanes of the warp have exited")
	}
	return nil
}

// exited ends a warp that a host drives once no lane is left.
func (w *Warp) exited() {
	if w.state == stateReady && w.live.Empty() {
		w.rest()
		w.done()
	}
}

// RegAt returns row i of the warp's register file as a register of type T, and the rows
// behind it if T has more than 32 bits a lane: Lanes reads and writes it, Define says that
// it holds values. For hosts that number registers themselves; a row is of the type that
// it was last asked for. A row that a thread of the launch does not have, an odd one for a
// type of several rows, and a type with pointers are faults of kind RegisterFile.
func RegAt[T any](w *Warp, i int) Reg[T] {
	w.mustRun()
	err := lane.CheckType[T]()
	if rows := lane.Words(sizeOf(*new(T))); err == nil && (i < 0 || i+rows > w.rows) {
		err = w.run.tooManyRegisters(max(i, i+rows))
	} else if err == nil && rows > 1 && i%2 != 0 {
		err = fmt.Errorf("row %d for a type of %d rows: it starts at an even row", i, rows)
	}
	if err != nil {
		w.noRegister(err)
	}
	w.raw = true
	return Reg[T]{cell: cellOf[T](w, i)}
}

// PredAt returns predicate i: Mask reads and Define writes it. One that there is not is a
// fault of kind RegisterFile.
func (w *Warp) PredAt(i int) Pred {
	w.numbered("predicate", i, hiddenPred)
	return w.predOf(isa.Predicate(i))
}

// MaskAt returns uniform register i, which holds a set of lanes or, in its low bits, a
// number: Mask reads and Define writes it. One that there is not is a fault of kind
// RegisterFile.
func (w *Warp) MaskAt(i int) MaskReg {
	w.numbered("uniform register", i, hiddenUniform)
	return w.maskOf(isa.Uniform(i))
}

// numbered ends the kernel that names register i of a kind that has n.
func (w *Warp) numbered(kind string, i, n int) {
	w.mustRun()
	if i < 0 || i >= n {
		w.noRegister(fmt.Errorf("%s %d, and a warp has %d", kind, i, n))
	}
	w.raw = true
}
