package reduce

import (
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
)

// BlockTree reduces a block through shared memory with a barrier a step and
// sequential addressing: the lower half of the threads adds the upper half, over
// falling distances. The operator must commute. s has ThreadStorage.
func BlockTree[T any](v warp.Reg[T], op Op[T], t Tile, s warp.Mem[T]) {
	const name = "block-tree"
	b := treeStart(name, "block-interleaved", v, &op, t, s)
	halve(&b, v, &op, s, 1, t.Everywhere)
	if t.Everywhere && b.valid > 1 {
		reread(&b, v, s)
	} else if t.Everywhere && b.w.BlockThreads() > 1 {
		share(&b, v, s, 0)
	}
}

// BlockUnrolled is BlockTree that leaves the block's barriers behind as soon as
// one warp can do the rest: the first warp goes on with warp-wide barriers.
func BlockUnrolled[T any](v warp.Reg[T], op Op[T], t Tile, s warp.Mem[T]) {
	const name = "block-unrolled"
	b := treeStart(name, "block-interleaved", v, &op, t, s)
	b.readIDs()
	halve(&b, v, &op, s, b.lanes, true)
	n := min(ceilPow2(b.valid), b.lanes)
	b.firstWarp(func() {
		w := b.w
		id, active := w.LaneID(), w.Active()
		m := w.Mark()
		x, p := warp.Alloc[T](w), w.Pred()
		for d := n / 2; d > 0; d /= 2 {
			w.SyncWarp(active)
			warp.LtImm(p, id, int32(min(d, b.valid-d)))
			w.Where(p, func() {
				warp.Load(x, s.At(d), id)
				op.Apply(v, v, x)
				if d > 1 || t.Everywhere {
					warp.Store(s, id, v)
				}
			})
		}
		w.Release(m)
	})
	if t.Everywhere && b.valid > 1 {
		reread(&b, v, s)
	} else if t.Everywhere && b.w.BlockThreads() > 1 {
		share(&b, v, s, 0)
	}
}

// TreeThenShuffle is BlockTree until one warp is left, and ShuffleDown in it.
func TreeThenShuffle[T any](v warp.Reg[T], op Op[T], t Tile, s warp.Mem[T]) {
	const name = "tree-then-shuffle"
	b := treeStart(name, "block-interleaved", v, &op, t, s)
	b.readIDs()
	halve(&b, v, &op, s, b.lanes, false)
	b.firstWarp(func() {
		reduceWarp(byDown, b.w, name, v, &op, min(b.valid, b.lanes))
	})
	if t.Everywhere && b.w.BlockThreads() > 1 {
		share(&b, v, s, 0)
	}
}

// treeStart checks the arguments of a tree with falling distances and stores
// the items.
func treeStart[T any](name, instead string, v warp.Reg[T], op *Op[T], t Tile, s warp.Mem[T]) team {
	must(op.needOrder(name, instead))
	b := assemble(v.Warp(), name, t)
	must(needStorage(name, s, ThreadStorage(b.lanes, b.w.BlockThreads())))
	if b.valid > 1 {
		store(&b, v, s)
	}
	return b
}

// halve runs the steps of distances from half of the block down to stop, each
// after a barrier of the block. Threads that add keep their sum in v, and store
// it for the next step; keep stores it after the last step too.
func halve[T any](b *team, v warp.Reg[T], op *Op[T], s warp.Mem[T], stop int, keep bool) {
	w := b.w
	id := w.ThreadID()
	m := w.Mark()
	x, p := warp.Alloc[T](w), w.Pred()
	for d := ceilPow2(b.valid) / 2; d >= stop; d /= 2 {
		w.SyncBlock()
		warp.LtImm(p, id, int32(min(d, b.valid-d)))
		w.Where(p, func() {
			warp.Load(x, s.At(d), id)
			op.Apply(v, v, x)
			if d > stop || keep {
				warp.Store(s, id, v)
			}
		})
	}
	w.Release(m)
}

// reread gives all threads the result that thread 0 has stored.
func reread[T any](b *team, v warp.Reg[T], s warp.Mem[T]) {
	w := b.w
	w.SyncBlock()
	m := w.Mark()
	zero := warp.Alloc[int32](w)
	warp.Set(zero, 0)
	warp.Load(v, s, zero)
	w.Release(m)
}

// BlockInterleaved reduces a block through shared memory with a barrier a step
// and interleaved addressing: the threads at multiples of 2d add what is d
// above, for d of 1, 2, 4, ... Neighbours meet first, so the operator need not
// commute; the strides make banks conflict. s has ThreadStorage.
func BlockInterleaved[T any](v warp.Reg[T], op Op[T], t Tile, s warp.Mem[T]) {
	const name = "block-interleaved"
	b := assemble(v.Warp(), name, t)
	w := b.w
	must(needStorage(name, s, ThreadStorage(b.lanes, w.BlockThreads())))
	id := w.ThreadID()
	if b.valid == 1 {
		if t.Everywhere && w.BlockThreads() > 1 {
			share(&b, v, s, 0)
		}
		return
	}
	store(&b, v, s)
	m := w.Mark()
	x, rest, p := warp.Alloc[T](w), warp.Alloc[int32](w), w.Pred()
	for d := 1; d < b.valid; d *= 2 {
		w.SyncBlock()
		warp.AndImm(rest, id, int32(2*d-1))
		warp.SetPred(p, b.multiples(d))
		w.Where(p, func() {
			warp.Load(x, s.At(d), id)
			op.Apply(v, v, x)
			if 2*d < b.valid || t.Everywhere {
				warp.Store(s, id, v)
			}
		})
	}
	w.Release(m)
	if t.Everywhere {
		reread(&b, v, s)
	}
}

// multiples returns the lanes of this warp at threads that are multiples of 2d
// and have an item d above.
func (b *team) multiples(d int) lane.Mask {
	var m lane.Mask
	for i := (b.base + 2*d - 1) / (2 * d) * (2 * d); i < b.base+b.lanes && i+d < b.valid; i += 2 * d {
		m = m.With(i - b.base)
	}
	return m
}

// BlockSequential stores all items, and thread 0 reduces them one by one: the
// baseline. s has ThreadStorage.
func BlockSequential[T any](v warp.Reg[T], op Op[T], t Tile, s warp.Mem[T]) {
	const name = "block-sequential"
	b := assemble(v.Warp(), name, t)
	w := b.w
	must(needStorage(name, s, ThreadStorage(b.lanes, w.BlockThreads())))
	if b.valid > 1 {
		store(&b, v, s)
		w.SyncBlock()
		id := w.ThreadID()
		m := w.Mark()
		x := warp.Alloc[T](w)
		b.below(1, func() {
			for k := 1; k < b.valid; k++ {
				warp.Load(x, s.At(k), id)
				op.Apply(v, v, x)
			}
		})
		w.Release(m)
	}
	if t.Everywhere && w.BlockThreads() > 1 {
		share(&b, v, s, 0)
	}
}
