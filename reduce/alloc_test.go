package reduce_test

import (
	"testing"

	"example.com/warpsim/reduce"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
)

// Reductions allocate nothing once the engine is warm.
func TestReductionsAllocateNothing(t *testing.T) {
	e := configured(t, "h200", warp.Config{ValuesOnly: true})
	sum := reduce.Sum[int32]()
	for _, a := range reduce.Algorithms[int32]() {
		if a.Fits(e.Device(), sum, reduce.Tile{}, 32) != nil {
			continue
		}
		run(t, e, 32, func(w *warp.Warp) {
			var s warp.Mem[int32]
			if a.Storage != nil {
				s = a.Storage(w)
			}
			v := warp.Alloc[int32](w)
			warp.Set(v, 1)
			if n := testing.AllocsPerRun(20, func() { a.Run(v, sum, reduce.Tile{Valid: team.First(20), Everywhere: true}, s) }); n != 0 {
				t.Errorf("%s allocates %v times", a.Name, n)
			}
		})
	}
}
