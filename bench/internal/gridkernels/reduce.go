package gridkernels

import (
	"math"

	"example.com/warpsim/warp"
)

// A team is what the kernels that reduce a block share: registers with the
// thread's lane and warp, and shared memory.
type team struct {
	w          *warp.Warp
	lane, warp warp.Reg[int32]
	lead, some warp.Pred // lane 0; thread 0 or another choice of threads
	t          warp.Reg[float32]
	shared     warp.Mem[float32]
}

func newTeam(w *warp.Warp, words int) *team {
	b := &team{w: w, warp: warp.Alloc[int32](w), lane: w.LaneID(), lead: w.Pred(), some: w.Pred(),
		t: warp.Alloc[float32](w), shared: warp.Shared[float32](w, words)}
	warp.ShrImm(b.warp, w.ThreadID(), 5)
	return b
}

// warpSum leaves the sum of the warp in lane 0 of v, or in all lanes.
func (b *team) warpSum(v warp.Reg[float32], all bool) {
	for o := 16; o > 0; o >>= 1 {
		if all {
			warp.ShflXor(b.t, v, o)
		} else {
			warp.ShflDown(b.t, v, o)
		}
		warp.Add(v, v, b.t)
	}
}

// blockSum leaves the sum of the block in thread 0 of v, or in all threads.
func (b *team) blockSum(v warp.Reg[float32], all bool) {
	w := b.w
	b.warpSum(v, all)
	warp.EqImm(b.lead, b.lane, 0)
	w.Where(b.lead, func() { warp.Store(b.shared, b.warp, v) })
	w.SyncBlock()
	have := w.ThreadID()
	if all {
		have = b.lane
	}
	warp.LtImm(b.some, have, int32(w.BlockWarps()))
	warp.Set(v, 0)
	w.Where(b.some, func() { warp.Load(v, b.shared, b.lane) })
	if all {
		b.warpSum(v, true)
		w.SyncBlock()
		return
	}
	warp.EqImm(b.some, b.warp, 0)
	w.If(b.some, func() { b.warpSum(v, false) })
}

// first runs body in thread 0, with a register that is 0 there.
func first(w *warp.Warp, body func(zero warp.Reg[int32])) {
	p := w.Pred()
	warp.EqImm(p, w.ThreadID(), 0)
	w.Where(p, func() { body(w.ThreadID()) })
}

// loadItem loads the thread's item, 0 beyond n.
func loadItem(w *warp.Warp, x warp.Mem[float32], n int) warp.Reg[float32] {
	v := warp.Alloc[float32](w)
	i, p := itemBelow(w, n)
	warp.Set(v, 0)
	w.Where(p, func() { warp.Load(v, x, i) })
	return v
}

// sumStrided adds the items of a thread of a strided loop.
func sumStrided(w *warp.Warp, x warp.Mem[float32], n int) warp.Reg[float32] {
	v, u := warp.Alloc[float32](w), warp.Alloc[float32](w)
	warp.Set(v, 0)
	strided(w, n, func(i warp.Reg[int32]) {
		warp.Load(u, x, i)
		warp.Add(v, v, u)
	})
	return v
}

// sumGrid is a grid that adds all items into the elements of out.
func sumGrid(in *Inputs, e *warp.Engine, c Case, results int, kernel func(x, out warp.Mem[float32]) warp.Kernel) (*Grid, error) {
	a := arrays{e: e}
	out := make([]float32, results)
	x, o := global(&a, in.x[:c.N]), global(&a, out)
	return &Grid{
		Kernel: kernel(x, o),
		Reset:  func() { clear(out) },
		Check: func() error {
			var got, want float64
			for _, v := range out {
				got += float64(v)
			}
			for _, v := range in.x[:c.N] {
				want += float64(v)
			}
			// Rounding of at most n additions, each of half a unit in the last place.
			return near("the sum", got, want, want, float64(c.N)*math.Pow(2, -24))
		},
	}, a.err
}

func reduceTreeDoubling(in *Inputs, e *warp.Engine, c Case) (*Grid, error) {
	return sumGrid(in, e, c, 1, func(x, out warp.Mem[float32]) warp.Kernel {
		return func(w *warp.Warp) {
			m := warp.Shared[float32](w, 1024)
			v := loadItem(w, x, c.N)
			warp.Store(m, w.ThreadID(), v)
			w.SyncBlock()
			o, k, u, p, more := warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[float32](w), w.Pred(), w.Pred()
			warp.Set(o, 1)
			w.While(func() warp.Pred { warp.LtImm(more, o, int32(c.Threads)); return more }, func() {
				warp.Mul(k, o, w.ThreadID())
				warp.ShlImm(k, k, 1)
				warp.LtImm(p, k, int32(c.Threads))
				w.Where(p, func() { addShared(m, k, o, v, u) })
				w.SyncBlock()
				warp.ShlImm(o, o, 1)
			})
			first(w, func(zero warp.Reg[int32]) {
				warp.Load(v, m, zero)
				warp.AtomicReduce(warp.AtomicAdd, out, zero, v)
			})
		}
	})
}

// addShared is m[k] += m[k+o].
func addShared(m warp.Mem[float32], k, o warp.Reg[int32], v, u warp.Reg[float32]) {
	at := warp.Alloc[int32](k.Warp())
	warp.Add(at, k, o)
	warp.Load(u, m, at)
	warp.Load(v, m, k)
	warp.Add(v, v, u)
	warp.Store(m, k, v)
}

