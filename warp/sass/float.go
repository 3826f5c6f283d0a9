package sass

import (
	"math"

	float16 "example.com/warpsim/warp/half"
	"example.com/warpsim/warp/internal/elementary"
)

// The one pattern of each format that arithmetic gives for what is no number.
const (
	nan32 = 0x7fffffff
	nan64 = 0xfff80000_00000000
	nan16 = 0x7fff
)

// bits32 returns the bits of a result.
func bits32(x float32) uint32 {
	if x != x {
		return nan32
	}
	return math.Float32bits(x)
}

func bits64(x float64) uint64 {
	if x != x {
		return nan64
	}
	return math.Float64bits(x)
}

// flush makes a denormal number a zero of its sign.
func flush(x uint32) uint32 {
	if x&0x7f800000 == 0 {
		return x & (1 << 31)
	}
	return x
}

// saturate brings a result into 0 to 1; what is no number becomes 0.
func saturate(x uint32) uint32 {
	f := math.Float32frombits(x)
	switch {
	case !(f > 0):
		return 0
	case f > 1:
		return math.Float32bits(1)
	}
	return x
}

// minFloat and maxFloat return the number if only one is, and order zeros by sign, as
// min and max of Go do.
func minFloat(x, y float32) float32 {
	switch {
	case x != x:
		return y
	case y != y:
		return x
	}
	return min(x, y)
}

func maxFloat(x, y float32) float32 {
	switch {
	case x != x:
		return y
	case y != y:
		return x
	}
	return max(x, y)
}

// A rounding is a direction in which results are rounded.
type rounding uint8

const (
	nearest  rounding = iota // ties to even
	downward                 // RM
	upward                   // RP
	toZero                   // RZ
)

var roundings = map[string]rounding{"RN": nearest, "RM": downward, "RP": upward, "RZ": toZero}

// fma32 returns x*y + z rounded once to nearest.
func fma32(x, y, z uint32) uint32 {
	p := float64(math.Float32frombits(x)) * float64(math.Float32frombits(y))
	c := float64(math.Float32frombits(z))
	s := p + c
	if s == 0 { // exactly, with the sign that it has to have
		return math.Float32bits(float32(s))
	}
	// Whether s lies on or next to the middle of two singles: else rounding twice
	// does not matter.
	if b := math.Float64bits(s); b&0x1fffffff != 0x10000000 && b>>52&0x7ff > 0x390 && b>>52&0x7ff < 0x7ff {
		return math.Float32bits(float32(s))
	}
	return bits32(float32(elementary.SumToOdd(p, c)))
}

// round32 rounds a number that stands for an exact one, see elementary.SumToOdd, in a direction.
// exactSign is that of an exact zero.
func round32(x float64, r rounding) uint32 {
	f := float32(x)
	if r == nearest || f != f || float64(f) == x {
		return bits32(f)
	}
	b := math.Float32bits(f)
	up := float64(f) > x // rounded up
	switch {
	case math.IsInf(float64(f), 0) && !math.IsInf(x, 0):
		if r == upward && x > 0 || r == downward && x < 0 {
			return b
		}
		return b - 1 // the largest finite number
	case r == upward && !up:
		return math.Float32bits(math.Nextafter32(f, float32(math.Inf(1))))
	case r == downward && up:
		return math.Float32bits(math.Nextafter32(f, float32(math.Inf(-1))))
	case r == toZero && (x > 0 && up || x < 0 && !up):
		return math.Float32bits(math.Nextafter32(f, 0))
	}
	return b
}

// exactZero gives a sum that is zero the sign that the direction asks for.
func exactZero(p, c float64, r rounding) float64 {
	s := elementary.SumToOdd(p, c)
	if s == 0 && r == downward && (p != 0 || math.Signbit(p) != math.Signbit(c)) {
		return math.Copysign(0, -1)
	}
	return s
}

// round64 returns what an error-free sum of s and a small rest rounds to.
func round64(s, rest float64, r rounding) float64 {
	switch {
	case rest == 0 || r == nearest || math.IsInf(s, 0) || s != s:
		return s
	case r == upward && rest > 0:
		return math.Nextafter(s, math.Inf(1))
	case r == downward && rest < 0:
		return math.Nextafter(s, math.Inf(-1))
	case r == toZero && (s > 0 && rest < 0 || s < 0 && rest > 0):
		return math.Nextafter(s, 0)
	}
	return s
}

// add64 returns the sum of two doubles, rounded in a direction.
func add64(x, y float64, r rounding) float64 {
	s := x + y
	if r == nearest {
		return s
	}
	back := s - x
	return round64(s, (x-(s-back))+(y-back), r)
}

// fma64 returns x*y + z rounded in a direction.
func fma64(x, y, z float64, r rounding) float64 {
	s := math.FMA(x, y, z)
	if r == nearest || math.IsInf(s, 0) || s != s {
		return s
	}
	// x*y + z - s, of which the sign is all that matters.
	p := x * y
	e := math.FMA(x, y, -p)
	t := p + z
	back := t - p
	lost := (p - (t - back)) + (z - back)
	return round64(s, (t-s)+(lost+e), r)
}

// halfValue returns the value of a 16-bit float.
func halfValue(h uint32) float64 { return float16.FromBits[float16.Float16](uint16(h)).Float64() }

// halfBits returns the nearest 16-bit float, ties to even.
func halfBits(x float64) uint32 { return uint32(float16.Of[float16.Float16](x).Bits()) }

// bfloatValue returns the value of a bfloat16.
func bfloatValue(h uint32) float64 { return float16.FromBits[float16.BFloat16](uint16(h)).Float64() }

// bfloatBits returns the nearest bfloat16, ties to even.
func bfloatBits(x float64) uint32 { return uint32(float16.Of[float16.BFloat16](x).Bits()) }
