package warptest_test

import (
	"example.com/warpsim/intrinsics"
	"example.com/warpsim/intrinsics/cg"
)

func sumTo(n int) int32 { return int32(n * (n - 1) / 2) }

// sumOf is the sum of the numbers from a to b-1.
func sumOf(a, b int) int32 { return sumTo(b) - sumTo(a) }

// onlyThread is v in the first thread of each group of n, and 0 elsewhere.
func onlyThread(n, i int, v int32) int32 {
	if i%n == 0 {
		return v
	}
	return 0
}

var soundKernels = []sound{
	soundLane("sum of a warp", 1, 1, func(x *faulty, t *thread) {
		v := x.warpSum(t, "sum", x.in.Load(t, x.bound("input", t.GlobalID())))
		if x.guard("store", t.Lane() == 0) {
			x.out.Store(t, 0, v)
		}
	}, func(s shape, i int) int32 { return onlyThread(s.threads, i, sumTo(s.lanes)) }),
	soundLane("sum of a block by two levels", 2, 4, func(x *faulty, t *thread) {
		s := intrinsics.Shared[int32](t, 4)
		v := x.warpSum(t, "first", x.in.Load(t, x.bound("input", t.GlobalID())))
		if t.Lane() == 0 {
			s.Store(t, t.WarpID(), v)
		}
		x.sync(t, "between")
		if t.WarpID() == 0 {
			v = 0
			if t.Lane() < x.bound("partials", 4) {
				v = s.Load(t, t.Lane())
			}
			v = x.warpSum(t, "second", v)
			if t.Lane() == 0 {
				x.out.Store(t, t.GlobalID(), v)
			}
		}
	}, func(s shape, i int) int32 {
		b := i / s.threads
		return onlyThread(s.threads, i, sumOf(b*s.threads, (b+1)*s.threads))
	}),
	soundLane("reversal in shared memory", 2, 3, func(x *faulty, t *thread) {
		n := t.BlockDim().X
		s := intrinsics.Shared[int32](t, n)
		s.Store(t, t.ThreadRank(), x.in.Load(t, x.bound("input", t.GlobalID())))
		x.sync(t, "swap")
		x.out.Store(t, x.bound("output", t.GlobalID()), s.Load(t, x.bound("index", n-1)-t.ThreadRank()))
	}, func(s shape, i int) int32 { return int32(i/s.threads*s.threads + s.threads - 1 - i%s.threads) }),
	soundLane("moving sum over a tile", 2, 2, func(x *faulty, t *thread) {
		n := t.BlockDim().X
		s := intrinsics.Shared[int32](t, n+2)
		i := t.ThreadRank()
		s.Store(t, i+1, x.in.Load(t, x.bound("input", t.GlobalID())))
		if x.guard("left edge", i == 0) {
			s.Store(t, 0, 0)
		}
		if i == n-1 {
			s.Store(t, x.bound("right edge", n+1), 0)
		}
		x.sync(t, "tile")
		x.out.Store(t, x.bound("output", t.GlobalID()), s.Load(t, i)+s.Load(t, i+1)+s.Load(t, x.bound("right", i+2)))
	}, func(s shape, i int) int32 {
		v := int32(i)
		if i%s.threads > 0 {
			v += int32(i - 1)
		}
		if i%s.threads < s.threads-1 {
			v += int32(i + 1)
		}
		return v
	}),
	soundLane("histogram in shared memory", 2, 2, func(x *faulty, t *thread) {
		s := intrinsics.Shared[int32](t, 16)
		if i := t.ThreadRank(); i < x.bound("clear", 16) {
			s.Store(t, i, 0)
		}
		x.sync(t, "cleared")
		x.add(t, "count", s, int(x.in.Load(t, x.bound("input", t.GlobalID())))%16, 1)
		x.sync(t, "counted")
		if i := t.ThreadRank(); i < x.bound("bins", 16) {
			x.out.Store(t, t.GlobalID(), s.Load(t, i))
		}
	}, func(s shape, i int) int32 {
		if i%s.threads < 16 {
			return int32(s.threads / 16)
		}
		return 0
	}),
	soundLane("histogram of a grid", 3, 2, func(x *faulty, t *thread) {
		s := intrinsics.Shared[int32](t, 8)
		if i := t.ThreadRank(); i < 8 {
			s.Store(t, i, 0)
		}
		x.sync(t, "cleared")
		x.add(t, "count", s, t.ThreadRank()%8, 1)
		x.sync(t, "counted")
		if i := t.ThreadRank(); i < x.bound("bins", 8) {
			x.add(t, "merge", x.out, i, s.Load(t, i))
		}
	}, func(s shape, i int) int32 {
		if i < 8 {
			return int32(s.blocks * s.threads / 8)
		}
		return 0
	}),
	soundLane("sum by the last block", 5, 2, func(x *faulty, t *thread) {
		last := intrinsics.Shared[bool](t, 1)
		v := x.warpSum(t, "sum", 1)
		if t.Lane() == 0 {
			x.add(t, "of the block", x.counts, 1+t.BlockIdx().X, v)
		}
		if t.ThreadRank() == 0 {
			x.publish(t, "ticket", func() { x.work.Store(t, t.BlockIdx().X, 1) }, func() {
				last.Store(t, 0, x.add(t, "ticket", x.counts, 0, 1) == 4)
			})
		}
		x.sync(t, "ticket")
		if last.Load(t, 0) {
			x.fence(t, "last")
			if i := t.ThreadRank(); i < x.bound("blocks", 5) {
				x.out.Store(t, i, x.work.Load(t, i))
			}
		}
	}, func(s shape, i int) int32 {
		if i < 5 {
			return 1
		}
		return 0
	}),
	soundLane("sum by the last block, volatile", 4, 1, func(x *faulty, t *thread) {
		last := intrinsics.Shared[bool](t, 1)
		if t.ThreadRank() == 0 {
			x.publish(t, "partial", func() { x.work.Store(t, t.BlockIdx().X, int32(t.BlockIdx().X)) }, func() {
				last.Store(t, 0, x.add(t, "ticket", x.counts, 0, 1) == 3)
			})
		}
		x.syncWarp(t, "ticket")
		if last.Load(t, 0) && t.Lane() < x.bound("blocks", 4) {
			x.out.Store(t, t.Lane(), x.poll(t, "partials", x.work, t.Lane()))
		}
	}, func(s shape, i int) int32 {
		if i < 4 {
			return int32(i)
		}
		return 0
	}),
	soundLane("chain of blocks", 4, 1, func(x *faulty, t *thread) {
		b := t.BlockIdx().X
		if t.Lane() != 0 {
			return
		}
		sum := int32(b)
		if b > 0 {
			for intrinsics.AtomicAdd(t, x.flags, b-1, 0) == 0 {
			}
			x.fence(t, "acquire")
			sum += x.work.Load(t, b-1)
		}
		x.publish(t, "carry", func() { x.work.Store(t, b, sum) }, func() { intrinsics.AtomicExch(t, x.flags, b, 1) })
		x.out.Store(t, t.GlobalID(), sum)
	}, func(s shape, i int) int32 { return onlyThread(s.threads, i, sumTo(i/s.threads+1)) }),
	soundLane("chain of blocks, volatile flags", 4, 2, func(x *faulty, t *thread) {
		b := t.BlockIdx().X
		s := intrinsics.Shared[int32](t, 1)
		if t.ThreadRank() == 0 {
			sum := int32(b)
			if b > 0 {
				for x.poll(t, "flag", x.flags, b-1) == 0 {
				}
				sum += x.poll(t, "carry", x.work, b-1)
			}
			s.Store(t, 0, sum)
			x.publish(t, "carry", func() { x.work.Store(t, b, sum) }, func() { x.flags.StoreVolatile(t, b, 1) })
		}
		x.sync(t, "carried")
		x.out.Store(t, x.bound("output", t.GlobalID()), s.Load(t, 0))
	}, func(s shape, i int) int32 { return sumTo(i/s.threads + 1) }),
	soundLane("lock", 4, 2, func(x *faulty, t *thread) {
		if t.Lane() != 0 {
			return
		}
		for intrinsics.AtomicCAS(t, x.flags, 0, 0, 1) != 0 {
		}
		x.fence(t, "taken")
		x.counts.Store(t, 0, x.counts.Load(t, 0)+1)
		x.fence(t, "given back")
		intrinsics.AtomicExch(t, x.flags, 0, 0)
		x.add(t, "all", x.out, 0, 1)
	}, func(s shape, i int) int32 { return onlyThread(s.blocks*s.threads, i, int32(2*s.blocks)) }),
	soundLane("mailbox between warps", 1, 2, func(x *faulty, t *thread) {
		s, f := intrinsics.Shared[int32](t, t.WarpSize()), intrinsics.Shared[int32](t, 1)
		if t.ThreadRank() == 0 {
			f.Store(t, 0, 0)
		}
		x.sync(t, "cleared")
		if t.WarpID() == 0 {
			s.Store(t, t.Lane(), x.in.Load(t, t.Lane()))
			x.syncWarp(t, "written")
			if t.Lane() == 0 {
				x.fence(t, "release")
				intrinsics.AtomicExch(t, f, 0, 1)
			}
			return
		}
		if t.Lane() == 0 {
			for intrinsics.AtomicAdd(t, f, 0, 0) == 0 {
			}
			x.fence(t, "acquire")
		}
		x.syncWarp(t, "seen")
		x.out.Store(t, t.ThreadRank(), s.Load(t, t.WarpSize()-1-t.Lane()))
	}, func(s shape, i int) int32 {
		if i < s.lanes {
			return 0
		}
		return int32(2*s.lanes - 1 - i)
	}),
	soundLane("producer and consumer at named barriers", 1, 2, func(x *faulty, t *thread) {
		n := t.WarpSize()
		s := intrinsics.Shared[int32](t, n)
		for r := range 2 {
			if t.WarpID() == 0 {
				if r > 0 {
					if x.is("room", "arrives instead of waiting") {
						intrinsics.BarrierArrive(t, 2, 2*n)
					} else {
						intrinsics.BarrierSync(t, 2, 2*n)
					}
				}
				s.Store(t, t.Lane(), int32(r))
				intrinsics.BarrierArrive(t, 1, 2*n)
			} else {
				if x.is("data", "arrives instead of waiting") {
					intrinsics.BarrierArrive(t, 1, 2*n)
				} else {
					intrinsics.BarrierSync(t, 1, 2*n)
				}
				x.out.Store(t, t.ThreadRank(), s.Load(t, n-1-t.Lane()))
				if r == 0 {
					intrinsics.BarrierArrive(t, 2, 2*n)
				}
			}
		}
	}, func(s shape, i int) int32 {
		if i < s.lanes {
			return 0
		}
		return 1
	}),
	soundLane("scan of a warp", 2, 2, func(x *faulty, t *thread) {
		v := x.in.Load(t, x.bound("input", t.GlobalID()))
		for d := 1; d < t.WarpSize(); d *= 2 {
			y := intrinsics.ShflUpSync(t, x.mask(t, "step"), v, d, x.width(t, "step", t.WarpSize()))
			if t.Lane() >= d {
				v += y
			}
		}
		x.out.Store(t, x.bound("place", t.GlobalID()), v)
	}, func(s shape, i int) int32 { return sumOf(i/s.lanes*s.lanes, i+1) }),
	soundLane("segments of eight lanes", 1, 2, func(x *faulty, t *thread) {
		v := x.in.Load(t, x.bound("input", t.GlobalID()))
		for d := 4; d > 0; d /= 2 {
			v += intrinsics.ShflXorSync(t, x.mask(t, "step"), v, d, x.width(t, "step", 8))
		}
		x.out.Store(t, x.bound("place", t.GlobalID()), v)
	}, func(s shape, i int) int32 { return sumOf(i/8*8, i/8*8+8) }),
	soundLane("compaction by ballots", 1, 3, func(x *faulty, t *thread) {
		s := intrinsics.Shared[int32](t, 4)
		v := x.in.Load(t, x.bound("input", t.GlobalID()))
		keep := v%3 == 0
		m := intrinsics.BallotSync(t, x.mask(t, "ballot"), keep)
		below := m
		for l := t.Lane(); l < t.WarpSize(); l++ {
			below = below.Without(l)
		}
		if t.Lane() == 0 {
			s.Store(t, t.WarpID(), int32(m.Count()))
		}
		x.sync(t, "counts")
		at := below.Count()
		for w := range x.bound("warps", t.WarpID()) {
			at += int(s.Load(t, w))
		}
		if keep {
			x.out.Store(t, at, v)
		}
	}, func(s shape, i int) int32 {
		if 3*i < s.threads {
			return int32(3 * i)
		}
		return 0
	}),
	soundLane("transposition", 1, 4, func(x *faulty, t *thread) {
		n := t.BlockDim().X / 4
		s := intrinsics.Shared[int32](t, 4*(n+1))
		i := t.ThreadRank()
		s.Store(t, i/n*(n+1)+i%n, x.in.Load(t, x.bound("input", i)))
		x.sync(t, "tile")
		x.out.Store(t, x.bound("output", i), s.Load(t, i%4*(n+1)+x.bound("column", i/4)))
	}, func(s shape, i int) int32 { return int32(i%4*(s.threads/4) + i/4) }),
	soundLane("two buffers", 1, 2, func(x *faulty, t *thread) {
		n := t.BlockDim().X
		s := intrinsics.Shared[int32](t, 2*n)
		i := t.ThreadRank()
		s.Store(t, i, x.in.Load(t, x.bound("input", i)))
		x.sync(t, "first")
		from := 0
		for range 3 {
			s.Store(t, n-from+i, s.Load(t, from+(i+1)%n))
			from = n - from
			x.sync(t, "turn")
		}
		x.out.Store(t, x.bound("output", i), s.Load(t, from+i))
	}, func(s shape, i int) int32 { return int32((i + 3) % s.threads) }),
	soundLane("maximum by lanes in shared memory", 1, 1, func(x *faulty, t *thread) {
		n := t.WarpSize()
		s := intrinsics.Shared[int32](t, n)
		s.Store(t, t.Lane(), x.in.Load(t, n-1-t.Lane()))
		x.syncWarp(t, "stored")
		for d := n / 2; d > 0; d /= 2 {
			if t.Lane() < x.bound("half", d) {
				s.Store(t, t.Lane(), max(s.Load(t, t.Lane()), s.Load(t, t.Lane()+d)))
			}
			x.syncWarp(t, "step")
		}
		x.out.Store(t, t.Lane(), s.Load(t, 0))
	}, func(s shape, i int) int32 { return int32(s.lanes - 1) }),
	soundLane("queue of items", 3, 1, func(x *faulty, t *thread) {
		base := int32(0)
		if t.Lane() == 0 {
			base = x.add(t, "take", x.counts, 0, int32(t.WarpSize()))
		}
		at := int(intrinsics.ShflSync(t, x.mask(t, "base"), base, 0, x.width(t, "base", t.WarpSize()))) + t.Lane()
		if at < t.GridDim().X*t.BlockDim().X {
			x.out.Store(t, x.bound("place", at), x.in.Load(t, at))
		}
	}, func(s shape, i int) int32 { return int32(i) }),
	soundLane("product of vectors by a tile", 2, 1, func(x *faulty, t *thread) {
		g := cg.TiledPartition(cg.ThisThreadBlock(t), 16)
		if x.is("tile", "half of it leaves") && g.Rank() >= 8 {
			return
		}
		v := x.in.Load(t, x.bound("input", t.GlobalID()))
		v = cg.Reduce(g, v*2, cg.Plus[int32]())
		if g.Rank() == 0 {
			x.out.Store(t, t.GlobalID(), v)
		}
	}, func(s shape, i int) int32 { return onlyThread(16, i, 2*sumOf(i/16*16, i/16*16+16)) }),
	soundLane("pointers that jump", 1, 2, func(x *faulty, t *thread) {
		n := t.BlockDim().X
		s := intrinsics.Shared[int32](t, n)
		i := t.ThreadRank()
		s.Store(t, i, int32(max(i-1, 0)))
		x.sync(t, "links")
		for d := 1; d < n; d *= 2 {
			next := s.Load(t, int(s.Load(t, i)))
			x.sync(t, "read")
			s.Store(t, i, next)
			x.sync(t, "written")
		}
		x.out.Store(t, x.bound("output", i), s.Load(t, (i+1)%n))
	}, func(s shape, i int) int32 { return 0 }),
	soundLane("votes of a warp", 1, 2, func(x *faulty, t *thread) {
		v := x.in.Load(t, x.bound("input", t.GlobalID()))
		n := int32(0)
		if intrinsics.AnySync(t, x.mask(t, "any"), v == 3) {
			n++
		}
		if intrinsics.AllSync(t, x.mask(t, "all"), v < int32(t.WarpSize())) {
			n += 2
		}
		x.out.Store(t, x.bound("place", t.GlobalID()), n)
	}, func(s shape, i int) int32 {
		if i < s.lanes {
			return 3
		}
		return 0
	}),
	soundLane("broadcast of a column", 2, 2, func(x *faulty, t *thread) {
		s := intrinsics.Shared[int32](t, 2)
		if x.guard("leader", t.Lane() == t.WarpSize()-1) {
			s.Store(t, t.WarpID(), x.in.Load(t, x.bound("input", t.GlobalID())))
		}
		x.syncWarp(t, "column")
		v := s.Load(t, x.bound("column", t.WarpID()))
		x.sync(t, "used")
		if t.Lane() == 0 {
			s.Store(t, 1-t.WarpID(), 7)
		}
		x.out.Store(t, x.bound("output", t.GlobalID()), v)
	}, func(s shape, i int) int32 { return int32(i/s.lanes*s.lanes + s.lanes - 1) }),
	soundLane("odd-even transposition sort", 1, 1, func(x *faulty, t *thread) {
		n := t.WarpSize()
		s := intrinsics.Shared[int32](t, n)
		i := t.Lane()
		s.Store(t, i, x.in.Load(t, n-1-i))
		x.syncWarp(t, "stored")
		for r := range n {
			if i%2 == r%2 && i+1 < x.bound("pairs", n) {
				if a, b := s.Load(t, i), s.Load(t, i+1); a > b {
					s.Store(t, i, b)
					s.Store(t, i+1, a)
				}
			}
			x.syncWarp(t, "round")
		}
		x.out.Store(t, x.bound("output", i), s.Load(t, i))
	}, func(s shape, i int) int32 { return int32(i) }),
	soundLane("rotation", 1, 2, func(x *faulty, t *thread) {
		n := t.BlockDim().X
		s := intrinsics.Shared[int32](t, n)
		i := t.ThreadRank()
		s.Store(t, i, x.in.Load(t, x.bound("input", i)))
		x.sync(t, "stored")
		v := s.Load(t, (i+1)%n)
		x.sync(t, "read")
		s.Store(t, x.bound("place", i), v)
		x.sync(t, "again")
		x.out.Store(t, x.bound("output", i), s.Load(t, (i+1)%n))
	}, func(s shape, i int) int32 { return int32((i + 2) % s.threads) }),
}
