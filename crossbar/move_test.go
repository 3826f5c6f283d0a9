package crossbar

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/warpsim/lane"
)

type triple struct{ a, b, c uint32 }

// checkMoves holds Move, in place and not, of several types, MoveMask and
// Outside to the route's sources.
func checkMoves(t *testing.T, r *Route, active lane.Mask) {
	t.Helper()
	moveAs(t, r, active, func(i int) uint8 { return uint8(i) })
	moveAs(t, r, active, func(i int) int16 { return int16(-i) })
	moveAs(t, r, active, func(i int) uint32 { return uint32(i * 3) })
	moveAs(t, r, active, func(i int) float64 { return float64(i) / 3 })
	moveAs(t, r, active, func(i int) triple { return triple{uint32(i), uint32(i * i), 7} })
	moveAs(t, r, active, func(i int) [5]byte { return [5]byte{byte(i), 1, 2, 3, byte(i)} })

	out, outside := r.MoveMask(active), r.Outside(active)
	for l := range lane.MaxLanes {
		in := l < r.Lanes()
		require.Equal(t, in && active.Has(r.Source(l)), out.Has(l), "mask, lane %d", l)
		require.Equal(t, in && active.Has(l) && !active.And(lane.FirstN(r.Lanes())).Has(r.Source(l)), outside.Has(l), "outside, lane %d", l)
	}
}

func moveAs[T comparable](t *testing.T, r *Route, active lane.Mask, value func(int) T) {
	t.Helper()
	var src, dst, want [lane.MaxLanes]T
	n := r.Lanes()
	for i := range src {
		src[i], dst[i] = value(i), value(i+131)
	}
	want = dst
	for l := range n {
		if active.Has(l) {
			want[l] = src[r.Source(l)]
		}
	}
	Move(dst[:n], src[:n], r, active)
	require.Equal(t, want, dst)

	want = src
	for l := range n {
		if active.Has(l) {
			want[l] = src[r.Source(l)]
		}
	}
	Move(src[:n], src[:n], r, active)
	require.Equal(t, want, src, "in place")
}

func TestMoveEveryShuffle(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, lanes := range allWidths {
		for _, width := range allWidths {
			for x := 0; width <= lanes && x < lanes; x += 1 + x/9 {
				for _, m := range allModes {
					var r Route
					r.Shuffle(CutToWarp, m, lanes, width, int32(x))
					checkMoves(t, &r, lane.FirstN(lanes))
					checkMoves(t, &r, lane.Mask{Lo: random.Uint64(), Hi: random.Uint64()})
				}
			}
		}
	}
}

func TestMovePerLane(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, lanes := range allWidths {
		xs := make([]int32, lanes)
		for i := range xs {
			xs[i] = int32(random.IntN(2 * lanes))
		}
		for _, m := range allModes {
			var r Route
			r.ShuffleLanes(CutToWarp, m, lanes, lanes, xs)
			checkMoves(t, &r, lane.FirstN(lanes))
			checkMoves(t, &r, lane.Mask{Lo: random.Uint64(), Hi: random.Uint64()})
			checkMoves(t, &r, lane.Mask{})
		}
	}
}

// Rows that are shorter than the route move what they have.
func TestMoveShortRows(t *testing.T) {
	var r Route
	r.Shuffle(CutToWarp, Down, 32, 32, 2)
	dst := []int{-1, -1, -1, -1, -1}
	Move(dst, []int{0, 1, 2, 3}, &r, lane.FirstN(32))
	require.Equal(t, []int{2, 3, -1, -1, -1}, dst)
	Move(nil, dst, &r, lane.FirstN(32))
	Move(dst, nil, &r, lane.FirstN(32))
	var none Route
	Move(dst, dst, &none, lane.FirstN(32))
	require.Equal(t, []int{2, 3, -1, -1, -1}, dst)
}

func TestNothingAllocates(t *testing.T) {
	var r Route
	var rows [2][64]uint32
	var big [2][64]triple
	var xs [64]int32
	var b [64]uint32
	all, half := lane.FirstN(64), lane.Bits(0x5555555555555555)
	allocs := testing.AllocsPerRun(10, func() {
		for _, m := range allModes {
			r.Shuffle(CutToWarp, m, 64, 16, 5)
			Move(rows[0][:], rows[1][:], &r, all)
			Move(rows[0][:], rows[0][:], &r, half)
			Move(big[0][:], big[0][:], &r, all)
			r.ShuffleLanes(Uncut, m, 64, 64, xs[:])
			Move(rows[0][:], rows[1][:], &r, half)
			half = r.MoveMask(half).Or(lane.Bits(1))
			r.Raw(CutToWarp, m, 64, b[:], b[:])
			half = r.Outside(half).Or(lane.Bits(5))
		}
		r.Permute(64, 0, b[:], all)
		r.PermuteBack(64, 32, b[:])
		_ = r.RowMove(RowMirror, 64)
		_ = r.Swizzle(64, 0x1f)
	})
	require.Zero(t, allocs)
}

func TestRouteWithoutLanes(t *testing.T) {
	var r Route
	require.Zero(t, r.Lanes())
	require.True(t, r.InRange().Empty())
	require.True(t, r.MoveMask(lane.FirstN(128)).Empty())
	require.True(t, r.Outside(lane.FirstN(128)).Empty())
	require.Equal(t, 7, r.Source(7))
	require.Equal(t, -1, r.Source(-1))
}

// A route that is filled again forgets what it was.
func TestRouteIsReusable(t *testing.T) {
	var used, fresh Route
	used.Raw(CutToWarp, Idx, 128, []uint32{9, 8, 7}, nil)
	used.Shuffle(CutToWarp, Xor, 32, 8, 12)
	_ = used.Sources()
	used.Shuffle(CutToWarp, Up, 32, 8, 3)
	fresh.Shuffle(CutToWarp, Up, 32, 8, 3)
	require.Equal(t, fresh.Sources()[:32], used.Sources()[:32])
	require.Equal(t, fresh.InRange(), used.InRange())
}
