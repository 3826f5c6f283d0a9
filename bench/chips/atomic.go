package main

import (
	"strings"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/memory"
)

// atomics measures how long an operation takes of the median thread: the difference
// of two operations a turn and one.
func atomics(f *figure, of string) (float64, error) {
	var op warp.AtomicOp
	switch of {
	case "add_one_word", "add_own_words":
		op = warp.AtomicAdd
	case "exch_one_word":
		op = warp.AtomicExchange
	default:
		return 0, errNoKernel
	}
	grid, ok := f.numberBefore(" blocks of ")
	threads, ok2 := f.numberBefore(" threads")
	if !ok || !ok2 {
		return 0, errNoKernel
	}
	apart := 0
	if of == "add_own_words" {
		if apart, ok = f.number("words ", " apart"); !ok {
			return 0, errNoKernel
		}
	}
	kind, _, _ := strings.Cut(f.condition, ",")
	switch kind {
	case "int32":
		return atomicsOf[int32](f, op, grid, threads, apart)
	case "uint64":
		return atomicsOf[uint64](f, op, grid, threads, apart)
	case "float":
		return atomicsOf[float32](f, op, grid, threads, apart)
	case "double":
		return atomicsOf[float64](f, op, grid, threads, apart)
	}
	return 0, errNoKernel
}

func atomicsOf[T warp.Number](f *figure, op warp.AtomicOp, grid, threads, apart int) (float64, error) {
	// More than can be under way, so that the rate shows.
	warps := max(1, grid/f.profile.Limits.Multiprocessors) * max(1, threads/f.profile.Lanes)
	few := 4 + 768/warps
	t := trial{profile: f.profile, memory: memory.Warm, launch: blocks(grid, threads), few: few, many: 2 * few}
	return t.slope(func(e *warp.Engine) (func(int) warp.Kernel, error) {
		a, err := warp.Global(e, make([]T, max(1, grid*threads*apart)))
		return func(times int) warp.Kernel {
			return func(w *warp.Warp) {
				i, v := warp.Alloc[int32](w), warp.Alloc[T](w)
				warp.MulImm(i, w.GlobalID(), int32(apart))
				warp.Set(v, 1)
				// NVIDIA's compiler has one lane add what a warp adds to one word, if
				// these are integers of 32 bits.
				lead := w.Pred()
				_, short := any(v).(warp.Reg[int32])
				if short = short && apart == 0 && op == warp.AtomicAdd && w.BlockThreads() > 1; short {
					warp.EqImm(lead, w.LaneID(), 0)
				}
				for range times {
					if short {
						w.Where(lead, func() { warp.AtomicReduce(op, a, i, v) })
						continue
					}
					warp.AtomicReduce(op, a, i, v)
				}
			}
		}, err
	})
}

// fence measures a store and a fence less a store.
func fence(f *figure) (float64, error) {
	grid, ok := f.numberBefore(" blocks of ")
	threads, ok2 := f.numberBefore(" threads")
	apart, ok3 := f.number("words ", " apart")
	if !ok || !ok2 || !ok3 {
		return 0, errNoKernel
	}
	t := trial{profile: f.profile, memory: memory.Warm, launch: blocks(grid, threads), few: 4, many: 12}
	cost := func(fenced bool) (float64, error) {
		return t.slope(func(e *warp.Engine) (func(int) warp.Kernel, error) {
			a, err := warp.Global(e, make([]int32, grid*threads*apart))
			return func(times int) warp.Kernel {
				return func(w *warp.Warp) {
					i := warp.Alloc[int32](w)
					warp.MulImm(i, w.GlobalID(), int32(apart))
					for range times {
						warp.Store(a, i, i)
						if fenced {
							w.Fence()
						}
					}
				}
			}, err
		})
	}
	with, err := cost(true)
	if err != nil {
		return 0, err
	}
	without, err := cost(false)
	return with - without, err
}
