// Package row holds the inner loops of the engine: one operation on a whole
// row of lanes. The opcode switch stands outside the lane loop and the operands
// are equally long slices, which is the form the Go compiler turns into the
// tightest code (see RATIONALE.md).
//
// Every function takes rows of the same length and writes all of d; d may be
// one of its operands. Which lanes are active is the caller's business (Blend).
package row

import (
	"math/bits"
	"unsafe"

	"example.com/warpsim/lane"
	"golang.org/x/exp/constraints"
)

// A Number is any type with arithmetic.
type Number interface {
	constraints.Integer | constraints.Float
}

// A BinaryOp selects what Binary or BinaryInt does.
type BinaryOp uint8

// Operations of two rows. Integer results wrap. Min and Max of floats give the
// other operand for a NaN and order -0 below +0, as IEEE 754-2019
// minimumNumber and maximumNumber do.
const (
	Add BinaryOp = iota
	Sub
	Mul
	Min
	Max
	And // integers only from here on
	Or
	Xor
	AndNot
	Shl // counts are taken as unsigned; one of the type's width or more gives 0
	Shr // the same; a signed type shifts in copies of the sign bit

	ShlCut // only the low 5 bits of a count are looked at, 6 for 64-bit types
	ShrCut // the same
)

// Binary sets d to x op y for the arithmetic operations, those before And.
func Binary[T Number](op BinaryOp, d, x, y []T) {
	x = x[:len(d)]
	y = y[:len(d)]
	switch op {
	case Add:
		i := 0
		for ; i+8 <= len(d); i += 8 {
			t, s, u := (*[8]T)(d[i:i+8]), (*[8]T)(x[i:i+8]), (*[8]T)(y[i:i+8])
			t[0], t[1], t[2], t[3] = s[0]+u[0], s[1]+u[1], s[2]+u[2], s[3]+u[3]
			t[4], t[5], t[6], t[7] = s[4]+u[4], s[5]+u[5], s[6]+u[6], s[7]+u[7]
		}
		for ; i < len(d); i++ {
			d[i] = x[i] + y[i]
		}
	case Sub:
		i := 0
		for ; i+8 <= len(d); i += 8 {
			t, s, u := (*[8]T)(d[i:i+8]), (*[8]T)(x[i:i+8]), (*[8]T)(y[i:i+8])
			t[0], t[1], t[2], t[3] = s[0]-u[0], s[1]-u[1], s[2]-u[2], s[3]-u[3]
			t[4], t[5], t[6], t[7] = s[4]-u[4], s[5]-u[5], s[6]-u[6], s[7]-u[7]
		}
		for ; i < len(d); i++ {
			d[i] = x[i] - y[i]
		}
	case Mul:
		i := 0
		for ; i+8 <= len(d); i += 8 {
			t, s, u := (*[8]T)(d[i:i+8]), (*[8]T)(x[i:i+8]), (*[8]T)(y[i:i+8])
			t[0], t[1], t[2], t[3] = s[0]*u[0], s[1]*u[1], s[2]*u[2], s[3]*u[3]
			t[4], t[5], t[6], t[7] = s[4]*u[4], s[5]*u[5], s[6]*u[6], s[7]*u[7]
		}
		for ; i < len(d); i++ {
			d[i] = x[i] * y[i]
		}
	case Min:
		for i := range d {
			d[i] = minimum(x[i], y[i])
		}
	case Max:
		for i := range d {
			d[i] = maximum(x[i], y[i])
		}
	}
}

func minimum[T Number](a, b T) T {
	switch {
	case a < b || b != b:
		return a
	case b < a || a != a:
		return b
	case a == 0 && negativeZero(a):
		return a
	}
	return b
}

func maximum[T Number](a, b T) T {
	switch {
	case a > b || b != b:
		return a
	case b > a || a != a:
		return b
	case a == 0 && negativeZero(a):
		return b
	}
	return a
}

func negativeZero[T Number](a T) bool { return a == 0 && 1/float64(a) < 0 }

