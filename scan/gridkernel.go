package scan

import (
	"example.com/warpsim/lane"
	"example.com/warpsim/reduce"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
)

// What a block has published, in grid.state.
const (
	hasNothing int32 = iota
	hasSum           // its own sum
	hasAll           // the sum of all blocks up to it
)

// total sets v to the sum of the thread's items.
func (g *grid[T]) total(w *warp.Warp, x []warp.Reg[T], at warp.Reg[int32], v warp.Reg[T]) {
	warp.Mov(v, x[0])
	n := g.items(w)
	if n == g.tile {
		warp.Mov(v, x[len(x)-1])
		return
	}
	for j := 1; j < len(x); j++ {
		g.having(w, n, at, j, func() { warp.Mov(v, x[j]) })
	}
}

// reduceTile leaves the sum of each block in sums: the first phase.
func (g *grid[T]) reduceTile(w *warp.Warp) {
	m := reduce.NewHybridStorage[T](w)
	var x [32]warp.Reg[T]
	threads, at := g.load(w, x[:g.Items])
	v := warp.Alloc[T](w)
	g.total(w, x[:g.Items], at, v)
	reduce.BlockHybridInterleaved(v, g.op, reduce.Tile{Valid: team.First(threads)}, m)
	first := w.Pred()
	id := w.ThreadID()
	warp.EqImm(first, id, 0)
	w.Where(first, func() { warp.Store(g.sums.At(w.BlockIndex()), id, v) })
}

// scanSums replaces the sum of each block by the sum of all up to it, with one
// block that takes as many at a time as it has threads: the second phase.
func (g *grid[T]) scanSums(w *warp.Warp) {
	m := g.storage(w)
	id := w.ThreadID()
	v, sum, carry := warp.Alloc[T](w), warp.Alloc[T](w), warp.Alloc[T](w)
	p := w.Pred()
	for first := 0; first < g.blocks; first += g.Threads {
		n := min(g.blocks-first, g.Threads)
		warp.LtImm(p, id, int32(n))
		w.Where(p, func() { warp.Load(v, g.sums.At(first), id) })
		s := Spec[T]{Valid: team.First(n), Aggregate: sum}
		if first > 0 {
			s.Initial = carry
		}
		g.a.Run(v, g.op, s, m)
		w.Where(p, func() { warp.Store(g.sums.At(first), id, v) })
		if first > 0 {
			g.op.Apply(carry, carry, sum)
		} else {
			warp.Mov(carry, sum)
		}
		if first+g.Threads < g.blocks {
			w.SyncBlock() // before shared memory is used again
			w.Jump()
		}
	}
}

func (g *grid[T]) storage(w *warp.Warp) warp.Mem[T] {
	if g.a.Storage == nil {
		return warp.Mem[T]{}
	}
	return g.a.Storage(w)
}

// scanTile scans the items of a block: the third phase. What stands before
// them is in sums, if carried is set, or comes from a callback; publish stores
// the sum of the block for those that look back.
func (g *grid[T]) scanTile(w *warp.Warp, carried, publish bool, prefix func(prefix, total warp.Reg[T])) {
	m := g.storage(w)
	var xs [32]warp.Reg[T]
	x := xs[:g.Items]
	threads, at := g.load(w, x)
	v, before := warp.Alloc[T](w), warp.Alloc[T](w)
	g.total(w, x, at, v)
	s := Spec[T]{Valid: team.First(threads), Exclusive: before, Prefix: prefix}
	op := g.op
	op.HasIdentity = true // thread 0 does not use what it gets for it
	some := carried || prefix != nil
	if carried {
		s.Initial = warp.Alloc[T](w)
		zero := warp.Alloc[int32](w)
		warp.Set(zero, 0)
		warp.Load(s.Initial, g.sums.At(w.BlockIndex()-1), zero)
	}
	if publish {
		s.Aggregate = warp.Alloc[T](w)
	}
	g.a.Run(v, op, s, m)
	if publish && w.ID() == 0 {
		g.publish(w, g.upTo, s.Aggregate, hasAll)
	}
	g.store(w, x, at, before, some)
}

