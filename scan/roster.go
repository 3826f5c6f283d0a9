package scan

import (
	"example.com/warpsim/crossbar"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
)

// hereFrom returns the lanes of this warp with an item whose thread is d or above.
func hereFrom(t *team.Roster, d int) lane.Mask {
	return t.Members.AndNot(lane.FirstN(min(max(d-t.Base, 0), t.Lanes)))
}

// withItems runs body in the threads with an item.
func withItems(t *team.Roster, body func()) {
	if t.Members == t.W.Live() {
		body()
		return
	}
	t.Below(t.Valid, body)
}

// up sets dst to what src holds d lanes below in the group, and inRange, if it is
// not the zero predicate and the width a power of two, to where there is such a
// lane. Lanes with none get a value that is defined if what they read is.
func up[T any](t *team.Roster, dst, src warp.Reg[T], d int, inRange warp.Pred) {
	switch {
	case t.Pow2:
		warp.Shfl(dst, src, warp.Shuffle{Mode: crossbar.Up, Operand: int32(d), Width: t.Width, InRange: inRange})
	case t.Open:
		warp.ShflUp(dst, src, d)
	default:
		w := t.W
		id := w.LaneID()
		m := w.Mark()
		at, first := warp.Alloc[int32](w), warp.Alloc[int32](w)
		warp.SetLanes(first, func(l int) int32 { return int32(l / t.Width * t.Width) })
		warp.AddImm(at, id, int32(-d))
		warp.Max(at, at, first)
		warp.Shfl(dst, src, warp.Shuffle{PerLane: at})
		w.Release(m)
	}
}

// fromLast sets dst to what src holds in the last member of each group.
func fromLast[T any](t *team.Roster, dst, src warp.Reg[T]) {
	if t.Pow2 && t.Equal {
		warp.Shfl(dst, src, warp.Shuffle{Mode: crossbar.Idx, Operand: int32(t.Count - 1), Width: t.Width})
		return
	}
	w := t.W
	m := w.Mark()
	at := warp.Alloc[int32](w)
	warp.SetLanes(at, func(l int) int32 { return int32(t.LastLane(l)) })
	warp.Shfl(dst, src, warp.Shuffle{PerLane: at})
	w.Release(m)
}
