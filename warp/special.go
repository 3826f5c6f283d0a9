package warp

import (
	"unsafe"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp/isa"
)

func sizeOf[T any](v T) int { return int(unsafe.Sizeof(v)) }

// ThreadID returns a register with each lane's thread number in its block, X
// fastest. The first call costs reading the special register; later calls
// return the same register. An instruction that would write it ends the kernel with
// a fault of kind BadArgument.
func (w *Warp) ThreadID() Reg[int32] {
	if w.threadID.cell == nil {
		r := Alloc[int32](w)
		d := vals(r)
		for l := range d {
			d[l] = int32(w.id*w.lanes + l)
		}
		w.special(&w.threadID, r, isa.SpecialThread)
	}
	return w.threadID
}

// ThreadX, ThreadY and ThreadZ return a register with each lane's position in its
// block, see ThreadID.
func (w *Warp) ThreadX() Reg[int32] { return w.threadAt(0) }

// ThreadY is the position in the second dimension, see ThreadX.
func (w *Warp) ThreadY() Reg[int32] { return w.threadAt(1) }

// ThreadZ is the position in the third dimension, see ThreadX.
func (w *Warp) ThreadZ() Reg[int32] { return w.threadAt(2) }

func (w *Warp) threadAt(dim int) Reg[int32] {
	keep := &w.position[dim]
	if keep.cell == nil {
		r := Alloc[int32](w)
		for l := range vals(r) {
			p := place(w.id*w.lanes+l, w.run.launch.Threads)
			vals(r)[l] = int32([3]int{p.X, p.Y, p.Z}[dim])
		}
		w.special(keep, r, isa.SpecialThread)
	}
	return *keep
}

// BlockXYZ returns the block's position in the grid. BlockIndex is its number.
func (w *Warp) BlockXYZ() Dim { return place(w.block.index, w.run.launch.Blocks) }

// place returns where number i stands in d, X fastest.
func place(i int, d Dim) Dim {
	y := max(d.Y, 1)
	return Dim{X: i % d.X, Y: i / d.X % y, Z: i / d.X / y}
}

// LaneID returns a register with each lane's number, see ThreadID.
func (w *Warp) LaneID() Reg[int32] {
	if w.laneID.cell == nil {
		r := Alloc[int32](w)
		d := vals(r)
		for l := range d {
			d[l] = int32(l)
		}
		w.special(&w.laneID, r, 0)
	}
	return w.laneID
}

// GlobalID returns a register with each lane's thread number in the grid, see
// ThreadID. The first call costs a multiplication as well. In a grid of more
// than 2^31 threads the number wraps.
func (w *Warp) GlobalID() Reg[int32] {
	if w.globalID.cell == nil {
		t := w.ThreadID()
		r := Alloc[int32](w)
		d := vals(r)
		for l := range d {
			d[l] = int32(w.block.index*w.run.threads + w.id*w.lanes + l)
		}
		w.special(&w.globalID, r, 0)
		w.emit(isa.IMul, r.id, r.id, t.id, isa.NoReg)
	}
	return w.globalID
}

// special books a register that holds the same in every run of the lane,
// whichever lanes are active when it is first asked for; which is Aux of its record.
func (w *Warp) special(keep *Reg[int32], r Reg[int32], which uint8) {
	r.fixed, r.ops = true, &noOps
	*keep = r
	r.undef.Lo, r.undef.Hi = 0, 0
	guard := w.guard()
	w.setGuard(0)
	w.record(isa.Instr{Op: isa.ReadSpecial, Aux: which, Dst: r.id})
	w.setGuard(guard)
}

// SharedBase returns a new register with 0 in all active lanes, the index with which
// compiled code goes to elements of shared memory that it knows by number. On devices on
// which it first has to read where the block's shared memory begins ("s2ur" among the
// profile's ops: in the recorded code of an H200 each branch that only has such addresses
// reads it anew), that is what this costs; elsewhere it is a constant. Release gives the
// register back.
func (w *Warp) SharedBase() Reg[int32] {
	zero := Alloc[int32](w)
	if _, has := w.Device().Timing.Ops[isa.ReadSpecialUniform.String()]; !has {
		Set(zero, 0)
		return zero
	}
	d := vals(zero)
	for i := range w.active.Lanes() {
		d[i] = 0
	}
	w.written(zero.cell, lane.Mask{})
	u := isa.Uniform(hiddenUniform)
	w.emit(isa.ReadSpecialUniform, u, isa.NoReg, isa.NoReg, isa.NoReg)
	w.emit(isa.IAdd, zero.id, u, isa.NoReg, isa.NoReg)
	return zero
}

// Clock costs reading the cycle counter. What it would read is known only when
// time is: see Observer.Issued and Report.
func (w *Warp) Clock() {
	w.emit(isa.ReadClock, isa.Row(isa.MaxRows-1), isa.NoReg, isa.NoReg, isa.NoReg)
}
