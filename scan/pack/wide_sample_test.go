package pack_test

import (
	"context"
	"math"
	"testing"

	"example.com/warpsim/scan/pack"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/team"
	"github.com/stretchr/testify/require"
)

// A sample of 64 bits whose low half names a bin is out of bounds all the same.
func TestSamplesBeyond32Bits(t *testing.T) {
	countOn := func(name string, by pack.Counting, sample int64) ([]int32, error) {
		p, err := device.Lookup(name)
		require.NoError(t, err)
		if by.Fits(p) != nil {
			return nil, warp.OutOfBounds
		}
		e, err := warp.New(warp.Config{Device: p})
		require.NoError(t, err)
		out := make([]int32, 4)
		m, err := warp.Global(e, out)
		require.NoError(t, err)
		_, err = e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(p.Lanes)}, func(w *warp.Warp) {
			v := warp.Alloc[int64](w)
			warp.Set(v, sample)
			pack.Histogram(team.All(), []warp.Reg[int64]{v}, by, m)
		})
		return out, err
	}
	for _, d := range []string{"h200", "mi300x", "custom-128"} {
		for _, by := range []pack.Counting{pack.ByAtomics, pack.ByMatch} {
			for _, bad := range []int64{1 << 32, 1<<32 + 3, -1 << 32, math.MaxInt64, math.MinInt64, -1, 4} {
				_, err := countOn(d, by, bad)
				require.ErrorIs(t, err, warp.OutOfBounds, "%d on %s by %v", bad, d, by)
			}
		}
		out, err := countOn(d, pack.ByAtomics, 3)
		require.NoError(t, err)
		require.Equal(t, []int32{0, 0, 0, map[string]int32{"h200": 32, "mi300x": 64, "custom-128": 128}[d]}, out)
	}
}
