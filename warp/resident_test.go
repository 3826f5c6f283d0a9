package warp_test

import (
	"context"
	"testing"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/timing"
	"github.com/stretchr/testify/require"
)

// Blocks of different length that share a multiprocessor: all of them are timed
// to their ends, so that every instruction is accounted for, and a block that
// runs longer makes the grid longer.
func TestResidentBlocksAreTimedToTheirEnds(t *testing.T) {
	e := engine(t, "h200", warp.Config{Order: warp.AsWritten}) // which leaves none out
	n := e.Device().Limits.Multiprocessors * 3
	run := func(rounds func(block int) int) *warp.Report {
		r, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(n), Threads: warp.X(96)}, func(w *warp.Warp) {
			for range rounds(w.BlockIndex()) {
				downTree(w)
			}
		})
		require.NoError(t, err)
		require.Equal(t, 3, r.Resident)
		require.EqualValues(t, r.Instructions, r.Waits().Of(timing.Issued))
		require.Equal(t, timing.Cycle(r.Instructions), r.Waits().Of(timing.Issued))
		return r
	}
	short := run(func(int) int { return 1 })
	long := run(func(block int) int { return 1 + block%3*9 })
	alone, err := e.Run(context.Background(), one(96), func(w *warp.Warp) {
		for range 19 {
			downTree(w)
		}
	})
	require.NoError(t, err)
	d := e.Device().Timing.Dispatch
	spread := timing.Cycle(d.Spread)
	require.GreaterOrEqual(t, long.Cycles, alone.Cycles)
	require.Less(t, short.Cycles, alone.Cycles/10+spread)
}
