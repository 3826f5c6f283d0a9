package elementary

import "math"

// FMA32 returns x*y + z rounded once, to single precision.
func FMA32(x, y, z float32) float32 {
	// The product of two singles is exact in double precision.
	return float32(SumToOdd(float64(x)*float64(y), float64(z)))
}

// SumToOdd returns p + c rounded to odd: the nearest number below or above whose
// last bit is set, unless the sum is exact, so that rounding it again to single
// precision is as if it had been exact.
func SumToOdd(p, c float64) float64 {
	s := p + c
	if math.IsInf(s, 0) || s != s {
		return s
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
	return s
}
