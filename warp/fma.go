package warp

import (
	"math"

	"example.com/warpsim/warp/internal/row"
	"example.com/warpsim/warp/isa"
)

var seqFMA = sequences{Float32: sequence(isa.FFma), Float64: sequence(isa.DFma)}

// FMA sets dst to a*b + c with a single rounding, one instruction. MulAdd is the
// form that rounds twice.
func FMA[T float32 | float64](dst, a, b, c Reg[T]) {
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

// fma returns x*y + z rounded once.
func fma[T float32 | float64](x, y, z T) T {
	if sizeOf(x) == 8 {
		return T(math.FMA(float64(x), float64(y), float64(z)))
	}
	// The product of two singles is exact in double precision. The sum is
	// rounded to odd there, so that rounding it again to single precision is
	// as if it had been exact.
	p, c := float64(x)*float64(y), float64(z)
	s := p + c
	if math.IsInf(s, 0) || math.IsNaN(s) {
		return T(s)
	}
	back := s - p
	lost := (p - (s - back)) + (c - back)
	if lost != 0 && math.Float64bits(s)&1 == 0 {
		toward := math.Inf(1)
		if lost < 0 {
			toward = math.Inf(-1)
		}
		s = math.Nextafter(s, toward)
	}
	return T(s)
}
