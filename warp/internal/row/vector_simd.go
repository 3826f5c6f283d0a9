//go:build goexperiment.simd && amd64

package row

import (
	"simd/archsimd"
	"unsafe"

	"example.com/warpsim/lane"
)

// Vectors says that this build has vector forms.
const Vectors = true

// vector reports whether the processor has the instructions.
var vector = archsimd.X86.AVX512()

// The vector forms go through rows by pairs of vectors, 128 bytes: a row of 32
// words is one pair, without a loop. They load and store whole aligned vectors
// and blend what is not active, since a load that covers a masked store, or parts
// of two stores, waits until they are in the cache.
type (
	words = archsimd.Uint32x16
	longs = archsimd.Uint64x8
)

func wordsAt(p unsafe.Pointer, at int) words {
	return archsimd.LoadUint32x16((*[16]uint32)(unsafe.Add(p, at)))
}

func longsAt(p unsafe.Pointer, at int) longs {
	return archsimd.LoadUint64x8((*[8]uint64)(unsafe.Add(p, at)))
}

func putWords(p unsafe.Pointer, at int, v words) { v.Store((*[16]uint32)(unsafe.Add(p, at))) }

// VectorOps returns the set of operations, a bit each, that VectorBinary does on
// rows of an element and number of lanes. Min and Max of floats are left to the
// plain form, since the vector instructions take NaN and -0 otherwise.
func VectorOps(e Elem, lanes int) uint16 {
	switch e {
	case Int32, Uint32, Int64, Uint64:
		if vectors(e, lanes) {
			return 1<<(AndNot+1) - 1
		}
	case Float32, Float64:
		if vectors(e, lanes) {
			return 1<<(Mul+1) - 1
		}
	}
	return 0
}

// vectors reports whether rows of 4 or 8 bytes a lane are pairs of vectors.
func vectors(e Elem, lanes int) bool { return vector && lanes >= 32>>(e&1) }

