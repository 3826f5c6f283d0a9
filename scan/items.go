package scan

import (
	"example.com/warpsim/lane"
	"example.com/warpsim/reduce"
	"example.com/warpsim/scan/internal/parts"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
)

// Items scans several items of each lane of a warp or thread of a block: x[0],
// x[1], ... of the first, then those of the next (a blocked arrangement). Each
// thread scans its own from left to right, the algorithm scans the sums of the
// threads, and each thread puts what stands before it in front of its items. x
// becomes the inclusive scan.
//
// Of a Spec, Valid counts threads, all of whose items take part, and Exclusive
// receives what stands before the thread's first item. No items are an error of
// kind team.ErrItems.
func Items[T any](x []warp.Reg[T], op reduce.Op[T], a Algorithm[T], s Spec[T], m warp.Mem[T]) {
	if len(x) == 0 {
		fail(a.Name, team.ErrItems, "none", "give each thread at least one")
	}
	w := x[0].Warp()
	if a.Scope == reduce.WarpScope {
		must(s.checkWarp(a.Name, &op, w.Width(), a.pow2))
	} else {
		must(s.checkBlock(a.Name, &op, w.BlockThreads()))
	}
	r := threadsWithItems(w, a.Name, a.Scope, &s)
	if none(&r, &op, &s) {
		return
	}
	have, first := r.Members, r.Firsts()
	w.ThreadID()
	w.LaneID()
	mark := w.Mark()
	on := func(m lane.Mask, body func()) {
		if m == w.Active() {
			body()
		} else {
			only(w, m, body)
		}
	}
	on(have, func() {
		for j := 1; j < len(x); j++ {
			op.Apply(x[j], x[j-1], x[j])
		}
	})
	v := warp.Alloc[T](w)
	warp.Mov(v, x[len(x)-1])
	if !parts.Given(s.Exclusive) {
		s.Exclusive = warp.Alloc[T](w)
	}
	lifted := op // the first thread's exclusive sum is not used without a reason
	lifted.HasIdentity = lifted.HasIdentity || !a.identity
	a.Run(v, lifted, s, m)
	if parts.Given(s.Initial) || s.Prefix != nil {
		first = lane.Mask{}
	}
	on(have.AndNot(first), func() {
		for j := range x {
			op.Apply(x[j], s.Exclusive, x[j])
		}
	})
	w.Release(mark)
}

// threadsWithItems returns the roster of a scan, of which Members are the lanes
// with items, and Firsts those of them that are first in their team.
func threadsWithItems[T any](w *warp.Warp, name string, scope reduce.Scope, s *Spec[T]) team.Roster {
	if scope == reduce.WarpScope {
		return s.lanes(w, name)
	}
	return team.Block().Holding(s.Valid).Bind(w, name, 1)
}
