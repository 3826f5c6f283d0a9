package pack

import (
	"math/bits"
	"unsafe"

	"example.com/warpsim/scan/internal/parts"
	"example.com/warpsim/scan/order"
	"example.com/warpsim/scan/tile"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
)

// SortStorage is the shared memory of HistogramBySort.
type SortStorage[T any] struct {
	radix      order.RadixStorage[T, struct{}]
	neighbors  warp.Mem[T]
	begin, end warp.Mem[int32]
}

// NewSortStorage declares the shared memory for tiles of so many samples a thread
// and so many bins: what order.Radix takes with digits of 4 bits, what
// tile.FlagHeads takes, and two elements a bin.
func NewSortStorage[T any](w *warp.Warp, items, bins int) SortStorage[T] {
	return SortStorage[T]{
		order.NewRadixStorage[T, struct{}](w, items, order.DefaultDigitBits),
		tile.NewNeighborStorage[T](w),
		warp.Shared[int32](w, bins), warp.Shared[int32](w, bins),
	}
}

// HistogramBySort is Histogram by sorting the samples of a block and finding
// where the run of each begins and ends: its time does not depend on which
// samples are frequent, and it takes no atomics. It leaves the samples sorted.
//
//	samples  thread 0: 0 2   thread 1: 2 3   thread 2: 2 0     4 bins
//	bins     2 0 3 1
//
// Contract:
//
//   - Threads: all of a block of any size.
//   - Valid: the first samples, in blocked arrangement.
//   - Shared memory: SortStorage of T for as many bins or more, and bins, which may
//     be in global memory as well.
//   - Cost: order.Radix over the bits that the number of bins has, tile.FlagHeads
//     of both sides, a store a run, and three barriers more.
//   - Undefined: samples below 0 or beyond the bins, faults of kind
//     warp.OutOfBounds or wrong counts.
//   - Errors: those of order.Radix, and team.ErrStorage.
func HistogramBySort[T warp.Integer](valid team.Count, samples []warp.Reg[T], bins warp.Mem[int32], s SortStorage[T]) {
	w := warpOf("histogram by sort", samples)
	t := parts.Bind(team.Block().Holding(valid), w, "histogram by sort", len(samples))
	n := bins.Len()
	t.NeedStorage(s.begin.Len(), n)
	id := w.ThreadID()
	w.LaneID()
	m := w.Mark()
	ClearBins(w, s.begin)
	ClearBins(w, s.end)
	// A signed sample has its sign flipped in order; below the sign nothing changes.
	var zero T
	end := min(max(1, bits.Len(uint(n-1))), 8*int(unsafe.Sizeof(zero)))
	order.Radix(valid, samples, order.RadixOptions{End: end}, s.radix)

	heads, tails := predicates(w, len(samples)), predicates(w, len(samples))
	tile.Flag(team.Block().Holding(valid), heads, tails, samples, warp.Ne[T], tile.Neighbors[T]{}, s.neighbors)
	bin, index := warp.Alloc[int32](w), warp.Alloc[int32](w)
	parts.Times(index, id, t.Items)
	for j, v := range samples {
		t.IfAny(t.Blocked(j), func() {
			toBin(bin, v)
			w.Where(heads[j], func() { warp.Store(s.begin, bin, index) })
			warp.AddImm(index, index, 1)
			w.Where(tails[j], func() { warp.Store(s.end, bin, index) })
		})
	}
	w.SyncBlock()
	first, last := warp.Alloc[int32](w), warp.Alloc[int32](w)
	for k := 0; k < n; k += t.Width {
		t.IfAny(t.Where(func(number, _, _ int) bool { return k+number < n }), func() {
			warp.Load(first, s.begin.At(k), id)
			warp.Load(last, s.end.At(k), id)
			warp.Sub(last, last, first)
			warp.Store(bins.At(k), id, last)
		})
	}
	w.SyncBlock()
	w.Release(m)
}
