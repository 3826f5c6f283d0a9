package row_test

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"
	"unsafe"

	"example.com/warpsim/warp/internal/row"
	"golang.org/x/exp/constraints"
)

var binaryNames = map[row.BinaryOp]string{
	row.Add: "add", row.Sub: "sub", row.Mul: "mul", row.Min: "min", row.Max: "max",
	row.And: "and", row.Or: "or", row.Xor: "xor", row.AndNot: "andnot", row.Shl: "shl", row.Shr: "shr",
}

// exactBinary is the operation on numbers of any size, wrapped to T at the end.
func exactBinary[T constraints.Integer](op row.BinaryOp, a, b T) T {
	var zero T
	width := uint64(unsafe.Sizeof(zero)) * 8
	x, y, z := exact(a), exact(b), new(big.Int)
	count := width // what a negative or too large count shifts by
	if y.Sign() >= 0 && y.IsUint64() && y.Uint64() < width {
		count = y.Uint64()
	}
	switch op {
	case row.Add:
		z.Add(x, y)
	case row.Sub:
		z.Sub(x, y)
	case row.Mul:
		z.Mul(x, y)
	case row.Min:
		z = x
		if y.Cmp(x) < 0 {
			z = y
		}
	case row.Max:
		z = x
		if y.Cmp(x) > 0 {
			z = y
		}
	case row.And:
		z.And(x, y)
	case row.Or:
		z.Or(x, y)
	case row.Xor:
		z.Xor(x, y)
	case row.AndNot:
		z.AndNot(x, y)
	case row.Shl:
		z.Lsh(x, uint(count))
	case row.Shr:
		z.Rsh(x, uint(count)) // rounds down, as copies of the sign bit do
	}
	return wrapped[T](z)
}

// checkBinary runs an operation on two rows, then with the destination in place
// of either and of both operands, and holds each lane to want.
func checkBinary[T row.Number](t *testing.T, name string, x, y []T, run func(d, x, y []T), want func(a, b T) T, eq func(a, b T) bool) {
	t.Helper()
	keepX, keepY := slices.Clone(x), slices.Clone(y)
	check := func(form string, d, x, y []T) {
		for i := range d {
			if w := want(x[i], y[i]); !eq(d[i], w) {
				t.Fatalf("%s %s of %d lanes: lane %d: %v, %v gives %v (%x), want %v (%x)",
					name, form, len(d), i, x[i], y[i], d[i], bitsOf(d[i]), w, bitsOf(w))
			}
		}
	}
	d := make([]T, len(x))
	run(d, x, y)
	check("apart", d, x, y)
	if !slices.EqualFunc(x, keepX, identical) || !slices.EqualFunc(y, keepY, identical) {
		t.Fatalf("%s changes an operand", name)
	}
	d = slices.Clone(x)
	run(d, d, y)
	check("onto x", d, x, y)
	d = slices.Clone(y)
	run(d, x, d)
	check("onto y", d, x, y)
	d = slices.Clone(x)
	run(d, d, d)
	check("onto both", d, x, x)
}

func testBinaryInt[T constraints.Integer](t *testing.T) {
	vals := intEdges[T]()
	for op, name := range binaryNames {
		run := func(d, x, y []T) { row.BinaryInt(op, d, x, y) }
		want := func(a, b T) T { return exactBinary(op, a, b) }
		pairs(vals, 128, func(x, y []T) { checkBinary(t, name, x, y, run, want, identical) })
		for n := 1; n <= maxLanes; n++ {
			x, y := vals[len(vals)-min(n, len(vals)):], vals[:min(n, len(vals))]
			for len(x) < n {
				x, y = append(slices.Clone(x), vals[len(x)%7]), append(slices.Clone(y), vals[len(y)%11])
			}
			checkBinary(t, name, x, y, run, want, identical)
			if op < row.And {
				checkBinary(t, name, x, y, func(d, x, y []T) { row.Binary(op, d, x, y) }, want, identical)
			}
		}
	}
}

func TestBinaryIntegers(t *testing.T) {
	type named int32
	t.Run("int8", testBinaryInt[int8])
	t.Run("int16", testBinaryInt[int16])
	t.Run("int32", testBinaryInt[int32])
	t.Run("int64", testBinaryInt[int64])
	t.Run("uint8", testBinaryInt[uint8])
	t.Run("uint16", testBinaryInt[uint16])
	t.Run("uint32", testBinaryInt[uint32])
	t.Run("uint64", testBinaryInt[uint64])
	t.Run("named", testBinaryInt[named])
}

