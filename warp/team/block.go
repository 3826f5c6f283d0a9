package team

import (
	"example.com/warpsim/warp"
)

// What follows is for blocks with one item a thread.

// Partials returns the number of warps with an item.
func (t *Roster) Partials() int { return (t.Valid + t.Lanes - 1) / t.Lanes }

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
