package bench

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"github.com/stretchr/testify/require"
)

// gridSum adds up data with a grid of blocks: shuffles inside warps, shared
// memory between them, one atomic a block.
func gridSum(in warp.Mem[float32], out warp.Mem[float32], perThread int) warp.Kernel {
	return func(w *warp.Warp) {
		s := warp.Shared[float32](w, w.BlockWarps())
		sum, x := warp.Alloc[float32](w), warp.Alloc[float32](w)
		id, at := warp.Alloc[int32](w), warp.Alloc[int32](w)
		first := w.Pred()
		warp.Mov(at, w.GlobalID())
		stride := w.BlockThreads() * w.GridBlocks()
		warp.Set(sum, 0)
		for i := range perThread {
			warp.Load(x, in.At(i*stride), at)
			warp.Add(sum, sum, x)
		}
		down := func() {
			for d := w.Width() / 2; d > 0; d /= 2 {
				warp.ShflDown(x, sum, d)
				warp.Add(sum, sum, x)
			}
		}
		down()
		warp.Set(id, int32(w.ID()))
		warp.EqImm(first, w.LaneID(), 0)
		w.Where(first, func() { warp.Store(s, id, sum) })
		w.SyncBlock()
		if w.ID() != 0 {
			return
		}
		some := w.Pred()
		warp.LtImm(some, w.LaneID(), int32(w.BlockWarps()))
		warp.Set(sum, 0)
		w.Where(some, func() { warp.Load(sum, s, w.LaneID()) })
		down()
		warp.Set(id, 0)
		w.Where(first, func() { warp.AtomicReduce(warp.AtomicAdd, out, id, sum) })
	}
}

// BenchmarkGrid runs 4,096 blocks on one and on two processors. Its part speedup
// runs both in turn, and in turn with them a bare loop that loads and adds the same
// rows: the medians of how much faster two processors are at the one and at the
// other, so that what the machine gives at that time can be told from what the
// engine makes of it.
func BenchmarkGrid(b *testing.B) {
	const blocks, threads, perThread = 4096, 256, 4
	p, err := device.Lookup("h200")
	require.NoError(b, err)
	data := make([]float32, blocks*threads*perThread)
	for i := range data {
		data[i] = 1
	}
	onGrid := func(b *testing.B, workers int) func() int64 {
		e, err := warp.New(warp.Config{Device: p, Workers: workers})
		require.NoError(b, err)
		out := []float32{0}
		src, err := warp.Global(e, data)
		require.NoError(b, err)
		dst, err := warp.Global(e, out)
		require.NoError(b, err)
		return func() int64 {
			out[0] = 0
			r, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(blocks), Threads: warp.X(threads)}, gridSum(src, dst, perThread))
			if err != nil || out[0] != float32(len(data)) {
				b.Fatalf("sum %v, error %v", out[0], err)
			}
			return r.Instructions
		}
	}
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			run := onGrid(b, workers)
			n := int64(0)
			for b.Loop() {
				n += run()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/instr")
		})
	}
	b.Run("speedup", func(b *testing.B) {
		one, two := onGrid(b, 1), onGrid(b, 2)
		took := func(f func()) float64 {
			begin := time.Now()
			f()
			return float64(time.Since(begin))
		}
		var engine, bare []float64
		for b.Loop() {
			engine = append(engine, took(func() { one() })/took(func() { two() }))
			bare = append(bare, took(func() { bareRows(data, blocks*threads, 1) })/took(func() { bareRows(data, blocks*threads, 2) }))
		}
		b.ReportMetric(median(engine), "speedup")
		b.ReportMetric(median(bare), "bare-speedup")
	})
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}

// bareRows goes through the rows of 32 elements of data in the order of gridSum and
// does as much with each as a simple engine would, without one. Workers take pieces
// as large as the groups of blocks that share a multiprocessor.
func bareRows(data []float32, stride, workers int) {
	const row, piece, adds = 32, 2048, 24
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			sum, x, y := make([]float32, row), make([]float32, row), make([]float32, row)
			for {
				first := int(next.Add(piece)) - piece
				if first >= stride {
					return
				}
				for at := first; at < first+piece; at += row {
					for i := at; i < len(data); i += stride {
						copy(x, data[i:i+row])
						for range adds {
							bareAdd(sum, x, y)
						}
					}
				}
			}
		})
	}
	wg.Wait()
}

// BenchmarkSum adds up 2^24 floats by the hybrid kernel on h200, with cycles.
func BenchmarkSum(b *testing.B) {
	const n, threads, perThread = 1 << 24, 256, 16
	p, err := device.Lookup("h200")
	require.NoError(b, err)
	e, err := warp.New(warp.Config{Device: p})
	require.NoError(b, err)
	data, out := make([]float32, n), []float32{0}
	for i := range data {
		data[i] = 0.5
	}
	src, err := warp.Global(e, data)
	require.NoError(b, err)
	dst, err := warp.Global(e, out)
	require.NoError(b, err)
	for b.Loop() {
		out[0] = 0
		r, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(n / threads / perThread), Threads: warp.X(threads)}, gridSum(src, dst, perThread))
		require.NoError(b, err)
		b.ReportMetric(float64(r.Cycles), "simcycles/op")
		b.ReportMetric(1e6*r.Seconds(), "simus/op")
	}
	require.Equal(b, float32(n/2), out[0])
}

// A block of ten million instructions is timed as it runs: what it allocates in
// all, and so its peak, stays far below the records it makes (160 MB a warp).
func TestMemoryOfLongBlocks(t *testing.T) {
	if testing.Short() {
		t.Skip("runs ten million instructions")
	}
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	for _, threads := range []int{32, 128} {
		e, err := warp.New(warp.Config{Device: p, Workers: 1})
		require.NoError(t, err)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		warps := threads / 32
		rounds := 10_000_000 / 10 / warps
		r, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(threads)}, shuffleReduce[float32](rounds))
		require.NoError(t, err)
		runtime.ReadMemStats(&after)
		require.GreaterOrEqual(t, r.Instructions, int64(10_000_000))
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20), "%d threads", threads)
	}
}