// minimumNumber is that of IEEE 754-2019 on bits: a NaN loses to a number, -0
// lies below +0. Of two NaNs and of two equal values it is the first.
func minimumNumber[T row.Number](a, b T) T {
	switch {
	case b != b:
		return a
	case a != a:
		return b
	case a == b && sign(b) && !sign(a):
		return b
	case b < a:
		return b
	}
	return a
}

func maximumNumber[T row.Number](a, b T) T {
	switch {
	case b != b:
		return a
	case a != a:
		return b
	case a == b && sign(a) && !sign(b):
		return b
	case b > a:
		return b
	}
	return a
}

func sign[T row.Number](v T) bool { return bitsOf(v)>>(unsafe.Sizeof(v)*8-1) == 1 }

func testBinaryFloat[T row.Number](t *testing.T, vals []T, add, sub, mul func(a, b T) T) {
	for _, c := range []struct {
		op   row.BinaryOp
		want func(a, b T) T
		eq   func(a, b T) bool
	}{
		{row.Add, add, same[T]}, {row.Sub, sub, same[T]}, {row.Mul, mul, same[T]},
		{row.Min, minimumNumber[T], identical[T]}, {row.Max, maximumNumber[T], identical[T]},
	} {
		run := func(d, x, y []T) { row.Binary(c.op, d, x, y) }
		pairs(vals, 128, func(x, y []T) { checkBinary(t, binaryNames[c.op], x, y, run, c.want, c.eq) })
		for n := 1; n <= maxLanes; n++ {
			var x, y []T
			for i := range n {
				x, y = append(x, vals[i%len(vals)]), append(y, vals[(i*5+n)%len(vals)])
			}
			checkBinary(t, binaryNames[c.op], x, y, run, c.want, c.eq)
		}
	}
}

// rounded32 computes in big.Float with 24 bits where that is the format's own
// rounding: finite operands, a result in the normal range.
func rounded32(op func(z, x, y *big.Float) *big.Float, a, b float32) (float32, bool) {
	if bad := func(v float32) bool { return v != v || math.IsInf(float64(v), 0) || v == 0 }; bad(a) || bad(b) {
		return 0, false
	}
	z := op(new(big.Float).SetPrec(24), big.NewFloat(float64(a)), big.NewFloat(float64(b)))
	v, acc := z.Float32()
	return v, acc == big.Exact && math.Abs(float64(v)) >= 0x1p-126 && !math.IsInf(float64(v), 0)
}

func TestBinaryFloats(t *testing.T) {
	t.Run("float32", func(t *testing.T) {
		testBinaryFloat(t, floatEdges32(),
			func(a, b float32) float32 { return a + b }, func(a, b float32) float32 { return a - b },
			func(a, b float32) float32 { return a * b })
	})
	t.Run("float64", func(t *testing.T) {
		testBinaryFloat(t, floatEdges64(),
			func(a, b float64) float64 { return a + b }, func(a, b float64) float64 { return a - b },
			func(a, b float64) float64 { return a * b })
	})
}

// Every operation rounds once, to nearest even, in the type's own format.
func TestFloat32RoundsOnce(t *testing.T) {
	checked := 0
	pairs(floatEdges32(), 1, func(x, y []float32) {
		for op, f := range map[row.BinaryOp]func(z, x, y *big.Float) *big.Float{
			row.Add: (*big.Float).Add, row.Sub: (*big.Float).Sub, row.Mul: (*big.Float).Mul,
		} {
			want, ok := rounded32(f, x[0], y[0])
			if !ok {
				continue
			}
			checked++
			d := make([]float32, 1)
			if row.Binary(op, d, x, y); d[0] != want {
				t.Fatalf("%s of %v and %v: %v, want %v", binaryNames[op], x[0], y[0], d[0], want)
			}
		}
	})
	if checked < 1000 {
		t.Fatalf("only %d cases", checked)
	}
}

