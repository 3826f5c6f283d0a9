package warp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/memory"
	"github.com/stretchr/testify/require"
)

// What a run that fails leaves, apart from its error.
type left struct {
	report, err string
	stored      any
}

// failing runs a grid of 400 blocks on so many workers, with a kernel that gets its
// arrays from arrays.
func failing(t *testing.T, c warp.Config, workers int, kernel func(t *testing.T, e *warp.Engine) (warp.Kernel, func() any)) left {
	t.Helper()
	c.Workers = workers
	e := engine(t, "h200", c)
	k, stored := kernel(t, e)
	r, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(400), Threads: warp.X(64)}, k)
	require.Error(t, err)
	text, jsonErr := json.Marshal(r)
	require.NoError(t, jsonErr)
	var f *warp.Fault
	require.ErrorAs(t, err, &f)
	return left{string(text), f.Error(), stored()}
}

// failAt ends the run in a block.
func failAt(w *warp.Warp, blocks ...int) {
	if slices.Contains(blocks, w.BlockIndex()) && w.ID() == 0 {
		w.SyncWarp(lane.Mask{})
	}
}

// After a fault memory, report and faults are those of one worker, whatever kernels
// store and however far the others are ahead.
func TestWhatRanBeforeAFault(t *testing.T) {
	kernels := map[string]func(t *testing.T, e *warp.Engine) (warp.Kernel, func() any){
		"one element a block": func(t *testing.T, e *warp.Engine) (warp.Kernel, func() any) {
			out := global(t, e, make([]int32, 400))
			return func(w *warp.Warp) {
				at := value(w, int32(w.BlockIndex()))
				w.Under(lane.Bit(0), func() { warp.Store(out, at, value(w, int32(1))) })
				failAt(w, 50)
			}, func() any { return out.Data() }
		},
		"runs, twice, behind a barrier": func(t *testing.T, e *warp.Engine) (warp.Kernel, func() any) {
			out := global(t, e, make([]float64, 400*64))
			return func(w *warp.Warp) {
				o := out.At(w.BlockIndex() * 64)
				v := warp.Alloc[float64](w)
				for i := range 3 {
					warp.Set(v, float64(i+w.BlockIndex()))
					warp.Store(o, w.ThreadID(), v)
					w.SyncBlock()
				}
				failAt(w, 50, 70, 399)
				warp.Set(v, -1)
				warp.Store(o, w.ThreadID(), v)
			}, func() any { return out.Data() }
		},
		"bytes, scattered, by some lanes": func(t *testing.T, e *warp.Engine) (warp.Kernel, func() any) {
			out := global(t, e, make([]uint8, 400*64))
			return func(w *warp.Warp) {
				at := warp.Alloc[int32](w)
				warp.MulImm(at, w.ThreadID(), 13)
				warp.AndImm(at, at, 63)
				w.Under(lane.Bits(0x5a5a5a5a), func() { warp.Store(out.At(w.BlockIndex()*64), at, value(w, uint8(w.BlockIndex()))) })
				failAt(w, 250)
			}, func() any { return out.Data() }
		},
		"sums and tickets": func(t *testing.T, e *warp.Engine) (warp.Kernel, func() any) {
			sum, out := global(t, e, make([]int32, 4)), global(t, e, make([]int32, 400))
			return func(w *warp.Warp) {
				one, zero, old := value(w, int32(1)), value(w, int32(0)), warp.Alloc[int32](w)
				warp.AtomicReduce(warp.AtomicAdd, sum, zero, one)
				w.Under(lane.Bit(0), func() { warp.Store(out, value(w, int32(w.BlockIndex())), one) })
				if w.BlockIndex()%3 == 0 {
					warp.Atomic(warp.AtomicAdd, old, sum.At(1), zero, one)
				}
				w.Under(lane.Bit(0), func() { warp.Store(out, value(w, int32(w.BlockIndex())), one) })
				failAt(w, 131)
			}, func() any { return append(slices.Clone(sum.Data()), out.Data()...) }
		},
		"a long block": func(t *testing.T, e *warp.Engine) (warp.Kernel, func() any) {
			out := global(t, e, make([]int32, 400*64))
			return func(w *warp.Warp) {
				o, v := out.At(w.BlockIndex()*64), value(w, int32(0))
				n := 10
				if w.BlockIndex() == 50 {
					n = 30_000
				}
				for range n {
					warp.AddImm(v, v, 1)
					warp.Store(o, w.ThreadID(), v)
				}
				failAt(w, 50)
			}, func() any { return out.Data() }
		},
		"out of bounds": func(t *testing.T, e *warp.Engine) (warp.Kernel, func() any) {
			out := global(t, e, make([]int32, 50*64+40))
			return func(w *warp.Warp) {
				warp.Store(out.At(w.BlockIndex()*64), w.ThreadID(), value(w, int32(7)))
			}, func() any { return out.Data() }
		},
		"a panic": func(t *testing.T, e *warp.Engine) (warp.Kernel, func() any) {
			out := global(t, e, make([]int32, 400*64))
			return func(w *warp.Warp) {
				warp.Store(out.At(w.BlockIndex()*64), w.ThreadID(), value(w, int32(7)))
				if w.BlockIndex() == 50 {
					panic("here")
				}
				if w.BlockIndex() == 60 {
					runtime.Goexit()
				}
			}, func() any { return out.Data() }
		},
	}
	for name, k := range kernels {
		for what, c := range map[string]warp.Config{
			"values": {ValuesOnly: true}, "cycles": {}, "lines": {Sites: true}, "kept": {Memory: memory.Kept, Resident: 1},
			"collected": {Faults: warp.Collect, MaxInstructions: 29_000},
		} {
			if what == "collected" && name != "a long block" && name != "out of bounds" && name != "a panic" {
				continue // nothing ends the run
			}
			one := failing(t, c, 1, k)
			for _, workers := range []int{2, 4, 4, 16} {
				require.Equal(t, one, failing(t, c, workers, k), "%s, %s, %d workers", name, what, workers)
			}
		}
	}
	one := failing(t, warp.Config{ValuesOnly: true}, 1, kernels["one element a block"])
	stored := 0
	for _, v := range one.stored.([]int32) {
		stored += int(v)
	}
	require.Equal(t, 51, stored)
	require.Contains(t, one.err, "block 50 warp 0")
}

