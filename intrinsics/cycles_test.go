package intrinsics_test

import (
	"context"
	"testing"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
	"github.com/stretchr/testify/require"
)

// A butterfly whose additions are declared takes as many cycles per lane as
// wide, and as many as an H200: 145 for float32 in a warp by itself, by the
// slope between two and eight reductions one after the other.
func TestCyclesOfButterfly(t *testing.T) {
	e := engine(t, "h200", warp.Config{})
	slope := func(cycles func(reductions int) int64) int64 { return (cycles(8) - cycles(2)) / 6 }
	lane := slope(func(n int) int64 {
		r, err := intrinsics.Launch(context.Background(), e, warp.X(1), warp.X(32), func(t *thread) {
			v := float32(t.Lane())
			for range n {
				for d := 16; d > 0; d /= 2 {
					v += intrinsics.ShflXorSync(t, full, v, d)
					t.Work(isa.FAdd, 1)
				}
			}
		})
		require.NoError(t, err)
		return int64(r.Cycles)
	})
	wide := slope(func(n int) int64 {
		r, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(32)}, func(w *warp.Warp) {
			v, x := warp.Alloc[float32](w), warp.Alloc[float32](w)
			warp.Set(v, 1)
			for range n {
				for d := 16; d > 0; d /= 2 {
					warp.ShflXor(x, v, d)
					warp.Add(v, v, x)
				}
			}
		})
		require.NoError(t, err)
		return int64(r.Cycles)
	})
	require.Equal(t, wide, lane)
	require.EqualValues(t, 145, lane)
}
