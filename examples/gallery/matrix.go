package gallery

import (
	"context"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/warp"
)

// A Sparse is a matrix by rows: row r has its values, and their columns, from starts[r]
// to starts[r+1].
type Sparse struct {
	Starts, Columns []int32
	Values          []float32
}

// SparseTimesVector gives each row to a warp, whose lanes take its values side by side
// and add up by shuffles. Rows shorter than a warp leave lanes idle.
func SparseTimesVector(ctx context.Context, e *warp.Engine, m Sparse, x []float32) ([]float32, *warp.Report, error) {
	s := &setUp{e: e}
	starts, columns, values := global(s, m.Starts), global(s, m.Columns), global(s, m.Values)
	in := global(s, x)
	rows, warps := len(m.Starts)-1, 4
	out := global(s, make([]float32, rows))
	r, err := s.launch(ctx, warp.X(divUp(rows, warps)), warp.X(warps*e.Device().Lanes), func(t *intrinsics.Thread) {
		row := t.BlockIdx().X*warps + t.WarpID()
		if row >= rows {
			return
		}
		end := int(starts.Load(t, row+1))
		sum := float32(0)
		for j := int(starts.Load(t, row)) + t.Lane(); j < end; j += t.WarpSize() {
			sum = intrinsics.FMA(t, values.Load(t, j), in.Load(t, int(columns.Load(t, j))), sum)
		}
		sum = overWarp(t, sum, add)
		if t.Lane() == 0 {
			out.Store(t, row, sum)
		}
	})
	if err != nil {
		return nil, r, err
	}
	return out.Data(), r, nil
}

// Multiply is the product of two square matrices of n rows, a multiple of 16: a block
// makes a tile of 16 by 16, for which it brings tiles of both factors into shared memory,
// so that each value is loaded n/16 times instead of n times.
func Multiply(ctx context.Context, e *warp.Engine, a, b []float32, n int) ([]float32, *warp.Report, error) {
	const tile = 16
	s := &setUp{e: e}
	left, right, out := global(s, a), global(s, b), global(s, make([]float32, n*n))
	blocks := warp.Dim{X: n / tile, Y: n / tile, Z: 1}
	r, err := s.launch(ctx, blocks, warp.Dim{X: tile, Y: tile, Z: 1}, func(t *intrinsics.Thread) {
		as, bs := intrinsics.Shared[float32](t, tile*tile), intrinsics.Shared[float32](t, tile*tile)
		x, y := t.ThreadIdx().X, t.ThreadIdx().Y
		row, column := t.BlockIdx().Y*tile+y, t.BlockIdx().X*tile+x
		sum := float32(0)
		for k := 0; k < n; k += tile {
			as.Store(t, y*tile+x, left.Load(t, row*n+k+x))
			bs.Store(t, y*tile+x, right.Load(t, (k+y)*n+column))
			intrinsics.SyncThreads(t)
			for i := range tile {
				sum = intrinsics.FMA(t, as.Load(t, y*tile+i), bs.Load(t, i*tile+x), sum)
			}
			intrinsics.SyncThreads(t)
		}
		out.Store(t, row*n+column, sum)
	})
	if err != nil {
		return nil, r, err
	}
	return out.Data(), r, nil
}

// A TransposeWay is how Transpose goes about it.
type TransposeWay int

// The ways to transpose.
const (
	Naive  TransposeWay = iota // rows are read, columns written: every lane its own sector
	Tiled                      // through a tile in shared memory, whose columns are one bank
	Padded                     // the same with a word more a row: no conflicts
)

// Transpose transposes a square matrix of n rows, a multiple of 32.
func Transpose(ctx context.Context, e *warp.Engine, a []float32, n int, way TransposeWay) ([]float32, *warp.Report, error) {
	const tile, rows = 32, 8 // a block of 32 by 8 threads moves a tile in four steps
	s := &setUp{e: e}
	in, out := global(s, a), global(s, make([]float32, n*n))
	pitch := tile
	if way == Padded {
		pitch++
	}
	r, err := s.launch(ctx, warp.Dim{X: n / tile, Y: n / tile, Z: 1}, warp.Dim{X: tile, Y: rows, Z: 1}, func(t *intrinsics.Thread) {
		x, y := t.ThreadIdx().X, t.ThreadIdx().Y
		left, top := t.BlockIdx().X*tile, t.BlockIdx().Y*tile
		if way == Naive {
			for j := 0; j < tile; j += rows {
				out.Store(t, (left+x)*n+top+y+j, in.Load(t, (top+y+j)*n+left+x))
			}
			return
		}
		shared := intrinsics.Shared[float32](t, tile*pitch)
		for j := 0; j < tile; j += rows {
			shared.Store(t, (y+j)*pitch+x, in.Load(t, (top+y+j)*n+left+x))
		}
		intrinsics.SyncThreads(t)
		for j := 0; j < tile; j += rows {
			out.Store(t, (left+y+j)*n+top+x, shared.Load(t, x*pitch+y+j))
		}
	})
	if err != nil {
		return nil, r, err
	}
	return out.Data(), r, nil
}
