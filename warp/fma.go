package warp

import (
	"math"

	"example.com/warpsim/warp/internal/elementary"
	"example.com/warpsim/warp/internal/row"
	"example.com/warpsim/warp/isa"
)

var seqFMA = sequences{Float32: sequence(isa.FFma), Float64: sequence(isa.DFma)}

// FMA sets dst to a*b + c with a single rounding, one instruction. MulAdd is the
// form that rounds twice.
func FMA[T Float](dst, a, b, c Reg[T]) {
	w := dst.w
	w.sameWarp(a.w)
	w.sameWarp(b.w)
	w.sameWarp(c.w)
	t, x, y, z := temp[T](w), vals(a), vals(b), vals(c)
	for l := range t {
		t[l] = fma(x[l], y[l], z[l])
	}
	w.written(dst.cell, a.undef.Or(*b.undef).Or(*c.undef))
	row.Blend(vals(dst), t, w.active)
	w.emitSeq(seqFMA[dst.kind], dst.id, a.id, b.id, c.id)
}

// FMAImm is FMA with a constant c, as a step of a polynomial takes it.
func FMAImm[T Float](dst, a, b Reg[T], c T) {
	FMA(dst, a, b, Reg[T]{cell: constant(dst.w, dst.kind, c)})
}

// fma returns x*y + z rounded once.
func fma[T Float](x, y, z T) T {
	if sizeOf(x) == 8 {
		return T(math.FMA(float64(x), float64(y), float64(z)))
	}
	return T(elementary.FMA32(float32(x), float32(y), float32(z)))
}
