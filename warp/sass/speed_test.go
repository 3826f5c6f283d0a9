package sass_test

import (
	"context"
	"strings"
	"testing"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/sass"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Warp instructions a second of whole kernels, values only, on one processor.
func BenchmarkValues(b *testing.B) {
	l := listing(b, "grids.sass.gz")
	for _, g := range []grid{
		{kernel: "gemm_tile16_f32", n: 256, blocks: 256, threads: 256},
		{kernel: "reduce_tree_f32", n: 1 << 17, blocks: 512, threads: 256},
		{kernel: "softmax_row_block_1024_f32", n: 132 * 1024, blocks: 132, threads: 256},
		{kernel: "saxpy_f32", n: 1 << 17, blocks: 512, threads: 256},
		{kernel: "layernorm_row_warp_1024_f32", n: 256 * 1024, blocks: 32, threads: 256},
	} {
		b.Run(g.kernel, func(b *testing.B) {
			name, _ := g.split()
			e := engine(b, warp.Config{ValuesOnly: true, Workers: 1})
			k, err := programOf(b, l, name).Kernel(e, g.launch(b, e))
			require.NoError(b, err)
			n := int64(0)
			for b.Loop() {
				r, err := k.Run(context.Background())
				require.NoError(b, err)
				n += r.Instructions
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds()/1e6, "Minstr/s")
		})
	}
}

// What nobody watches is not looked at lane by lane; reports are the same for that.
func TestReportsOfUnwatchedRuns(t *testing.T) {
	l := listing(t, "grids.sass.gz")
	for _, g := range []grid{
		{kernel: "transpose_tile_conflicts_f32", n: 256, blocks: 64, threads: 256},
		{kernel: "gemm_tile16_f32", n: 64, blocks: 16, threads: 256},
		{kernel: "reduce_hybrid_f32", n: 1 << 14, blocks: 64, threads: 256},
		{kernel: "histogram_shared_u32", n: 1 << 14, blocks: 32, threads: 128},
		{kernel: "layernorm_row_warp_256_f32", n: 132 * 256, blocks: 17, threads: 256},
	} {
		name, _ := g.split()
		var reports [2]*warp.Report
		for i := range reports {
			e := engine(t, warp.Config{ValuesOnly: true})
			launch := g.launch(t, e)
			if i == 1 {
				launch.Lines = new([]sass.LineCount)
			}
			var err error
			reports[i], err = sass.Run(context.Background(), e, programOf(t, l, name), launch)
			require.NoError(t, err)
		}
		assert.Equal(t, reports[1].ConflictPasses, reports[0].ConflictPasses, g.kernel)
		assert.Equal(t, reports[1].Instructions, reports[0].Instructions, g.kernel)
	}
}

// Lines a second of the parser.
func BenchmarkParse(b *testing.B) {
	raw := text(b, "grids.sass.gz")
	lines := strings.Count(raw, "\n")
	for b.Loop() {
		_, err := sass.Parse(strings.NewReader(raw))
		require.NoError(b, err)
	}
	b.ReportMetric(float64(lines*b.N)/b.Elapsed().Seconds(), "lines/s")
}
