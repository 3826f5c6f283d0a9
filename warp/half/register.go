package half

import (
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
)

// A Number is one of the types of this package, with its arithmetic.
type Number[T any] interface {
	Float16 | BFloat16 | Pair[Float16] | Pair[BFloat16]
	Add(T) T
	Sub(T) T
	Mul(T) T
	FMA(b, c T) T
	Min(T) T
	Max(T) T
}

// Add sets dst to a + b in the active lanes. dst may be an operand, here and below.
func Add[T Number[T]](dst, a, b warp.Reg[T]) { warp.Map2(dst, a, b, isa.HFma, T.Add) }

// Sub sets dst to a - b.
func Sub[T Number[T]](dst, a, b warp.Reg[T]) { warp.Map2(dst, a, b, isa.HFma, T.Sub) }

// Mul sets dst to a*b.
func Mul[T Number[T]](dst, a, b warp.Reg[T]) { warp.Map2(dst, a, b, isa.HFma, T.Mul) }

// Min sets dst to the lesser of a and b, see [Float.Min].
func Min[T Number[T]](dst, a, b warp.Reg[T]) { warp.Map2(dst, a, b, isa.HFma, T.Min) }

// Max sets dst to the greater of a and b.
func Max[T Number[T]](dst, a, b warp.Reg[T]) { warp.Map2(dst, a, b, isa.HFma, T.Max) }

// FMA sets dst to a*b + c, rounded once: one instruction.
func FMA[T Number[T]](dst, a, b, c warp.Reg[T]) { warp.Map3(dst, a, b, c, isa.HFma, T.FMA) }

// Widen sets dst to the value of a, by one conversion.
func Widen[T single[T]](dst warp.Reg[float32], a warp.Reg[T]) {
	warp.Map1(dst, a, isa.Convert, func(x T) float32 { return float32(x.Float64()) })
}

// Narrow sets dst to the nearest number to a, by one conversion.
func Narrow[T Float16 | BFloat16](dst warp.Reg[T], a warp.Reg[float32]) {
	warp.Map1(dst, a, isa.Convert, func(x float32) T { return Of[T](float64(x)) })
}
