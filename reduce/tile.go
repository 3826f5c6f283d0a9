package reduce

import (
	"fmt"
	"math/bits"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
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
	// threads of the block); 0 is all. Lanes that are not active hold no item:
	// the lanes of a group with one must be its first. What the others hold
	// may be undefined, and no operator sees it.
	Valid int
	// Everywhere leaves the result in all active lanes of the group (all
	// threads of the block) instead of the first only. The registers of the
	// others end up with nothing of use otherwise.
	Everywhere bool
}

// groups is how the lanes of a warp take part in one warp-level reduction.
type groups struct {
	w       *warp.Warp
	name    string
	width   int
	count   int       // most items of a group
	members lane.Mask // lanes that hold an item
	// tidy: the width is a power of two and every group is full or without a
	// lane, so that no lane needs to be kept apart.
	tidy bool
	// open: all lanes of the warp are active, and may be read.
	open bool
	last warp.Reg[int32] // each lane's group's last lane with an item, if not open
}

// split finds out how the active lanes of w form groups. A tile that cannot be
// ends the kernel.
func split(w *warp.Warp, name string, t Tile) groups {
	lanes, active := w.Width(), w.Active()
	g := groups{w: w, name: name, width: t.Width}
	if err := t.check(name, lanes); err != nil {
		panic(err)
	}
	if g.width == 0 {
		g.width = lanes
	}
	valid := t.Valid
	if valid == 0 {
		valid = g.width
	}
	full := lane.FirstN(lanes)
	g.open = active == full
	if g.open && valid == g.width && pow2(g.width) {
		g.members, g.count, g.tidy = full, valid, true
		return g
	}
	g.tidy = pow2(g.width)
	for base := 0; base+g.width <= lanes; base += g.width {
		in := active.And(lane.Range(base, base+g.width))
		items := in.And(lane.Range(base, base+valid))
		n := items.Count()
		if items != lane.Range(base, base+n) || n == 0 && !in.Empty() {
			fail(name, ErrActive, fmt.Sprintf("lanes %s of the group at lane %d", in.Ranges(), base),
				"let the first lanes of each group be active")
		}
		g.members = g.members.Or(items)
		g.count = max(g.count, n)
		g.tidy = g.tidy && (n == g.width || n == 0)
	}
	return g
}

// check holds a tile against a warp.
func (t Tile) check(name string, lanes int) error {
	width := t.Width
	if width == 0 {
		width = lanes
	}
	if width < 0 || width > lanes {
		return &Error{name, ErrWidth, fmt.Sprintf("%d, and a warp has %d lanes", t.Width, lanes),
			fmt.Sprintf("use 1 to %d, or 0 for the whole warp", lanes)}
	}
	return t.checkValid(name, width)
}

func (t Tile) checkValid(name string, items int) error {
	if t.Valid < 0 || t.Valid > items {
		return &Error{name, ErrValid, fmt.Sprintf("%d of %d", t.Valid, items),
			fmt.Sprintf("use 1 to %d, or 0 for all", items)}
	}
	return nil
}

// needPow2 returns an error if the width of the groups is no power of two.
func (t Tile) needPow2(name string) error {
	if t.Width < 0 || pow2(t.Width) || t.Width == 0 {
		return nil
	}
	return &Error{name, ErrWidth, fmt.Sprintf("%d is no power of two", t.Width), "use shuffle-down or shuffle-interleaved"}
}

func pow2(n int) bool { return n > 0 && n&(n-1) == 0 }

// ceilPow2 returns the least power of two that is n or more, 1 for n below 1.
func ceilPow2(n int) int {
	if n <= 1 {
		return 1
	}
	return 1 << bits.Len(uint(n-1))
}

// reach returns the members that have a member d lanes above in their group.
func (g *groups) reach(d int) lane.Mask {
	var m lane.Mask
	for base := 0; base+g.width <= g.w.Width(); base += g.width {
		n := g.members.And(lane.Range(base, base+g.width)).Count()
		if n > d {
			m = m.Or(lane.Range(base, base+n-d))
		}
	}
	return m
}

// firsts returns the first lane of every group with an item.
func (g *groups) firsts() lane.Mask {
	var m lane.Mask
	for base := 0; base+g.width <= g.w.Width(); base += g.width {
		if g.members.Has(base) {
			m = m.With(base)
		}
	}
	return m
}

