//go:build unix

package flow

import (
	"context"
	"runtime/debug"
	"syscall"
	"testing"
	"time"

	"example.com/warpsim/bench/sweep/kernel"
	"example.com/warpsim/bench/sweep/plan"
	"example.com/warpsim/bench/sweep/result"
	"github.com/stretchr/testify/require"
)

// cpu is the processor time that this process has taken.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Overhead compares runs of 10 ms and more in a sweep with the same runs called
// directly, in processor time, which other programs on the machine disturb less.
func BenchmarkOverhead(b *testing.B) {
	s, err := plan.Read("sweep.yaml", []byte("devices: [h200, mi300x]\nkernels: [grid/reduce/hybrid, grid/reduce/raking]\nsizes: [32768, 65536]\nseeds: {from: 1, to: 6}\n"))
	require.NoError(b, err)
	for range b.N {
		began := cpu(b)
		for i := range s.Len() {
			p := s.At(i)
			d, err := s.Profile(p)
			require.NoError(b, err)
			k, _ := kernel.Lookup(p.Kernel)
			_, err = kernel.Do(context.Background(), k, kernel.Job{Device: d, Type: p.Type, Size: int(p.Size), Seed: uint64(p.Seed)})
			require.NoError(b, err)
		}
		direct := cpu(b) - began
		encoded, err := s.Encode()
		require.NoError(b, err)
		store, err := result.Open(b.TempDir(), encoded, s.Len(), 16, false)
		require.NoError(b, err)
		before := debug.SetGCPercent(GCPercent) // as the command does
		began = cpu(b)
		require.NoError(b, Run(context.Background(), s, store, Options{Runner: "prism", Workers: 1}))
		swept := cpu(b) - began
		debug.SetGCPercent(before)
		n := float64(s.Len())
		b.ReportMetric(direct.Seconds()*1e3/n, "direct-ms/point")
		b.ReportMetric(swept.Seconds()*1e3/n, "sweep-ms/point")
		b.ReportMetric(swept.Seconds()/direct.Seconds(), "sweep/direct")
	}
}
