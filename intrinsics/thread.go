package intrinsics

import (
	"fmt"
	"iter"
	"unsafe"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
)

// A Thread is one thread of a running kernel. It is valid until the kernel
// returns, and only within the thread's own calls.
type Thread struct {
	// What every request touches stands first.
	s    *scheduler
	lane int
	request
	yield func(struct{}) bool
	next  func() (struct{}, bool)
	base  uintptr // return address of the kernel
	loops int     // how many loops of Loop the thread is in
	done  bool    // it has left the kernel
	awake bool    // its kernel is running, and does not wait for a request
	first bool    // of the lanes that hand over to each other
	above *Thread // the next of them
	lock  warp.ThreadLock

	ending   bool // the launch is over
	over     bool // and has returned
	stop     func()
	id       int         // in the block, X fastest
	position warp.Dim    // the same in three dimensions
	failure  *warp.Fault // the kernel panicked
	fault    *warp.Fault // see Fail
	work     workList
	turns    [maxLoops]int // the turns of the loops, outermost first

	// What history.go knows of the thread.
	met       int64   // the last meeting that it was at
	last      *place  // where it was last
	counts    []int32 // turns of the loops around that, outermost first
	lastLoops int     // loops and turns then
	lastTurns [maxLoops]int
	state     uint64 // of its frames, while the scheduler compares states
	turned    int    // what begun returned for this request
	seen, saw view   // at its last request and at this one

	big [8]uint64 // a value of another size than registers have
}

// unwind ends a thread whose launch is over; it never leaves the package.
type unwind struct{}

// start makes the thread ready to run the kernel from its beginning.
func (t *Thread) start(id int, position warp.Dim) {
	if t.next == nil {
		t.next, t.stop = iter.Pull(t.loop)
	}
	t.id, t.position = id, position
	t.done, t.failure = false, nil
	t.work.n, t.loops, t.path = 0, 0, 0
	t.met, t.last = 0, nil
	t.seen.of, t.saw.of, t.turned = nil, nil, -1
}

// loop is the body of the thread's coroutine: one kernel after another.
func (t *Thread) loop(yield func(struct{}) bool) {
	t.yield, t.lock = yield, warp.OwnThreadLock()
	defer func() {
		if p := recover(); p != nil && p != any(unwind{}) {
			panic(p)
		}
	}()
	t.call(findBase)
	for {
		t.awake = true
		t.call(t.s.launch.kernel)
		t.awake, t.done = false, true
		if t.ending {
			return
		}
		t.s.gone = t.s.gone.With(t.lane)
		t.handOver()
	}
}

// call runs a kernel. What the kernel calls finds the way back here by the
// return address of the call below.
//
//go:noinline
func (t *Thread) call(kernel func(*Thread)) {
	returned := false
	defer func() {
		if returned {
			return
		}
		p := recover()
		if t.lock.Held() {
			t.lock.Take(t.s.launch.kernel)
		}
		if _, ours := p.(unwind); ours {
			return
		}
		f := warp.PanicFault(p)
		t.failure = &f
		t.done = true
	}()
	kernel(t)
	if t.lock.Held() {
		t.failure, t.done = t.lock.Take(kernel), true
	}
	returned = true
}

// findBase is a kernel that only notes where it returns to.
//
//go:noinline
func findBase(t *Thread) {
	framePath(0, &t.s.pcs)
	t.base = t.s.pcs[0]
}

// end ends the thread's coroutine.
func (t *Thread) end() {
	if stop := t.stop; stop != nil {
		t.stop = nil
		stop()
	}
}

// locked ends a kernel that has locked its coroutine to a thread of the system.
func (t *Thread) locked() {
	f := t.lock.Take(t.s.launch.kernel)
	f.Site = warp.Site{} // that of the call
	panic(f)
}

