package gridkernels

import (
	"fmt"
	"slices"

	"example.com/warpsim/warp"
)

const bins = 256

// bin sets b to the bin of the value v: bits 16 to 23.
func bin(b, v warp.Reg[int32]) {
	warp.ShrImm(b, v, 16)
	warp.AndImm(b, b, bins-1)
}

func histogram(in *Inputs, e *warp.Engine, c Case, kernel func(x warp.Mem[int32], h warp.Mem[uint32]) warp.Kernel) (*Grid, error) {
	a := arrays{e: e}
	out := make([]uint32, bins)
	x, h := global(&a, in.ix[:c.N]), global(&a, out)
	return &Grid{
		Kernel: kernel(x, h),
		Reset:  func() { clear(out) },
		Check: func() error {
			want := make([]uint32, bins)
			for _, v := range in.ix[:c.N] {
				want[v>>16&(bins-1)]++
			}
			if !slices.Equal(out, want) {
				return fmt.Errorf("bins are %v, want %v", out, want)
			}
			return nil
		},
	}, a.err
}

func histogramShared(in *Inputs, e *warp.Engine, c Case) (*Grid, error) {
	return histogram(in, e, c, func(x warp.Mem[int32], h warp.Mem[uint32]) warp.Kernel {
		return func(w *warp.Warp) {
			m := warp.Shared[uint32](w, bins)
			v, b, one, n := warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[uint32](w), warp.Alloc[uint32](w)
			warp.Set(one, 0)
			blockLoop(w, bins, func(i warp.Reg[int32]) { warp.Store(m, i, one) })
			warp.Set(one, 1)
			w.SyncBlock()
			strided(w, c.N, func(i warp.Reg[int32]) {
				warp.Load(v, x, i)
				bin(b, v)
				warp.AtomicReduce(warp.AtomicAdd, m, b, one)
			})
			w.SyncBlock()
			blockLoop(w, bins, func(i warp.Reg[int32]) {
				warp.Load(n, m, i)
				warp.AtomicReduce(warp.AtomicAdd, h, i, n)
			})
		}
	})
}

func histogramGlobal(in *Inputs, e *warp.Engine, c Case) (*Grid, error) {
	return histogram(in, e, c, func(x warp.Mem[int32], h warp.Mem[uint32]) warp.Kernel {
		return func(w *warp.Warp) {
			v, b, one := warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[uint32](w)
			warp.Set(one, 1)
			strided(w, c.N, func(i warp.Reg[int32]) {
				warp.Load(v, x, i)
				bin(b, v)
				warp.AtomicReduce(warp.AtomicAdd, h, b, one)
			})
			w.SyncBlock()
		}
	})
}

// compactBallot keeps the items that are multiples of 4, block by block in the
// order in which blocks ask for their place.
func compactBallot(in *Inputs, e *warp.Engine, c Case) (*Grid, error) {
	return compactGrid(in, e, c, func(x, y, next warp.Mem[int32]) warp.Kernel {
		return func(w *warp.Warp) {
			m := warp.Shared[int32](w, 33)
			i, has := itemBelow(w, c.N)
			v, low, rank, id := warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w)
			keep, p := w.Pred(), w.Pred()
			warp.Set(v, -1)
			w.Where(has, func() { warp.Load(v, x, i) })
			warp.AndImm(low, v, 3)
			warp.EqImm(keep, low, 0)
			warp.PredAnd(keep, keep, has)
			b := w.MaskReg()
			warp.Ballot(b, keep)
			warp.Rank(rank, b)
			warp.CountMask(low, b)
			warp.ShrImm(id, w.ThreadID(), 5)
			warp.EqImm(p, w.LaneID(), 0)
			w.Where(p, func() { warp.Store(m, id, low) })
			w.SyncBlock()
			warp.EqImm(p, w.ThreadID(), 0)
			sum, z, zero := warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w)
			warp.Set(zero, 0)
			w.If(p, func() {
				warp.Set(sum, 0)
				for k := range w.BlockWarps() {
					warp.Load(z, m.At(k), zero)
					warp.Store(m.At(k), zero, sum)
					warp.Add(sum, sum, z)
				}
				warp.Atomic(warp.AtomicAdd, sum, next, zero, sum)
				warp.Store(m.At(32), zero, sum)
			})
			w.SyncBlock()
			w.Where(keep, func() {
				warp.Load(sum, m.At(32), zero)
				warp.Load(z, m, id)
				warp.Add(sum, sum, z)
				warp.Add(sum, sum, rank)
				warp.Store(y, sum, v)
			})
		}
	})
}
