package warp_test

import (
	"context"
	"math"
	"runtime"
	"testing"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
)

// sameReport ignores nothing of a report but the profile behind it.
var sameReport = cmpopts.IgnoreUnexported(warp.Report{}, warp.Fault{})

// busyKernel has what could depend on who is faster: float atomics across
// blocks in an order that rounds differently, divergence, barriers between
// warps, faults at several lines, unequal work.
func busyKernel(sum warp.Mem[float32], out warp.Mem[int32]) warp.Kernel {
	return func(w *warp.Warp) {
		v, k := warp.Alloc[float32](w), warp.Alloc[int32](w)
		p := w.Pred()
		warp.Convert(v, w.GlobalID())
		warp.MulImm(v, v, 0.1)
		for range 1 + (w.BlockIndex()*7+w.ID())%5 {
			warp.AddImm(v, v, 0.3)
		}
		warp.AndImm(k, w.LaneID(), 3)
		warp.EqImm(p, k, 1)
		w.If(p, func() {
			x := warp.Alloc[int32](w)
			warp.ShflDown(x, w.LaneID(), 1) // reads lanes that are elsewhere
			if w.BlockIndex()%3 == 2 {
				warp.Store(out, w.GlobalID(), x) // and uses what it read
			}
		})
		w.SyncBlock()
		warp.Set(k, 0)
		warp.AtomicReduce(warp.AtomicAdd, sum, k, v)
		if w.BlockIndex()%4 == 1 {
			w.Barrier(1, w.Width()*(1+w.BlockWarps()-1))
		}
		warp.Atomic(warp.AtomicAdd, k, out.At(0), k, w.LaneID())
	}
}

// Values, cycles, totals, lines and faults do not depend on how many
// processors a grid had.
func TestSameOnAnyNumberOfProcessors(t *testing.T) {
	run := func(c warp.Config, workers, procs int) (*warp.Report, uint32, []int32) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		c.Workers = workers
		e := newEngine(t, c)
		sum, out := global(t, e, make([]float32, 1)), global(t, e, make([]int32, 64*96))
		r, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(64), Threads: warp.X(96)}, busyKernel(sum, out))
		require.NoError(t, err)
		return r, math.Float32bits(sum.Data()[0]), out.Data()
	}
	for _, c := range []warp.Config{
		{Device: small(t, 32, 7)},
		{Device: small(t, 64, 7), Resident: 2},
		{Device: small(t, 32, 7), ValuesOnly: true},
		{Device: small(t, 32, 7), Sites: true},
	} {
		c.Faults = warp.Collect
		first, bits, out := run(c, 1, 1)
		require.NotEmpty(t, first.Faults)
		for _, with := range [][2]int{{1, 2}, {2, 2}, {8, 2}, {8, 1}, {0, 2}} {
			r, b, o := run(c, with[0], with[1])
			require.Empty(t, cmp.Diff(first, r, sameReport), "workers and processors %v", with)
			require.Equal(t, bits, b)
			require.Equal(t, out, o)
		}
	}
}

// The fault that ends a strict run, and what is noted before it, are those of
// the first block that has one, whoever ran it.
func TestSameFirstFault(t *testing.T) {
	run := func(workers int) (*warp.Report, *warp.Fault) {
		e := newEngine(t, warp.Config{Device: small(t, 32, 8), Resident: 2, Workers: workers})
		out := global(t, e, make([]int32, 32*100))
		r, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(100), Threads: warp.X(32)}, func(w *warp.Warp) {
			for range (100 - w.BlockIndex()) * 3 { // later blocks are faster
				warp.Store(out, w.GlobalID(), w.LaneID())
			}
			warp.ShflDown(warp.Alloc[int32](w), w.LaneID(), 40)
			if w.BlockIndex()%10 == 7 {
				warp.Store(out.At(1), w.GlobalID(), warp.Alloc[int32](w))
			}
		})
		var f *warp.Fault
		require.ErrorAs(t, err, &f)
		return r, f
	}
	first, fault := run(1)
	require.Equal(t, warp.UndefinedUse, fault.Kind)
	require.Equal(t, 7, fault.Block)
	require.Len(t, first.Faults, 2)
	require.Equal(t, 8, first.Faults[0].Count, "the shuffle of blocks 0 to 7")
	for range 5 {
		r, f := run(4)
		require.Empty(t, cmp.Diff(fault, f, sameReport))
		require.Empty(t, cmp.Diff(first.Faults, r.Faults, sameReport))
	}
}

// A launch that is made again costs the same, whether or not its time is
// remembered, and alone or between others.
func TestSameAgain(t *testing.T) {
	for _, name := range []string{"h200", "mi300x", "mtt-s4000", "custom-16"} {
		p, err := device.Lookup(name)
		require.NoError(t, err)
		kernel := func(n int) warp.Kernel {
			return func(w *warp.Warp) {
				v := warp.Alloc[float64](w)
				warp.Set(v, 1)
				for range n {
					warp.ShflXor(v, v, 1)
					warp.Add(v, v, v)
				}
				w.SyncBlock()
			}
		}
		run := func(e *warp.Engine, n, threads int) *warp.Report {
			r, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(3), Threads: warp.X(threads)}, kernel(n))
			require.NoError(t, err)
			return r
		}
		warm := newEngine(t, warp.Config{Device: p})
		for range 2 {
			for n := range 8 {
				for _, threads := range []int{p.Lanes, 4 * p.Lanes} {
					require.Empty(t, cmp.Diff(run(newEngine(t, warp.Config{Device: p}), n, threads), run(warm, n, threads), sameReport),
						"%s, %d turns, %d threads", name, n, threads)
				}
			}
		}
	}
}

// The seams of the record buffer do not show: n instructions of one chain take
// a fixed time each, whatever n.
func TestCyclesAcrossTheRecordBuffer(t *testing.T) {
	for _, threads := range []int{32, 64} {
		e := newEngine(t, warp.Config{Device: small(t, 32, 1)})
		cycles := func(n int) int64 {
			r, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(2), Threads: warp.X(threads)}, func(w *warp.Warp) {
				v := warp.Alloc[int32](w)
				warp.Set(v, 0)
				for range n {
					warp.AddImm(v, v, 1)
				}
			})
			require.NoError(t, err)
			require.EqualValues(t, (n+1)*2*threads/32, r.Instructions)
			return int64(r.Cycles)
		}
		step := cycles(101) - cycles(100)
		require.Positive(t, step)
		for _, n := range []int{4000, 4094, 4095, 4096, 4097, 8191, 8192, 8193, 20000} {
			require.EqualValues(t, step, cycles(n+1)-cycles(n), "from %d", n)
			require.EqualValues(t, int64(n-100)*step, cycles(n)-cycles(100), "%d", n)
		}
	}
}