// BinaryInt sets d to x op y, for every operation on integers.
func BinaryInt[T constraints.Integer](op BinaryOp, d, x, y []T) {
	x = x[:len(d)]
	y = y[:len(d)]
	switch op {
	case And:
		i := 0
		for ; i+8 <= len(d); i += 8 {
			t, s, u := (*[8]T)(d[i:i+8]), (*[8]T)(x[i:i+8]), (*[8]T)(y[i:i+8])
			t[0], t[1], t[2], t[3] = s[0]&u[0], s[1]&u[1], s[2]&u[2], s[3]&u[3]
			t[4], t[5], t[6], t[7] = s[4]&u[4], s[5]&u[5], s[6]&u[6], s[7]&u[7]
		}
		for ; i < len(d); i++ {
			d[i] = x[i] & y[i]
		}
	case Or:
		i := 0
		for ; i+8 <= len(d); i += 8 {
			t, s, u := (*[8]T)(d[i:i+8]), (*[8]T)(x[i:i+8]), (*[8]T)(y[i:i+8])
			t[0], t[1], t[2], t[3] = s[0]|u[0], s[1]|u[1], s[2]|u[2], s[3]|u[3]
			t[4], t[5], t[6], t[7] = s[4]|u[4], s[5]|u[5], s[6]|u[6], s[7]|u[7]
		}
		for ; i < len(d); i++ {
			d[i] = x[i] | y[i]
		}
	case Xor:
		i := 0
		for ; i+8 <= len(d); i += 8 {
			t, s, u := (*[8]T)(d[i:i+8]), (*[8]T)(x[i:i+8]), (*[8]T)(y[i:i+8])
			t[0], t[1], t[2], t[3] = s[0]^u[0], s[1]^u[1], s[2]^u[2], s[3]^u[3]
			t[4], t[5], t[6], t[7] = s[4]^u[4], s[5]^u[5], s[6]^u[6], s[7]^u[7]
		}
		for ; i < len(d); i++ {
			d[i] = x[i] ^ y[i]
		}
	case AndNot:
		for i := range d {
			d[i] = x[i] &^ y[i]
		}
	case Shl:
		for i := range d {
			d[i] = x[i] << unsignedCount(y[i])
		}
	case Shr:
		for i := range d {
			d[i] = x[i] >> unsignedCount(y[i])
		}
	case ShlCut:
		cut := countBits(d)
		for i := range d {
			d[i] = x[i] << (uint64(y[i]) & cut)
		}
	case ShrCut:
		cut := countBits(d)
		for i := range d {
			d[i] = x[i] >> (uint64(y[i]) & cut)
		}
	default:
		Binary(op, d, x, y)
	}
}

// countBits are the bits of a count that a shift which cuts it looks at.
func countBits[T any](d []T) uint64 {
	var zero T
	if unsafe.Sizeof(zero) > 4 {
		return 63
	}
	return 31
}

// unsignedCount reads a shift count as unsigned, so that a negative one counts
// as too large.
func unsignedCount[T constraints.Integer](n T) uint64 {
	if n < 0 {
		return 1 << 32
	}
	return uint64(n)
}

// MulAdd sets d to x*y + z, rounding the product before the sum.
func MulAdd[T Number](d, x, y, z []T) {
	x, y, z = x[:len(d)], y[:len(d)], z[:len(d)]
	for i := range d {
		d[i] = T(x[i]*y[i]) + z[i]
	}
}

// A UnaryOp selects what Unary or UnaryInt does.
type UnaryOp uint8

// Operations of one row.
const (
	Neg UnaryOp = iota
	Abs
	Not // integers only from here on
	Popc
	Clz  // leading zeros; the type's width for 0
	Brev // bits reversed within the type's width
	Ffs  // number of the lowest set bit counted from 1; 0 for 0
)

