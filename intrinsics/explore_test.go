package intrinsics_test

import (
	"testing"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/warp"
	"github.com/stretchr/testify/require"
)

// Under every seed lanes in lockstep meet after a branch, and both orders of its
// sides come up.
func TestExploreLockstep(t *testing.T) {
	readsCode(t)
	for _, d := range []string{"mi300x", "pascal", "mtt-s4000", "mtt-s5000"} {
		first := map[int]int{}
		for seed := uint64(1); seed <= 40; seed++ {
			e := engine(t, d, warp.Config{ValuesOnly: true, Seed: seed})
			n := e.Device().Lanes
			in, err := intrinsics.Global(e, by(n, func(l int) int32 { return int32(l) }))
			require.NoError(t, err)
			var order []int
			got, r, err := try(e, n, func(t *thread) int {
				var x int32
				if t.Lane()%2 == 0 {
					x = in.Load(t, t.Lane())
					order = append(order, 0)
					x += in.Load(t, t.Lane())
				} else {
					x = in.Load(t, t.Lane()-1)
					order = append(order, 1)
					x += in.Load(t, t.Lane())
				}
				return intrinsics.Ballot(t, x >= 0).Count() + intrinsics.BallotSync(t, t.AllLanes(), true).Count()
			})
			require.NoError(t, err)
			if !e.Device().Rules.IndependentThreads {
				only(t, r)
				require.Equal(t, same(n, 2*n), got, "%s, seed %d", d, seed)
				require.EqualValues(t, 6, r.Instructions, "%s, seed %d", d, seed)
				for i := range n / 2 { // one side after the other
					require.Equal(t, order[0], order[i])
				}
				first[order[0]]++
			}
		}
		if len(first) > 0 {
			require.Len(t, first, 2, "%s: %v", d, first)
		}
	}
}
