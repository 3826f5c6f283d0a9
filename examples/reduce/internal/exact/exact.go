// Package exact reduces without rounding or overflow, by a superaccumulator for
// floats and 128 bits for integers, and says how far a result is off.
package exact

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"

	"example.com/warpsim/examples/reduce/internal/number"
)

// A Reference is the result of a reduction without any rounding or overflow,
// and what an element can hold of it.
type Reference[T number.Element] struct {
	Op   number.Operator
	Kind number.Kind
	// Exact is the mathematical result, nil if it is NaN or infinite.
	Exact *big.Float
	// Value is the best answer of the element type: wrapped to its bits for
	// integers, rounded to the nearest for floats.
	Value T
	// Bound is how far a sum of floats may be off Exact if every addition is
	// rounded once, whatever the order: 0 for all other reductions, which
	// have no rounding. +Inf for so many numbers that rounding may eat all.
	Bound float64
	// Overflows reports that a partial sum of floats may be infinite though
	// no element is.
	Overflows bool
}

// Reduce reduces the values, of which there is at least one.
//
// Minimum and maximum of floats are minimumNumber and maximumNumber of
// IEEE 754-2019: a NaN counts only if there is nothing else, and -0 is less
// than +0. A sum with a NaN, or with infinities of both signs, is NaN.
func Reduce[T number.Element](op number.Operator, values []T) Reference[T] {
	r := Reference[T]{Op: op, Kind: number.Of[T]()}
	switch {
	case op == number.OpSum && r.Kind.Float():
		r.sumFloats(values)
	case op == number.OpSum:
		r.sumIntegers(values)
	case op == number.OpMin || op == number.OpMax:
		r.extreme(values)
	default:
		r.bitwise(values)
	}
	return r
}

func (r *Reference[T]) sumFloats(values []T) {
	var s superaccumulator
	var magnitude float64
	for _, v := range values {
		s.add(float64(v))
		magnitude += math.Abs(float64(v))
	}
	if v, special := s.special(); special {
		r.Value = T(v)
		return
	}
	r.Exact = s.value()
	r.Value = roundTo[T](r.Exact)
	// The magnitude has itself been rounded n times.
	magnitude *= 1 + float64(len(values))*0x1p-52
	r.Bound = sumBound(len(values), magnitude, r.Kind)
	largest := math.MaxFloat64
	if r.Kind == number.F32 {
		largest = math.MaxFloat32
	}
	// Rounding may lift a partial sum above the magnitude, never to its double.
	r.Overflows = 2*magnitude > largest
}

// sumBound is (n-1)u/(1-(n-1)u)·Σ|x|, where u is half a unit in the last place
// of 1.
func sumBound(n int, magnitude float64, k number.Kind) float64 {
	unit := 0x1p-53
	if k == number.F32 {
		unit = 0x1p-24
	}
	t := float64(n-1) * unit
	if t >= 0.5 {
		return math.Inf(1)
	}
	return t / (1 - t) * magnitude
}

func (r *Reference[T]) sumIntegers(values []T) {
	var high, low uint64
	signed := r.Kind.Signed()
	for _, v := range values {
		var carry, extension uint64
		if signed && v < 0 {
			extension = math.MaxUint64
		}
		low, carry = bits.Add64(low, uint64(v), 0)
		high, _ = bits.Add64(high, extension, carry)
	}
	r.Value = T(low)
	negative := signed && int64(high) < 0
	if negative {
		var borrow uint64
		low, borrow = bits.Sub64(0, low, 0)
		high, _ = bits.Sub64(0, high, borrow)
	}
	sum := new(big.Int).SetUint64(high)
	sum.Lsh(sum, 64).Or(sum, new(big.Int).SetUint64(low))
	if negative {
		sum.Neg(sum)
	}
	r.Exact = new(big.Float).SetPrec(128).SetInt(sum)
}

func (r *Reference[T]) extreme(values []T) {
	best, found := values[0], false
	for _, v := range values {
		if v != v {
			continue
		}
		less := v < best || v == best && lessZero(v, best)
		more := v > best || v == best && lessZero(best, v)
		if !found || r.Op == number.OpMin && less || r.Op == number.OpMax && more {
			best, found = v, true
		}
	}
	r.setExact(best)
}

