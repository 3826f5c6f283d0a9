package bench

import (
	"fmt"
	"iter"
	"sync"
	"testing"
)

// BenchmarkSwitch measures what the engine's coroutines take by themselves: going to
// each of so many in turn and back, on one processor and on two that share nothing.
func BenchmarkSwitch(b *testing.B) {
	for _, coroutines := range []int{1, 8, 16, 64} {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("coroutines=%d/workers=%d", coroutines, workers), func(b *testing.B) {
				const switches = 200_000
				for b.Loop() {
					var wg sync.WaitGroup
					for range workers {
						wg.Go(func() { switchAbout(coroutines, switches/workers) })
					}
					wg.Wait()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/switches/float64(b.N), "ns/switch")
			})
		}
	}
}

// switchAbout goes n/2 times to one of the coroutines and back.
func switchAbout(coroutines, n int) {
	next, stop := make([]func() (int, bool), coroutines), make([]func(), coroutines)
	for i := range next {
		next[i], stop[i] = iter.Pull(func(yield func(int) bool) {
			for yield(0) {
			}
		})
	}
	for i := range n / 2 {
		next[i%coroutines]()
	}
	for _, s := range stop {
		s()
	}
}