// An engine goes on after a fault as if it had been run by one worker.
func TestRunAfterAFault(t *testing.T) {
	var reports []string
	for _, workers := range []int{1, 2, 4} {
		e := engine(t, "h200", warp.Config{Memory: memory.Kept, Workers: workers})
		out := global(t, e, make([]int32, 400*64))
		for _, fails := range []int{350, 20, -1} {
			r, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(400), Threads: warp.X(64)}, func(w *warp.Warp) {
				v, at := warp.Alloc[int32](w), out.At(w.BlockIndex()*64)
				warp.Load(v, at, w.ThreadID())
				warp.AddImm(v, v, 1)
				warp.Store(at, w.ThreadID(), v)
				failAt(w, fails)
			})
			require.Equal(t, fails < 0, err == nil)
			text, err := json.Marshal(r)
			require.NoError(t, err)
			reports = append(reports, fmt.Sprint(string(text), out.Data()))
		}
	}
	require.Equal(t, reports[:3], reports[3:6])
	require.Equal(t, reports[:3], reports[6:])
}

// Old values are kept once for each place, so that a loop over a few elements does
// not gather them.
func TestOldValuesDoNotPileUp(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	e := engine(t, "h200", warp.Config{ValuesOnly: true, Workers: 4, Resident: 1})
	out := global(t, e, make([]int32, 8*32))
	_, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(8), Threads: warp.X(32)}, func(w *warp.Warp) {
		v := value(w, int32(1))
		for range 100_000 {
			warp.Store(out.At(w.BlockIndex()*32), w.ThreadID(), v)
		}
	})
	require.NoError(t, err)
	runtime.ReadMemStats(&after)
	// A log of 1 MiB grows by doubling, at most eight logs at a time. If places were kept
	// again and again, each block's log would come to 15.2 MB, and twice that to grow.
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20), "12.8 MB are stored by each block")
}
