package pack

import (
	"math/bits"

	"example.com/warpsim/reduce"
	"example.com/warpsim/scan"
	"example.com/warpsim/scan/internal/parts"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
)

// DecodeStorage is the shared memory of a Decoder.
type DecodeStorage[T any] struct {
	runs   int // of a thread
	values warp.Mem[T]
	starts warp.Mem[int32]
	counts warp.Mem[int32]
}

// NewDecodeStorage declares the shared memory for tiles of so many runs a
// thread.
func NewDecodeStorage[T any](w *warp.Warp, runs int) DecodeStorage[T] {
	n := w.BlockThreads() * runs
	return DecodeStorage[T]{runs, warp.Shared[T](w, n), warp.Shared[int32](w, n), newCounts(w)}
}

// A Decoder expands the runs of a block: run-length decoding. The result may be
// longer than any register holds, so it is taken window by window.
type Decoder[T any] struct {
	// Total holds the length of the result in all threads. It is a register of
	// its own, taken by NewDecoder.
	Total warp.Reg[int32]

	t parts.Roster // of runs
	s DecodeStorage[T]
}

// NewDecoder takes runs in blocked arrangement: values[j] of each thread repeated
// lengths[j] times. runs says how many of the first ones there are.
//
//	values   thread 0: a b   thread 1: c d
//	lengths  thread 0: 2 3   thread 1: 0 1
//	result   a a b b b d     Total 6
//
// Contract:
//
//   - Threads: all of a block of any size; each warp makes the decoder.
//   - Valid: runs.
//   - Shared memory: DecodeStorage of T, the decoder's as long as it is used.
//   - Cost: scan.BlockHybrid of the lengths, two stores a run, and a barrier.
//   - Undefined: lengths below 0, and a total beyond 2^31-1. Runs may be empty.
//   - Errors: team.ErrItems, ErrValid, ErrStorage, ErrActive.
func NewDecoder[T any](runs team.Count, values []warp.Reg[T], lengths []warp.Reg[int32], s DecodeStorage[T]) *Decoder[T] {
	w := warpOf("decoder", values)
	d := &Decoder[T]{t: parts.Bind(team.Block().Holding(runs), w, "decoder", len(values)), s: s}
	t := &d.t
	t.Same("lengths", len(lengths))
	if s.runs != len(values) {
		t.Fail(team.ErrStorage, "for another number of runs a thread", "declare it with NewDecodeStorage for as many runs")
	}
	id := w.ThreadID()
	w.LaneID()
	d.Total = warp.Alloc[int32](w)
	m := w.Mark()
	own, start, at := warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w)
	warp.Set(own, 0)
	for j, n := range lengths {
		t.IfAny(t.Blocked(j), func() { warp.Add(own, own, n) })
	}
	scan.BlockHybrid(own, reduce.Sum[int32](), scan.Spec[int32]{Exclusive: start, Aggregate: d.Total}, s.counts)
	parts.Times(at, id, len(values))
	for j, v := range values {
		t.IfAny(t.Blocked(j), func() {
			warp.Store(s.values.At(j), at, v)
			warp.Store(s.starts.At(j), at, start)
			warp.Add(start, start, lengths[j])
		})
	}
	w.SyncBlock()
	w.Release(m)
	return d
}

// Window fills the tile of the block with elements from, from+1, ... of the
// result, blocked. offsets, if not nil, receives the place of each in its run.
//
//	result   a a b b b d, from 1
//	items    thread 0: a b   thread 1: b b
//	offsets  thread 0: 1 0   thread 1: 1 2
//
// from is the same in all threads. Items beyond the end of the result, and before
// its beginning for a from below 0, keep what their registers held. Windows need
// no barrier between them.
//
// Contract:
//
//   - Threads: all of the block.
//   - Cost: each thread finds the run of its first item by binary search, and goes
//     on from there run by run, in a loop an item.
//   - Errors: team.ErrItems, ErrActive.
func (d *Decoder[T]) Window(items []warp.Reg[T], offsets []warp.Reg[int32], from warp.Reg[int32]) {
	w := warpOf("decoder window", items)
	t := parts.Bind(team.Block(), w, "decoder window", len(items))
	if offsets != nil {
		t.Same("offsets", len(offsets))
	}
	runs := d.t.ValidOf(0)
	if runs == 0 {
		return
	}
	id := w.ThreadID()
	m := w.Mark()
	i, run, next, x := warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w)
	start := warp.Alloc[int32](w)
	there, more, p := w.Pred(), w.Pred(), w.Pred()
	parts.Times(i, id, len(items))
	warp.Add(i, i, from)

	// The last run that starts at or before i.
	warp.Set(run, 0)
	for step := 1 << (bits.Len(uint(runs)) - 1); step > 0; step /= 2 {
		warp.AddImm(next, run, int32(step))
		warp.LtImm(p, next, int32(runs))
		w.Where(p, func() {
			warp.Load(x, d.s.starts, next)
			warp.Le(more, x, i)
			w.Where(more, func() { warp.Mov(run, next) })
		})
	}
	warp.Load(start, d.s.starts, run)
	for j, v := range items {
		if j > 0 {
			warp.AddImm(i, i, 1)
			// Past runs that end before i, which may be several without items.
			w.While(func() warp.Pred {
				warp.AddImm(next, run, 1)
				warp.LtImm(p, next, int32(runs))
				warp.SetPred(more, noLanes)
				w.Where(p, func() {
					warp.Load(x, d.s.starts, next)
					warp.Le(more, x, i)
				})
				return more
			}, func() {
				warp.Mov(run, next)
				warp.Mov(start, x)
			})
		}
		warp.Lt(there, i, d.Total)
		warp.GeImm(p, i, 0)
		warp.PredAnd(there, there, p)
		w.Where(there, func() {
			warp.Load(v, d.s.values, run)
			if offsets != nil {
				warp.Sub(offsets[j], i, start)
			}
		})
	}
	w.Release(m)
}
