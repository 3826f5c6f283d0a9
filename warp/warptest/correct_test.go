package warptest_test

import (
	"example.com/warpsim/crossbar"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
)

func triangle(n int) int32 { return int32(n * (n - 1) / 2) }

// first is v in thread 0 and 0 elsewhere.
func first(v int32) func(id int) int32 {
	return func(id int) int32 {
		if id == 0 {
			return v
		}
		return 0
	}
}

// threads returns a predicate over thread numbers of the block.
func threads(w *warp.Warp, f func(id int) bool) warp.Pred {
	return when(w, func(l int) bool { return f(w.ID()*w.Width() + l) })
}

// index returns a register that is f of the thread number.
func index(w *warp.Warp, f func(id int) int) warp.Reg[int32] {
	r := warp.Alloc[int32](w)
	warp.SetLanes(r, func(l int) int32 { return int32(f(w.ID()*w.Width() + l)) })
	return r
}

func store0(m *mutant, w *warp.Warp, out ints, v warp.Reg[int32]) {
	w.Where(threads(w, func(id int) bool { return id == 0 }), func() { warp.Store(out, w.ThreadID(), v) })
}

// shflTree reduces v over the warp by masked shuffles.
func shflTree(m *mutant, w *warp.Warp, v warp.Reg[int32], mode crossbar.Mode) {
	t := warp.Alloc[int32](w)
	for d := w.Width() / 2; d > 0; d /= 2 {
		warp.Shfl(t, v, warp.Shuffle{Mode: mode, Operand: int32(d)}, m.mask(w))
		warp.Add(v, v, t)
	}
}

