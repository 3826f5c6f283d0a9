package kernels_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/warpsim/reduce"
	"example.com/warpsim/scan"
	"example.com/warpsim/scan/pack"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/team"
)

// The same reduction, scan, compaction and transform on every device that is built
// in, with cycles, in an engine that stops at the first fault.
func TestSameResultsOnEveryDevice(t *testing.T) {
	const threads = 256
	for _, name := range append(device.Names(), "custom-1", "custom-2", "custom-4") {
		t.Run(name, func(t *testing.T) {
			e := engine(t, name, true)
			sum, prefix := global(t, e, make([]int32, 1)), global(t, e, make([]int32, threads))
			kept, counts := global(t, e, make([]int32, threads)), global(t, e, make([]int32, 1))
			value := func(thread int) int32 { return int32(thread*thread%37) - 11 }
			r := run(t, e, threads, func(w *warp.Warp) {
				v, one := warp.Alloc[int32](w), warp.Alloc[int32](w)
				items := func() {
					warp.SetLanes(v, func(l int) int32 { return value(w.ID()*w.Width() + l) })
				}
				zero := warp.Alloc[int32](w)
				warp.Set(zero, 0)
				first := w.Pred()
				warp.EqImm(first, w.ThreadID(), 0)

				items()
				reduce.BlockTreeThenShuffle(v, reduce.Sum[int32](), reduce.Tile{}, reduce.NewThreadStorage[int32](w))
				w.Where(first, func() { warp.Store(sum, zero, v) })

				items()
				scan.BlockHybrid(v, reduce.Sum[int32](), scan.Spec[int32]{}, reduce.NewHybridStorage[int32](w))
				warp.Store(prefix, w.ThreadID(), v)

				items()
				keep := w.Pred()
				warp.GtImm(keep, v, 0)
				s := pack.NewStorage[int32](w, 1)
				pack.Select(team.Block().First(threads), []warp.Reg[int32]{v}, []warp.Pred{keep}, pack.ByBallot, one, s)
				here := w.Pred()
				warp.Lt(here, w.ThreadID(), one)
				w.Where(here, func() { warp.Store(kept, w.ThreadID(), v) })
				w.Where(first, func() { warp.Store(counts, zero, one) })
			})
			assert.Positive(t, r.Cycles)

			var total int32
			var want []int32
			for i := range threads {
				total += value(i)
				require.Equal(t, total, prefix.Data()[i], "scan, thread %d", i)
				if value(i) > 0 {
					want = append(want, value(i))
				}
			}
			assert.Equal(t, total, sum.Data()[0], "reduction")
			assert.EqualValues(t, len(want), counts.Data()[0], "compaction")
			assert.Equal(t, want, kept.Data()[:len(want)], "compaction")

			rng := rand.New(rand.NewPCG(1, 2))
			for _, inverse := range []bool{false, true} {
				fftOf[float32](t, e, e.Device().Lanes, 2, inverse, 0x1p-24, 0x1p-24, rng)
				fftOf[float64](t, e, e.Device().Lanes, 2, inverse, 0x1p-53, 11*math.Pow(2, -53), rng)
			}
		})
	}
}

// A grid that fills every multiprocessor twice, on every device.
func TestGridsOnEveryDevice(t *testing.T) {
	for _, name := range device.Names() {
		e := engine(t, name, true)
		blocks := 2*e.Device().Limits.Multiprocessors + 1
		out := global(t, e, make([]int32, blocks*e.Device().Lanes))
		r, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(blocks), Threads: warp.X(e.Device().Lanes)}, func(w *warp.Warp) {
			warp.Store(out, w.GlobalID(), w.GlobalID())
		})
		require.NoError(t, err, name)
		assert.Positive(t, r.Cycles, name)
		for i, v := range out.Data() {
			require.EqualValues(t, i, v, name)
		}
	}
}
