package reduce

import (
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
	g := t.lanes(v.Warp(), "head-segmented")
	segmented(&g, v, &op, head, t.Everywhere, 0)
}

// TailSegmented is HeadSegmented with segments that end at every lane in which
// tail holds, and at the last item of each group.
func TailSegmented[T any](v warp.Reg[T], op Op[T], tail warp.Pred, t Tile) {
	g := t.lanes(v.Warp(), "tail-segmented")
	segmented(&g, v, &op, tail, t.Everywhere, 1)
}

// segmented reduces segments that begin so many lanes after a flag.
func segmented[T any](g *roster, v warp.Reg[T], op *Op[T], flag warp.Pred, everywhere bool, after int) {
	if none(g, v, op) {
		return
	}
	w := g.W
	id := w.LaneID()
	m := w.Mark()
	flags := w.MaskReg()
	g.Only(g.Members, func() { warp.Ballot(flags, flag) })
	parts := g.Cut(up(flags.Mask(), after))
	rank, last := warp.Alloc[int32](w), warp.Alloc[int32](w)
	warp.Rank(rank, flags)
	warp.Map2(last, id, rank, isa.Clz, func(l, _ int32) int32 { return int32(parts.Last(int(l))) })

	x, at, p := warp.Alloc[T](w), warp.Alloc[int32](w), w.Pred()
	for d := 1; d < g.Count; d *= 2 {
		warp.AddImm(at, id, int32(d))
		warp.Le(p, at, last)
		if g.Open {
			warp.ShflDown(x, v, d)
		} else {
			warp.Min(at, at, last)
			warp.Shfl(x, v, warp.Shuffle{PerLane: at})
		}
		w.Where(p, func() { op.Apply(v, v, x) })
	}
	if everywhere {
		warp.Map2(at, id, rank, isa.Clz, func(l, _ int32) int32 { return int32(parts.First(int(l))) })
		warp.Shfl(v, v, warp.Shuffle{PerLane: at})
	}
	w.Release(m)
}
