package warp_test

import (
	"context"
	"testing"

	"example.com/warpsim/warp"
	"github.com/stretchr/testify/require"
)

func downTree(w *warp.Warp) {
	v, x := warp.Alloc[float32](w), warp.Alloc[float32](w)
	warp.Set(v, 1)
	for d := w.Width() / 2; d > 0; d /= 2 {
		warp.ShflDown(x, v, d)
		warp.Add(v, v, x)
	}
}

func TestCyclesRun(t *testing.T) {
	for _, name := range []string{"mi300x", "mtt-s5000", "custom-16"} {
		e := engine(t, name, warp.Config{})
		r, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(3), Threads: warp.X(256)}, func(w *warp.Warp) {
			downTree(w)
			w.SyncBlock()
			downTree(w)
		})
		require.NoError(t, err)
		t.Log(name, r.Cycles, r.Instructions, r.Resident, r.Waits(), r.Evidence())
	}
}

func BenchmarkTree(b *testing.B) {
	for _, mode := range []bool{true, false} {
		e := engine(b, "mtt-s5000", warp.Config{ValuesOnly: mode})
		name := map[bool]string{true: "values", false: "cycles"}[mode]
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var n int64
			for b.Loop() {
				r, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(32)}, func(w *warp.Warp) {
					v, x := warp.Alloc[float32](w), warp.Alloc[float32](w)
					warp.Set(v, 1)
					for range 200 {
						for d := w.Width() / 2; d > 0; d /= 2 {
							warp.ShflDown(x, v, d)
							warp.Add(v, v, x)
						}
					}
				})
				if err != nil {
					b.Fatal(err)
				}
				n = r.Instructions
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n)/float64(b.N), "ns/instr")
		})
	}
}
