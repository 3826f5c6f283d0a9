//go:build !race

package sass_test

import (
	"context"
	"testing"

	"example.com/warpsim/warp"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A launch that is made ready once allocates no more the longer it runs.
func TestRunsAllocateNothing(t *testing.T) {
	l := listing(t, "grids.sass.gz")
	for _, name := range []string{"saxpy_f32", "reduce_tree_f32", "scan_tiles_f32", "compact_ballot_s32", "histogram_shared_u32", "softmax_row_block_1024_f32"} {
		allocations := func(n, blocks int) float64 {
			g := grid{kernel: name, n: n, blocks: blocks, threads: 256}
			base, _ := g.split()
			e := engine(t, warp.Config{ValuesOnly: true, Workers: 1})
			k, err := programOf(t, l, base).Kernel(e, g.launch(t, e))
			require.NoError(t, err)
			return testing.AllocsPerRun(3, func() {
				_, err := k.Run(context.Background())
				require.NoError(t, err)
			})
		}
		assert.LessOrEqual(t, allocations(1<<16, 64)-allocations(1<<13, 8), 2.0, "%s: for eight times the blocks", name)
	}
}
