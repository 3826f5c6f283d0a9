package row_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"unsafe"

	"example.com/warpsim/warp/internal/row"
	"golang.org/x/exp/constraints"
)

// A kernel's rows have a lane for each of 1 to 128 lanes; the loops have their
// seams at multiples of 8 and at 64.
const maxLanes = 128

// intEdges are the values at which integer operations change their mind: around
// zero, the ends of the range, single bits, and counts around the width.
func intEdges[T constraints.Integer]() []T {
	var zero T
	width := int(unsafe.Sizeof(zero)) * 8
	out := []T{0, 1, 2, 7, T(width - 1), T(width), T(width + 1), 64, 127}
	for _, v := range out {
		out = append(out, -v)
	}
	for _, b := range []int{width / 2, width - 2, width - 1} {
		bit := T(1) << b
		out = append(out, bit, bit-1, ^bit)
	}
	r := rand.New(rand.NewPCG(3, uint64(width)))
	for range 8 {
		out = append(out, T(r.Uint64()))
	}
	return out
}

// floatEdges are zeros, the ends of the normal and denormal ranges, infinities,
// NaNs of both signs with payloads, ties, and random bit patterns.
func floatEdges32() []float32 {
	bits := []uint32{0, 1 << 31, 1, 1<<31 | 1, 0x007fffff, 0x00800000, 0x7f7fffff, 0xff7fffff,
		0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7fc01234, 0xffc04321, 0x3f800000, 0xbf800000,
		0x3f800001, 0x4b800000, 0x4b800001, 0x34000000, 0x33ffffff}
	r := rand.New(rand.NewPCG(5, 32))
	for range 30 {
		if b := r.Uint32(); b&0x7f800000 != 0x7f800000 {
			bits = append(bits, b)
		}
	}
	var out []float32
	for _, b := range bits {
		out = append(out, math.Float32frombits(b))
	}
	return out
}

func floatEdges64() []float64 {
	bits := []uint64{0, 1 << 63, 1, 1<<63 | 1, 0x000fffffffffffff, 0x0010000000000000,
		0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000,
		0x7ff8000000000000, 0xfff8000000000000, 0x7ff8000000001234, 0xfff8000000004321,
		0x3ff0000000000000, 0xbff0000000000000, 0x3ff0000000000001, 0x4340000000000000, 0x4340000000000001}
	r := rand.New(rand.NewPCG(5, 64))
	for range 30 {
		if b := r.Uint64(); b&0x7ff0000000000000 != 0x7ff0000000000000 {
			bits = append(bits, b)
		}
	}
	var out []float64
	for _, b := range bits {
		out = append(out, math.Float64frombits(b))
	}
	return out
}

// bitsOf returns the bits of a number in the low end.
func bitsOf[T row.Number](v T) uint64 {
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

// same reports whether two numbers are equal bit for bit, but for the payload
// of a NaN that arithmetic has made.
func same[T row.Number](a, b T) bool { return bitsOf(a) == bitsOf(b) || a != a && b != b }

func identical[T row.Number](a, b T) bool { return bitsOf(a) == bitsOf(b) }

// exact returns an integer as a number of any size.
func exact[T constraints.Integer](v T) *big.Int {
	if v < 0 {
		return big.NewInt(int64(v))
	}
	return new(big.Int).SetUint64(uint64(v))
}

// wrapped returns the T that is congruent to n modulo two to T's width.
func wrapped[T constraints.Integer](n *big.Int) T {
	word := new(big.Int).And(n, new(big.Int).SetUint64(^uint64(0))) // two's complement, also for negative n
	return T(word.Uint64())
}

// pairs calls f with all pairs of values laid out in rows of n lanes.
func pairs[T any](vals []T, n int, f func(x, y []T)) {
	var x, y []T
	for _, a := range vals {
		for _, b := range vals {
			x, y = append(x, a), append(y, b)
		}
	}
	for len(x)%n != 0 {
		x, y = append(x, vals[0]), append(y, vals[len(vals)-1])
	}
	for i := 0; i < len(x); i += n {
		f(x[i:i+n:i+n], y[i:i+n:i+n])
	}
}
