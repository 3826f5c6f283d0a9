package gridkernels

import (
	"fmt"
	"math"

	"example.com/warpsim/warp"
)

// scanTiles scans each block's items by themselves.
func scanTiles(in *Inputs, e *warp.Engine, c Case) (*Grid, error) {
	a := arrays{e: e}
	out := make([]float32, c.N)
	x, y := global(&a, in.x[:c.N]), global(&a, out)
	return &Grid{
		Kernel: func(w *warp.Warp) {
			b := newTeam(w, 33)
			v := loadItem(w, x, c.N)
			p := w.Pred()
			scan := func(v warp.Reg[float32]) {
				for d := 1; d < 32; d <<= 1 {
					warp.ShflUp(b.t, v, d)
					warp.GeImm(p, b.lane, int32(d))
					w.Where(p, func() { warp.Add(v, v, b.t) })
				}
			}
			scan(v)
			warp.EqImm(p, b.lane, 31)
			w.Where(p, func() { warp.Store(b.shared, b.warp, v) })
			w.SyncBlock()
			warp.EqImm(b.some, b.warp, 0)
			w.If(b.some, func() {
				u := warp.Alloc[float32](w)
				warp.Set(u, 0)
				warp.LtImm(p, b.lane, int32(w.BlockWarps()))
				w.Where(p, func() { warp.Load(u, b.shared, b.lane) })
				scan(u)
				warp.Store(b.shared, b.lane, u)
			})
			w.SyncBlock()
			warp.NeImm(p, b.warp, 0)
			w.Where(p, func() {
				warp.Load(b.t, b.shared.At(-1), b.warp)
				warp.Add(v, v, b.t)
			})
			i, has := itemBelow(w, c.N)
			w.Where(has, func() { warp.Store(y, i, v) })
		},
		Reset: func() { clear(out) },
		Check: func() error {
			var sum float64
			for i, got := range out {
				if i%c.Threads == 0 {
					sum = 0
				}
				sum += float64(in.x[i])
				if err := near(fmt.Sprintf("item %d", i), float64(got), sum, sum, float64(c.Threads)*math.Pow(2, -24)); err != nil {
					return err
				}
			}
			return nil
		},
	}, a.err
}
