//go:build goexperiment.simd && amd64

package row

import (
	"simd/archsimd"
	"unsafe"

	"example.com/warpsim/lane"
)

// vector reports whether the processor has the instructions.
var vector = archsimd.X86.AVX512()

// VectorBinary is Binary and BinaryInt by vector instructions: for the lanes of
// m, of rows of the given element and number of lanes, at once. It reports
// false, and has done nothing, for what it does not do: then the plain form is
// to be used. The results have the same bits. Min and Max of floats are left to
// the plain form, since the vector instructions take NaN and -0 otherwise.
func VectorBinary(e Elem, op BinaryOp, d, x, y unsafe.Pointer, lanes int, m lane.Mask) bool {
	if !vector || lanes < 16 {
		return false
	}
	switch e {
	case Int32:
		return vectorInt32(op, d, x, y, lanes, m)
	case Uint32:
		return vectorUint32(op, d, x, y, lanes, m)
	case Int64:
		return vectorInt64(op, d, x, y, lanes, m)
	case Uint64:
		return vectorUint64(op, d, x, y, lanes, m)
	case Float32:
		return vectorFloat32(op, d, x, y, lanes, m)
	case Float64:
		return vectorFloat64(op, d, x, y, lanes, m)
	}
	return false
}

// VectorCompare is Compare by vector instructions; ok is false for what it does
// not do.
func VectorCompare(e Elem, op CompareOp, x, y unsafe.Pointer, lanes int) (m lane.Mask, ok bool) {
	if !vector || lanes < 16 {
		return lane.Mask{}, false
	}
	if op == Gt || op == Ge {
		x, y = y, x
		op -= Gt - Lt
	}
	switch e {
	case Int32:
		return compareInt32(op, x, y, lanes), true
	case Uint32:
		return compareUint32(op, x, y, lanes), true
	case Int64:
		return compareInt64(op, x, y, lanes), true
	case Uint64:
		return compareUint64(op, x, y, lanes), true
	case Float32:
		return compareFloat32(op, x, y, lanes), true
	case Float64:
		return compareFloat64(op, x, y, lanes), true
	}
	return lane.Mask{}, false
}

// part returns the bits of m for the lanes from i on.
func part(m lane.Mask, i int) uint64 {
	if i >= 64 {
		return m.Hi >> (uint(i) & 63)
	}
	return m.Lo >> uint(i)
}

// place returns the lanes from i on whose bits are set.
func place(m lane.Mask, bits uint64, i int) lane.Mask {
	if i >= 64 {
		m.Hi |= bits << (uint(i) & 63)
	} else {
		m.Lo |= bits << uint(i)
	}
	return m
}

func vectorInt32(op BinaryOp, d, x, y unsafe.Pointer, lanes int, m lane.Mask) bool {
	if op > AndNot {
		return false
	}
	for i := 0; i < lanes; i += 16 {
		a, b := archsimd.LoadInt32x16((*[16]int32)(unsafe.Add(x, i*4))), archsimd.LoadInt32x16((*[16]int32)(unsafe.Add(y, i*4)))
		switch op {
		case Add:
			a = a.Add(b)
		case Sub:
			a = a.Sub(b)
		case Mul:
			a = a.Mul(b)
		case Min:
			a = a.Min(b)
		case Max:
			a = a.Max(b)
		case And:
			a = a.And(b)
		case Or:
			a = a.Or(b)
		case Xor:
			a = a.Xor(b)
		case AndNot:
			a = a.AndNot(b)
		}
		to := (*[16]int32)(unsafe.Add(d, i*4))
		if on := uint16(part(m, i)); on == 0xffff {
			a.Store(to)
		} else {
			a.StoreMasked(to, archsimd.Mask32x16FromBits(on))
		}
	}
	return true
}

func compareInt32(op CompareOp, x, y unsafe.Pointer, lanes int) (m lane.Mask) {
	for i := 0; i < lanes; i += 16 {
		a, b := archsimd.LoadInt32x16((*[16]int32)(unsafe.Add(x, i*4))), archsimd.LoadInt32x16((*[16]int32)(unsafe.Add(y, i*4)))
		var on uint16
		switch op {
		case Eq:
			on = a.Equal(b).ToBits()
		case Ne:
			on = a.NotEqual(b).ToBits()
		case Lt:
			on = a.Less(b).ToBits()
		default:
			on = a.LessEqual(b).ToBits()
		}
		m = place(m, uint64(on), i)
	}
	return m
}

