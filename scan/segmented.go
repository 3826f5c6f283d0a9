package scan

import (
	"example.com/warpsim/lane"
	"example.com/warpsim/reduce"
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
	g := split(w, name, s.Width, s.Valid)
	id := w.LaneID()
	m := w.Mark()
	flags := w.MaskReg()
	onMembers(&g, func() { warp.Ballot(flags, head) })
	begin := flags.Mask().Or(g.where(func(rank int) bool { return rank == 0 }))
	rank, first := warp.Alloc[int32](w), warp.Alloc[int32](w)
	warp.Rank(rank, flags)
	warp.Map2(first, id, rank, isa.Clz, func(l, _ int32) int32 { return int32(segmentBegin(begin, int(l))) })

	x, at, p := warp.Alloc[T](w), warp.Alloc[int32](w), w.Pred()
	for d := 1; d < g.count; d *= 2 {
		warp.AddImm(at, id, int32(-d))
		warp.Ge(p, at, first)
		up(&g, x, v, d, warp.Pred{})
		onMembers(&g, func() { w.Where(p, func() { op.Apply(v, x, v) }) })
	}
	if wanted(s.Aggregate) {
		warp.Map2(at, id, rank, isa.Clz, func(l, _ int32) int32 { return int32(g.segmentEnd(begin, int(l))) })
		warp.Shfl(s.Aggregate, v, warp.Shuffle{PerLane: at})
	}
	if wanted(s.Initial) {
		onMembers(&g, func() { op.Apply(v, s.Initial, v) })
	}
	if wanted(s.Exclusive) {
		if g.width > 1 {
			up(&g, s.Exclusive, v, 1, warp.Pred{})
		}
		only(w, begin.And(g.members), func() {
			if wanted(s.Initial) {
				warp.Mov(s.Exclusive, s.Initial)
			} else {
				warp.Set(s.Exclusive, op.Identity)
			}
		})
	}
	w.Release(m)
}

// segmentBegin returns the first lane of lane l's segment.
func segmentBegin(begin lane.Mask, l int) int { return max(begin.And(lane.FirstN(l+1)).Last(), 0) }

// segmentEnd returns the last lane of lane l's segment, l itself if it holds no
// item.
func (g *groups) segmentEnd(begin lane.Mask, l int) int {
	if !g.members.Has(l) {
		return l
	}
	end := g.lastLane(l)
	if next := begin.And(lane.Range(l+1, end+1)).First(); next >= 0 {
		return next - 1
	}
	return end
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
