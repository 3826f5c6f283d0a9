package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/warpsim/warp/device"
)

func TestSampledLaunches(t *testing.T) {
	all, err := sampledLaunches()
	require.NoError(t, err)
	require.Len(t, all, 78)
	assert.Equal(t, 1264304, all[0].total)
	for i, s := range all {
		if i > 0 {
			assert.LessOrEqual(t, s.total, all[i-1].total)
		}
		n := 0
		for _, l := range s.lines {
			n += l.samples
		}
		assert.Equal(t, s.total, n)
	}
}

// The line with the most samples is the one where the model's warps wait longest.
func TestWaits(t *testing.T) {
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, runWaits(&out, p, "softmax_row_block_256_f32", 40000, false))
	assert.Contains(t, out.String(), "1 launches")
	assert.Regexp(t, `02f0 FMNMX R3, R4, R3, !PT +02f0 FMNMX R3, R4, R3, !PT`, out.String())
	assert.Contains(t, out.String(), "first three in 1\n")
	assert.Error(t, runWaits(&out, p, "nothing", 0, false))
}
