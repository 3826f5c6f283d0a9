package main

import (
	"context"
	"fmt"
	"strings"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/memory"
)

// A scan is one of the textbook's kernels that add up a section of a list in a block
// of 512 threads. The grid scans the sums of the sections in turn, and adds them.
type scan struct {
	items int // of a thread
	block func(t *scanned)
}

var scans = map[string]scan{
	"Hierarchical Scan Kogge-Stone": {1, (*scanned).koggeStone},
	"Hierarchical Scan Brent-Kung":  {2, (*scanned).brentKung},
	"Hierarchical Scan Three-Phase": {8, (*scanned).threePhase},
}

const scanThreads = 512

// scanTime returns the microseconds of all launches, the first of which finds a cold
// memory.
func scanTime(f *figure) (float64, error) {
	n, ok := f.items()
	name, _, _ := strings.Cut(f.condition, ",")
	k, known := scans[name]
	if !ok || !known {
		return 0, errNoKernel
	}
	e, err := warp.New(warp.Config{Device: f.profile, Memory: memory.Kept, Faults: warp.Off})
	if err != nil {
		return 0, err
	}
	data, out := make([]uint32, n), make([]uint32, n)
	for i := range data {
		data[i] = uint32(i)
	}
	x, err := warp.Global(e, data)
	if err != nil {
		return 0, err
	}
	y, err := warp.Global(e, out)
	if err != nil {
		return 0, err
	}
	total, err := k.run(e, x, y, n)
	if err != nil {
		return 0, err
	}
	sum := uint32(0)
	for i, v := range data {
		if sum += v; out[i] != sum {
			return 0, fmt.Errorf("%s: element %d is %d, want %d", name, i, out[i], sum)
		}
	}
	return total, nil
}

// run scans n elements of x into y, and returns the microseconds. The sums of the
// sections are scanned in their place.
func (k scan) run(e *warp.Engine, x, y warp.Mem[uint32], n int) (float64, error) {
	section := k.items * scanThreads
	blocks := (n + section - 1) / section
	sums, err := warp.Global(e, make([]uint32, blocks))
	if err != nil {
		return 0, err
	}
	total := 0.0
	launch := func(grid int, kernel func(w *warp.Warp)) error {
		r, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(grid), Threads: warp.X(scanThreads)}, kernel)
		if err == nil {
			total += 1e6 * r.Seconds()
		}
		return err
	}
	if err := launch(blocks, func(w *warp.Warp) { k.section(w, x, y, sums, n) }); err != nil || blocks == 1 {
		return total, err
	}
	more, err := k.run(e, sums, sums, blocks)
	if err != nil {
		return 0, err
	}
	err = launch(blocks-1, func(w *warp.Warp) { k.add(w, y, sums, n) })
	return total + more, err
}

// A scanned is a section in shared memory.
type scanned struct {
	scan
	w        *warp.Warp
	s        warp.Mem[uint32]
	at, from warp.Reg[int32]
	v, u     warp.Reg[uint32]
	some     warp.Pred
}

// each calls f with the number of each of the thread's elements, in turn, in at.
func (t *scanned) each(base int, f func()) {
	for j := range t.items {
		warp.AddImm(t.at, t.w.ThreadID(), int32(base+j*scanThreads))
		f()
	}
}

func (k scan) section(w *warp.Warp, x, y, sums warp.Mem[uint32], n int) {
	section := k.items * scanThreads
	t := &scanned{scan: k, w: w, s: warp.Shared[uint32](w, section), at: warp.Alloc[int32](w), from: warp.Alloc[int32](w),
		v: warp.Alloc[uint32](w), u: warp.Alloc[uint32](w), some: w.Pred()}
	base := w.BlockIndex() * section
	t.each(base, func() {
		warp.Set(t.u, 0)
		warp.LtImm(t.some, t.at, int32(n))
		w.Where(t.some, func() { warp.Load(t.u, x, t.at) })
		warp.AddImm(t.at, t.at, int32(-base))
		warp.Store(t.s, t.at, t.u)
	})
	w.SyncBlock()
	k.block(t)
	t.each(base, func() {
		warp.AddImm(t.from, t.at, int32(-base))
		warp.Load(t.u, t.s, t.from)
		warp.LtImm(t.some, t.at, int32(n))
		w.Where(t.some, func() { warp.Store(y, t.at, t.u) })
	})
	warp.EqImm(t.some, w.ThreadID(), scanThreads-1)
	w.Where(t.some, func() {
		warp.Set(t.at, int32(section-1))
		warp.Load(t.u, t.s, t.at)
		warp.Set(t.at, int32(w.BlockIndex()))
		warp.Store(sums, t.at, t.u)
	})
}

