package crossbar

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

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
