package tile

import (
	"example.com/warpsim/lane"
	"example.com/warpsim/scan/internal/parts"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
)

// NewNeighborStorage declares the shared memory of the flags and differences of
// neighbours: two elements a thread.
func NewNeighborStorage[T any](w *warp.Warp) warp.Mem[T] {
	return warp.Shared[T](w, 2*w.BlockThreads())
}

// Neighbors says what stands around a blocked tile, or around that of every group.
// The zero value is nothing.
type Neighbors[T any] struct {
	// Before, if it is not the zero register, holds the item before the first
	// one, the last of the tile before, in the thread of the first item.
	Before warp.Reg[T]
	// After, if it is not the zero register, holds the item after the last
	// one, in the thread of the last item.
	After warp.Reg[T]
}

// Flag tells which items differ from the one before, the heads of runs, and which from
// the one after, the tails. Either may be nil: it is not asked for then. The first item
// is a head, unless n.Before says otherwise, and the last one a tail, unless n.After
// does. Flags of items that are not there are false.
//
//	items  thread 0: a a   thread 1: b b   thread 2: b c
//	heads  thread 0: 1 0   thread 1: 1 0   thread 2: 0 1
//	tails  thread 0: 0 1   thread 1: 0 0   thread 2: 1 1
//
// differ sets a predicate in the active lanes, as warp.Ne does; it is called
// with neighbours in order and must not change which lanes are active.
//
// Contract:
//
//   - Threads: all of a block of any size.
//   - Valid: n.Valid; differ does not see other items.
//   - Shared memory: NewNeighborStorage.
//   - Cost: for each of the two a comparison an item, a store and a load; one barrier.
//   - Errors: team.ErrItems, ErrValid, ErrStorage, ErrActive.
func Flag[T any](who team.Team, heads, tails []warp.Pred, items []warp.Reg[T], differ func(dst warp.Pred, a, b warp.Reg[T]), n Neighbors[T], s warp.Mem[T]) {
	t := parts.Bind(who, warpOf(items), "flag", len(items))
	if heads != nil || tails == nil {
		t.Same("heads", len(heads))
	}
	if tails != nil {
		t.Same("tails", len(tails))
	}
	w := t.W
	m := w.Mark()
	for _, flags := range [][]warp.Pred{heads, tails} {
		for j, p := range flags {
			if t.Blocked(j) != w.Active() {
				warp.SetPred(p, lane.Mask{})
			}
		}
	}
	left, right := around(&t, items, n, s, heads != nil, tails != nil)
	for j, p := range heads {
		before := left
		if j > 0 {
			before = items[j-1]
		}
		edge := t.Where(func(number, _, valid int) bool { return number+j == 0 && valid > 0 })
		if parts.Given(n.Before) {
			edge = lane.Mask{}
		}
		t.IfAny(t.Blocked(j).AndNot(edge), func() { differ(p, before, items[j]) })
		t.IfAny(edge, func() { warp.SetPred(p, edge) })
	}
	for j, p := range tails {
		next := right
		if j+1 < len(items) {
			next = items[j+1]
		}
		last := t.Last(j)
		inner := t.Blocked(j).AndNot(last)
		t.IfAny(inner, func() { differ(p, items[j], next) })
		t.IfAny(last, func() {
			if parts.Given(n.After) {
				differ(p, items[j], n.After)
			} else {
				warp.SetPred(p, last)
			}
		})
	}
	w.Release(m)
}

// around returns registers with the item before the first one of each thread,
// and with the item after the last one. They are taken and not given back. The
// first thread's left neighbour is n.Before if there is one; a right neighbour
// is not there for the last item.
func around[T any](t *parts.Roster, items []warp.Reg[T], n Neighbors[T], s warp.Mem[T], wantLeft, wantRight bool) (left, right warp.Reg[T]) {
	w := t.W
	t.NeedStorage(s.Len(), 2*w.BlockThreads())
	id := w.ThreadID()
	k := t.Items
	firsts := s.At(w.BlockThreads())
	if wantLeft {
		t.IfAny(t.Blocked(k-1), func() { warp.Store(s, id, items[k-1]) })
		left = warp.Alloc[T](w)
	}
	if wantRight {
		t.IfAny(t.Blocked(0), func() { warp.Store(firsts, id, items[0]) })
		right = warp.Alloc[T](w)
	}
	t.Sync()
	if wantLeft {
		t.IfAny(t.Blocked(0).And(after(t, 0)), func() { warp.Load(left, s.At(-1), id) })
		if parts.Given(n.Before) {
			t.IfAny(t.Where(func(number, _, _ int) bool { return number == 0 }), func() { warp.Mov(left, n.Before) })
		}
	}
	if wantRight {
		t.IfAny(t.Blocked(k-1).AndNot(t.Last(k-1)), func() { warp.Load(right, firsts.At(1), id) })
	}
	return left, right
}

// SubtractLeft replaces each item of a blocked tile by the result of op on it and
// the item before it. The first item stays, unless n.Before stands before it.
//
//	in   thread 0: 1 4   thread 1: 9 16     op warp.Sub
//	out  thread 0: 1 3   thread 1: 5 7
//
// op sets its first operand in the active lanes, as warp.Sub does, and must not
// change which lanes are active.
//
// Contract:
//
//   - Threads: all of a block of any size.
//   - Valid: n.Valid; others are left alone, and op does not see them.
//   - Shared memory: NewNeighborStorage.
//   - Cost: op once an item, a store, a barrier and a load.
//   - Errors: team.ErrItems, ErrValid, ErrStorage, ErrActive.
func SubtractLeft[T any](who team.Team, items []warp.Reg[T], op func(dst, item, before warp.Reg[T]), n Neighbors[T], s warp.Mem[T]) {
	t := parts.Bind(who, warpOf(items), "subtract-left", len(items))
	m := t.W.Mark()
	left, _ := around(&t, items, n, s, true, false)
	for j := t.Items - 1; j > 0; j-- {
		t.IfAny(t.Blocked(j), func() { op(items[j], items[j], items[j-1]) })
	}
	some := t.Blocked(0)
	if !parts.Given(n.Before) {
		some = some.And(after(&t, 0))
	}
	t.IfAny(some, func() { op(items[0], items[0], left) })
	t.W.Release(m)
}

// SubtractRight replaces each item of a blocked tile by the result of op on it
// and the item after it. The last item stays, unless n.After stands after it.
//
//	in   thread 0: 1 4   thread 1: 9 16     op warp.Sub
//	out  thread 0: -3 -5   thread 1: -7 16
//
// Otherwise it is SubtractLeft.
func SubtractRight[T any](who team.Team, items []warp.Reg[T], op func(dst, item, after warp.Reg[T]), n Neighbors[T], s warp.Mem[T]) {
	t := parts.Bind(who, warpOf(items), "subtract-right", len(items))
	m := t.W.Mark()
	_, right := around(&t, items, n, s, false, true)
	for j, v := range items {
		next := right
		if j+1 < len(items) {
			next = items[j+1]
		}
		last := t.Last(j)
		t.IfAny(t.Blocked(j).AndNot(last), func() { op(v, v, next) })
		if parts.Given(n.After) {
			t.IfAny(last, func() { op(v, v, n.After) })
		}
	}
	t.W.Release(m)
}