// lessZero orders the zeros of floats, -0 before +0; a and b are equal.
func lessZero[T number.Element](a, b T) bool {
	return a == 0 && math.Signbit(float64(a)) && !math.Signbit(float64(b))
}

func (r *Reference[T]) bitwise(values []T) {
	result := uint64(values[0])
	for _, v := range values[1:] {
		switch r.Op {
		case number.OpAnd:
			result &= uint64(v)
		case number.OpOr:
			result |= uint64(v)
		case number.OpXor:
			result ^= uint64(v)
		}
	}
	r.setExact(T(result))
}

func (r *Reference[T]) setExact(v T) {
	r.Value = v
	r.Exact = toBig(v)
}

// Wraps reports whether an element cannot hold the exact result, so that Value
// is far from it: an integer that wraps, a float that is infinite.
func (r Reference[T]) Wraps() bool {
	if r.Exact == nil {
		return false
	}
	v := toBig(r.Value)
	return v == nil || !r.Kind.Float() && v.Cmp(r.Exact) != 0
}

// String returns the exact result with up to 20 digits for floats, all for
// integers, and what the element makes of it where that differs.
func (r Reference[T]) String() string {
	if r.Exact == nil {
		return Format(r.Value)
	}
	text, rounded := Text(r.Exact, r.Kind), Format(r.Value)
	switch {
	case r.Wraps() && r.Kind.Float():
		return fmt.Sprintf("%s, which overflows %v to %s%s", text, r.Kind, rounded, widerHint(r.Exact))
	case r.Wraps():
		return fmt.Sprintf("%s, which wraps to %s in %v%s", text, rounded, r.Kind, widerHint(r.Exact))
	case r.Kind.Float() && text != rounded:
		return fmt.Sprintf("%s, nearest %v %s", text, r.Kind, rounded)
	}
	return text
}

// widerHint names a type of 64 bits with the range for x, if there is one.
func widerHint(x *big.Float) string {
	wide := number.F64
	if x.IsInt() {
		if _, accuracy := x.Int64(); accuracy == big.Exact {
			wide = number.I64
		} else if _, accuracy := x.Uint64(); accuracy == big.Exact {
			wide = number.U64
		}
	}
	if v, _ := x.Float64(); math.IsInf(v, 0) {
		return ""
	}
	return fmt.Sprintf(" (-type %v has the range)", wide)
}

func Text(x *big.Float, k number.Kind) string {
	if !k.Float() {
		return x.Text('f', 0)
	}
	if text := x.Text('g', 20); sameNumber(text, x) {
		return text
	}
	return x.Text('g', 20) + "…"
}

// sameNumber reports whether the decimal text is x exactly.
func sameNumber(text string, x *big.Float) bool {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return false
	}
	exact, _ := x.Rat(nil)
	return r.Cmp(exact) == 0
}

// toBig returns v exactly, nil for NaN and infinities.
func toBig[T number.Element](v T) *big.Float {
	switch v := any(v).(type) {
	case int32:
		return new(big.Float).SetInt64(int64(v))
	case int64:
		return new(big.Float).SetInt64(v)
	case uint32:
		return new(big.Float).SetUint64(uint64(v))
	case uint64:
		return new(big.Float).SetUint64(v)
	}
	f := float64(v)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil
	}
	return new(big.Float).SetFloat64(f)
}

// roundTo rounds to the nearest float of the type, ties to even.
func roundTo[T number.Element](x *big.Float) T {
	if number.Of[T]() == number.F32 {
		v, _ := x.Float32()
		return T(v)
	}
	v, _ := x.Float64()
	return T(v)
}

// Format writes v with as many digits as tell it from its neighbours.
func Format[T number.Element](v T) string {
	switch v := any(v).(type) {
	case float32:
		return formatFloat(float64(v), 32)
	case float64:
		return formatFloat(v, 64)
	}
	return fmt.Sprint(v)
}
