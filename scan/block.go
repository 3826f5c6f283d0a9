package scan

import (
	"example.com/warpsim/lane"
	"example.com/warpsim/reduce"
	"example.com/warpsim/scan/internal/parts"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
)

// block makes the roster of a block-level scan and holds the rest of what it is
// given against what it needs. What cannot be ends the kernel.
func block[T any](w *warp.Warp, name string, op *reduce.Op[T], s *Spec[T], m warp.Mem[T], need int) team.Roster {
	must(s.checkBlock(name, op, w.BlockThreads()))
	b := team.Block().Holding(s.Valid).Bind(w, name, 1)
	b.NeedStorage(m.Len(), need)
	return b
}

// scanWarpItems leaves the inclusive scan of this warp's items in v.
func scanWarpItems[T any](b *team.Roster, v warp.Reg[T], op *reduce.Op[T]) {
	if b.Here == 0 {
		return
	}
	g := team.Warp().First(b.Here).BindLanes(b.W, b.Name)
	hillisSteele(&g, v, op)
}

// exclusiveInWarp sets dst to what v holds one lane below. Lane 0 gets nothing
// of use.
func exclusiveInWarp[T any](b *team.Roster, dst, v warp.Reg[T]) {
	if b.Lanes > 1 && b.Here > 0 {
		warp.ShflUp(dst, v, 1)
	}
}

// callPrefix lets the callback of a Spec put a value in front of all items.
// Element free of s is nobody's at this time. total holds the reduction of all
// items in thread 0.
func callPrefix[T any](b *team.Roster, v warp.Reg[T], op *reduce.Op[T], s *Spec[T], total warp.Reg[T], m warp.Mem[T], free int) {
	w := b.W
	mark := w.Mark()
	prefix := warp.Alloc[T](w)
	b.FirstWarp(func() {
		s.Prefix(prefix, total)
		id := w.ThreadID()
		b.Below(1, func() { warp.Store(m.At(free), id, prefix) })
	})
	w.SyncBlock()
	team.LoadOne(prefix, m, free)
	withItems(b, func() { op.Apply(v, prefix, v) })
	if parts.Given(s.Exclusive) {
		inFront(b, s.Exclusive, prefix, op)
	}
	w.Release(mark)
}

// inFront puts a value in front of an exclusive scan whose first item has none
// yet.
func inFront[T any](b *team.Roster, exclusive, value warp.Reg[T], op *reduce.Op[T]) {
	rest := b.Members
	if b.Base == 0 {
		rest = rest.Without(0)
		only(b.W, lane.Bit(0), func() { warp.Mov(exclusive, value) })
	}
	only(b.W, rest, func() { op.Apply(exclusive, value, exclusive) })
}
