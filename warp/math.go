package warp

import (
	"unsafe"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp/internal/elementary"
	"example.com/warpsim/warp/isa"
)

// A Single is any float type of 32 bits.
type Single interface{ ~float32 }

// The functions below set dst to the value for each active lane, by the instructions
// that a compiler makes of it; those are of one vendor, and for devices of others an
// estimate. What a result is undefined for is undefined.
//
// Single precision follows the algorithms that the compiler of compute capability 9.0
// emits, step by step: Log, Log2, Sin and Cos give the chip's bits, and Sqrt, Rcp and Div
// are rounded correctly, here and there. Those that use the approximations of the special
// unit, the functions with Fast in their name too, differ in the last places, as its tables
// are not published. In double precision Sqrt, Rcp and Div are rounded correctly; the
// others are those of Go's package math.

// Exp sets dst to e to the power a.
func Exp[T Float](dst, a Reg[T]) { function(elementary.Exp, dst, a, a) }

// Exp2 sets dst to 2 to the power a.
func Exp2[T Float](dst, a Reg[T]) { function(elementary.Exp2, dst, a, a) }

// Log sets dst to the natural logarithm of a.
func Log[T Float](dst, a Reg[T]) { function(elementary.Log, dst, a, a) }

// Log2 sets dst to the logarithm of a to base 2.
func Log2[T Float](dst, a Reg[T]) { function(elementary.Log2, dst, a, a) }

// Sin sets dst to the sine of a, in radians. What the slow way of huge arguments
// costs is not counted.
func Sin[T Float](dst, a Reg[T]) { function(elementary.Sin, dst, a, a) }

// Cos sets dst to the cosine of a, in radians; see Sin.
func Cos[T Float](dst, a Reg[T]) { function(elementary.Cos, dst, a, a) }

// Sqrt sets dst to the square root of a, correctly rounded.
func Sqrt[T Float](dst, a Reg[T]) { function(elementary.Sqrt, dst, a, a) }

// Rsqrt sets dst to one by the square root of a.
func Rsqrt[T Float](dst, a Reg[T]) { function(elementary.Rsqrt, dst, a, a) }

// Rcp sets dst to 1/a, correctly rounded.
func Rcp[T Float](dst, a Reg[T]) { function(elementary.Rcp, dst, a, a) }

// Tanh sets dst to the hyperbolic tangent of a.
func Tanh[T Float](dst, a Reg[T]) { function(elementary.Tanh, dst, a, a) }

// Erf sets dst to the error function of a.
func Erf[T Float](dst, a Reg[T]) { function(elementary.Erf, dst, a, a) }

// Pow sets dst to a to the power b.
func Pow[T Float](dst, a, b Reg[T]) { function(elementary.Pow, dst, a, b) }

// FastExp sets dst to e to the power a by one multiplication and the special
// unit, as __expf does: its error grows with the argument.
func FastExp[T Single](dst, a Reg[T]) { function(elementary.FastExp, dst, a, a) }

// FastLog sets dst to the natural logarithm of a by the special unit, as __logf
// does.
func FastLog[T Single](dst, a Reg[T]) { function(elementary.FastLog, dst, a, a) }

// FastLog2 sets dst to the logarithm of a to base 2 by the special unit, as __log2f
// does.
func FastLog2[T Single](dst, a Reg[T]) { function(elementary.FastLog2, dst, a, a) }

// FastSin sets dst to the sine of a by the special unit, as __sinf does: good
// between -pi and pi.
func FastSin[T Single](dst, a Reg[T]) { function(elementary.FastSin, dst, a, a) }

// FastCos sets dst to the cosine of a by the special unit, as __cosf does: good
// between -pi and pi.
func FastCos[T Single](dst, a Reg[T]) { function(elementary.FastCos, dst, a, a) }

// FastRcp sets dst to 1/a by the special unit, as __fdividef(1, a) does.
func FastRcp[T Single](dst, a Reg[T]) { function(elementary.FastRcp, dst, a, a) }

// FastDiv sets dst to a/b by the special unit, as __fdividef does.
func FastDiv[T Single](dst, a, b Reg[T]) { function(elementary.FastDiv, dst, a, b) }

// FastTanh sets dst to the hyperbolic tangent of a by the special unit, as the
// instruction tanh.approx does.
func FastTanh[T Single](dst, a Reg[T]) { function(elementary.FastTanh, dst, a, a) }

// FastPow sets dst to a to the power b by the special unit, as __powf does.
func FastPow[T Single](dst, a, b Reg[T]) { function(elementary.FastPow, dst, a, b) }

