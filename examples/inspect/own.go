package main

import (
	"context"

	"example.com/warpsim/warp"
)

// ownKernel runs one of own.
func ownKernel[T warp.Number](ctx context.Context, e *warp.Engine, name string, data []T) error {
	threads := min(len(data), 256, e.Device().Limits.ThreadsPerBlock)
	blocks := (len(data) + threads - 1) / threads
	in, err := warp.Global(e, data)
	if err != nil {
		return err
	}
	launch := warp.Launch{Blocks: warp.X(blocks), Threads: warp.X(threads)}
	switch name {
	case "one-word":
		// What a grid adds to is a 32-bit word, whatever is added.
		word, err := warp.Global(e, make([]int32, 1))
		if err != nil {
			return err
		}
		_, err = e.Run(ctx, launch, oneWord(word))
		return err
	case "race":
		_, err := e.Run(ctx, launch, race(in))
		return err
	}
	pad := 0
	if name == "transpose-padded" {
		pad = 1
	}
	_, err = e.Run(ctx, launch, transpose(in, pad))
	return err
}

// tileColumns is as many words as the banks of most devices, so that the words of a
// column lie in one bank.
const tileColumns = 32

// transpose loads items by rows, a warp a row, writes them to shared memory as columns of
// a tile, and reads rows of that.
func transpose[T warp.Number](in warp.Mem[T], pad int) warp.Kernel {
	return func(w *warp.Warp) {
		pitch := tileColumns + pad
		tile := warp.Shared[T](w, w.Width()*pitch)
		v, at := warp.Alloc[T](w), warp.Alloc[int32](w)
		load(v, in)
		warp.MulImm(at, w.LaneID(), int32(pitch))
		warp.AddImm(at, at, int32(w.ID()))
		warp.Store(tile, at, v)
		w.SyncBlock()
		warp.AddImm(at, w.LaneID(), int32(w.ID()*pitch))
		warp.Load(v, tile, at)
	}
}

// load loads each thread's item, and 0 beyond the last.
func load[T warp.Number](v warp.Reg[T], in warp.Mem[T]) {
	w := v.Warp()
	inside := w.Pred()
	warp.Set(v, 0)
	warp.LtImm(inside, w.GlobalID(), int32(in.Len()))
	w.Where(inside, func() { warp.Load(v, in, w.GlobalID()) })
}

// oneWord lets every thread add 1 to one word.
func oneWord(word warp.Mem[int32]) warp.Kernel {
	return func(w *warp.Warp) {
		zero, one := warp.Alloc[int32](w), warp.Alloc[int32](w)
		warp.Set(zero, 0)
		warp.Set(one, 1)
		warp.AtomicReduce(warp.AtomicAdd, word, zero, one)
	}
}

// race shares items through memory without the barrier that is due.
func race[T warp.Number](in warp.Mem[T]) warp.Kernel {
	return func(w *warp.Warp) {
		n := w.BlockThreads()
		s := warp.Shared[T](w, n)
		v, at := warp.Alloc[T](w), warp.Alloc[int32](w)
		load(v, in)
		warp.Store(s, w.ThreadID(), v)
		// here a w.SyncBlock() is missing
		warp.MulImm(at, w.ThreadID(), -1)
		warp.AddImm(at, at, int32(n-1))
		warp.Load(v, s, at)
	}
}
