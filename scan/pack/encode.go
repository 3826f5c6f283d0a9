package pack

import (
	"unsafe"

	"example.com/warpsim/reduce"
	"example.com/warpsim/scan/internal/team"
	"example.com/warpsim/scan/tile"
	"example.com/warpsim/warp"
)

// Runs receives the runs of a tile, striped: run r in register r/threads of
// thread r%threads. A tile has at most as many runs as items, so there are as
// many registers of each as of items. Registers beyond the runs keep what they
// held.
type Runs[T any] struct {
	// Values receives the item that each run repeats. nil is not wanted.
	Values []warp.Reg[T]
	// Lengths receives how often. nil is not wanted.
	Lengths []warp.Reg[int32]
	// Offsets receives where in the tile each run begins. nil is not wanted.
	Offsets []warp.Reg[int32]
	// Count, if it is not the zero register, receives the number of runs in
	// all threads.
	Count warp.Reg[int32]
}

// RunStorage is the shared memory that runs of T take.
type RunStorage[T any] struct {
	Storage[T]
	neighbors warp.Mem[T]
	starts    warp.Mem[int32]
}

// NewRunStorage declares the shared memory for the runs of tiles of so many
// items a thread.
func NewRunStorage[T any](w *warp.Warp, items int) RunStorage[T] {
	return RunStorage[T]{NewStorage[T](w, items), reduce.Shared[T](w, tile.NeighborStorage), reduce.Shared[int32](w, startStorage(items))}
}

// RunStorageBytes returns how many bytes of shared memory NewRunStorage takes,
// but for what aligning the parts to 16 bytes takes.
func RunStorageBytes[T any](items, lanes, threads int) int {
	var zero T
	return StorageBytes[T](items, lanes, threads) + int(unsafe.Sizeof(zero))*tile.NeighborStorage(lanes, threads) +
		4*startStorage(items)(lanes, threads)
}

// startStorage is an element an item, and one more a warp.
func startStorage(items int) reduce.Storage {
	return func(lanes, threads int) int { return (items*lanes + 1) * ((threads + lanes - 1) / lanes) }
}

// Encode finds the runs of equal items in a tile of a block: run-length
// encoding.
//
//	items    thread 0: a a   thread 1: b b   thread 2: b c
//	values   thread 0: a -   thread 1: b -   thread 2: c -
//	lengths  thread 0: 2 -   thread 1: 3 -   thread 2: 1 -
//	offsets  thread 0: 0 -   thread 1: 2 -   thread 2: 5 -     count 3
//
// differ tells which neighbours differ, as warp.Ne does, and must not change
// which lanes are active. A NaN is a run of its own by it. Runs end with the tile.
//
// Contract:
//
//   - Threads: all of a block of any size.
//   - Valid: the first items.
//   - Shared memory: RunStorage of T.
//   - Cost: tile.FlagHeads, Ranks, two stores an item that begins a run, three
//     loads a run, and a barrier.
//   - Order: that of the items.
//   - Errors: reduce.ErrItems, ErrValid, ErrStorage, ErrActive, ErrAlgorithm.
func Encode[T any](items []warp.Reg[T], valid int, differ func(dst warp.Pred, a, b warp.Reg[T]), by Ranking, out Runs[T], s RunStorage[T]) {
	w := warpOf("encode", items)
	t := team.Block(w, "encode", len(items), valid)
	s.check(&t)
	w.ThreadID()
	w.LaneID()
	m := w.Mark()
	heads := predicates(w, len(items))
	tile.FlagHeads(heads, items, differ, tile.Neighbors[T]{Valid: valid}, s.neighbors)
	ranks := registers[int32](w, len(items))
	out.Count = given(w, out.Count)
	rank(&t, ranks, heads, by, out.Count, s.counts)
	runs(&t, items, heads, ranks, out, s.values, s.starts)
	w.Release(m)
}

// WarpEncode is Encode in the active lanes of a warp, with warp barriers only.
//
//	items    lane 0: a   lane 1: a   lane 2: b   lane 3: c
//	values   lane 0: a   lane 1: b   lane 2: c   lane 3: -
//	lengths  lane 0: 2   lane 1: 1   lane 2: 1   lane 3: -     count 3
func WarpEncode[T any](items []warp.Reg[T], valid int, differ func(dst warp.Pred, a, b warp.Reg[T]), out Runs[T], s RunStorage[T]) {
	w := warpOf("warp-encode", items)
	t := team.Groups(w, "warp-encode", 0, len(items), valid)
	s.check(&t)
	w.ThreadID()
	w.LaneID()
	m := w.Mark()
	heads := predicates(w, len(items))
	tile.GroupFlagHeads(heads, items, 0, differ, tile.Neighbors[T]{Valid: t.Valid(0)}, s.neighbors)
	ranks := registers[int32](w, len(items))
	out.Count = given(w, out.Count)
	warpRank(&t, ranks, heads, out.Count)
	first := w.ID() * w.Width() * t.Items
	runs(&t, items, heads, ranks, out, s.values.At(first), s.starts.At(first+w.ID()))
	w.Release(m)
}

