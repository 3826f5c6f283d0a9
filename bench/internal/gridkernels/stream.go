package gridkernels

import (
	"fmt"

	"example.com/warpsim/warp"
)

// itemBelow returns the thread's number in the grid and the predicate that it
// has an item.
func itemBelow(w *warp.Warp, n int) (warp.Reg[int32], warp.Pred) {
	i, p := w.GlobalID(), w.Pred()
	warp.LtImm(p, i, int32(n))
	return i, p
}

// strided runs body for the items i, i + the threads of the grid, ... below n.
func strided(w *warp.Warp, n int, body func(i warp.Reg[int32])) {
	stepped(w, w.GlobalID(), n, w.GridBlocks()*w.BlockThreads(), body)
}

// blockLoop runs body for the items from the thread's own on, in steps of a block.
func blockLoop(w *warp.Warp, n int, body func(i warp.Reg[int32])) {
	stepped(w, w.ThreadID(), n, w.BlockThreads(), body)
}

// stepped runs body for the items below n from one on, in steps that the compiler of the
// kernel does not know.
func stepped(w *warp.Warp, from warp.Reg[int32], n, step int, body func(i warp.Reg[int32])) {
	i, stride, p := warp.Alloc[int32](w), warp.Alloc[int32](w), w.Pred()
	warp.Mov(i, from)
	warp.Set(stride, int32(step))
	w.While(func() warp.Pred { warp.LtImm(p, i, int32(n)); return p }, func() {
		body(i)
		warp.Add(i, i, stride)
	})
}

func copyItems(in *Inputs, e *warp.Engine, c Case) (*Grid, error) {
	a := arrays{e: e}
	out := make([]float32, c.N)
	x, y := global(&a, in.x[:c.N]), global(&a, out)
	return &Grid{
		Kernel: func(w *warp.Warp) {
			i, p := itemBelow(w, c.N)
			v := warp.Alloc[float32](w)
			w.Where(p, func() {
				warp.Load(v, x, i)
				warp.Store(y, i, v)
			})
		},
		Reset: func() { clear(out) },
		Check: func() error { return equal(out, in.x[:c.N]) },
	}, a.err
}

func equal(got, want []float32) error {
	for i, v := range want {
		if got[i] != v {
			return fmt.Errorf("item %d is %v, want %v", i, got[i], v)
		}
	}
	return nil
}

// axpy is y = 1.5 x + y for one item.
func axpy(w *warp.Warp, x, y warp.Mem[float32], v, u warp.Reg[float32], i warp.Reg[int32], k warp.Reg[float32]) {
	warp.Load(v, x, i)
	warp.Load(u, y, i)
	warp.FMA(u, k, v, u)
	warp.Store(y, i, u)
}

func saxpyGrid(in *Inputs, e *warp.Engine, c Case, kernel func(x, y warp.Mem[float32]) warp.Kernel) (*Grid, error) {
	a := arrays{e: e}
	out := make([]float32, c.N)
	copy(out, in.y)
	x, y := global(&a, in.x[:c.N]), global(&a, out)
	return &Grid{
		Kernel: kernel(x, y),
		Reset:  func() { copy(out, in.y) },
		Check: func() error {
			for i, v := range in.x[:c.N] {
				if want := float32(1.5*float64(v) + float64(in.y[i])); out[i] != want {
					return fmt.Errorf("item %d is %v, want %v", i, out[i], want)
				}
			}
			return nil
		},
	}, a.err
}

func saxpy(in *Inputs, e *warp.Engine, c Case) (*Grid, error) {
	return saxpyGrid(in, e, c, func(x, y warp.Mem[float32]) warp.Kernel {
		return func(w *warp.Warp) {
			i, p := itemBelow(w, c.N)
			v, u, k := warp.Alloc[float32](w), warp.Alloc[float32](w), warp.Alloc[float32](w)
			warp.Set(k, 1.5)
			w.Where(p, func() { axpy(w, x, y, v, u, i, k) })
		}
	})
}

func saxpyStrided(in *Inputs, e *warp.Engine, c Case) (*Grid, error) {
	return saxpyGrid(in, e, c, func(x, y warp.Mem[float32]) warp.Kernel {
		return func(w *warp.Warp) {
			v, u, k := warp.Alloc[float32](w), warp.Alloc[float32](w), warp.Alloc[float32](w)
			warp.Set(k, 1.5)
			strided(w, c.N, func(i warp.Reg[int32]) { axpy(w, x, y, v, u, i, k) })
		}
	})
}
