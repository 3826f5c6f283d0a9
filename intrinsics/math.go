package intrinsics

import (
	"unsafe"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
)

// The functions of this file compute a value and book the instructions that a
// compiler makes of it, see Thread.Work; plain Go would be free. What they give
// is said at the functions of the same names in package warp.

// Add returns a + b, booked as one instruction, or those of 64-bit integers.
func Add[T warp.Number](t *Thread, a, b T) T { return binary(t, &addOps, a, b, a+b) }

// Sub returns a - b, see Add.
func Sub[T warp.Number](t *Thread, a, b T) T { return binary(t, &addOps, a, b, a-b) }

// Mul returns a*b, see Add.
func Mul[T warp.Number](t *Thread, a, b T) T { return binary(t, &mulOps, a, b, a*b) }

// Min returns the lesser of a and b, see Add. Of floats it is the number if one is NaN,
// and -0 is less than +0.
func Min[T warp.Number](t *Thread, a, b T) T {
	v := b
	if a < b || b != b || a == b && a == 0 && 1/float64(a) < 0 {
		v = a
	}
	return binary(t, &minOps, a, b, v)
}

// Max returns the greater of a and b, see Min.
func Max[T warp.Number](t *Thread, a, b T) T {
	v := b
	if a > b || b != b || a == b && a == 0 && 1/float64(a) > 0 {
		v = a
	}
	return binary(t, &minOps, a, b, v)
}

// FMA returns a*b + c rounded once.
func FMA[T warp.Float](t *Thread, a, b, c T) T {
	v := T(mathFMA.of(int(sizeOf[T]())).Apply(float64(a), float64(b), float64(c)))
	x := known(v, a, b)
	x.ops, x.n = opsOf[T](&fmaOps), 1
	x.in[2], x.ins = bitsOf(c), 3
	t.book(x)
	return v
}

// Exp returns e to the power x.
func Exp[T warp.Float](t *Thread, x T) T { return function(t, &mathExp, x, x) }

// Exp2 returns 2 to the power x.
func Exp2[T warp.Float](t *Thread, x T) T { return function(t, &mathExp2, x, x) }

// Log returns the natural logarithm of x.
func Log[T warp.Float](t *Thread, x T) T { return function(t, &mathLog, x, x) }

// Log2 returns the logarithm of x to base 2.
func Log2[T warp.Float](t *Thread, x T) T { return function(t, &mathLog2, x, x) }

// Sin returns the sine of x in radians.
func Sin[T warp.Float](t *Thread, x T) T { return function(t, &mathSin, x, x) }

// Cos returns the cosine of x in radians.
func Cos[T warp.Float](t *Thread, x T) T { return function(t, &mathCos, x, x) }

// Sqrt returns the square root of x, correctly rounded.
func Sqrt[T warp.Float](t *Thread, x T) T { return function(t, &mathSqrt, x, x) }

// Rsqrt returns one by the square root of x.
func Rsqrt[T warp.Float](t *Thread, x T) T { return function(t, &mathRsqrt, x, x) }

// Rcp returns 1/x, correctly rounded.
func Rcp[T warp.Float](t *Thread, x T) T { return function(t, &mathRcp, x, x) }

// Div returns x/y, correctly rounded.
func Div[T warp.Float](t *Thread, x, y T) T { return function(t, &mathDiv, x, y) }

// Tanh returns the hyperbolic tangent of x.
func Tanh[T warp.Float](t *Thread, x T) T { return function(t, &mathTanh, x, x) }

// Erf returns the error function of x.
func Erf[T warp.Float](t *Thread, x T) T { return function(t, &mathErf, x, x) }

// Pow returns x to the power y.
func Pow[T warp.Float](t *Thread, x, y T) T { return function(t, &mathPow, x, y) }

// FastExp is __expf.
func FastExp(t *Thread, x float32) float32 { return function(t, &mathFastExp, x, x) }

// FastLog is __logf.
func FastLog(t *Thread, x float32) float32 { return function(t, &mathFastLog, x, x) }

// FastLog2 is __log2f.
func FastLog2(t *Thread, x float32) float32 { return function(t, &mathFastLog2, x, x) }

// FastSin is __sinf.
func FastSin(t *Thread, x float32) float32 { return function(t, &mathFastSin, x, x) }

// FastCos is __cosf.
func FastCos(t *Thread, x float32) float32 { return function(t, &mathFastCos, x, x) }

// FastDiv is __fdividef.
func FastDiv(t *Thread, x, y float32) float32 { return function(t, &mathFastDiv, x, y) }

// FastTanh is the instruction tanh.approx.
func FastTanh(t *Thread, x float32) float32 { return function(t, &mathFastTanh, x, x) }

// FastPow is __powf.
func FastPow(t *Thread, x, y float32) float32 { return function(t, &mathFastPow, x, y) }

