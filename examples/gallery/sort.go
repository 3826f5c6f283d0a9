package gallery

import (
	"context"
	"math"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/warp"
)

// TopK returns the k largest items, the largest first, by one warp: each lane keeps the
// largest of its own in registers, and k times the warp finds the largest of those and
// the lane that has it, which then offers its next. k is at most 16: lane i stores the one of place i.
func TopK(ctx context.Context, e *warp.Engine, items []float32, k int) ([]float32, *warp.Report, error) {
	s := &setUp{e: e}
	in, out := global(s, items), global(s, make([]float32, k))
	r, err := s.launch(ctx, warp.X(1), warp.X(e.Device().Lanes), func(t *intrinsics.Thread) {
		var own [16]float32 // sorted, the largest first
		for i := range own {
			own[i] = float32(math.Inf(-1))
		}
		for i := t.Lane(); i < len(items); i += t.WarpSize() {
			v := in.Load(t, i)
			for j := 0; j < k; j++ { // insert: plain arithmetic of the lane
				if v > own[j] {
					v, own[j] = own[j], v
				}
			}
		}
		next, mine := 0, float32(0)
		for i := range k {
			best, holder := own[next], int32(t.Lane())
			for d := t.WarpSize() / 2; d > 0; d /= 2 {
				v, l := intrinsics.ShflXorSync(t, t.AllLanes(), best, d), intrinsics.ShflXorSync(t, t.AllLanes(), holder, d)
				if v > best || v == best && l < holder {
					best, holder = v, l
				}
			}
			if int(holder) == t.Lane() {
				next = min(next+1, len(own)-1)
			}
			if t.Lane() == i {
				mine = best
			}
		}
		if t.Lane() < k {
			out.Store(t, t.Lane(), mine)
		}
	})
	if err != nil {
		return nil, r, err
	}
	return out.Data(), r, nil
}

// RadixPass sorts keys by one digit of 4 bits, stably, in one block of a thread a key (at
// most 1,024, a multiple of the warp). A warp finds those with the same digit by a ballot
// a bit, counts them in shared memory by digit and warp, and a scan of the counts says
// where each goes.
func RadixPass(ctx context.Context, e *warp.Engine, keys []uint32, shift int) ([]uint32, *warp.Report, error) {
	const digits = 16
	n := len(keys)
	s := &setUp{e: e}
	in, out := global(s, keys), global(s, make([]uint32, n))
	r, err := s.launch(ctx, warp.X(1), warp.X(n), func(t *intrinsics.Thread) {
		warps := n / t.WarpSize()
		counts := intrinsics.Shared[int32](t, digits*warps) // by digit, then by warp
		for i := t.ThreadIdx().X; i < digits*warps; i += n {
			counts.Store(t, i, 0)
		}
		intrinsics.SyncThreads(t)
		key := in.Load(t, t.ThreadIdx().X)
		digit := int(key >> shift % digits)
		peers := t.AllLanes()
		for bit := range 4 {
			set := intrinsics.BallotSync(t, t.AllLanes(), digit>>bit&1 != 0)
			if digit>>bit&1 == 0 {
				set = set.Not(t.WarpSize())
			}
			peers = peers.And(set)
		}
		if t.Lane() == peers.First() {
			counts.Store(t, digit*warps+t.WarpID(), int32(peers.Count()))
		}
		intrinsics.SyncThreads(t)
		if t.WarpID() == 0 { // an exclusive scan of all counts, a row of lanes at a time
			carry := int32(0)
			for start := 0; start < digits*warps; start += t.WarpSize() {
				i, v := start+t.Lane(), int32(0)
				if i < digits*warps {
					v = counts.Load(t, i)
				}
				sum := v
				for d := 1; d < t.WarpSize(); d *= 2 {
					if below := intrinsics.ShflUpSync(t, t.AllLanes(), sum, d); t.Lane() >= d {
						sum += below
					}
				}
				if i < digits*warps {
					counts.Store(t, i, carry+sum-v)
				}
				carry += intrinsics.ShflSync(t, t.AllLanes(), sum, t.WarpSize()-1)
			}
		}
		intrinsics.SyncThreads(t)
		out.Store(t, int(counts.Load(t, digit*warps+t.WarpID()))+peers.Rank(t.Lane()), key)
	})
	if err != nil {
		return nil, r, err
	}
	return out.Data(), r, nil
}
