package kernels

import (
	"devicefuncs"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/intrinsics/cg"
)

func run(n int, data []int, in, out, lock *intrinsics.Array[int]) {
	intrinsics.Launch(func(t *intrinsics.Thread) {
		s := 0
		for i := range 8 { // want "a turn of this loop may pass no call"
			if (t.Lane()+i)%3 == 0 {
				continue
			}
			s += intrinsics.Ballot(t, true).Count()
		}

		for i := 0; i < n; i++ { // want "a turn of this loop may pass no call"
			if s > i {
				out.Store(t, i, s)
			}
		}

		for i := n; i > 0; i /= 2 { // want "a turn of this loop may pass no call"
			if s&i != 0 {
				s += in.Load(t, i)
			}
		}

		for r := 0; r < 3; r++ { // want "a turn of this loop may pass no call"
			for k := 0; k < (t.Lane()+r)%4+1; k++ {
				out.Store(t, k, r)
			}
		}

		for s > 0 { // want "a turn of this loop may pass no call"
			if s%2 == 0 && intrinsics.Any(t, s > 4) {
				s--
			}
			s -= 2
		}

	rows:
		for _, v := range data { // want "a turn of this loop may pass no call"
			for k := range 4 { // what ends here is a turn of the other
				if t.Lane() == k {
					continue rows
				}
				out.Store(t, k, v)
			}
			out.Store(t, 0, v)
		}

		for { // want "a turn of this loop may pass no call"
			switch {
			case s > 10:
				s = devicefuncs.Maybe(t, s)
			case s > 5:
				s = devicefuncs.Sum(t, s)
			default:
				return
			}
			if s == 3 {
				break
			}
		}
	})

	// What passes a call in each turn, or is the same for all lanes.
	intrinsics.Launch(func(t *intrinsics.Thread) {
		x := in.Load(t, t.Lane())
		for row := 0; row < 3; row++ {
			for off := t.WarpSize() / 2; off > 0; off /= 2 {
				x += intrinsics.ShflXor(t, x, off)
			}
		}
		for i := range 8 {
			if i%2 == 0 {
				continue
			}
			x += intrinsics.ShflXor(t, x, i)
		}
		for row := range n {
			for k := 0; k < x; k++ {
				out.Store(t, k, row)
			}
			out.Store(t, 0, x)
		}
		for done := false; !done; {
			if intrinsics.AtomicCAS(t, lock, 0, 0, 1) == 0 {
				intrinsics.AtomicExch(t, lock, 0, 0)
				done = true
			}
		}
		for i := range t.Loop() {
			if i >= n {
				break
			}
			if x > i {
				continue
			}
			out.Store(t, i, x)
		}
		for i := range data { // no call of the thread: nothing to meet in
			if x > i {
				x -= data[i]
			}
		}
		g := cg.TiledPartition(t, 8)
		for x > 0 {
			if x%2 == 0 {
				x = cg.Reduce(g, x)
				continue
			}
			x--
			g.Sync()
		}
		for intrinsics.Any(t, x > 0) {
			if x > 1 {
				out.Store(t, 1, x)
			}
			x--
		}
		sum := func(v int) int { return devicefuncs.Deep(t, v) }
		for x < 10 {
			if x == 4 {
				x += 2
			}
			x = sum(x)
		}
		for x < 20 {
			if x == 4 {
				panic("4")
			}
			if x == 5 {
				break
			}
			if x == 6 {
				t.Fail(nil)
			}
			_ = intrinsics.Popc(t, 1)
			x = devicefuncs.Sum(t, x)
		}
	})
}

// Ways out at the end of loops without a condition.
func ends(in, out *intrinsics.Array[int]) {
	intrinsics.Launch(func(t *intrinsics.Thread) {
		x := in.Load(t, t.Lane())
		for { // want "lanes gather in what is run before the way out"
			x += intrinsics.ShflXor(t, x, 1)
			if x > 100 {
				out.Store(t, t.Lane(), x)
				break
			}
		}
		for {
			x -= intrinsics.ShflXor(t, x, 1)
			if x > 100 {
				break
			}
			if x < 3 {
				out.Store(t, t.Lane(), x)
				return
			}
		}
		out.Store(t, 0, x)
		for {
			x += intrinsics.ShflXor(t, x, 1)
			if x > 200 {
				out.Store(t, t.Lane(), x)
				break
			}
			if x > 100 {
				break
			}
		}
		for i := 0; i < x; i++ {
			x += intrinsics.ShflXor(t, x, 1)
			if x > 300 {
				out.Store(t, t.Lane(), x)
				break
			}
		}
		for { // want "lanes gather in what is run before the way out"
			switch x += intrinsics.ShflXor(t, x, 1); {
			case x > 5:
				out.Store(t, 1, x)
			default:
				out.Store(t, 2, x)
				return
			}
		}
	})
}
