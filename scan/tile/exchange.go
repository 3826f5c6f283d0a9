package tile

import (
	"fmt"

	"example.com/warpsim/lane"
	"example.com/warpsim/scan/internal/parts"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
)

// NewStorage declares the shared memory that tiles of so many items a thread need,
// for both blocks and groups of lanes: an element an item of every lane of the
// block's warps, and 1/16 more if items is 4 or a higher power of two, which
// keeps threads out of each other's banks.
func NewStorage[T any](w *warp.Warp, items int) warp.Mem[T] {
	return warp.Shared[T](w, parts.AreaLength(items, w.Width(), w.BlockThreads()))
}

// An arrangement is where the items of a tile stand.
type arrangement uint8

const (
	blocked arrangement = iota
	striped
	warpStriped
)

func slots[T any](a *parts.Area[T], at arrangement) parts.Slots[T] {
	switch at {
	case striped:
		return a.Striped()
	case warpStriped:
		return a.WarpStriped()
	}
	return a.Blocked()
}

// have returns the lanes whose item j is there.
func have(t *parts.Roster, at arrangement, j int) lane.Mask {
	switch at {
	case striped:
		return t.Striped(j)
	case warpStriped:
		return t.WarpStriped(j)
	}
	return t.Blocked(j)
}

// BlockedToStriped turns the blocked arrangement of a block into the striped
// one.
//
//	in   thread 0: 0 1   thread 1: 2 3   thread 2: 4 5   thread 3: 6 7
//	out  thread 0: 0 4   thread 1: 1 5   thread 2: 2 6   thread 3: 3 7
//
// Contract:
//
//   - Threads: all of a block of any size.
//   - Valid: the first items; others are neither read nor written.
//   - Shared memory: NewStorage for len(items).
//   - Cost: a store and a load an item, a barrier between them.
//   - Errors: team.ErrItems, ErrValid, ErrStorage, ErrActive.
func BlockedToStriped[T any](who team.Team, items []warp.Reg[T], s warp.Mem[T]) {
	t := parts.Bind(who, warpOf(items), "blocked-to-striped", len(items))
	exchange(&t, items, items, s, blocked, striped)
}

// StripedToBlocked turns the striped arrangement of a block into the blocked
// one; see BlockedToStriped.
//
//	in   thread 0: 0 4   thread 1: 1 5   thread 2: 2 6   thread 3: 3 7
//	out  thread 0: 0 1   thread 1: 2 3   thread 2: 4 5   thread 3: 6 7
func StripedToBlocked[T any](who team.Team, items []warp.Reg[T], s warp.Mem[T]) {
	t := parts.Bind(who, warpOf(items), "striped-to-blocked", len(items))
	exchange(&t, items, items, s, striped, blocked)
}

// BlockedToWarpStriped turns the blocked arrangement of a block into the
// warp-striped one. The items of a warp stay in it, so that it takes a warp
// barrier only; see BlockedToStriped. With warps of 2 lanes:
//
//	in   thread 0: 0 1   thread 1: 2 3   thread 2: 4 5   thread 3: 6 7
//	out  thread 0: 0 2   thread 1: 1 3   thread 2: 4 6   thread 3: 5 7
func BlockedToWarpStriped[T any](valid team.Count, items []warp.Reg[T], s warp.Mem[T]) {
	t := parts.Bind(team.Block().Holding(valid), warpOf(items), "blocked-to-warp-striped", len(items))
	exchange(&t, items, items, s, blocked, warpStriped)
}

// WarpStripedToBlocked turns the warp-striped arrangement of a block into the
// blocked one; see BlockedToWarpStriped.
//
//	in   thread 0: 0 2   thread 1: 1 3   thread 2: 4 6   thread 3: 5 7
//	out  thread 0: 0 1   thread 1: 2 3   thread 2: 4 5   thread 3: 6 7
func WarpStripedToBlocked[T any](valid team.Count, items []warp.Reg[T], s warp.Mem[T]) {
	t := parts.Bind(team.Block().Holding(valid), warpOf(items), "warp-striped-to-blocked", len(items))
	exchange(&t, items, items, s, warpStriped, blocked)
}

