package warp_test

import (
	"context"
	"runtime"
	"slices"
	"testing"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"
	"github.com/stretchr/testify/require"
)

// A group needs a coroutine for each warp that has begun and waits, and one for
// the warp that runs, however many warps it has.
func TestFewCoroutines(t *testing.T) {
	for name, c := range map[string]struct {
		kernel func(w *warp.Warp, sum warp.Mem[float32])
		most   int
	}{
		"no barrier": {func(w *warp.Warp, _ warp.Mem[float32]) { w.Work(isa.IAdd, 3) }, 1},
		"barriers": {func(w *warp.Warp, _ warp.Mem[float32]) {
			for range 3 {
				w.Work(isa.IAdd, 3)
				w.SyncBlock()
			}
		}, 8},
		// The first warp of each block waits for the turn of the group.
		"a reduction at the end": {func(w *warp.Warp, sum warp.Mem[float32]) {
			w.SyncBlock()
			if w.ID() == 0 {
				warp.AtomicReduce(warp.AtomicAdd, sum, value(w, int32(0)), value(w, float32(1)))
			}
		}, 8 + 7},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEngine(t, warp.Config{Device: small(t, 32, 1), Resident: 8, Workers: 1})
			sum, most := global(t, e, make([]float32, 1)), 0
			before := runtime.NumGoroutine()
			r, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(20), Threads: warp.X(256)}, func(w *warp.Warp) {
				most = max(most, runtime.NumGoroutine())
				c.kernel(w, sum)
			})
			require.NoError(t, err)
			require.Equal(t, 8, r.Resident)
			require.LessOrEqual(t, most-before, 1+c.most, "with the worker's goroutine")
			if name != "no barrier" { // or the count counts something else
				require.Greater(t, most-before, 6)
			}
		})
	}
}

// Blocks that share a multiprocessor and fill record buffers: the timing model
// gets the records of all of them, and those that follow take the places of those
// that have ended.
func TestLongBlocksTogether(t *testing.T) {
	for name, kernel := range map[string]warp.Kernel{
		"equal": func(w *warp.Warp) {
			w.Work(isa.IAdd, 10_000)
			w.SyncBlock()
			w.Work(isa.FAdd, 5000)
		},
		"only the first block is long": func(w *warp.Warp) {
			if w.BlockIndex()%3 == 0 {
				w.Work(isa.IAdd, 20_000)
			}
			w.SyncBlock()
			w.Work(isa.FAdd, 10)
		},
		"only one warp is long": func(w *warp.Warp) {
			if w.ID() == 1 {
				w.Work(isa.IAdd, 20_000)
			}
			w.Work(isa.FAdd, 10)
			w.SyncBlock()
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEngine(t, warp.Config{Device: small(t, 32, 1), Resident: 3, Workers: 1})
			run := func(blocks int) *warp.Report {
				r, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(blocks), Threads: warp.X(96)}, kernel)
				require.NoError(t, err)
				require.Equal(t, 3, r.Resident)
				require.EqualValues(t, r.Instructions, r.Waits().Of(timing.Issued))
				return r
			}
			one := run(3)
			require.Greater(t, int64(one.Cycles), int64(15_000))
			all := run(12)
			require.Less(t, one.Cycles, all.Cycles)
			require.LessOrEqual(t, all.Cycles, 4*one.Cycles+4*256, "a block begins in the window after the one in which a place became free")
			require.Equal(t, all.Cycles, run(12).Cycles)
			require.Equal(t, one.Cycles, run(3).Cycles)
		})
	}
}

// Blocks that share a multiprocessor keep up with each other, so that records do
// not pile up however long a block is.
func TestLongBlocksKeepUp(t *testing.T) {
	const buffer = 4096
	for name, c := range map[string]struct {
		pieces, piece, resident, threads int
		barrier                          bool
	}{
		"no barriers":          {100, 1000, 3, 96, false},
		"few barriers":         {100, 1000, 3, 96, true},
		"many barriers":        {10_000, 10, 3, 96, true},
		"many barriers, warps": {2000, 20, 8, 256, true},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEngine(t, warp.Config{Device: small(t, 32, 1), Resident: c.resident, Workers: 1})
			at, most := make([]int, c.resident), 0
			_, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(c.resident), Threads: warp.X(c.threads)}, func(w *warp.Warp) {
				for i := range c.pieces {
					w.Work(isa.IAdd, c.piece)
					if c.barrier {
						w.SyncBlock()
					}
					at[w.BlockIndex()] = i
					most = max(most, slices.Max(at)-slices.Min(at))
				}
			})
			require.NoError(t, err)
			require.LessOrEqual(t, most*c.piece, 2*buffer, "records of a warp that other blocks have not come to")
			require.Positive(t, most)
		})
	}
}

// Blocks whose barriers are differently far apart: the one with the shorter phases
// waits for the others by instructions, not by phases.
func TestUnequalBlocksDoNotPileUp(t *testing.T) {
	if testing.Short() {
		t.Skip("counts what millions of records allocate")
	}
	e := newEngine(t, warp.Config{Device: small(t, 32, 1), Resident: 3, Workers: 1})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(3), Threads: warp.X(96)}, func(w *warp.Warp) {
		for range 20_000 {
			w.Work(isa.IAdd, 10+90*w.BlockIndex())
			w.SyncBlock()
		}
	})
	require.NoError(t, err)
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20), "of 291 MB of records")
}
