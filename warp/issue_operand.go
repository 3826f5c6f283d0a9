package warp

import (
	"math"
	"unsafe"

	"example.com/warpsim/lane"
	"example.com/warpsim/vote"
	"example.com/warpsim/warp/isa"
)

func (w *Warp) predOf(r isa.Reg) Pred { return Pred{w, uint8(r.Index() - isa.Predicate(0).Index())} }

func (w *Warp) maskOf(r isa.Reg) MaskReg {
	return MaskReg{w, uint8(r.Index() - isa.Uniform(0).Index())}
}

// rowOf returns the register at a row, none if r names no row.
func rowOf[T any](w *Warp, r isa.Reg) Reg[T] {
	if r == isa.NoReg || r.IsPredicate() || r.IsUniform() {
		return Reg[T]{}
	}
	return Reg[T]{cell: cellOf[T](w, r.Index()-1)}
}

// An operandCell is a register outside of the register file: the immediate of an
// encoded instruction, a uniform register in every lane, or the whole lanes of a
// value whose words are in rows of their own.
type operandCell struct {
	cell
	mask lane.Mask // undefined lanes
	data [2 * lane.MaxLanes]uint64
}

// operandCells are those of one instruction: of A, B, C and Dst.
type operandCells [4]operandCell

// cellFor returns an operand cell that stands for r.
func cellFor[T any](w *Warp, r isa.Reg, slot int) *operandCell {
	if w.operands == nil {
		w.operands = new(operandCells)
	}
	c := &w.operands[slot&3]
	row := max(r.Index()-1, 0)
	c.cell = cell{w: w, p: unsafe.Pointer(&c.data), undef: &c.mask, id: r, row: uint16(row)}
	makeA[T](&c.cell)
	c.mask = lane.Mask{}
	return c
}

// operand returns an operand of an instruction, none if r is absent.
func operand[T Number](w *Warp, in *Instruction, r isa.Reg, slot int) Reg[T] {
	switch {
	case r.IsUniform():
		c := cellFor[T](w, r, slot)
		v := ofBits[T](w.uniform[w.maskOf(r).id].Lo)
		d := unsafe.Slice((*T)(c.p), w.lanes)
		for l := range d {
			d[l] = v
		}
		return Reg[T]{cell: &c.cell}
	case r == isa.NoReg || r.IsPredicate():
		return Reg[T]{}
	case in.Halves && sizeOf(*new(T)) == 8:
		c := cellFor[T](w, pairAt(r), slot)
		w.gather(c, r)
		return Reg[T]{cell: &c.cell}
	}
	return rowOf[T](w, r)
}

// operandOr is operand, or the immediate if r is absent: at no cost, as it is
// part of the instruction.
func operandOr[T Number](w *Warp, in *Instruction, r isa.Reg, slot int, imm T) Reg[T] {
	if r != isa.NoReg {
		return operand[T](w, in, r, slot)
	}
	return Reg[T]{cell: constant(w, kindOf[T](), imm)}
}

// destination returns where an instruction writes.
func destination[T Number](w *Warp, in *Instruction) Reg[T] {
	if in.Halves && sizeOf(*new(T)) == 8 {
		return Reg[T]{cell: &cellFor[T](w, pairAt(in.Dst), 3).cell}
	}
	return rowOf[T](w, in.Dst)
}

// spread moves the result of the active lanes to the two rows that it belongs to,
// if it is not there already.
func (w *Warp) spread(in *Instruction, c *cell) {
	if w.operands == nil || c != &w.operands[3].cell {
		return
	}
	lo, hi, data := w.words(in.Dst), w.words(rowsOn(in.Dst, 1)), unsafe.Slice((*uint64)(c.p), w.lanes)
	for l := range w.active.Lanes() {
		lo[l], hi[l] = uint32(data[l]), uint32(data[l]>>32)
	}
	row := in.Dst.Index() - 1
	w.written(&w.cells[row], *c.undef)
	w.written(&w.cells[row+1], *c.undef)
}

// gather makes whole lanes of the two rows from r on.
func (w *Warp) gather(c *operandCell, r isa.Reg) {
	lo, hi := w.words(r), w.words(rowsOn(r, 1))
	for l, v := range lo {
		c.data[l] = uint64(hi[l])<<32 | uint64(v)
	}
	row := r.Index() - 1
	c.mask = w.cells[row].undef.Or(*w.cells[row+1].undef)
}

