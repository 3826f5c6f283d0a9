package gridkernels

import (
	"fmt"

	"example.com/warpsim/warp"
)

// A square matrix of side d is transposed by blocks of 32 x 8 threads, each a
// tile of 32 x 32.

func transpose(in *Inputs, e *warp.Engine, c Case, body func(w *warp.Warp, x, y warp.Mem[float32], col, row, ty warp.Reg[int32], bx, by int)) (*Grid, error) {
	if c.N%32 != 0 || c.Threads != 256 {
		return nil, fmt.Errorf("side %d with blocks of %d: a multiple of 32 with 256", c.N, c.Threads)
	}
	a := arrays{e: e}
	d := c.N
	out := make([]float32, d*d)
	x, y := global(&a, in.x[:d*d]), global(&a, out)
	tiles := d / 32
	return &Grid{
		Launch: warp.Launch{Blocks: warp.Dim{X: tiles, Y: tiles}, Threads: warp.Dim{X: 32, Y: 8}},
		Kernel: func(w *warp.Warp) {
			bx, by := w.BlockIndex()%tiles, w.BlockIndex()/tiles
			col, row, ty := warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w)
			warp.ShrImm(ty, w.ThreadID(), 5)
			warp.AddImm(col, w.LaneID(), int32(32*bx))
			warp.AddImm(row, ty, int32(32*by))
			body(w, x, y, col, row, ty, bx, by)
		},
		Reset: func() { clear(out) },
		Check: func() error {
			for i, got := range out {
				if want := in.x[i%d*d+i/d]; got != want {
					return fmt.Errorf("item %d is %v, want %v", i, got, want)
				}
			}
			return nil
		},
	}, a.err
}

func transposeNaive(in *Inputs, e *warp.Engine, c Case) (*Grid, error) {
	d := c.N
	return transpose(in, e, c, func(w *warp.Warp, x, y warp.Mem[float32], col, row, _ warp.Reg[int32], _, _ int) {
		from, to, side := warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w)
		warp.Set(side, int32(d))
		warp.MulAdd(from, row, side, col)
		warp.MulAdd(to, col, side, row)
		for k := 0; k < 32; k += 8 {
			v := warp.Alloc[float32](w)
			warp.Load(v, x.At(k*d), from)
			warp.Store(y.At(k), to, v)
		}
	})
}

func transposeTile(in *Inputs, e *warp.Engine, c Case, pitch int) (*Grid, error) {
	d := c.N
	return transpose(in, e, c, func(w *warp.Warp, x, y warp.Mem[float32], col, row, ty warp.Reg[int32], bx, by int) {
		m := warp.Shared[float32](w, 32*pitch)
		at, in, side := warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w)
		warp.Set(side, int32(d))
		warp.MulAdd(at, row, side, col)
		warp.MulImm(in, ty, int32(pitch))
		warp.Add(in, in, w.LaneID())
		for k := 0; k < 32; k += 8 {
			v := warp.Alloc[float32](w)
			warp.Load(v, x.At(k*d), at)
			warp.Store(m.At(k*pitch), in, v)
		}
		w.SyncBlock()
		warp.AddImm(col, w.LaneID(), int32(32*by))
		warp.AddImm(row, ty, int32(32*bx))
		warp.MulAdd(at, row, side, col)
		warp.MulImm(in, w.LaneID(), int32(pitch))
		warp.Add(in, in, ty)
		for k := 0; k < 32; k += 8 {
			v := warp.Alloc[float32](w)
			warp.Load(v, m.At(k), in)
			warp.Store(y.At(k*d), at, v)
		}
	})
}

func transposeConflicts(in *Inputs, e *warp.Engine, c Case) (*Grid, error) {
	return transposeTile(in, e, c, 32)
}

func transposePadded(in *Inputs, e *warp.Engine, c Case) (*Grid, error) {
	return transposeTile(in, e, c, 33)
}
