package pack

import (
	"fmt"

	"example.com/warpsim/lane"
	"example.com/warpsim/reduce"
	"example.com/warpsim/scan"
	"example.com/warpsim/scan/internal/parts"
	"example.com/warpsim/scan/tile"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
)

// A Ranking is a way to find where the kept items of a block go.
type Ranking uint8

// The ways. Both give the same places.
const (
	// ByBallot counts the kept items of the lanes below with a ballot and a
	// population count an item, and shares the counts of warps.
	ByBallot Ranking = iota
	// ByScan counts the kept items of each thread and scans the counts.
	ByScan
)

// String returns "ballot" or "scan".
func (r Ranking) String() string {
	switch r {
	case ByBallot:
		return "ballot"
	case ByScan:
		return "scan"
	}
	return fmt.Sprintf("ranking(%d)", uint8(r))
}

// Storage is the shared memory of a tile of T that is ranked and moved.
type Storage[T any] struct {
	items  int // of a thread
	values warp.Mem[T]
	counts warp.Mem[int32]
}

// NewStorage declares the shared memory for tiles of so many items a thread.
func NewStorage[T any](w *warp.Warp, items int) Storage[T] {
	return Storage[T]{items, tile.NewStorage[T](w, items), newCounts(w)}
}

// newCounts declares what a ranking counts in: an element a warp, and two more.
func newCounts(w *warp.Warp) warp.Mem[int32] { return warp.Shared[int32](w, w.BlockWarps()+2) }

// check holds storage against the tile it is used for.
func (s Storage[T]) check(t *parts.Roster) {
	needWarp(t)
	if s.items != t.Items {
		t.Fail(team.ErrStorage, fmt.Sprintf("for %d items a thread, and there are %d", s.items, t.Items), "declare it with NewStorage for as many items")
	}
}

// needWarp ends the kernel for groups that are less than a warp.
func needWarp(t *parts.Roster) {
	if !t.IsBlock && t.Width != t.Lanes {
		t.Fail(team.ErrWidth, fmt.Sprintf("groups of %d of %d lanes", t.Width, t.Lanes), "use team.Warp or team.Block")
	}
}

// Ranks sets ranks[j], where keep[j] holds, to the number of kept items before
// it in the tile: the place it goes to when the kept ones are packed. ranks of
// items that are not kept are the place of the next one that is. total, if it is
// not the zero register, receives the number of kept items in all threads.
//
//	keep   thread 0: 1 0   thread 1: 1 1   thread 2: 0 1
//	ranks  thread 0: 0 1   thread 1: 1 2   thread 2: 3 3     total 4
//
// Contract:
//
//   - Threads: all of a block of any size.
//   - Valid: the first items; others are not kept, whatever keep says.
//   - Shared memory: any Storage for as many items a thread.
//   - Cost: by ballot, a ballot, two population counts and a few additions an
//     item, and a barrier; by scan, three additions an item, and scan.BlockHybrid.
//   - Errors: team.ErrItems, ErrValid, ErrStorage, ErrActive, and ErrAlgorithm
//     for an unknown ranking.
func Ranks[T any](who team.Team, ranks []warp.Reg[int32], keep []warp.Pred, by Ranking, total warp.Reg[int32], s Storage[T]) {
	w := warpOf("ranks", ranks)
	t := parts.Bind(who, w, "ranks by "+by.String(), len(ranks))
	if t.IsBlock {
		s.check(&t)
	} else {
		needWarp(&t)
	}
	rank(&t, ranks, keep, by, total, s.counts)
}

// rank is Ranks. Its first barrier comes before it reads what it shares, its
// last access to counts after it.
func rank(t *parts.Roster, ranks []warp.Reg[int32], keep []warp.Pred, by Ranking, total warp.Reg[int32], counts warp.Mem[int32]) {
	t.Same("flags", len(keep))
	if !t.IsBlock {
		if by != ByBallot {
			t.Fail(team.ErrAlgorithm, by.String()+" in a warp", "use ByBallot")
		}
		warpRank(t, ranks, keep, total)
		return
	}
	w := t.W
	w.ThreadID()
	w.LaneID()
	m := w.Mark()
	if !parts.Given(total) {
		total = warp.Alloc[int32](w)
	}
	before := warp.Alloc[int32](w)
	switch by {
	case ByBallot:
		inWarp(t, before, total, keep)
		warpsBefore(t, before, total, counts)
	case ByScan:
		own := warp.Alloc[int32](w)
		warp.Set(own, 0)
		for j, p := range keep {
			t.IfAny(t.Blocked(j), func() { w.Where(p, func() { warp.AddImm(own, own, 1) }) })
		}
		scan.BlockHybrid(own, reduce.Sum[int32](), scan.Spec[int32]{Exclusive: before, Aggregate: total}, counts)
	default:
		t.Fail(team.ErrAlgorithm, by.String(), "use ByBallot or ByScan")
	}
	spread(t, ranks, before, keep)
	w.Release(m)
}

