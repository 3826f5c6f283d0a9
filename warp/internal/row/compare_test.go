package row_test

import (
	"cmp"
	"testing"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp/internal/row"
	"golang.org/x/exp/constraints"
)

var compareNames = map[row.CompareOp]string{
	row.Eq: "==", row.Ne: "!=", row.Lt: "<", row.Le: "<=", row.Gt: ">", row.Ge: ">=",
}

// ordered says what a comparison gives from the order of the operands: -1, 0,
// 1, or 2 for none, as with a NaN.
func ordered(op row.CompareOp, order int) bool {
	switch op {
	case row.Eq:
		return order == 0
	case row.Ne:
		return order != 0
	case row.Lt:
		return order == -1
	case row.Le:
		return order == -1 || order == 0
	case row.Gt:
		return order == 1
	}
	return order == 1 || order == 0
}

func checkCompare[T row.Number](t *testing.T, x, y []T, order func(a, b T) int) {
	t.Helper()
	for op, name := range compareNames {
		var want lane.Mask
		for i := range x {
			if ordered(op, order(x[i], y[i])) {
				want = want.With(i)
			}
		}
		if got := row.Compare(op, x, y); got != want {
			t.Fatalf("%s of %d lanes of %T: %s, want %s", name, len(x), x, got, want)
		}
		if got := row.Compare(op, x, x); len(x) > 0 {
			for i := range x {
				if got.Has(i) != ordered(op, order(x[i], x[i])) {
					t.Fatalf("%v %s itself: %v", x[i], name, got.Has(i))
				}
			}
		}
	}
}

func testCompareInt[T constraints.Integer](t *testing.T) {
	order := func(a, b T) int { return exact(a).Cmp(exact(b)) }
	vals := intEdges[T]()
	pairs(vals, 128, func(x, y []T) { checkCompare(t, x, y, order) })
	for n := 1; n <= maxLanes; n++ {
		x, y := make([]T, n), make([]T, n)
		for i := range x {
			x[i], y[i] = vals[(i*3)%len(vals)], vals[(i+n)%len(vals)]
		}
		checkCompare(t, x, y, order)
	}
}

func testCompareFloat[T float32 | float64](t *testing.T, vals []T) {
	order := func(a, b T) int {
		if a != a || b != b {
			return 2
		}
		return cmp.Compare(a, b) // -0 equals +0
	}
	pairs(vals, 128, func(x, y []T) { checkCompare(t, x, y, order) })
	for n := 1; n <= maxLanes; n++ {
		x, y := make([]T, n), make([]T, n)
		for i := range x {
			x[i], y[i] = vals[(i*3)%len(vals)], vals[(i+n)%len(vals)]
		}
		checkCompare(t, x, y, order)
	}
}

func TestCompare(t *testing.T) {
	t.Run("int8", testCompareInt[int8])
	t.Run("int16", testCompareInt[int16])
	t.Run("int32", testCompareInt[int32])
	t.Run("int64", testCompareInt[int64])
	t.Run("uint8", testCompareInt[uint8])
	t.Run("uint16", testCompareInt[uint16])
	t.Run("uint32", testCompareInt[uint32])
	t.Run("uint64", testCompareInt[uint64])
	t.Run("float32", func(t *testing.T) { testCompareFloat(t, floatEdges32()) })
	t.Run("float64", func(t *testing.T) { testCompareFloat(t, floatEdges64()) })
}