// stray ends the use of a thread by anybody but its own kernel: the lane that
// uses it, or, after the launch, the caller.
func (t *Thread) stray() {
	if !t.over {
		panic(&warp.Fault{Kind: warp.WrongWarp, Severity: warp.SeverityError, Count: 1, Lanes: lane.Bit(t.lane),
			Detail: fmt.Sprintf("the thread of lane %d is used by another one, or after it has left the kernel", t.lane),
			Advice: "use the *Thread that this call of the kernel got"})
	}
	panic(&warp.Fault{Kind: warp.WrongWarp, Severity: warp.SeverityError, Count: 1, Lanes: lane.Bit(t.lane),
		Detail: "a thread is used after its launch has returned", Advice: "do not keep a *Thread after the kernel returns"})
}

// Lane returns the number of the thread in its warp, from 0.
func (t *Thread) Lane() int { return t.lane }

// WarpSize returns the number of lanes of a warp.
func (t *Thread) WarpSize() int { return len(t.s.threads) }

// WarpID returns the number of the thread's warp in its block.
func (t *Thread) WarpID() int { return t.s.w.ID() }

// Gone returns the lanes of the warp that have left the kernel.
func (t *Thread) Gone() Mask { return t.s.all.AndNot(t.s.w.Live()) }

// ThreadIdx returns the position of the thread in its block.
func (t *Thread) ThreadIdx() warp.Dim { return t.position }

// ThreadRank returns the number of the thread in its block, X fastest, then Y.
func (t *Thread) ThreadRank() int { return t.id }

// BlockIdx returns the position of the thread's block in the grid.
func (t *Thread) BlockIdx() warp.Dim { return position(t.s.w.BlockIndex(), t.s.launch.grid) }

// BlockDim returns the size of a block.
func (t *Thread) BlockDim() warp.Dim { return t.s.launch.block }

// GridDim returns the size of the grid.
func (t *Thread) GridDim() warp.Dim { return t.s.launch.grid }

// GlobalID returns the number of the thread in the grid: that of its block times
// the threads of a block, and its ThreadRank.
func (t *Thread) GlobalID() int { return t.s.w.BlockIndex()*t.s.w.BlockThreads() + t.id }

// position returns the i-th position in d, X fastest.
func position(i int, d warp.Dim) warp.Dim {
	return warp.Dim{X: i % d.X, Y: i / d.X % d.Y, Z: i / d.X / d.Y}
}

// String names the thread as people do: "block 2 thread 5 (lane 5 of warp 0)".
func (t *Thread) String() string {
	return fmt.Sprintf("block %d thread %s (lane %d of warp %d)",
		t.s.w.BlockIndex(), t.where(), t.lane, t.s.w.ID())
}

// where returns the position of the thread in its block as text.
func (t *Thread) where() string {
	if d := t.s.launch.block; d.Y > 1 || d.Z > 1 {
		return fmt.Sprintf("(%d,%d,%d)", t.position.X, t.position.Y, t.position.Z)
	}
	return fmt.Sprint(t.id)
}

// cell returns where the thread's value of type T lies: in its lane of the
// register that the next instruction reads, or, if it is of another size than
// registers are, in a place of its own.
func cell[T any](t *Thread) *T {
	var zero T
	if size := unsafe.Sizeof(zero); size == 4 || size == 8 || size == 2 || size == 1 {
		return (*T)(unsafe.Add(t.s.rows[size], uintptr(t.lane)*size))
	}
	return (*T)(t.wide(unsafe.Sizeof(zero)))
}

// wide returns the place for a value of another size.
func (t *Thread) wide(size uintptr) unsafe.Pointer {
	if size > unsafe.Sizeof(t.big) {
		panic(&lane.TypeError{Type: fmt.Sprintf("a value of %d bytes", size), Reason: "a register has 1 to 64"})
	}
	return unsafe.Pointer(&t.big)
}

// Lockstep reports whether the device's collectives act on the lanes that are
// converged, rather than wait for those that a mask names.
func (t *Thread) Lockstep() bool { return t.s.lockstep }

// HasReduce reports whether the device reduces 32-bit integers in hardware.
func (t *Thread) HasReduce() bool { return len(t.s.w.Device().Rules.Redux) > 0 }
