package intrinsics_test

import (
	"testing"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/intrinsics"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var everyRow = crossbar.RowWrite{Rows: 0xf, Banks: 0xf}

// The reduction that AMD's compilers make of a wave's sum: shifts within rows,
// two broadcasts, and a read of the last lane.
func TestRowMovesReduce(t *testing.T) {
	e := engine(t, "mi300x", warp.Config{})
	got, r, err := try(e, 64, func(t *thread) int32 {
		v := int32(t.Lane() + 1)
		for d := 1; d < 16; d *= 2 {
			v += intrinsics.RowMove(t, 0, v, crossbar.RowShiftRight(d), everyRow)
		}
		v += intrinsics.RowMove(t, 0, v, crossbar.RowBroadcast15, crossbar.RowWrite{Rows: 0b1010, Banks: 0xf})
		v += intrinsics.RowMove(t, 0, v, crossbar.RowBroadcast31, crossbar.RowWrite{Rows: 0b1100, Banks: 0xf})
		return intrinsics.ReadLane(t, v, 63)
	})
	require.NoError(t, err)
	for _, v := range got {
		require.Equal(t, int32(64*65/2), v)
	}
	assert.Equal(t, []int64{6, 1}, []int64{r.Count(isa.RowMove), r.Count(isa.ReadLane)})
}

func TestRoutesPerLane(t *testing.T) {
	for _, name := range []string{"mi300x", "hip32"} {
		e := engine(t, name, values)
		n := e.Device().Lanes
		type results struct {
			pull, push, swizzled, old, first, filled int64
			wide                                     [3]int32
		}
		got := run(t, e, n, func(t *thread) (r results) {
			l := t.Lane()
			v := int64(l)<<40 + 7
			r.pull = intrinsics.PermuteBack(t, v, 4*(l+5))
			r.push = intrinsics.Permute(t, v, 4*(l/2))
			r.swizzled = intrinsics.Swizzle(t, v, 0x1f|3<<10)
			r.old = intrinsics.RowMove(t, -1, v, crossbar.RowShiftRight(2), everyRow)
			r.filled = intrinsics.RowMove(t, -1, v, crossbar.RowShiftRight(2), crossbar.RowWrite{Rows: 0xf, Banks: 0xf, ZeroFill: true})
			if l >= 3 {
				r.first = intrinsics.ReadFirstLane(t, v)
			}
			r.wide = intrinsics.PermuteBack(t, [3]int32{int32(l), 5, -int32(l)}, 4*(l^1))
			return r
		})
		for l, r := range got {
			value := func(l int) int64 { return int64(l)<<40 + 7 }
			want := results{pull: value((l + 5) % n), swizzled: value(l ^ 3), old: -1, first: value(3),
				wide: [3]int32{int32(l ^ 1), 5, -int32(l ^ 1)}}
			if 2*l < n {
				want.push = value(2*l + 1) // the higher of the two that send
			}
			if l%16 >= 2 {
				want.old, want.filled = value(l-2), value(l-2)
			}
			if l < 3 {
				want.first = 0
			}
			require.Equal(t, want, r, "%s lane %d", name, l)
		}
	}
}

func TestRoutesPerLaneRefuse(t *testing.T) {
	_, _, err := try(engine(t, "h200", values), 32, func(t *thread) int { return intrinsics.ReadFirstLane(t, 1) })
	require.ErrorIs(t, err, warp.Unsupported)
	for name, kernel := range map[string]func(t *thread) int{
		"ReadLane": func(t *thread) int { return intrinsics.ReadLane(t, 1, t.Lane()) },
		"Swizzle":  func(t *thread) int { return intrinsics.Swizzle(t, 1, 0x1f|uint16(t.Lane()%2)<<10) },
		"RowMove": func(t *thread) int {
			return intrinsics.RowMove(t, 0, 1, crossbar.RowShiftLeft(1+t.Lane()%2), everyRow)
		},
	} {
		_, _, err := try(engine(t, "mi300x", values), 64, kernel)
		assert.ErrorIs(t, err, warp.Unsupported, name)
		assert.ErrorContains(t, err, "pass different", name)
	}
	_, r, err := try(engine(t, "mi300x", values), 64, func(t *thread) int {
		if t.Lane() < 8 {
			return intrinsics.PermuteBack(t, 1, 4*20)
		}
		return 0
	})
	require.NoError(t, err)
	fault(t, r, warp.ReadInactive)
}