// VectorBinary is Binary and BinaryInt by vector instructions, for the lanes of
// m and operations of VectorOps. The results have the same bits.
func VectorBinary(e Elem, op BinaryOp, d, x, y unsafe.Pointer, lanes int, m lane.Mask) {
	const signed, unsigned, float = uint(Int32) >> 1 << 4, uint(Uint32) >> 1 << 4, uint(Float32) >> 1 << 4
	long := e & 1 // 64-bit elements are the odd ones
	for {
		a0, a1, b0, b1 := wordsAt(x, 0), wordsAt(x, 64), wordsAt(y, 0), wordsAt(y, 64)
		if long == 0 {
			switch uint(e)>>1<<4 | uint(op) {
			case signed | uint(Add), unsigned | uint(Add):
				a0, a1 = a0.Add(b0), a1.Add(b1)
			case float | uint(Add):
				a0, a1 = a0.AsFloat32x16().Add(b0.AsFloat32x16()).AsUint32x16(), a1.AsFloat32x16().Add(b1.AsFloat32x16()).AsUint32x16()
			case signed | uint(Sub), unsigned | uint(Sub):
				a0, a1 = a0.Sub(b0), a1.Sub(b1)
			case float | uint(Sub):
				a0, a1 = a0.AsFloat32x16().Sub(b0.AsFloat32x16()).AsUint32x16(), a1.AsFloat32x16().Sub(b1.AsFloat32x16()).AsUint32x16()
			case signed | uint(Mul), unsigned | uint(Mul):
				a0, a1 = a0.Mul(b0), a1.Mul(b1)
			case float | uint(Mul):
				a0, a1 = a0.AsFloat32x16().Mul(b0.AsFloat32x16()).AsUint32x16(), a1.AsFloat32x16().Mul(b1.AsFloat32x16()).AsUint32x16()
			case unsigned | uint(Min):
				a0, a1 = a0.Min(b0), a1.Min(b1)
			case signed | uint(Min):
				a0, a1 = a0.AsInt32x16().Min(b0.AsInt32x16()).AsUint32x16(), a1.AsInt32x16().Min(b1.AsInt32x16()).AsUint32x16()
			case unsigned | uint(Max):
				a0, a1 = a0.Max(b0), a1.Max(b1)
			case signed | uint(Max):
				a0, a1 = a0.AsInt32x16().Max(b0.AsInt32x16()).AsUint32x16(), a1.AsInt32x16().Max(b1.AsInt32x16()).AsUint32x16()
			case signed | uint(And), unsigned | uint(And):
				a0, a1 = a0.And(b0), a1.And(b1)
			case signed | uint(Or), unsigned | uint(Or):
				a0, a1 = a0.Or(b0), a1.Or(b1)
			case signed | uint(Xor), unsigned | uint(Xor):
				a0, a1 = a0.Xor(b0), a1.Xor(b1)
			case signed | uint(AndNot), unsigned | uint(AndNot):
				a0, a1 = a0.AndNot(b0), a1.AndNot(b1)
			}
			if on := uint32(m.Lo); on != 1<<32-1 {
				a0 = a0.Merge(wordsAt(d, 0), archsimd.Mask32x16FromBits(uint16(on)))
				a1 = a1.Merge(wordsAt(d, 64), archsimd.Mask32x16FromBits(uint16(on>>16)))
			}
		} else {
			switch uint(e)>>1<<4 | uint(op) {
			case signed | uint(Add), unsigned | uint(Add):
				a0, a1 = a0.AsUint64x8().Add(b0.AsUint64x8()).AsUint32x16(), a1.AsUint64x8().Add(b1.AsUint64x8()).AsUint32x16()
			case float | uint(Add):
				a0, a1 = a0.AsFloat64x8().Add(b0.AsFloat64x8()).AsUint32x16(), a1.AsFloat64x8().Add(b1.AsFloat64x8()).AsUint32x16()
			case signed | uint(Sub), unsigned | uint(Sub):
				a0, a1 = a0.AsUint64x8().Sub(b0.AsUint64x8()).AsUint32x16(), a1.AsUint64x8().Sub(b1.AsUint64x8()).AsUint32x16()
			case float | uint(Sub):
				a0, a1 = a0.AsFloat64x8().Sub(b0.AsFloat64x8()).AsUint32x16(), a1.AsFloat64x8().Sub(b1.AsFloat64x8()).AsUint32x16()
			case signed | uint(Mul), unsigned | uint(Mul):
				a0, a1 = a0.AsUint64x8().Mul(b0.AsUint64x8()).AsUint32x16(), a1.AsUint64x8().Mul(b1.AsUint64x8()).AsUint32x16()
			case float | uint(Mul):
				a0, a1 = a0.AsFloat64x8().Mul(b0.AsFloat64x8()).AsUint32x16(), a1.AsFloat64x8().Mul(b1.AsFloat64x8()).AsUint32x16()
			case unsigned | uint(Min):
				a0, a1 = a0.AsUint64x8().Min(b0.AsUint64x8()).AsUint32x16(), a1.AsUint64x8().Min(b1.AsUint64x8()).AsUint32x16()
			case signed | uint(Min):
				a0, a1 = a0.AsInt64x8().Min(b0.AsInt64x8()).AsUint32x16(), a1.AsInt64x8().Min(b1.AsInt64x8()).AsUint32x16()
			case unsigned | uint(Max):
				a0, a1 = a0.AsUint64x8().Max(b0.AsUint64x8()).AsUint32x16(), a1.AsUint64x8().Max(b1.AsUint64x8()).AsUint32x16()
			case signed | uint(Max):
				a0, a1 = a0.AsInt64x8().Max(b0.AsInt64x8()).AsUint32x16(), a1.AsInt64x8().Max(b1.AsInt64x8()).AsUint32x16()
			case signed | uint(And), unsigned | uint(And):
				a0, a1 = a0.And(b0), a1.And(b1)
			case signed | uint(Or), unsigned | uint(Or):
				a0, a1 = a0.Or(b0), a1.Or(b1)
			case signed | uint(Xor), unsigned | uint(Xor):
				a0, a1 = a0.Xor(b0), a1.Xor(b1)
			case signed | uint(AndNot), unsigned | uint(AndNot):
				a0, a1 = a0.AndNot(b0), a1.AndNot(b1)
			}
			if on := uint16(m.Lo); on != 1<<16-1 {
				a0 = a0.AsUint64x8().Merge(wordsAt(d, 0).AsUint64x8(), archsimd.Mask64x8FromBits(uint8(on))).AsUint32x16()
				a1 = a1.AsUint64x8().Merge(wordsAt(d, 64).AsUint64x8(), archsimd.Mask64x8FromBits(uint8(on>>8))).AsUint32x16()
			}
		}
		putWords(d, 0, a0)
		putWords(d, 64, a1)
		n := 32 >> long
		if lanes -= n; lanes <= 0 {
			return
		}
		d, x, y, m = unsafe.Add(d, 128), unsafe.Add(x, 128), unsafe.Add(y, 128), after(m, uint(n))
	}
}

