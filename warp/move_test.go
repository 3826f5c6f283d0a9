package warp_test

import (
	"context"
	"math"
	"math/big"
	"testing"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Set, SetLanes, Mov and Select of every size of value, under every active set.
func tryMoves[T comparable](t *testing.T, w *warp.Warp, value func(k, l int) T) {
	n := w.Width()
	for _, active := range activeSets(n) {
		mark := w.Mark()
		a := operand(w, 0, func(l int) T { return value(0, l) })
		b := operand(w, 1, func(l int) T { return value(1, l) })
		p := w.Pred()
		holds := lane.Mask{Lo: 0x00ff33335555aaaa, Hi: 0x0123456789abcdef}.And(lane.FirstN(n))
		p.Define(holds, lane.Bit(2).Not(n))
		old := func(l int) T { return value(4, l) }
		fresh := func() warp.Reg[T] { return operand(w, 4, old) }
		rest := undefinedIn(4, n).AndNot(active)
		w.Under(active, func() {
			d := fresh()
			warp.Set(d, value(9, 9))
			check(t, w, "Set", d, rest, blend(active, func(int) T { return value(9, 9) }, old))
			d = fresh()
			warp.SetLanes(d, func(l int) T { return value(7, l) })
			check(t, w, "SetLanes", d, rest, blend(active, func(l int) T { return value(7, l) }, old))
			d = fresh()
			warp.Mov(d, a)
			check(t, w, "Mov", d, rest.Or(undefinedIn(0, n).And(active)), blend(active, func(l int) T { return value(0, l) }, old))

			held := p.Mask()
			chosen := blend(held, func(l int) T { return value(0, l) }, func(l int) T { return value(1, l) })
			undef := undefinedIn(0, n).And(held).Or(undefinedIn(1, n).AndNot(held)).Or(lane.Bit(2).And(lane.FirstN(n)))
			d = fresh()
			warp.Select(d, p, a, b)
			check(t, w, "Select", d, rest.Or(undef.And(active)), blend(active, chosen, old))
			warp.Select(a, p, a, b)
			check(t, w, "Select onto a", a, undefinedIn(0, n).AndNot(active).Or(undef.And(active)),
				blend(active, chosen, func(l int) T { return value(0, l) }))
		})
		w.Release(mark)
	}
}

func TestMoves(t *testing.T) {
	onWarps(t, func(t *testing.T, w *warp.Warp) {
		tryMoves(t, w, func(k, l int) bool { return (k+l)%3 == 0 })
		tryMoves(t, w, func(k, l int) uint8 { return uint8(k*50 + l) })
		tryMoves(t, w, func(k, l int) float32 { return float32(k) + float32(l)/8 })
		tryMoves(t, w, func(k, l int) int64 { return int64(k)<<40 - int64(l) })
		tryMoves(t, w, func(k, l int) [3]uint16 { return [3]uint16{uint16(k), uint16(l), 7} })
		tryMoves(t, w, func(k, l int) [5]int32 { return [5]int32{int32(k), int32(l), -1, 4: int32(k * l)} })
		tryMoves(t, w, func(k, l int) [64]byte { return [64]byte{byte(k), 63: byte(l)} })
	})
}

// A value costs one move for each of its 32-bit words.
func TestMovesCostByWord(t *testing.T) {
	e := engine(t, "h200", warp.Config{ValuesOnly: true})
	r, err := e.Run(context.Background(), one(32), func(w *warp.Warp) {
		warp.Set(warp.Alloc[uint8](w), 1)
		warp.Set(warp.Alloc[int64](w), 1)
		warp.Set(warp.Alloc[[3]int32](w), [3]int32{})
		warp.Set(warp.Alloc[[64]byte](w), [64]byte{})
	})
	require.NoError(t, err)
	assert.EqualValues(t, 1+2+3+16, r.Count(isa.Mov))
}

// clamped is the conversion of a float to an integer type of some bits: cut
// toward zero, held to the range, 0 for a NaN.
func clamped(x float64, bits int, signed bool) *big.Int {
	if x != x {
		return new(big.Int)
	}
	low, high := new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(bits))
	if signed {
		high.Rsh(high, 1)
		low.Neg(high)
	}
	high.Sub(high, big.NewInt(1))
	n := low
	switch {
	case math.IsInf(x, 1):
		n = high
	case !math.IsInf(x, -1):
		n, _ = big.NewFloat(x).Int(nil)
	}
	if n.Cmp(low) < 0 {
		return low
	}
	if n.Cmp(high) > 0 {
		return high
	}
	return n
}

var edgeFloats = []float64{0, math.Copysign(0, -1), 0.5, -0.5, 0.999, -0.999, 1.5, -1.5, 127, 127.9, 128, -128, -128.9, -129,
	255, 255.5, 256, 32767, 32768, -32769, 65535, 65536, 1 << 31, 1<<31 - 1, -1 << 31, -1<<31 - 1, 1 << 32, 1<<32 - 1, 1 << 53,
	1 << 63, -1 << 63, 1<<63 - 1024, -1<<63 - 2048, 1 << 64, 1<<64 - 2048, 1e300, -1e300, math.Inf(1), math.Inf(-1), math.NaN()}

