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

// The vector operations: by the bits of an element, and signed, unsigned or float
// where it matters.
const (
	noVectorOp VectorOp = iota
	add32
	sub32
	mul32
	minInt32
	maxInt32
	minUint32
	maxUint32
	addFloat32
	subFloat32
	mulFloat32
	and32
	or32
	xor32
	andNot32
	add64
	sub64
	mul64
	minInt64
	maxInt64
	minUint64
	maxUint64
	addFloat64
	subFloat64
	mulFloat64
	and64
	or64
	xor64
	andNot64
)

// vectorOps has the vector operation of an element and operation. Min and Max of
// floats have none, since the vector instructions take NaN and -0 otherwise.
var vectorOps = [...][ShrCut + 1]VectorOp{
	Int32:   {Add: add32, Sub: sub32, Mul: mul32, Min: minInt32, Max: maxInt32, And: and32, Or: or32, Xor: xor32, AndNot: andNot32},
	Uint32:  {Add: add32, Sub: sub32, Mul: mul32, Min: minUint32, Max: maxUint32, And: and32, Or: or32, Xor: xor32, AndNot: andNot32},
	Float32: {Add: addFloat32, Sub: subFloat32, Mul: mulFloat32},
	Int64:   {Add: add64, Sub: sub64, Mul: mul64, Min: minInt64, Max: maxInt64, And: and64, Or: or64, Xor: xor64, AndNot: andNot64},
	Uint64:  {Add: add64, Sub: sub64, Mul: mul64, Min: minUint64, Max: maxUint64, And: and64, Or: or64, Xor: xor64, AndNot: andNot64},
	Float64: {Add: addFloat64, Sub: subFloat64, Mul: mulFloat64},
}

// VectorOpOf returns the vector operation that does op on rows of an element and
// number of lanes, 0 if none does.
func VectorOpOf(e Elem, op BinaryOp, lanes int) VectorOp {
	if !vectors(e, lanes) {
		return noVectorOp
	}
	return vectorOps[e][op]
}

// vectors reports whether rows are of 4 or 8 bytes a lane and pairs of vectors.
func vectors(e Elem, lanes int) bool {
	switch e {
	case Int32, Uint32, Float32:
		return vector && lanes >= 32
	case Int64, Uint64, Float64:
		return vector && lanes >= 16
	}
	return false
}

