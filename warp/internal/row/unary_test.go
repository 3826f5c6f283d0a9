package row_test

import (
	"slices"
	"strings"
	"testing"
	"unsafe"

	"example.com/warpsim/warp/internal/row"
	"golang.org/x/exp/constraints"
)

var unaryNames = map[row.UnaryOp]string{
	row.Neg: "neg", row.Abs: "abs", row.Not: "not", row.Popc: "popc", row.Clz: "clz", row.Brev: "brev", row.Ffs: "ffs",
}

// digits writes the bits of an integer, highest first, as many as its type has.
func digits[T constraints.Integer](v T) string {
	var b strings.Builder
	for i := int(unsafe.Sizeof(v))*8 - 1; i >= 0; i-- {
		b.WriteByte('0' + byte(v>>i&1))
	}
	return b.String()
}

// undigits reads them back.
func undigits[T constraints.Integer](s string) (v T) {
	for _, c := range s {
		v = v<<1 | T(c-'0')
	}
	return v
}

// spelled is the operation on the binary digits of a number.
func spelled[T constraints.Integer](op row.UnaryOp, v T) T {
	s := digits(v)
	switch op {
	case row.Neg:
		return wrapped[T](exact(v).Neg(exact(v)))
	case row.Abs:
		return wrapped[T](exact(v).Abs(exact(v)))
	case row.Not:
		return undigits[T](strings.NewReplacer("0", "1", "1", "0").Replace(s))
	case row.Popc:
		return T(strings.Count(s, "1"))
	case row.Clz:
		return T(len(s) - len(strings.TrimLeft(s, "0")))
	case row.Brev:
		b := []byte(s)
		slices.Reverse(b)
		return undigits[T](string(b))
	}
	if i := strings.LastIndexByte(s, '1'); i >= 0 { // ffs
		return T(len(s) - i)
	}
	return 0
}

func checkUnary[T row.Number](t *testing.T, name string, x []T, run func(d, x []T), want func(T) T) {
	t.Helper()
	d, onto := make([]T, len(x)), slices.Clone(x)
	run(d, x)
	run(onto, onto)
	for i, v := range x {
		if w := want(v); !identical(d[i], w) || !identical(onto[i], w) {
			t.Fatalf("%s of %d lanes: lane %d: %v (%x) gives %v (%x), in place %v, want %v (%x)",
				name, len(x), i, v, bitsOf(v), d[i], bitsOf(d[i]), onto[i], w, bitsOf(w))
		}
	}
}

func testUnaryInt[T constraints.Integer](t *testing.T) {
	vals := intEdges[T]()
	for op, name := range unaryNames {
		want := func(v T) T { return spelled(op, v) }
		for n := 1; n <= maxLanes; n++ {
			x := make([]T, n)
			for i := range x {
				x[i] = vals[(i+n*3)%len(vals)]
			}
			checkUnary(t, name, x, func(d, x []T) { row.UnaryInt(op, d, x) }, want)
			if op < row.Not {
				checkUnary(t, name, x, func(d, x []T) { row.Unary(op, d, x) }, want)
			}
		}
	}
}

func TestUnaryIntegers(t *testing.T) {
	t.Run("int8", testUnaryInt[int8])
	t.Run("int16", testUnaryInt[int16])
	t.Run("int32", testUnaryInt[int32])
	t.Run("int64", testUnaryInt[int64])
	t.Run("uint8", testUnaryInt[uint8])
	t.Run("uint16", testUnaryInt[uint16])
	t.Run("uint32", testUnaryInt[uint32])
	t.Run("uint64", testUnaryInt[uint64])
}

// Neg flips the sign bit and Abs clears it, of zeros and NaNs as well, and
// neither touches another bit.
func testUnaryFloat[T row.Number](t *testing.T, vals []T, fromBits func(uint64) T) {
	var zero T
	signBit := uint64(1) << (unsafe.Sizeof(zero)*8 - 1)
	for n := 1; n <= maxLanes; n++ {
		x := make([]T, n)
		for i := range x {
			x[i] = vals[(i+n)%len(vals)]
		}
		checkUnary(t, "neg", x, func(d, x []T) { row.Unary(row.Neg, d, x) }, func(v T) T { return fromBits(bitsOf(v) ^ signBit) })
		checkUnary(t, "abs", x, func(d, x []T) { row.Unary(row.Abs, d, x) }, func(v T) T { return fromBits(bitsOf(v) &^ signBit) })
	}
}

func TestUnaryFloats(t *testing.T) {
	t.Run("float32", func(t *testing.T) {
		testUnaryFloat(t, floatEdges32(), func(b uint64) float32 { u := uint32(b); return *(*float32)(unsafe.Pointer(&u)) })
	})
	t.Run("float64", func(t *testing.T) {
		testUnaryFloat(t, floatEdges64(), func(b uint64) float64 { return *(*float64)(unsafe.Pointer(&b)) })
	})
}
