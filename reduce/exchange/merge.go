package exchange

import (
	"fmt"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/reduce"
	"example.com/warpsim/warp"
)

// MergeSort sorts one key and value a lane in ascending order of the keys; equal
// keys keep their order. In each of log2(w) rounds a lane finds, by a binary
// search with shuffles, how many keys of the neighbouring run stand before its
// own, and puts its pair where that says through shared memory, which a shuffle
// cannot do. keys and values hold an element for each lane of the block's warps
// (reduce.WarpStorage).
func MergeSort[K warp.Number, V any](key warp.Reg[K], value warp.Reg[V], keys warp.Mem[K], values warp.Mem[V]) {
	const name = "merge-sort"
	w := key.Warp()
	full(w, name)
	lanes := w.Width()
	if n := reduce.WarpStorage(lanes, w.BlockThreads()); keys.Len() < n || values.Len() < n {
		fail(name, reduce.ErrStorage, fmt.Sprintf("%d keys and %d values, and it needs %d", keys.Len(), values.Len(), n), "declare them with reduce.Shared and WarpStorage")
	}
	keys, values = keys.At(w.ID()*lanes), values.At(w.ID()*lanes)
	id := w.LaneID()
	m := w.Mark()
	low, high, mid := warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w)
	other, at, limit := warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w)
	x := warp.Alloc[K](w)
	upper, before, same, open := w.Pred(), w.Pred(), w.Pred(), w.Pred()
	for run := 1; run < lanes; run *= 2 {
		warp.XorImm(other, id, int32(run))
		warp.AndImm(other, other, int32(-run)) // first lane of the neighbouring run
		warp.SetPred(upper, lanesWith(w, run))
		warp.Set(low, 0)
		warp.Set(high, int32(run))
		warp.Set(limit, int32(run-1))
		for left := run; left > 0; left /= 2 {
			warp.Lt(open, low, high)
			warp.Add(mid, low, high)
			warp.ShrImm(mid, mid, 1)
			warp.Min(at, mid, limit)
			warp.Add(at, at, other)
			warp.Shfl(x, key, warp.Shuffle{Mode: crossbar.Idx, PerLane: at})
			// Of equal keys those of the lower run come first.
			warp.Lt(before, x, key)
			warp.Eq(same, x, key)
			warp.PredAnd(same, same, upper)
			warp.PredOr(before, before, same)
			w.Where(open, func() {
				w.Where(before, func() { warp.AddImm(low, mid, 1) })
				w.WhereNot(before, func() { warp.Mov(high, mid) })
			})
		}
		warp.AndImm(at, id, int32(-2*run))
		warp.Add(at, at, low)
		warp.AndImm(mid, id, int32(run-1))
		warp.Add(at, at, mid)
		warp.Store(keys, at, key)
		warp.Store(values, at, value)
		w.SyncWarp(w.Active())
		warp.Load(key, keys, id)
		warp.Load(value, values, id)
		w.SyncWarp(w.Active())
	}
	w.Release(m)
}
