package reduce

import (
	"fmt"
	"slices"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/team"
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
// of kind team.ErrRoute. There are no groups.
func RowMoves[T any](v warp.Reg[T], op Op[T], t Tile) {
	const name = "row-moves"
	w := v.Warp()
	must(needRowMoves(name, w.Device(), t))
	g := t.lanes(w, name)
	if none(&g, v, &op) || g.Members.Empty() {
		return
	}
	last := g.Members.Last()
	step := func(c crossbar.RowControl, rows uint8) {
		warp.RowApply(v, v, v, c, crossbar.RowWrite{Rows: rows, Banks: 0xf}, op.Combine)
	}
	tree := func() {
		for d := 1; d < min(g.Count, rowLanes); d *= 2 {
			step(crossbar.RowShiftRight(d), 0xf)
		}
		if g.Count > rowLanes {
			step(crossbar.RowBroadcast15, 0b1010) // the odd rows
		}
		if g.Count > 2*rowLanes {
			step(crossbar.RowBroadcast31, 0b1100) // the upper half
		}
	}
	if g.Members == w.Active() {
		tree()
		warp.ReadLane(v, v, last)
		warp.Mov(v, v) // out of the scalar register
		return
	}
	m := w.Mark()
	p := w.Pred()
	warp.SetPred(p, g.Members)
	w.Where(p, tree)
	w.Release(m)
	warp.ShflIdx(v, v, last)
}

// needRowMoves returns an error if a device cannot move within rows, or the tile
// has groups.
func needRowMoves(name string, p *device.Profile, t Tile) error {
	switch {
	case !slices.Contains(p.Rules.Routes, "dpp"):
		return problem(name, team.ErrRoute, p.Name+" has no moves within rows of lanes", "use shuffle-down")
	case !slices.Contains(p.Rules.RowMoves, "row_shr") || p.Lanes > rowLanes && !slices.Contains(p.Rules.RowMoves, "row_bcast"):
		return problem(name, team.ErrRoute, p.Name+" moves within rows, but not from row to row", "use shuffle-down")
	case p.Lanes < rowLanes || p.Lanes > 4*rowLanes:
		return problem(name, team.ErrRoute, fmt.Sprintf("a warp of %d lanes, and rows have %d", p.Lanes, rowLanes), "use shuffle-down")
	case t.Width != 0 && t.Width != p.Lanes:
		return problem(name, team.ErrWidth, fmt.Sprintf("%d of %d lanes, and there are no groups", t.Width, p.Lanes), "leave it 0")
	}
	return nil
}
