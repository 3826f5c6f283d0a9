package intrinsics_test

import (
	"context"
	"iter"
	"testing"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/warp"
	"github.com/stretchr/testify/require"
)

// BenchmarkCollective measures what a collective costs a lane, values only and
// with all that a run can record: cycles, and the source line of every
// instruction. The floor is the resumption of a coroutine.
func BenchmarkCollective(b *testing.B) {
	for _, c := range []struct {
		name   string
		config warp.Config
		f      func(t *thread, n int)
	}{
		{"xor-sync", values, func(t *thread, n int) {
			v, all := float32(t.Lane()), t.AllLanes()
			for i := range n {
				v = intrinsics.ShflXorSync(t, all, v, 1<<(i&3))
			}
		}},
		{"xor-converged", values, func(t *thread, n int) {
			v := float32(t.Lane())
			for i := range n {
				v = intrinsics.ShflXor(t, v, 1<<(i&3))
			}
		}},
		{"xor-sync-cycles-sites", warp.Config{Sites: true}, func(t *thread, n int) {
			v, all := float32(t.Lane()), t.AllLanes()
			for i := range n {
				v = intrinsics.ShflXorSync(t, all, v, 1<<(i&3))
			}
		}},
		{"ballot-sync", values, func(t *thread, n int) {
			all := t.AllLanes()
			for i := range n {
				intrinsics.BallotSync(t, all, i&1 == 0)
			}
		}},
		{"halves", values, func(t *thread, n int) { // two call sites that take turns
			v := float32(t.Lane())
			for range n {
				if t.Lane() < t.WarpSize()/2 {
					v = intrinsics.ShflXor(t, v, 1)
				} else {
					v = intrinsics.ShflXor(t, v, 2)
				}
			}
		}},
	} {
		for _, d := range []string{"h200", "mi300x", "mtt-s4000"} {
			b.Run(c.name+"/"+d, func(b *testing.B) {
				e := engine(b, d, c.config)
				lanes := e.Device().Lanes
				b.ReportAllocs()
				_, err := intrinsics.Launch(context.Background(), e, warp.X(1), warp.X(lanes), func(t *thread) { c.f(t, b.N) })
				require.NoError(b, err)
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(lanes), "ns/lane")
			})
		}
	}
	b.Run("floor", func(b *testing.B) {
		const lanes = 32
		var next [lanes]func() (struct{}, bool)
		for i := range next {
			resume, stop := iter.Pull(func(yield func(struct{}) bool) {
				for yield(struct{}{}) {
				}
			})
			defer stop()
			next[i] = resume
		}
		b.ResetTimer()
		for range b.N {
			for _, resume := range next {
				resume()
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/lanes, "ns/lane")
	})
}
