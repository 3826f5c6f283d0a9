package intrinsics_test

import (
	"testing"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/intrinsics/cg"
	"github.com/stretchr/testify/require"
)

// The tests of samples port published code samples line by line: as
// written, for 32 lanes, and in a form that is right on any width.

// narrow are devices of 32 lanes that samples are written for, wide those of all
// widths and languages.
var (
	narrow = []string{"h200", "mtt-s5000"}
	wide   = []string{"h200", "mi300x", "mtt-s5000", "mtt-s4000", "mtt-m1000"}
)

// After the down-tree, lane i holds the sum of lanes i and up, and in each round
// what the rounds before have gathered.
func TestSampleDownTree(t *testing.T) {
	rounds := [][]int{}
	e := engine(t, "h200", values)
	got := run(t, e, 32, func(t *thread) int {
		val := t.ThreadIdx().X
		const mask = full
		note := func(round int) {
			if len(rounds) == round {
				rounds = append(rounds, make([]int, 32))
			}
			rounds[round][t.Lane()] = val
		}
		val += intrinsics.ShflDownSync(t, mask, val, 16)
		note(0)
		val += intrinsics.ShflDownSync(t, mask, val, 8)
		note(1)
		val += intrinsics.ShflDownSync(t, mask, val, 4)
		note(2)
		val += intrinsics.ShflDownSync(t, mask, val, 2)
		note(3)
		val += intrinsics.ShflDownSync(t, mask, val, 1)
		return val
	})
	require.Equal(t, 496, got[0])
	// In round k, lane i below 16>>k holds the lanes that are i modulo 16>>k.
	for k, row := range rounds {
		step := 16 >> k
		for i := range step {
			want := 0
			for l := i; l < 32; l += step {
				want += l
			}
			require.Equal(t, want, row[i], "round %d lane %d", k, i)
		}
	}
	// The other lanes hold partial sums. The text has lane i at lanes i to 31;
	// with lanes above 31 giving the lane's own value, that holds for lane 0,
	// and the recorded rule gives the rest.
	want := by(32, func(l int) int { return l })
	for d := 16; d > 0; d /= 2 {
		want = by(32, func(l int) int {
			if l+d < 32 {
				return want[l] + want[l+d]
			}
			return 2 * want[l]
		})
	}
	require.Equal(t, want, got)
}

// The loop form, and the maskless form with warpSize.
func TestSampleDownLoop(t *testing.T) {
	for _, d := range narrow {
		require.Equal(t, 496, run(t, engine(t, d, values), 32, func(t *thread) int {
			val := t.Lane()
			for offset := 16; offset > 0; offset >>= 1 {
				val += intrinsics.ShflDownSync(t, full, val, offset)
			}
			return val
		})[0], d)
	}
	for _, d := range wide {
		e := engine(t, d, values)
		n := e.Device().Lanes
		require.Equal(t, ramp(n), run(t, e, n, func(t *thread) int {
			val := t.Lane()
			for offset := t.WarpSize() / 2; offset > 0; offset /= 2 {
				val += intrinsics.ShflDown(t, val, offset)
			}
			return val
		})[0], d)
	}
}

// The reduction instruction and the cooperative group.
func TestSampleReduceInstruction(t *testing.T) {
	require.Equal(t, same(32, int32(496)), run(t, engine(t, "h200", values), 32, func(t *thread) int32 {
		const mask = uint32(0xffffffff)
		sum := intrinsics.ReduceAddSync(t, mask, int32(t.Lane()))
		return sum
	}))
	require.Equal(t, same(64, int32(2016)), run(t, engine(t, "mi300x", values), 64, func(t *thread) int32 {
		return intrinsics.ReduceAddSync(t, t.AllLanes(), int32(t.Lane()))
	}), "a tree where the language has the function and the device no instruction")
	require.Equal(t, same(32, int32(496)), run(t, engine(t, "h200", values), 32, func(t *thread) int32 {
		warp := cg.TiledPartition(cg.ThisThreadBlock(t), 32)
		sum := cg.Reduce(warp, int32(t.Lane()), cg.Plus[int32]())
		return sum
	}))
	for _, d := range wide {
		e := engine(t, d, values)
		n := e.Device().Lanes
		require.Equal(t, same(n, int32(ramp(n))), run(t, e, n, func(t *thread) int32 {
			return cg.Reduce(cg.TiledPartition(cg.ThisThreadBlock(t), t.WarpSize()), int32(t.Lane()), cg.Plus[int32]())
		}), d)
	}
}
