package reduce

import (
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
)

// A kernel is what the launches of one grid reduction share.
type kernel[T any] struct {
	*grid
	op       Op[T]
	a        Algorithm[T]
	in       warp.Mem[T]
	partials warp.Mem[T] // results of blocks or warps
	tickets  warp.Mem[int32]
	result   warp.Mem[T]
	items    int
}

func newKernel[T any](e *warp.Engine, g *grid, data []T, op Op[T], a Algorithm[T]) (*kernel[T], error) {
	k := &kernel[T]{grid: g, op: op, a: a, items: len(data)}
	var err error
	if k.in, err = warp.Global(e, data); err != nil {
		return nil, err
	}
	if k.partials, err = warp.Global(e, make([]T, g.results)); err != nil {
		return nil, err
	}
	if k.tickets, err = warp.Global(e, make([]int32, 1)); err != nil {
		return nil, err
	}
	if k.result, err = warp.Global(e, make([]T, 1)); err != nil {
		return nil, err
	}
	k.result.Data()[0] = op.Identity // what the host sets before atomics add to it
	return k, nil
}

// first is the code of the first launch.
func (k *kernel[T]) first(w *warp.Warp) {
	s := k.storage(w)
	v := warp.Alloc[T](w)
	stride := k.blocks * k.Threads
	valid := k.threadsWithItems(w, k.items-w.BlockIndex()*k.Threads)
	if valid == 0 {
		return // a whole warp, and no other waits for it
	}
	k.accumulate(v, w.GlobalID(), k.in, k.items, stride, false)
	k.a.Run(v, k.op, Tile{Valid: team.First(valid)}, s)
	switch {
	case k.results == 1:
		k.lead(w, func(zero warp.Reg[int32]) { warp.Store(k.result, zero, v) })
	case k.Combine == Atomics:
		k.lead(w, func(zero warp.Reg[int32]) { k.op.Atomic(k.result, zero, v) })
	case k.Combine == LastBlock:
		k.lastBlock(w, v, func() { k.again(w, v, s, true) })
	default:
		k.lead(w, func(zero warp.Reg[int32]) { warp.Store(k.partials.At(k.place(w)), zero, v) })
	}
}

// second is the code of the launch that reduces the results of blocks.
func (k *kernel[T]) second(w *warp.Warp) {
	s := k.storage(w)
	k.again(w, warp.Alloc[T](w), s, false)
}

// again reduces the results of blocks with one block, or one warp.
func (k *kernel[T]) again(w *warp.Warp, v warp.Reg[T], s warp.Mem[T], volatile bool) {
	id := w.ThreadID()
	if k.perWarp {
		id = w.LaneID()
	}
	k.accumulate(v, id, k.partials, k.results, k.team, volatile)
	k.a.Run(v, k.op, Tile{Valid: team.First(min(k.results, k.team))}, s)
	k.lead(w, func(zero warp.Reg[int32]) { warp.Store(k.result, zero, v) })
}

func (k *kernel[T]) storage(w *warp.Warp) warp.Mem[T] {
	if k.a.Storage == nil {
		return warp.Mem[T]{}
	}
	return k.a.Storage(w)
}

// threadsWithItems returns how many threads of the block, or of the warp, have
// one of the n items that are left from the block's first thread on.
func (k *kernel[T]) threadsWithItems(w *warp.Warp, n int) int {
	if k.perWarp {
		return min(max(n-w.ID()*k.lanes, 0), w.Live().Count())
	}
	return min(n, k.Threads)
}

// place is where the block, or the warp, puts its result.
func (k *kernel[T]) place(w *warp.Warp) int {
	if k.perWarp {
		return w.BlockIndex()*w.BlockWarps() + w.ID()
	}
	return w.BlockIndex()
}

// lead runs body in the thread that holds the result, with a register that is 0
// there.
func (k *kernel[T]) lead(w *warp.Warp, body func(zero warp.Reg[int32])) {
	id := w.ThreadID()
	if k.perWarp {
		id = w.LaneID()
	}
	m := w.Mark()
	p := w.Pred()
	warp.EqImm(p, id, 0)
	w.Where(p, func() { body(id) })
	w.Release(m)
}

// accumulate sets v to the sum of the elements at, at+stride, at+2*stride, ...
// below n of an array. Lanes without any stay undefined.
func (k *kernel[T]) accumulate(v warp.Reg[T], at warp.Reg[int32], m warp.Mem[T], n, stride int, volatile bool) {
	w := v.Warp()
	load := func(dst warp.Reg[T], m warp.Mem[T], i warp.Reg[int32]) {
		if volatile {
			warp.LoadVolatile(dst, m, i)
		} else {
			warp.Load(dst, m, i)
		}
	}
	mark := w.Mark()
	rounds := n / stride // in which every thread has an item
	i := warp.Alloc[int32](w)
	p := w.Pred()
	var x [32]warp.Reg[T]
	for j := range min(k.Items, rounds) {
		x[j] = warp.Alloc[T](w)
	}
	spare := v
	if rounds > 0 {
		spare = warp.Alloc[T](w)
	}
	warp.Mov(i, at)
	for done := 0; done < rounds; {
		turn := min(k.Items, rounds-done)
		for j := range turn {
			if done+j == 0 {
				load(v, m, i)
				continue
			}
			load(x[j], m.At(j*stride), i)
		}
		for j := range turn {
			if done+j == 0 {
				continue
			}
			k.op.Apply(v, v, x[j])
		}
		done += turn
		if done < rounds || n%stride > 0 {
			warp.AddImm(i, i, int32(turn*stride))
		}
		if rounds > k.Items { // a loop, not unrolled code
			warp.LtImm(p, i, int32(rounds*stride))
			w.Jump()
		}
	}
	if rest := n % stride; rest > 0 {
		warp.LtImm(p, i, int32(n))
		w.Where(p, func() {
			load(spare, m, i)
			if rounds > 0 {
				k.op.Apply(v, v, spare)
			}
		})
	}
	w.Release(mark)
}

// lastBlock stores the result of the block, or warp, takes a ticket, and runs
// body in the one that gets the last: then all results are in memory.
func (k *kernel[T]) lastBlock(w *warp.Warp, v warp.Reg[T], body func()) {
	m := w.Mark()
	one, ticket, p := warp.Alloc[int32](w), warp.Alloc[int32](w), w.Pred()
	warp.Set(one, 1)
	k.lead(w, func(zero warp.Reg[int32]) {
		warp.Store(k.partials.At(k.place(w)), zero, v)
		w.Fence()
		warp.Atomic(warp.AtomicAdd, ticket, k.tickets, zero, one)
	})
	if k.perWarp {
		warp.ShflIdx(ticket, ticket, 0)
		w.SyncWarp(w.Active()) // before shared memory is used again
	} else {
		flag := warp.Shared[int32](w, 1)
		k.lead(w, func(zero warp.Reg[int32]) { warp.Store(flag, zero, ticket) })
		w.SyncBlock()
		warp.Set(one, 0)
		warp.Load(ticket, flag, one)
	}
	warp.EqImm(p, ticket, int32(k.results-1))
	w.If(p, body)
	w.Release(m)
}
