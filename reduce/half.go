package reduce

import (
	"math"

	"example.com/warpsim/warp/half"
	"example.com/warpsim/warp/isa"
)

// HalfSum adds floats of 16 bits, or pairs of them, and rounds after every addition. The
// identity is +0, see Sum. No device is known to do so in hardware, and atomics of such
// are not modelled.
func HalfSum[T half.Number[T]]() Op[T] {
	return halfOp("sum", T.Add).WithIdentity(halves[T](0))
}

// HalfMin keeps the lesser value, of pairs in each place: the number beside a NaN, and
// -0 is below +0. The identity is +infinity.
func HalfMin[T half.Number[T]]() Op[T] {
	return halfOp("min", T.Min).WithIdentity(halves[T](math.Inf(1)))
}

// HalfMax keeps the greater value, see HalfMin. The identity is -infinity.
func HalfMax[T half.Number[T]]() Op[T] {
	return halfOp("max", T.Max).WithIdentity(halves[T](math.Inf(-1)))
}

func halfOp[T half.Number[T]](name string, f func(a, b T) T) Op[T] {
	return New(name, isa.HFma, f).Commuting()
}

// halves is a number in all places of a type.
func halves[T half.Number[T]](x float64) T {
	a, b := half.Of[half.Float16](x), half.Of[half.BFloat16](x)
	for _, v := range []any{a, b, half.Pair[half.Float16]{Low: a, High: a}, half.Pair[half.BFloat16]{Low: b, High: b}} {
		if v, ok := v.(T); ok {
			return v
		}
	}
	var zero T
	return zero // there are no other types
}
