package sass_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/sass"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// checkValues holds what a grid has left in memory against plain Go. before is y as
// it was. Where floats are added in another order the bound is that of rounding each
// of the additions.
func (g *grid) checkValues(t *testing.T, before []float32) {
	name, cols := g.split()
	sum := func(x []float32) (s, size float64) {
		for _, v := range x {
			s += float64(v)
			size += math.Abs(float64(v))
		}
		return s, size
	}
	near := func(want, bound float64, got float32, what string) bool {
		return assert.LessOrEqual(t, math.Abs(want-float64(got)), bound, "%s: %v, want %v", what, got, want)
	}
	const eps = 0x1p-24
	switch {
	case name == "copy_f32":
		assert.Equal(t, g.x, g.y)
	case strings.HasPrefix(name, "saxpy"):
		for i, x := range g.x {
			if want := float32(float64(1.5*float64(x)) + float64(before[i])); want != g.y[i] { // one rounding: exact in doubles
				require.Equal(t, want, g.y[i], i)
			}
		}
	case strings.HasPrefix(name, "reduce_partials"):
		stride := g.blocks * g.threads
		for b := range g.blocks {
			var part []float32
			for i := b * g.threads; i < g.n; i += stride {
				part = append(part, g.x[i:min(i+g.threads, g.n)]...)
			}
			want, size := sum(part)
			if !near(want, size*eps*64, g.out[b], fmt.Sprint("block ", b)) {
				return
			}
		}
	case strings.HasPrefix(name, "reduce"):
		want, size := sum(g.x)
		// A thread's items, two trees, and the sums of blocks or warps one by one.
		additions := g.n/(g.blocks*g.threads) + 16 + g.blocks*g.threads/32
		near(want, size*eps*float64(additions), g.out[0], "sum")
	case strings.HasPrefix(name, "histogram"):
		want := make([]uint32, 1024)
		for _, v := range g.ix {
			want[v>>16&255]++
		}
		assert.Equal(t, want, g.bins)
	case strings.HasPrefix(name, "compact"):
		want := map[int32]int{}
		n := 0
		for _, v := range g.ix {
			if v&3 == 0 {
				want[v]++
				n++
			}
		}
		require.EqualValues(t, n, g.count[0])
		// Blocks take their places in any order; inside one the order stays.
		got := map[int32]int{}
		for _, v := range g.iy[:n] {
			got[v]++
		}
		assert.Equal(t, want, got)
	case strings.HasPrefix(name, "scan"):
		for b := 0; b < g.n; b += g.threads {
			s, size := 0.0, 0.0
			for i := b; i < min(b+g.threads, g.n); i++ {
				s += float64(g.x[i])
				size += math.Abs(float64(g.x[i]))
				if !near(s, size*eps*32, g.y[i], fmt.Sprint("item ", i)) {
					return
				}
			}
		}
	case strings.HasPrefix(name, "transpose"):
		for r := range g.n {
			for c := range g.n {
				if g.y[c*g.n+r] != g.x[r*g.n+c] {
					require.Equal(t, g.x[r*g.n+c], g.y[c*g.n+r], "%d, %d", r, c)
				}
			}
		}
	case strings.HasPrefix(name, "softmax"):
		for r := 0; r < g.n/cols; r++ {
			row, out := g.x[r*cols:(r+1)*cols], g.y[r*cols:(r+1)*cols]
			most, total := math.Inf(-1), 0.0
			for _, v := range row {
				most = max(most, float64(v))
			}
			for _, v := range row {
				total += math.Exp(float64(v) - most)
			}
			for i, v := range row {
				want := math.Exp(float64(v)-most) / total
				if !near(want, want*2e-6, out[i], fmt.Sprintf("row %d item %d", r, i)) {
					return
				}
			}
		}
	case strings.HasPrefix(name, "layernorm"):
		for r := 0; r < g.n/cols; r++ {
			row, out := g.x[r*cols:(r+1)*cols], g.y[r*cols:(r+1)*cols]
			s, q := 0.0, 0.0
			for _, v := range row {
				s += float64(v)
				q += float64(v) * float64(v)
			}
			mean := s / float64(cols)
			inv := 1 / math.Sqrt(q/float64(cols)-mean*mean+1e-5)
			for i, v := range row {
				// The variance is a difference of two rounded sums.
				if !near((float64(v)-mean)*inv, 2e-5, out[i], fmt.Sprintf("row %d item %d", r, i)) {
					return
				}
			}
		}
	case strings.HasPrefix(name, "spmv"):
		for r := range g.n {
			s, size := 0.0, 0.0
			for i := g.ptr[r]; i < g.ptr[r+1]; i++ {
				v := float64(g.x[i]) * float64(g.y[g.col[i]])
				s += v
				size += math.Abs(v)
			}
			if !near(s, size*eps*16, g.out[r], fmt.Sprint("row ", r)) {
				return
			}
		}
	case strings.HasPrefix(name, "gemm"):
		for r := range g.n {
			for c := range g.n {
				v := float32(0) // in the order of the kernel, fused
				for k := range g.n {
					v = fma(g.x[r*g.n+k], g.y[k*g.n+c], v)
				}
				if v != g.out[r*g.n+c] {
					require.Equal(t, v, g.out[r*g.n+c], "%d, %d", r, c)
				}
			}
		}
	default:
		t.Fatalf("no reference of %s", name)
	}
}

