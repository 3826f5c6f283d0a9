package blockkernels

import (
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
)

// The kernels of kernels2.cu, line by line; see first.go.

func bitonic(w *warp.Warp, v warp.Reg[int32], _ warp.Mem[int32]) func() {
	o, a, b := warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w)
	x, y, l := warp.Alloc[int32](w), warp.Alloc[int32](w), w.LaneID()
	p, q := w.Pred(), w.Pred()
	return func() {
		for k := int32(2); k <= 32; k *= 2 {
			for j := k / 2; j > 0; j /= 2 {
				warp.ShflXor(o, v, int(j))
				warp.AndImm(x, l, k)
				warp.EqImm(p, x, 0)
				warp.AndImm(y, l, j)
				warp.EqImm(q, y, 0)
				warp.PredXor(p, p, q)
				warp.Min(a, v, o)
				warp.Max(b, v, o)
				warp.Select(v, p, b, a)
			}
		}
		warp.MulImm(x, l, 7)
		warp.AndImm(x, x, 5)
		warp.Add(v, v, x)
	}
}

func argmax(w *warp.Warp, v warp.Reg[float32], _ warp.Mem[float32]) func() {
	x, i, i2, f := warp.Alloc[float32](w), warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[float32](w)
	p, l := w.Pred(), w.LaneID()
	return func() {
		warp.Mov(i, l)
		for o := 16; o > 0; o /= 2 {
			warp.ShflDown(x, v, o)
			warp.ShflDown(i2, i, o)
			warp.Gt(p, x, v)
			w.Where(p, func() {
				warp.Mov(v, x)
				warp.Mov(i, i2)
			})
		}
		warp.Convert(f, i)
		warp.Add(v, v, f)
	}
}

func sumAndSquares(w *warp.Warp, v warp.Reg[float32], _ warp.Mem[float32]) func() {
	q, x := warp.Alloc[float32](w), warp.Alloc[float32](w)
	return func() {
		warp.Mul(q, v, v)
		for o := 16; o > 0; o /= 2 {
			warp.ShflXor(x, v, o)
			warp.Add(v, v, x)
			warp.ShflXor(x, q, o)
			warp.Add(q, q, x)
		}
		warp.Sub(v, v, q)
	}
}

func maxTree(w *warp.Warp, m warp.Reg[float32]) func() {
	x := warp.Alloc[float32](w)
	return func() {
		for o := 16; o > 0; o /= 2 {
			warp.ShflXor(x, m, o)
			warp.Max(m, m, x)
		}
	}
}

func softmax(w *warp.Warp, v warp.Reg[float32], s warp.Mem[float32]) func() {
	m, e, sum := warp.Alloc[float32](w), warp.Alloc[float32](w), warp.Alloc[float32](w)
	most, all := maxTree(w, m), butterfly(w, sum, s)
	return func() {
		warp.Mov(m, v)
		most()
		warp.Sub(e, v, m)
		warp.Exp2(e, e)
		warp.Mov(sum, e)
		all()
		warp.FastDiv(v, e, sum)
	}
}

func matchLeader(w *warp.Warp, v warp.Reg[uint32], _ warp.Mem[uint32]) func() {
	k, m, n := warp.Alloc[uint32](w), warp.Alloc[lane.Mask](w), warp.Alloc[uint32](w)
	first, one, p := warp.Alloc[int32](w), warp.Alloc[uint32](w), w.Pred()
	return func() {
		warp.AndImm(k, v, 3)
		warp.MatchAny(m, k)
		warp.Map1(n, m, isa.Popc, func(m lane.Mask) uint32 { return uint32(m.Count()) })
		warp.Map1(first, m, isa.Brev, func(m lane.Mask) int32 { return int32(m.First()) })
		warp.Map1(first, first, isa.Clz, func(i int32) int32 { return i + 1 })
		warp.AddImm(first, first, -1)
		warp.Eq(p, first, w.LaneID())
		warp.Set(one, 0)
		w.Where(p, func() { warp.Set(one, 1) })
		warp.Add(v, v, n)
		warp.Add(v, v, one)
	}
}

