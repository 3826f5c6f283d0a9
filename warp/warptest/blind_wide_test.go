package warptest_test

import (
	"example.com/warpsim/crossbar"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
)

// blindWide are written for whole warps.
var blindWide = []sound{
	{name: "minimum by a tree", blocks: 2, warps: 2, wide: func(x *faulty, m *memory, w *warp.Warp) {
		n := w.BlockThreads()
		s := warp.Shared[int32](w, n)
		a, b := warp.Alloc[int32](w), warp.Alloc[int32](w)
		warp.Load(a, m.in, w.GlobalID())
		warp.Store(s, w.ThreadID(), a)
		x.unless("tree", "no barrier before", w.SyncBlock)
		last := 0
		if x.is("tree", "stops before the last step") {
			last = 1
		}
		for d := n / 2; d > last; d /= 2 {
			bound := d
			if x.is("tree", "a lane too many") {
				bound++
			}
			w.Where(threads(w, func(id int) bool { return id < bound }), func() {
				warp.Load(b, s.At(d), w.ThreadID())
				warp.Min(a, a, b)
				warp.Store(s, w.ThreadID(), a)
				if x.is("tree", "barrier inside the branch") {
					w.SyncBlock()
				}
			})
			if !x.is("tree", "no barrier in a step") && x.fault != "tree: barrier inside the branch" {
				w.SyncBlock()
			}
		}
		w.Where(threads(w, func(id int) bool { return id == 0 }), func() { warp.Store(m.out, w.GlobalID(), a) })
	}, want: func(s shape, i int) int32 { return onlyThread(s.threads, i, int32(i)) }},

	{name: "the last block takes the maximum", blocks: 4, warps: 1, wide: func(x *faulty, m *memory, w *warp.Warp) {
		v, t := warp.Alloc[int32](w), warp.Alloc[int32](w)
		warp.Load(v, m.in, w.GlobalID())
		for d := w.Width() / 2; d > 0; d /= 2 {
			warp.ShflXor(t, v, d)
			warp.Max(v, v, t)
		}
		one, zero, me := warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w)
		warp.Set(one, 1)
		warp.Set(zero, 0)
		warp.Set(me, int32(w.BlockIndex()))
		ticket := warp.Alloc[int32](w)
		lane0 := when(w, func(l int) bool { return l == 0 })
		if x.is("partial", "plain, before anything else of the block") {
			w.Where(lane0, func() { warp.Store(m.work, zero, v) })
		}
		w.Where(lane0, func() {
			warp.Store(m.work, me, v)
			x.unless("ticket", "no fence", w.Fence)
			if x.is("ticket", "plain") {
				warp.Load(ticket, m.counts, zero)
				warp.Add(t, ticket, one)
				warp.Store(m.counts, zero, t)
			} else {
				warp.Atomic(warp.AtomicAdd, ticket, m.counts, zero, one)
			}
		})
		x.unless("ticket", "not handed to the other lanes", func() { warp.ShflIdx(ticket, ticket, 0) })
		p := w.Pred()
		warp.EqImm(p, ticket, int32(w.GridBlocks()-1))
		w.If(p, func() {
			x.unless("reading", "no fence", w.Fence)
			x.unless("reading", "no warp barrier", func() { w.SyncWarp(w.Active()) })
			best := warp.Alloc[int32](w)
			x.unless("reading", "maximum not begun", func() { warp.Set(best, 0) })
			n := w.GridBlocks()
			if x.is("reading", "one too many") {
				n++
			}
			for k := range n {
				warp.Set(me, int32(k))
				warp.Load(v, m.work, me)
				warp.Max(best, best, v)
			}
			w.Where(lane0, func() { warp.Store(m.out, zero, best) })
		})
	}, want: func(s shape, i int) int32 { return onlyThread(s.threads*s.blocks, i, int32(s.threads*s.blocks-1)) }},

	{name: "counts of digits", blocks: 2, warps: 2, wide: func(x *faulty, m *memory, w *warp.Warp) {
		s := warp.Shared[int32](w, 8)
		v, one, zero := warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w)
		warp.Set(one, 1)
		warp.Set(zero, 0)
		bins := 8
		if x.is("clearing", "one bin short") {
			bins = 7
		}
		low := threads(w, func(id int) bool { return id < bins })
		all := threads(w, func(id int) bool { return id < 8 })
		x.unless("clearing", "left out", func() { w.Where(low, func() { warp.Store(s, w.ThreadID(), zero) }) })
		x.unless("clearing", "no barrier after", w.SyncBlock)
		warp.Load(v, m.in, w.GlobalID())
		if x.is("digit", "one too high") {
			warp.AddImm(v, v, 1)
			warp.AndImm(v, v, 15)
		} else {
			warp.AndImm(v, v, 7)
		}
		if x.is("count", "plain") {
			t := warp.Alloc[int32](w)
			warp.Load(t, s, v)
			warp.Add(t, t, one)
			warp.Store(s, v, t)
		} else {
			warp.AtomicReduce(warp.AtomicAdd, s, v, one)
		}
		x.unless("merge", "no barrier before", w.SyncBlock)
		w.Where(all, func() {
			t := warp.Alloc[int32](w)
			warp.Load(t, s, w.ThreadID())
			if x.is("merge", "plain") {
				o := warp.Alloc[int32](w)
				warp.Load(o, m.out, w.ThreadID())
				warp.Add(o, o, t)
				warp.Store(m.out, w.ThreadID(), o)
			} else {
				warp.AtomicReduce(warp.AtomicAdd, m.out, w.ThreadID(), t)
			}
		})
	}, want: func(s shape, i int) int32 {
		if i < 8 {
			return int32(s.blocks * s.threads / 8)
		}
		return 0
	}},

	{name: "items moved together", blocks: 2, warps: 2, wide: func(x *faulty, m *memory, w *warp.Warp) {
		v, one := warp.Alloc[int32](w), warp.Alloc[int32](w)
		warp.Load(v, m.in, w.GlobalID())
		warp.Set(one, 1)
		low := warp.Alloc[int32](w)
		warp.AndImm(low, v, 1)
		odd := w.Pred()
		warp.EqImm(odd, low, 1)
		who := w.MaskReg()
		switch all := w.Active(); {
		case x.is("ballot", "without the last lane"):
			warp.Ballot(who, odd, all.Without(all.Last()))
		case x.is("ballot", "of a predicate that has no value"):
			warp.Ballot(who, w.Pred(), all)
		default:
			warp.Ballot(who, odd, all)
		}
		n, at, base, zero := warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w)
		warp.Set(zero, 0)
		warp.CountMask(n, who)
		w.Where(when(w, func(l int) bool { return l == 0 }), func() {
			if x.is("base", "plain") {
				warp.Load(base, m.counts, zero)
				t := warp.Alloc[int32](w)
				warp.Add(t, base, n)
				warp.Store(m.counts, zero, t)
			} else {
				warp.Atomic(warp.AtomicAdd, base, m.counts, zero, n)
			}
		})
		x.unless("base", "not handed to the other lanes", func() { warp.ShflIdx(base, base, 0) })
		warp.Rank(at, who)
		if x.is("place", "without the rank") {
			warp.Mov(at, base)
		} else {
			warp.Add(at, at, base)
		}
		if x.is("items", "those without one too") {
			warp.Store(m.work, at, v)
		} else {
			w.Where(odd, func() { warp.Store(m.work, at, v) })
		}
		warp.Store(m.out, w.GlobalID(), n)
	}, want: func(s shape, i int) int32 { return int32(s.lanes / 2) }},

	{name: "products of neighbours", blocks: 1, warps: 1, wide: func(x *faulty, m *memory, w *warp.Warp) {
		v, t := warp.Alloc[int32](w), warp.Alloc[int32](w)
		warp.Load(v, m.in, w.GlobalID())
		mask, width := w.Active(), 8
		if x.is("shuffle", "mask of half of the warp") {
			mask = lane.Range(0, w.Width()/2)
		}
		if x.is("shuffle", "width of 12") {
			width = 12
		}
		if x.is("shuffle", "a source outside of the branch") {
			w.Where(when(w, func(l int) bool { return l%8 < 4 }), func() {
				warp.Shfl(t, v, warp.Shuffle{Mode: crossbar.Down, Operand: 4, Width: 8}, w.Active())
			})
		} else {
			warp.Shfl(t, v, warp.Shuffle{Mode: crossbar.Xor, Operand: 1, Width: width}, mask)
		}
		sum := warp.Alloc[int32](w)
		switch {
		case x.is("sum", "not begun"):
		default:
			warp.Set(sum, 0)
		}
		warp.Add(sum, sum, t)
		warp.Add(sum, sum, v)
		warp.Store(m.out, w.GlobalID(), sum)
	}, want: func(s shape, i int) int32 { return int32(i + (i ^ 1)) }},

	{name: "values that travel round the block", blocks: 1, warps: 4, wide: func(x *faulty, m *memory, w *warp.Warp) {
		n := w.BlockThreads()
		s := warp.Shared[int32](w, n)
		v := warp.Alloc[int32](w)
		warp.Load(v, m.in, w.GlobalID())
		next := index(w, func(id int) int { return (id + 1) % n })
		for range 3 {
			warp.Store(s, w.ThreadID(), v)
			switch {
			case x.is("store", "no barrier after"):
			case x.is("store", "warp barrier after"):
				w.SyncWarp(w.Active())
			case x.is("store", "barrier of all warps but one"):
				if w.ID() != 2 {
					w.SyncBlock()
				}
			default:
				w.SyncBlock()
			}
			warp.Load(v, s, next)
			x.unless("load", "no barrier after", w.SyncBlock)
		}
		warp.Store(m.out, w.GlobalID(), v)
	}, want: func(s shape, i int) int32 { return int32((i + 3) % s.threads) }},

	{name: "lanes that leave", blocks: 1, warps: 2, wide: func(x *faulty, m *memory, w *warp.Warp) {
		v, t := warp.Alloc[int32](w), warp.Alloc[int32](w)
		warp.Load(v, m.in, w.GlobalID())
		all := w.Active()
		w.Exit(when(w, func(l int) bool { return l >= 20 }))
		switch {
		case x.is("shuffle", "from a lane that has left"):
			warp.Shfl(t, v, warp.Shuffle{Mode: crossbar.Idx, Operand: 24}, w.Active())
		case x.is("shuffle", "down out of the lanes that stay"):
			warp.Shfl(t, v, warp.Shuffle{Mode: crossbar.Down, Operand: 8}, w.Active())
		case x.is("shuffle", "of the lanes that have left alone"):
			warp.Shfl(t, v, warp.Shuffle{Mode: crossbar.Idx, Operand: 24}, all.AndNot(w.Active()))
		default:
			warp.Shfl(t, v, warp.Shuffle{Mode: crossbar.Idx, Operand: 3}, w.Active())
		}
		warp.Store(m.out, w.GlobalID(), t)
	}, want: func(s shape, i int) int32 {
		if i%s.lanes >= 20 {
			return 0
		}
		return int32(i/s.lanes*s.lanes + 3)
	}},

	{name: "blocks in a row", blocks: 3, warps: 1, wide: func(x *faulty, m *memory, w *warp.Warp) {
		v, sum, at, f, one := warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w)
		b := w.BlockIndex()
		warp.Load(v, m.in, w.GlobalID())
		warp.Set(sum, 0)
		warp.Set(one, 1)
		if b > 0 {
			warp.Set(at, int32(b-1))
			w.While(func() warp.Pred {
				if x.is("poll", "plain") {
					warp.Load(f, m.flags, at)
				} else {
					warp.LoadVolatile(f, m.flags, at)
				}
				p := w.Pred()
				warp.EqImm(p, f, 0)
				return p
			}, func() {})
			x.unless("poll", "no fence after", w.Fence)
			warp.Load(sum, m.work.At((b-1)*w.Width()), w.LaneID())
		}
		warp.Add(sum, sum, v)
		lane0 := when(w, func(l int) bool { return l == 0 })
		data := func() { warp.Store(m.work.At(b*w.Width()), w.LaneID(), sum) }
		flag := func() {
			warp.Set(at, int32(b))
			w.Where(lane0, func() {
				if x.is("flag", "plain") {
					warp.Store(m.flags, at, one)
				} else {
					warp.StoreVolatile(m.flags, at, one)
				}
			})
		}
		if x.is("flag", "before the data") {
			flag()
			data()
		} else {
			data()
			x.unless("flag", "no fence before", w.Fence)
			w.SyncWarp(w.Active())
			flag()
		}
		warp.Store(m.out, w.GlobalID(), sum)
	}, want: func(s shape, i int) int32 {
		var sum int32
		for k := i % s.lanes; k <= i; k += s.lanes {
			sum += int32(k)
		}
		return sum
	}},

	{name: "a bit for every lane", blocks: 1, warps: 1, wide: func(x *faulty, m *memory, w *warp.Warp) {
		one, bit, l := warp.Alloc[uint64](w), warp.Alloc[uint64](w), warp.Alloc[uint64](w)
		warp.Set(one, 1)
		warp.Convert(l, w.LaneID())
		warp.AndImm(l, l, 31)
		if x.is("shift", "by 64 and more") {
			warp.AddImm(l, l, 60)
		}
		warp.Shl(bit, one, l)
		warp.ShrImm(bit, bit, 1)
		low := warp.Alloc[int32](w)
		warp.Convert(low, bit)
		best := warp.Alloc[int32](w)
		mask := w.Active()
		if x.is("reduction", "of the lower lanes") {
			mask = lane.Range(0, 8)
		}
		warp.Mov(best, low)
		t := warp.Alloc[int32](w)
		from := w.Width() / 2
		if x.is("reduction", "starts low") {
			from /= 2
		}
		to := 1
		if x.is("reduction", "ends early") {
			to = 2
		}
		for d := from; d >= to; d /= 2 {
			warp.Shfl(t, best, warp.Shuffle{Mode: crossbar.Xor, Operand: int32(d)}, mask)
			warp.Or(best, best, t)
		}
		warp.Store(m.out, w.GlobalID(), best)
	}, want: func(s shape, i int) int32 { return 1<<31 - 1 }},

	{name: "scratch of the block in global memory", blocks: 2, warps: 2, wide: func(x *faulty, m *memory, w *warp.Warp) {
		v := warp.Alloc[int32](w)
		n := w.BlockThreads()
		warp.Load(v, m.in, w.GlobalID())
		mine := m.work.At(w.BlockIndex() * n)
		if x.is("scratch", "shared by the blocks") {
			mine = m.work
		}
		if x.is("scratch", "written by the first warp") {
			if w.ID() == 0 {
				warp.Store(mine, w.ThreadID(), v)
			}
		} else {
			warp.Store(mine, w.ThreadID(), v)
		}
		x.unless("scratch", "no barrier", w.SyncBlock)
		back := index(w, func(id int) int { return n - 1 - id })
		if x.is("scratch", "read one too far") {
			warp.AddImm(back, back, 1)
		}
		warp.Load(v, mine, back)
		if x.is("result", "stored to one element") {
			warp.Set(back, 0)
			warp.Store(m.out, back, v)
		}
		warp.Store(m.out, w.GlobalID(), v)
	}, want: func(s shape, i int) int32 { return int32(i/s.threads*s.threads + s.threads - 1 - i%s.threads) }},

	{name: "work between two halves of a block", blocks: 1, warps: 4, only: []string{"h200"}, wide: func(x *faulty, m *memory, w *warp.Warp) {
		n := w.BlockThreads()
		s := warp.Shared[int32](w, n)
		v := warp.Alloc[int32](w)
		id := 1 + w.ID()/2
		count := n / 2
		if x.is("barrier", "counts all warps") {
			count = n
		}
		if x.is("barrier", "one for both halves") {
			id = 1
		}
		if x.is("barrier", "by neighbours") {
			id = 1 + w.ID()%2
		}
		warp.Load(v, m.in, w.GlobalID())
		warp.Store(s, w.ThreadID(), v)
		x.unless("barrier", "left out", func() { w.Barrier(id, count) })
		warp.Load(v, s, index(w, func(id int) int { return id/(n/2)*(n/2) + (n/2 - 1 - id%(n/2)) }))
		warp.Store(m.out, w.GlobalID(), v)
	}, want: func(s shape, i int) int32 {
		h := s.threads / 2
		return int32(i/h*h + h - 1 - i%h)
	}},
}
