//go:build unix

package bench

import (
	"context"
	"fmt"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/warpsim/bench/internal/gridkernels"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/memory"
)

// processorTime is what the process has used of processors.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// benchmarkCase runs a case on two processors, and reports a warp instruction's wall time and
// processor time, and how much memory the run held at most beyond the inputs.
func benchmarkCase(b *testing.B, c gridkernels.Case) {
	p, err := device.Lookup("h200")
	require.NoError(b, err)
	in, err := gridkernels.NewInputs(c.Items())
	require.NoError(b, err)
	e, err := warp.New(warp.Config{Device: p, Memory: memory.Warm, Workers: 2})
	require.NoError(b, err)
	g, err := in.Prepare(e, c)
	require.NoError(b, err)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	n, begin := int64(0), processorTime(b)
	for b.Loop() {
		g.Reset()
		r, err := e.Run(context.Background(), g.Launch, g.Kernel)
		require.NoError(b, err)
		n += r.Instructions
	}
	used := processorTime(b) - begin
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/instr")
	b.ReportMetric(float64(used.Nanoseconds())/float64(n), "cpu-ns/instr")
	b.ReportMetric(float64(used.Nanoseconds())/float64(b.N)/1e9, "cpu-s/op")
	b.ReportMetric(float64(after.HeapSys-min(before.HeapSys, after.HeapSys))/(1<<20), "MB-heap-more")
}

// BenchmarkRegularGrid runs grids of 4 M items whose blocks all do the same: less than a
// second each is what they are to take on two processors.
func BenchmarkRegularGrid(b *testing.B) {
	for _, kernel := range []string{"copy_f32", "reduce_hybrid_f32"} {
		b.Run(kernel, func(b *testing.B) {
			benchmarkCase(b, gridkernels.Case{Kernel: kernel, N: 1 << 22, Blocks: 1 << 14, Threads: 256})
		})
	}
}

// BenchmarkIrregularGrid runs grids whose warps do not do the same: 60 ns of wall time a warp
// instruction is what they are to take on two processors.
func BenchmarkIrregularGrid(b *testing.B) {
	for _, c := range []gridkernels.Case{
		{Kernel: "spmv_row_warp_f32", N: 4096, Blocks: 512, Threads: 256},
		{Kernel: "histogram_shared_u32", N: 1 << 20, Blocks: 528, Threads: 256},
		{Kernel: "histogram_global_u32", N: 1 << 17, Blocks: 512, Threads: 256},
		{Kernel: "compact_ballot_s32", N: 1 << 20, Blocks: 4096, Threads: 256},
	} {
		b.Run(fmt.Sprint(c.Kernel, "_", c.N), func(b *testing.B) { benchmarkCase(b, c) })
	}
}
