package reduce

import "example.com/warpsim/warp"

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
	g := split(w, name, t)
	must(needStorage(name, s, w.BlockWarps()*w.Width()))
	sharedSteps(&g, v, op, s.At(w.ID()*w.Width()), t.Everywhere, rising)
}

// sharedSteps reduces through the elements of s, one a lane of this warp. In
// each step the lanes that read and those that are read from do not overlap, so
// that one barrier a step is enough.
func sharedSteps[T any](g *groups, v warp.Reg[T], op *Op[T], s warp.Mem[T], everywhere, rising bool) {
	w := g.w
	id, active := w.LaneID(), w.Active()
	m := w.Mark()
	x, p := warp.Alloc[T](w), w.Pred()
	if g.count > 1 {
		storeMembers(g, v, s)
		for d := first(g.count, rising); d > 0; d = next(d, g.count, rising) {
			w.SyncWarp(active)
			warp.SetPred(p, g.adders(d, rising))
			w.Where(p, func() {
				warp.Load(x, s.At(d), id)
				op.Apply(v, v, x)
				if next(d, g.count, rising) > 0 {
					warp.Store(s, id, v)
				}
			})
		}
	}
	if everywhere && g.width > 1 {
		w.SyncWarp(active)
		warp.SetPred(p, g.firsts())
		w.Where(p, func() { warp.Store(s, id, v) })
		w.SyncWarp(active)
		at := warp.Alloc[int32](w)
		if pow2(g.width) {
			warp.AndImm(at, id, int32(-g.width))
		} else {
			warp.SetLanes(at, func(l int) int32 { return int32(g.firstLane(l)) })
		}
		warp.SetPred(p, g.groupsOver(0))
		w.Where(p, func() { warp.Load(v, s, at) })
	}
	w.Release(m)
}

// storeMembers stores the items, one a lane.
func storeMembers[T any](g *groups, v warp.Reg[T], s warp.Mem[T]) {
	w := g.w
	if g.members == w.Active() {
		warp.Store(s, w.LaneID(), v)
		return
	}
	m := w.Mark()
	p := w.Pred()
	warp.SetPred(p, g.members)
	w.Where(p, func() { warp.Store(s, w.LaneID(), v) })
	w.Release(m)
}

// needStorage returns an error if an array in shared memory is too short.
func needStorage[T any](name string, s warp.Mem[T], n int) error {
	if s.Len() >= n {
		return nil
	}
	return storageError(name, s.Len(), n)
}
