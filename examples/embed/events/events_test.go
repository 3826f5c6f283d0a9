package main

import (
	"testing"

	"example.com/warpsim/warp/timing"

	"github.com/stretchr/testify/require"
)

func TestEveryAccessIsServed(t *testing.T) {
	for _, room := range []int{1, 4, 1000} {
		cores, m, err := simulate(2, room)
		require.NoError(t, err)
		require.Equal(t, 2*8*20, m.Served)
		require.Equal(t, room == 1000, m.Refused == 0, "only a port without room refuses")
		for _, c := range cores {
			require.NoError(t, c.Err)
			require.Zero(t, c.gpu.Flying())
			require.Equal(t, int64(2*8*20), c.gpu.Totals().Instructions)
			// The memory takes 4 cycles for each access of both cores.
			require.GreaterOrEqual(t, c.Done, timing.Cycle(8*20*4))
			cycles := c.gpu.BlockCycles(0)
			require.Equal(t, 8*c.Done, cycles.Total())
		}
	}
}