// after returns the lanes of m from lane n on, n below 64.
func after(m lane.Mask, n uint) lane.Mask {
	return lane.Mask{Lo: m.Lo>>n | m.Hi<<(64-n), Hi: m.Hi >> n}
}

// VectorCompare is Compare by vector instructions; ok is false for what it does
// not do.
func VectorCompare(e Elem, op CompareOp, x, y unsafe.Pointer, lanes int) (m lane.Mask, ok bool) {
	if !vector {
		return lane.Mask{}, false
	}
	if op == Gt || op == Ge {
		x, y = y, x
		op -= Gt - Lt
	}
	switch e {
	case Int32, Uint32, Float32:
		if lanes >= 32 {
			return compareWords(e, op, x, y, lanes), true
		}
	case Int64, Uint64, Float64:
		if lanes >= 16 {
			return compareLongs(e, op, x, y, lanes), true
		}
	}
	return lane.Mask{}, false
}

// compareWords is VectorCompare for elements of 32 bits.
func compareWords(e Elem, op CompareOp, x, y unsafe.Pointer, lanes int) (m lane.Mask) {
	for i := 0; ; i += 32 {
		a0, a1, b0, b1 := wordsAt(x, 0), wordsAt(x, 64), wordsAt(y, 0), wordsAt(y, 64)
		var on0, on1 uint16
		switch uint(e)<<4 | uint(op) {
		case uint(Int32)<<4 | uint(Eq), uint(Uint32)<<4 | uint(Eq):
			on0, on1 = a0.Equal(b0).ToBits(), a1.Equal(b1).ToBits()
		case uint(Int32)<<4 | uint(Ne), uint(Uint32)<<4 | uint(Ne):
			on0, on1 = a0.NotEqual(b0).ToBits(), a1.NotEqual(b1).ToBits()
		case uint(Uint32)<<4 | uint(Lt):
			on0, on1 = a0.Less(b0).ToBits(), a1.Less(b1).ToBits()
		case uint(Int32)<<4 | uint(Lt):
			on0, on1 = a0.AsInt32x16().Less(b0.AsInt32x16()).ToBits(), a1.AsInt32x16().Less(b1.AsInt32x16()).ToBits()
		case uint(Uint32)<<4 | uint(Le):
			on0, on1 = a0.LessEqual(b0).ToBits(), a1.LessEqual(b1).ToBits()
		case uint(Int32)<<4 | uint(Le):
			on0, on1 = a0.AsInt32x16().LessEqual(b0.AsInt32x16()).ToBits(), a1.AsInt32x16().LessEqual(b1.AsInt32x16()).ToBits()
		case uint(Float32)<<4 | uint(Eq):
			on0, on1 = a0.AsFloat32x16().Equal(b0.AsFloat32x16()).ToBits(), a1.AsFloat32x16().Equal(b1.AsFloat32x16()).ToBits()
		case uint(Float32)<<4 | uint(Ne):
			on0, on1 = a0.AsFloat32x16().NotEqual(b0.AsFloat32x16()).ToBits(), a1.AsFloat32x16().NotEqual(b1.AsFloat32x16()).ToBits()
		case uint(Float32)<<4 | uint(Lt):
			on0, on1 = a0.AsFloat32x16().Less(b0.AsFloat32x16()).ToBits(), a1.AsFloat32x16().Less(b1.AsFloat32x16()).ToBits()
		case uint(Float32)<<4 | uint(Le):
			on0, on1 = a0.AsFloat32x16().LessEqual(b0.AsFloat32x16()).ToBits(), a1.AsFloat32x16().LessEqual(b1.AsFloat32x16()).ToBits()
		}
		on := uint64(on0) | uint64(on1)<<16
		if i < 64 {
			m.Lo |= on << uint(i)
		} else {
			m.Hi |= on << uint(i-64)
		}
		if lanes -= 32; lanes <= 0 {
			return m
		}
		x, y = unsafe.Add(x, 128), unsafe.Add(y, 128)
	}
}