// pairAt names the two rows from r on.
func pairAt(r isa.Reg) isa.Reg { return isa.RowPair(r.Index() - 1) }

// ofBits returns the value of type T that the low bits are.
func ofBits[T Number](bits uint64) T {
	switch kindOf[T]() {
	case Float32:
		return T(math.Float32frombits(uint32(bits)))
	case Float64:
		return T(math.Float64frombits(bits))
	}
	return T(bits)
}

func floatOf32(bits int64) float32 { return math.Float32frombits(uint32(bits)) }
func floatOf64(bits int64) float64 { return math.Float64frombits(uint64(bits)) }

// flip negates the predicate operand of an instruction and returns it; unflip
// takes that back where the instruction has not written it.
func (w *Warp) flip(in *Instruction) Pred {
	p := w.predOf(in.A)
	if !in.A.IsPredicate() {
		p = w.predOf(in.C)
	}
	w.preds[p.id] = w.preds[p.id].Not(w.lanes)
	return p
}

func (w *Warp) unflip(in *Instruction, p Pred) {
	written := lane.Mask{}
	if in.Dst == p.reg() || in.Dst2 == p.reg() {
		written = w.active
	}
	m := w.preds[p.id]
	w.preds[p.id] = m.And(written).Or(m.Not(w.lanes).AndNot(written))
}

// issueBallot is a ballot of the active lanes, or tells which lanes these are. A
// row gets the lanes up to 31.
func (w *Warp) issueBallot(in *Instruction) {
	m := w.maskOf(isa.Uniform(hiddenUniform))
	switch {
	case in.Dst.IsUniform() && in.A == isa.NoReg:
		ActiveMask(w.maskOf(in.Dst))
		return
	case in.Dst.IsUniform():
		Ballot(w.maskOf(in.Dst), w.predOf(in.A))
		return
	case in.A == isa.NoReg:
		w.snapshot(m)
	default:
		w.takeBallot(m, w.predOf(in.A), w.active)
	}
	w.writeWord(in.Dst, uint32(w.uniform[m.id].Lo))
	w.emit(isa.Ballot, in.Dst, in.A, isa.NoReg, isa.NoReg)
}

// writeWord puts a word into the active lanes of a row.
func (w *Warp) writeWord(r isa.Reg, v uint32) {
	d := rowOf[uint32](w, r)
	x := vals(d)
	for l := range w.active.Lanes() {
		x[l] = v
	}
	w.setDefined(d.cell)
}

// issueMatch is a match whose result is a row, which has the lanes up to 31.
func (w *Warp) issueMatch(in *Instruction) {
	w.needMatch()
	src := rowOf[uint32](w, in.A)
	w.defined(src.cell, "value of a match")
	if in.Op == isa.MatchAll {
		m, all := vote.MatchAll(w.active, vals(src))
		w.writeWord(in.Dst, uint32(m.Lo))
		if in.Dst2 != isa.NoReg {
			yes := lane.Mask{}
			if all {
				yes = w.active
			}
			w.predOf(in.Dst2).Define(yes, w.active)
		}
		w.record(isa.Instr{Op: isa.MatchAll, Dst: in.Dst, Dst2: in.Dst2, A: in.A, Count: 1})
		return
	}
	var sets [lane.MaxLanes]lane.Mask
	n := vote.MatchAny(sets[:w.lanes], w.active, vals(src))
	d := rowOf[uint32](w, in.Dst)
	for l := range w.active.Lanes() {
		vals(d)[l] = uint32(sets[l].Lo)
	}
	w.setDefined(d.cell)
	w.record(isa.Instr{Op: isa.MatchAny, Dst: in.Dst, A: in.A, Count: uint16(n)})
}

// issueRedux is a hardware reduction that leaves its result where it comes out, or
// moves it to a row.
func issueRedux[T Integer](w *Warp, in *Instruction) {
	if !in.Dst.IsUniform() {
		Redux(ReduxOp(in.Variant), rowOf[T](w, in.Dst), rowOf[T](w, in.A))
		return
	}
	src := rowOf[T](w, in.A)
	w.defined(src.cell, "value of a hardware reduction")
	r := reduce(ReduxOp(in.Variant), src, w.active)
	w.uniform[w.maskOf(in.Dst).id] = lane.Mask{Lo: uint64(uint32(r))}
	w.emit(isa.Redux, in.Dst, src.id, isa.NoReg, isa.NoReg)
}
