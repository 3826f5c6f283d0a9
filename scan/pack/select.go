package pack

import (
	"example.com/warpsim/lane"
	"example.com/warpsim/scan/internal/parts"
	"example.com/warpsim/scan/tile"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
)

// Select moves the kept items of a block to the front, in their order: stream
// compaction. count, if it is not the zero register, receives their number in all
// threads. The result is
// striped; registers beyond it keep what they held.
//
//	items  thread 0: a b   thread 1: c d   thread 2: e f
//	keep   thread 0: 1 0   thread 1: 1 1   thread 2: 0 1
//	out    thread 0: a f   thread 1: c -   thread 2: d -     count 4
//
// Contract:
//
//   - Threads: all of a block of any size.
//   - Valid: the first items; others are not kept, whatever keep says.
//   - Shared memory: Storage of T.
//   - Cost: Ranks, and a store and a load an item with a barrier between them.
//   - Order: that of the items.
//   - Errors: team.ErrItems, ErrValid, ErrStorage, ErrActive, ErrAlgorithm.
func Select[T any](who team.Team, items []warp.Reg[T], keep []warp.Pred, by Ranking, count warp.Reg[int32], s Storage[T]) {
	w := warpOf("select", items)
	t := parts.Bind(who, w, "select", len(items))
	s.check(&t)
	w.ThreadID()
	w.LaneID()
	m := w.Mark()
	ranks := registers[int32](w, len(items))
	count = given(w, count)
	rank(&t, ranks, keep, by, count, s.counts)
	tile.ScatterToStripedFlagged(who, items, ranks, keep, count, s.values)
	w.Release(m)
}

// Partition moves the kept items of a block to the front and the others behind
// them, both in their order: it is stable. count receives the number of kept
// ones in all threads. The result is striped.
//
//	items  thread 0: a b   thread 1: c d   thread 2: e f
//	keep   thread 0: 1 0   thread 1: 1 1   thread 2: 0 1
//	out    thread 0: a f   thread 1: c b   thread 2: d e     count 4
//
// Otherwise it is Select.
func Partition[T any](valid team.Count, items []warp.Reg[T], keep []warp.Pred, by Ranking, count warp.Reg[int32], s Storage[T]) {
	partition("partition", valid, items, keep, by, count, s, func(t *parts.Roster, rank, index, count warp.Reg[int32]) {
		warp.Sub(rank, index, rank) // rejected before
		warp.Add(rank, rank, count)
	})
}

// PartitionReversed is Partition with the rejected items in reverse order, as
// device-wide partitions leave them that write from both ends.
//
//	out    thread 0: a f   thread 1: c e   thread 2: d b     count 4
func PartitionReversed[T any](valid team.Count, items []warp.Reg[T], keep []warp.Pred, by Ranking, count warp.Reg[int32], s Storage[T]) {
	partition("partition-reversed", valid, items, keep, by, count, s, func(t *parts.Roster, rank, index, _ warp.Reg[int32]) {
		warp.Sub(rank, rank, index) // less the rejected before
		warp.AddImm(rank, rank, int32(t.ValidOf(0)-1))
	})
}

// partition turns the rank of a rejected item into its place by reject, given
// the item's number in the tile.
func partition[T any](name string, valid team.Count, items []warp.Reg[T], keep []warp.Pred, by Ranking, count warp.Reg[int32], s Storage[T], reject func(t *parts.Roster, rank, index, count warp.Reg[int32])) {
	w := warpOf(name, items)
	t := parts.Bind(team.Block().Holding(valid), w, name, len(items))
	s.check(&t)
	id := w.ThreadID()
	w.LaneID()
	m := w.Mark()
	ranks := registers[int32](w, len(items))
	count = given(w, count)
	rank(&t, ranks, keep, by, count, s.counts)
	index, rejected := warp.Alloc[int32](w), w.Pred()
	parts.Times(index, id, t.Items)
	for j, r := range ranks {
		t.IfAny(t.Blocked(j), func() {
			warp.PredNot(rejected, keep[j])
			w.Where(rejected, func() { reject(&t, r, index, count) })
		})
		if j+1 < len(ranks) {
			warp.AddImm(index, index, 1)
		}
	}
	tile.ScatterToStriped(team.Block().Holding(valid), items, ranks, s.values)
	w.Release(m)
}

// StoreFirst writes the first count items of a striped tile to dst, side by side:
// what Select leaves. count is the same in all threads of the block.
//
//	items  thread 0: a f   thread 1: c -   thread 2: d -     count 4
//	dst    a c d f
//
// Contract:
//
//   - Threads: all of a block of any size.
//   - Shared memory: none.
//   - Cost: a compare, an addition and a store an item.
//   - Undefined: an array shorter than count, a fault of kind warp.OutOfBounds.
//   - Errors: team.ErrItems, ErrActive.
func StoreFirst[T any](dst warp.Mem[T], items []warp.Reg[T], count warp.Reg[int32]) {
	w := warpOf("store-first", items)
	t := parts.Bind(team.Block(), w, "store-first", len(items))
	id := w.ThreadID()
	m := w.Mark()
	at, inside := warp.Alloc[int32](w), w.Pred()
	for j, v := range items {
		i := id
		if j > 0 {
			i = at
			warp.AddImm(at, id, int32(j*t.Width))
		}
		warp.Lt(inside, i, count)
		w.Where(inside, func() { warp.Store(dst, i, v) })
	}
	w.Release(m)
}

// Append writes the kept values of the active lanes to the end of a list in
// memory: stream compaction by ballot without a barrier. Element 0 of end holds
// the length of the list; one lane of each warp moves it on by the number of
// kept values with one atomic, and tells the others where theirs begin.
//
//	v     lane 0: a   lane 1: b   lane 2: c   lane 3: d     list x y     end 2
//	keep  lane 0: 0   lane 1: 1   lane 2: 0   lane 3: 1     list x y b d   end 4
//
// Contract:
//
//   - Threads: any set of active lanes of a warp.
//   - Shared memory: none, unless it holds list and end.
//   - Cost: a ballot, two population counts, an atomic, a shuffle and a store.
//   - Order: that of the lanes in a warp; of the warps, the device's.
//   - Undefined: a list that is full, a fault of kind warp.OutOfBounds.
//   - Errors: none.
func Append[T any](list warp.Mem[T], end warp.Mem[int32], v warp.Reg[T], keep warp.Pred) {
	w := v.Warp()
	w.LaneID()
	m := w.Mark()
	b, first := w.MaskReg(), w.Pred()
	place, n, begin, zero := warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w)
	warp.Ballot(b, keep)
	warp.Rank(place, b)
	warp.CountMask(n, b)
	leader := max(w.Active().First(), 0)
	warp.SetPred(first, lane.Bit(leader))
	warp.Set(zero, 0)
	w.Where(first, func() { warp.Atomic(warp.AtomicAdd, begin, end, zero, n) })
	warp.ShflIdx(begin, begin, leader)
	warp.Add(place, place, begin)
	w.Where(keep, func() { warp.Store(list, place, v) })
	w.Release(m)
}

// given returns r, or a register of its own if that is the zero register.
func given(w *warp.Warp, r warp.Reg[int32]) warp.Reg[int32] {
	if parts.Given(r) {
		return r
	}
	return warp.Alloc[int32](w)
}

// registers takes k registers.
func registers[T any](w *warp.Warp, k int) []warp.Reg[T] {
	r := make([]warp.Reg[T], k)
	for j := range r {
		r[j] = warp.Alloc[T](w)
	}
	return r
}
