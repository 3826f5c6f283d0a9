package half_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"example.com/warpsim/reduce"
	"example.com/warpsim/scan"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/half"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A kind is what the tests need of one of the two formats.
type kind struct {
	name       string
	of         func(x float64) uint16
	value      func(b uint16) float64
	fma        func(a, b, c uint16) uint16
	add        func(a, b uint16) uint16
	infinity   uint16
	next       float64 // what would come behind the largest number
	one, small float64 // with the bits of one and of the least number
	oneBits    uint16
}

var kinds = []kind{
	{"Float16", func(x float64) uint16 { return half.Of[half.Float16](x).Bits() }, func(b uint16) float64 { return half.FromBits[half.Float16](b).Float64() },
		func(a, b, c uint16) uint16 {
			return half.FromBits[half.Float16](a).FMA(half.FromBits[half.Float16](b), half.FromBits[half.Float16](c)).Bits()
		},
		func(a, b uint16) uint16 {
			return half.FromBits[half.Float16](a).Add(half.FromBits[half.Float16](b)).Bits()
		},
		0x7c00, 65536, 1, 0x1p-24, 0x3c00},
	{"BFloat16", func(x float64) uint16 { return half.Of[half.BFloat16](x).Bits() }, func(b uint16) float64 { return half.FromBits[half.BFloat16](b).Float64() },
		func(a, b, c uint16) uint16 {
			return half.FromBits[half.BFloat16](a).FMA(half.FromBits[half.BFloat16](b), half.FromBits[half.BFloat16](c)).Bits()
		},
		func(a, b uint16) uint16 {
			return half.FromBits[half.BFloat16](a).Add(half.FromBits[half.BFloat16](b)).Bits()
		},
		0x7f80, 0x1p128, 1, 0x1p-133, 0x3f80},
}

// Every number is itself; a bfloat16 is the upper half of a float32.
func TestEveryNumberIsItself(t *testing.T) {
	for _, k := range kinds {
		assert.Equal(t, k.oneBits, k.of(k.one), k.name)
		assert.EqualValues(t, 1, k.of(k.small), k.name)
		for b := range 1 << 16 {
			x := k.value(uint16(b))
			if x != x {
				assert.EqualValues(t, 0x7fff, k.of(x), "%s %#x", k.name, b)
				continue
			}
			require.EqualValues(t, b, k.of(x), "%s %#x = %v", k.name, b, x)
			require.Equal(t, b>>15 != 0, math.Signbit(x))
			if k.name == "BFloat16" {
				require.Equal(t, float64(math.Float32frombits(uint32(b)<<16)), x)
			}
		}
	}
}

// nearest is the number nearest to r, ties to even bits, by looking at all of them.
func (k *kind) nearest(r *big.Rat) uint16 {
	at := func(b int) *big.Rat {
		if uint16(b) == k.infinity {
			return new(big.Rat).SetFloat64(k.next)
		}
		return new(big.Rat).SetFloat64(k.value(uint16(b)))
	}
	size := new(big.Rat).Abs(r)
	lo, hi := 0, int(k.infinity)
	for lo < hi { // the first that is not below
		if m := (lo + hi) / 2; at(m).Cmp(size) < 0 {
			lo = m + 1
		} else {
			hi = m
		}
	}
	above, b := lo, lo
	if above > 0 {
		up, down := new(big.Rat).Sub(at(above), size), new(big.Rat).Sub(size, at(above-1))
		if c := down.Cmp(up); c < 0 || c == 0 && above%2 != 0 {
			b = above - 1
		}
	}
	if r.Sign() < 0 {
		b |= 1 << 15
	}
	return uint16(b)
}

// Sums, and products with a sum, are rounded once: against exact arithmetic, over all
// exponents and with terms that cancel or hardly reach the last bit.
func TestOperationsRoundOnce(t *testing.T) {
	for _, k := range kinds {
		r := rand.New(rand.NewPCG(1, 2))
		number := func(near uint16) uint16 {
			for {
				b := uint16(r.Uint32())
				if r.IntN(2) == 0 {
					b = near ^ uint16(r.IntN(16)) ^ uint16(r.IntN(2))<<15
				}
				if b&0x7fff < k.infinity {
					return b
				}
			}
		}
		n := 20000
		if testing.Short() {
			n = 3000
		}
		for range n {
			a, b := number(k.oneBits), number(k.oneBits)
			product := k.value(a) * k.value(b)
			near := k.of(product)
			if r.IntN(3) == 0 {
				near = k.of(product * 0x1p-12)
			}
			c := number(near)
			exact := func(b uint16) *big.Rat { return new(big.Rat).SetFloat64(k.value(b)) }
			sum := new(big.Rat).Add(exact(a), exact(c))
			fma := new(big.Rat).Add(new(big.Rat).Mul(exact(a), exact(b)), exact(c))
			if sum.Sign() != 0 {
				require.Equal(t, k.nearest(sum), k.add(a, c), "%s %v + %v", k.name, k.value(a), k.value(c))
			}
			if fma.Sign() != 0 {
				require.Equal(t, k.nearest(fma), k.fma(a, b, c), "%s %v * %v + %v", k.name, k.value(a), k.value(b), k.value(c))
			}
		}
	}
}

