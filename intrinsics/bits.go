package intrinsics

import (
	"math/bits"
	"unsafe"

	"example.com/warpsim/warp/isa"
)

// Popc returns the number of bits set in x. Like all functions on bits that take a
// thread, it books the instructions that it is on devices, which have 32 bits: of
// 64 it takes two population counts and an addition.
func Popc[T uint32 | uint64](t *Thread, x T) int {
	t.Work(isa.Popc, words(x))
	if words(x) == 2 {
		t.Work(isa.IAdd, 1)
	}
	return bits.OnesCount64(uint64(x))
}

// Clz returns the number of zero bits above the highest bit set in x, 32 or 64 if
// x is 0.
func Clz[T uint32 | uint64](t *Thread, x T) int {
	t.Work(isa.Clz, words(x))
	if words(x) == 2 {
		t.Work(isa.Select, 1)
	}
	return bits.LeadingZeros64(uint64(x)) - 64 + 32*words(x)
}

// Ffs returns the position of the lowest bit set in x, counted from 1, 0 if x is
// 0.
func Ffs[T uint32 | uint64](t *Thread, x T) int {
	t.Work(isa.Brev, words(x))
	t.Work(isa.Clz, words(x))
	if words(x) == 2 {
		t.Work(isa.Select, 1)
	}
	return (bits.TrailingZeros64(uint64(x)) + 1) % 65
}

// Brev returns the bits of x in reverse order.
func Brev[T uint32 | uint64](t *Thread, x T) T {
	t.Work(isa.Brev, words(x))
	return T(bits.Reverse64(uint64(x)) >> (64 - 32*words(x)))
}

// words returns of how many words of 32 bits x is.
func words[T uint32 | uint64](x T) int { return int(unsafe.Sizeof(x)) / 4 }

// fnsSteps is what finding the n-th bit set of 32 comes to in software: a search by
// halves, a count and a compare each. Of 64 it is one more.
const fnsSteps = 5

// Fns returns the position of the n-th bit set in x from bit base on: for n > 0
// counting up from base, for n < 0 counting down, and for n = 0 base itself if
// it is set. It returns -1 if there is no such bit, or if base is not a bit of x.
func Fns[T uint32 | uint64](t *Thread, x T, base, n int) int {
	steps := fnsSteps + words(x) - 1
	t.Work(isa.Popc, steps)
	t.Work(isa.ICmp, steps)
	t.Work(isa.Logic, steps)
	return fns(uint64(x), 32*words(x), base, n)
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
