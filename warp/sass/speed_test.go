package sass_test

import (
	"context"
	"strings"
	"testing"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/sass"

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
