package warp

import (
	"math"
	"unsafe"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp/internal/row"
	"example.com/warpsim/warp/isa"
)

// view returns a scratch row as values of type T; T has at most 8 bytes.
func view[T any](s *[lane.MaxLanes]uint64, lanes int) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(s)), lanes)
}

// words appends one record for each 32-bit word of a register. Every record but
// the last pair-free one names its own row, as hardware does. c is a further operand,
// or without a source the name of a constant.
func words[T any](w *Warp, op isa.Op, dst, a Reg[T], c isa.Reg) {
	for i := 0; i < int(dst.rows); i++ {
		src, second, aux := c, isa.NoReg, uint64(0)
		if a.cell != nil {
			src, second = a.word(i), c
		}
		if op == isa.Mov {
			aux = uint64(1+i) << 24
		}
		w.put(firstWord(op, isa.Row(int(dst.row)+i))|aux, secondWord(src, second, isa.NoReg))
	}
}

// Set puts a constant into every active lane: one instruction for each 32-bit
// word.
func Set[T any](dst Reg[T], v T) {
	w := dst.w
	d := vals(dst)
	if w.full {
		row.Fill(d, v)
	} else {
		for i := range w.active.Lanes() {
			d[i] = v
		}
	}
	w.setDefined(dst.cell)
	words(w, isa.Mov, dst, Reg[T]{}, constantName(v))
}

// SetLanes puts f(l) into every active lane l, as a kernel's argument or a
// table in constant memory would: one constant load for each 32-bit word.
func SetLanes[T any](dst Reg[T], f func(l int) T) {
	w := dst.w
	d := vals(dst)
	for i := range w.active.Lanes() {
		d[i] = f(i)
	}
	w.setDefined(dst.cell)
	words(w, isa.LoadConst, dst, Reg[T]{}, isa.NoReg)
}

// Mov copies a to dst.
func Mov[T any](dst, a Reg[T]) {
	w := dst.w
	w.sameWarp(a.w)
	if w.full {
		copy(vals(dst), vals(a))
	} else {
		row.Blend(vals(dst), vals(a), w.active)
	}
	undef2(dst.cell, a.cell, a.cell)
	words(w, isa.Mov, dst, a, isa.NoReg)
}

// Select sets dst to a where p holds and to b elsewhere. A lane is undefined if
// the predicate is, or the operand that it selects.
func Select[T any](dst Reg[T], p Pred, a, b Reg[T]) {
	w := dst.w
	w.sameWarp(a.w)
	w.sameWarp(b.w)
	w.sameWarp(p.w)
	m := w.preds[p.id]
	d, x, y := vals(dst), vals(a), vals(b)
	if w.full {
		row.Select(d, x, y, m)
	} else {
		for i := range w.active.Lanes() {
			if m.Has(i) {
				d[i] = x[i]
			} else {
				d[i] = y[i]
			}
		}
	}
	u := a.undef.And(m).Or(b.undef.AndNot(m)).Or(w.predUndef[p.id])
	w.written(dst.cell, u)
	for i := 0; i < int(dst.rows); i++ {
		w.put(firstWord(isa.Select, dst.word(i))|1<<24, secondWord(a.word(i), b.word(i), p.reg()))
	}
}

// Convert sets dst to a converted to dst's type, as a Go conversion does it,
// but for floats that the integer type cannot hold: they give the nearest
// integer it can, and a NaN gives 0, as GPUs do.
func Convert[D, S Number](dst Reg[D], a Reg[S]) {
	w := dst.w
	w.sameWarp(a.w)
	d, x := vals(dst), vals(a)
	toInt := dst.kind <= Uint64 && a.kind >= Float32
	for i := range w.active.Lanes() {
		if toInt {
			d[i] = saturate[D](float64(x[i]))
		} else {
			d[i] = D(x[i])
		}
	}
	w.written(dst.cell, *a.undef)
	w.emit(isa.Convert, dst.id, a.id, isa.NoReg, isa.NoReg)
}

// saturate converts a float to an integer type, held to the type's range.
func saturate[D Number](x float64) D {
	var zero D
	bits := uint(unsafe.Sizeof(zero)) * 8
	signed := zero-1 < zero
	low, high := 0.0, math.Ldexp(1, int(bits))
	if signed {
		high /= 2
		low = -high
	}
	x = math.Trunc(x)
	switch {
	case x != x:
		return 0
	case x < low:
		x = low
	case x >= high:
		// The largest value: all bits set, but for the sign.
		if signed {
			return D(int64(1)<<(bits-1) - 1)
		}
		return D(^uint64(0) >> (64 - bits))
	}
	if signed {
		return D(int64(x))
	}
	return D(uint64(x))
}

// Bitcast sets dst to the bits of a. The types must have the same size; if not,
// the kernel ends with a fault of kind BadInstruction. It costs no instruction,
// as the value stays in its register: the copy is the simulator's.
func Bitcast[D, S any](dst Reg[D], a Reg[S]) {
	w := dst.w
	w.sameWarp(a.w)
	var to D
	var from S
	if unsafe.Sizeof(to) != unsafe.Sizeof(from) {
		w.raise(Fault{Kind: BadInstruction, Detail: "bit cast between types of different sizes",
			Advice: "use Convert, or a type of the same size"})
		panic(abort{})
	}
	d := vals(dst)
	x := unsafe.Slice((*D)(unsafe.Pointer(unsafe.SliceData(vals(a)))), w.lanes)
	row.Blend(d, x, w.active)
	w.written(dst.cell, *a.undef)
}
