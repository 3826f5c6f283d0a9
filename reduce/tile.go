package reduce

import (
	"fmt"
	"math/bits"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
)

// A Tile says which threads hold the items of a reduction, and where its result
// goes. The zero Tile is all of the warp or block, the result in the first.
type Tile struct {
	// Width cuts a warp into groups of that many lanes, each reduced by
	// itself; 0 is the whole warp. It need not be a power of two where the
	// algorithm says so; lanes beyond the last whole group hold no item. Block
	// algorithms have one group, the block, and take 0 only.
	Width int
	// Valid is how many items each group holds, in its first lanes (the first
	// threads of the block): all, or [team.First] of a number. Lanes that are
	// not active hold no item: the lanes of a group with one must be its first.
	// What the others hold may be undefined, and no operator sees it. The
	// result of no items is the operator's identity in all active lanes; v
	// stays what it is if there is none.
	Valid team.Count
	// Everywhere leaves the result in all active lanes of the group (all
	// threads of the block) instead of the first only. The registers of the
	// others end up with nothing of use otherwise.
	Everywhere bool
}

// lanes makes the roster of a warp-level reduction. A tile that cannot be ends
// the kernel.
func (t Tile) lanes(w *warp.Warp, name string) roster {
	return roster{Roster: team.Groups(t.Width).Holding(t.Valid).BindLanes(w, name)}
}

// block makes the roster of a block-level reduction.
func (t Tile) block(w *warp.Warp, name string) roster {
	must(t.needNoGroups(name))
	return roster{Roster: team.Block().Holding(t.Valid).Bind(w, name, 1)}
}

// check holds a tile against a warp of so many lanes or a block of so many
// threads.
func (t Tile) check(name string, scope Scope, lanes, threads int) error {
	if scope == WarpScope {
		return team.Groups(t.Width).Holding(t.Valid).Check(name, lanes, threads)
	}
	if err := t.needNoGroups(name); err != nil {
		return err
	}
	return team.Block().Holding(t.Valid).Check(name, lanes, threads)
}

func (t Tile) needNoGroups(name string) error {
	if t.Width == 0 {
		return nil
	}
	return problem(name, team.ErrWidth, fmt.Sprintf("%d, and a block has no groups", t.Width), "leave it 0")
}

// needPow2 returns an error if the width of the groups is no power of two.
func (t Tile) needPow2(name string) error {
	if t.Width <= 0 || bits.OnesCount(uint(t.Width)) == 1 {
		return nil
	}
	return problem(name, team.ErrWidth, fmt.Sprintf("%d is no power of two", t.Width), "use shuffle-down or shuffle-interleaved")
}

// none reports whether a reduction has no items, and gives it its result.
func none[T any](t *roster, v warp.Reg[T], op *Op[T]) bool {
	if t.Valid > 0 {
		return false
	}
	if op.HasIdentity {
		warp.Set(v, op.Identity)
	}
	return true
}

// broadcast gives every lane of a group what its first lane holds.
func broadcast[T any](g *roster, v warp.Reg[T]) {
	if g.Width > 1 {
		from(g, v, v, 0)
	}
}

// adders returns the lanes that combine in a step of a tree in shared memory:
// rising, the lanes at multiples of 2d in their group, falling, those below d.
func adders(g *roster, d int, rising bool) lane.Mask {
	return g.haveAbove(d).And(g.Ranks(func(rank int) bool {
		return rising && rank%(2*d) == 0 || !rising && rank < d
	}))
}
