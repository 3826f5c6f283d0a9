package scan

import (
	"example.com/warpsim/crossbar"
	"example.com/warpsim/lane"
	"example.com/warpsim/reduce"
	"example.com/warpsim/scan/internal/parts"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
)

// HillisSteele scans v by shuffles up over the distances 1, 2, 4, ...: after
// each step a lane holds the sum of twice as many items that end with its own.
// It takes log2(w) shuffles and as many predicated operators.
func HillisSteele[T any](v warp.Reg[T], op reduce.Op[T], s Spec[T]) {
	scanWarp("hillis-steele", v, &op, &s, byHillisSteele)
}

func hillisSteele[T any](g *team.Roster, v warp.Reg[T], op *reduce.Op[T]) {
	w := g.W
	m := w.Mark()
	x, p := warp.Alloc[T](w), w.Pred()
	for d := 1; d < g.Count; d *= 2 {
		addFrom(g, v, x, d, op, p, nil)
	}
	w.Release(m)
}

// addFrom adds x in front of v in the lanes of a group that have a member d
// below: shuffle, compare where the shuffle itself does not tell, operator.
func addFrom[T any](g *team.Roster, v, x warp.Reg[T], d int, op *reduce.Op[T], p warp.Pred, who func(rank int) bool) {
	tells := who == nil && g.Tidy && g.W.Device().Rules.Shuffle == crossbar.CutToWarp
	if tells {
		up(g, x, v, d, p)
	} else {
		up(g, x, v, d, warp.Pred{})
		warp.SetPred(p, g.Ranks(func(rank int) bool { return rank >= d && (who == nil || who(rank)) }))
	}
	g.W.Where(p, func() { op.Apply(v, x, v) })
}

// BrentKung scans v by shuffles up, first into a tree of sums over growing
// distances, then from it over shrinking ones: 2*log2(w)-1 steps, in which only
// as many lanes as necessary combine: the least work of all, and nearly twice
// the steps of HillisSteele.
func BrentKung[T any](v warp.Reg[T], op reduce.Op[T], s Spec[T]) {
	scanWarp("brent-kung", v, &op, &s, byBrentKung)
}

func brentKung[T any](g *team.Roster, v warp.Reg[T], op *reduce.Op[T]) {
	w := g.W
	m := w.Mark()
	x, p := warp.Alloc[T](w), w.Pred()
	d := 1
	for ; d < g.Count; d *= 2 {
		addFrom(g, v, x, d, op, p, func(rank int) bool { return (rank+1)%(2*d) == 0 })
	}
	for d /= 2; d > 0; d /= 2 {
		if 3*d > g.Count {
			continue // no lane is far enough in
		}
		addFrom(g, v, x, d, op, p, func(rank int) bool { return (rank+1)%(2*d) == d })
	}
	w.Release(m)
}

// Sklansky scans v by doubling blocks: in each step the upper half of every
// block of 2d lanes adds the last lane of the lower half. It takes log2(w)
// steps like HillisSteele, with half as many lanes that combine, and shuffles
// with an operand for each lane. The width is a power of two.
func Sklansky[T any](v warp.Reg[T], op reduce.Op[T], s Spec[T]) {
	scanWarp("sklansky", v, &op, &s, bySklansky)
}

func sklansky[T any](g *team.Roster, v warp.Reg[T], op *reduce.Op[T]) {
	w := g.W
	id := w.LaneID()
	m := w.Mark()
	x, at, p := warp.Alloc[T](w), warp.Alloc[int32](w), w.Pred()
	last := at
	bounded := !g.Open && !g.Tidy
	if bounded {
		last = warp.Alloc[int32](w)
		warp.SetLanes(last, func(l int) int32 { return int32(g.LastLane(l)) })
	}
	for d := 1; d < g.Count; d *= 2 {
		warp.AndImm(at, id, int32(^d))
		warp.OrImm(at, at, int32(d-1))
		if bounded {
			warp.Min(at, at, last)
		}
		warp.Shfl(x, v, warp.Shuffle{Mode: crossbar.Idx, PerLane: at})
		warp.SetPred(p, g.Ranks(func(rank int) bool { return rank&d != 0 }))
		w.Where(p, func() { op.Apply(v, x, v) })
	}
	w.Release(m)
}

// A network is how the lanes of a warp are scanned.
type network uint8

const (
	byHillisSteele network = iota
	byBrentKung
	bySklansky
)

// inclusive runs a network on the lanes of g.
func inclusive[T any](n network, g *team.Roster, v warp.Reg[T], op *reduce.Op[T]) {
	switch n {
	case byBrentKung:
		brentKung(g, v, op)
	case bySklansky:
		sklansky(g, v, op)
	default:
		hillisSteele(g, v, op)
	}
}

// scanWarp runs the network of a warp-level scan and what a Spec asks for
// beside.
func scanWarp[T any](name string, v warp.Reg[T], op *reduce.Op[T], s *Spec[T], n network) {
	w := v.Warp()
	must(s.checkWarp(name, op, w.Width(), n == bySklansky))
	g := s.lanes(w, name)
	if none(&g, op, s) {
		return
	}
	inclusive(n, &g, v, op)
	finish(&g, v, op, s)
}

// finish makes what a Spec asks for out of the inclusive scan of a warp.
func finish[T any](g *team.Roster, v warp.Reg[T], op *reduce.Op[T], s *Spec[T]) {
	if parts.Given(s.Aggregate) {
		fromLast(g, s.Aggregate, v)
	}
	if parts.Given(s.Initial) {
		g.Only(g.Members, func() { op.Apply(v, s.Initial, v) })
	}
	if !parts.Given(s.Exclusive) {
		return
	}
	w := g.W
	m := w.Mark()
	p := w.Pred()
	if g.Width > 1 {
		up(g, s.Exclusive, v, 1, warp.Pred{})
	}
	warp.SetPred(p, g.Firsts())
	w.Where(p, func() {
		if parts.Given(s.Initial) {
			warp.Mov(s.Exclusive, s.Initial)
		} else {
			warp.Set(s.Exclusive, op.Identity)
		}
	})
	w.Release(m)
}

// only runs body as predicated instructions of the lanes of m.
func only(w *warp.Warp, m lane.Mask, body func()) {
	mark := w.Mark()
	p := w.Pred()
	warp.SetPred(p, m)
	w.Where(p, body)
	w.Release(mark)
}

// Rank counts, for each active lane, the active lanes below it in which p
// holds: an exclusive scan of booleans by one ballot and a population count,
// whatever the width. total, if it is not the zero register, receives the count
// of all. It is where a lane's value goes when the lanes of p are packed.
func Rank(dst warp.Reg[int32], p warp.Pred, total warp.Reg[int32]) {
	w := dst.Warp()
	m := w.Mark()
	b := w.MaskReg()
	warp.Ballot(b, p)
	warp.Rank(dst, b)
	if parts.Given(total) {
		warp.CountMask(total, b)
	}
	w.Release(m)
}