func transpose(stride int32) body[float32] {
	return func(w *warp.Warp, v warp.Reg[float32], s warp.Mem[float32]) func() {
		l, row, x := w.LaneID(), warp.Alloc[int32](w), warp.Alloc[float32](w)
		var r [8]warp.Reg[float32]
		for i := range r {
			r[i] = warp.Alloc[float32](w)
		}
		warp.MulImm(row, l, stride)
		return func() {
			for i := range r {
				warp.AddImm(x, v, float32(i))
				warp.StoreVolatile(s.At(i), row, x)
			}
			w.SyncWarp(w.Active())
			for i := range r {
				warp.LoadVolatile(r[i], s.At(i*int(stride)), l)
			}
			w.SyncWarp(w.Active())
			for i := range r {
				warp.Add(v, v, r[i])
			}
		}
	}
}

func blockMax(w *warp.Warp, v warp.Reg[float32], s warp.Mem[float32]) func() {
	l, id, _ := numbers(w)
	p, most, f := w.Pred(), maxTree(w, v), warp.Alloc[float32](w)
	return func() {
		most()
		warp.EqImm(p, l, 0)
		w.Where(p, func() { warp.Store(s, id, v) })
		w.SyncBlock()
		warp.LtImm(p, l, int32(w.BlockWarps()))
		warp.Set(v, -1e30)
		w.Where(p, func() { warp.Load(v, s, l) })
		most()
		warp.Convert(f, w.ThreadID())
		warp.Add(v, v, f)
		w.SyncBlock()
	}
}

func interleavedTree(w *warp.Warp, v warp.Reg[float32], s warp.Mem[float32]) func() {
	_, _, zero := numbers(w)
	t, x, y, f := w.ThreadID(), warp.Alloc[float32](w), warp.Alloc[float32](w), warp.Alloc[float32](w)
	o, i, k := warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w)
	p, q, n := w.Pred(), w.Pred(), int32(w.BlockThreads())
	return func() {
		warp.StoreVolatile(s, t, v)
		w.SyncBlock()
		warp.Set(o, 1)
		w.While(func() warp.Pred { warp.LtImm(q, o, n); return q }, func() {
			warp.ShlImm(i, o, 1)
			warp.Mul(i, i, t)
			warp.LtImm(p, i, n)
			w.Where(p, func() {
				warp.LoadVolatile(x, s, i)
				warp.Add(k, i, o)
				warp.LoadVolatile(y, s, k)
				warp.Add(x, x, y)
				warp.StoreVolatile(s, i, x)
			})
			w.SyncBlock()
			warp.ShlImm(o, o, 1)
		})
		warp.LoadVolatile(v, s, zero)
		warp.Convert(f, t)
		warp.Add(v, v, f)
		w.SyncBlock()
	}
}

func segmentedHeads(w *warp.Warp, v warp.Reg[float32], _ warp.Mem[float32]) func() {
	l, r, x := w.LaneID(), warp.Alloc[int32](w), warp.Alloc[float32](w)
	after, last, all := warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w)
	below := warp.Alloc[int32](w)
	p, q, b := w.Pred(), w.Pred(), w.MaskReg()
	return func() {
		warp.Set(r, 5)
		warp.Rem(r, l, r)
		warp.EqImm(p, r, 0)
		warp.GtImm(q, v, 1e30)
		warp.PredOr(p, p, q)
		warp.Ballot(b, p)
		warp.MaskBits(after, b)
		warp.Set(below, 2)
		warp.Shl(below, below, l)
		warp.AddImm(below, below, -1)
		warp.AndNot(after, after, below)
		warp.NeImm(p, after, 0)
		warp.Ffs(last, after)
		warp.AddImm(last, last, -2)
		warp.Set(all, 31)
		warp.Select(last, p, last, all)
		for o := 1; o < 32; o *= 2 {
			warp.ShflDown(x, v, o)
			warp.AddImm(r, l, int32(o))
			warp.Le(p, r, last)
			w.Where(p, func() { warp.Add(v, v, x) })
		}
	}
}

func fourReduces(w *warp.Warp, v warp.Reg[float32], _ warp.Mem[float32]) func() {
	b, c, d, x := warp.Alloc[float32](w), warp.Alloc[float32](w), warp.Alloc[float32](w), warp.Alloc[float32](w)
	return func() {
		warp.AddImm(b, v, 1)
		warp.MulImm(c, v, 2)
		warp.AddImm(d, v, -3)
		for o := 16; o > 0; o /= 2 {
			for _, a := range []warp.Reg[float32]{v, b, c, d} {
				warp.ShflXor(x, a, o)
				warp.Add(a, a, x)
			}
		}
		warp.Mul(v, v, b)
		warp.Mul(c, c, d)
		warp.Sub(v, v, c)
	}
}
