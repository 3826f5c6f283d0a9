package intrinsics_test

import (
	"context"
	"iter"
	"testing"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/warp"
	"github.com/stretchr/testify/require"
)

// BenchmarkCollective measures what a collective costs a lane. The floor is the
// resumption of a coroutine.
func BenchmarkCollective(b *testing.B) {
	for _, c := range []struct {
		name string
		f    func(t *intrinsics.Thread, n int)
	}{
		{"xor-sync", func(t *intrinsics.Thread, n int) {
			v, all := float32(t.Lane()), t.AllLanes()
			for i := range n {
				v = intrinsics.ShflXorSync(t, all, v, 1<<(i&3))
			}
		}},
		{"xor-maskless", func(t *intrinsics.Thread, n int) {
			v := float32(t.Lane())
			for i := range n {
				v = intrinsics.ShflXor(t, v, 1<<(i&3))
			}
		}},
		{"ballot-sync", func(t *intrinsics.Thread, n int) {
			all := t.AllLanes()
			for i := range n {
				intrinsics.BallotSync(t, all, i&1 == 0)
			}
		}},
	} {
		for _, d := range []string{"h200", "mi300x", "mtt-s4000"} {
			b.Run(c.name+"/"+d, func(b *testing.B) {
				e := engine(b, d, warp.Config{ValuesOnly: true})
				lanes := e.Device().Lanes
				b.ReportAllocs()
				_, err := intrinsics.Launch(context.Background(), e, warp.X(1), warp.X(lanes), func(t *intrinsics.Thread) { c.f(t, b.N) })
				require.NoError(b, err)
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(lanes), "ns/lane")
			})
		}
	}
	b.Run("floor", func(b *testing.B) {
		next, stop := iter.Pull(func(yield func(struct{}) bool) {
			for yield(struct{}{}) {
			}
		})
		defer stop()
		for range b.N {
			next()
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N), "ns/lane")
	})
}
