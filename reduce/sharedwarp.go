package reduce

import (
	"math/bits"

	"example.com/warpsim/warp"
)

// SharedTree reduces v through shared memory with a warp-wide barrier a step:
// the lower half of the lanes adds the upper half, over falling distances as in
// ShuffleDown. s holds an element for each thread of the block, rounded up to
// whole warps; each warp uses its own part.
func SharedTree[T any](v warp.Reg[T], op Op[T], t Tile, s warp.Mem[T]) {
	const name = "shared-tree"
	must(op.needOrder(name, "shared-interleaved"))
	sharedWarp(name, v, &op, t, s, false)
}

// SharedInterleaved is SharedTree over rising distances: neighbours meet first,
// as in ShuffleInterleaved, so the operator need not commute.
func SharedInterleaved[T any](v warp.Reg[T], op Op[T], t Tile, s warp.Mem[T]) {
	sharedWarp("shared-interleaved", v, &op, t, s, true)
}

func sharedWarp[T any](name string, v warp.Reg[T], op *Op[T], t Tile, s warp.Mem[T], rising bool) {
	w := v.Warp()
	g := t.lanes(w, name)
	g.NeedStorage(s.Len(), w.BlockWarps()*w.Width())
	if none(&g, v, op) {
		return
	}
	sharedSteps(&g, v, op, s.At(w.ID()*w.Width()), t.Everywhere, rising)
}

// sharedSteps reduces through the elements of s, one a lane of this warp. In
// each step the lanes that read and those that are read from do not overlap, so
// that one barrier a step is enough.
func sharedSteps[T any](g *roster, v warp.Reg[T], op *Op[T], s warp.Mem[T], everywhere, rising bool) {
	w := g.W
	id, active := w.LaneID(), w.Active()
	m := w.Mark()
	x, p := warp.Alloc[T](w), w.Pred()
	if g.Count > 1 {
		g.Only(g.Members, func() { warp.Store(s, id, v) })
		for d := first(g.Count, rising); d > 0; d = next(d, g.Count, rising) {
			w.SyncWarp(active)
			warp.SetPred(p, adders(g, d, rising))
			w.Where(p, func() {
				warp.Load(x, s.At(d), id)
				op.Apply(v, v, x)
				if next(d, g.Count, rising) > 0 {
					warp.Store(s, id, v)
				}
			})
		}
	}
	if everywhere && g.Width > 1 {
		w.SyncWarp(active)
		warp.SetPred(p, g.Firsts())
		w.Where(p, func() { warp.Store(s, id, v) })
		w.SyncWarp(active)
		at := warp.Alloc[int32](w)
		if bits.OnesCount(uint(g.Width)) == 1 {
			warp.AndImm(at, id, int32(-g.Width))
		} else {
			warp.SetLanes(at, func(l int) int32 { return int32(g.firstLane(l)) })
		}
		warp.SetPred(p, g.groupsOver(0))
		w.Where(p, func() { warp.Load(v, s, at) })
	}
	w.Release(m)
}