func vectorUint32(op BinaryOp, d, x, y unsafe.Pointer, lanes int, m lane.Mask) bool {
	if op > AndNot {
		return false
	}
	for i := 0; i < lanes; i += 16 {
		a, b := archsimd.LoadUint32x16((*[16]uint32)(unsafe.Add(x, i*4))), archsimd.LoadUint32x16((*[16]uint32)(unsafe.Add(y, i*4)))
		switch op {
		case Add:
			a = a.Add(b)
		case Sub:
			a = a.Sub(b)
		case Mul:
			a = a.Mul(b)
		case Min:
			a = a.Min(b)
		case Max:
			a = a.Max(b)
		case And:
			a = a.And(b)
		case Or:
			a = a.Or(b)
		case Xor:
			a = a.Xor(b)
		case AndNot:
			a = a.AndNot(b)
		}
		to := (*[16]uint32)(unsafe.Add(d, i*4))
		if on := uint16(part(m, i)); on == 0xffff {
			a.Store(to)
		} else {
			a.StoreMasked(to, archsimd.Mask32x16FromBits(on))
		}
	}
	return true
}

func compareUint32(op CompareOp, x, y unsafe.Pointer, lanes int) (m lane.Mask) {
	for i := 0; i < lanes; i += 16 {
		a, b := archsimd.LoadUint32x16((*[16]uint32)(unsafe.Add(x, i*4))), archsimd.LoadUint32x16((*[16]uint32)(unsafe.Add(y, i*4)))
		var on uint16
		switch op {
		case Eq:
			on = a.Equal(b).ToBits()
		case Ne:
			on = a.NotEqual(b).ToBits()
		case Lt:
			on = a.Less(b).ToBits()
		default:
			on = a.LessEqual(b).ToBits()
		}
		m = place(m, uint64(on), i)
	}
	return m
}

func vectorInt64(op BinaryOp, d, x, y unsafe.Pointer, lanes int, m lane.Mask) bool {
	if op > AndNot {
		return false
	}
	for i := 0; i < lanes; i += 8 {
		a, b := archsimd.LoadInt64x8((*[8]int64)(unsafe.Add(x, i*8))), archsimd.LoadInt64x8((*[8]int64)(unsafe.Add(y, i*8)))
		switch op {
		case Add:
			a = a.Add(b)
		case Sub:
			a = a.Sub(b)
		case Mul:
			a = a.Mul(b)
		case Min:
			a = a.Min(b)
		case Max:
			a = a.Max(b)
		case And:
			a = a.And(b)
		case Or:
			a = a.Or(b)
		case Xor:
			a = a.Xor(b)
		case AndNot:
			a = a.AndNot(b)
		}
		to := (*[8]int64)(unsafe.Add(d, i*8))
		if on := uint8(part(m, i)); on == 0xff {
			a.Store(to)
		} else {
			a.StoreMasked(to, archsimd.Mask64x8FromBits(on))
		}
	}
	return true
}

func compareInt64(op CompareOp, x, y unsafe.Pointer, lanes int) (m lane.Mask) {
	for i := 0; i < lanes; i += 8 {
		a, b := archsimd.LoadInt64x8((*[8]int64)(unsafe.Add(x, i*8))), archsimd.LoadInt64x8((*[8]int64)(unsafe.Add(y, i*8)))
		var on uint8
		switch op {
		case Eq:
			on = a.Equal(b).ToBits()
		case Ne:
			on = a.NotEqual(b).ToBits()
		case Lt:
			on = a.Less(b).ToBits()
		default:
			on = a.LessEqual(b).ToBits()
		}
		m = place(m, uint64(on), i)
	}
	return m
}

func vectorUint64(op BinaryOp, d, x, y unsafe.Pointer, lanes int, m lane.Mask) bool {
	if op > AndNot {
		return false
	}
	for i := 0; i < lanes; i += 8 {
		a, b := archsimd.LoadUint64x8((*[8]uint64)(unsafe.Add(x, i*8))), archsimd.LoadUint64x8((*[8]uint64)(unsafe.Add(y, i*8)))
		switch op {
		case Add:
			a = a.Add(b)
		case Sub:
			a = a.Sub(b)
		case Mul:
			a = a.Mul(b)
		case Min:
			a = a.Min(b)
		case Max:
			a = a.Max(b)
		case And:
			a = a.And(b)
		case Or:
			a = a.Or(b)
		case Xor:
			a = a.Xor(b)
		case AndNot:
			a = a.AndNot(b)
		}
		to := (*[8]uint64)(unsafe.Add(d, i*8))
		if on := uint8(part(m, i)); on == 0xff {
			a.Store(to)
		} else {
			a.StoreMasked(to, archsimd.Mask64x8FromBits(on))
		}
	}
	return true
}

