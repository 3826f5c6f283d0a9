package main

import (
	"slices"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"
)

// spans takes times as the recording programs did: the first warp of each block reads
// the timer and the clock, stores both and the number of the multiprocessor, and does
// the same at its end, the clock first. The last store of a block, and what its other
// warps have left to do, is not in its time.
type spans struct {
	blocks []span
}

// span is one block: when it read the clock for the first time, the second time, the
// last time but one, and the last time.
type span struct {
	readings             int
	begin, c0, c1, ended timing.Cycle
}

func newSpans(blocks int) *spans { return &spans{make([]span, blocks)} }

// observer notes when clocks are read.
func (s *spans) observer() *warp.Observer {
	return &warp.Observer{Issued: func(i *timing.Issue) {
		if i.Instr.Op != isa.ReadClock || i.Warp != 0 {
			return
		}
		b := &s.blocks[i.Block]
		switch b.readings++; b.readings {
		case 1:
			b.begin = i.Cycle
		case 2:
			b.c0 = i.Cycle
		}
		b.c1, b.ended = b.ended, i.Cycle
	}}
}

// times returns the time from the first timer of any block to the last, and the median
// of the cycles of a block.
func (s *spans) times(p *device.Profile) (ns, block float64) {
	begin, end := timing.Never, timing.Cycle(0)
	cycles := make([]timing.Cycle, 0, len(s.blocks))
	for i := range s.blocks {
		b := &s.blocks[i]
		begin, end = min(begin, b.begin), max(end, b.ended)
		cycles = append(cycles, b.c1-b.c0)
	}
	slices.Sort(cycles)
	return 1e3 * float64(end-begin) / float64(p.Limits.ClockMHz), float64(cycles[len(cycles)/2])
}

// A block of the recording programs stores spanBytes of its time, as words.
const (
	spanBytes = 40
	spanWords = spanBytes / 8
)

// timed is a kernel with the timing code of the recording programs, as their listings
// have it: special registers and two multiplications give the block's number, then the
// timer is read and stored, the clock is read and stored, and the number of the
// multiprocessor, which is read behind the clock. At the end the same comes again, the
// clock first, to an array of its own, so that its address is loaded again. Reading a
// special register takes as long as loading a constant.
func timed(k warp.Kernel, begins, ends warp.Mem[uint64]) warp.Kernel {
	return func(w *warp.Warp) {
		first, at, v := w.Pred(), warp.Alloc[int32](w), warp.Alloc[uint64](w)
		number := func() {
			warp.SetLanes(at, func(int) int32 { return int32(w.BlockIndex()) })
			warp.MulImm(at, at, 1)
			warp.MulImm(at, at, spanWords)
			w.Clock()
		}
		warp.EqImm(first, w.ThreadID(), 0)
		w.If(first, func() {
			warp.Set(v, 0)
			number()
			warp.Store(begins, at, v)
			w.Clock()
			warp.Store(begins.At(2), at, v)
			warp.SetLanes(v, func(int) uint64 { return 0 })
			warp.Store(begins.At(4), at, v)
		})
		k(w)
		w.If(first, func() {
			number()
			warp.Store(ends.At(3), at, v)
			w.Clock()
			warp.Store(ends.At(1), at, v)
		})
	}
}
