package gallery

import (
	"context"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/warp"
)

// Sum adds up an array in one launch: each block stores its sum, makes it visible by a
// fence, and takes a ticket; the block with the last ticket adds the sums of all. Without
// the fence it might read sums that are not there yet, which the checks name.
func Sum(ctx context.Context, e *warp.Engine, items []float32) (float32, *warp.Report, error) {
	const threads = 256
	blocks := min(64, divUp(len(items), threads))
	s := &setUp{e: e}
	in, sums := global(s, items), global(s, make([]float32, blocks))
	tickets, out := global(s, make([]uint32, 1)), global(s, make([]float32, 1))
	r, err := s.launch(ctx, warp.X(blocks), warp.X(threads), func(t *intrinsics.Thread) {
		shared, last := intrinsics.Shared[float32](t, threads/t.WarpSize()), intrinsics.Shared[uint32](t, 1)
		v := float32(0)
		for i := t.GlobalID(); i < len(items); i += threads * blocks {
			v += in.Load(t, i)
		}
		v = overBlock(t, shared, v, add)
		if t.ThreadIdx().X == 0 {
			sums.Store(t, t.BlockIdx().X, v)
			intrinsics.ThreadFence(t)
			last.Store(t, 0, intrinsics.AtomicInc(t, tickets, 0, uint32(blocks-1)))
		}
		intrinsics.SyncThreads(t)
		if last.Load(t, 0) != uint32(blocks-1) {
			return
		}
		intrinsics.ThreadFence(t)
		v = 0
		if t.ThreadIdx().X < blocks {
			v = sums.Load(t, t.ThreadIdx().X)
		}
		v = overBlock(t, shared, v, add)
		if t.ThreadIdx().X == 0 {
			out.Store(t, 0, v)
		}
	})
	if err != nil {
		return 0, r, err
	}
	return out.Data()[0], r, nil
}

// PrefixSum gives each item the sum of itself and all before, in three launches: each
// block scans its own and stores its sum; one block scans the sums; each block adds what
// comes before it. The report adds up all three.
func PrefixSum(ctx context.Context, e *warp.Engine, items []int32) ([]int32, *warp.Report, error) {
	const threads = 256
	blocks := divUp(len(items), threads)
	s := &setUp{e: e}
	in, out := global(s, items), global(s, make([]int32, len(items)))
	sums, all := global(s, make([]int32, blocks)), global(s, make([]int32, 1))
	// scan is the first launch and the second: over items, and over the sums of blocks.
	scan := func(in, out, sums *intrinsics.Array[int32], n int) func(t *intrinsics.Thread) {
		return func(t *intrinsics.Thread) {
			warps := intrinsics.Shared[int32](t, threads/t.WarpSize())
			carry := int32(0)
			for start := 0; start < divUp(n, t.GridDim().X); start += threads {
				i, v := t.GlobalID()+start, int32(0)
				if i < n {
					v = in.Load(t, i)
				}
				for d := 1; d < t.WarpSize(); d *= 2 {
					below := intrinsics.ShflUpSync(t, t.AllLanes(), v, d)
					if t.Lane() >= d {
						v += below
					}
				}
				if t.Lane() == t.WarpSize()-1 {
					warps.Store(t, t.WarpID(), v)
				}
				intrinsics.SyncThreads(t)
				before, total := int32(0), int32(0)
				for w := range threads / t.WarpSize() {
					if w == t.WarpID() {
						before = total
					}
					total += warps.Load(t, w)
				}
				if i < n {
					out.Store(t, i, carry+before+v)
				}
				carry += total
				intrinsics.SyncThreads(t)
			}
			if t.ThreadIdx().X == 0 {
				sums.Store(t, t.BlockIdx().X, carry)
			}
		}
	}
	report, err := s.launch(ctx, warp.X(blocks), warp.X(threads), scan(in, out, sums, len(items)))
	if err != nil {
		return nil, report, err
	}
	for _, next := range []struct {
		blocks int
		kernel func(t *intrinsics.Thread)
	}{
		{1, scan(sums, sums, all, blocks)},
		{blocks, func(t *intrinsics.Thread) {
			if i := t.GlobalID(); t.BlockIdx().X > 0 && i < len(items) {
				out.Store(t, i, out.Load(t, i)+sums.Load(t, t.BlockIdx().X-1))
			}
		}},
	} {
		r, err := s.launch(ctx, warp.X(next.blocks), warp.X(threads), next.kernel)
		if err != nil {
			return nil, r, err
		}
		if err := report.Add(r); err != nil {
			return nil, report, err
		}
	}
	return out.Data(), report, nil
}
