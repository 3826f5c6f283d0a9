package intrinsics_test

import (
	"math"
	"testing"

	"example.com/warpsim/intrinsics"
	"github.com/stretchr/testify/require"
)

// The values are those of the languages' definitions.
func TestBits(t *testing.T) {
	e := engine(t, "h200", values)
	run(t, e, 1, func(th *thread) int {
		eq := func(want, got any) {
			if want != got {
				t.Errorf("want %v, got %v", want, got)
			}
		}
		eq(0, intrinsics.Popc(th, uint32(0)))
		eq(32, intrinsics.Popc(th, uint32(math.MaxUint32)))
		eq(2, intrinsics.Popc(th, uint64(1<<63|1)))
		eq(32, intrinsics.Clz(th, uint32(0)))
		eq(0, intrinsics.Clz(th, uint32(1<<31)))
		eq(31, intrinsics.Clz(th, uint32(1)))
		eq(64, intrinsics.Clz(th, uint64(0)))
		eq(63, intrinsics.Clz(th, uint64(1)))
		eq(0, intrinsics.Ffs(th, uint32(0)))
		eq(1, intrinsics.Ffs(th, uint32(1)))
		eq(32, intrinsics.Ffs(th, uint32(1<<31)))
		eq(0, intrinsics.Ffs(th, uint64(0)))
		eq(64, intrinsics.Ffs(th, uint64(1<<63)))
		eq(uint32(1), intrinsics.Brev(th, uint32(1<<31)))
		eq(uint32(0xF7B3D591), intrinsics.Brev(th, uint32(0x89ABCDEF)))
		eq(uint64(1)<<63, intrinsics.Brev(th, uint64(1)))
		// Bits 1, 3, 4 and 7 of 0x9A.
		eq(1, intrinsics.Fns(th, uint32(0x9A), 0, 1))
		eq(4, intrinsics.Fns(th, uint32(0x9A), 0, 3))
		eq(4, intrinsics.Fns(th, uint32(0x9A), 4, 1))
		eq(7, intrinsics.Fns(th, uint32(0x9A), 5, 1))
		eq(3, intrinsics.Fns(th, uint32(0x9A), 3, 0))
		eq(-1, intrinsics.Fns(th, uint32(0x9A), 2, 0))
		eq(3, intrinsics.Fns(th, uint32(0x9A), 3, -1))
		eq(1, intrinsics.Fns(th, uint32(0x9A), 3, -2))
		eq(-1, intrinsics.Fns(th, uint32(0x9A), 3, -3))
		eq(-1, intrinsics.Fns(th, uint32(0x9A), 0, 5))
		eq(-1, intrinsics.Fns(th, uint32(0x9A), 32, 1))
		eq(63, intrinsics.Fns(th, uint64(1<<63), 0, 1))
		eq(-1, intrinsics.Fns(th, uint64(1), -1, 1))
		return 0
	})
}

// The lane masks of every lane partition the warp.
func TestLaneMasks(t *testing.T) {
	for _, d := range wide {
		e := engine(t, d, values)
		n := e.Device().Lanes
		run(t, e, n, func(th *thread) int {
			eq, lt, le := intrinsics.LaneMaskEq[intrinsics.Mask](th), intrinsics.LaneMaskLt[intrinsics.Mask](th), intrinsics.LaneMaskLe[intrinsics.Mask](th)
			gt, ge := intrinsics.LaneMaskGt[intrinsics.Mask](th), intrinsics.LaneMaskGe[intrinsics.Mask](th)
			if eq != lanes(th.Lane(), th.Lane()) || lt.Count() != th.Lane() || le != lt.Or(eq) || ge != gt.Or(eq) || le.Or(gt) != th.AllLanes() || le.Overlaps(gt) {
				t.Errorf("%s lane %d: %v %v %v %v %v", d, th.Lane(), eq, lt, le, gt, ge)
			}
			return 0
		})
	}
	require.Equal(t, by(32, func(l int) uint32 { return 1<<l - 1 }), run(t, engine(t, "h200", values), 32, func(t *thread) uint32 {
		return intrinsics.LaneMaskLt[uint32](t)
	}))
}
