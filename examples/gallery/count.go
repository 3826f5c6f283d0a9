package gallery

import (
	"context"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/warp"
)

// A HistogramWay is where Histogram counts.
type HistogramWay int

// The places to count in.
const (
	InGlobal HistogramWay = iota // every item is an atomic on global memory
	InShared                     // a block counts in shared memory and adds that at its end
	PerWarp                      // each warp has counts of its own in shared memory
)

// Histogram counts how often each number from 0 to bins-1 is there. Others are not
// counted. Blocks go over the items in steps of the grid.
func Histogram(ctx context.Context, e *warp.Engine, items []uint32, bins int, way HistogramWay) ([]uint32, *warp.Report, error) {
	const threads, blocks = 256, 32
	s := &setUp{e: e}
	in, counts := global(s, items), global(s, make([]uint32, bins))
	r, err := s.launch(ctx, warp.X(blocks), warp.X(threads), func(t *intrinsics.Thread) {
		copies := 0
		switch way {
		case InShared:
			copies = 1
		case PerWarp:
			copies = threads / t.WarpSize()
		}
		own := intrinsics.Shared[uint32](t, max(1, copies*bins))
		for b := t.ThreadIdx().X; b < copies*bins; b += threads {
			own.Store(t, b, 0)
		}
		intrinsics.SyncThreads(t)
		for i := t.GlobalID(); i < len(items); i += threads * blocks {
			v := int(in.Load(t, i))
			switch {
			case v >= bins:
			case way == InGlobal:
				intrinsics.RedAdd(t, counts, v, 1)
			case way == InShared:
				intrinsics.RedAdd(t, own, v, 1)
			default:
				intrinsics.RedAdd(t, own, t.WarpID()*bins+v, 1)
			}
		}
		if copies == 0 {
			return
		}
		intrinsics.SyncThreads(t)
		for b := t.ThreadIdx().X; b < bins; b += threads {
			sum := uint32(0)
			for c := range copies {
				sum += own.Load(t, c*bins+b)
			}
			intrinsics.RedAdd(t, counts, b, sum)
		}
	})
	if err != nil {
		return nil, r, err
	}
	return counts.Data(), r, nil
}

// Filter keeps the items of at least a threshold, in no order between warps: the lanes
// that keep something take places by one atomic, done by the first of them, and find their
// own by how many come before.
func Filter(ctx context.Context, e *warp.Engine, items []int32, least int32) ([]int32, *warp.Report, error) {
	const threads = 256
	s := &setUp{e: e}
	in, out, used := global(s, items), global(s, make([]int32, len(items))), global(s, make([]int32, 1))
	r, err := s.launch(ctx, warp.X(divUp(len(items), threads)), warp.X(threads), func(t *intrinsics.Thread) {
		i, keep, v := t.GlobalID(), false, int32(0)
		if i < len(items) {
			v = in.Load(t, i)
			keep = v >= least
		}
		keepers := intrinsics.BallotSync(t, t.AllLanes(), keep)
		if keepers.Empty() {
			return
		}
		base := int32(0)
		if t.Lane() == keepers.First() {
			base = intrinsics.AtomicAdd(t, used, 0, int32(keepers.Count()))
		}
		base = intrinsics.ShflSync(t, t.AllLanes(), base, keepers.First())
		if keep {
			out.Store(t, int(base)+keepers.Rank(t.Lane()), v)
		}
	})
	if err != nil {
		return nil, r, err
	}
	return out.Data()[:used.Data()[0]], r, nil
}
