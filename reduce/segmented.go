package reduce

import (
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
)

// HeadSegmented reduces each segment of neighbouring lanes by itself: a segment
// begins at every lane in which head holds, and at the first lane of each
// group. The result is in the first lane of each segment, or in all of them. It
// works as ShuffleInterleaved does, over rising distances, so the operator need
// not commute; flags cost a ballot and three instructions, and each step an
// addition and a compare that keep the lanes inside their segment.
func HeadSegmented[T any](v warp.Reg[T], op Op[T], head warp.Pred, t Tile) {
	g := split(v.Warp(), "head-segmented", t)
	segmented(&g, v, &op, head, t.Everywhere, func(flags lane.Mask) lane.Mask { return flags.Or(g.firsts()) })
}

// TailSegmented is HeadSegmented with segments that end at every lane in which
// tail holds, and at the last item of each group.
func TailSegmented[T any](v warp.Reg[T], op Op[T], tail warp.Pred, t Tile) {
	g := split(v.Warp(), "tail-segmented", t)
	segmented(&g, v, &op, tail, t.Everywhere, func(flags lane.Mask) lane.Mask { return up(flags, 1).Or(g.firsts()) })
}

// segmented reduces segments; heads turns the flags into the first lanes of the
// segments.
func segmented[T any](g *groups, v warp.Reg[T], op *Op[T], flag warp.Pred, everywhere bool, heads func(lane.Mask) lane.Mask) {
	w := g.w
	id := w.LaneID()
	m := w.Mark()
	flags := w.MaskReg()
	if g.members == w.Active() {
		warp.Ballot(flags, flag)
	} else {
		p := w.Pred()
		warp.SetPred(p, g.members)
		w.Where(p, func() { warp.Ballot(flags, flag) })
	}
	begin := heads(flags.Mask()).And(g.members)
	rank, last := warp.Alloc[int32](w), warp.Alloc[int32](w)
	warp.Rank(rank, flags)
	warp.Map2(last, id, rank, isa.Clz, func(l, _ int32) int32 { return int32(g.segmentEnd(begin, int(l))) })

	x, at, p := warp.Alloc[T](w), warp.Alloc[int32](w), w.Pred()
	for d := 1; d < g.count; d *= 2 {
		warp.AddImm(at, id, int32(d))
		warp.Le(p, at, last)
		if g.open {
			warp.ShflDown(x, v, d)
		} else {
			warp.Min(at, at, last)
			warp.Shfl(x, v, warp.Shuffle{PerLane: at})
		}
		w.Where(p, func() { op.Apply(v, v, x) })
	}
	if everywhere {
		warp.Map2(at, id, rank, isa.Clz, func(l, _ int32) int32 { return int32(segmentBegin(begin, int(l))) })
		warp.Shfl(v, v, warp.Shuffle{PerLane: at})
	}
	w.Release(m)
}

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

// segmentBegin returns the first lane of lane l's segment. A lane without an
// item gets one that may be read.
func segmentBegin(begin lane.Mask, l int) int {
	if first := begin.And(lane.FirstN(l + 1)).Last(); first >= 0 {
		return first
	}
	return l
}
