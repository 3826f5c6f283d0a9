package warp_test

import (
	"testing"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"github.com/stretchr/testify/require"
)

// Each mode of the crossbar has an operation of its own, in the same order and of
// the same name, and the H200 has a price for it.
func TestShuffleModesHaveOperations(t *testing.T) {
	h200, err := device.Lookup("h200")
	require.NoError(t, err)
	for m := range crossbar.NumModes {
		op := isa.ShflIdx + isa.Op(m)
		require.True(t, op.IsShuffle(), "%s is the operation of mode %s: it comes after the other shuffles in isa", op, m)
		require.Equal(t, "shfl."+m.String(), op.String())
		require.Contains(t, h200.Timing.Ops, op.String())
	}
	require.False(t, (isa.ShflIdx + isa.Op(crossbar.NumModes)).IsShuffle(), "an operation without a mode")
}
