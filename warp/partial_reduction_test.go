package warp_test

import (
	"testing"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/warp"
	"github.com/stretchr/testify/require"
)

// A tree of shuffles that starts too low or ends too early covers a part of the
// warp; a bitonic sort, whose merges grow, covers all of what it sorts.
func TestPartialReductions(t *testing.T) {
	shuffles := func(distances func(lanes int) []int, mode crossbar.Mode) warp.Kernel {
		return func(w *warp.Warp) {
			x, y := warp.Alloc[int32](w), warp.Alloc[int32](w)
			warp.Mov(x, w.LaneID())
			for _, d := range distances(w.Width()) {
				warp.Shfl(y, x, warp.Shuffle{Mode: mode, Operand: int32(d)})
				warp.Max(x, x, y)
			}
		}
	}
	tree := func(from, to int) (d []int) {
		for ; from >= to; from /= 2 {
			d = append(d, from)
		}
		return d
	}
	sort := func(n int) (d []int) {
		for k := 1; k < n; k *= 2 {
			d = append(d, tree(k, 1)...)
		}
		return d
	}
	for _, device := range []string{"h200", "mi300x", "mtt-s4000"} {
		n := map[string]int{"h200": 32, "mi300x": 64, "mtt-s4000": 128}[device]
		for name, c := range map[string]struct {
			mode      crossbar.Mode
			distances func(n int) []int
			faults    int
		}{
			"whole":               {crossbar.Down, func(n int) []int { return tree(n/2, 1) }, 0},
			"starts low":          {crossbar.Down, func(n int) []int { return tree(n/4, 1) }, 1},
			"ends early":          {crossbar.Xor, func(n int) []int { return tree(n/2, 2) }, 1},
			"ends early, then":    {crossbar.Xor, func(n int) []int { return append(tree(n/2, 2), tree(n/2, 1)...) }, 1},
			"sort":                {crossbar.Xor, sort, 0},
			"sort of halves":      {crossbar.Xor, func(n int) []int { return sort(n / 2) }, 0},
			"merge":               {crossbar.Xor, func(n int) []int { return append(sort(n/2), tree(n/2, 1)...) }, 0},
			"two words a step":    {crossbar.Down, func(n int) []int { return append([]int{n / 2, n / 2}, tree(n/4, 1)...) }, 0},
			"two trees":           {crossbar.Down, func(n int) []int { return append(tree(n/2, 1), tree(n/2, 1)...) }, 0},
			"low, then low":       {crossbar.Down, func(n int) []int { return append(tree(n/4, 1), tree(n/4, 1)...) }, 2},
			"distances that rise": {crossbar.Xor, func(n int) []int { return []int{1, 2, 4, 8, 16} }, 0},
		} {
			got := sanitized(t, device, n, shuffles(c.distances, c.mode))[warp.PartialReduction]
			require.Equal(t, c.faults, got, "%s on %s", name, device)
		}
	}
}
