package warp

import (
	"context"
	"unsafe"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp/isa"
)

// This file is what a front of scalar threads needs of the engine beside Under
// and ExitLanes: values that come into registers without an instruction, places
// in a kernel that are not on the warp's own stack, and faults of its own.

// Define makes lanes of r defined as they are, at no cost: the front has put
// values into Lanes.
func Define[T any](r Reg[T], m lane.Mask) {
	*r.undef = r.undef.AndNot(m)
}

// DefinePred sets p to value in the lanes of m, at no cost.
func DefinePred(p Pred, value, m lane.Mask) {
	p.w.preds[p.id] = p.w.preds[p.id].AndNot(m).Or(value.And(m))
	p.w.predUndef[p.id] = p.w.predUndef[p.id].AndNot(m)
}

// DefineMask sets m to value, at no cost.
func DefineMask(m MaskReg, value lane.Mask) { m.w.uniform[m.id] = value }

// View returns the register r seen as another type, at no cost, and makes it one:
// instructions that are given r after this take it for a D too. Both types must
// have the same size; if not, the kernel ends with a fault of kind
// BadInstruction.
func View[D, S any](r Reg[S]) Reg[D] {
	var to D
	var from S
	if unsafe.Sizeof(to) != unsafe.Sizeof(from) {
		r.w.raise(Fault{Kind: BadInstruction, Detail: "view of a register as a type of another size",
			Advice: "use Convert, or a type of the same size"})
		panic(abort{})
	}
	return Reg[D]{cell: cellOf[D](r.w, int(r.row))}
}

// Work books n instructions of an op that only computes in registers, for all
// active lanes: each reads and writes acc, and so waits for the one before; the
// values stay what they are. A negative n counts as 0; an op that does more than
// compute ends the kernel with a fault of kind BadInstruction.
func Work[T any](w *Warp, op isa.Op, n int, acc Reg[T]) { WorkInto(w, op, n, acc, acc) }

// WorkInto is Work whose instructions read src and write dst.
func WorkInto[T any](w *Warp, op isa.Op, n int, dst, src Reg[T]) {
	if !op.Computes() {
		w.raise(Fault{Kind: BadInstruction, Detail: op.String() + " is no computation in registers",
			Advice: "book arithmetic; memory, collectives and control have functions of their own"})
		panic(abort{})
	}
	for range n {
		w.emit(op, dst.id, src.id, isa.NoReg, isa.NoReg)
	}
}

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
	if w.group.err == nil {
		w.group.err = err
	}
	panic(abort{})
}

// SetLocator makes f say where in the kernel the warp is, for kernels that do
// not run on the warp's stack. nil takes it away; so does the end of the
// kernel.
func (w *Warp) SetLocator(f func() Site) { w.locator = f }

// callSite returns where the kernel is.
func (w *Warp) callSite() Site {
	if w.locator != nil {
		return w.locator()
	}
	return callSite()
}

// siteNumber returns the number of where the kernel is.
func (w *Warp) siteNumber() uint32 {
	if w.locator == nil {
		return w.run.site()
	}
	s := w.locator()
	if s == (Site{}) {
		return 0
	}
	w.run.mu.Lock()
	defer w.run.mu.Unlock()
	for i, old := range w.run.sites {
		if old == s {
			return uint32(i)
		}
	}
	w.run.sites = append(w.run.sites, s)
	return uint32(len(w.run.sites) - 1)
}

// DynamicShared returns the dynamic shared memory of the block, as many whole
// elements as the launch gave it bytes for. Every call in a block gives the same
// memory, whatever the type. Like Shared, the first call of each warp must stand
// in the same order among its declarations.
func DynamicShared[T any](w *Warp) Mem[T] {
	var zero T
	if err := lane.CheckType[T](); err != nil {
		w.raise(Fault{Kind: SharedMemory, Detail: err.Error(), cause: err, Advice: "use a type without pointers"})
		panic(abort{})
	}
	if !w.hasDynamic {
		w.hasDynamic = true
		w.dynamic = Shared[byte](w, w.run.launch.Shared)
	}
	n := len(w.dynamic.data) / int(unsafe.Sizeof(zero))
	var data []T
	if n > 0 {
		data = unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(w.dynamic.data))), n)
	}
	return Mem[T]{data: data, addr: w.dynamic.addr, shared: w.block}
}

// Activate makes exactly the live lanes of m active, at no cost, until the next
// call: Under for a front whose kernel is no nest of functions.
func (w *Warp) Activate(m lane.Mask) { w.setActive(m.And(w.live)) }

// CheckMembers holds a member mask against the active lanes, as ShflSync does,
// and returns the lanes that take part.
func (w *Warp) CheckMembers(mask lane.Mask) lane.Mask { return w.members(mask) }

// Room returns how many more instructions the warp takes before it may have to
// let the other warps catch up, which happens on the warp's own stack only.
func (w *Warp) Room() int { return len(w.buf) - w.n }

// Address returns the byte address of element 0 within its space, and whether
// that is the shared memory of a block.
func (m Mem[T]) Address() (addr uint64, shared bool) {
	var zero T
	return m.addr + uint64(int64(m.offset)*int64(unsafe.Sizeof(zero))), m.shared != nil
}
