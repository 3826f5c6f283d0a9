//go:build goexperiment.simd && amd64

package row

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/lane"
	"github.com/stretchr/testify/require"
)

// The vector form must give the same bits as the plain form, in the lanes of
// the mask, and leave the others alone.
func TestVectorEqualsPlain(t *testing.T) {
	if !vector {
		t.Skip("this processor has no AVX-512")
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, lanes := range []int{16, 32, 64, 128} {
		for range 200 {
			m := lane.Mask{Lo: r.Uint64(), Hi: r.Uint64()}.And(lane.FirstN(lanes))
			if r.IntN(2) == 0 {
				m = lane.FirstN(lanes)
			}
			hold(t, r, Int32, lanes, m, BinaryInt[int32], func() int32 { return int32(odd(r)) })
			hold(t, r, Uint32, lanes, m, BinaryInt[uint32], func() uint32 { return uint32(odd(r)) })
			hold(t, r, Int64, lanes, m, BinaryInt[int64], func() int64 { return int64(odd(r)) })
			hold(t, r, Uint64, lanes, m, BinaryInt[uint64], func() uint64 { return odd(r) })
			hold(t, r, Float32, lanes, m, Binary[float32], func() float32 { return float32(oddFloat(r)) })
			hold(t, r, Float64, lanes, m, Binary[float64], func() float64 { return oddFloat(r) })
		}
	}
}

// The vector form of shuffles must move what the plain form does, in place and
// not, and nothing beside the row.
func TestVectorShuffleEqualsPlain(t *testing.T) {
	if !vector {
		t.Skip("this processor has no AVX-512")
	}
	for _, lanes := range []int{16, 32, 64, 128} {
		holdShuffles[uint32](t, Float32, lanes)
		holdShuffles[uint64](t, Int64, lanes)
	}
	for _, e := range []Elem{Int8, Uint8, Int16, Uint16} {
		require.False(t, VectorShuffles(e, 128))
	}
}

func holdShuffles[T uint32 | uint64](t *testing.T, e Elem, lanes int) {
	t.Helper()
	if !VectorShuffles(e, lanes) {
		require.Less(t, lanes, 32)
		return
	}
	src, words := make([]T, lanes), int(unsafe.Sizeof(T(0)))/4
	for i := range src {
		src[i] = ^T(0)/255*T(i+1) + T(i) // unlike in every word
	}
	p := func(s []T) unsafe.Pointer { return unsafe.Pointer(&s[0]) }
	hold := func(mode crossbar.Mode, d int, shuffle func(dst, src unsafe.Pointer)) {
		want, got := make([]T, lanes), make([]T, lanes+2)
		crossbar.MoveWhole(want, src, mode, d)
		shuffle(p(got[1:]), p(src))
		require.Equal(t, want, got[1:lanes+1], "%s %d of %d", mode, d, lanes)
		require.Zero(t, got[0]|got[lanes+1], "beside the row: %s %d of %d", mode, d, lanes)
		copy(got[1:], src)
		shuffle(p(got[1:]), p(got[1:]))
		require.Equal(t, want, got[1:lanes+1], "in place: %s %d of %d", mode, d, lanes)
		require.Zero(t, got[0]|got[lanes+1], "beside the row: %s %d of %d", mode, d, lanes)
	}
	require.Equal(t, lanes == 32 && words == 1, PairShuffles(e, lanes))
	for mode := crossbar.Idx; mode <= crossbar.Xor; mode++ {
		for d := range lanes {
			hold(mode, d, func(dst, src unsafe.Pointer) { VectorShuffle(dst, src, lanes, words, mode, d) })
			if PairShuffles(e, lanes) {
				hold(mode, d, func(dst, src unsafe.Pointer) { PairShuffle(dst, src, mode, d) })
			}
		}
	}
}

// odd returns values that are often at the edges.
func odd(r *rand.Rand) uint64 {
	edges := []uint64{0, 1, math.MaxUint64, 1 << 31, 1<<31 - 1, 1 << 63, 1<<63 - 1, 7}
	if r.IntN(2) == 0 {
		return edges[r.IntN(len(edges))]
	}
	return r.Uint64()
}

func oddFloat(r *rand.Rand) float64 {
	edges := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), 1, -1, 1e-42, 3e38, 5e-324, math.MaxFloat64}
	if r.IntN(2) == 0 {
		return edges[r.IntN(len(edges))]
	}
	return r.NormFloat64() * math.Ldexp(1, r.IntN(40)-20)
}

func hold[T Number](t *testing.T, r *rand.Rand, e Elem, lanes int, m lane.Mask, plain func(BinaryOp, []T, []T, []T), draw func() T) {
	t.Helper()
	x, y := make([]T, lanes), make([]T, lanes)
	for i := range x {
		x[i], y[i] = draw(), draw()
	}
	p := func(s []T) unsafe.Pointer { return unsafe.Pointer(&s[0]) }
	for op := Add; op <= Shr; op++ {
		if e >= Float32 && op >= And {
			break
		}
		want, got := make([]T, lanes), make([]T, lanes)
		full := make([]T, lanes)
		plain(op, full, x, y)
		Blend(want, full, m)
		vop := VectorOpOf(e, op, lanes)
		if vop == 0 {
			continue
		}
		size := lanes * int(unsafe.Sizeof(x[0]))
		VectorBinary(vop, p(got), p(x), p(y), size, &m)
		if m == lane.FirstN(lanes) {
			whole := make([]T, lanes)
			VectorBinary(vop, p(whole), p(x), p(y), size, nil)
			if !bytes.Equal(unsafe.Slice((*byte)(p(got)), size), unsafe.Slice((*byte)(p(whole)), size)) {
				t.Fatalf("%d lanes, element %d, op %d: without a mask %v, with all lanes %v", lanes, e, op, whole, got)
			}
		}
		for i := range want {
			if want[i] != got[i] && (want[i] == want[i] || got[i] == got[i]) || negativeZero(want[i]) != negativeZero(got[i]) {
				t.Fatalf("%d lanes, element %d, op %d, lane %d: %v op %v = %v, plain %v", lanes, e, op, i, x[i], y[i], got[i], want[i])
			}
		}
	}
	for op := Eq; op <= Ge; op++ {
		got, ok := VectorCompare(e, op, p(x), p(y), lanes)
		if !ok {
			require.Less(t, lanes, 32)
			continue
		}
		require.Equal(t, Compare(op, x, y), got, "element %d, comparison %d", e, op)
	}
}
