package reduce

import (
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
)

// BlockTree reduces a block through shared memory with a barrier a step and
// sequential addressing: the lower half of the threads adds the upper half, over
// falling distances. The operator must commute. s has NewThreadStorage.
func BlockTree[T any](v warp.Reg[T], op Op[T], t Tile, s warp.Mem[T]) {
	const name = "block-tree"
	b := treeStart(name, "block-interleaved", v, &op, t, s)
	if none(&b, v, &op) {
		return
	}
	halve(&b, v, &op, s, 1, t.Everywhere)
	if t.Everywhere {
		hand(&b, v, s)
	}
}

// BlockUnrolled is BlockTree that leaves the block's barriers behind as soon as
// one warp can do the rest: the first warp goes on with warp-wide barriers.
func BlockUnrolled[T any](v warp.Reg[T], op Op[T], t Tile, s warp.Mem[T]) {
	const name = "block-unrolled"
	b := treeStart(name, "block-interleaved", v, &op, t, s)
	if none(&b, v, &op) {
		return
	}
	b.readIDs()
	halve(&b, v, &op, s, b.Lanes, true)
	n := min(team.CeilPow2(b.Valid), b.Lanes)
	b.FirstWarp(func() {
		w := b.W
		id, active := w.LaneID(), w.Active()
		m := w.Mark()
		x, p := warp.Alloc[T](w), w.Pred()
		for d := n / 2; d > 0; d /= 2 {
			w.SyncWarp(active)
			warp.LtImm(p, id, int32(min(d, b.Valid-d)))
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
	if t.Everywhere {
		hand(&b, v, s)
	}
}

// BlockTreeThenShuffle is BlockTree until one warp is left, and ShuffleDown in it.
func BlockTreeThenShuffle[T any](v warp.Reg[T], op Op[T], t Tile, s warp.Mem[T]) {
	const name = "tree-then-shuffle"
	b := treeStart(name, "block-interleaved", v, &op, t, s)
	if none(&b, v, &op) {
		return
	}
	b.readIDs()
	halve(&b, v, &op, s, b.Lanes, false)
	b.FirstWarp(func() {
		reduceWarp(byDown, b.W, name, v, &op, min(b.Valid, b.Lanes))
	})
	if t.Everywhere && b.W.BlockThreads() > 1 {
		share(&b, v, s, 0)
	}
}

// treeStart checks the arguments of a tree with falling distances and stores
// the items.
func treeStart[T any](name, instead string, v warp.Reg[T], op *Op[T], t Tile, s warp.Mem[T]) roster {
	must(op.needOrder(name, instead))
	b := t.block(v.Warp(), name)
	b.NeedStorage(s.Len(), b.W.BlockThreads())
	if b.Valid > 1 {
		store(&b, v, s)
	}
	return b
}

// halve runs the steps of distances from half of the block down to stop, each
// after a barrier of the block. Threads that add keep their sum in v, and store
// it for the next step; keep stores it after the last step too.
func halve[T any](b *roster, v warp.Reg[T], op *Op[T], s warp.Mem[T], stop int, keep bool) {
	w := b.W
	id := w.ThreadID()
	m := w.Mark()
	x, p := warp.Alloc[T](w), w.Pred()
	for d := team.CeilPow2(b.Valid) / 2; d >= stop; d /= 2 {
		w.SyncBlock()
		warp.LtImm(p, id, int32(min(d, b.Valid-d)))
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
func reread[T any](b *roster, v warp.Reg[T], s warp.Mem[T]) {
	b.W.SyncBlock()
	team.LoadOne(v, s, 0)
}

// BlockInterleaved reduces a block through shared memory with a barrier a step
// and interleaved addressing: the threads at multiples of 2d add what is d
// above, for d of 1, 2, 4, ... Neighbours meet first, so the operator need not
// commute; the strides make banks conflict. s has NewThreadStorage.
func BlockInterleaved[T any](v warp.Reg[T], op Op[T], t Tile, s warp.Mem[T]) {
	const name = "block-interleaved"
	b := t.block(v.Warp(), name)
	w := b.W
	b.NeedStorage(s.Len(), w.BlockThreads())
	if none(&b, v, &op) {
		return
	}
	id := w.ThreadID()
	if b.Valid == 1 {
		if t.Everywhere && w.BlockThreads() > 1 {
			share(&b, v, s, 0)
		}
		return
	}
	store(&b, v, s)
	m := w.Mark()
	x, rest, p := warp.Alloc[T](w), warp.Alloc[int32](w), w.Pred()
	for d := 1; d < b.Valid; d *= 2 {
		w.SyncBlock()
		warp.AndImm(rest, id, int32(2*d-1))
		warp.SetPred(p, multiples(&b, d))
		w.Where(p, func() {
			warp.Load(x, s.At(d), id)
			op.Apply(v, v, x)
			if 2*d < b.Valid || t.Everywhere {
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
func multiples(b *roster, d int) lane.Mask {
	var m lane.Mask
	for i := (b.Base + 2*d - 1) / (2 * d) * (2 * d); i < b.Base+b.Lanes && i+d < b.Valid; i += 2 * d {
		m = m.With(i - b.Base)
	}
	return m
}

// BlockSequential stores all items, and thread 0 reduces them one by one: the
// baseline. s has NewThreadStorage.
func BlockSequential[T any](v warp.Reg[T], op Op[T], t Tile, s warp.Mem[T]) {
	const name = "block-sequential"
	b := t.block(v.Warp(), name)
	w := b.W
	b.NeedStorage(s.Len(), w.BlockThreads())
	if none(&b, v, &op) {
		return
	}
	if b.Valid > 1 {
		store(&b, v, s)
		w.SyncBlock()
		id := w.ThreadID()
		m := w.Mark()
		x := warp.Alloc[T](w)
		b.Below(1, func() {
			for k := 1; k < b.Valid; k++ {
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

// hand gives the result, which the storage has unless there is but one value, to every
// thread.
func hand[T any](b *roster, v warp.Reg[T], s warp.Mem[T]) {
	switch {
	case b.Valid > 1:
		reread(b, v, s)
	case b.W.BlockThreads() > 1:
		share(b, v, s, 0)
	}
}
