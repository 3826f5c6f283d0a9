package reduce

import (
	"example.com/warpsim/warp"
)

// Sequential reduces v item by item from left to right: every lane reads lane
// 1, 2, 3, ... of its group in turn. It takes n-1 shuffles and operators for n
// items and is what the others are held against: the order of additions is that
// of a plain loop, and every lane of the group ends up with the result.
func Sequential[T any](v warp.Reg[T], op Op[T], t Tile) {
	w := v.Warp()
	g := t.lanes(w, "sequential")
	if none(&g, v, &op) || g.Members.Empty() {
		return
	}
	m := w.Mark()
	x, sum := warp.Alloc[T](w), warp.Alloc[T](w)
	from(&g, sum, v, 0)
	for k := 1; k < g.Count; k++ {
		have := g.groupsOver(k)
		if have == w.Active() {
			from(&g, x, v, k)
			op.Apply(sum, sum, x)
			continue
		}
		inner := w.Mark()
		p := w.Pred()
		warp.SetPred(p, have)
		w.Where(p, func() {
			from(&g, x, v, k)
			op.Apply(sum, sum, x)
		})
		w.Release(inner)
	}
	warp.Mov(v, sum)
	w.Release(m)
}