// The product of MulAdd is rounded before the sum: values for which a fused
// operation gives another result, one for each format.
func TestMulAddDoesNotFuse(t *testing.T) {
	for n := 1; n <= maxLanes; n++ {
		// (1+2^-12)^2 = 1 + 2^-11 + 2^-24, whose last term a float32 drops.
		f := func(v float32) []float32 { return slices.Repeat([]float32{v}, n) }
		d := make([]float32, n)
		row.MulAdd(d, f(1+0x1p-12), f(1+0x1p-12), f(-1-0x1p-11))
		for i, v := range d {
			if v != 0 {
				t.Fatalf("lane %d of %d: %g, a fused product", i, n, v)
			}
		}
		// (1+2^-27)^2 = 1 + 2^-26 + 2^-54.
		g := func(v float64) []float64 { return slices.Repeat([]float64{v}, n) }
		e := make([]float64, n)
		row.MulAdd(e, g(1+0x1p-27), g(1+0x1p-27), g(-1-0x1p-26))
		for i, v := range e {
			if v != 0 {
				t.Fatalf("lane %d of %d: %g, a fused product", i, n, v)
			}
		}
	}
}

func testMulAddInt[T constraints.Integer](t *testing.T) {
	vals := intEdges[T]()
	pairs(vals, 64, func(x, y []T) {
		z := slices.Clone(y)
		slices.Reverse(z)
		want := func(i int) T {
			n := new(big.Int).Mul(exact(x[i]), exact(y[i]))
			return wrapped[T](n.Add(n, exact(z[i])))
		}
		d := make([]T, len(x))
		row.MulAdd(d, x, y, z)
		for onto, d := range map[string][]T{"d": d, "z": slices.Clone(z)} {
			if onto == "z" {
				row.MulAdd(d, x, y, d)
			}
			for i := range d {
				if d[i] != want(i) {
					t.Fatalf("%v*%v+%v = %v, want %v", x[i], y[i], z[i], d[i], want(i))
				}
			}
		}
	})
}

func TestMulAddIntegers(t *testing.T) {
	t.Run("int8", testMulAddInt[int8])
	t.Run("uint16", testMulAddInt[uint16])
	t.Run("int32", testMulAddInt[int32])
	t.Run("uint64", testMulAddInt[uint64])
	t.Run("int64", testMulAddInt[int64])
}

// Any bits, any number of lanes: integers against math/big, Min and Max of
// floats against the standard's words.
func FuzzBinary(f *testing.F) {
	f.Add([]byte("some lanes of any type and their partners"), uint8(0))
	f.Add(slices.Repeat([]byte{0x80, 0, 0, 0, 0xff, 0xff, 0xc0, 0x7f}, 40), uint8(3))
	f.Fuzz(func(t *testing.T, data []byte, op uint8) {
		o := row.BinaryOp(op % uint8(len(binaryNames)))
		fuzzInt[int8](t, o, data)
		fuzzInt[uint16](t, o, data)
		fuzzInt[int32](t, o, data)
		fuzzInt[uint64](t, o, data)
		x, y := lanes[float32](data)
		xx, yy := lanes[float64](data)
		for op, name := range map[row.BinaryOp]string{row.Min: "min", row.Max: "max"} {
			narrow, wide := minimumNumber[float32], minimumNumber[float64]
			if op == row.Max {
				narrow, wide = maximumNumber[float32], maximumNumber[float64]
			}
			checkBinary(t, name, x, y, func(d, x, y []float32) { row.Binary(op, d, x, y) }, narrow, identical)
			checkBinary(t, name, xx, yy, func(d, x, y []float64) { row.Binary(op, d, x, y) }, wide, identical)
		}
	})
}

func fuzzInt[T constraints.Integer](t *testing.T, op row.BinaryOp, data []byte) {
	x, y := lanes[T](data)
	checkBinary(t, fmt.Sprintf("%T %s", *new(T), binaryNames[op]), x, y,
		func(d, x, y []T) { row.BinaryInt(op, d, x, y) },
		func(a, b T) T { return exactBinary(op, a, b) }, identical)
}

// lanes cuts bytes into two rows of equal length.
func lanes[T row.Number](data []byte) (x, y []T) {
	var zero T
	size := int(unsafe.Sizeof(zero))
	n := min(len(data)/size/2, maxLanes)
	both := make([]T, 2*n)
	for i := range both {
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&both[i])), size), data[i*size:])
	}
	return both[:n:n], both[n:]
}