// Unary sets d to op x for Neg and Abs. Abs of the most negative integer is
// that integer. Neg of a float flips the sign bit and Abs clears it, of zeros
// and NaNs as well, and neither changes another bit.
func Unary[T Number](op UnaryOp, d, x []T) {
	x = x[:len(d)]
	if op == Neg {
		for i := range d {
			d[i] = -x[i]
		}
		return
	}
	if one := T(1); one/2 != 0 { // floats lose the sign bit, NaNs too
		if unsafe.Sizeof(one) == 4 {
			andNot(cast[uint32](d), cast[uint32](x), 1<<31)
		} else {
			andNot(cast[uint64](d), cast[uint64](x), 1<<63)
		}
		return
	}
	for i := range d {
		v := x[i]
		if v < 0 {
			v = -v
		}
		d[i] = v
	}
}

// andNot sets d to x without the bits of c.
func andNot[T uint32 | uint64](d, x []T, c T) {
	for i := range d {
		d[i] = x[i] &^ c
	}
}

// cast returns a row as words of the same size.
func cast[W, T any](x []T) []W {
	return unsafe.Slice((*W)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}

// UnaryInt sets d to op x, for every operation on integers.
func UnaryInt[T constraints.Integer](op UnaryOp, d, x []T) {
	x = x[:len(d)]
	var zero T
	width := uint(unsafe.Sizeof(zero)) * 8
	keep := ^uint64(0) >> (64 - width)
	switch op {
	case Not:
		for i := range d {
			d[i] = ^x[i]
		}
	case Popc:
		for i := range d {
			d[i] = T(bits.OnesCount64(uint64(x[i]) & keep))
		}
	case Clz:
		for i := range d {
			d[i] = T(bits.LeadingZeros64(uint64(x[i])&keep) - int(64-width))
		}
	case Brev:
		for i := range d {
			d[i] = T(bits.Reverse64(uint64(x[i])&keep) >> (64 - width))
		}
	case Ffs:
		for i := range d {
			d[i] = T((bits.TrailingZeros64(uint64(x[i])&keep) + 1) % 65)
		}
	default:
		Unary(op, d, x)
	}
}

// A CompareOp selects what Compare tests. A comparison with a NaN is false,
// but for Ne, which is true.
type CompareOp uint8

// The comparisons.
const (
	Eq CompareOp = iota
	Ne
	Lt
	Le
	Gt
	Ge
)

// Compare returns the lanes for which x op y holds.
func Compare[T Number](op CompareOp, x, y []T) lane.Mask {
	if len(x) > 64 {
		return lane.Mask{Lo: compare64(op, x[:64], y[:64]), Hi: compare64(op, x[64:], y[64:])}
	}
	return lane.Mask{Lo: compare64(op, x, y)}
}

// compare64 walks from the top lane down, eight lanes at a time, so that no lane
// needs a variable shift.
func compare64[T Number](op CompareOp, x, y []T) (m uint64) {
	if op == Gt || op == Ge {
		x, y = y, x
		op -= Gt - Lt
	}
	y = y[:len(x)]
	i := len(x)
	switch op {
	case Eq:
		for ; i >= 8; i -= 8 {
			s, u := (*[8]T)(x[i-8:i]), (*[8]T)(y[i-8:i])
			var b uint64
			if s[0] == u[0] {
				b |= 1
			}
			if s[1] == u[1] {
				b |= 2
			}
			if s[2] == u[2] {
				b |= 4
			}
			if s[3] == u[3] {
				b |= 8
			}
			if s[4] == u[4] {
				b |= 16
			}
			if s[5] == u[5] {
				b |= 32
			}
			if s[6] == u[6] {
				b |= 64
			}
			if s[7] == u[7] {
				b |= 128
			}
			m = m<<8 | b
		}
		for ; i > 0; i-- {
			m <<= 1
			if x[i-1] == y[i-1] {
				m |= 1
			}
		}
	case Ne:
		for ; i >= 8; i -= 8 {
			s, u := (*[8]T)(x[i-8:i]), (*[8]T)(y[i-8:i])
			var b uint64
			if s[0] != u[0] {
				b |= 1
			}
			if s[1] != u[1] {
				b |= 2
			}
			if s[2] != u[2] {
				b |= 4
			}
			if s[3] != u[3] {
				b |= 8
			}
			if s[4] != u[4] {
				b |= 16
			}
			if s[5] != u[5] {
				b |= 32
			}
			if s[6] != u[6] {
				b |= 64
			}
			if s[7] != u[7] {
				b |= 128
			}
			m = m<<8 | b
		}
		for ; i > 0; i-- {
			m <<= 1
			if x[i-1] != y[i-1] {
				m |= 1
			}
		}
	case Lt:
		for ; i >= 8; i -= 8 {
			s, u := (*[8]T)(x[i-8:i]), (*[8]T)(y[i-8:i])
			var b uint64
			if s[0] < u[0] {
				b |= 1
			}
			if s[1] < u[1] {
				b |= 2
			}
			if s[2] < u[2] {
				b |= 4
			}
			if s[3] < u[3] {
				b |= 8
			}
			if s[4] < u[4] {
				b |= 16
			}
			if s[5] < u[5] {
				b |= 32
			}
			if s[6] < u[6] {
				b |= 64
			}
			if s[7] < u[7] {
				b |= 128
			}
			m = m<<8 | b
		}
		for ; i > 0; i-- {
			m <<= 1
			if x[i-1] < y[i-1] {
				m |= 1
			}
		}
	case Le:
		for ; i >= 8; i -= 8 {
			s, u := (*[8]T)(x[i-8:i]), (*[8]T)(y[i-8:i])
			var b uint64
			if s[0] <= u[0] {
				b |= 1
			}
			if s[1] <= u[1] {
				b |= 2
			}
			if s[2] <= u[2] {
				b |= 4
			}
			if s[3] <= u[3] {
				b |= 8
			}
			if s[4] <= u[4] {
				b |= 16
			}
			if s[5] <= u[5] {
				b |= 32
			}
			if s[6] <= u[6] {
				b |= 64
			}
			if s[7] <= u[7] {
				b |= 128
			}
			m = m<<8 | b
		}
		for ; i > 0; i-- {
			m <<= 1
			if x[i-1] <= y[i-1] {
				m |= 1
			}
		}
	}
	return m
}

// Fill sets every lane of d to v.
func Fill[T any](d []T, v T) {
	for ; len(d) >= 8; d = d[8:] {
		t := (*[8]T)(d)
		t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7] = v, v, v, v, v, v, v, v
	}
	for i := range d {
		d[i] = v
	}
}

