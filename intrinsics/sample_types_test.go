package intrinsics_test

import (
	"math"
	"testing"

	"example.com/warpsim/intrinsics"
	"github.com/stretchr/testify/require"
)

// A shuffle takes every type that the pages list, on both of MUSA's widths as on the
// others: integers and floats of 32 and of 64 bits.
func TestSampleTypes(t *testing.T) {
	for _, d := range wide {
		shuffled(t, d, func(l int) int32 { return int32(-l) })
		shuffled(t, d, func(l int) uint32 { return math.MaxUint32 - uint32(l) })
		shuffled(t, d, func(l int) int64 { return -int64(l) << 40 })
		shuffled(t, d, func(l int) uint64 { return math.MaxUint64 - uint64(l) })
		shuffled(t, d, func(l int) float32 { return float32(l) + 0.25 })
		shuffled(t, d, func(l int) float64 { return float64(l) + 1e-9 })
	}
}

func shuffled[T any](t *testing.T, device string, value func(l int) T) {
	t.Helper()
	e := engine(t, device, values)
	n := e.Device().Lanes
	got := run(t, e, n, func(t *thread) [4]T {
		v, m := value(t.Lane()), t.AllLanes()
		return [4]T{intrinsics.ShflSync(t, m, v, 5), intrinsics.ShflUpSync(t, m, v, 1), intrinsics.ShflDownSync(t, m, v, 1), intrinsics.ShflXorSync(t, m, v, 1)}
	})
	require.Equal(t, by(n, func(l int) [4]T {
		return [4]T{value(5), value(max(l-1, 0)), value(min(l+1, n-1)), value(l ^ 1)}
	}), got, device)
}

// A value of 64 bits in two halves, as the page does it by __double_as_longlong, is the
// one that a shuffle of 64 bits moves.
func TestSampleHalves(t *testing.T) {
	for _, d := range narrow {
		require.Equal(t, by(32, func(l int) float64 { return 1 / float64(min(l+16, l%16+16)+1) }), run(t, engine(t, d, values), 32, func(t *thread) float64 {
			v := math.Float64bits(1 / float64(t.Lane()+1))
			lo := intrinsics.ShflDownSync(t, full, uint32(v), 16)
			hi := intrinsics.ShflDownSync(t, full, uint32(v>>32), 16)
			return math.Float64frombits(uint64(hi)<<32 | uint64(lo))
		}), d)
	}
}

// The form without a mask, from before Volta, acts on the whole warp.
func TestSampleWithoutMask(t *testing.T) {
	for _, d := range append([]string{"pascal", "k40"}, wide...) {
		e := engine(t, d, values)
		n := e.Device().Lanes
		require.Equal(t, same(n, int32(7)), run(t, e, n, func(t *thread) int32 { return intrinsics.Shfl(t, int32(t.Lane()), 7) }), d)
	}
}

// A tree with the largest instead of the sum.
func TestSampleLargest(t *testing.T) {
	for _, d := range wide {
		e := engine(t, d, values)
		n := e.Device().Lanes
		got := run(t, e, n, func(t *thread) float32 {
			v := float32((t.Lane()*29 + 3) % n)
			for offset := t.WarpSize() / 2; offset > 0; offset >>= 1 {
				v = max(v, intrinsics.ShflDownSync(t, t.AllLanes(), v, offset))
			}
			return v
		})
		require.Equal(t, float32(n-1), got[0], d)
	}
}

// By idx: one lane's value for all, a look-up table in registers, and a step of a sort
// that moves values to where their rank says.
func TestSampleIndex(t *testing.T) {
	for _, d := range wide {
		e := engine(t, d, values)
		n := e.Device().Lanes
		got := run(t, e, n, func(t *thread) [3]int32 {
			l, m := t.Lane(), t.AllLanes()
			key := int32((l*5 + 2) % n) // every number once
			all := intrinsics.ShflSync(t, m, key, 3)
			square := intrinsics.ShflSync(t, m, int32(l*l), int(key))
			from := 0 // the lane whose key is mine
			for i := range n {
				if intrinsics.ShflSync(t, m, key, i) == int32(l) {
					from = i
				}
			}
			return [3]int32{all, square, intrinsics.ShflSync(t, m, key, from)}
		})
		require.Equal(t, by(n, func(l int) [3]int32 {
			key := int32((l*5 + 2) % n)
			return [3]int32{17, key * key, int32(l)}
		}), got, d)
	}
}

// A queue of tasks by ballot: lanes say whether they have work, and those without take
// the next tasks, so that 3n tasks of many lengths are all done once.
func TestSampleTaskQueue(t *testing.T) {
	for _, d := range wide {
		e := engine(t, d, values)
		n := e.Device().Lanes
		done := make([]int, 3*n)
		run(t, e, n, func(t *thread) int {
			m, next, task, left := t.AllLanes(), 0, -1, 0
			for {
				idle := intrinsics.BallotSync(t, m, left == 0)
				if left == 0 {
					task = -1
					if mine := next + idle.And(intrinsics.LaneMaskLt[intrinsics.Mask](t)).Count(); mine < len(done) {
						task, left = mine, mine%7+1
					}
				}
				next += idle.Count()
				if !intrinsics.AnySync(t, m, left > 0) {
					return 0
				}
				if left > 0 {
					if left--; left == 0 {
						done[task]++
					}
				}
			}
		})
		require.Equal(t, same(3*n, 1), done, d)
	}
}
