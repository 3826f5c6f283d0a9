package reduce

import (
	"example.com/warpsim/crossbar"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
)

// ShuffleDown reduces v by shuffles down over falling distances: lane i takes
// lane i+w/2, then i+w/4, ... and at last i+1, where w is the number of items
// rounded up to a power of two. The first items meet those of the upper half
// first, so the operator must commute. A full group takes log2(w) shuffles and
// operators; a partial one also a compare a step, and where some lanes of the
// warp are not active two instructions more that keep the shuffle inside.
func ShuffleDown[T any](v warp.Reg[T], op Op[T], t Tile) {
	const name = "shuffle-down"
	must(op.needOrder(name, "shuffle-interleaved"))
	g := t.lanes(v.Warp(), name)
	if none(&g, v, &op) {
		return
	}
	shuffleDown(&g, v, &op, t.Everywhere, false)
}

// ShuffleInterleaved reduces v by shuffles down over rising distances 1, 2, 4,
// ...: neighbours meet first, so that the operands keep their order and the
// operator need not commute. It is the tree ((0 1) (2 3)) ((4 5) (6 7)) ...
//
// Where a shuffle tells which lanes it found a source for, only those combine, as in
// the public library that has this algorithm: a step takes no more instructions than one
// of ShuffleDown, but waits for a predicate, and each lane of a full group ends up with
// the reduction of the items from its own on, as many as there are up to a power of two.
func ShuffleInterleaved[T any](v warp.Reg[T], op Op[T], t Tile) {
	g := t.lanes(v.Warp(), "shuffle-interleaved")
	if none(&g, v, &op) {
		return
	}
	shuffleDown(&g, v, &op, t.Everywhere, true)
}

func shuffleDown[T any](g *roster, v warp.Reg[T], op *Op[T], everywhere, rising bool) {
	w := g.W
	if g.Count > 1 {
		if !g.Open && !g.Tidy {
			w.LaneID()
		}
		m := w.Mark()
		x := warp.Alloc[T](w)
		g.bound()
		tells, p := rising && g.Tidy && w.Device().Rules.Shuffle == crossbar.CutToWarp, warp.Pred{}
		if tells {
			p = w.Pred()
		}
		for d := first(g.Count, rising); d > 0; d = next(d, g.Count, rising) {
			down(g, x, v, d, p)
			switch {
			case tells:
				w.Where(p, func() { op.Apply(v, v, x) })
			case g.Tidy:
				op.Apply(v, v, x)
			default:
				combine(w, g.haveAbove(d), op, v, v, x)
			}
		}
		w.Release(m)
	}
	if everywhere {
		broadcast(g, v)
	}
}

// combine sets dst to a op b in the lanes of m: a compare and predicated
// instructions.
func combine[T any](w *warp.Warp, m lane.Mask, op *Op[T], dst, a, b warp.Reg[T]) {
	mark := w.Mark()
	p := w.Pred()
	warp.SetPred(p, m)
	w.Where(p, func() { op.Apply(dst, a, b) })
	w.Release(mark)
}

// first and next run through the distances of a tree over n items: 1, 2, 4, ...
// below n rising, or the same falling; 0 ends it.
func first(n int, rising bool) int {
	if n <= 1 {
		return 0
	}
	if rising {
		return 1
	}
	return team.CeilPow2(n) / 2
}

func next(d, n int, rising bool) int {
	if !rising {
		return d / 2
	}
	if d *= 2; d < n {
		return d
	}
	return 0
}

// ShuffleXor reduces v by butterfly shuffles over falling distances w/2, ...,
// 2, 1: lane i and lane i^d exchange and both combine, so that in a full group
// every lane ends up with the result. A partial group takes a compare a step,
// and one shuffle more if the result is wanted everywhere. The operator must
// commute, the width of the groups be a power of two.
func ShuffleXor[T any](v warp.Reg[T], op Op[T], t Tile) {
	const name = "shuffle-xor"
	must(op.needOrder(name, "shuffle-xor-interleaved"))
	shuffleXor(name, v, &op, t, false)
}

// ShuffleXorInterleaved is ShuffleXor over rising distances 1, 2, 4, ...: the
// order of additions is that of ShuffleInterleaved. An operator that does not
// commute takes two predicated applications a step and a compare, for the lanes
// whose partner is above and those whose partner is below.
func ShuffleXorInterleaved[T any](v warp.Reg[T], op Op[T], t Tile) {
	shuffleXor("shuffle-xor-interleaved", v, &op, t, true)
}

func shuffleXor[T any](name string, v warp.Reg[T], op *Op[T], t Tile, rising bool) {
	must(t.needPow2(name))
	w := v.Warp()
	g := t.lanes(w, name)
	if none(&g, v, op) {
		return
	}
	if g.Count > 1 {
		if !g.Open && !g.Tidy {
			w.LaneID()
		}
		m := w.Mark()
		x := warp.Alloc[T](w)
		g.bound()
		for d := first(g.Count, rising); d > 0; d = next(d, g.Count, rising) {
			across(&g, x, v, d)
			switch {
			case op.Commutative && g.Tidy:
				op.Apply(v, v, x)
			case op.Commutative:
				low := lower(&g, d)
				combine(w, low.Or(up(low, d)), op, v, v, x)
			default:
				low := lower(&g, d)
				combine(w, low, op, v, v, x)
				combine(w, up(low, d), op, v, x, v)
			}
		}
		w.Release(m)
	}
	if t.Everywhere && !g.Tidy {
		broadcast(&g, v)
	}
}

// lower returns the members without the bit d whose partner with it is one too.
func lower(g *roster, d int) lane.Mask {
	m := g.haveAbove(d)
	for l := range m.Lanes() {
		if l&d != 0 {
			m = m.Without(l)
		}
	}
	return m
}

// up returns the lanes d above those of m.
func up(m lane.Mask, d int) lane.Mask {
	var r lane.Mask
	for l := range m.Lanes() {
		r = r.With(l + d)
	}
	return r
}
