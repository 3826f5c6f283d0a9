package reduce

import (
	"fmt"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
)

// rowLanes is how many lanes a row has: moves within it are part of an
// instruction.
const rowLanes = 16

// RowMoves reduces v by operators that read their second operand from another
// lane as they go (DPP): from 1, 2, 4 and 8 lanes below within rows of 16
// lanes, then from the last lane of the row before, and at last from lane 31 to
// the upper half. The last lane with an item then holds the result; a readlane
// gives it to all. There is no shuffle: six operators for 64 lanes.
//
// An operator of several instructions, or on more than one word, is counted as
// one a word. The order of additions is that of a Hillis–Steele scan in each
// row, then rows left to right, so the operator need not commute. A device
// without such moves, and a warp of other than 16, 32 or 64 lanes, is an error
// of kind ErrRoute. There are no groups.
func RowMoves[T any](v warp.Reg[T], op Op[T], t Tile) {
	const name = "row-moves"
	w := v.Warp()
	must(needRowMoves(name, w.Device(), t))
	g := split(w, name, t)
	if g.members.Empty() {
		return
	}
	last := g.members.Last()
	m := w.Mark()
	x := warp.Alloc[T](w)
	cur, next := v, x
	step := func(from func(l int) int) {
		values, l := cur.Lanes(), -1
		members := w.Active()
		warp.Map2(next, cur, cur, isa.RowMove, func(own, _ T) T {
			for l++; !members.Has(l); l++ {
			}
			if s := from(l); s >= 0 && members.Has(s) {
				return op.Combine(values[s], own)
			}
			return own // no source: the lane is not written
		})
		cur, next = next, cur
	}
	tree := func() {
		for d := 1; d < min(g.count, rowLanes); d *= 2 {
			step(func(l int) int {
				if l%rowLanes < d {
					return -1
				}
				return l - d
			})
		}
		for d := rowLanes; d < g.count; d *= 2 {
			step(func(l int) int {
				if l&d == 0 {
					return -1
				}
				return l&^(2*d-1) + d - 1
			})
		}
	}
	if g.members == w.Active() {
		tree()
	} else {
		p := w.Pred()
		warp.SetPred(p, g.members)
		w.Where(p, tree)
	}
	if g.members == w.Active() {
		result := cur.Lanes()[last]
		warp.Map1(v, cur, isa.ReadLane, func(T) T { return result })
		warp.Mov(v, v)
	} else {
		warp.ShflIdx(v, cur, last)
	}
	w.Release(m)
}

// needRowMoves returns an error if a device cannot move within rows, or the tile
// has groups.
func needRowMoves(name string, p *device.Profile, t Tile) error {
	switch {
	case !p.Rules.HasRoute("dpp"):
		return &Error{name, ErrRoute, p.Name + " has no moves within rows of lanes", "use shuffle-down"}
	case p.Lanes < rowLanes || p.Lanes > 4*rowLanes:
		return &Error{name, ErrRoute, fmt.Sprintf("a warp of %d lanes, and rows have %d", p.Lanes, rowLanes), "use shuffle-down"}
	case t.Width != 0 && t.Width != p.Lanes:
		return &Error{name, ErrWidth, fmt.Sprintf("%d of %d lanes, and there are no groups", t.Width, p.Lanes), "leave it 0"}
	}
	return nil
}
