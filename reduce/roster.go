package reduce

import (
	"example.com/warpsim/crossbar"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
)

// A roster is a tile as one warp sees it, with the register that bounds what its
// lanes read.
type roster struct {
	team.Roster
	last warp.Reg[int32] // see bound
}

// readIDs reads the numbers of thread and lane, unless the kernel has already:
// early, as compilers do, since it takes a while.
func (t *roster) readIDs() {
	t.W.ThreadID()
	t.W.LaneID()
}

// share gives all threads of the block what thread 0 holds, through element k of
// s, which nobody reads or writes at this time.
func share[T any](t *roster, v warp.Reg[T], s warp.Mem[T], k int) {
	id := t.W.ThreadID()
	t.Below(1, func() { warp.Store(s.At(k), id, v) })
	t.W.SyncBlock()
	team.LoadOne(v, s, k)
}

// haveAbove returns the members that have a member d lanes above in their group.
func (t *roster) haveAbove(d int) lane.Mask {
	var m lane.Mask
	for first := 0; first+t.Width <= t.Lanes; first += t.Width {
		if n := t.Members.And(lane.Range(first, first+t.Width)).Count(); n > d {
			m = m.Or(lane.Range(first, first+n-d))
		}
	}
	return m
}

// groupsOver returns the active lanes of the groups with more than k items.
func (t *roster) groupsOver(k int) lane.Mask {
	var m lane.Mask
	for first := 0; first+t.Width <= t.Lanes; first += t.Width {
		if t.Members.And(lane.Range(first, first+t.Width)).Count() > k {
			m = m.Or(lane.Range(first, first+t.Width).And(t.Active))
		}
	}
	return m
}

// firstLane returns the first lane of lane l's group, l itself outside the groups.
func (t *roster) firstLane(l int) int {
	if first := l / t.Width * t.Width; first+t.Width <= t.Lanes {
		return first
	}
	return l
}

// bound takes the register that holds each lane's last readable lane, for down and
// across: one constant, where some lanes of the warp may not be read. It stays
// until the caller releases it.
func (t *roster) bound() {
	if t.Open || t.Tidy {
		return
	}
	t.last = warp.Alloc[int32](t.W)
	if t.Width == t.Lanes {
		warp.Set(t.last, int32(t.Members.Last()))
		return
	}
	warp.SetLanes(t.last, func(l int) int32 { return int32(t.LastLane(l)) })
}

// down sets dst to what src holds d lanes above, and inRange, if it is not the zero
// predicate and the roster is tidy, to where there is such a lane. Lanes that haveAbove
// get it from a member; what the others get is defined only if what they read is.
func down[T any](t *roster, dst, src warp.Reg[T], d int, inRange warp.Pred) {
	switch {
	case t.Open && !t.Pow2:
		warp.ShflDown(dst, src, d)
	case t.Open || t.Tidy:
		warp.Shfl(dst, src, warp.Shuffle{Mode: crossbar.Down, Operand: int32(d), Width: t.Width, InRange: inRange})
	default:
		id := t.W.LaneID()
		fromLane(t, dst, src, func(at warp.Reg[int32]) {
			warp.AddImm(at, id, int32(d))
			warp.Min(at, at, t.last)
		})
	}
}

// across sets dst to what src holds in the lane whose number differs by the bit
// d; see down. The width is a power of two.
func across[T any](t *roster, dst, src warp.Reg[T], d int) {
	if t.Open || t.Tidy {
		warp.Shfl(dst, src, warp.Shuffle{Mode: crossbar.Xor, Operand: int32(d), Width: t.Width})
		return
	}
	id := t.W.LaneID()
	fromLane(t, dst, src, func(at warp.Reg[int32]) {
		warp.XorImm(at, id, int32(d))
		warp.Min(at, at, t.last)
	})
}

// from sets dst to what src holds in lane k of each group; the lane must hold an
// item in every group.
func from[T any](t *roster, dst, src warp.Reg[T], k int) {
	if t.Pow2 {
		warp.Shfl(dst, src, warp.Shuffle{Mode: crossbar.Idx, Operand: int32(k), Width: t.Width})
		return
	}
	fromLane(t, dst, src, func(at warp.Reg[int32]) {
		warp.SetLanes(at, func(l int) int32 {
			if first := l / t.Width * t.Width; first+t.Width <= t.Lanes {
				return int32(first + k)
			}
			return int32(l)
		})
	})
}

// fromLane shuffles by a lane number that source makes.
func fromLane[T any](t *roster, dst, src warp.Reg[T], source func(at warp.Reg[int32])) {
	w := t.W
	m := w.Mark()
	at := warp.Alloc[int32](w)
	source(at)
	warp.Shfl(dst, src, warp.Shuffle{PerLane: at})
	w.Release(m)
}
