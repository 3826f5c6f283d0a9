package scan

import (
	"fmt"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/lane"
	"example.com/warpsim/reduce"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
)

// groups is how the lanes of a warp take part in one warp-level scan.
type groups struct {
	w       *warp.Warp
	width   int
	count   int       // most items of a group
	members lane.Mask // lanes that hold an item
	pow2    bool      // the width is
	open    bool      // all lanes of the warp are active, and may be read
	tidy    bool      // a power of two, and every group full or without a lane
	even    bool      // all groups with an item have count of them
}

// split finds out how the active lanes of w form groups. Active lanes that are
// not the first of their group end the kernel.
func split(w *warp.Warp, name string, width, valid int) groups {
	lanes, active := w.Width(), w.Active()
	if width == 0 {
		width = lanes
	}
	if valid == 0 {
		valid = width
	}
	g := groups{w: w, width: width, pow2: width&(width-1) == 0, open: active == lane.FirstN(lanes), even: true}
	if g.open && valid == width && g.pow2 {
		g.members, g.count, g.tidy = active, width, true
		return g
	}
	g.tidy = g.pow2
	for base := 0; base+width <= lanes; base += width {
		in := active.And(lane.Range(base, base+width))
		items := in.And(lane.Range(base, base+valid))
		n := items.Count()
		if items != lane.Range(base, base+n) || n == 0 && !in.Empty() {
			fail(name, reduce.ErrActive, fmt.Sprintf("lanes %s of the group at lane %d", in.Ranges(), base),
				"let the first lanes of each group be active")
		}
		g.even = g.even && (n == 0 || g.count == 0 || n == g.count)
		g.members = g.members.Or(items)
		g.count = max(g.count, n)
		g.tidy = g.tidy && (n == width || n == 0)
	}
	return g
}

// rank returns the place of lane l in its group.
func (g *groups) rank(l int) int { return l % g.width }

// where returns the members whose place in the group is right.
func (g *groups) where(right func(rank int) bool) lane.Mask {
	var m lane.Mask
	for l := range g.members.Lanes() {
		if right(g.rank(l)) {
			m = m.With(l)
		}
	}
	return m
}

// lastLane returns the last member of lane l's group, l itself if it has none.
func (g *groups) lastLane(l int) int {
	base := l - g.rank(l)
	if n := g.members.And(lane.Range(base, min(base+g.width, g.w.Width()))).Count(); n > 0 {
		return base + n - 1
	}
	return l
}

// up sets dst to what src holds d lanes below in the group. Lanes with none get
// a value that is defined if what they read is.
func up[T any](g *groups, dst, src warp.Reg[T], d int, inRange warp.Pred) {
	switch {
	case g.pow2:
		warp.Shfl(dst, src, warp.Shuffle{Mode: crossbar.Up, Operand: int32(d), Width: g.width, InRange: inRange})
	case g.open:
		warp.ShflUp(dst, src, d)
	default:
		w := g.w
		m := w.Mark()
		at, first := warp.Alloc[int32](w), warp.Alloc[int32](w)
		warp.SetLanes(first, func(l int) int32 { return int32(min(l, l-g.rank(l))) })
		warp.AddImm(at, w.LaneID(), int32(-d))
		warp.Max(at, at, first)
		warp.Shfl(dst, src, warp.Shuffle{PerLane: at})
		w.Release(m)
	}
}

// addFrom adds x in front of v in the lanes of a group that have a member d
// below: shuffle, compare where the shuffle itself does not tell, operator.
func addFrom[T any](g *groups, v, x warp.Reg[T], d int, op *reduce.Op[T], p warp.Pred, who func(rank int) bool) {
	tells := who == nil && g.tidy && g.w.Device().Rules.Shuffle == device.ShufflePTX
	if tells {
		up(g, x, v, d, p)
	} else {
		up(g, x, v, d, warp.Pred{})
		warp.SetPred(p, g.where(func(rank int) bool { return rank >= d && (who == nil || who(rank)) }))
	}
	g.w.Where(p, func() { op.Apply(v, x, v) })
}

// fromLast sets dst to what src holds in the last member of each group.
func fromLast[T any](g *groups, dst, src warp.Reg[T]) {
	if g.pow2 && g.even {
		warp.Shfl(dst, src, warp.Shuffle{Mode: crossbar.Idx, Operand: int32(g.count - 1), Width: g.width})
		return
	}
	w := g.w
	m := w.Mark()
	at := warp.Alloc[int32](w)
	warp.SetLanes(at, func(l int) int32 { return int32(g.lastLane(l)) })
	warp.Shfl(dst, src, warp.Shuffle{PerLane: at})
	w.Release(m)
}
