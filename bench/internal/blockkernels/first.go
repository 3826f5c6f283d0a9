package blockkernels

import (
	"example.com/warpsim/crossbar"
	"example.com/warpsim/warp"
)

// The kernels of testdata/programs/kernels.cu, line by line: each builds what a
// kernel declares and returns one application of its body. Pointers, lane and warp
// numbers stand before the body, as in the source.

// A body builds an application of a kernel's body to v.
type body[T warp.Number] func(w *warp.Warp, v warp.Reg[T], smem warp.Mem[T]) func()

func down[T warp.Number](w *warp.Warp, v warp.Reg[T], _ warp.Mem[T]) func() {
	x := warp.Alloc[T](w)
	return func() {
		for o := 16; o > 0; o /= 2 {
			warp.ShflDown(x, v, o)
			warp.Add(v, v, x)
		}
	}
}

func butterfly[T warp.Number](w *warp.Warp, v warp.Reg[T], _ warp.Mem[T]) func() {
	x := warp.Alloc[T](w)
	return func() {
		for o := 16; o > 0; o /= 2 {
			warp.ShflXor(x, v, o)
			warp.Add(v, v, x)
		}
	}
}

func down16(w *warp.Warp, v warp.Reg[float32], _ warp.Mem[float32]) func() {
	x := warp.Alloc[float32](w)
	return func() {
		for o := int32(8); o > 0; o /= 2 {
			warp.Shfl(x, v, warp.Shuffle{Mode: crossbar.Down, Operand: o, Width: 16})
			warp.Add(v, v, x)
		}
	}
}

func redux(w *warp.Warp, v warp.Reg[int32], _ warp.Mem[int32]) func() {
	return func() { warp.Redux(warp.ReduxAdd, v, v) }
}

func scanUp[T warp.Number](w *warp.Warp, v warp.Reg[T], _ warp.Mem[T]) func() {
	n, l, p := warp.Alloc[T](w), w.LaneID(), w.Pred()
	return func() {
		for d := 1; d < 32; d *= 2 {
			warp.ShflUp(n, v, d)
			warp.GeImm(p, l, int32(d))
			w.Where(p, func() { warp.Add(v, v, n) })
		}
	}
}

// warpBase returns each thread's number less that of its lane.
func warpBase(w *warp.Warp) warp.Reg[int32] {
	base := warp.Alloc[int32](w)
	warp.AndImm(base, w.ThreadID(), ^31)
	return base
}

func sharedSyncWarp(w *warp.Warp, v warp.Reg[float32], s warp.Mem[float32]) func() {
	a, p, l, t, base := warp.Alloc[float32](w), w.Pred(), w.LaneID(), w.ThreadID(), warpBase(w)
	return func() {
		warp.StoreVolatile(s, t, v)
		w.SyncWarp(w.Active())
		for o := 16; o > 0; o /= 2 {
			warp.LtImm(p, l, int32(o))
			warp.Set(a, 0)
			w.Where(p, func() { warp.LoadVolatile(a, s.At(o), t) })
			w.SyncWarp(w.Active())
			w.Where(p, func() {
				warp.Add(v, v, a)
				warp.StoreVolatile(s, t, v)
			})
			w.SyncWarp(w.Active())
		}
		warp.LoadVolatile(v, s, base)
		w.SyncWarp(w.Active())
	}
}

// halving is the loop over o of a tree in shared memory, from half of the block down
// to least.
func halving(w *warp.Warp, least int32, turn func(o warp.Reg[int32])) {
	o, p := warp.Alloc[int32](w), w.Pred()
	warp.Set(o, int32(w.BlockThreads()/2))
	w.While(func() warp.Pred { warp.GeImm(p, o, least); return p }, func() {
		turn(o)
		warp.ShrImm(o, o, 1)
	})
}

func blockTree(w *warp.Warp, v warp.Reg[float32], s warp.Mem[float32]) func() {
	x, i, p, t := warp.Alloc[float32](w), warp.Alloc[int32](w), w.Pred(), w.ThreadID()
	zero := warp.Alloc[int32](w)
	warp.Set(zero, 0)
	return func() {
		defer w.Release(w.Mark())
		warp.StoreVolatile(s, t, v)
		w.SyncBlock()
		halving(w, 1, func(o warp.Reg[int32]) {
			warp.Lt(p, t, o)
			w.Where(p, func() {
				warp.Add(i, t, o)
				warp.LoadVolatile(x, s, i)
				warp.Add(v, v, x)
				warp.StoreVolatile(s, t, v)
			})
			w.SyncBlock()
		})
		warp.LoadVolatile(v, s, zero)
		w.SyncBlock()
	}
}

func mailboxBlock(w *warp.Warp, v warp.Reg[float32], s warp.Mem[float32]) func() {
	x, t, base := warp.Alloc[float32](w), w.ThreadID(), warpBase(w)
	return func() {
		warp.StoreVolatile(s, t, v)
		w.SyncBlock()
		warp.LoadVolatile(x, s.At(7), base)
		warp.Add(v, v, x)
		w.SyncBlock()
	}
}

func mailboxWarp(w *warp.Warp, v warp.Reg[float32], s warp.Mem[float32]) func() {
	x, t, base := warp.Alloc[float32](w), w.ThreadID(), warpBase(w)
	return func() {
		warp.StoreVolatile(s, t, v)
		w.SyncWarp(w.Active())
		warp.LoadVolatile(x, s.At(7), base)
		warp.Add(v, v, x)
		w.SyncWarp(w.Active())
	}
}