// Quo returns x/y cut towards zero, by the instructions of a division by a number
// that is not known when the kernel is compiled: about twenty, of 64 bits about
// seventy. A quotient by 0 is undefined; like the chip, it has all bits set.
func Quo[T warp.Integer](t *Thread, x, y T) T { return integer(t, x, y, false) }

// Rem returns the remainder of x/y, which has the sign of x; see Quo.
func Rem[T warp.Integer](t *Thread, x, y T) T { return integer(t, x, y, true) }

func function[T warp.Float](t *Thread, f *maths, x, y T) T {
	m := f.of(int(unsafe.Sizeof(x)))
	v := T(m.Apply(float64(x), float64(y), 0))
	b := known(v, x, y)
	b.math = m
	t.book(b)
	return v
}

func integer[T warp.Integer](t *Thread, x, y T, remainder bool) T {
	var v T
	switch {
	case y == 0:
		v = ^T(0)
	case remainder:
		v = x - x/y*y
	default:
		v = x / y
	}
	f := &mathQuotient
	switch signed := ^T(0) < 0; {
	case signed && remainder:
		f = &mathRemainder
	case signed:
	case remainder:
		f = &mathUnsignedRemainder
	default:
		f = &mathUnsignedQuotient
	}
	b := known(v, x, y)
	b.math = f.of(int(unsafe.Sizeof(x)))
	t.book(b)
	return v
}

// maths is a function for numbers of up to 32 bits and for those of 64.
type maths [2]warp.Math

func (m *maths) of(size int) warp.Math { return m[size/8] }

func mathOf(name string) (m maths) {
	m[0], _ = warp.MathOf(name, 32)
	m[1], _ = warp.MathOf(name, 64)
	return m
}

var (
	mathExp      = mathOf("exp")
	mathExp2     = mathOf("exp2")
	mathLog      = mathOf("log")
	mathLog2     = mathOf("log2")
	mathSin      = mathOf("sin")
	mathCos      = mathOf("cos")
	mathSqrt     = mathOf("sqrt")
	mathRsqrt    = mathOf("rsqrt")
	mathRcp      = mathOf("rcp")
	mathDiv      = mathOf("div")
	mathTanh     = mathOf("tanh")
	mathErf      = mathOf("erf")
	mathPow      = mathOf("pow")
	mathFastExp  = mathOf("fast exp")
	mathFastLog  = mathOf("fast log")
	mathFastLog2 = mathOf("fast log2")
	mathFastSin  = mathOf("fast sin")
	mathFastCos  = mathOf("fast cos")
	mathFastDiv  = mathOf("fast div")
	mathFastTanh = mathOf("fast tanh")
	mathFastPow  = mathOf("fast pow")
	mathFMA      = mathOf("fma")

	mathQuotient          = mathOf("quotient")
	mathRemainder         = mathOf("remainder")
	mathUnsignedQuotient  = mathOf("unsigned quotient")
	mathUnsignedRemainder = mathOf("unsigned remainder")
)

func binary[T warp.Number](t *Thread, ops *kindOps, a, b, v T) T {
	x := known(v, a, b)
	x.ops, x.n = opsOf[T](ops), 1
	t.book(x)
	return v
}

// A kindOps is what an operation takes on integers of up to 32 bits, of 64, and on
// floats of 32 and 64 bits: as that of the same name in package warp.
type kindOps [4][]isa.Op

var (
	addOps = kindOps{{isa.IAdd}, {isa.IAdd, isa.IAdd}, {isa.FAdd}, {isa.DAdd}}
	mulOps = kindOps{{isa.IMul}, {isa.IMul, isa.IMul, isa.IMul}, {isa.FMul}, {isa.DMul}}
	minOps = kindOps{{isa.IMinMax}, {isa.ICmp, isa.ICmp, isa.Select, isa.Select}, {isa.FMinMax}, {isa.DCmp, isa.Select, isa.Select}}
	fmaOps = kindOps{2: {isa.FFma}, 3: {isa.DFma}}
)

// opsOf returns the ops for values of a type.
func opsOf[T warp.Number](k *kindOps) []isa.Op {
	i := 0
	if half := 0.5; T(half) != 0 {
		i = 2
	}
	if sizeOf[T]() == 8 {
		i++
	}
	return k[i]
}

// known is a booking that reads a and b and makes v.
func known[T warp.Number](v, a, b T) booking {
	x := booking{in: [3]uint64{bitsOf(a), bitsOf(b)}, out: bitsOf(v), ins: 2, size: 4}
	if unsafe.Sizeof(v) == 8 {
		x.size = 8
	}
	return x
}

// bitsOf returns the bits of a number.
func bitsOf[T warp.Number](v T) uint64 {
	switch unsafe.Sizeof(v) {
	case 1:
		return uint64(*(*uint8)(unsafe.Pointer(&v)))
	case 2:
		return uint64(*(*uint16)(unsafe.Pointer(&v)))
	case 4:
		return uint64(*(*uint32)(unsafe.Pointer(&v)))
	}
	return *(*uint64)(unsafe.Pointer(&v))
}