// exchange moves the items in the registers of in to those of out, which may be
// the same.
func exchange[T any](t *parts.Roster, in, out []warp.Reg[T], s warp.Mem[T], from, to arrangement) {
	w := t.W
	w.ThreadID()
	w.LaneID()
	area := parts.NewArea(t, s)
	m := w.Mark()
	source := slots(&area, from)
	for j, v := range in {
		t.IfAny(have(t, from, j), func() {
			s, at := source.Slot(j)
			warp.Store(s, at, v)
		})
	}
	target := slots(&area, to)
	if from == warpStriped || to == warpStriped {
		w.SyncWarp(w.Active())
	} else {
		t.Sync()
	}
	for j, v := range out {
		t.IfAny(have(t, to, j), func() {
			s, at := target.Slot(j)
			warp.Load(v, s, at)
		})
	}
	w.Release(m)
}

// ScatterToBlocked sends each item to the place in the blocked arrangement of a
// block that its rank names.
//
//	items  thread 0: a b   thread 1: c d      ranks  thread 0: 3 0   thread 1: 1 2
//	out    thread 0: b c   thread 1: d a
//
// ranks are left alone.
//
// Contract:
//
//   - Threads: all of a block of any size.
//   - Valid: the first items, in blocked arrangement, go to the first places.
//   - Shared memory: NewStorage for len(items).
//   - Cost: a store and a load an item, two instructions or four for its place,
//     a barrier.
//   - Undefined: places that no rank names, so ranks are a permutation of 0 to
//     valid-1; which of two items of one rank wins (here the one of the later
//     register, then of the higher lane); ranks beyond the tile, which are faults
//     of kind warp.OutOfBounds at the latest where the shared memory ends.
//   - Errors: team.ErrItems, ErrValid, ErrStorage, ErrActive.
func ScatterToBlocked[T any](who team.Team, items []warp.Reg[T], ranks []warp.Reg[int32], s warp.Mem[T]) {
	t := parts.Bind(who, warpOf(items), "scatter-to-blocked", len(items))
	scatter(&t, items, ranks, nil, s, blocked)
}

// ScatterToStriped is ScatterToBlocked into the striped arrangement.
//
//	items  thread 0: a b   thread 1: c d      ranks  thread 0: 3 0   thread 1: 1 2
//	out    thread 0: b d   thread 1: c a
func ScatterToStriped[T any](who team.Team, items []warp.Reg[T], ranks []warp.Reg[int32], s warp.Mem[T]) {
	t := parts.Bind(who, warpOf(items), "scatter-to-striped", len(items))
	scatter(&t, items, ranks, nil, s, striped)
}

// ScatterToWarpStriped is ScatterToBlocked into the warp-striped arrangement.
// Items may move to other warps.
func ScatterToWarpStriped[T any](valid team.Count, items []warp.Reg[T], ranks []warp.Reg[int32], s warp.Mem[T]) {
	t := parts.Bind(team.Block().Holding(valid), warpOf(items), "scatter-to-warp-striped", len(items))
	scatter(&t, items, ranks, nil, s, warpStriped)
}

// ScatterToStripedFlagged is ScatterToStriped of those items only for which the
// flag holds. count is how many places the result has, the same in all threads:
// only the first count are loaded, the others keep what their registers held.
//
//	items  thread 0: a b   thread 1: c d      flags  thread 0: 1 0   thread 1: 0 1
//	ranks  thread 0: 1 -   thread 1: - 0      count  2
//	out    thread 0: d b   thread 1: a d
func ScatterToStripedFlagged[T any](who team.Team, items []warp.Reg[T], ranks []warp.Reg[int32], flags []warp.Pred, count warp.Reg[int32], s warp.Mem[T]) {
	t := parts.Bind(who, warpOf(items), "scatter-to-striped-flagged", len(items))
	t.Same("flags", len(flags))
	scatter(&t, items, ranks, &selection{flags, count}, s, striped)
}

