package gridkernels

import (
	"fmt"
	"math"

	"example.com/warpsim/warp"
)

// rowLoop runs body for the columns of a row that are the lane's, of a row a warp.
func rowLoop(w *warp.Warp, cols int, body func(i warp.Reg[int32])) {
	i, p := warp.Alloc[int32](w), w.Pred()
	warp.Mov(i, w.LaneID())
	w.While(func() warp.Pred { warp.LtImm(p, i, int32(cols)); return p }, func() {
		body(i)
		warp.AddImm(i, i, 32)
	})
}

// softmaxRows takes a row a block.
func softmaxRows(in *Inputs, e *warp.Engine, c Case) (*Grid, error) {
	cols := c.N / c.Blocks
	if cols*c.Blocks != c.N {
		return nil, fmt.Errorf("%d items in %d rows", c.N, c.Blocks)
	}
	a := arrays{e: e}
	out := make([]float32, c.N)
	x, y := global(&a, in.x[:c.N]), global(&a, out)
	return &Grid{
		Kernel: func(w *warp.Warp) {
			b := newTeam(w, 33)
			q := warp.Shared[float32](w, 32)
			row, res := x.At(w.BlockIndex()*cols), y.At(w.BlockIndex()*cols)
			m, v, sum := warp.Alloc[float32](w), warp.Alloc[float32](w), warp.Alloc[float32](w)
			warp.Set(m, -1e30)
			blockLoop(w, cols, func(i warp.Reg[int32]) {
				warp.Load(v, row, i)
				warp.Max(m, m, v)
			})
			warpMax := func() {
				for o := 16; o > 0; o >>= 1 {
					warp.ShflXor(v, m, o)
					warp.Max(m, m, v)
				}
			}
			warpMax()
			warp.EqImm(b.lead, b.lane, 0)
			w.Where(b.lead, func() { warp.Store(q, b.warp, m) })
			w.SyncBlock()
			warp.LtImm(b.some, b.lane, int32(w.BlockWarps()))
			warp.Set(m, -1e30)
			w.Where(b.some, func() { warp.Load(m, q, b.lane) })
			warpMax()
			warp.Set(sum, 0)
			blockLoop(w, cols, func(i warp.Reg[int32]) {
				warp.Load(v, row, i)
				warp.Sub(v, v, m)
				warp.FastExp(v, v)
				warp.Add(sum, sum, v)
			})
			b.blockSum(sum, true)
			blockLoop(w, cols, func(i warp.Reg[int32]) {
				warp.Load(v, row, i)
				warp.Sub(v, v, m)
				warp.FastExp(v, v)
				warp.Div(v, v, sum)
				warp.Store(res, i, v)
			})
		},
		Reset: func() { clear(out) },
		Check: func() error {
			for r := range c.Blocks {
				row := in.x[r*cols : (r+1)*cols]
				m, sum := math.Inf(-1), 0.0
				for _, v := range row {
					m = max(m, float64(v))
				}
				for _, v := range row {
					sum += math.Exp(float64(v) - m)
				}
				for i, v := range row {
					want := math.Exp(float64(v)-m) / sum
					if err := near(fmt.Sprintf("row %d column %d", r, i), float64(out[r*cols+i]), want, want, 1e-5); err != nil {
						return err
					}
				}
			}
			return nil
		},
	}, a.err
}

// layernormRows takes a row a warp.
func layernormRows(in *Inputs, e *warp.Engine, c Case) (*Grid, error) {
	cols := 256
	if c.Kernel == "layernorm_row_warp_1024_f32" {
		cols = 1024
	}
	rows := c.N / cols
	a := arrays{e: e}
	out := make([]float32, c.N)
	x, y := global(&a, in.x[:c.N]), global(&a, out)
	return &Grid{
		Kernel: func(w *warp.Warp) {
			r := w.BlockIndex()*w.BlockWarps() + w.ID()
			p, id := w.Pred(), warp.Alloc[int32](w)
			warp.ShrImm(id, w.ThreadID(), 5)
			warp.AddImm(id, id, int32(w.BlockIndex()*w.BlockWarps()))
			warp.LtImm(p, id, int32(rows))
			w.If(p, func() {
				row, res := x.At(r*cols), y.At(r*cols)
				v, t, sum, sq := warp.Alloc[float32](w), warp.Alloc[float32](w), warp.Alloc[float32](w), warp.Alloc[float32](w)
				warp.Set(sum, 0)
				warp.Set(sq, 0)
				rowLoop(w, cols, func(i warp.Reg[int32]) {
					warp.Load(v, row, i)
					warp.Add(sum, sum, v)
					warp.FMA(sq, v, v, sq)
				})
				for _, s := range []warp.Reg[float32]{sum, sq} {
					for o := 16; o > 0; o >>= 1 {
						warp.ShflXor(t, s, o)
						warp.Add(s, s, t)
					}
				}
				mean, inv := sum, sq
				warp.MulImm(mean, sum, 1/float32(cols))
				warp.MulImm(sq, sq, 1/float32(cols))
				warp.Mul(t, mean, mean)
				warp.Sub(sq, sq, t)
				warp.AddImm(sq, sq, 1e-5)
				warp.Rsqrt(inv, sq)
				rowLoop(w, cols, func(i warp.Reg[int32]) {
					warp.Load(v, row, i)
					warp.Sub(v, v, mean)
					warp.Mul(v, v, inv)
					warp.Store(res, i, v)
				})
			})
			w.SyncBlock()
		},
		Reset: func() { clear(out) },
		Check: func() error {
			for r := range rows {
				row := in.x[r*cols : (r+1)*cols]
				var sum, sq float64
				for _, v := range row {
					sum += float64(v)
					sq += float64(v) * float64(v)
				}
				mean := sum / float64(cols)
				inv := 1 / math.Sqrt(sq/float64(cols)-mean*mean+1e-5)
				for i, v := range row {
					want := (float64(v) - mean) * inv
					if err := near(fmt.Sprintf("row %d column %d", r, i), float64(out[r*cols+i]), want, 1, 1e-4); err != nil {
						return err
					}
				}
			}
			return nil
		},
	}, a.err
}
