package gridkernels

import (
	"fmt"

	"example.com/warpsim/warp"
)

const longestRow = 96

// spmvRows multiplies a sparse matrix of c.N rows of 1 to longestRow entries by a
// vector, a row a warp.
func spmvRows(in *Inputs, e *warp.Engine, c Case) (*Grid, error) {
	rows := c.N
	starts, cols := make([]int32, rows+1), []int32(nil)
	for r := range rows {
		for k := range int(1 + uint32(r)*7919%longestRow) {
			cols = append(cols, int32((uint32(r)*31+uint32(k)*7877)%uint32(rows)))
		}
		starts[r+1] = int32(len(cols))
	}
	a := arrays{e: e}
	out := make([]float32, rows)
	ptr, col := global(&a, starts), global(&a, cols)
	val, x, y := global(&a, in.x[:len(cols)]), global(&a, in.y[:rows]), global(&a, out)
	return &Grid{
		Kernel: func(w *warp.Warp) {
			id, p := warp.Alloc[int32](w), w.Pred()
			warp.ShrImm(id, w.ThreadID(), 5)
			warp.AddImm(id, id, int32(w.BlockIndex()*w.BlockWarps()))
			warp.LtImm(p, id, int32(rows))
			w.If(p, func() {
				i, end, k, more := warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w), w.Pred()
				v, m, u := warp.Alloc[float32](w), warp.Alloc[float32](w), warp.Alloc[float32](w)
				warp.Set(v, 0)
				warp.Load(i, ptr, id)
				warp.Load(end, ptr.At(1), id)
				warp.Add(i, i, w.LaneID())
				w.While(func() warp.Pred { warp.Lt(more, i, end); return more }, func() {
					warp.Load(k, col, i)
					warp.Load(m, val, i)
					warp.Load(u, x, k)
					warp.FMA(v, m, u, v)
					warp.AddImm(i, i, 32)
				})
				for o := 16; o > 0; o >>= 1 {
					warp.ShflDown(u, v, o)
					warp.Add(v, v, u)
				}
				lead := w.Pred()
				warp.EqImm(lead, w.LaneID(), 0)
				w.Where(lead, func() { warp.Store(y, id, v) })
			})
			w.SyncBlock()
		},
		Reset: func() { clear(out) },
		Check: func() error {
			for r := range rows {
				var want float64
				for i := starts[r]; i < starts[r+1]; i++ {
					want += float64(in.x[i]) * float64(in.y[cols[i]])
				}
				if err := near(fmt.Sprintf("row %d", r), float64(out[r]), want, want, 1e-5); err != nil {
					return err
				}
			}
			return nil
		},
	}, a.err
}

// gemmTile multiplies square matrices by tiles of 16 x 16.
func gemmTile(in *Inputs, e *warp.Engine, c Case) (*Grid, error) {
	d := c.N
	if d%16 != 0 || c.Threads != 256 {
		return nil, fmt.Errorf("side %d with blocks of %d: a multiple of 16 with 256", d, c.Threads)
	}
	arr := arrays{e: e}
	out := make([]float32, d*d)
	a, b, y := global(&arr, in.x[:d*d]), global(&arr, in.y[:d*d]), global(&arr, out)
	tiles := d / 16
	return &Grid{
		Launch: warp.Launch{Blocks: warp.Dim{X: tiles, Y: tiles}, Threads: warp.Dim{X: 16, Y: 16}},
		Kernel: func(w *warp.Warp) {
			p, q := warp.Shared[float32](w, 256), warp.Shared[float32](w, 256)
			bx, by := w.BlockIndex()%tiles, w.BlockIndex()/tiles
			tx, ty, ra, cb, rowA, side := warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w)
			warp.AndImm(tx, w.ThreadID(), 15)
			warp.ShrImm(ty, w.ThreadID(), 4)
			warp.Set(side, int32(d))
			warp.MulAdd(ra, ty, side, tx) // place in a tile's rows
			warp.AddImm(cb, ra, int32(16*bx))
			warp.ShlImm(rowA, ty, 4)
			v, u, m, n := warp.Alloc[float32](w), warp.Alloc[float32](w), warp.Alloc[float32](w), warp.Alloc[float32](w)
			warp.Set(v, 0)
			k, more := warp.Alloc[int32](w), w.Pred()
			warp.Set(k, 0)
			t := 0
			w.While(func() warp.Pred { warp.LtImm(more, k, int32(d)); return more }, func() {
				warp.Load(u, a.At(16*by*d+t), ra)
				warp.Store(p, w.ThreadID(), u)
				warp.Load(u, b.At(t*d), cb)
				warp.Store(q, w.ThreadID(), u)
				w.SyncBlock()
				for i := range 16 {
					warp.Load(m, p.At(i), rowA)
					warp.Load(n, q.At(16*i), tx)
					warp.FMA(v, m, n, v)
				}
				w.SyncBlock()
				t += 16
				warp.AddImm(k, k, 16)
			})
			warp.Store(y.At(16*by*d), cb, v)
		},
		Reset: func() { clear(out) },
		Check: func() error {
			for r := range d {
				for col := range d {
					var want float64
					for k := range d {
						want += float64(in.x[r*d+k]) * float64(in.y[k*d+col])
					}
					if err := near(fmt.Sprintf("row %d column %d", r, col), float64(out[r*d+col]), want, want, 1e-4); err != nil {
						return err
					}
				}
			}
			return nil
		},
	}, arr.err
}
