package warptest_test

import (
	"example.com/warpsim/intrinsics"
)

// unless does a step that a fault leaves out.
func (x *faulty) unless(place, way string, f func()) {
	if !x.is(place, way) {
		f()
	}
}

// blindLanes are written per lane.
var blindLanes = []sound{
	{name: "squares summed by a tree", blocks: 2, warps: 2, lane: func(x *faulty, t *thread) {
		n, i := t.BlockDim().X, t.ThreadRank()
		s := intrinsics.Shared[int32](t, n)
		v := x.in.Load(t, t.GlobalID())
		s.Store(t, i, v*v)
		x.unless("tree", "no barrier before", func() { intrinsics.SyncThreads(t) })
		last := 0
		if x.is("tree", "stops before the last step") {
			last = 1
		}
		for d := n / 2; d > last; d /= 2 {
			bound := d
			if x.is("tree", "a lane too many") {
				bound++
			}
			if i < bound {
				s.Store(t, i, s.Load(t, i)+s.Load(t, i+d))
				if x.is("tree", "barrier inside the branch") {
					intrinsics.SyncThreads(t)
				}
			}
			if !x.is("tree", "no barrier in a step") && x.fault != "tree: barrier inside the branch" {
				intrinsics.SyncThreads(t)
			}
		}
		if x.is("result", "by the wrong thread") {
			if i == 1 {
				x.out.Store(t, t.GlobalID()-1, s.Load(t, 0))
			}
			return
		}
		if i == 0 {
			x.out.Store(t, t.GlobalID(), s.Load(t, 0))
		}
	}, want: func(s shape, i int) int32 {
		var sum int32
		for k := i; i%s.threads == 0 && k < i+s.threads; k++ {
			sum += int32(k) * int32(k)
		}
		return sum
	}, harmless: []string{"result: by the wrong thread"}},

	{name: "running totals of a block", blocks: 2, warps: 3, lane: func(x *faulty, t *thread) {
		v := x.in.Load(t, t.GlobalID())
		totals := intrinsics.Shared[int32](t, 3)
		all := t.AllLanes()
		if x.is("scan", "mask without lane 3") {
			all = all.Without(3)
		}
		for d := 1; d < t.WarpSize(); d *= 2 {
			if up := intrinsics.ShflUpSync(t, all, v, d); t.Lane() >= d {
				v += up
			}
		}
		if t.Lane() == t.WarpSize()-1 || x.is("totals", "stored by all lanes") {
			totals.Store(t, t.WarpID(), v)
		}
		switch {
		case x.is("totals", "no barrier"):
		case x.is("totals", "barrier of each warp"):
			intrinsics.SyncWarp(t, t.AllLanes())
		case x.is("totals", "the first warp does not wait"):
			if t.WarpID() > 0 {
				intrinsics.SyncThreads(t)
			}
		default:
			intrinsics.SyncThreads(t)
		}
		n := t.WarpID()
		if x.is("totals", "one too many") {
			n = 4 - n%2
		}
		for k := range n {
			v += totals.Load(t, k)
		}
		x.out.Store(t, t.GlobalID(), v)
	}, want: func(s shape, i int) int32 { return sumOf(i/s.threads*s.threads, i+1) }},

	{name: "the last warp of the grid sums", blocks: 3, warps: 2, lane: func(x *faulty, t *thread) {
		warps := t.GridDim().X * t.BlockDim().X / t.WarpSize()
		me := t.GlobalID() / t.WarpSize()
		v := x.in.Load(t, t.GlobalID())
		for d := t.WarpSize() / 2; d > 0; d /= 2 {
			v += intrinsics.ShflDownSync(t, t.AllLanes(), v, d)
		}
		var ticket int32
		if t.Lane() == 0 {
			if x.is("ticket", "before the partial sum") {
				ticket = intrinsics.AtomicAdd(t, x.counts, 0, 1)
			}
			x.work.Store(t, me, v)
			switch {
			case x.is("ticket", "no fence"):
			case x.is("ticket", "fence of the block"):
				intrinsics.ThreadFenceBlock(t)
			default:
				intrinsics.ThreadFence(t)
			}
			switch {
			case x.is("ticket", "plain"):
				ticket = x.counts.Load(t, 0)
				x.counts.Store(t, 0, ticket+1)
			case x.fault == "ticket: before the partial sum":
			default:
				ticket = intrinsics.AtomicAdd(t, x.counts, 0, 1)
			}
		} else if x.is("partial", "by a second lane too") && t.Lane() == 1 {
			x.work.Store(t, me, v)
		}
		ticket = intrinsics.ShflSync(t, t.AllLanes(), ticket, 0)
		if int(ticket) == warps-1 {
			x.unless("reading", "no fence", func() { intrinsics.ThreadFence(t) })
			var sum int32
			if n := warps; t.Lane() == 0 {
				if x.is("reading", "beyond the partial sums") {
					n++
				}
				for k := range n {
					sum += x.work.Load(t, k)
				}
				x.out.Store(t, 0, sum)
			}
		}
	}, want: func(s shape, i int) int32 { return onlyThread(s.threads*s.blocks, i, sumTo(s.threads*s.blocks)) }},

	{name: "heat in a rod", blocks: 1, warps: 2, lane: func(x *faulty, t *thread) {
		n, i := t.BlockDim().X, t.ThreadRank()
		s := intrinsics.Shared[int32](t, 2*(n+2))
		x.unless("ends", "not set", func() {
			if i == 0 {
				s.Store(t, 0, 0)
				s.Store(t, n+1, 0)
				s.Store(t, n+2, 0)
				s.Store(t, 2*n+3, 0)
			}
		})
		s.Store(t, i+1, x.in.Load(t, i))
		x.unless("begin", "no barrier", func() { intrinsics.SyncThreads(t) })
		from, to := 0, n+2
		for range 3 {
			if x.is("step", "in place") {
				to = from
			}
			s.Store(t, to+i+1, s.Load(t, from+i)+s.Load(t, from+i+2))
			switch {
			case x.is("step", "no barrier"):
			case x.is("step", "no barrier for the ends"):
				if i > 0 && i < n-1 {
					intrinsics.SyncThreads(t)
				}
			default:
				intrinsics.SyncThreads(t)
			}
			from, to = to, from
		}
		at := i + 1
		if x.is("result", "from the neighbour's buffer") {
			at = n + 4 + i + 1
		}
		x.out.Store(t, i, s.Load(t, at+from))
	}, want: func(s shape, i int) int32 {
		a := make([]int32, s.threads+2)
		for k := range s.threads {
			a[k+1] = int32(k)
		}
		for range 3 {
			b := make([]int32, len(a))
			for k := 1; k <= s.threads; k++ {
				b[k] = a[k-1] + a[k+1]
			}
			a = b
		}
		return a[i+1]
	}},

	{name: "list under a lock", blocks: 3, warps: 1, lane: func(x *faulty, t *thread) {
		if t.Lane() == 0 {
			if x.is("lock", "plain test and set") {
				for x.flags.Load(t, 0) != 0 {
				}
				x.flags.Store(t, 0, 1)
			} else {
				for intrinsics.AtomicCAS(t, x.flags, 0, 0, 1) != 0 {
				}
			}
			x.unless("lock", "no fence after", func() { intrinsics.ThreadFence(t) })
			head := x.counts.Load(t, 0)
			x.counts.Store(t, 1+t.BlockIdx().X, head)
			x.counts.Store(t, 0, int32(t.BlockIdx().X+1))
			x.unless("lock", "no fence before it is released", func() { intrinsics.ThreadFence(t) })
			switch {
			case x.is("lock", "released by a plain store"):
				x.flags.Store(t, 0, 0)
			case x.is("lock", "released twice as often"):
				intrinsics.AtomicExch(t, x.flags, 0, 0)
				x.counts.Store(t, 0, x.counts.Load(t, 0))
			default:
				intrinsics.AtomicExch(t, x.flags, 0, 0)
			}
		}
		x.out.Store(t, t.GlobalID(), 1)
	}, want: func(s shape, i int) int32 { return 1 }},

	{name: "one atomic for the lanes that have something", blocks: 2, warps: 2, lane: func(x *faulty, t *thread) {
		v := x.in.Load(t, t.GlobalID())
		has := v%3 == 0
		who := intrinsics.BallotSync(t, t.AllLanes(), has)
		if has {
			leader := who.First()
			var base int32
			if t.Lane() == leader {
				base = intrinsics.AtomicAdd(t, x.counts, 0, int32(who.Count()))
			}
			switch {
			case x.is("base", "broadcast over all lanes"):
				base = intrinsics.ShflSync(t, t.AllLanes(), base, leader)
			case x.is("base", "from a lane without an item"):
				base = intrinsics.ShflSync(t, who, base, leader+1)
			case x.is("base", "among others"):
				base = intrinsics.ShflSync(t, who.Without(leader), base, leader)
			default:
				base = intrinsics.ShflSync(t, who, base, leader)
			}
			rank := 0
			for l := range who.Lanes() {
				if l < t.Lane() {
					rank++
				}
			}
			switch {
			case x.is("place", "without the rank"):
				rank = 0
			case x.is("place", "beyond the end"):
				rank += t.GridDim().X * t.BlockDim().X
			}
			x.work.Store(t, int(base)+rank, v)
		}
		x.out.Store(t, t.GlobalID(), int32(who.Count()))
	}, want: func(s shape, i int) int32 {
		var n int32
		for k := i / s.lanes * s.lanes; k < (i/s.lanes+1)*s.lanes; k++ {
			if k%3 == 0 {
				n++
			}
		}
		return n
	}},

	{name: "a ring of slots", blocks: 1, warps: 2, lane: func(x *faulty, t *thread) {
		slot := intrinsics.Shared[int32](t, t.WarpSize())
		full := intrinsics.Shared[int32](t, 1)
		if t.ThreadRank() == 0 {
			full.Store(t, 0, 0)
		}
		x.unless("begin", "no barrier", func() { intrinsics.SyncThreads(t) })
		if t.WarpID() == 0 {
			for k := range 3 {
				for t.Lane() == 0 && intrinsics.AtomicAdd(t, full, 0, 0) != int32(2*k) {
				}
				x.unless("producer", "does not wait for the reader's lanes", func() { intrinsics.SyncWarp(t, t.AllLanes()) })
				slot.Store(t, t.Lane(), int32(k*1000+t.Lane()))
				x.unless("producer", "no fence", func() { intrinsics.ThreadFenceBlock(t) })
				x.unless("producer", "no warp barrier", func() { intrinsics.SyncWarp(t, t.AllLanes()) })
				if t.Lane() == 0 {
					if x.is("producer", "plain flag") {
						full.Store(t, 0, int32(2*k+1))
					} else {
						intrinsics.AtomicExch(t, full, 0, int32(2*k+1))
					}
				}
			}
			x.out.Store(t, t.GlobalID(), 0)
			return
		}
		var sum int32
		for k := range 3 {
			for t.Lane() == 0 && intrinsics.AtomicAdd(t, full, 0, 0) != int32(2*k+1) {
			}
			if t.Lane() == 0 {
				x.unless("consumer", "no fence", func() { intrinsics.ThreadFenceBlock(t) })
			}
			x.unless("consumer", "no warp barrier", func() { intrinsics.SyncWarp(t, t.AllLanes()) })
			sum += slot.Load(t, t.WarpSize()-1-t.Lane())
			intrinsics.ThreadFenceBlock(t)
			x.unless("consumer", "no warp barrier before it answers", func() { intrinsics.SyncWarp(t, t.AllLanes()) })
			if t.Lane() == 0 {
				intrinsics.AtomicExch(t, full, 0, int32(2*k+2))
			}
		}
		x.out.Store(t, t.GlobalID(), sum)
	}, want: func(s shape, i int) int32 {
		if i < s.lanes {
			return 0
		}
		return int32(3000 + 3*(s.lanes-1-i%s.lanes))
	}, inStep: []string{"producer: does not wait for the reader's lanes", "producer: no warp barrier",
		"consumer: no warp barrier", "consumer: no warp barrier before it answers"}},

	{name: "lanes sorted by shuffles", blocks: 1, warps: 2, lane: func(x *faulty, t *thread) {
		v, l := int32(t.WarpSize()-t.Lane()), t.Lane()
		mask, top := t.AllLanes(), t.WarpSize()
		if x.is("mask", "of the even lanes") {
			for k := 1; k < t.WarpSize(); k += 2 {
				mask = mask.Without(k)
			}
		}
		for k := 2; k <= top; k *= 2 {
			for d := k / 2; d > 0; d /= 2 {
				by := d
				if x.is("distance", "as far as the warp is wide") && d == t.WarpSize()/2 {
					by = t.WarpSize()
				}
				var o int32
				if x.is("exchange", "by the lower lanes only") {
					if o = v; l&d == 0 {
						o = intrinsics.ShflXorSync(t, mask, v, by)
					}
				} else {
					o = intrinsics.ShflXorSync(t, mask, v, by)
				}
				if up := l&k == 0; (l&d == 0) == up == (v > o) {
					v = o
				}
			}
		}
		x.out.Store(t, t.GlobalID(), v)
	}, want: func(s shape, i int) int32 { return int32(i%s.lanes + 1) },
		harmless: []string{"distance: as far as the warp is wide"}},

	{name: "reversal in place", blocks: 4, warps: 1, lane: func(x *faulty, t *thread) {
		n, i := t.GridDim().X*t.BlockDim().X, t.GlobalID()
		x.out.Store(t, i, int32(i))
		half, o := n/2, n-1-i
		if x.is("range", "all") {
			half = n
		}
		if x.is("partner", "one too far") {
			o++
		}
		if i < half {
			// Both stand in this thread's own elements of two arrays.
			a, b := x.in.Load(t, i), x.in.Load(t, o)
			x.in.Store(t, i, b)
			x.in.Store(t, o, a)
		}
	}, want: func(s shape, i int) int32 { return int32(i) }},

	{name: "columns through shared memory", blocks: 1, warps: 1, lane: func(x *faulty, t *thread) {
		l, n := t.Lane(), t.WarpSize()
		s := intrinsics.Shared[int32](t, n)
		var sum int32
		for r := range 4 {
			s.Store(t, l, int32(r*n+l))
			m := t.AllLanes()
			if x.is("after the store", "half of the warp") {
				for k := n / 2; k < n; k++ {
					if l < n/2 {
						m = m.Without(k)
					} else {
						m = m.Without(k - n/2)
					}
				}
			}
			x.unless("after the store", "no warp barrier", func() { intrinsics.SyncWarp(t, m) })
			sum += s.Load(t, (l+n/2)%n)
			switch {
			case x.is("after the load", "no warp barrier"):
			case x.is("after the load", "only where the sum is even"):
				if sum%2 == 0 {
					intrinsics.SyncWarp(t, t.AllLanes())
				}
			default:
				intrinsics.SyncWarp(t, t.AllLanes())
			}
		}
		x.out.Store(t, l, sum)
	}, want: func(s shape, i int) int32 { return int32(6*s.lanes + 4*((i+s.lanes/2)%s.lanes)) }},

	{name: "matches counted by the barrier", blocks: 2, warps: 2, lane: func(x *faulty, t *thread) {
		i := t.ThreadRank()
		v := x.in.Load(t, t.GlobalID())
		if x.is("threads", "leave early") && i >= t.BlockDim().X-10 {
			return
		}
		n := 0
		if x.is("barrier", "skipped by those without a match") {
			if v%4 == 0 {
				n = intrinsics.SyncThreadsCount(t, true)
			}
		} else {
			n = intrinsics.SyncThreadsCount(t, v%4 == 0)
		}
		x.out.Store(t, t.GlobalID(), int32(n))
	}, want: func(s shape, i int) int32 { return int32(s.threads / 4) }},

	{name: "a table that the grid fills first", blocks: 3, warps: 1, lane: func(x *faulty, t *thread) {
		b, i := t.BlockIdx().X, t.GlobalID()
		n := t.BlockDim().X
		switch {
		case x.is("table", "not filled"):
		case x.is("table", "every other element"):
			if i%2 == 0 {
				x.work.Store(t, i, int32(3*i))
			}
		default:
			x.work.Store(t, i, int32(3*i))
		}
		x.unless("table", "no barrier", func() { intrinsics.SyncThreads(t) })
		at := b*n + (t.ThreadRank()+1)%n
		switch {
		case x.is("look-up", "in the next block's part"):
			at = (i + n) % (3 * n)
		case x.is("look-up", "one too far"):
			at = b*n + t.ThreadRank() + 1
		}
		x.out.Store(t, i, x.work.Load(t, at))
	}, want: func(s shape, i int) int32 {
		b := i / s.threads * s.threads
		return int32(3 * (b + (i-b+1)%s.threads))
	}},

	{name: "a message to the next block", blocks: 2, warps: 1, lane: func(x *faulty, t *thread) {
		if t.BlockIdx().X == 0 {
			x.work.Store(t, t.Lane(), int32(5*t.Lane()))
			x.unless("sender", "no barrier of the block", func() { intrinsics.SyncThreads(t) })
			if t.Lane() == 0 {
				x.unless("sender", "no fence", func() { intrinsics.ThreadFence(t) })
				if x.is("sender", "plain flag") {
					x.flags.Store(t, 0, 1)
				} else {
					x.flags.StoreVolatile(t, 0, 1)
				}
			}
			x.out.Store(t, t.GlobalID(), 0)
			return
		}
		if t.Lane() == 0 {
			if x.is("receiver", "plain poll") {
				for x.flags.Load(t, 0) == 0 {
				}
			} else {
				for x.flags.LoadVolatile(t, 0) == 0 {
				}
			}
			x.unless("receiver", "no fence", func() { intrinsics.ThreadFence(t) })
		}
		x.unless("receiver", "the others do not wait", func() { intrinsics.SyncThreads(t) })
		x.out.Store(t, t.GlobalID(), x.work.Load(t, t.Lane()))
	}, want: func(s shape, i int) int32 {
		if i < s.lanes {
			return 0
		}
		return int32(5 * (i - s.lanes))
	}, inStep: []string{"receiver: the others do not wait", "sender: no barrier of the block"}},
}
