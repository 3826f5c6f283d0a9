package reduce

import (
	"math"
	"slices"
	"unsafe"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
)

// Sum adds. Integers wrap; floats round after every addition. The identity is
// +0, which turns a sum of nothing but -0 into +0 where it takes part.
func Sum[T warp.Number]() Op[T] {
	o := Op[T]{Name: "sum", HasIdentity: true, Commutative: true,
		Combine: func(a, b T) T { return a + b },
		Apply:   warp.Add[T],
		Atomic: func(m warp.Mem[T], idx warp.Reg[int32], v warp.Reg[T]) {
			warp.AtomicReduce(warp.AtomicAdd, m, idx, v)
		},
		HasAtomic: func(p *device.Profile) bool { return slices.Contains(p.Rules.AtomicAdd, addKind[T]()) },
	}
	return withRedux(o, warp.ReduxAdd)
}

// Product multiplies. Integers wrap; floats round after every multiplication.
func Product[T warp.Number]() Op[T] {
	return Op[T]{Name: "product", Identity: 1, HasIdentity: true, Commutative: true,
		Combine: func(a, b T) T { return a * b },
		Apply:   warp.Mul[T],
	}
}

// Min keeps the smaller value. Of floats, a NaN gives way to any number, and -0
// is below +0. The identity is the largest value, +infinity for floats.
func Min[T warp.Number]() Op[T] {
	_, top := limits[T]()
	o := Op[T]{Name: "min", Identity: top, HasIdentity: true, Commutative: true,
		Combine: minimum[T],
		Apply:   warp.Min[T],
		Atomic: func(m warp.Mem[T], idx warp.Reg[int32], v warp.Reg[T]) {
			warp.AtomicReduce(warp.AtomicMin, m, idx, v)
		},
	}
	return withRedux(o, warp.ReduxMin)
}

// Max keeps the larger value, see Min. The identity is the smallest value,
// -infinity for floats.
func Max[T warp.Number]() Op[T] {
	bottom, _ := limits[T]()
	o := Op[T]{Name: "max", Identity: bottom, HasIdentity: true, Commutative: true,
		Combine: maximum[T],
		Apply:   warp.Max[T],
		Atomic: func(m warp.Mem[T], idx warp.Reg[int32], v warp.Reg[T]) {
			warp.AtomicReduce(warp.AtomicMax, m, idx, v)
		},
	}
	return withRedux(o, warp.ReduxMax)
}

// And is the bitwise and, with all bits set as its identity.
func And[T warp.Integer]() Op[T] {
	var zero T
	o := bitwise("and", ^zero, func(a, b T) T { return a & b }, warp.And[T], warp.AtomicAnd)
	return withRedux(o, warp.ReduxAnd)
}

// Or is the bitwise or.
func Or[T warp.Integer]() Op[T] {
	o := bitwise("or", 0, func(a, b T) T { return a | b }, warp.Or[T], warp.AtomicOr)
	return withRedux(o, warp.ReduxOr)
}

// Xor is the bitwise exclusive or.
func Xor[T warp.Integer]() Op[T] {
	o := bitwise("xor", 0, func(a, b T) T { return a ^ b }, warp.Xor[T], warp.AtomicXor)
	return withRedux(o, warp.ReduxXor)
}

func bitwise[T warp.Integer](name string, identity T, combine func(a, b T) T, apply func(dst, a, b warp.Reg[T]), atomic warp.AtomicOp) Op[T] {
	return Op[T]{Name: name, Identity: identity, HasIdentity: true, Commutative: true,
		Combine: combine, Apply: apply,
		Atomic: func(m warp.Mem[T], idx warp.Reg[int32], v warp.Reg[T]) {
			warp.AtomicReduce(atomic, m, idx, v)
		},
	}
}

// withRedux gives an operator on 32-bit words its hardware reduction; other
// types have none on any device.
func withRedux[T any](o Op[T], op warp.ReduxOp) Op[T] {
	typ := ""
	var f any
	switch any(o.Identity).(type) {
	case int32:
		typ, f = "i32.", func(dst, src warp.Reg[int32]) { warp.Redux(op, dst, src) }
	case uint32:
		typ, f = "u32.", func(dst, src warp.Reg[uint32]) { warp.Redux(op, dst, src) }
	default:
		return o
	}
	if op >= warp.ReduxAnd {
		typ = "b32."
	}
	name := typ + op.String()
	o.Redux = f.(func(dst, src warp.Reg[T]))
	o.HasRedux = func(p *device.Profile) bool { return slices.Contains(p.Rules.Redux, name) }
	return o
}

// addKind returns how profiles name an atomic addition of T: sums of signed and
// unsigned words of one size are the same instruction.
func addKind[T warp.Number]() string {
	var zero T
	wide := unsafe.Sizeof(zero) == 8
	switch {
	case isFloat[T]() && wide:
		return "f64"
	case isFloat[T]():
		return "f32"
	case wide:
		return "u64"
	case unsafe.Sizeof(zero) == 4:
		return "u32"
	}
	return "u8" // no device adds less than a word
}

func isFloat[T warp.Number]() bool { return T(1)/2 != 0 }

func isWide[T any]() bool {
	var zero T
	return unsafe.Sizeof(zero) == 8
}

// limits returns the smallest and the largest value of T, infinities for
// floats.
func limits[T warp.Number]() (bottom, top T) {
	if isFloat[T]() {
		inf := math.Inf(1)
		return T(-inf), T(inf)
	}
	var zero T
	bits := unsafe.Sizeof(zero) * 8
	all := ^uint64(0) >> (64 - bits)
	if zero-1 > zero {
		return 0, T(all)
	}
	return T(-int64(all>>1) - 1), T(all >> 1)
}

// minimum and maximum follow IEEE 754-2019 minimumNumber and maximumNumber, as
// the engine's instructions do.
func minimum[T warp.Number](a, b T) T {
	switch {
	case a < b || b != b:
		return a
	case b < a || a != a:
		return b
	case negative(a):
		return a
	}
	return b
}

func maximum[T warp.Number](a, b T) T {
	switch {
	case a > b || b != b:
		return a
	case b > a || a != a:
		return b
	case negative(a):
		return b
	}
	return a
}

// negative tells -0 from +0.
func negative[T warp.Number](zero T) bool { return zero == 0 && isFloat[T]() && 1/float64(zero) < 0 }
