package reduce

import (
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
)

// Redux reduces v with the device's reduction instruction: one for each group,
// and a copy out of the uniform register. All lanes of the groups that hold an
// item get the result. A device, type or operator without it is an error of
// kind team.ErrRedux.
func Redux[T any](v warp.Reg[T], op Op[T], t Tile) {
	w := v.Warp()
	must(op.needRedux("redux", w.Device()))
	g := t.lanes(w, "redux")
	if none(&g, v, &op) {
		return
	}
	if g.Members == w.Active() && g.Width == w.Width() {
		op.Redux(v, v)
		return
	}
	for base := 0; base+g.Width <= w.Width(); base += g.Width {
		items := g.Members.And(lane.Range(base, base+g.Width))
		if items.Empty() {
			continue
		}
		m := w.Mark()
		p := w.Pred()
		warp.SetPred(p, items)
		w.Where(p, func() { op.Redux(v, v) })
		w.Release(m)
	}
	if t.Everywhere && g.Members != w.Active() {
		broadcast(&g, v)
	}
}
