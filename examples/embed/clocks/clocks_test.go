package main

import (
	"testing"

	"example.com/warpsim/warp/timing"

	"github.com/stretchr/testify/require"
)

func TestCoresShareAMemory(t *testing.T) {
	before := timing.Cycle(0)
	for _, cores := range []int{1, 3, 40} {
		m, end, err := simulate(cores)
		require.NoError(t, err)
		last := timing.Cycle(0)
		for _, c := range m.cores {
			require.Equal(t, 8*20, c.accesses)
			require.Empty(t, c.in.events)
			require.Empty(t, c.out.events)
			require.GreaterOrEqual(t, c.ended, timing.Cycle(20*250), "each load waits for both links")
			last = max(last, c.ended)
			require.LessOrEqual(t, end, c.gpu.Now(), "time goes on in cores that are done")
		}
		require.Equal(t, m.cores[0].gpu.Now(), m.cores[cores-1].gpu.Now())
		require.LessOrEqual(t, last, end+1)
		require.Greater(t, last, before, "more cores wait for each other")
		before = last
	}
}