func compareUint64(op CompareOp, x, y unsafe.Pointer, lanes int) (m lane.Mask) {
	for i := 0; i < lanes; i += 8 {
		a, b := archsimd.LoadUint64x8((*[8]uint64)(unsafe.Add(x, i*8))), archsimd.LoadUint64x8((*[8]uint64)(unsafe.Add(y, i*8)))
		var on uint8
		switch op {
		case Eq:
			on = a.Equal(b).ToBits()
		case Ne:
			on = a.NotEqual(b).ToBits()
		case Lt:
			on = a.Less(b).ToBits()
		default:
			on = a.LessEqual(b).ToBits()
		}
		m = place(m, uint64(on), i)
	}
	return m
}

func vectorFloat32(op BinaryOp, d, x, y unsafe.Pointer, lanes int, m lane.Mask) bool {
	if op > Mul {
		return false
	}
	for i := 0; i < lanes; i += 16 {
		a, b := archsimd.LoadFloat32x16((*[16]float32)(unsafe.Add(x, i*4))), archsimd.LoadFloat32x16((*[16]float32)(unsafe.Add(y, i*4)))
		switch op {
		case Add:
			a = a.Add(b)
		case Sub:
			a = a.Sub(b)
		case Mul:
			a = a.Mul(b)
		}
		to := (*[16]float32)(unsafe.Add(d, i*4))
		if on := uint16(part(m, i)); on == 0xffff {
			a.Store(to)
		} else {
			a.StoreMasked(to, archsimd.Mask32x16FromBits(on))
		}
	}
	return true
}

func compareFloat32(op CompareOp, x, y unsafe.Pointer, lanes int) (m lane.Mask) {
	for i := 0; i < lanes; i += 16 {
		a, b := archsimd.LoadFloat32x16((*[16]float32)(unsafe.Add(x, i*4))), archsimd.LoadFloat32x16((*[16]float32)(unsafe.Add(y, i*4)))
		var on uint16
		switch op {
		case Eq:
			on = a.Equal(b).ToBits()
		case Ne:
			on = a.NotEqual(b).ToBits()
		case Lt:
			on = a.Less(b).ToBits()
		default:
			on = a.LessEqual(b).ToBits()
		}
		m = place(m, uint64(on), i)
	}
	return m
}

func vectorFloat64(op BinaryOp, d, x, y unsafe.Pointer, lanes int, m lane.Mask) bool {
	if op > Mul {
		return false
	}
	for i := 0; i < lanes; i += 8 {
		a, b := archsimd.LoadFloat64x8((*[8]float64)(unsafe.Add(x, i*8))), archsimd.LoadFloat64x8((*[8]float64)(unsafe.Add(y, i*8)))
		switch op {
		case Add:
			a = a.Add(b)
		case Sub:
			a = a.Sub(b)
		case Mul:
			a = a.Mul(b)
		}
		to := (*[8]float64)(unsafe.Add(d, i*8))
		if on := uint8(part(m, i)); on == 0xff {
			a.Store(to)
		} else {
			a.StoreMasked(to, archsimd.Mask64x8FromBits(on))
		}
	}
	return true
}

func compareFloat64(op CompareOp, x, y unsafe.Pointer, lanes int) (m lane.Mask) {
	for i := 0; i < lanes; i += 8 {
		a, b := archsimd.LoadFloat64x8((*[8]float64)(unsafe.Add(x, i*8))), archsimd.LoadFloat64x8((*[8]float64)(unsafe.Add(y, i*8)))
		var on uint8
		switch op {
		case Eq:
			on = a.Equal(b).ToBits()
		case Ne:
			on = a.NotEqual(b).ToBits()
		case Lt:
			on = a.Less(b).ToBits()
		default:
			on = a.LessEqual(b).ToBits()
		}
		m = place(m, uint64(on), i)
	}
	return m
}