func mailboxShuffle(w *warp.Warp, v warp.Reg[float32], _ warp.Mem[float32]) func() {
	x := warp.Alloc[float32](w)
	return func() {
		warp.ShflIdx(x, v, 7)
		warp.Add(v, v, x)
	}
}

// numbers are those of the warp in its block, and of its warps' lanes.
func numbers(w *warp.Warp) (lane, id, zero warp.Reg[int32]) {
	id, zero = warp.Alloc[int32](w), warp.Alloc[int32](w)
	warp.ShrImm(id, w.ThreadID(), 5)
	warp.Set(zero, 0)
	return w.LaneID(), id, zero
}

func blockHybrid(w *warp.Warp, v warp.Reg[float32], s warp.Mem[float32]) func() {
	l, id, zero := numbers(w)
	p, sum := w.Pred(), down(w, v, s)
	return func() {
		sum()
		warp.EqImm(p, l, 0)
		w.Where(p, func() { warp.Store(s, id, v) })
		w.SyncBlock()
		warp.LtImm(p, l, int32(w.BlockWarps()))
		warp.Set(v, 0)
		w.Where(p, func() { warp.Load(v, s, l) })
		warp.EqImm(p, id, 0)
		w.If(p, sum)
		warp.EqImm(p, w.ThreadID(), 0)
		w.Where(p, func() { warp.Store(s.At(32), zero, v) })
		w.SyncBlock()
		warp.Load(v, s.At(32), zero)
	}
}

func blockTreeThenXor(w *warp.Warp, v warp.Reg[float32], s warp.Mem[float32]) func() {
	_, _, zero := numbers(w)
	x, i, p, t, sum := warp.Alloc[float32](w), warp.Alloc[int32](w), w.Pred(), w.ThreadID(), butterfly(w, v, s)
	return func() {
		defer w.Release(w.Mark())
		warp.StoreVolatile(s, t, v)
		w.SyncBlock()
		halving(w, 32, func(o warp.Reg[int32]) {
			warp.Lt(p, t, o)
			w.Where(p, func() {
				warp.Add(i, t, o)
				warp.LoadVolatile(v, s, t)
				warp.LoadVolatile(x, s, i)
				warp.Add(v, v, x)
				warp.StoreVolatile(s, t, v)
			})
			w.SyncBlock()
		})
		warp.LoadVolatile(v, s, t)
		warp.LtImm(p, t, 32)
		w.If(p, sum)
		warp.EqImm(p, t, 0)
		w.Where(p, func() { warp.StoreVolatile(s, zero, v) })
		w.SyncBlock()
		warp.LoadVolatile(v, s, zero)
		w.SyncBlock()
	}
}

func blockScan(w *warp.Warp, v warp.Reg[float32], s warp.Mem[float32]) func() {
	l, id, _ := numbers(w)
	x, p := warp.Alloc[float32](w), w.Pred()
	each, sums := scanUp(w, v, s), scanUp(w, x, s)
	return func() {
		each()
		warp.EqImm(p, l, 31)
		w.Where(p, func() { warp.Store(s, id, v) })
		w.SyncBlock()
		warp.EqImm(p, id, 0)
		w.If(p, func() {
			q := w.Pred()
			warp.LtImm(q, l, int32(w.BlockWarps()))
			warp.Set(x, 0)
			w.Where(q, func() { warp.Load(x, s, l) })
			sums()
			warp.Store(s, l, x)
		})
		w.SyncBlock()
		warp.NeImm(p, id, 0)
		w.Where(p, func() {
			warp.Load(x, s.At(-1), id)
			warp.Add(v, v, x)
		})
		w.SyncBlock()
	}
}

func hadamard(w *warp.Warp, v warp.Reg[float32], _ warp.Mem[float32]) func() {
	x, a, b := warp.Alloc[float32](w), warp.Alloc[float32](w), warp.Alloc[float32](w)
	bit, p, t := warp.Alloc[int32](w), w.Pred(), w.ThreadID()
	return func() {
		for o := 1; o < 32; o *= 2 {
			warp.ShflXor(x, v, o)
			warp.AndImm(bit, t, int32(o))
			warp.EqImm(p, bit, 0)
			warp.Add(a, v, x)
			warp.Sub(b, x, v)
			warp.Select(v, p, a, b)
		}
	}
}

func ballotRank(w *warp.Warp, v warp.Reg[int32], _ warp.Mem[int32]) func() {
	bit, three, rank := warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w)
	p, b := w.Pred(), w.MaskReg()
	warp.Set(three, 3)
	return func() {
		warp.AndImm(bit, v, 1)
		warp.NeImm(p, bit, 0)
		warp.Ballot(b, p)
		warp.Rank(rank, b)
		warp.MulAdd(v, v, three, rank)
	}
}

func earlyExit(w *warp.Warp, v warp.Reg[int32], _ warp.Mem[int32]) func() {
	p, x := w.Pred(), warp.Alloc[int32](w)
	return func() {
		warp.LtImm(p, v, -1000000000)
		warp.Vote(warp.VoteAny, p, p)
		w.Where(p, func() { warp.AddImm(x, v, 3) })
		w.WhereNot(p, func() { warp.AddImm(x, v, 5) })
		v, x = x, v
	}
}
