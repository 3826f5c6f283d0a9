package gallery

import (
	"context"
	"math"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/warp"
)

func larger(a, b float32) float32 { return max(a, b) }

// SoftmaxByWarp gives each row of a matrix to a warp: exp(x - max) / sum of those, where
// lanes go through the row side by side and meet in two butterflies.
func SoftmaxByWarp(ctx context.Context, e *warp.Engine, x []float32, columns int) ([]float32, *warp.Report, error) {
	s := &setUp{e: e}
	in, out := global(s, x), global(s, make([]float32, len(x)))
	rows, warps := len(x)/columns, 4
	threads := warps * e.Device().Lanes
	r, err := s.launch(ctx, warp.X(divUp(rows, warps)), warp.X(threads), func(t *intrinsics.Thread) {
		row := t.BlockIdx().X*warps + t.WarpID()
		if row >= rows {
			return // a whole warp
		}
		softmax(t, in, out, row*columns, columns, t.Lane(), t.WarpSize(),
			func(v float32) float32 { return overWarp(t, v, larger) },
			func(v float32) float32 { return overWarp(t, v, add) })
	})
	if err != nil {
		return nil, r, err
	}
	return out.Data(), r, nil
}

// SoftmaxByBlock gives each row to a block: worth it for rows of thousands.
func SoftmaxByBlock(ctx context.Context, e *warp.Engine, x []float32, columns int) ([]float32, *warp.Report, error) {
	s := &setUp{e: e}
	in, out := global(s, x), global(s, make([]float32, len(x)))
	const threads = 256
	r, err := s.launch(ctx, warp.X(len(x)/columns), warp.X(threads), func(t *intrinsics.Thread) {
		shared := intrinsics.Shared[float32](t, threads/t.WarpSize())
		softmax(t, in, out, t.BlockIdx().X*columns, columns, t.ThreadIdx().X, threads,
			func(v float32) float32 { return overBlock(t, shared, v, larger) },
			func(v float32) float32 { return overBlock(t, shared, v, add) })
	})
	if err != nil {
		return nil, r, err
	}
	return out.Data(), r, nil
}

// softmax goes over a row in steps of as many threads as there are, once for the largest,
// once for the sum, once for the result.
func softmax(t *intrinsics.Thread, in, out *intrinsics.Array[float32], start, columns, me, step int, largest, sum func(float32) float32) {
	most := float32(math.Inf(-1))
	for c := me; c < columns; c += step {
		most = max(most, in.Load(t, start+c))
	}
	most = largest(most)
	total := float32(0)
	for c := me; c < columns; c += step {
		v := intrinsics.FastExp(t, in.Load(t, start+c)-most)
		out.Store(t, start+c, v)
		total += v
	}
	scale := intrinsics.Div(t, 1, sum(total))
	for c := me; c < columns; c += step {
		out.Store(t, start+c, out.Load(t, start+c)*scale)
	}
}

// LayerNormByWarp gives each row to a warp: (x - mean) / sqrt(variance + epsilon).
func LayerNormByWarp(ctx context.Context, e *warp.Engine, x []float32, columns int) ([]float32, *warp.Report, error) {
	const epsilon = 1e-5
	s := &setUp{e: e}
	in, out := global(s, x), global(s, make([]float32, len(x)))
	rows, warps := len(x)/columns, 4
	r, err := s.launch(ctx, warp.X(divUp(rows, warps)), warp.X(warps*e.Device().Lanes), func(t *intrinsics.Thread) {
		row := t.BlockIdx().X*warps + t.WarpID()
		if row >= rows {
			return
		}
		start := row * columns
		sum, squares := float32(0), float32(0)
		for c := t.Lane(); c < columns; c += t.WarpSize() {
			v := in.Load(t, start+c)
			sum += v
			squares = intrinsics.FMA(t, v, v, squares)
		}
		mean := overWarp(t, sum, add) / float32(columns)
		variance := overWarp(t, squares, add)/float32(columns) - float32(mean*mean)
		scale := intrinsics.Rsqrt(t, variance+epsilon)
		for c := t.Lane(); c < columns; c += t.WarpSize() {
			out.Store(t, start+c, (in.Load(t, start+c)-mean)*scale)
		}
	})
	if err != nil {
		return nil, r, err
	}
	return out.Data(), r, nil
}