func function[T Float](f elementary.Function, dst, a, b Reg[T]) {
	w := dst.w
	w.sameWarp(a.w)
	w.sameWarp(b.w)
	d, x, y := vals(dst), vals(a), vals(b)
	wide := unsafe.Sizeof(d[0]) == 8
	for i := range w.active.Lanes() {
		if wide {
			d[i] = T(f.Double(float64(x[i]), float64(y[i])))
		} else {
			d[i] = T(f.Single(float32(x[i]), float32(y[i])))
		}
	}
	w.written(dst.cell, a.undef.Or(*b.undef))
	w.emitSteps(f.Steps(wide), wide, dst.id, a.id, b.id)
}

// Div sets dst to a/b: for floats correctly rounded, for integers cut towards
// zero. Integers have no instruction for it; a divisor that is not known when
// the kernel is compiled takes about twenty, of 64 bits about seventy. The quotient
// of an integer by 0 is undefined; in Mimic it has all bits set, as on the chip.
func Div[T Number](dst, a, b Reg[T]) { divide(dst, a, b, false) }

// Rem sets dst to the remainder of a/b, which has the sign of a. See Div for what
// it costs; the remainder by 0 is undefined, with all bits set.
func Rem[T Integer](dst, a, b Reg[T]) { divide(dst, a, b, true) }

func divide[T Number](dst, a, b Reg[T], remainder bool) {
	w := dst.w
	w.sameWarp(a.w)
	w.sameWarp(b.w)
	d, x, y := vals(dst), vals(a), vals(b)
	undef := a.undef.Or(*b.undef)
	switch dst.kind {
	case Float32, Float64:
		for i := range w.active.Lanes() {
			d[i] = x[i] / y[i]
		}
		w.written(dst.cell, undef)
		wide := dst.kind == Float64
		w.emitSteps(elementary.Div.Steps(wide), wide, dst.id, a.id, b.id)
		return
	}
	var zero lane.Mask
	for i := range w.active.Lanes() {
		switch {
		case y[i] == 0:
			d[i] = allOnes[T]()
			zero = zero.With(i)
		case remainder:
			d[i] = x[i] - x[i]/y[i]*y[i]
		default:
			d[i] = x[i] / y[i]
		}
	}
	w.written(dst.cell, undef.Or(zero))
	size := 8 * int(unsafe.Sizeof(d[0]))
	signed := dst.kind <= Int64
	w.emitSteps(elementary.IntegerSteps(size, signed, remainder), size == 64, dst.id, a.id, b.id)
}

// allOnes returns the integer with all bits set.
func allOnes[T Number]() T {
	var v T
	for i := range unsafe.Slice((*byte)(unsafe.Pointer(&v)), unsafe.Sizeof(v)) {
		*(*byte)(unsafe.Add(unsafe.Pointer(&v), i)) = 0xff
	}
	return v
}

// stepRow is the first of the rows that stand for the temporaries of a function
// in records: above those that a kernel can have.
const stepRow = isa.MaxRows - 2*elementary.MaxTemps

// emitSteps appends the records of a function. Those that a step does not guard
// are guarded as any other instruction here.
func (w *Warp) emitSteps(steps []elementary.Step, wide bool, dst, x, y isa.Reg) {
	guard := w.guard()
	reg := func(o elementary.Operand) isa.Reg {
		switch {
		case o == elementary.None:
			return isa.NoReg
		case o == elementary.X:
			return x
		case o == elementary.Y:
			return y
		case o == elementary.Result:
			return dst
		case o >= elementary.Predicate:
			return isa.Predicate(hiddenPred - int(o-elementary.Predicate))
		case wide:
			return isa.RowPair(stepRow + 2*int(o-elementary.Temp))
		}
		return isa.Row(stepRow + int(o-elementary.Temp)) // in either bank
	}
	for i := range steps {
		s := &steps[i]
		if s.Guard != elementary.None {
			w.setGuard(uint8(hiddenPred - int(s.Guard-elementary.Predicate) + 1))
		}
		r := isa.Instr{Op: s.Op, Dst: reg(s.Dst), A: reg(s.A), B: reg(s.B), C: reg(s.C)}
		if s.Op == isa.Branch && !s.Falls { // around the slow way
			r.Aux = isa.BranchTaken
		}
		if s.Calls {
			r.Count = isa.CallBranch
		}
		w.record(r)
		if s.Guard != elementary.None {
			w.setGuard(guard)
		}
	}
}
