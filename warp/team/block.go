package team

import (
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
)

// What follows is for blocks with one item a thread.

// ReadIDs reads the numbers of thread and lane, unless the kernel has already:
// early, as compilers do, since it takes a while.
func (t *Roster) ReadIDs() {
	t.W.ThreadID()
	t.W.LaneID()
}

// Partials returns the number of warps with an item.
func (t *Roster) Partials() int { return (t.Valid + t.Lanes - 1) / t.Lanes }

// HereFrom returns the lanes of this warp with an item whose thread is d or above.
func (t *Roster) HereFrom(d int) lane.Mask {
	return t.Members.AndNot(lane.FirstN(min(max(d-t.Base, 0), t.Lanes)))
}

// Below runs body as predicated instructions of the threads below n.
func (t *Roster) Below(n int, body func()) {
	w := t.W
	id := w.ThreadID()
	m := w.Mark()
	p := w.Pred()
	warp.LtImm(p, id, int32(n))
	w.Where(p, body)
	w.Release(m)
}

// WithItems runs body in the threads with an item.
func (t *Roster) WithItems(body func()) {
	if t.Members == t.W.Live() {
		body()
		return
	}
	t.Below(t.Valid, body)
}

// FirstWarp runs body in the first warp of the block, behind a branch.
func (t *Roster) FirstWarp(body func()) {
	w := t.W
	if w.BlockWarps() == 1 {
		body()
		return
	}
	id := w.ThreadID()
	m := w.Mark()
	p := w.Pred()
	warp.LtImm(p, id, int32(t.Lanes))
	w.If(p, body)
	w.Release(m)
}

// LoadOne loads element k of s in all threads.
func LoadOne[T any](dst warp.Reg[T], s warp.Mem[T], k int) {
	w := dst.Warp()
	m := w.Mark()
	zero := warp.Alloc[int32](w)
	warp.Set(zero, 0)
	warp.Load(dst, s.At(k), zero)
	w.Release(m)
}

// Share gives all threads of the block what thread 0 holds, through element k of
// s, which nobody reads or writes at this time.
func Share[T any](t *Roster, v warp.Reg[T], s warp.Mem[T], k int) {
	id := t.W.ThreadID()
	t.Below(1, func() { warp.Store(s.At(k), id, v) })
	t.W.SyncBlock()
	LoadOne(v, s, k)
}