func TestMinimumAndMaximum(t *testing.T) {
	nan, zero := half.Of[half.Float16](math.NaN()), half.Float16{}
	minus := half.FromBits[half.Float16](0x8000)
	one := half.Of[half.Float16](1)
	assert.Equal(t, one, nan.Min(one))
	assert.Equal(t, one, one.Max(nan))
	assert.Equal(t, minus, zero.Min(minus))
	assert.Equal(t, zero, minus.Max(zero))
}

// numbers of a type from small integers, which all formats hold.
func numbers[T half.Number[T]](of func(i int) T, n int) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = of(i % 5)
	}
	return out
}

// checkElements loads, shuffles, reduces, scans and stores values of a type on a device.
func checkElements[T half.Number[T]](t *testing.T, name string, of func(i int) T) {
	p, err := device.Lookup(name)
	require.NoError(t, err)
	e, err := warp.New(warp.Config{Device: p})
	require.NoError(t, err)
	n := p.Lanes
	data := numbers(of, n)
	in, err := warp.Global(e, data)
	require.NoError(t, err)
	out, err := warp.Global(e, make([]T, 4*n))
	require.NoError(t, err)
	r, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(n)}, func(w *warp.Warp) {
		s := warp.Shared[T](w, n)
		x, v := warp.Alloc[T](w), warp.Alloc[T](w)
		warp.Load(x, in, w.ThreadID())
		warp.Store(s, w.ThreadID(), x)
		w.SyncWarp(w.Active())
		warp.Load(v, s, w.ThreadID())
		warp.ShflXor(v, v, 1)
		warp.Store(out, w.ThreadID(), v)
		warp.Mov(v, x)
		reduce.ShuffleXor(v, reduce.HalfSum[T](), reduce.Tile{})
		warp.Store(out.At(n), w.ThreadID(), v)
		warp.Mov(v, x)
		scan.HillisSteele(v, reduce.HalfMax[T](), scan.Spec[T]{})
		warp.Store(out.At(2*n), w.ThreadID(), v)
		half.FMA(v, x, x, x)
		warp.Store(out.At(3*n), w.ThreadID(), v)
	})
	require.NoError(t, err)
	assert.Positive(t, r.Cycles)
	sum, most := data[0], data[0]
	for _, x := range data[1:] {
		sum = sum.Add(x) // small integers: exact in any order
	}
	got := out.Data()
	for i, x := range data {
		most = most.Max(x)
		require.Equal(t, data[i^1], got[i], "%s: shuffled", name)
		require.Equal(t, sum, got[n+i], "%s: sum", name)
		require.Equal(t, most, got[2*n+i], "%s: scan", name)
		require.Equal(t, x.Mul(x).Add(x), got[3*n+i], "%s: fma", name)
	}
}

// All types are elements of everything, on warps of all widths.
func TestElements(t *testing.T) {
	for _, name := range []string{"h200", "mi300x", "mtt-s4000"} {
		checkElements(t, name, func(i int) half.Float16 { return half.Of[half.Float16](float64(i)) })
		checkElements(t, name, func(i int) half.BFloat16 { return half.Of[half.BFloat16](float64(i % 2)) })
		checkElements(t, name, func(i int) half.Pair[half.Float16] {
			return half.Pair[half.Float16]{Low: half.Of[half.Float16](float64(i)), High: half.Of[half.Float16](-float64(i))}
		})
		checkElements(t, name, func(i int) half.Pair[half.BFloat16] {
			return half.Pair[half.BFloat16]{Low: half.Of[half.BFloat16](float64(i % 2)), High: half.Of[half.BFloat16](-float64(i % 2))}
		})
	}
}

// Two bytes an element are half the lines of a float32, and a conversion is one
// instruction each way.
func TestConversions(t *testing.T) {
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	e, err := warp.New(warp.Config{Device: p})
	require.NoError(t, err)
	_, err = e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(32)}, func(w *warp.Warp) {
		x, y, h, b := warp.Alloc[float32](w), warp.Alloc[float32](w), warp.Alloc[half.Float16](w), warp.Alloc[half.BFloat16](w)
		warp.SetLanes(x, func(l int) float32 { return 1 + float32(l)/3 })
		half.Narrow(h, x)
		half.Widen(y, h)
		half.Narrow(b, x)
		for l, v := range x.Lanes() {
			assert.Equal(t, half.Of[half.Float16](float64(v)), h.Lanes()[l])
			assert.Equal(t, half.Of[half.BFloat16](float64(v)), b.Lanes()[l])
			assert.Equal(t, float32(h.Lanes()[l].Float64()), y.Lanes()[l])
		}
	})
	require.NoError(t, err)
}

func ExampleFloat16() {
	x := half.Of[half.Float16](1.0 / 3)
	fmt.Println(x.Float64(), x.Add(x).Float64(), half.Of[half.Float16](1e6).Float64())
	// Output: 0.333251953125 0.66650390625 +Inf
}
