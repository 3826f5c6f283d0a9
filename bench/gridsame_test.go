package bench

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/warpsim/bench/internal/gridkernels"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/memory"
	"example.com/warpsim/warp/timing"
)

// What a grid computes, its cycles and all that its report counts are the same for any
// number of workers, and with and without observers.
func TestGridsDependOnNothingElse(t *testing.T) {
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	cases := []gridkernels.Case{
		{Kernel: "reduce_hybrid_f32", N: 16384, Blocks: 64, Threads: 256},
		{Kernel: "histogram_global_u32", N: 4096, Blocks: 32, Threads: 128},
		{Kernel: "spmv_row_warp_f32", N: 128, Blocks: 16, Threads: 256},
		{Kernel: "transpose_naive_f32", N: 64, Blocks: 4, Threads: 256},
	}
	in, err := gridkernels.NewInputs(16384)
	require.NoError(t, err)
	for _, c := range cases {
		t.Run(c.Kernel, func(t *testing.T) {
			var first *warp.Report
			for _, config := range []warp.Config{
				{Workers: 1}, {Workers: 2}, {Workers: 4}, {Workers: 2, Sites: true},
				{Observer: &warp.Observer{Issued: func(*timing.Issue) {}}},
				{Observer: &warp.Observer{Event: func(*timing.Event) {}}},
			} {
				config.Device, config.Memory = p, memory.Warm
				e, err := warp.New(config)
				require.NoError(t, err)
				g, err := in.Prepare(e, c)
				require.NoError(t, err)
				g.Reset()
				r, err := e.Run(context.Background(), g.Launch, g.Kernel)
				require.NoError(t, err)
				require.NoError(t, g.Check())
				if first == nil {
					first = r
					continue
				}
				assert.Equal(t, first.Cycles, r.Cycles, "%+v", config)
				assert.Equal(t, first.Memory, r.Memory, "%+v", config)
				assert.Equal(t, first.Waits(), r.Waits(), "%+v", config)
				assert.Equal(t, first.Ops(), r.Ops(), "%+v", config)
				assert.Equal(t, first.Blocks(), r.Blocks(), "%+v", config)
				assert.Equal(t, first.Bound(), r.Bound(), "%+v", config)
			}
		})
	}
}

// A sum of floats by one atomic a block, whose last bits depend on the order, is the same
// for any number of workers.
func TestGridsAddUpInOneOrder(t *testing.T) {
	const blocks, threads = 96, 128
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	data := make([]float32, blocks*threads)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range data {
		data[i] = random.Float32()*2 - 1
	}
	sums := map[float32]bool{}
	for _, workers := range []int{1, 2, 4} {
		for range 3 {
			e, err := warp.New(warp.Config{Device: p, Workers: workers})
			require.NoError(t, err)
			out := []float32{0}
			src, err := warp.Global(e, data)
			require.NoError(t, err)
			dst, err := warp.Global(e, out)
			require.NoError(t, err)
			_, err = e.Run(context.Background(), warp.Launch{Blocks: warp.X(blocks), Threads: warp.X(threads)}, gridSum(src, dst, 1))
			require.NoError(t, err)
			sums[out[0]] = true
		}
	}
	assert.Len(t, sums, 1)
}