// Blend copies the lanes of m from s to d. It goes by eights, since masks are
// mostly runs of lanes: blocks that are all in or all out cost next to nothing.
func Blend[T any](d, s []T, m lane.Mask) {
	s = s[:len(d)]
	w := m.Lo
	for i := 0; i+8 <= len(d); i += 8 {
		if i == 64 {
			w = m.Hi
		}
		t, u := (*[8]T)(d[i:i+8]), (*[8]T)(s[i:i+8])
		switch b := uint8(w); b {
		case 0xff:
			t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7] = u[0], u[1], u[2], u[3], u[4], u[5], u[6], u[7]
		case 0:
		default:
			for ; b != 0; b &= b - 1 {
				k := bits.TrailingZeros8(b) & 7
				t[k] = u[k]
			}
		}
		w >>= 8
	}
	for i := len(d) &^ 7; i < len(d); i++ {
		if m.Has(i) {
			d[i] = s[i]
		}
	}
}

// Select sets d to the lanes of x where m has the lane and of y elsewhere.
func Select[T any](d, x, y []T, m lane.Mask) {
	x, y = x[:len(d)], y[:len(d)]
	w := m.Lo
	for i := range d {
		if i == 64 {
			w = m.Hi
		}
		v := y[i]
		if w&1 != 0 {
			v = x[i]
		}
		d[i] = v
		w >>= 1
	}
}
