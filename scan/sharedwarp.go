package scan

import (
	"example.com/warpsim/reduce"
	"example.com/warpsim/warp"
)

// NewWarpStorage declares what warp-level scans in shared memory need: two elements
// a lane of the block's warps.
func NewWarpStorage[T any](w *warp.Warp) warp.Mem[T] {
	return warp.Shared[T](w, 2*w.BlockWarps()*w.Width())
}

// KoggeStoneShared scans v through shared memory over the distances 1, 2, 4,
// ..., between two arrays that take turns, with a warp-wide barrier a step: the
// order of additions is that of HillisSteele.
func KoggeStoneShared[T any](v warp.Reg[T], op reduce.Op[T], s Spec[T], m warp.Mem[T]) {
	const name = "kogge-stone-shared"
	w := v.Warp()
	must(s.checkWarp(name, &op, w.Width(), false))
	g := s.lanes(w, name)
	lanes := w.Width()
	g.NeedStorage(m.Len(), 2*w.BlockWarps()*lanes)
	if none(&g, &op, &s) {
		return
	}
	id, active := w.LaneID(), w.Active()
	mark := w.Mark()
	x, p := warp.Alloc[T](w), w.Pred()
	in := m.At(2 * w.ID() * lanes)
	out := in.At(lanes)
	for d := 1; d < g.Count; d *= 2 {
		g.Only(g.Members, func() { warp.Store(in, id, v) })
		w.SyncWarp(active)
		warp.SetPred(p, g.Ranks(func(rank int) bool { return rank >= d }))
		w.Where(p, func() {
			warp.Load(x, in.At(-d), id)
			op.Apply(v, x, v)
		})
		in, out = out, in
	}
	w.Release(mark)
	finish(&g, v, &op, &s)
}
