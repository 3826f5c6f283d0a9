package scan

import (
	"fmt"

	"example.com/warpsim/lane"
	"example.com/warpsim/reduce"
	"example.com/warpsim/warp"
)

// Shared declares what an algorithm needs in the shared memory of the block.
// Two scans one after the other may use the same array if a barrier comes
// between them.
func Shared[T any](w *warp.Warp, s reduce.Storage) warp.Mem[T] {
	return warp.Shared[T](w, s(w.Width(), w.BlockThreads()))
}

// A team is how the threads of a block take part in one block-level scan.
type team struct {
	w     *warp.Warp
	name  string
	lanes int // of a warp
	valid int // items, in the first threads
	base  int // the warp's first thread
	mine  int // items in this warp
}

func assemble[T any](w *warp.Warp, name string, op *reduce.Op[T], s *Spec[T], m warp.Mem[T], need reduce.Storage) team {
	if s.Width != 0 {
		fail(name, reduce.ErrWidth, fmt.Sprintf("%d, and a block has no groups", s.Width), "leave it 0")
	}
	if s.Prefix != nil && wanted(s.Initial) {
		fail(name, reduce.ErrShape, "both an initial value and a prefix callback", "let the callback add the initial value")
	}
	threads := w.BlockThreads()
	must(s.check(name, op, threads))
	if n := need(w.Width(), threads); m.Len() < n {
		must(storageError(name, m.Len(), n))
	}
	if active := w.Active(); active != w.Live() {
		fail(name, reduce.ErrActive, "lanes "+active.Ranges()+" of a warp with lanes "+w.Live().Ranges(),
			"call it outside of branches, with all threads of the block")
	}
	b := team{w: w, name: name, lanes: w.Width(), valid: s.Valid}
	if b.valid == 0 {
		b.valid = threads
	}
	b.base = w.ID() * b.lanes
	b.mine = min(max(b.valid-b.base, 0), b.lanes)
	return b
}

// partials is the number of warps with an item.
func (b *team) partials() int { return (b.valid + b.lanes - 1) / b.lanes }

// items returns the lanes of this warp with an item.
func (b *team) items() lane.Mask { return lane.FirstN(b.mine) }

// from returns the lanes with an item whose thread is d or above.
func (b *team) from(d int) lane.Mask {
	return b.items().AndNot(lane.FirstN(min(max(d-b.base, 0), b.lanes)))
}

// withItems runs body in the threads with an item.
func (b *team) withItems(body func()) {
	w := b.w
	if b.items() == w.Live() {
		body()
		return
	}
	id := w.ThreadID()
	m := w.Mark()
	p := w.Pred()
	warp.LtImm(p, id, int32(b.valid))
	w.Where(p, body)
	w.Release(m)
}

// firstWarp runs body in the first warp of the block, behind a branch.
func (b *team) firstWarp(body func()) {
	w := b.w
	if w.BlockWarps() == 1 {
		body()
		return
	}
	id := w.ThreadID()
	m := w.Mark()
	p := w.Pred()
	warp.LtImm(p, id, int32(b.lanes))
	w.If(p, body)
	w.Release(m)
}

// thread0 runs body in thread 0.
func (b *team) thread0(body func(id warp.Reg[int32])) {
	w := b.w
	id := w.ThreadID()
	m := w.Mark()
	p := w.Pred()
	warp.EqImm(p, id, 0)
	w.Where(p, func() { body(id) })
	w.Release(m)
}

// everywhere loads element k of s in all threads.
func everywhere[T any](dst warp.Reg[T], s warp.Mem[T], k int) {
	w := dst.Warp()
	m := w.Mark()
	zero := warp.Alloc[int32](w)
	warp.Set(zero, 0)
	warp.Load(dst, s.At(k), zero)
	w.Release(m)
}

// scanWarpItems leaves the inclusive scan of this warp's items in v.
func scanWarpItems[T any](b *team, v warp.Reg[T], op *reduce.Op[T]) {
	if b.mine == 0 {
		return
	}
	g := split(b.w, b.name, 0, b.mine)
	hillisSteele(&g, v, op)
}

// exclusiveInWarp sets dst to what v holds one lane below. Lane 0 gets nothing
// of use.
func exclusiveInWarp[T any](b *team, dst, v warp.Reg[T]) {
	if b.lanes > 1 && b.mine > 0 {
		warp.ShflUp(dst, v, 1)
	}
}

// callPrefix lets the callback of a Spec put a value in front of all items.
// Element free of s is nobody's at this time. total holds the reduction of all
// items in thread 0.
func callPrefix[T any](b *team, v warp.Reg[T], op *reduce.Op[T], s *Spec[T], total warp.Reg[T], m warp.Mem[T], free int) {
	w := b.w
	mark := w.Mark()
	prefix := warp.Alloc[T](w)
	b.firstWarp(func() {
		s.Prefix(prefix, total)
		b.thread0(func(id warp.Reg[int32]) { warp.Store(m.At(free), id, prefix) })
	})
	w.SyncBlock()
	everywhere(prefix, m, free)
	b.withItems(func() { op.Apply(v, prefix, v) })
	if wanted(s.Exclusive) {
		inFront(b, s.Exclusive, prefix, op)
	}
	w.Release(mark)
}

// inFront puts a value in front of an exclusive scan whose first item has none
// yet.
func inFront[T any](b *team, exclusive, value warp.Reg[T], op *reduce.Op[T]) {
	rest := b.items()
	if b.base == 0 {
		rest = rest.Without(0)
		only(b.w, lane.Bit(0), func() { warp.Mov(exclusive, value) })
	}
	only(b.w, rest, func() { op.Apply(exclusive, value, exclusive) })
}

func storageError(algorithm string, have, want int) error {
	return &reduce.Error{Algorithm: algorithm, Kind: reduce.ErrStorage, Detail: fmt.Sprintf("%d elements, and it needs %d", have, want),
		Advice: "declare it with Shared, or make it longer"}
}
