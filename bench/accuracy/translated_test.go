package main

import (
	"math"
	"testing"

	"example.com/warpsim/bench/internal/blockkernels"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/memory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a user writes down line by line takes the time of the chip once it is in the
// order of a compiler, and far from it as it is written.
func TestTranslatedKernelsAreCloseToTheChip(t *testing.T) {
	if testing.Short() {
		t.Skip("figures that no build changes")
	}
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	for _, c := range []struct {
		order       warp.Order
		mean, worst float64
	}{{warp.AsCompiled, 0.03, 0.2}, {warp.AsWritten, 0.14, 2}} {
		kernels, err := wideKernels(warp.Config{Device: p, Memory: memory.Warm, Order: c.order}, blockkernels.Wide)
		require.NoError(t, err)
		rows, err := translated(kernels, "", 0)
		require.NoError(t, err)
		require.Len(t, rows, 84)
		sum := 0.0
		for _, r := range rows {
			sum += math.Abs(r.error())
			assert.LessOrEqual(t, math.Abs(r.error()), c.worst, "%s, %d threads", r.kernel, r.threads)
		}
		assert.LessOrEqual(t, sum/float64(len(rows)), c.mean)
	}
	kernels, err := wideKernels(warp.Config{Device: p, Memory: memory.Warm}, blockkernels.Library)
	require.NoError(t, err)
	rows, err := translated(kernels, "", 0)
	require.NoError(t, err)
	require.Len(t, rows, 12)

	lanes, err := laneKernels(warp.Config{Device: p, Memory: memory.Warm}, blockkernels.PerLane)
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(lanes), 12)
	rows, err = translated(lanes, "", 0)
	require.NoError(t, err)
	require.Len(t, rows, 72)
	sum := 0.0
	for _, r := range rows {
		sum += math.Abs(r.error())
	}
	assert.LessOrEqual(t, sum/float64(len(rows)), 0.06, "per lane")
}