func reduceTree(in *Inputs, e *warp.Engine, c Case) (*Grid, error) {
	return sumGrid(in, e, c, 1, func(x, out warp.Mem[float32]) warp.Kernel {
		return func(w *warp.Warp) {
			m := warp.Shared[float32](w, 1024)
			v := loadItem(w, x, c.N)
			warp.Store(m, w.ThreadID(), v)
			w.SyncBlock()
			o, u, p, more := warp.Alloc[int32](w), warp.Alloc[float32](w), w.Pred(), w.Pred()
			warp.Set(o, int32(c.Threads/2))
			w.While(func() warp.Pred { warp.GtImm(more, o, 0); return more }, func() {
				warp.Lt(p, w.ThreadID(), o)
				w.Where(p, func() { addShared(m, w.ThreadID(), o, v, u) })
				w.SyncBlock()
				warp.ShrImm(o, o, 1)
			})
			first(w, func(zero warp.Reg[int32]) {
				warp.Load(v, m, zero)
				warp.AtomicReduce(warp.AtomicAdd, out, zero, v)
			})
		}
	})
}

func reduceHybrid(in *Inputs, e *warp.Engine, c Case) (*Grid, error) {
	return hybrid(in, e, c, loadItem)
}

func reduceStridedHybrid(in *Inputs, e *warp.Engine, c Case) (*Grid, error) {
	return hybrid(in, e, c, sumStrided)
}

// hybrid adds what each thread has of its items, block by block.
func hybrid(in *Inputs, e *warp.Engine, c Case, own func(*warp.Warp, warp.Mem[float32], int) warp.Reg[float32]) (*Grid, error) {
	return sumGrid(in, e, c, 1, func(x, out warp.Mem[float32]) warp.Kernel {
		return func(w *warp.Warp) {
			b := newTeam(w, 33)
			v := own(w, x, c.N)
			b.blockSum(v, false)
			first(w, func(zero warp.Reg[int32]) { warp.AtomicReduce(warp.AtomicAdd, out, zero, v) })
		}
	})
}

func reduceWarpAtomics(in *Inputs, e *warp.Engine, c Case) (*Grid, error) {
	return sumGrid(in, e, c, 1, func(x, out warp.Mem[float32]) warp.Kernel {
		return func(w *warp.Warp) {
			v := sumStrided(w, x, c.N)
			t, zero, p := warp.Alloc[float32](w), warp.Alloc[int32](w), w.Pred()
			for o := 16; o > 0; o >>= 1 {
				warp.ShflDown(t, v, o)
				warp.Add(v, v, t)
			}
			warp.EqImm(p, w.LaneID(), 0)
			warp.Set(zero, 0)
			w.Where(p, func() { warp.AtomicReduce(warp.AtomicAdd, out, zero, v) })
			w.SyncBlock()
		}
	})
}

func reducePartials(in *Inputs, e *warp.Engine, c Case) (*Grid, error) {
	return sumGrid(in, e, c, c.Blocks, func(x, out warp.Mem[float32]) warp.Kernel {
		return func(w *warp.Warp) {
			b := newTeam(w, 33)
			v := sumStrided(w, x, c.N)
			b.blockSum(v, false)
			first(w, func(zero warp.Reg[int32]) { warp.Store(out.At(w.BlockIndex()), zero, v) })
		}
	})
}

// reduceLastBlock lets the block that takes the last ticket add the results of
// all; it leaves the sum in the first element.
func reduceLastBlock(in *Inputs, e *warp.Engine, c Case) (*Grid, error) {
	a := arrays{e: e}
	partials, count := make([]float32, c.Blocks), make([]int32, 1)
	tickets := global(&a, count)
	g, err := sumGrid(in, e, c, 1, func(x, _ warp.Mem[float32]) warp.Kernel {
		part := global(&a, partials)
		return func(w *warp.Warp) {
			b := newTeam(w, 33)
			flag := warp.Shared[int32](w, 1)
			v := sumStrided(w, x, c.N)
			b.blockSum(v, false)
			one, ticket, zero, p := warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w), w.Pred()
			warp.Set(one, 1)
			warp.Set(zero, 0)
			warp.EqImm(p, w.ThreadID(), 0)
			w.If(p, func() {
				warp.Store(part.At(w.BlockIndex()), zero, v)
				w.Fence()
				warp.Atomic(warp.AtomicAdd, ticket, tickets, zero, one)
				warp.Store(flag, zero, ticket)
			})
			w.SyncBlock()
			warp.Load(ticket, flag, zero)
			// The counter of the recorded kernel starts over with each launch.
			warp.EqImm(p, ticket, int32(c.Blocks-1))
			w.If(p, func() {
				u := warp.Alloc[float32](w)
				warp.Set(v, 0)
				blockLoop(w, c.Blocks, func(i warp.Reg[int32]) {
					warp.LoadVolatile(u, part, i)
					warp.Add(v, v, u)
				})
				w.SyncBlock()
				b.blockSum(v, false)
				first(w, func(zero warp.Reg[int32]) { warp.Store(part, zero, v) })
			})
		}
	})
	if err != nil {
		return nil, err
	}
	g.Reset = func() { clear(partials); clear(count) }
	g.Check = func() error {
		var want float64
		for _, v := range in.x[:c.N] {
			want += float64(v)
		}
		return near("the sum", float64(partials[0]), want, want, float64(c.N)*math.Pow(2, -24))
	}
	return g, a.err
}