// fma is a product and a sum, rounded once: the product is exact in doubles, and the
// sum is rounded to odd there.
func fma(x, y, z float32) float32 {
	p, c := float64(x)*float64(y), float64(z)
	s := p + c
	if back := s - p; (p-(s-back))+(c-back) != 0 && math.Float64bits(s)&1 == 0 {
		if (p-(s-back))+(c-back) > 0 {
			s = math.Nextafter(s, math.Inf(1))
		} else {
			s = math.Nextafter(s, math.Inf(-1))
		}
	}
	return float32(s)
}

// What the 21 kernels write is what plain Go computes.
func TestGridValues(t *testing.T) {
	l := listing(t, "grids.sass.gz")
	kernels := map[string]bool{}
	for _, g := range valueGrids() {
		heavy := g.threads != 256 || g.kernel == "gemm_tile16_f32" && g.n > 128
		if !*all && g.n > 1<<16 || testing.Short() && heavy {
			continue
		}
		name, _ := g.split()
		kernels[name] = true
		t.Run(fmt.Sprintf("%s/%d/%d/%d", g.kernel, g.n, g.blocks, g.threads), func(t *testing.T) {
			e := engine(t, warp.Config{ValuesOnly: true})
			launch := g.launch(t, e)
			before := append([]float32(nil), g.y...)
			_, err := sass.Run(context.Background(), e, programOf(t, l, name), launch)
			require.NoError(t, err)
			g.checkValues(t, before)
		})
	}
	assert.Len(t, kernels, 21)
}

// valueGrids are the recorded shapes of up to a million items: those of the
// programs that measured them.
func valueGrids() []*grid {
	var out []*grid
	one := []string{"copy_f32", "saxpy_f32", "reduce_tree_doubling_f32", "reduce_tree_f32", "reduce_hybrid_f32", "scan_tiles_f32", "compact_ballot_s32"}
	strided := []string{"saxpy_strided_f32", "reduce_strided_hybrid_f32", "reduce_warp_atomics_f32", "reduce_partials_f32", "reduce_last_block_f32", "histogram_shared_u32", "histogram_global_u32"}
	for _, n := range []int{1 << 14, 1 << 17, 1 << 20} {
		for _, threads := range []int{128, 256, 1024} {
			for _, k := range one {
				out = append(out, &grid{kernel: k, n: n, blocks: (n + threads - 1) / threads, threads: threads})
			}
			for _, k := range strided {
				for _, per := range []int{1, 2} {
					out = append(out, &grid{kernel: k, n: n, blocks: min((n+threads-1)/threads, 132*per*(1024/threads)), threads: threads})
				}
			}
		}
	}
	for _, d := range []int{256, 1024} {
		for _, k := range []string{"transpose_naive_f32", "transpose_tile_conflicts_f32", "transpose_tile_padded_f32"} {
			out = append(out, &grid{kernel: k, n: d, blocks: d / 32 * d / 32, threads: 256})
		}
	}
	for _, cols := range []int{256, 1024} {
		for _, rows := range []int{132, 2048} {
			if rows*cols > 1<<20 {
				continue
			}
			for _, threads := range []int{128, 256} {
				out = append(out, &grid{kernel: fmt.Sprintf("softmax_row_block_%d_f32", cols), n: rows * cols, blocks: rows, threads: threads})
			}
			out = append(out, &grid{kernel: fmt.Sprintf("layernorm_row_warp_%d_f32", cols), n: rows * cols, blocks: (rows + 7) / 8, threads: 256})
		}
	}
	for _, rows := range []int{1024, 16384, 131072} {
		out = append(out, &grid{kernel: "spmv_row_warp_f32", n: rows, blocks: rows / 8, threads: 256})
	}
	for _, d := range []int{128, 512} {
		out = append(out, &grid{kernel: "gemm_tile16_f32", n: d, blocks: d / 16 * d / 16, threads: 256})
	}
	return out
}