// VectorBinary is Binary and BinaryInt by vector instructions on rows of the given
// number of bytes, for the lanes of m, nil for all. The results have the same bits.
func VectorBinary(op VectorOp, d, x, y unsafe.Pointer, bytes int, m *lane.Mask) {
	for left := bytes; ; {
		a0, a1, b0, b1 := wordsAt(x, 0), wordsAt(x, 64), wordsAt(y, 0), wordsAt(y, 64)
		switch op {
		case add32:
			a0, a1 = a0.Add(b0), a1.Add(b1)
		case sub32:
			a0, a1 = a0.Sub(b0), a1.Sub(b1)
		case mul32:
			a0, a1 = a0.Mul(b0), a1.Mul(b1)
		case minInt32:
			a0, a1 = a0.AsInt32x16().Min(b0.AsInt32x16()).AsUint32x16(), a1.AsInt32x16().Min(b1.AsInt32x16()).AsUint32x16()
		case minUint32:
			a0, a1 = a0.Min(b0), a1.Min(b1)
		case maxInt32:
			a0, a1 = a0.AsInt32x16().Max(b0.AsInt32x16()).AsUint32x16(), a1.AsInt32x16().Max(b1.AsInt32x16()).AsUint32x16()
		case maxUint32:
			a0, a1 = a0.Max(b0), a1.Max(b1)
		case addFloat32:
			a0, a1 = a0.AsFloat32x16().Add(b0.AsFloat32x16()).AsUint32x16(), a1.AsFloat32x16().Add(b1.AsFloat32x16()).AsUint32x16()
		case subFloat32:
			a0, a1 = a0.AsFloat32x16().Sub(b0.AsFloat32x16()).AsUint32x16(), a1.AsFloat32x16().Sub(b1.AsFloat32x16()).AsUint32x16()
		case mulFloat32:
			a0, a1 = a0.AsFloat32x16().Mul(b0.AsFloat32x16()).AsUint32x16(), a1.AsFloat32x16().Mul(b1.AsFloat32x16()).AsUint32x16()
		case add64:
			a0, a1 = a0.AsUint64x8().Add(b0.AsUint64x8()).AsUint32x16(), a1.AsUint64x8().Add(b1.AsUint64x8()).AsUint32x16()
		case sub64:
			a0, a1 = a0.AsUint64x8().Sub(b0.AsUint64x8()).AsUint32x16(), a1.AsUint64x8().Sub(b1.AsUint64x8()).AsUint32x16()
		case mul64:
			a0, a1 = a0.AsUint64x8().Mul(b0.AsUint64x8()).AsUint32x16(), a1.AsUint64x8().Mul(b1.AsUint64x8()).AsUint32x16()
		case minInt64:
			a0, a1 = a0.AsInt64x8().Min(b0.AsInt64x8()).AsUint32x16(), a1.AsInt64x8().Min(b1.AsInt64x8()).AsUint32x16()
		case minUint64:
			a0, a1 = a0.AsUint64x8().Min(b0.AsUint64x8()).AsUint32x16(), a1.AsUint64x8().Min(b1.AsUint64x8()).AsUint32x16()
		case maxInt64:
			a0, a1 = a0.AsInt64x8().Max(b0.AsInt64x8()).AsUint32x16(), a1.AsInt64x8().Max(b1.AsInt64x8()).AsUint32x16()
		case maxUint64:
			a0, a1 = a0.AsUint64x8().Max(b0.AsUint64x8()).AsUint32x16(), a1.AsUint64x8().Max(b1.AsUint64x8()).AsUint32x16()
		case addFloat64:
			a0, a1 = a0.AsFloat64x8().Add(b0.AsFloat64x8()).AsUint32x16(), a1.AsFloat64x8().Add(b1.AsFloat64x8()).AsUint32x16()
		case subFloat64:
			a0, a1 = a0.AsFloat64x8().Sub(b0.AsFloat64x8()).AsUint32x16(), a1.AsFloat64x8().Sub(b1.AsFloat64x8()).AsUint32x16()
		case mulFloat64:
			a0, a1 = a0.AsFloat64x8().Mul(b0.AsFloat64x8()).AsUint32x16(), a1.AsFloat64x8().Mul(b1.AsFloat64x8()).AsUint32x16()
		case and32, and64:
			a0, a1 = a0.And(b0), a1.And(b1)
		case or32, or64:
			a0, a1 = a0.Or(b0), a1.Or(b1)
		case xor32, xor64:
			a0, a1 = a0.Xor(b0), a1.Xor(b1)
		case andNot32, andNot64:
			a0, a1 = a0.AndNot(b0), a1.AndNot(b1)
		}
		if m != nil {
			i := bytes - left
			a0, a1 = a0.Merge(wordsAt(d, 0), wordMask(op, m, i)), a1.Merge(wordsAt(d, 64), wordMask(op, m, i+64))
		}
		putWords(d, 0, a0)
		putWords(d, 64, a1)
		if left -= 128; left <= 0 {
			return
		}
		d, x, y = unsafe.Add(d, 128), unsafe.Add(x, 128), unsafe.Add(y, 128)
	}
}

// wordMask returns which of the words of a vector at byte i of a row belong to
// lanes of m.
func wordMask(op VectorOp, m *lane.Mask, i int) archsimd.Mask32x16 {
	if op < add64 {
		return archsimd.Mask32x16FromBits(uint16(part(m, i/4)))
	}
	b := uint32(uint8(part(m, i/8))) // each bit twice
	b = (b | b<<4) & 0x0f0f
	b = (b | b<<2) & 0x3333
	b = (b | b<<1) & 0x5555
	return archsimd.Mask32x16FromBits(uint16(b | b<<1))
}

// part returns the bits of m for the lanes from i on.
func part(m *lane.Mask, i int) uint64 {
	if i >= 64 {
		return m.Hi >> (uint(i) & 63)
	}
	return m.Lo >> uint(i)
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