// runs writes the items that begin a run, and where they are, to shared memory,
// and reads them run by run. Nobody else accesses it meanwhile.
func runs[T any](t *team.Team, items []warp.Reg[T], heads []warp.Pred, ranks []warp.Reg[int32], out Runs[T], values warp.Mem[T], starts warp.Mem[int32]) {
	w := t.W
	number := t.NumberReg()
	index, end, have := warp.Alloc[int32](w), warp.Alloc[int32](w), w.Pred()
	team.Times(index, number, t.Items)
	for j, v := range items {
		w.Where(heads[j], func() {
			if out.Values != nil {
				warp.Store(values, ranks[j], v)
			}
			warp.Store(starts, ranks[j], index)
		})
		if j+1 < len(items) {
			warp.AddImm(index, index, 1)
		}
	}
	if out.Lengths != nil {
		t.Only(t.Where(func(number, _, _ int) bool { return number == 0 }), func() {
			warp.Set(end, int32(t.Valid(0)))
			warp.Store(starts, out.Count, end) // so that the last run has an end
		})
	}
	t.Sync()
	for j := range items {
		at := index
		warp.AddImm(at, number, int32(j*t.Threads(0)))
		warp.Lt(have, at, out.Count)
		w.Where(have, func() {
			if out.Values != nil {
				warp.Load(out.Values[j], values, at)
			}
			if out.Offsets != nil {
				warp.Load(out.Offsets[j], starts, at)
			}
			if out.Lengths == nil {
				return
			}
			begin := warp.Alloc[int32](w)
			if out.Offsets != nil {
				begin = out.Offsets[j]
			} else {
				warp.Load(begin, starts, at)
			}
			warp.Load(end, starts.At(1), at)
			warp.Sub(out.Lengths[j], end, begin)
		})
	}
}

// EncodeNonTrivial is Encode of the runs of more than one item only: what is
// left of them, and where.
//
//	items    thread 0: a a   thread 1: b b   thread 2: b c
//	lengths  thread 0: 2 -   thread 1: 3 -   thread 2: - -
//	offsets  thread 0: 0 -   thread 1: 2 -   thread 2: - -     count 2
//
// The heads and the tails of those runs are ranked, in two rounds through shared
// memory.
func EncodeNonTrivial[T any](items []warp.Reg[T], valid int, differ func(dst warp.Pred, a, b warp.Reg[T]), by Ranking, out Runs[T], s RunStorage[T]) {
	w := warpOf("encode-non-trivial", items)
	t := team.Block(w, "encode-non-trivial", len(items), valid)
	s.check(&t)
	w.ThreadID()
	w.LaneID()
	m := w.Mark()
	k := len(items)
	heads, tails := predicates(w, k), predicates(w, k)
	tile.FlagHeadsAndTails(heads, tails, items, differ, tile.Neighbors[T]{Valid: valid}, s.neighbors)
	single := w.Pred()
	for j := range k {
		// What is both is a run of one item.
		warp.PredAnd(single, heads[j], tails[j])
		warp.PredNot(single, single)
		warp.PredAnd(heads[j], heads[j], single)
		warp.PredAnd(tails[j], tails[j], single)
	}
	ranks := registers[int32](w, k)
	out.Count = given(w, out.Count)
	if out.Offsets == nil {
		out.Offsets = registers[int32](w, k)
	}
	rank(&t, ranks, heads, by, out.Count, s.counts)
	short := out
	short.Lengths = nil
	runs(&t, items, heads, ranks, short, s.values, s.starts)
	if out.Lengths != nil {
		w.SyncBlock()
		rank(&t, ranks, tails, by, out.Count, s.counts)
		runs(&t, items, tails, ranks, Runs[T]{Offsets: out.Lengths, Count: out.Count}, s.values, s.starts)
		n := w.Pred()
		for j, r := range out.Lengths {
			inside(&t, n, j, out.Count)
			w.Where(n, func() {
				warp.Sub(r, r, out.Offsets[j])
				warp.AddImm(r, r, 1)
			})
		}
	}
	w.Release(m)
}

// inside tells which threads have a run in register j of a striped tile.
func inside(t *team.Team, p warp.Pred, j int, count warp.Reg[int32]) {
	w := t.W
	number := t.NumberReg()
	m := w.Mark()
	at := warp.Alloc[int32](w)
	warp.AddImm(at, number, int32(j*t.Threads(0)))
	warp.Lt(p, at, count)
	w.Release(m)
}

// predicates takes k predicates.
func predicates(w *warp.Warp, k int) []warp.Pred {
	p := make([]warp.Pred, k)
	for j := range p {
		p[j] = w.Pred()
	}
	return p
}
