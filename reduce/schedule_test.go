package reduce_test

import (
	"context"
	"testing"

	"example.com/warpsim/reduce"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
	"github.com/stretchr/testify/require"
)

// Whatever the order of warps and blocks, the result is the same, and no two
// accesses race.
func TestAnySchedule(t *testing.T) {
	for seed := range uint64(4) {
		e := configured(t, "h200", warp.Config{ValuesOnly: true, Sanitize: true, Seed: seed})
		for _, a := range reduce.Algorithms[span]() {
			if a.Scope == reduce.BlockScope {
				checkBlock(t, e, a, ordered, spans(150), reduce.Tile{Everywhere: true}, poisoned)
				checkBlock(t, e, a, ordered, spans(150), reduce.Tile{Valid: team.First(99)}, poisoned)
			}
		}
		p := e.Device().Clone()
		p.Limits.Multiprocessors = 2 // so that blocks share one
		small, err := warp.New(warp.Config{Device: p, ValuesOnly: true, Sanitize: true, Seed: seed})
		require.NoError(t, err)
		data := make([]int32, 7000)
		want := int32(0)
		for i := range data {
			data[i] = int32(i * i)
			want += data[i]
		}
		for _, combine := range []reduce.Combine{reduce.TwoPass, reduce.Atomics, reduce.LastBlock} {
			for _, a := range reduce.Algorithms[int32]() {
				if a.Fits(p, reduce.Sum[int32](), reduce.Tile{}, 64) != nil {
					continue
				}
				got, report, err := reduce.Grid(context.Background(), small, data, reduce.Sum[int32](), a, reduce.Shape{Blocks: 20, Threads: 64, Combine: combine})
				require.NoError(t, err)
				require.Empty(t, report.Faults, a.Name)
				require.Equal(t, want, got, "%s %s seed %d", a.Name, combine, seed)
			}
		}
	}
}
