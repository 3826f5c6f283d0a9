package gallery

import (
	"context"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/warp"
)

// A number is what kernels here keep in memory.
type number interface{ int32 | uint32 | float32 }

// setUp puts arrays into the memory of an engine; it keeps the first error.
type setUp struct {
	e   *warp.Engine
	err error
}

func global[T number](s *setUp, data []T) *intrinsics.Array[T] {
	if s.err != nil {
		return nil
	}
	a, err := intrinsics.Global(s.e, data)
	s.err = err
	return a
}

// launch runs a kernel, unless setting up failed.
func (s *setUp) launch(ctx context.Context, blocks, threads warp.Dim, kernel func(t *intrinsics.Thread)) (*warp.Report, error) {
	if s.err != nil {
		return nil, s.err
	}
	return intrinsics.Launch(ctx, s.e, blocks, threads, kernel)
}

// divUp is how many parts of b cover a.
func divUp(a, b int) int { return (a + b - 1) / b }

// overWarp combines a value of every lane; all lanes get the result.
func overWarp(t *intrinsics.Thread, v float32, op func(a, b float32) float32) float32 {
	for d := t.WarpSize() / 2; d > 0; d /= 2 {
		v = op(v, intrinsics.ShflXorSync(t, t.AllLanes(), v, d))
	}
	return v
}

// overBlock combines a value of every thread; all threads get the result. shared has a
// place for every warp, and nobody else uses it.
func overBlock(t *intrinsics.Thread, shared *intrinsics.Array[float32], v float32, op func(a, b float32) float32) float32 {
	v = overWarp(t, v, op)
	if t.Lane() == 0 {
		shared.Store(t, t.WarpID(), v)
	}
	intrinsics.SyncThreads(t)
	v = shared.Load(t, 0)
	for w := 1; w < t.BlockDim().X/t.WarpSize(); w++ {
		v = op(v, shared.Load(t, w))
	}
	intrinsics.SyncThreads(t)
	return v
}

func add(a, b float32) float32 { return a + b }
