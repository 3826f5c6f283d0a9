package scan_test

import (
	"context"
	"testing"

	"example.com/warpsim/reduce"
	"example.com/warpsim/scan"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
	"github.com/stretchr/testify/require"
)

// Scans allocate nothing once the engine is warm.
func TestScansAllocateNothing(t *testing.T) {
	e := configured(t, "h200", warp.Config{ValuesOnly: true})
	op := reduce.Sum[float32]()
	for _, a := range scan.Algorithms[float32]() {
		_, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(32)}, func(w *warp.Warp) {
			var m warp.Mem[float32]
			if a.Storage != nil {
				m = a.Storage(w)
			}
			v, before, sum := warp.Alloc[float32](w), warp.Alloc[float32](w), warp.Alloc[float32](w)
			warp.Set(v, 1)
			s := scan.Spec[float32]{Valid: team.First(20), Exclusive: before, Aggregate: sum}
			if n := testing.AllocsPerRun(20, func() { a.Run(v, op, s, m) }); n != 0 {
				t.Errorf("%s allocates %v times", a.Name, n)
			}
		})
		require.NoError(t, err)
	}
}
