package main

import (
	"math/rand/v2"
	"strings"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/memory"
)

// latency measures a chain of loads.
func latency(f *figure, of string) (float64, error) {
	p := f.profile
	line := max(p.Memory.LineBytes, p.Memory.SectorBytes)
	switch {
	case of == "shared_load" || of == "ds_read_b32":
		return sharedChase(f)
	case of == "shuffle_xor":
		return shuffles(f, func(dst, src warp.Reg[int32]) { warp.ShflXor(dst, src, 1) })
	case of == "shuffle_down":
		return shuffles(f, func(dst, src warp.Reg[int32]) { warp.ShflDown(dst, src, 1) })
	case of == "shuffle_idx":
		return shuffles(f, func(dst, src warp.Reg[int32]) { warp.ShflIdx(dst, src, 3) })
	case of == "block_barrier":
		return barriers(f, false)
	case of == "warp_barrier":
		return barriers(f, true)
	case of == "l1_hit" && !f.secondOfThree() || of == "l0_hit":
		return globalChase(f, 8<<10, line, memory.Warm)
	case of == "l2_hit" || of == "l2_hit_near":
		return globalChase(f, 4*max(p.Memory.L1Bytes, 128<<10), line, memory.Warm)
	case of == "l2_hit_far":
		return globalChase(f, f.workingSet(24<<20), line, memory.Warm)
	case of == "infinity_cache_hit" && p.Timing.Global.Third != nil:
		return globalChase(f, 3*p.Timing.Global.Second.Bytes, line, memory.Warm)
	case of == "dram":
		return firstTouches(f, line)
	}
	return 0, errNoKernel
}

// workingSet returns how many bytes the chase of a figure went through, the middle of
// those given, or else otherwise.
func (f *figure) workingSet(otherwise int) int {
	least, ok := f.number("working set ", "..")
	most, ok2 := f.number("..", " kB")
	if !ok || !ok2 {
		return otherwise
	}
	return (least + most) / 2 << 10
}

// ringOf returns a list in which each element that is step bytes from another holds
// the number of the next, in random order, so that all are passed.
func ringOf(bytes, step int) []int32 {
	list := make([]int32, bytes/4)
	n := bytes / step
	order := rand.New(rand.NewPCG(1, 2)).Perm(n)
	for i, at := range order {
		list[at*step/4] = int32(order[(i+1)%n] * step / 4)
	}
	return list
}

// follow issues so many loads of one lane, each of the element that the last named.
func follow(w *warp.Warp, list warp.Mem[int32], loads int) {
	at := warp.Alloc[int32](w)
	warp.Set(at, 0)
	for range loads {
		warp.Load(at, list, at)
	}
	warp.Add(at, at, at) // awaits the last
}

// globalChase goes twice and three times around a list: the first time fills the
// caches.
func globalChase(f *figure, bytes, line int, m memory.State) (float64, error) {
	list := ringOf(bytes, line)
	n := bytes / line
	t := trial{profile: f.profile, order: warp.AsWritten, memory: m, launch: oneBlock(1), few: 1, many: 2}
	cycles, err := t.slope(func(e *warp.Engine) (func(int) warp.Kernel, error) {
		g, err := warp.Global(e, list)
		return func(times int) warp.Kernel {
			return func(w *warp.Warp) { follow(w, g, n*times) }
		}, err
	})
	return cycles / float64(n), err
}

// firstTouches goes along lines that nobody has asked for yet.
func firstTouches(f *figure, line int) (float64, error) {
	list := ringOf(32<<20, 64*line)
	t := trial{profile: f.profile, order: warp.AsWritten, memory: memory.Cold, launch: oneBlock(1), few: 256, many: 1280}
	return t.slope(func(e *warp.Engine) (func(int) warp.Kernel, error) {
		g, err := warp.Global(e, list)
		return func(loads int) warp.Kernel {
			return func(w *warp.Warp) { follow(w, g, loads) }
		}, err
	})
}

// sharedChase is a chain through shared memory.
func sharedChase(f *figure) (float64, error) {
	t := trial{profile: f.profile, order: warp.AsWritten, launch: oneBlock(1), few: 32, many: 96}
	return t.slope(func(*warp.Engine) (func(int) warp.Kernel, error) {
		return func(loads int) warp.Kernel {
			return func(w *warp.Warp) {
				s := warp.Shared[int32](w, 64)
				warp.Store(s, w.ThreadID(), w.ThreadID())
				follow(w, s, loads)
			}
		}, nil
	})
}

// sharedRead measures how much longer shared loads of a pattern take than those of
// 32 bits without conflict.
func sharedRead(f *figure) (float64, error) {
	base, err := sharedLoads(f, 1, func(l int) int { return l })
	if err != nil {
		return 0, err
	}
	if k, ok := f.number("lanes ", " dwords apart"); ok {
		c, err := sharedLoads(f, 1, func(l int) int { return l * k })
		return c / base, err
	}
	bits, ok := f.number("b", " reads")
	if !ok {
		return 0, errNoKernel
	}
	words := bits / 32
	pattern := func(l int) int { return l }
	_, how, _ := strings.Cut(f.condition, ", ")
	switch {
	case how == "normal":
	case how == "broadcast":
		pattern = func(int) int { return 0 }
	case strings.HasPrefix(how, "lanes share"):
		k, _ := f.number("groups of ", "")
		pattern = func(l int) int { return l / k }
	default:
		k, ok := f.numberBefore(" lanes a bank")
		if !ok {
			return 0, errNoKernel
		}
		// k lanes of one bank, the others in banks of their own.
		pattern = func(l int) int { return l%k*32/words + l/k }
	}
	c, err := sharedLoads(f, words, pattern)
	return c / base, err
}

// sharedLoads returns the cycles of a shared load of so many words a lane by each of
// eight warps, element at(l) for lane l.
func sharedLoads(f *figure, words int, at func(l int) int) (float64, error) {
	switch words {
	case 1:
		return loadsOf[uint32](f, at)
	case 2:
		return loadsOf[[2]uint32](f, at)
	case 4:
		return loadsOf[[4]uint32](f, at)
	}
	return 0, errNoKernel
}

func loadsOf[T any](f *figure, at func(l int) int) (float64, error) {
	const warps = 8
	t := trial{profile: f.profile, launch: oneBlock(warps * f.profile.Lanes), few: 4, many: 12}
	return t.slope(func(*warp.Engine) (func(int) warp.Kernel, error) {
		return func(times int) warp.Kernel {
			return func(w *warp.Warp) {
				most := 0
				for l := range w.Width() {
					most = max(most, at(l))
				}
				s := warp.Shared[T](w, most+1)
				idx := warp.Alloc[int32](w)
				warp.SetLanes(idx, func(l int) int32 { return int32(at(l)) })
				to := [8]warp.Reg[T]{}
				for i := range to {
					to[i] = warp.Alloc[T](w)
				}
				for range times {
					for i := range to {
						warp.Load(to[i], s, idx)
					}
				}
				for i := range to {
					warp.Mov(to[i], to[i]) // awaits it
				}
			}
		}, nil
	})
}
