package gallery_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/warpsim/examples/gallery"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/warptest"
)

var ctx = context.Background()

// floats are small whole numbers, whose sums are exact in any order.
func floats(n int) []float32 {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(r.IntN(17) - 8)
	}
	return v
}

func numbers(n, below int) []uint32 {
	r := rand.New(rand.NewPCG(2, uint64(n)))
	v := make([]uint32, n)
	for i := range v {
		v[i] = uint32(r.IntN(below))
	}
	return v
}

// everywhere runs a test on 32, 64 and 128 lanes with every check on; the kernels have no
// fault, not even a lint.
func everywhere(t *testing.T, f func(t *testing.T, e *warp.Engine) *warp.Report) {
	t.Helper()
	warptest.Each(t, warptest.Devices(t, "h200", "mi300x", "mtt-s5000", "mtt-s4000"), func(t *testing.T, e *warp.Engine) {
		r := f(t, e)
		warptest.NoFaults(t, r)
		assert.Empty(t, warptest.Text(r, warp.SeverityLint))
	})
}

// softmaxOf is what a row becomes, in double precision.
func softmaxOf(row []float32) []float64 {
	most, sum, out := slices.Max(row), 0.0, make([]float64, len(row))
	for i, v := range row {
		out[i] = math.Exp(float64(v - most))
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

func TestSoftmax(t *testing.T) {
	const rows, columns = 6, 200
	x := floats(rows * columns)
	for _, softmax := range []func(context.Context, *warp.Engine, []float32, int) ([]float32, *warp.Report, error){gallery.SoftmaxByWarp, gallery.SoftmaxByBlock} {
		everywhere(t, func(t *testing.T, e *warp.Engine) *warp.Report {
			got, r, err := softmax(ctx, e, slices.Clone(x), columns)
			require.NoError(t, err)
			for row := range rows {
				for i, want := range softmaxOf(x[row*columns:][:columns]) {
					require.InEpsilon(t, want, got[row*columns+i], 2e-6)
				}
			}
			return r
		})
	}
}

func TestLayerNorm(t *testing.T) {
	const rows, columns = 5, 100
	x := floats(rows * columns)
	everywhere(t, func(t *testing.T, e *warp.Engine) *warp.Report {
		got, r, err := gallery.LayerNormByWarp(ctx, e, slices.Clone(x), columns)
		require.NoError(t, err)
		for row := range rows {
			mean, variance := 0.0, 0.0
			for _, v := range x[row*columns:][:columns] {
				mean += float64(v) / columns
			}
			for _, v := range x[row*columns:][:columns] {
				variance += (float64(v) - mean) * (float64(v) - mean) / columns
			}
			for i, v := range x[row*columns:][:columns] {
				require.InDelta(t, (float64(v)-mean)/math.Sqrt(variance+1e-5), got[row*columns+i], 1e-5)
			}
		}
		return r
	})
}

func TestSparseTimesVector(t *testing.T) {
	const rows, columns = 21, 300
	r := rand.New(rand.NewPCG(3, 3))
	m := gallery.Sparse{Starts: []int32{0}}
	x, want := floats(columns), make([]float32, rows)
	for row := range rows {
		for c := range columns {
			if r.IntN(rows) < row { // the first row is empty
				v := float32(r.IntN(5) - 2)
				m.Columns, m.Values = append(m.Columns, int32(c)), append(m.Values, v)
				want[row] += v * x[c]
			}
		}
		m.Starts = append(m.Starts, int32(len(m.Values)))
	}
	everywhere(t, func(t *testing.T, e *warp.Engine) *warp.Report {
		got, r, err := gallery.SparseTimesVector(ctx, e, m, x)
		require.NoError(t, err)
		require.Equal(t, want, got)
		return r
	})
}

func TestMultiply(t *testing.T) {
	const n = 32
	a, b, want := floats(n*n), floats(n*n), make([]float32, n*n)
	slices.Reverse(b)
	for i := range n {
		for j := range n {
			for k := range n {
				want[i*n+j] += a[i*n+k] * b[k*n+j]
			}
		}
	}
	everywhere(t, func(t *testing.T, e *warp.Engine) *warp.Report {
		got, r, err := gallery.Multiply(ctx, e, a, b, n)
		require.NoError(t, err)
		require.Equal(t, want, got)
		return r
	})
}

func TestTranspose(t *testing.T) {
	const n = 64
	a, want := floats(n*n), make([]float32, n*n)
	for i := range n {
		for j := range n {
			want[j*n+i] = a[i*n+j]
		}
	}
	everywhere(t, func(t *testing.T, e *warp.Engine) *warp.Report {
		var all *warp.Report
		var conflicts []int64
		for _, way := range []gallery.TransposeWay{gallery.Naive, gallery.Tiled, gallery.Padded} {
			got, r, err := gallery.Transpose(ctx, e, a, n, way)
			require.NoError(t, err)
			require.Equal(t, want, got)
			conflicts = append(conflicts, r.ConflictPasses)
			if all == nil {
				all = r
			} else {
				require.NoError(t, all.Add(r))
			}
		}
		assert.Zero(t, conflicts[0])
		assert.Greater(t, conflicts[1], 8*max(1, conflicts[2]), "%v", conflicts)
		return all
	})
}

func TestHistogram(t *testing.T) {
	const bins = 64
	items, want := numbers(9000, bins+1), make([]uint32, bins)
	for _, v := range items {
		if v < bins {
			want[v]++
		}
	}
	for _, way := range []gallery.HistogramWay{gallery.InGlobal, gallery.InShared, gallery.PerWarp} {
		everywhere(t, func(t *testing.T, e *warp.Engine) *warp.Report {
			got, r, err := gallery.Histogram(ctx, e, items, bins, way)
			require.NoError(t, err)
			require.Equal(t, want, got)
			return r
		})
	}
}

func TestFilter(t *testing.T) {
	var items, want []int32
	for i, v := range numbers(3000, 100) {
		items = append(items, int32(v)*1000+int32(i%1000))
		if items[i] >= 70000 {
			want = append(want, items[i])
		}
	}
	slices.Sort(want)
	everywhere(t, func(t *testing.T, e *warp.Engine) *warp.Report {
		got, r, err := gallery.Filter(ctx, e, items, 70000)
		require.NoError(t, err)
		got = slices.Sorted(slices.Values(got))
		require.Equal(t, want, got)
		return r
	})
}

func TestSum(t *testing.T) {
	items, want := floats(20000), float32(0)
	for _, v := range items {
		want += v
	}
	everywhere(t, func(t *testing.T, e *warp.Engine) *warp.Report {
		got, r, err := gallery.Sum(ctx, e, items)
		require.NoError(t, err)
		require.Equal(t, want, got)
		return r
	})
}

func TestPrefixSum(t *testing.T) {
	items, want := make([]int32, 5000), make([]int32, 5000)
	for i, v := range numbers(5000, 100) {
		items[i], want[i] = int32(v), int32(v)
		if i > 0 {
			want[i] += want[i-1]
		}
	}
	everywhere(t, func(t *testing.T, e *warp.Engine) *warp.Report {
		got, r, err := gallery.PrefixSum(ctx, e, items)
		require.NoError(t, err)
		require.Equal(t, want, got)
		return r
	})
}

func TestTopK(t *testing.T) {
	items := floats(1000) // with many that are equal
	for i := range items {
		items[i] += float32(i%50) / 4
	}
	want := slices.Sorted(slices.Values(items))
	slices.Reverse(want)
	everywhere(t, func(t *testing.T, e *warp.Engine) *warp.Report {
		got, r, err := gallery.TopK(ctx, e, items, 10)
		require.NoError(t, err)
		require.Equal(t, want[:10], got)
		return r
	})
}

func TestRadixPass(t *testing.T) {
	keys := numbers(512, 1<<12)
	want := slices.Clone(keys)
	slices.SortStableFunc(want, func(a, b uint32) int { return int(a>>4&15) - int(b>>4&15) })
	everywhere(t, func(t *testing.T, e *warp.Engine) *warp.Report {
		got, r, err := gallery.RadixPass(ctx, e, keys, 4)
		require.NoError(t, err)
		require.Equal(t, want, got)
		return r
	})
}
