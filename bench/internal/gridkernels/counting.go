package gridkernels

import (
	"fmt"
	"slices"

	"example.com/warpsim/warp"
)

// Counting and compacting the items that are multiples of 4 by atomics on one
// word: one for each item, or one for each warp.

// kept sets keep where v is a multiple of 4.
func kept(w *warp.Warp, keep warp.Pred, v, t warp.Reg[int32]) {
	warp.AndImm(t, v, 3)
	warp.EqImm(keep, t, 0)
}

func countGrid[T int32 | uint32 | float32](in *Inputs, e *warp.Engine, c Case, kernel func(x warp.Mem[int32], count warp.Mem[T]) warp.Kernel) (*Grid, error) {
	a := arrays{e: e}
	out := make([]T, 1)
	x, count := global(&a, in.ix[:c.N]), global(&a, out)
	return &Grid{
		Kernel: kernel(x, count),
		Reset:  func() { clear(out) },
		Check: func() error {
			if want := T(len(multiplesOf4(in.ix[:c.N]))); out[0] != want {
				return fmt.Errorf("the count is %v, want %v", out[0], want)
			}
			return nil
		},
	}, a.err
}

func multiplesOf4(x []int32) []int32 {
	var out []int32
	for _, v := range x {
		if v&3 == 0 {
			out = append(out, v)
		}
	}
	return out
}

func countPlain(in *Inputs, e *warp.Engine, c Case) (*Grid, error) {
	return countGrid(in, e, c, countEach[uint32](c))
}

func countPlainFloat(in *Inputs, e *warp.Engine, c Case) (*Grid, error) {
	return countGrid(in, e, c, countEach[float32](c))
}

// countEach adds 1 to the count for each item, by an atomic of its lane.
func countEach[T uint32 | float32](c Case) func(x warp.Mem[int32], count warp.Mem[T]) warp.Kernel {
	return func(x warp.Mem[int32], count warp.Mem[T]) warp.Kernel {
		return func(w *warp.Warp) {
			v, zero, one, keep := warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[T](w), w.Pred()
			warp.Set(zero, 0)
			warp.Set(one, 1)
			strided(w, c.N, func(i warp.Reg[int32]) {
				warp.Load(v, x, i)
				kept(w, keep, v, v)
				w.Where(keep, func() { warp.AtomicReduce(warp.AtomicAdd, count, zero, one) })
			})
			w.SyncBlock()
		}
	}
}

// countWarp adds what a ballot counts, by one atomic a warp and turn.
func countWarp(in *Inputs, e *warp.Engine, c Case) (*Grid, error) {
	return countGrid(in, e, c, func(x warp.Mem[int32], count warp.Mem[int32]) warp.Kernel {
		return func(w *warp.Warp) {
			v, zero, keep, lead := warp.Alloc[int32](w), warp.Alloc[int32](w), w.Pred(), w.Pred()
			b := w.MaskReg()
			warp.Set(zero, 0)
			strided(w, c.N, func(i warp.Reg[int32]) {
				warp.Load(v, x, i)
				kept(w, keep, v, v)
				warp.Ballot(b, keep)
				warp.CountMask(v, b)
				warp.EqImm(lead, w.LaneID(), 0)
				w.Where(lead, func() { warp.AtomicReduce(warp.AtomicAdd, count, zero, v) })
			})
			w.SyncBlock()
		}
	})
}

// countPrivate counts in a register and adds once a warp.
func countPrivate(in *Inputs, e *warp.Engine, c Case) (*Grid, error) {
	return countGrid(in, e, c, func(x warp.Mem[int32], count warp.Mem[int32]) warp.Kernel {
		return func(w *warp.Warp) {
			v, zero, sum, keep, lead := warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w), w.Pred(), w.Pred()
			warp.Set(zero, 0)
			warp.Set(sum, 0)
			strided(w, c.N, func(i warp.Reg[int32]) {
				warp.Load(v, x, i)
				kept(w, keep, v, v)
				w.Where(keep, func() { warp.AddImm(sum, sum, 1) })
			})
			warp.Redux(warp.ReduxAdd, sum, sum)
			warp.EqImm(lead, w.LaneID(), 0)
			w.Where(lead, func() { warp.AtomicReduce(warp.AtomicAdd, count, zero, sum) })
			w.SyncBlock()
		}
	})
}

func compactGrid(in *Inputs, e *warp.Engine, c Case, kernel func(x, y, count warp.Mem[int32]) warp.Kernel) (*Grid, error) {
	a := arrays{e: e}
	out, count := make([]int32, c.N), make([]int32, 1)
	x, y, next := global(&a, in.ix[:c.N]), global(&a, out), global(&a, count)
	return &Grid{
		Kernel: kernel(x, y, next),
		Reset:  func() { clear(out); clear(count) },
		Check: func() error {
			want, got := multiplesOf4(in.ix[:c.N]), slices.Clone(out[:count[0]])
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				return fmt.Errorf("%d items are kept, want %d, or they are others", len(got), len(want))
			}
			return nil
		},
	}, a.err
}

// compactPlain asks for the place of each item by an atomic of its lane.
func compactPlain(in *Inputs, e *warp.Engine, c Case) (*Grid, error) {
	return compactGrid(in, e, c, func(x, y, count warp.Mem[int32]) warp.Kernel {
		return func(w *warp.Warp) {
			i, has := itemBelow(w, c.N)
			v, t, at, zero, one, keep := warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w), w.Pred()
			warp.Set(zero, 0)
			warp.Set(one, 1)
			w.If(has, func() {
				warp.Load(v, x, i)
				kept(w, keep, v, t)
				w.If(keep, func() {
					warp.Atomic(warp.AtomicAdd, at, count, zero, one)
					warp.Store(y, at, v)
				})
			})
			w.SyncBlock()
		}
	})
}

// compactWarp asks once a warp and ranks lanes by a ballot.
func compactWarp(in *Inputs, e *warp.Engine, c Case) (*Grid, error) {
	return compactGrid(in, e, c, func(x, y, count warp.Mem[int32]) warp.Kernel {
		return func(w *warp.Warp) {
			i, has := itemBelow(w, c.N)
			v, t, at, rank, keep, lead := warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w), w.Pred(), w.Pred()
			b := w.MaskReg()
			warp.Set(v, 1)
			w.Where(has, func() { warp.Load(v, x, i) })
			kept(w, keep, v, t)
			warp.Ballot(b, keep)
			warp.CountMask(t, b)
			warp.Rank(rank, b)
			some := w.Pred()
			warp.EqImm(lead, w.LaneID(), 0)
			warp.NeImm(some, t, 0)
			warp.PredAnd(lead, lead, some)
			zero := warp.Alloc[int32](w)
			warp.Set(zero, 0)
			warp.Set(at, 0)
			w.If(lead, func() { warp.Atomic(warp.AtomicAdd, at, count, zero, t) })
			warp.ShflIdx(at, at, 0)
			warp.Add(at, at, rank)
			w.Where(keep, func() { warp.Store(y, at, v) })
			w.SyncBlock()
		}
	})
}
