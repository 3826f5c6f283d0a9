package pack

import (
	"example.com/warpsim/scan/internal/parts"
	"example.com/warpsim/scan/tile"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
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
	starts := (max(0, items)*w.Width() + 1) * w.BlockWarps()
	return RunStorage[T]{NewStorage[T](w, items), tile.NewNeighborStorage[T](w), warp.Shared[int32](w, starts)}
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
//   - Errors: team.ErrItems, ErrValid, ErrStorage, ErrActive, ErrAlgorithm.
func Encode[T any](who team.Team, items []warp.Reg[T], differ func(dst warp.Pred, a, b warp.Reg[T]), by Ranking, out Runs[T], s RunStorage[T]) {
	w := warpOf("encode", items)
	t := parts.Bind(who, w, "encode", len(items))
	s.check(&t)
	w.ThreadID()
	w.LaneID()
	m := w.Mark()
	heads := predicates(w, len(items))
	tile.Flag(who, heads, nil, items, differ, tile.Neighbors[T]{}, s.neighbors)
	ranks := registers[int32](w, len(items))
	out.Count = given(w, out.Count)
	rank(&t, ranks, heads, by, out.Count, s.counts)
	values, starts := s.values, s.starts
	if !t.IsBlock { // each warp has its own part
		first := w.ID() * w.Width() * t.Items
		values, starts = values.At(first), starts.At(first+w.ID())
	}
	runs(&t, items, heads, ranks, out, values, starts)
	w.Release(m)
}

// runs writes the items that begin a run, and where they are, to shared memory,
// and reads them run by run. Nobody else accesses it meanwhile.
func runs[T any](t *parts.Roster, items []warp.Reg[T], heads []warp.Pred, ranks []warp.Reg[int32], out Runs[T], values warp.Mem[T], starts warp.Mem[int32]) {
	w := t.W
	number := t.NumberReg()
	index, end, have := warp.Alloc[int32](w), warp.Alloc[int32](w), w.Pred()
	parts.Times(index, number, t.Items)
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
			warp.Set(end, int32(t.ValidOf(0)))
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
func EncodeNonTrivial[T any](valid team.Count, items []warp.Reg[T], differ func(dst warp.Pred, a, b warp.Reg[T]), by Ranking, out Runs[T], s RunStorage[T]) {
	w := warpOf("encode-non-trivial", items)
	t := parts.Bind(team.Block().Holding(valid), w, "encode-non-trivial", len(items))
	s.check(&t)
	w.ThreadID()
	w.LaneID()
	m := w.Mark()
	k := len(items)
	heads, tails := predicates(w, k), predicates(w, k)
	tile.Flag(team.Block().Holding(valid), heads, tails, items, differ, tile.Neighbors[T]{}, s.neighbors)
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
func inside(t *parts.Roster, p warp.Pred, j int, count warp.Reg[int32]) {
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