// compareLongs is VectorCompare for elements of 64 bits.
func compareLongs(e Elem, op CompareOp, x, y unsafe.Pointer, lanes int) (m lane.Mask) {
	for i := 0; ; i += 16 {
		a0, a1, b0, b1 := longsAt(x, 0), longsAt(x, 64), longsAt(y, 0), longsAt(y, 64)
		var on0, on1 uint8
		switch uint(e)<<4 | uint(op) {
		case uint(Int64)<<4 | uint(Eq), uint(Uint64)<<4 | uint(Eq):
			on0, on1 = a0.Equal(b0).ToBits(), a1.Equal(b1).ToBits()
		case uint(Int64)<<4 | uint(Ne), uint(Uint64)<<4 | uint(Ne):
			on0, on1 = a0.NotEqual(b0).ToBits(), a1.NotEqual(b1).ToBits()
		case uint(Uint64)<<4 | uint(Lt):
			on0, on1 = a0.Less(b0).ToBits(), a1.Less(b1).ToBits()
		case uint(Int64)<<4 | uint(Lt):
			on0, on1 = a0.AsInt64x8().Less(b0.AsInt64x8()).ToBits(), a1.AsInt64x8().Less(b1.AsInt64x8()).ToBits()
		case uint(Uint64)<<4 | uint(Le):
			on0, on1 = a0.LessEqual(b0).ToBits(), a1.LessEqual(b1).ToBits()
		case uint(Int64)<<4 | uint(Le):
			on0, on1 = a0.AsInt64x8().LessEqual(b0.AsInt64x8()).ToBits(), a1.AsInt64x8().LessEqual(b1.AsInt64x8()).ToBits()
		case uint(Float64)<<4 | uint(Eq):
			on0, on1 = a0.AsFloat64x8().Equal(b0.AsFloat64x8()).ToBits(), a1.AsFloat64x8().Equal(b1.AsFloat64x8()).ToBits()
		case uint(Float64)<<4 | uint(Ne):
			on0, on1 = a0.AsFloat64x8().NotEqual(b0.AsFloat64x8()).ToBits(), a1.AsFloat64x8().NotEqual(b1.AsFloat64x8()).ToBits()
		case uint(Float64)<<4 | uint(Lt):
			on0, on1 = a0.AsFloat64x8().Less(b0.AsFloat64x8()).ToBits(), a1.AsFloat64x8().Less(b1.AsFloat64x8()).ToBits()
		case uint(Float64)<<4 | uint(Le):
			on0, on1 = a0.AsFloat64x8().LessEqual(b0.AsFloat64x8()).ToBits(), a1.AsFloat64x8().LessEqual(b1.AsFloat64x8()).ToBits()
		}
		on := uint64(on0) | uint64(on1)<<8
		if i < 64 {
			m.Lo |= on << uint(i)
		} else {
			m.Hi |= on << uint(i-64)
		}
		if lanes -= 16; lanes <= 0 {
			return m
		}
		x, y = unsafe.Add(x, 128), unsafe.Add(y, 128)
	}
}
