package crossbar

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPasses(t *testing.T) {
	require.Equal(t, 1, Passes(32, 32, 1))
	require.Equal(t, 2, Passes(64, 32, 1))
	require.Equal(t, 4, Passes(64, 32, 2))
	require.Equal(t, 8, Passes(128, 16, 1))
	require.Equal(t, 1, Passes(16, 32, 1))
	require.Equal(t, 3, Passes(128, 0, 3))
	require.Equal(t, 3, Passes(64, 24, 1))
	require.Equal(t, 0, Passes(0, 32, 1))
	require.Equal(t, 0, Passes(32, 32, 0))
}

func TestNames(t *testing.T) {
	for _, m := range allModes {
		got, ok := ParseMode(m.String())
		require.True(t, ok)
		require.Equal(t, m, got)
	}
	m, ok := ParseMode("bfly")
	require.True(t, ok)
	require.Equal(t, Xor, m)
	_, ok = ParseMode("sideways")
	require.False(t, ok)
	require.Equal(t, "ptx hip musa", fmt.Sprintf("%v %v %v", CutToWarp, Uncut, CutTo7))
	require.Equal(t, "rule(0)", Rule(0).String())
	require.Equal(t, "mode(9)", Mode(9).String())
	require.Equal(t, "rule(9)", Rule(9).String())
}
