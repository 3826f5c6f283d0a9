package scan

import (
	"example.com/warpsim/reduce"
	"example.com/warpsim/scan/internal/parts"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
)

// HeadSegmented scans each segment of neighbouring lanes by itself: a segment
// begins at every lane in which head holds, and at the first lane of each
// group. It works as HillisSteele does; flags cost a ballot and three
// instructions, and each step a compare that keeps the lanes inside their
// segment. Of a Spec, Initial stands before the first item of every segment,
// Exclusive begins anew in each, and Aggregate gives each lane the reduction of
// its own segment.
//
// For blocks and grids, scan Flagged values with Segmented.
func HeadSegmented[T any](v warp.Reg[T], op reduce.Op[T], head warp.Pred, s Spec[T]) {
	const name = "head-segmented"
	w := v.Warp()
	must(s.checkWarp(name, &op, w.Width(), false))
	g := s.lanes(w, name)
	if none(&g, &op, &s) {
		return
	}
	id := w.LaneID()
	m := w.Mark()
	flags := w.MaskReg()
	g.Only(g.Members, func() { warp.Ballot(flags, head) })
	segs := g.Cut(flags.Mask())
	rank, first := warp.Alloc[int32](w), warp.Alloc[int32](w)
	warp.Rank(rank, flags)
	warp.Map2(first, id, rank, isa.Clz, func(l, _ int32) int32 { return int32(segs.First(int(l))) })

	x, at, p := warp.Alloc[T](w), warp.Alloc[int32](w), w.Pred()
	for d := 1; d < g.Count; d *= 2 {
		warp.AddImm(at, id, int32(-d))
		warp.Ge(p, at, first)
		up(&g, x, v, d, warp.Pred{})
		g.Only(g.Members, func() { w.Where(p, func() { op.Apply(v, x, v) }) })
	}
	if parts.Given(s.Aggregate) {
		warp.Map2(at, id, rank, isa.Clz, func(l, _ int32) int32 { return int32(segs.Last(int(l))) })
		warp.Shfl(s.Aggregate, v, warp.Shuffle{PerLane: at})
	}
	if parts.Given(s.Initial) {
		g.Only(g.Members, func() { op.Apply(v, s.Initial, v) })
	}
	if parts.Given(s.Exclusive) {
		if g.Width > 1 {
			up(&g, s.Exclusive, v, 1, warp.Pred{})
		}
		only(w, segs.Begin, func() {
			if parts.Given(s.Initial) {
				warp.Mov(s.Exclusive, s.Initial)
			} else {
				warp.Set(s.Exclusive, op.Identity)
			}
		})
	}
	w.Release(m)
}

// A Flagged is an item of a segmented scan: Head is not 0 where a segment
// begins.
type Flagged[T any] struct {
	Head  int32
	Value T
}

// Segmented turns an operator into one on flagged items that does not combine
// across the beginning of a segment. It is associative, does not commute, and
// works with every algorithm of this package and of package reduce, in blocks
// and grids too. In an inclusive scan with it, Value is the scan of each
// segment by itself.
//
// It costs the operator and two instructions that keep the flag and the value
// of the right operand.
func Segmented[T any](op reduce.Op[T]) reduce.Op[Flagged[T]] {
	combine := func(a, b Flagged[T]) Flagged[T] {
		if b.Head != 0 {
			return b
		}
		return Flagged[T]{Head: a.Head, Value: op.Combine(a.Value, b.Value)}
	}
	return reduce.Op[Flagged[T]]{
		Name: "segmented " + op.Name, Combine: combine,
		Identity: Flagged[T]{Value: op.Identity}, HasIdentity: op.HasIdentity,
		Apply: func(dst, a, b warp.Reg[Flagged[T]]) {
			w := dst.Warp()
			m := w.Mark()
			t := warp.Alloc[Flagged[T]](w)
			warp.Map2(t, a, b, isa.FAdd, combine)
			warp.Map2(t, t, b, isa.Logic, func(x, _ Flagged[T]) Flagged[T] { return x })
			warp.Map2(dst, t, b, isa.Select, func(x, _ Flagged[T]) Flagged[T] { return x })
			w.Release(m)
		},
	}
}
