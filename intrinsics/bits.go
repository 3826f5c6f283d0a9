package intrinsics

import (
	"math"
	"math/bits"

	"example.com/warpsim/warp/isa"
)

// Popc returns the number of bits set in x. Like all functions on bits that
// take a thread, it books the instructions that it is on devices.
func Popc(t *Thread, x uint32) int {
	t.Work(isa.Popc, 1)
	return bits.OnesCount32(x)
}

// Popcll is Popc for 64 bits: two population counts and an addition.
func Popcll(t *Thread, x uint64) int {
	t.Work(isa.Popc, 2)
	t.Work(isa.IAdd, 1)
	return bits.OnesCount64(x)
}

// Clz returns the number of zero bits above the highest bit set in x, 32 if x is
// 0.
func Clz(t *Thread, x uint32) int {
	t.Work(isa.Clz, 1)
	return bits.LeadingZeros32(x)
}

// Clzll returns the number of zero bits above the highest bit set in x, 64 if x
// is 0.
func Clzll(t *Thread, x uint64) int {
	t.Work(isa.Clz, 2)
	t.Work(isa.Select, 1)
	return bits.LeadingZeros64(x)
}

// Ffs returns the position of the lowest bit set in x, counted from 1, 0 if x is
// 0.
func Ffs(t *Thread, x uint32) int {
	t.Work(isa.Brev, 1)
	t.Work(isa.Clz, 1)
	return (bits.TrailingZeros32(x) + 1) % 33
}

// Ffsll returns the position of the lowest bit set in x, counted from 1, 0 if x
// is 0.
func Ffsll(t *Thread, x uint64) int {
	t.Work(isa.Brev, 2)
	t.Work(isa.Clz, 2)
	t.Work(isa.Select, 1)
	return (bits.TrailingZeros64(x) + 1) % 65
}

// Brev returns the bits of x in reverse order.
func Brev(t *Thread, x uint32) uint32 {
	t.Work(isa.Brev, 1)
	return bits.Reverse32(x)
}

// Brevll returns the bits of x in reverse order.
func Brevll(t *Thread, x uint64) uint64 {
	t.Work(isa.Brev, 2)
	return bits.Reverse64(x)
}

// fnsSteps is what finding the n-th bit set comes to in software: a search by
// halves, a count and a compare each.
const fnsSteps = 5

// Fns returns the position of the n-th bit set in x from bit base on: for n > 0
// counting up from base, for n < 0 counting down, and for n = 0 base itself if
// it is set. It returns -1 if there is no such bit, or if base is not a bit of x.
func Fns(t *Thread, x uint32, base, n int) int {
	t.Work(isa.Popc, fnsSteps)
	t.Work(isa.ICmp, fnsSteps)
	t.Work(isa.Logic, fnsSteps)
	return fns(uint64(x), 32, base, n)
}

// Fnsll is Fns for 64 bits.
func Fnsll(t *Thread, x uint64, base, n int) int {
	t.Work(isa.Popc, fnsSteps+1)
	t.Work(isa.ICmp, fnsSteps+1)
	t.Work(isa.Logic, fnsSteps+1)
	return fns(x, 64, base, n)
}

func fns(x uint64, width, base, n int) int {
	if base < 0 || base >= width {
		return -1
	}
	step := 1
	switch {
	case n == 0:
		if x>>uint(base)&1 == 1 {
			return base
		}
		return -1
	case n < 0:
		step, n = -1, -n
	}
	for i := base; i >= 0 && i < width; i += step {
		if x>>uint(i)&1 == 1 {
			if n--; n == 0 {
				return i
			}
		}
	}
	return -1
}

// Bit casts cost nothing: the value stays in its register.

// FloatAsInt returns the bits of x.
func FloatAsInt(x float32) int32 { return int32(math.Float32bits(x)) }

// FloatAsUint returns the bits of x.
func FloatAsUint(x float32) uint32 { return math.Float32bits(x) }

// IntAsFloat returns the float with the bits x.
func IntAsFloat(x int32) float32 { return math.Float32frombits(uint32(x)) }

// UintAsFloat returns the float with the bits x.
func UintAsFloat(x uint32) float32 { return math.Float32frombits(x) }

// DoubleAsLongLong returns the bits of x.
func DoubleAsLongLong(x float64) int64 { return int64(math.Float64bits(x)) }

// LongLongAsDouble returns the float with the bits x.
func LongLongAsDouble(x int64) float64 { return math.Float64frombits(uint64(x)) }

// Double2HiInt returns the upper 32 bits of x.
func Double2HiInt(x float64) int32 { return int32(math.Float64bits(x) >> 32) }

// Double2LoInt returns the lower 32 bits of x.
func Double2LoInt(x float64) int32 { return int32(math.Float64bits(x)) }

// HiLoInt2Double returns the float with the upper and lower bits given.
func HiLoInt2Double(hi, lo int32) float64 {
	return math.Float64frombits(uint64(uint32(hi))<<32 | uint64(uint32(lo)))
}
