package reduce

import (
	"math"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
)

// A Float is a floating-point type.
type Float interface{ ~float32 | ~float64 }

// NewSequence is New for an operator of several instructions, each of which
// depends on the one before.
func NewSequence[T any](name string, costs []isa.Op, combine func(a, b T) T) Op[T] {
	o := New(name, isa.Mov, combine)
	if len(costs) == 0 {
		return o
	}
	keep := func(x, _ T) T { return x }
	o.Apply = func(dst, a, b warp.Reg[T]) {
		if len(costs) == 1 {
			warp.Map2(dst, a, b, costs[0], combine)
			return
		}
		w := dst.Warp()
		m := w.Mark()
		t := warp.Alloc[T](w)
		warp.Map2(t, a, b, costs[0], combine)
		for _, c := range costs[1 : len(costs)-1] {
			warp.Map2(t, t, t, c, keep)
		}
		warp.Map2(dst, t, t, costs[len(costs)-1], keep)
		w.Release(m)
	}
	return o
}

// arithmetic returns the instruction classes of T: add, multiply, compare.
func arithmetic[T warp.Number]() (add, mul, cmp isa.Op) {
	switch {
	case !isFloat[T]():
		return isa.IAdd, isa.IMul, isa.ICmp
	case isWide[T]():
		return isa.DAdd, isa.DMul, isa.DCmp
	}
	return isa.FAdd, isa.FMul, isa.FCmp
}

// An Indexed is a value and where it was found.
type Indexed[T warp.Number] struct {
	Value T
	Index int32
}

// ArgMin keeps the smaller value with its index; of equal values, the one with
// the lower index, so that the result does not depend on the order. Of floats,
// a NaN is above every number. The identity is the largest value with index -1,
// which gives way to any index.
func ArgMin[T warp.Number]() Op[Indexed[T]] {
	_, top := limits[T]()
	return arg("argmin", top, func(a, b T) bool { return a < b || b != b && a == a })
}

// ArgMax keeps the larger value, see ArgMin; a NaN is below every number.
func ArgMax[T warp.Number]() Op[Indexed[T]] {
	bottom, _ := limits[T]()
	return arg("argmax", bottom, func(a, b T) bool { return a > b || b != b && a == a })
}

func arg[T warp.Number](name string, identity T, before func(a, b T) bool) Op[Indexed[T]] {
	_, _, cmp := arithmetic[T]()
	return NewSequence(name, []isa.Op{cmp, isa.ICmp, isa.Select, isa.Select}, func(a, b Indexed[T]) Indexed[T] {
		switch {
		case a.Index < 0 || b.Index < 0:
			if a.Index < 0 {
				return b
			}
			return a
		case before(a.Value, b.Value):
			return a
		case before(b.Value, a.Value):
			return b
		case a.Index <= b.Index:
			return a
		}
		return b
	}).WithIdentity(Indexed[T]{identity, -1}).Commuting()
}

// All tells whether all values are true.
func All() Op[bool] {
	return New("all", isa.Logic, func(a, b bool) bool { return a && b }).WithIdentity(true).Commuting()
}

// Any tells whether any value is true.
func Any() Op[bool] {
	return New("any", isa.Logic, func(a, b bool) bool { return a || b }).WithIdentity(false).Commuting()
}

// A Bounds is the smallest and the largest of some values.
type Bounds[T warp.Number] struct{ Min, Max T }

// MinMax finds both ends at once; each item starts as the bounds of itself.
func MinMax[T warp.Number]() Op[Bounds[T]] {
	bottom, top := limits[T]()
	op := isa.IMinMax
	if isFloat[T]() {
		op = isa.FMinMax
	}
	return NewSequence("minmax", []isa.Op{op, op}, func(a, b Bounds[T]) Bounds[T] {
		return Bounds[T]{minimum(a.Min, b.Min), maximum(a.Max, b.Max)}
	}).WithIdentity(Bounds[T]{top, bottom}).Commuting()
}

// A Moments is the number, mean and sum of squared deviations of some values;
// the variance is M2/N, or M2/(N-1) of a sample. A single value x is
// Moments{1, x, 0}.
type Moments[T Float] struct{ N, Mean, M2 T }

// Variance combines moments as Chan, Golub and LeVeque do, the parallel form of
// Welford's method. Its results commute but for rounding.
func Variance[T Float]() Op[Moments[T]] {
	add, mul, _ := arithmetic[T]()
	return NewSequence("variance", []isa.Op{add, add, isa.Special, mul, mul, add, mul, mul, add, add}, func(a, b Moments[T]) Moments[T] {
		n := a.N + b.N
		if n == 0 {
			return Moments[T]{}
		}
		d := b.Mean - a.Mean
		part := b.N / n
		return Moments[T]{
			N:    n,
			Mean: a.Mean + T(d*part),
			M2:   T(a.M2+b.M2) + T(T(d*d)*T(a.N*part)),
		}
	}).WithIdentity(Moments[T]{}).Commuting()
}

// A LogSum stands for the logarithm of a sum of exponentials, Max + log(Sum). A
// single exponent x is LogSum{x, 1}.
type LogSum[T Float] struct{ Max, Sum T }

// Value returns the logarithm: -infinity for no exponents.
func (l LogSum[T]) Value() T {
	if l.Sum == 0 {
		return T(math.Inf(-1))
	}
	return l.Max + T(math.Log(float64(l.Sum)))
}

// LogSumExp adds exponentials without overflow: the running maximum and the sum
// scaled by it, as a softmax in one pass keeps them.
func LogSumExp[T Float]() Op[LogSum[T]] {
	add, mul, _ := arithmetic[T]()
	return NewSequence("logsumexp", []isa.Op{isa.FMinMax, add, mul, isa.Special, mul, add}, func(a, b LogSum[T]) LogSum[T] {
		if a.Max < b.Max {
			a, b = b, a
		}
		if b.Sum == 0 {
			return a
		}
		if a.Sum == 0 {
			return b
		}
		return LogSum[T]{a.Max, a.Sum + T(b.Sum*T(math.Exp(float64(b.Max-a.Max))))}
	}).WithIdentity(LogSum[T]{Max: T(math.Inf(-1))}).Commuting()
}

// An Affine is the map x -> A*x + B.
type Affine[T warp.Number] struct{ A, B T }

// Compose composes affine maps: first the left one, then the right one. It does
// not commute; its scans solve first-order recurrences.
func Compose[T warp.Number]() Op[Affine[T]] {
	add, mul, _ := arithmetic[T]()
	return NewSequence("compose", []isa.Op{mul, mul, add}, func(f, g Affine[T]) Affine[T] {
		return Affine[T]{f.A * g.A, T(f.B*g.A) + g.B}
	}).WithIdentity(Affine[T]{A: 1})
}

// A Compensated is a float sum and the rounding errors that it has left out; the
// best value is Sum + Lost. A single value x is Compensated{x, 0}.
type Compensated[T Float] struct{ Sum, Lost T }

// KahanSum adds with the errors of rounding kept aside, by Knuth's two-sum: a
// sum nearly as good as one of twice the precision. Its results commute but for
// rounding of what was lost.
func KahanSum[T Float]() Op[Compensated[T]] {
	add, _, _ := arithmetic[T]()
	return NewSequence("kahan", []isa.Op{add, add, add, add, add, add, add, add}, func(a, b Compensated[T]) Compensated[T] {
		s := a.Sum + b.Sum
		right := s - a.Sum
		err := (a.Sum - (s - right)) + (b.Sum - right)
		return Compensated[T]{s, (a.Lost + b.Lost) + err}
	}).WithIdentity(Compensated[T]{}).Commuting()
}
