package elementary

import "math"

// The operations of the special unit, rounded correctly in place of its tables.
// Denormal arguments count as zero and denormal results are zero, as there.

const smallest = 0x1p-126 // the smallest normal number

func flush(x float32) float32 {
	if x < smallest && x > -smallest {
		return float32(math.Copysign(0, float64(x)))
	}
	return x
}

func unitExp2(x float32) float32 { return flush(float32(math.Exp2(float64(flush(x))))) }

func unitLog2(x float32) float32 {
	x = flush(x)
	if x == 0 {
		return float32(math.Inf(-1))
	}
	return float32(math.Log2(float64(x)))
}

func unitRcp(x float32) float32 { return flush(float32(1 / float64(flush(x)))) }

func unitRsqrt(x float32) float32 {
	x = flush(x)
	if x == 0 {
		return float32(math.Copysign(math.Inf(1), float64(x)))
	}
	return float32(1 / math.Sqrt(float64(x)))
}

// unitSin and unitCos take turns, not radians.
func unitSin(x float32) float32 { return turned(x, math.Sin) }
func unitCos(x float32) float32 { return turned(x, math.Cos) }

func turned(x float32, f func(float64) float64) float32 {
	v := float64(x)
	v -= math.Round(v)
	return float32(f(2 * math.Pi * v))
}