// store puts what stands before the thread in front of its items and stores
// them. Thread 0 has something only if some is set.
func (g *grid[T]) store(w *warp.Warp, x []warp.Reg[T], at warp.Reg[int32], before warp.Reg[T], some bool) {
	n := g.items(w)
	after := func(body func()) {
		if some {
			body()
			return
		}
		m := w.Mark()
		p := w.Pred()
		warp.NeImm(p, w.ThreadID(), 0)
		w.Where(p, body)
		w.Release(m)
	}
	w.ThreadID()
	if !g.Exclusive {
		for j := range x {
			g.having(w, n, at, j, func() {
				after(func() { g.op.Apply(x[j], before, x[j]) })
				warp.Store(g.out.At(j), at, x[j])
			})
		}
		return
	}
	for j := range x {
		g.having(w, n, at, j, func() {
			if j == 0 {
				warp.Store(g.out, at, before)
				return
			}
			after(func() { g.op.Apply(x[j-1], before, x[j-1]) })
			warp.Store(g.out.At(j), at, x[j-1])
		})
	}
}

// lookBack is the code of the one launch of LookBack. Blocks are taken in the
// order in which they start: their own, which the engine keeps; devices take a
// ticket.
func (g *grid[T]) lookBack(w *warp.Warp) {
	if tile := w.BlockIndex(); tile > 0 {
		g.scanTile(w, false, false, func(prefix, total warp.Reg[T]) { g.findPrefix(w, tile, prefix, total) })
		return
	}
	g.scanTile(w, false, g.blocks > 1, nil)
}

// publish stores a value of this block and, after a fence, what it is.
func (g *grid[T]) publish(w *warp.Warp, m warp.Mem[T], v warp.Reg[T], state int32) {
	id := w.LaneID()
	mark := w.Mark()
	p, kind := w.Pred(), warp.Alloc[int32](w)
	warp.EqImm(p, id, 0)
	w.Where(p, func() {
		warp.Store(m.At(w.BlockIndex()), id, v)
		w.Fence()
		warp.Set(kind, state)
		warp.StoreVolatile(g.state.At(w.BlockIndex()), id, kind)
	})
	w.Release(mark)
}

// findPrefix publishes the sum of the block, finds the sum of all blocks before
// it, and publishes the sum of all up to it. It runs in the first warp; lanes
// stand for the blocks before, the nearest first.
func (g *grid[T]) findPrefix(w *warp.Warp, tile int, prefix, total warp.Reg[T]) {
	id := w.LaneID()
	mark := w.Mark()
	g.publish(w, g.sums, total, hasSum)
	back := g.op // lanes are in reverse order
	back.Combine = func(a, b T) T { return g.op.Combine(b, a) }
	back.Apply = func(dst, a, b warp.Reg[T]) { g.op.Apply(dst, b, a) }

	at, kind := warp.Alloc[int32](w), warp.Alloc[int32](w)
	window := warp.Alloc[T](w)
	there, waiting, all, more := w.Pred(), w.Pred(), w.Pred(), w.Pred()
	found := w.MaskReg()
	warp.Set(at, int32(tile-1))
	warp.Sub(at, at, id)
	look := func(sum warp.Reg[T]) {
		warp.GeImm(there, at, 0)
		read := func() warp.Pred {
			warp.Set(kind, hasSum) // before block 0: never reached
			w.Where(there, func() { warp.LoadVolatile(kind, g.state, at) })
			warp.EqImm(waiting, kind, hasNothing)
			warp.Vote(warp.VoteAny, waiting, waiting)
			return waiting
		}
		w.While(read, func() {})
		warp.EqImm(all, kind, hasAll)
		w.Where(there, func() { warp.LoadVolatile(sum, g.sums, at) })
		w.Where(all, func() { warp.LoadVolatile(sum, g.upTo, at) })
		warp.Ballot(found, all)
		n := w.Live().Count()
		if last := found.Mask().First(); last >= 0 {
			n = last + 1
		}
		reduce.TailSegmented(sum, back, all, reduce.Tile{Valid: team.First(n)})
		warp.AddImm(at, at, int32(-w.Live().Count()))
		warp.PredNot(more, all)
		warp.Vote(warp.VoteAll, more, more)
	}
	look(prefix)
	w.While(func() warp.Pred { return more }, func() {
		look(window)
		only(w, lane.Bit(0), func() { g.op.Apply(prefix, window, prefix) })
	})
	only(w, lane.Bit(0), func() { g.op.Apply(window, prefix, total) })
	g.publish(w, g.upTo, window, hasAll)
	w.Release(mark)
}
