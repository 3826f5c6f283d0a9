package main

import (
	"testing"

	"example.com/warpsim/examples/embed/internal/loads"
	"example.com/warpsim/warp/timing"

	"github.com/stretchr/testify/require"
)

// device returns a device that has run a block of 8 warps with 20 lines each on every
// multiprocessor.
func device(t *testing.T, firsts ...int) *Device {
	d, err := New(len(firsts))
	require.NoError(t, err)
	for i, f := range firsts {
		require.NoError(t, loads.Start(d.cores[i].gpu, 8, 20, f))
	}
	require.NoError(t, d.Run())
	return d
}

func TestLinesInCommonAreFetchedOnce(t *testing.T) {
	apart, same := device(t, 0, 1000, 2000), device(t, 0, 0, 0)
	require.Equal(t, 3*160, apart.l2.Misses)
	require.Zero(t, apart.l2.Hits)
	require.Equal(t, 160, same.l2.Misses)
	require.Equal(t, 2*160, same.l2.Hits)
	for i := range same.cores {
		require.Less(t, same.cores[i].took, apart.cores[i].took+1)
		require.Equal(t, int64(2*160), same.cores[i].gpu.Totals().Instructions)
	}
}

// Another block with the same lines finds in the caches what fits: 64 of 160 lines in the
// first level, the rest in the second.
func TestCachesKeepWhatWasUsedLast(t *testing.T) {
	d := device(t, 0)
	took := d.cores[0].took
	dram := d.dram
	require.NoError(t, loads.Start(d.cores[0].gpu, 8, 20, 0))
	require.NoError(t, d.Run())
	require.Equal(t, dram, d.dram, "nothing is read again")
	require.Less(t, d.cores[0].took-took, took)
	require.Positive(t, took-timing.Cycle(20*rowOpen))
}