func tryToInt[D warp.Integer](t *testing.T, w *warp.Warp, bits int, signed bool) {
	for at := 0; at < len(edgeFloats); at += w.Width() {
		mark := w.Mark()
		value := func(l int) float64 { return edgeFloats[(at+l)%len(edgeFloats)] }
		a, narrow := operand(w, 0, value), operand(w, 0, func(l int) float32 { return float32(value(l)) })
		d := warp.Alloc[D](w)
		for _, c := range []struct {
			run   func()
			value func(l int) float64
		}{{func() { warp.Convert(d, a) }, value}, {func() { warp.Convert(d, narrow) }, func(l int) float64 { return float64(float32(value(l))) }}} {
			c.run()
			check(t, w, "Convert from float", d, undefinedIn(0, w.Width()), func(l int) D {
				n := clamped(c.value(l), bits, signed)
				if n.Sign() < 0 {
					return D(n.Int64())
				}
				return D(n.Uint64())
			})
		}
		w.Release(mark)
	}
}

func tryConvert[D, S warp.Number](t *testing.T, w *warp.Warp, value func(l int) S) {
	for _, active := range activeSets(w.Width()) {
		mark := w.Mark()
		a, d := operand(w, 0, value), operand(w, 4, func(l int) D { return D(l) })
		w.Under(active, func() {
			warp.Convert(d, a)
			check(t, w, "Convert", d, undefinedIn(0, w.Width()).And(active).Or(undefinedIn(4, w.Width()).AndNot(active)),
				blend(active, func(l int) D { return D(value(l)) }, func(l int) D { return D(l) }))
		})
		w.Release(mark)
	}
}

func TestConvert(t *testing.T) {
	onWarps(t, func(t *testing.T, w *warp.Warp) {
		tryToInt[int8](t, w, 8, true)
		tryToInt[int16](t, w, 16, true)
		tryToInt[int32](t, w, 32, true)
		tryToInt[int64](t, w, 64, true)
		tryToInt[uint8](t, w, 8, false)
		tryToInt[uint16](t, w, 16, false)
		tryToInt[uint32](t, w, 32, false)
		tryToInt[uint64](t, w, 64, false)
		far := func(l int) int64 { return int64(l-3)<<50 + 12345678901*int64(l) }
		tryConvert[int8](t, w, far)
		tryConvert[uint16](t, w, far)
		tryConvert[uint64](t, w, far)
		tryConvert[float32](t, w, far)
		tryConvert[float64](t, w, far)
		tryConvert[float32](t, w, func(l int) uint64 { return ^uint64(0) - uint64(l)<<20 })
		tryConvert[float64](t, w, func(l int) uint64 { return ^uint64(0) - uint64(l)<<8 })
		tryConvert[float32](t, w, func(l int) float64 { return 0.1 * float64(l) })
		tryConvert[float64](t, w, func(l int) float32 { return 0.1 * float32(l) })
		tryConvert[int64](t, w, func(l int) uint32 { return ^uint32(0) - uint32(l) })
	})
}

// Bits survive a cast, also those of NaNs and of -0.
func TestBitcast(t *testing.T) {
	onWarps(t, func(t *testing.T, w *warp.Warp) {
		words := func(l int) uint32 { return []uint32{0x7fc01234, 0xff800001, 1 << 31, 0x3f800000, 1}[l%5] }
		for _, active := range activeSets(w.Width()) {
			mark := w.Mark()
			a := operand(w, 0, words)
			f, back := warp.Alloc[float32](w), operand(w, 4, func(l int) uint32 { return uint32(l) })
			pair := operand(w, 1, func(l int) uint64 { return uint64(words(l))<<32 | uint64(l) })
			halves := warp.Alloc[[2]uint32](w)
			w.Under(active, func() {
				warp.Bitcast(f, a)
				warp.Bitcast(back, f)
				check(t, w, "Bitcast", back, undefinedIn(0, w.Width()).And(active).Or(undefinedIn(4, w.Width()).AndNot(active)),
					blend(active, words, func(l int) uint32 { return uint32(l) }))
				warp.Bitcast(halves, pair)
			})
			for l := range active.Lanes() {
				assert.Equal(t, [2]uint32{uint32(l), words(l)}, halves.Lanes()[l], "the low word comes first")
			}
			w.Release(mark)
		}
	})
}

func TestBitcastBetweenSizes(t *testing.T) {
	e := engine(t, "h200", warp.Config{Faults: warp.Collect})
	_, err := e.Run(context.Background(), one(32), func(w *warp.Warp) {
		warp.Bitcast(warp.Alloc[int64](w), warp.Alloc[int32](w))
	})
	require.ErrorIs(t, err, warp.BadInstruction)
}