// spread gives the items of a thread their ranks, from the number of kept items
// before its first one, which it changes.
func spread(t *parts.Roster, ranks []warp.Reg[int32], before warp.Reg[int32], keep []warp.Pred) {
	for j, p := range keep {
		warp.Mov(ranks[j], before)
		if j+1 < len(keep) {
			t.IfAny(t.Blocked(j), func() { t.W.Where(p, func() { warp.AddImm(before, before, 1) }) })
		}
	}
}

// inWarp sets before to the number of kept items in the lanes below, and total
// to that in all lanes.
func inWarp(t *parts.Roster, before, total warp.Reg[int32], keep []warp.Pred) {
	w := t.W
	m := w.Mark()
	b, n := w.MaskReg(), warp.Alloc[int32](w)
	for j, p := range keep {
		t.Only(t.Blocked(j), func() { warp.Ballot(b, p) })
		if j == 0 {
			warp.Rank(before, b)
			warp.CountMask(total, b)
			continue
		}
		warp.Rank(n, b)
		warp.Add(before, before, n)
		warp.CountMask(n, b)
		warp.Add(total, total, n)
	}
	w.Release(m)
}

// batch is how many sums of warps a thread loads before it adds them.
const batch = 8

// warpsBefore adds the totals of the warps before this one to before, and makes
// total that of the block. Up to a batch of warps, every thread adds up their
// totals; the first warp scans more of them.
func warpsBefore(t *parts.Roster, before, total warp.Reg[int32], counts warp.Mem[int32]) {
	w := t.W
	warps := w.BlockWarps()
	if warps == 1 {
		w.SyncBlock() // as with more warps, so that callers may count on it
		return
	}
	m := w.Mark()
	at, sum := warp.Alloc[int32](w), warp.Alloc[int32](w)
	warp.Set(at, int32(w.ID()))
	t.Only(t.Where(func(number, _, _ int) bool { return number%w.Width() == 0 }), func() { warp.Store(counts, at, total) })
	w.SyncBlock()
	warp.Set(at, 0)
	if warps > batch && warps <= w.Width() {
		if w.ID() == 0 {
			id := w.LaneID()
			t.Only(lane.FirstN(warps), func() { warp.Load(sum, counts, id) })
			scan.HillisSteele(sum, reduce.Sum[int32](), scan.Spec[int32]{Valid: team.First(warps)})
			t.Only(lane.FirstN(warps), func() { warp.Store(counts, id, sum) })
		}
		w.SyncBlock()
		if w.ID() > 0 {
			warp.Load(sum, counts.At(w.ID()-1), at)
			warp.Add(before, before, sum)
		}
		warp.Load(total, counts.At(warps-1), at)
		w.Release(m)
		return
	}
	x := make([]warp.Reg[int32], min(batch, warps))
	for k := range x {
		x[k] = warp.Alloc[int32](w)
	}
	warp.Set(sum, 0)
	for first := 0; first < warps; first += batch {
		n := min(batch, warps-first)
		for k := range n {
			warp.Load(x[k], counts.At(first+k), at)
		}
		for k := range n {
			if first+k == w.ID() {
				warp.Add(before, before, sum)
			}
			warp.Add(sum, sum, x[k])
		}
	}
	warp.Mov(total, sum)
	w.Release(m)
}

// warpRank is rank in the lanes of a warp, without shared memory.
func warpRank(t *parts.Roster, ranks []warp.Reg[int32], keep []warp.Pred, total warp.Reg[int32]) {
	w := t.W
	w.LaneID()
	m := w.Mark()
	before := warp.Alloc[int32](w)
	if !parts.Given(total) {
		total = warp.Alloc[int32](w)
	}
	inWarp(t, before, total, keep)
	spread(t, ranks, before, keep)
	w.Release(m)
}

func warpOf[T any](name string, items []warp.Reg[T]) *warp.Warp {
	if len(items) == 0 {
		panic(&team.Error{Algorithm: name, Kind: team.ErrItems, Detail: "no register with items", Advice: "give each thread one item or more"})
	}
	return items[0].Warp()
}

var noLanes lane.Mask
