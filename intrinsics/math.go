package intrinsics

import (
	"math"
	"unsafe"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/elementary"
	"example.com/warpsim/warp/isa"
)

// The functions of this file compute a value and book the instructions that a
// compiler makes of it, see Thread.Work; plain Go would be free. What they give
// is said in package elementary.

// A Float is any float type of 32 or 64 bits.
type Float = warp.Float

// FMA returns a*b + c rounded once.
func FMA[T Float](t *Thread, a, b, c T) T {
	if unsafe.Sizeof(a) == 8 {
		t.Work(isa.DFma, 1)
		return T(math.FMA(float64(a), float64(b), float64(c)))
	}
	t.Work(isa.FFma, 1)
	return T(elementary.FMA32(float32(a), float32(b), float32(c)))
}

// Exp returns e to the power x.
func Exp[T Float](t *Thread, x T) T { return function(t, elementary.Exp, x, x) }

// Exp2 returns 2 to the power x.
func Exp2[T Float](t *Thread, x T) T { return function(t, elementary.Exp2, x, x) }

// Log returns the natural logarithm of x.
func Log[T Float](t *Thread, x T) T { return function(t, elementary.Log, x, x) }

// Log2 returns the logarithm of x to base 2.
func Log2[T Float](t *Thread, x T) T { return function(t, elementary.Log2, x, x) }

// Sin returns the sine of x in radians.
func Sin[T Float](t *Thread, x T) T { return function(t, elementary.Sin, x, x) }

// Cos returns the cosine of x in radians.
func Cos[T Float](t *Thread, x T) T { return function(t, elementary.Cos, x, x) }

// Sqrt returns the square root of x, correctly rounded.
func Sqrt[T Float](t *Thread, x T) T { return function(t, elementary.Sqrt, x, x) }

// Rsqrt returns one by the square root of x.
func Rsqrt[T Float](t *Thread, x T) T { return function(t, elementary.Rsqrt, x, x) }

// Rcp returns 1/x, correctly rounded.
func Rcp[T Float](t *Thread, x T) T { return function(t, elementary.Rcp, x, x) }

// Div returns x/y, correctly rounded.
func Div[T Float](t *Thread, x, y T) T { return function(t, elementary.Div, x, y) }

// Tanh returns the hyperbolic tangent of x.
func Tanh[T Float](t *Thread, x T) T { return function(t, elementary.Tanh, x, x) }

// Erf returns the error function of x.
func Erf[T Float](t *Thread, x T) T { return function(t, elementary.Erf, x, x) }

// Pow returns x to the power y.
func Pow[T Float](t *Thread, x, y T) T { return function(t, elementary.Pow, x, y) }

// FastExp is __expf.
func FastExp(t *Thread, x float32) float32 { return function(t, elementary.FastExp, x, x) }

// FastLog is __logf.
func FastLog(t *Thread, x float32) float32 { return function(t, elementary.FastLog, x, x) }

// FastLog2 is __log2f.
func FastLog2(t *Thread, x float32) float32 { return function(t, elementary.FastLog2, x, x) }

// FastSin is __sinf.
func FastSin(t *Thread, x float32) float32 { return function(t, elementary.FastSin, x, x) }

// FastCos is __cosf.
func FastCos(t *Thread, x float32) float32 { return function(t, elementary.FastCos, x, x) }

// FastDiv is __fdividef.
func FastDiv(t *Thread, x, y float32) float32 { return function(t, elementary.FastDiv, x, y) }

// FastTanh is the instruction tanh.approx.
func FastTanh(t *Thread, x float32) float32 { return function(t, elementary.FastTanh, x, x) }

// FastPow is __powf.
func FastPow(t *Thread, x, y float32) float32 { return function(t, elementary.FastPow, x, y) }

// Quo returns x/y cut towards zero, by the instructions of a division by a number
// that is not known when the kernel is compiled: about twenty, of 64 bits about
// seventy. A quotient by 0 is undefined; like the chip, it has all bits set.
func Quo[T Integer](t *Thread, x, y T) T { return integer(t, x, y, false) }

// Rem returns the remainder of x/y, which has the sign of x; see Quo.
func Rem[T Integer](t *Thread, x, y T) T { return integer(t, x, y, true) }

func function[T Float](t *Thread, f elementary.Function, x, y T) T {
	if unsafe.Sizeof(x) == 8 {
		t.book(&bookedDouble[f])
		return T(f.Double(float64(x), float64(y)))
	}
	t.book(&bookedSingle[f])
	return T(f.Single(float32(x), float32(y)))
}

func integer[T Integer](t *Thread, x, y T, remainder bool) T {
	signed := ^T(0) < 0
	b := &bookedInteger[0]
	switch {
	case unsafe.Sizeof(x) == 8:
		b = &bookedInteger[4]
	case signed && remainder:
		b = &bookedInteger[3]
	case signed:
		b = &bookedInteger[2]
	case remainder:
		b = &bookedInteger[1]
	}
	t.book(b)
	switch {
	case y == 0:
		return ^T(0)
	case remainder:
		return x - x/y*y
	}
	return x / y
}

// A booking is how many instructions of each op a function takes.
type booking []struct {
	op isa.Op
	n  int
}

func (t *Thread) book(b *booking) {
	for _, e := range *b {
		t.Work(e.op, e.n)
	}
}

// count adds up the instructions of a function that compute. What branches around
// the slow ways cost is left out.
func count(steps []elementary.Step) booking {
	var b booking
	var n [isa.NumOps]int
	for _, s := range steps {
		if s.Op.Computes() {
			n[s.Op]++
		}
	}
	for op, k := range n {
		if k > 0 {
			b = append(b, struct {
				op isa.Op
				n  int
			}{isa.Op(op), k})
		}
	}
	return b
}

var (
	bookedSingle  = bookings(false)
	bookedDouble  = bookings(true)
	bookedInteger = [5]booking{
		count(elementary.IntegerSteps(32, false, false)), count(elementary.IntegerSteps(32, false, true)),
		count(elementary.IntegerSteps(32, true, false)), count(elementary.IntegerSteps(32, true, true)),
		count(elementary.IntegerSteps(64, false, false)),
	}
)

func bookings(wide bool) []booking {
	var all []booking
	for _, f := range elementary.Functions() {
		all = append(all, count(f.Steps(wide)))
	}
	return all
}
