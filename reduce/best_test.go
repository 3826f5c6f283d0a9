package reduce_test

import (
	"context"
	"testing"

	"example.com/warpsim/reduce"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/team"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What the recorded kernels of an H200 say: the reduction instruction beats
// shuffles, and shuffles beat shared memory, in a warp and in a block.
func TestBestFollowsTheChip(t *testing.T) {
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	cycles := func(c reduce.Choice[int32]) map[string]int {
		m := map[string]int{}
		for _, s := range c.Scores {
			if s.Err == nil {
				m[s.Algorithm] = int(s.Cycles)
			}
		}
		return m
	}
	inWarp, err := reduce.Best(context.Background(), p, reduce.Sum[int32](), 32)
	require.NoError(t, err)
	assert.Equal(t, "redux", inWarp.Algorithm.Name)
	c := cycles(inWarp)
	assert.Less(t, c["redux"], c["shuffle-down"])
	assert.Less(t, c["shuffle-down"], c["shared-tree"])
	assert.NotEmpty(t, inWarp.Why)

	for _, threads := range []int{64, 128, 256, 512, 1024} {
		inBlock, err := reduce.Best(context.Background(), p, reduce.Sum[int32](), threads)
		require.NoError(t, err)
		assert.Equal(t, reduce.BlockScope, inBlock.Algorithm.Scope)
		c := cycles(inBlock)
		assert.Less(t, c["hybrid-redux"], c["hybrid"], threads)
		assert.Less(t, c["hybrid"], c["block-tree"], threads)
		assert.Less(t, c["block-tree"], c["block-sequential"], threads)
	}
}

// A public library's block reductions on an H200 (bench/accuracy/testdata/kernels2.csv):
// raking 293 cycles, for operators that commute 302.5, warp-reductions 355.25 with 256
// threads; raking 492.25, warp-reductions 509 with 1,024. The two kinds of raking are
// closer than this tells apart.
func TestBestFollowsALibraryOnTheChip(t *testing.T) {
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	for threads, faster := range map[int][]string{256: {"raking", "raking-commutative"}, 1024: {"raking"}} {
		c, err := reduce.Best(context.Background(), p, reduce.Sum[float32](), threads)
		require.NoError(t, err)
		cycles := map[string]int{}
		for _, s := range c.Scores {
			cycles[s.Algorithm] = int(s.Cycles)
		}
		for _, name := range faster {
			assert.Less(t, cycles[name], cycles["warp-reductions"], "%s, %d threads", name, threads)
		}
	}
}

// Cycles of a reduction in a chain of them, as measured on an H200.
func TestWarpReductionsTakeWhatTheChipTakes(t *testing.T) {
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	e, err := warp.New(warp.Config{Device: p})
	require.NoError(t, err)
	for _, c := range []struct {
		name   string
		cycles float64
	}{{"shuffle-down", 145}, {"shuffle-xor", 145}, {"redux", 44.17}} {
		a, err := reduce.Lookup[int32](c.name)
		require.NoError(t, err)
		cost := func(times int) float64 {
			r, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(32)}, func(w *warp.Warp) {
				v := warp.Alloc[int32](w)
				warp.Set(v, 1)
				for range times {
					a.Run(v, reduce.Sum[int32](), reduce.Tile{}, warp.Mem[int32]{})
				}
			})
			require.NoError(t, err)
			return float64(r.Cycles)
		}
		assert.InDelta(t, c.cycles, (cost(8)-cost(2))/6, 0.5, c.name)
	}
}

func TestBestLeavesOutWhatCannot(t *testing.T) {
	p, err := device.Lookup("mi300x")
	require.NoError(t, err)
	c, err := reduce.Best(context.Background(), p, reduce.Product[float32](), 64)
	require.NoError(t, err)
	last := c.Scores[len(c.Scores)-1]
	assert.Equal(t, "redux", last.Algorithm)
	assert.ErrorIs(t, last.Err, team.ErrRedux)

	grid, err := reduce.Best(context.Background(), p, reduce.Sum[float32](), 5000)
	require.NoError(t, err)
	assert.Len(t, grid.Scores, len(reduce.Algorithms[float32]()))

	_, err = reduce.Best(context.Background(), p, reduce.Sum[float32](), 0)
	assert.ErrorIs(t, err, team.ErrItems)
}
