package reduce

import (
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
)

// Redux reduces v with the device's reduction instruction: one for each group,
// and a copy out of the uniform register. All lanes of the groups that hold an
// item get the result. A device, type or operator without it is an error of
// kind ErrRedux.
func Redux[T any](v warp.Reg[T], op Op[T], t Tile) {
	w := v.Warp()
	must(op.needRedux("redux", w.Device()))
	g := split(w, "redux", t)
	if g.members == w.Active() && g.width == w.Width() {
		op.Redux(v, v)
		return
	}
	for base := 0; base+g.width <= w.Width(); base += g.width {
		items := g.members.And(lane.Range(base, base+g.width))
		if items.Empty() {
			continue
		}
		m := w.Mark()
		p := w.Pred()
		warp.SetPred(p, items)
		w.Where(p, func() { op.Redux(v, v) })
		w.Release(m)
	}
	if t.Everywhere && g.members != w.Active() {
		broadcast(&g, v)
	}
}