// koggeStone adds to each element the one 1, 2, 4, ... before, by way of a second list.
func (t *scanned) koggeStone() {
	sums := warp.Shared[uint32](t.w, scanThreads)
	for d := 1; d < scanThreads; d *= 2 {
		warp.GeImm(t.some, t.w.ThreadID(), int32(d))
		t.w.Where(t.some, func() {
			warp.AddImm(t.from, t.w.ThreadID(), int32(-d))
			warp.Load(t.v, t.s, t.w.ThreadID())
			warp.Load(t.u, t.s, t.from)
			warp.Add(t.v, t.v, t.u)
			warp.Store(sums, t.w.ThreadID(), t.v)
		})
		t.w.SyncBlock()
		t.w.Where(t.some, func() {
			warp.Load(t.v, sums, t.w.ThreadID())
			warp.Store(t.s, t.w.ThreadID(), t.v)
		})
		t.w.SyncBlock()
		t.w.Jump()
	}
}

// brentKung adds up a tree, and hands the sums down again.
func (t *scanned) brentKung() { t.tree(t.items*scanThreads, 1) }

// tree does so with every size-th element, of which there are n.
func (t *scanned) tree(n, size int) {
	step := func(d, from, to int, most int) {
		warp.MulImm(t.from, t.w.ThreadID(), int32(2*d*size))
		warp.AddImm(t.from, t.from, int32((2*d+from)*size-1))
		warp.AddImm(t.at, t.from, int32((to-from)*size))
		warp.LtImm(t.some, t.at, int32(most*size))
		t.w.If(t.some, func() {
			warp.Load(t.v, t.s, t.at)
			warp.Load(t.u, t.s, t.from)
			warp.Add(t.v, t.v, t.u)
			warp.Store(t.s, t.at, t.v)
		})
		t.w.SyncBlock()
		t.w.Jump()
	}
	for d := 1; d < n; d *= 2 {
		step(d, -d, 0, n)
	}
	for d := n / 4; d > 0; d /= 2 {
		step(d, 0, d, n)
	}
}

// threePhase has each thread add up its own elements, scans the sums as brentKung
// does, and adds them.
func (t *scanned) threePhase() {
	w, first := t.w, warp.Alloc[int32](t.w)
	warp.MulImm(first, w.ThreadID(), int32(t.items))
	warp.Set(t.v, 0)
	for j := range t.items {
		warp.AddImm(t.at, first, int32(j))
		warp.Load(t.u, t.s, t.at)
		warp.Add(t.v, t.v, t.u)
		warp.Store(t.s, t.at, t.v)
	}
	w.SyncBlock()
	t.tree(scanThreads, t.items)
	warp.GeImm(t.some, w.ThreadID(), 1)
	w.If(t.some, func() {
		sum := warp.Alloc[uint32](w)
		warp.AddImm(t.at, first, -1)
		warp.Load(sum, t.s, t.at)
		for j := range t.items - 1 {
			warp.AddImm(t.at, first, int32(j))
			warp.Load(t.u, t.s, t.at)
			warp.Add(t.u, t.u, sum)
			warp.Store(t.s, t.at, t.u)
		}
	})
	w.SyncBlock()
}

// add adds the sum of what comes before to each section but the first.
func (k scan) add(w *warp.Warp, y, before warp.Mem[uint32], n int) {
	t := &scanned{scan: k, w: w, at: warp.Alloc[int32](w), from: warp.Alloc[int32](w),
		v: warp.Alloc[uint32](w), u: warp.Alloc[uint32](w), some: w.Pred()}
	warp.Set(t.from, int32(w.BlockIndex()))
	warp.Load(t.v, before, t.from)
	t.each((w.BlockIndex()+1)*k.items*scanThreads, func() {
		warp.LtImm(t.some, t.at, int32(n))
		w.Where(t.some, func() {
			warp.Load(t.u, y, t.at)
			warp.Add(t.u, t.u, t.v)
			warp.Store(y, t.at, t.u)
		})
	})
}
