package team_test

import (
	"errors"
	"fmt"
	"math/bits"
	"testing"

	"example.com/warpsim/warp/team"
	"github.com/stretchr/testify/require"
)

func ExampleFirst() {
	fmt.Println(team.All().Of(32), team.First(5).Of(32), team.First(0).Of(32), team.Count{})
	// Output: 32 5 0 all
}

func ExampleTeam_Check() {
	fmt.Println(team.Groups(8).First(3).Check("sort", 32, 256))
	fmt.Println(errors.Is(team.Groups(64).Check("sort", 32, 256), team.ErrWidth))
	fmt.Println(errors.Is(team.Block().First(257).Check("sort", 32, 256), team.ErrValid))
	// Output:
	// <nil>
	// true
	// true
}

// A team takes 0 items to as many as it has threads, and no other number.
func TestCheckHoldsItemsAgainstThreads(t *testing.T) {
	for _, c := range []struct {
		who team.Team
		all int
	}{{team.Block(), 96}, {team.Warp(), 32}, {team.Groups(0), 32}, {team.Groups(7), 7}} {
		for n := -1; n <= 97; n++ {
			err := c.who.First(n).Check("f", 32, 96)
			require.Equal(t, n < 0 || n > c.all, errors.Is(err, team.ErrValid), "%d of %d: %v", n, c.all, err)
		}
	}
	require.ErrorIs(t, team.Groups(-1).Check("f", 32, 96), team.ErrWidth)
}

func TestCeilPow2(t *testing.T) {
	for n := -2; n <= 300; n++ {
		p := team.CeilPow2(n)
		require.True(t, bits.OnesCount(uint(p)) == 1 && p >= n && (p == 1 || p/2 < n), "%d: %d", n, p)
	}
}
