package main

import (
	"context"
	"fmt"
	"strings"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/memory"
)

// The published grids are textbook reductions and scans of 32-bit integers that
// launch again and again until one block is left. The times hold copies between the
// launches as well, the same for all, so only their order is compared.

// gridTime returns the microseconds of all launches, the first of which finds a cold
// memory.
func gridTime(f *figure, of string) (float64, error) {
	if of == "scan_time" {
		return scanTime(f)
	}
	n, ok := f.items()
	name, _, _ := strings.Cut(f.condition, ",")
	kernel, known := reductions[name]
	if !ok || of != "reduction_time" || !known {
		return 0, errNoKernel
	}
	const threads = 512
	total := 0.0
	e, err := warp.New(warp.Config{Device: f.profile, Memory: memory.Kept, Faults: warp.Off})
	if err != nil {
		return 0, err
	}
	data := make([]uint32, n)
	for i := range data {
		data[i] = uint32(i)
	}
	var want uint32
	for _, v := range data {
		want += v
	}
	x, err := warp.Global(e, data)
	if err != nil {
		return 0, err
	}
	for n > 1 {
		grid := (n + threads*kernel.items - 1) / (threads * kernel.items)
		out := make([]uint32, grid)
		y, err := warp.Global(e, out)
		if err != nil {
			return 0, err
		}
		r, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(grid), Threads: warp.X(threads)}, func(w *warp.Warp) {
			reduceBlock(w, kernel, x, y, n)
		})
		if err != nil {
			return 0, err
		}
		total += 1e6 * r.Seconds()
		data, x, n = out, y, grid
	}
	if data[0] != want {
		return 0, fmt.Errorf("%s adds up to %d, want %d", name, data[0], want)
	}
	return total, nil
}

// A reduction is one of the textbook's kernels.
type reduction struct {
	items    int // loaded by a thread
	tree     func(t *tree)
	unrolled bool // the last warp goes on without barriers
	straight bool // no loop at all
}

var reductions = map[string]reduction{
	"Simple Reduction":                  {items: 1, tree: (*tree).neighbours},
	"Reduction - Adjacent Threads":      {items: 1, tree: (*tree).adjacent},
	"Reduction - Sequential Addressing": {items: 1, tree: (*tree).sequential},
	"Reduction - Two Loads per Thread":  {items: 2, tree: (*tree).sequential},
	"Reduction - Unroll Last Warp":      {items: 2, tree: (*tree).sequential, unrolled: true},
	"Reduction - Completely Unrolled":   {items: 2, tree: (*tree).sequential, unrolled: true, straight: true},
	"Reduction - Multiple Loads":        {items: 2, tree: (*tree).sequential, unrolled: true, straight: true},
}

// A tree adds up what the threads of a block have put into shared memory.
type tree struct {
	reduction
	w         *warp.Warp
	s         warp.Mem[uint32]
	idx, far  warp.Reg[int32]
	v, u      warp.Reg[uint32]
	some, odd warp.Pred
}

func reduceBlock(w *warp.Warp, k reduction, x, y warp.Mem[uint32], n int) {
	threads := w.BlockThreads()
	t := &tree{reduction: k, w: w, s: warp.Shared[uint32](w, threads), idx: warp.Alloc[int32](w), far: warp.Alloc[int32](w),
		v: warp.Alloc[uint32](w), u: warp.Alloc[uint32](w), some: w.Pred(), odd: w.Pred()}
	i := t.idx
	warp.AddImm(i, w.ThreadID(), int32(w.BlockIndex()*threads*k.items))
	warp.Set(t.v, 0)
	for j := range k.items {
		if j > 0 {
			warp.AddImm(i, i, int32(threads))
		}
		warp.Set(t.u, 0)
		warp.LtImm(t.some, i, int32(n))
		w.Where(t.some, func() { warp.Load(t.u, x, i) })
		warp.Add(t.v, t.v, t.u)
	}
	warp.Store(t.s, w.ThreadID(), t.v)
	w.SyncBlock()
	k.tree(t)
	warp.EqImm(t.some, w.ThreadID(), 0)
	w.Where(t.some, func() {
		warp.Load(t.v, t.s, w.ThreadID())
		warp.Set(i, int32(w.BlockIndex()))
		warp.Store(y, i, t.v)
	})
}

// step adds element at+d to element at in the threads of some.
func (t *tree) step(at warp.Reg[int32], d int) {
	t.w.If(t.some, func() { t.add(at, d) })
}

func (t *tree) add(at warp.Reg[int32], d int) {
	warp.AddImm(t.far, at, int32(d))
	warp.Load(t.u, t.s, t.far)
	warp.Load(t.v, t.s, at)
	warp.Add(t.v, t.v, t.u)
	warp.Store(t.s, at, t.v)
}

// neighbours has every second, fourth, ... thread add.
func (t *tree) neighbours() {
	r, by := warp.Alloc[int32](t.w), warp.Alloc[int32](t.w)
	for d := 1; d < t.w.BlockThreads(); d *= 2 {
		warp.Set(by, int32(2*d))
		warp.Rem(r, t.w.ThreadID(), by) // as written: nothing tells the compiler of a power of two
		warp.EqImm(t.some, r, 0)
		t.step(t.w.ThreadID(), d)
		t.w.SyncBlock()
		t.turn()
	}
}

// adjacent has the first threads add, at elements that lie apart.
func (t *tree) adjacent() {
	for d := 1; d < t.w.BlockThreads(); d *= 2 {
		warp.MulImm(t.idx, t.w.ThreadID(), int32(2*d))
		warp.LtImm(t.some, t.idx, int32(t.w.BlockThreads()))
		t.step(t.idx, d)
		t.w.SyncBlock()
		t.turn()
	}
}

// sequential has the first threads add the second half to the first.
func (t *tree) sequential() {
	last := 1
	if t.unrolled {
		last = 64
	}
	d := t.w.BlockThreads() / 2
	for ; d >= last; d /= 2 {
		warp.LtImm(t.some, t.w.ThreadID(), int32(d))
		t.step(t.w.ThreadID(), d)
		t.w.SyncBlock()
		if !t.straight {
			t.turn()
		}
	}
	if d == 0 {
		return
	}
	warp.LtImm(t.some, t.w.ThreadID(), 32)
	t.w.If(t.some, func() {
		for ; d > 0; d /= 2 { // volatile: each step waits for the one before
			t.add(t.w.ThreadID(), d)
			t.w.SyncWarp(t.w.Active())
		}
	})
}

// turn is what a loop costs beside its body: the counter, a comparison, a branch.
func (t *tree) turn() {
	warp.AddImm(t.far, t.far, 1)
	warp.LtImm(t.odd, t.far, 0)
	t.w.Jump()
}
