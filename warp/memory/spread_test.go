package memory

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSpread: lines that follow each other go to all of n channels before one has its
// second, and which comes first differs from turn to turn; so do lines far apart.
func TestSpread(t *testing.T) {
	for _, n := range []int{1, 4, 48, 192} {
		first := map[int]bool{}
		for turn := range 50 {
			seen := map[int]bool{}
			for i := range n {
				c := spread(uint64(turn*n+i), n)
				require.GreaterOrEqual(t, c, 0)
				require.Less(t, c, n)
				seen[c] = true
			}
			require.Len(t, seen, n)
			first[spread(uint64(turn*n), n)] = true
		}
		require.GreaterOrEqual(t, len(first), min(n, 25)-n/48)
	}
	apart := map[int]int{}
	for i := range 1920 {
		apart[spread(uint64(i)*1920, 192)]++
	}
	for c, n := range apart {
		require.Less(t, n, 30, "channel %d of 192 has 10 on average", c)
	}
}