var correctKernels = []correct{
	{"warp reduce, shuffles down", 32, func(m *mutant, w *warp.Warp, out ints) {
		v := index(w, func(id int) int { return id })
		shflTree(m, w, v, crossbar.Down)
		store0(m, w, out, v)
	}, first(triangle(32))},
	{"warp reduce, butterfly", 32, func(m *mutant, w *warp.Warp, out ints) {
		v := index(w, func(id int) int { return id })
		shflTree(m, w, v, crossbar.Xor)
		warp.Store(out, w.ThreadID(), v)
	}, func(int) int32 { return triangle(32) }},
	{"warp scan, Hillis and Steele", 32, func(m *mutant, w *warp.Warp, out ints) {
		v, t := index(w, func(id int) int { return id }), warp.Alloc[int32](w)
		for d := 1; d < 32; d *= 2 {
			warp.Shfl(t, v, warp.Shuffle{Mode: crossbar.Up, Operand: int32(d)}, m.mask(w))
			m.where(w, when(w, func(l int) bool { return l >= d }), func() { warp.Add(v, v, t) })
		}
		warp.Store(out, w.ThreadID(), v)
	}, func(id int) int32 { return triangle(id + 1) }},
	{"warp votes", 32, func(m *mutant, w *warp.Warp, out ints) {
		b, r := w.MaskReg(), reg(w, -1)
		even := when(w, func(l int) bool { return l%2 == 0 || l == 31 })
		warp.Ballot(b, even, m.mask(w))
		m.where(w, even, func() { warp.Rank(r, b) })
		warp.Store(out, w.ThreadID(), r)
	}, func(id int) int32 {
		switch {
		case id == 31:
			return 16
		case id%2 == 0:
			return int32(id / 2)
		}
		return -1
	}},
	{"warp mailbox", 32, func(m *mutant, w *warp.Warp, out ints) {
		s := warp.Shared[int32](w, 32)
		v := warp.Alloc[int32](w)
		warp.Store(s, w.LaneID(), w.LaneID())
		m.syncWarp(w)
		warp.Load(v, s, index(w, func(id int) int { return 31 - id }))
		m.syncWarp(w)
		warp.AddImm(v, v, 100)
		warp.Store(s, w.LaneID(), v)
		m.syncWarp(w)
		warp.Load(v, s, index(w, func(id int) int { return id ^ 1 }))
		warp.Store(out, w.ThreadID(), v)
	}, func(id int) int32 { return int32(131 - (id ^ 1)) }},
	{"warp tree in shared memory", 32, func(m *mutant, w *warp.Warp, out ints) {
		s := warp.Shared[int32](w, 32)
		x, y := index(w, func(id int) int { return id }), warp.Alloc[int32](w)
		warp.Store(s, w.LaneID(), x)
		m.syncWarp(w)
		for d := 16; d > 0; d /= 2 {
			m.where(w, when(w, func(l int) bool { return l < d }), func() {
				warp.Load(y, s.At(d), w.LaneID())
				warp.Add(x, x, y)
				warp.Store(s, w.LaneID(), x)
			})
			m.syncWarp(w)
		}
		store0(m, w, out, x)
	}, first(triangle(32))},
	{"block tree", 128, func(m *mutant, w *warp.Warp, out ints) {
		s := warp.Shared[int32](w, 128)
		x, y := index(w, func(id int) int { return id }), warp.Alloc[int32](w)
		warp.Store(s, w.ThreadID(), x)
		m.syncBlock(w)
		for d := 64; d > 0; d /= 2 {
			m.where(w, threads(w, func(id int) bool { return id < d }), func() {
				warp.Load(y, s.At(d), w.ThreadID())
				warp.Add(x, x, y)
				warp.Store(s, w.ThreadID(), x)
			})
			m.syncBlock(w)
		}
		store0(m, w, out, x)
	}, first(triangle(128))},
	{"block tree, last warp by warp barriers", 128, func(m *mutant, w *warp.Warp, out ints) {
		s := warp.Shared[int32](w, 128)
		x, y := index(w, func(id int) int { return id }), warp.Alloc[int32](w)
		warp.Store(s, w.ThreadID(), x)
		m.syncBlock(w)
		step := func(d int) {
			warp.Load(y, s.At(d), w.ThreadID())
			warp.Add(x, x, y)
			warp.Store(s, w.ThreadID(), x)
		}
		m.where(w, threads(w, func(id int) bool { return id < 64 }), func() { step(64) })
		m.syncBlock(w)
		if w.ID() == 0 {
			for d := 32; d > 0; d /= 2 {
				m.where(w, when(w, func(l int) bool { return l < d }), func() { step(d) })
				m.syncWarp(w)
			}
		}
		store0(m, w, out, x)
	}, first(triangle(128))},
	{"block reduce, hybrid", 256, func(m *mutant, w *warp.Warp, out ints) {
		s := warp.Shared[int32](w, 8)
		v := index(w, func(id int) int { return id })
		shflTree(m, w, v, crossbar.Down)
		m.where(w, when(w, func(l int) bool { return l == 0 }), func() { warp.Store(s, reg(w, int32(w.ID())), v) })
		m.syncBlock(w)
		if w.ID() == 0 {
			warp.Set(v, 0)
			m.where(w, when(w, func(l int) bool { return l < 8 }), func() { warp.Load(v, s, w.LaneID()) })
			shflTree(m, w, v, crossbar.Down)
		}
		store0(m, w, out, v)
	}, first(triangle(256))},
	{"block reduce, result everywhere", 96, func(m *mutant, w *warp.Warp, out ints) {
		s := warp.Shared[int32](w, 4)
		v, x := index(w, func(id int) int { return id }), warp.Alloc[int32](w)
		shflTree(m, w, v, crossbar.Xor)
		w.Where(when(w, func(l int) bool { return l == 0 }), func() { warp.Store(s, reg(w, int32(w.ID())), v) })
		m.syncBlock(w)
		w.Where(threads(w, func(id int) bool { return id == 0 }), func() {
			warp.Set(v, 0)
			for i := range 3 {
				warp.Load(x, s.At(i), w.ThreadID())
				warp.Add(v, v, x)
			}
			warp.Store(s.At(3), w.ThreadID(), v)
		})
		m.syncBlock(w)
		warp.Load(v, s, reg(w, 3))
		warp.Store(out, w.ThreadID(), v)
	}, func(int) int32 { return triangle(96) }},
	{"block scan, two buffers", 64, func(m *mutant, w *warp.Warp, out ints) {
		s := warp.Shared[int32](w, 128)
		v, x := index(w, func(id int) int { return id }), warp.Alloc[int32](w)
		in, other := s, s.At(64)
		for d := 1; d < 64; d *= 2 {
			warp.Store(in, w.ThreadID(), v)
			m.syncBlock(w)
			m.where(w, threads(w, func(id int) bool { return id >= d }), func() {
				warp.Load(x, in.At(-d), w.ThreadID())
				warp.Add(v, v, x)
			})
			in, other = other, in
		}
		warp.Store(out, w.ThreadID(), v)
	}, func(id int) int32 { return triangle(id + 1) }},
	{"block scan, one buffer", 64, func(m *mutant, w *warp.Warp, out ints) {
		s := warp.Shared[int32](w, 64)
		v, x := index(w, func(id int) int { return id }), warp.Alloc[int32](w)
		for d := 1; d < 64; d *= 2 {
			warp.Store(s, w.ThreadID(), v)
			m.syncBlock(w)
			m.where(w, threads(w, func(id int) bool { return id >= d }), func() {
				warp.Load(x, s.At(-d), w.ThreadID())
				warp.Add(v, v, x)
			})
			m.syncBlock(w)
		}
		warp.Store(out, w.ThreadID(), v)
	}, func(id int) int32 { return triangle(id + 1) }},
	{"block scan, up and down a tree", 64, func(m *mutant, w *warp.Warp, out ints) {
		s := warp.Shared[int32](w, 64)
		a, b := warp.Alloc[int32](w), warp.Alloc[int32](w)
		warp.Store(s, w.ThreadID(), index(w, func(id int) int { return id }))
		for d := 1; d < 64; d *= 2 {
			m.syncBlock(w)
			m.where(w, threads(w, func(id int) bool { return id < 32/d }), func() {
				left, right := index(w, func(id int) int { return d*(2*id+1) - 1 }), index(w, func(id int) int { return d*(2*id+2) - 1 })
				warp.Load(a, s, left)
				warp.Load(b, s, right)
				warp.Add(b, a, b)
				warp.Store(s, right, b)
			})
		}
		m.syncBlock(w)
		m.where(w, threads(w, func(id int) bool { return id == 0 }), func() { warp.Store(s.At(63), w.ThreadID(), reg(w, 0)) })
		for d := 32; d > 0; d /= 2 {
			m.syncBlock(w)
			m.where(w, threads(w, func(id int) bool { return id < 32/d }), func() {
				left, right := index(w, func(id int) int { return d*(2*id+1) - 1 }), index(w, func(id int) int { return d*(2*id+2) - 1 })
				warp.Load(a, s, left)
				warp.Load(b, s, right)
				warp.Store(s, left, b)
				warp.Add(b, a, b)
				warp.Store(s, right, b)
			})
		}
		m.syncBlock(w)
		warp.Load(a, s, w.ThreadID())
		warp.Store(out, w.ThreadID(), a)
	}, func(id int) int32 { return triangle(id) }},
	{"reverse", 96, func(m *mutant, w *warp.Warp, out ints) {
		s := warp.Shared[int32](w, 96)
		v := warp.Alloc[int32](w)
		warp.Store(s, w.ThreadID(), w.ThreadID())
		m.syncBlock(w)
		warp.Load(v, s, index(w, func(id int) int { return 95 - id }))
		warp.Store(out, w.ThreadID(), v)
	}, func(id int) int32 { return int32(95 - id) }},
	{"transpose", 64, func(m *mutant, w *warp.Warp, out ints) {
		s := warp.Shared[int32](w, 72)
		v := warp.Alloc[int32](w)
		warp.Store(s, index(w, func(id int) int { return id/8*9 + id%8 }), w.ThreadID())
		m.syncBlock(w)
		warp.Load(v, s, index(w, func(id int) int { return id%8*9 + id/8 }))
		warp.Store(out, w.ThreadID(), v)
	}, func(id int) int32 { return int32(id%8*8 + id/8) }},
	{"stencil with halo", 64, func(m *mutant, w *warp.Warp, out ints) {
		s := warp.Shared[int32](w, 66)
		sum, x := reg(w, 0), warp.Alloc[int32](w)
		warp.Store(s.At(1), w.ThreadID(), w.ThreadID())
		m.where(w, threads(w, func(id int) bool { return id == 0 }), func() {
			warp.Store(s, w.ThreadID(), reg(w, 1000))
			warp.Store(s.At(65), w.ThreadID(), reg(w, 2000))
		})
		m.syncBlock(w)
		for i := range 3 {
			warp.Load(x, s.At(i), w.ThreadID())
			warp.Add(sum, sum, x)
		}
		warp.Store(out, w.ThreadID(), sum)
	}, func(id int) int32 {
		switch id {
		case 0:
			return 1001
		case 63:
			return 2000 + 62 + 63
		}
		return int32(3 * id)
	}},
	{"ring that turns", 64, func(m *mutant, w *warp.Warp, out ints) {
		s := warp.Shared[int32](w, 64)
		v := index(w, func(id int) int { return id })
		for range 3 {
			warp.Store(s, w.ThreadID(), v)
			m.syncBlock(w)
			warp.Load(v, s, index(w, func(id int) int { return (id + 1) % 64 }))
			m.syncBlock(w)
		}
		warp.Store(out, w.ThreadID(), v)
	}, func(id int) int32 { return int32((id + 3) % 64) }},
	{"histogram", 64, func(m *mutant, w *warp.Warp, out ints) {
		s := warp.Shared[int32](w, 8)
		v := warp.Alloc[int32](w)
		m.where(w, threads(w, func(id int) bool { return id < 8 }), func() { warp.Store(s, w.ThreadID(), reg(w, 0)) })
		m.syncBlock(w)
		warp.AtomicReduce(warp.AtomicAdd, s, index(w, func(id int) int { return id * id % 8 }), reg(w, 1))
		m.syncBlock(w)
		m.where(w, threads(w, func(id int) bool { return id < 8 }), func() {
			warp.Load(v, s, w.ThreadID())
			warp.Store(out, w.ThreadID(), v)
		})
	}, func(id int) int32 { // squares modulo 8: 0 1 4 1 0 1 4 1
		return map[int]int32{0: 16, 1: 32, 4: 16}[id]
	}},
	{"compaction in a warp", 32, func(m *mutant, w *warp.Warp, out ints) {
		s := warp.Shared[int32](w, 32)
		b, r, v := w.MaskReg(), warp.Alloc[int32](w), warp.Alloc[int32](w)
		odd := when(w, func(l int) bool { return l%2 == 1 })
		warp.Store(s, w.LaneID(), reg(w, -1))
		m.syncWarp(w)
		warp.Ballot(b, odd, m.mask(w))
		warp.Rank(r, b)
		m.where(w, odd, func() { warp.Store(s, r, w.LaneID()) })
		m.syncWarp(w)
		warp.Load(v, s, w.LaneID())
		warp.Store(out, w.ThreadID(), v)
	}, func(id int) int32 {
		if id < 16 {
			return int32(2*id + 1)
		}
		return -1
	}},
	{"compaction in a block", 64, func(m *mutant, w *warp.Warp, out ints) {
		counts := warp.Shared[int32](w, 2)
		s := warp.Shared[int32](w, 64)
		b, r, v := w.MaskReg(), warp.Alloc[int32](w), warp.Alloc[int32](w)
		third := threads(w, func(id int) bool { return id%3 == 0 })
		warp.Ballot(b, third)
		warp.Rank(r, b)
		warp.CountMask(v, b)
		m.where(w, when(w, func(l int) bool { return l == 0 }), func() { warp.Store(counts, reg(w, int32(w.ID())), v) })
		m.syncBlock(w)
		if w.ID() == 1 {
			warp.Load(v, counts, reg(w, 0))
			warp.Add(r, r, v)
		}
		m.where(w, third, func() { warp.Store(s, r, w.ThreadID()) })
		m.syncBlock(w)
		w.Where(threads(w, func(id int) bool { return id < 22 }), func() {
			warp.Load(v, s, w.ThreadID())
			warp.Store(out, w.ThreadID(), v)
		})
	}, func(id int) int32 {
		if id < 22 {
			return int32(3 * id)
		}
		return 0
	}},
	{"product of tiles", 64, func(m *mutant, w *warp.Warp, out ints) {
		s := warp.Shared[int32](w, 64)
		sum, x := reg(w, 0), warp.Alloc[int32](w)
		for tile := range 3 {
			warp.Store(s, w.ThreadID(), index(w, func(id int) int { return id + tile }))
			m.syncBlock(w)
			for k := range 4 {
				warp.Load(x, s, index(w, func(id int) int { return (id + 16*k) % 64 }))
				warp.Add(sum, sum, x)
			}
			m.syncBlock(w)
		}
		warp.Store(out, w.ThreadID(), sum)
	}, func(id int) int32 {
		sum := 0
		for tile := range 3 {
			for k := range 4 {
				sum += (id+16*k)%64 + tile
			}
		}
		return int32(sum)
	}},
	{"pipeline with two buffers", 64, func(m *mutant, w *warp.Warp, out ints) {
		s := warp.Shared[int32](w, 128)
		sum, x := reg(w, 0), warp.Alloc[int32](w)
		for turn := range 4 {
			warp.Store(s.At(64*(turn%2)), w.ThreadID(), index(w, func(id int) int { return id * (turn + 1) }))
			m.syncBlock(w)
			warp.Load(x, s.At(64*(turn%2)), index(w, func(id int) int { return id ^ 33 }))
			warp.Add(sum, sum, x)
		}
		warp.Store(out, w.ThreadID(), sum)
	}, func(id int) int32 { return int32(10 * (id ^ 33)) }},
	{"producer and consumer", 64, func(m *mutant, w *warp.Warp, out ints) {
		s := warp.Shared[int32](w, 32)
		v := warp.Alloc[int32](w)
		for turn := range 3 {
			if w.ID() == 0 {
				if turn > 0 {
					m.barrier(w, 2, 64) // empty
				}
				warp.Store(s, w.LaneID(), index(w, func(id int) int { return id + 100*turn }))
				w.Arrive(1, 64)
			} else {
				m.barrier(w, 1, 64) // full
				warp.Load(v, s, w.LaneID())
				if turn < 2 {
					w.Arrive(2, 64)
				}
			}
		}
		if w.ID() == 1 {
			warp.Store(out, w.LaneID(), v)
		}
	}, func(id int) int32 {
		if id < 32 {
			return int32(200 + id)
		}
		return 0
	}},
	{"halves with barriers of their own", 128, func(m *mutant, w *warp.Warp, out ints) {
		s := warp.Shared[int32](w, 128)
		v := warp.Alloc[int32](w)
		warp.Store(s, w.ThreadID(), w.ThreadID())
		m.barrier(w, 1+w.ID()/2, 64)
		warp.Load(v, s, index(w, func(id int) int { return id/64*64 + 63 - id%64 }))
		warp.Store(out, w.ThreadID(), v)
	}, func(id int) int32 { return int32(id/64*64 + 63 - id%64) }},
	{"bitonic sort in shared memory", 64, func(m *mutant, w *warp.Warp, out ints) {
		s := warp.Shared[int32](w, 64)
		a, b, lo, hi := warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w)
		warp.Store(s, w.ThreadID(), index(w, func(id int) int { return id * 37 % 64 }))
		for k := 2; k <= 64; k *= 2 {
			for j := k / 2; j > 0; j /= 2 {
				m.syncBlock(w)
				other := index(w, func(id int) int { return id ^ j })
				m.where(w, threads(w, func(id int) bool { return id&j == 0 }), func() {
					warp.Load(a, s, w.ThreadID())
					warp.Load(b, s, other)
					warp.Min(lo, a, b)
					warp.Max(hi, a, b)
					up := threads(w, func(id int) bool { return id&k == 0 })
					warp.Select(a, up, lo, hi)
					warp.Select(b, up, hi, lo)
					warp.Store(s, w.ThreadID(), a)
					warp.Store(s, other, b)
				})
			}
		}
		m.syncBlock(w)
		warp.Load(a, s, w.ThreadID())
		warp.Store(out, w.ThreadID(), a)
	}, func(id int) int32 { return int32(id) }},
	{"bitonic sort by shuffles", 32, func(m *mutant, w *warp.Warp, out ints) {
		v, o, lo, hi := index(w, func(id int) int { return id * 13 % 32 }), warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w)
		for k := 2; k <= 32; k *= 2 {
			for j := k / 2; j > 0; j /= 2 {
				warp.Shfl(o, v, warp.Shuffle{Mode: crossbar.Xor, Operand: int32(j)}, m.mask(w))
				warp.Min(lo, v, o)
				warp.Max(hi, v, o)
				warp.Mov(v, hi)
				m.where(w, when(w, func(l int) bool { return (l&j == 0) == (l&k == 0) }), func() { warp.Mov(v, lo) })
			}
		}
		warp.Store(out, w.ThreadID(), v)
	}, func(id int) int32 { return int32(id) }},
	{"odd-even transposition", 64, func(m *mutant, w *warp.Warp, out ints) {
		s := warp.Shared[int32](w, 64)
		a, b, lo, hi := warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w)
		warp.Store(s, w.ThreadID(), index(w, func(id int) int { return 63 - id }))
		for turn := range 64 {
			mark := w.Mark()
			m.syncBlock(w)
			m.where(w, threads(w, func(id int) bool { return id%2 == turn%2 && id < 63 }), func() {
				warp.Load(a, s, w.ThreadID())
				warp.Load(b, s.At(1), w.ThreadID())
				warp.Min(lo, a, b)
				warp.Max(hi, a, b)
				warp.Store(s, w.ThreadID(), lo)
				warp.Store(s.At(1), w.ThreadID(), hi)
			})
			w.Release(mark)
		}
		m.syncBlock(w)
		warp.Load(a, s, w.ThreadID())
		warp.Store(out, w.ThreadID(), a)
	}, func(id int) int32 { return int32(id) }},
	{"broadcast from thread 0", 96, func(m *mutant, w *warp.Warp, out ints) {
		s := warp.Shared[int32](w, 1)
		v := warp.Alloc[int32](w)
		for turn := range 2 {
			m.where(w, threads(w, func(id int) bool { return id == 0 }), func() {
				warp.Store(s, w.ThreadID(), index(w, func(id int) int { return id + 7 + turn }))
			})
			m.syncBlock(w)
			warp.Load(v, s, reg(w, 0))
			m.syncBlock(w)
		}
		warp.Store(out, w.ThreadID(), v)
	}, func(int) int32 { return 8 }},
	{"maximum and where", 64, func(m *mutant, w *warp.Warp, out ints) {
		best, at := warp.Shared[int32](w, 64), warp.Shared[int32](w, 64)
		a, b, i, j := warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w)
		greater := w.Pred()
		warp.Store(best, w.ThreadID(), index(w, func(id int) int { return id * 37 % 64 }))
		warp.Store(at, w.ThreadID(), w.ThreadID())
		m.syncBlock(w)
		for d := 32; d > 0; d /= 2 {
			m.where(w, threads(w, func(id int) bool { return id < d }), func() {
				warp.Load(a, best, w.ThreadID())
				warp.Load(b, best.At(d), w.ThreadID())
				warp.Load(i, at, w.ThreadID())
				warp.Load(j, at.At(d), w.ThreadID())
				warp.Gt(greater, b, a)
				warp.Select(a, greater, b, a)
				warp.Select(i, greater, j, i)
				warp.Store(best, w.ThreadID(), a)
				warp.Store(at, w.ThreadID(), i)
			})
			m.syncBlock(w)
		}
		warp.Load(i, at, reg(w, 0))
		warp.Store(out, w.ThreadID(), i)
	}, func(int) int32 { // 37*45 = 26*64 + 1, so 37*19 = 63 modulo 64
		for id := range 64 {
			if id*37%64 == 63 {
				return int32(id)
			}
		}
		return -1
	}},
	{"neighbours in global memory", 64, func(m *mutant, w *warp.Warp, out ints) {
		v := warp.Alloc[int32](w)
		warp.Store(out, w.ThreadID(), w.ThreadID())
		m.syncBlock(w)
		warp.Load(v, out, index(w, func(id int) int { return (id + 32) % 64 }))
		m.syncBlock(w)
		warp.Store(out, w.ThreadID(), v)
	}, func(id int) int32 { return int32((id + 32) % 64) }},
	{"last to come", 64, func(m *mutant, w *warp.Warp, out ints) {
		parts, ticket := warp.Shared[int32](w, 2), warp.Shared[int32](w, 1)
		v, x, zero := index(w, func(id int) int { return id }), warp.Alloc[int32](w), reg(w, 0)
		m.where(w, threads(w, func(id int) bool { return id == 0 }), func() { warp.Store(ticket, zero, zero) })
		m.syncBlock(w)
		shflTree(m, w, v, crossbar.Down)
		lead := when(w, func(l int) bool { return l == 0 })
		warp.Set(x, -1)
		w.Where(lead, func() {
			warp.Store(parts, reg(w, int32(w.ID())), v)
			w.Fence()
			warp.Atomic(warp.AtomicAdd, x, ticket, zero, reg(w, 1))
			w.Fence()
		})
		last := w.Pred()
		warp.EqImm(last, x, 1)
		m.where(w, last, func() {
			warp.Load(v, parts, zero)
			warp.Load(x, parts.At(1), zero)
			warp.Add(v, v, x)
			warp.Store(out, zero, v)
		})
	}, first(triangle(64))},
	{"segments summed by their heads", 32, func(m *mutant, w *warp.Warp, out ints) {
		v, t := index(w, func(id int) int { return id }), warp.Alloc[int32](w)
		for d := 1; d < 8; d *= 2 {
			warp.Shfl(t, v, warp.Shuffle{Mode: crossbar.Down, Operand: int32(d)}, m.mask(w))
			m.where(w, when(w, func(l int) bool { return l%8+d < 8 }), func() { warp.Add(v, v, t) })
		}
		m.where(w, when(w, func(l int) bool { return l%8 == 0 }), func() { warp.Store(out, w.ThreadID(), v) })
	}, func(id int) int32 {
		if id%8 == 0 {
			return int32(8*id + 28)
		}
		return 0
	}},
	{"counts by a barrier", 64, func(m *mutant, w *warp.Warp, out ints) {
		s := warp.Shared[int32](w, 64)
		v, c := warp.Alloc[int32](w), warp.Alloc[int32](w)
		warp.Store(s, w.ThreadID(), w.ThreadID())
		m.syncBlock(w)
		warp.Load(v, s, index(w, func(id int) int { return 63 - id }))
		p := w.Pred()
		warp.GtImm(p, v, 31)
		warp.SyncCount(c, p)
		m.where(w, p, func() { warp.Store(s, w.ThreadID(), c) })
		warp.Load(v, s, w.ThreadID())
		warp.Store(out, w.ThreadID(), v)
	}, func(id int) int32 {
		if id < 32 {
			return 32
		}
		return int32(id)
	}},
	{"matching lanes by turns", 32, func(m *mutant, w *warp.Warp, out ints) {
		r := warp.Alloc[lane.Mask](w)
		v := index(w, func(id int) int { return id % 4 })
		warp.MatchAny(r, v, m.mask(w))
		n := warp.Alloc[int32](w)
		warp.SetLanes(n, func(l int) int32 { return int32(r.Lanes()[l].Count()) })
		warp.Redux(warp.ReduxAdd, n, n)
		warp.Store(out, w.ThreadID(), n)
	}, func(int) int32 { return 256 }},
}