// ScatterToStripedGuarded is ScatterToStripedFlagged for the items whose rank is
// not negative.
func ScatterToStripedGuarded[T any](who team.Team, items []warp.Reg[T], ranks []warp.Reg[int32], count warp.Reg[int32], s warp.Mem[T]) {
	t := parts.Bind(who, warpOf(items), "scatter-to-striped-guarded", len(items))
	t.Same("ranks", len(ranks))
	w := t.W
	m := w.Mark()
	flags := make([]warp.Pred, len(items))
	for j := range flags {
		flags[j] = w.Pred()
		t.IfAny(t.Blocked(j), func() { warp.GeImm(flags[j], ranks[j], 0) })
	}
	scatter(&t, items, ranks, &selection{flags, count}, s, striped)
	w.Release(m)
}

// GatherFromStriped gives each thread the items whose ranks it names: item j
// becomes item ranks[j] of the striped tile, which is the tile in the order of
// its numbers.
//
//	items  thread 0: a c   thread 1: b d      ranks  thread 0: 3 0   thread 1: 1 1
//	out    thread 0: d a   thread 1: b b
//
// Contract:
//
//   - Threads: all of a block of any size.
//   - Valid: the first items of the striped tile, of which each gets one.
//   - Shared memory: NewStorage for len(items).
//   - Cost: that of ScatterToBlocked.
//   - Undefined: ranks of valid and more. They may repeat.
//   - Errors: team.ErrItems, ErrValid, ErrStorage, ErrActive.
func GatherFromStriped[T any](who team.Team, items []warp.Reg[T], ranks []warp.Reg[int32], s warp.Mem[T]) {
	t := parts.Bind(who, warpOf(items), "gather-from-striped", len(items))
	t.Same("ranks", len(ranks))
	w := t.W
	w.ThreadID()
	w.LaneID()
	area := parts.NewArea(&t, s)
	m := w.Mark()
	out := area.Striped()
	for j, v := range items {
		t.IfAny(t.Striped(j), func() {
			s, at := out.Slot(j)
			warp.Store(s, at, v)
		})
	}
	t.Sync()
	at := warp.Alloc[int32](w)
	for j, v := range items {
		t.IfAny(t.Striped(j), func() {
			warp.Mov(at, ranks[j])
			area.Place(at)
			warp.Load(v, area.Array(), at)
		})
	}
	w.Release(m)
}

// A selection is the items that take part in a scatter.
type selection struct {
	flags []warp.Pred
	count warp.Reg[int32]
}

func scatter[T any](t *parts.Roster, items []warp.Reg[T], ranks []warp.Reg[int32], some *selection, s warp.Mem[T], to arrangement) {
	t.Same("ranks", len(ranks))
	w := t.W
	w.ThreadID()
	w.LaneID()
	area := parts.NewArea(t, s)
	m := w.Mark()
	at := warp.Alloc[int32](w)
	for j, v := range items {
		store := func() {
			warp.Mov(at, ranks[j])
			area.Place(at)
			warp.Store(area.Array(), at, v)
		}
		t.IfAny(t.Blocked(j), func() {
			if some != nil {
				w.Where(some.flags[j], store)
			} else {
				store()
			}
		})
	}
	in := slots(&area, to)
	t.Sync()
	var number parts.Place
	if some != nil {
		number = t.StripedPlace()
	}
	inside := w.Pred()
	for j, v := range items {
		load := func() {
			s, at := in.Slot(j)
			warp.Load(v, s, at)
		}
		if some == nil {
			t.IfAny(have(t, to, j), load)
			continue
		}
		number.Of(at, j)
		warp.Lt(inside, at, some.count)
		w.Where(inside, load)
	}
	w.Release(m)
}

// warpOf returns the warp of the first register.
func warpOf[T any](items []warp.Reg[T]) *warp.Warp {
	if len(items) == 0 {
		panic(&team.Error{Algorithm: "tile", Kind: team.ErrItems, Detail: fmt.Sprintf("%d registers", len(items)),
			Advice: "give each thread one item or more"})
	}
	return items[0].Warp()
}