// lastLane returns the last lane with an item of lane l's group, l itself
// outside the groups.
func (g *groups) lastLane(l int) int {
	base := l / g.width * g.width
	n := g.members.And(lane.Range(base, min(base+g.width, g.w.Width()))).Count()
	if n == 0 {
		return l
	}
	return base + n - 1
}

// bound takes the register that holds each lane's last readable lane: one
// constant. It is needed where some lanes of the warp may not be read.
func (g *groups) bound() {
	if g.open || g.tidy {
		return
	}
	g.last = warp.Alloc[int32](g.w)
	if g.width == g.w.Width() {
		warp.Set(g.last, int32(g.members.Last()))
		return
	}
	warp.SetLanes(g.last, func(l int) int32 { return int32(g.lastLane(l)) })
}

// down sets dst to what src holds d lanes above. Lanes in reach of d get it
// from a member; what the others get is defined only if what they read is.
func down[T any](g *groups, dst, src warp.Reg[T], d int) {
	switch {
	case g.open && !pow2(g.width):
		warp.ShflDown(dst, src, d)
	case g.open || g.tidy:
		warp.Shfl(dst, src, warp.Shuffle{Mode: crossbar.Down, Operand: int32(d), Width: g.width})
	default:
		w := g.w
		id := w.LaneID()
		m := w.Mark()
		at := warp.Alloc[int32](w)
		warp.AddImm(at, id, int32(d))
		warp.Min(at, at, g.last)
		warp.Shfl(dst, src, warp.Shuffle{Mode: crossbar.Idx, PerLane: at})
		w.Release(m)
	}
}

// across sets dst to what src holds in the lane whose number differs by the bit
// d; see down. The width is a power of two.
func across[T any](g *groups, dst, src warp.Reg[T], d int) {
	if g.open || g.tidy {
		warp.Shfl(dst, src, warp.Shuffle{Mode: crossbar.Xor, Operand: int32(d), Width: g.width})
		return
	}
	w := g.w
	id := w.LaneID()
	m := w.Mark()
	at := warp.Alloc[int32](w)
	warp.XorImm(at, id, int32(d))
	warp.Min(at, at, g.last)
	warp.Shfl(dst, src, warp.Shuffle{Mode: crossbar.Idx, PerLane: at})
	w.Release(m)
}

// from sets dst to what src holds in lane k of each group; the lane must hold
// an item in every group.
func from[T any](g *groups, dst, src warp.Reg[T], k int) {
	if pow2(g.width) {
		warp.Shfl(dst, src, warp.Shuffle{Mode: crossbar.Idx, Operand: int32(k), Width: g.width})
		return
	}
	w := g.w
	m := w.Mark()
	at := warp.Alloc[int32](w)
	warp.SetLanes(at, func(l int) int32 {
		if base := l / g.width * g.width; base+g.width <= w.Width() {
			return int32(base + k)
		}
		return int32(l)
	})
	warp.Shfl(dst, src, warp.Shuffle{Mode: crossbar.Idx, PerLane: at})
	w.Release(m)
}

// broadcast gives every lane of a group what its first lane holds.
func broadcast[T any](g *groups, v warp.Reg[T]) {
	if g.width > 1 {
		from(g, v, v, 0)
	}
}

// groupsOver returns the active lanes of the groups with more than k items.
func (g *groups) groupsOver(k int) lane.Mask {
	active := g.w.Active()
	var m lane.Mask
	for base := 0; base+g.width <= g.w.Width(); base += g.width {
		if g.members.Has(base + k) {
			m = m.Or(lane.Range(base, base+g.width).And(active))
		}
	}
	return m
}

// firstLane returns the first lane of lane l's group, l itself outside the
// groups.
func (g *groups) firstLane(l int) int {
	if base := l / g.width * g.width; base+g.width <= g.w.Width() {
		return base
	}
	return l
}

// adders returns the lanes that combine in a step of a tree in shared memory:
// rising, the lanes at multiples of 2d in their group, falling, those below d.
func (g *groups) adders(d int, rising bool) lane.Mask {
	var m lane.Mask
	for l := range g.reach(d).Lanes() {
		rank := l % g.width
		if rising && rank%(2*d) == 0 || !rising && rank < d {
			m = m.With(l)
		}
	}
	return m
}
