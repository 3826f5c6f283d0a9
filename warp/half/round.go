package half

import "math"

// A format is one of the two formats of a Float.
type format interface {
	ieee | brain
	layout() layout
}

type (
	ieee  struct{}
	brain struct{}
)

func (ieee) layout() layout  { return layout{10, -14} }
func (brain) layout() layout { return layout{7, -126} }

// A layout is how many bits of fraction a float has, and the exponent of its least
// normal number.
type layout struct {
	fraction int
	least    int
}

// nan is the one that chips make.
const nan = 0x7fff

// bits returns the nearest number of the format, ties to even.
func (f layout) bits(x float64) uint16 {
	sign := uint16(math.Float64bits(x) >> 63 << 15)
	x = math.Abs(x)
	infinity := uint64(1<<15 - 1<<f.fraction)
	switch {
	case x != x:
		return nan
	case x == 0:
		return sign
	case math.IsInf(x, 0):
		return sign | uint16(infinity)
	}
	e := max(math.Ilogb(x), f.least)
	q := uint64(math.RoundToEven(math.Ldexp(x, f.fraction-e))) // in units of the last place
	return sign | uint16(min(infinity, uint64(e-f.least)<<f.fraction+q))
}

// value returns what the bits stand for.
func (f layout) value(b uint16) float64 {
	fraction := int(b) & (1<<f.fraction - 1)
	e := int(b) & 0x7fff >> f.fraction
	x := 0.0
	switch {
	case e == 0x7fff>>f.fraction && fraction != 0:
		return math.NaN()
	case e == 0x7fff>>f.fraction:
		x = math.Inf(1)
	case e == 0:
		x = math.Ldexp(float64(fraction), f.least-f.fraction)
	default:
		x = math.Ldexp(float64(fraction+1<<f.fraction), e-1+f.least-f.fraction)
	}
	if b>>15 != 0 {
		return -x
	}
	return x
}

// sum returns x + y such that a rounding to fewer bits rounds once: what does not fit
// makes the last bit odd.
func sum(x, y float64) float64 {
	s := x + y
	if s == 0 || math.IsInf(s, 0) || s != s {
		return s
	}
	back := s - x
	rest := (x - (s - back)) + (y - back)
	b := math.Float64bits(s)
	if rest == 0 || b&1 != 0 {
		return s
	}
	if (rest > 0) == (s > 0) {
		return math.Float64frombits(b + 1)
	}
	return math.Float64frombits(b - 1)
}

// least and greatest return the number beside a NaN, and order zeros.
func least(x, y float64) float64 {
	switch {
	case x != x:
		return y
	case y != y:
		return x
	}
	return math.Min(x, y)
}

func greatest(x, y float64) float64 { return -least(-x, -y) }
