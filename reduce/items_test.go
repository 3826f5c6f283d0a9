package reduce_test

import (
	"testing"

	"example.com/warpsim/reduce"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
	"github.com/stretchr/testify/assert"
)

func TestItemsKeepOrder(t *testing.T) {
	run(t, engine(t, "h200"), 32, func(w *warp.Warp) {
		var x [5]warp.Reg[span]
		for i := range x {
			x[i] = warp.Alloc[span](w)
			warp.Set(x[i], span{int32(i), int32(i)})
		}
		reduce.Items(x[0], ordered, x[:]...)
		assert.Equal(t, span{0, 4}, x[0].Lanes()[31])
		reduce.Items(x[1], ordered, x[0])
		assert.Equal(t, span{0, 4}, x[1].Lanes()[31])
	})
}

// A batch gives each reduction its own lanes, and never mixes two.
func TestBatchReducesEach(t *testing.T) {
	for _, name := range []string{"h200", "mi300x", "mtt-s4000", "custom-4"} {
		e := engine(t, name)
		lanes := e.Device().Lanes
		for n := 1; n <= lanes; n *= 2 {
			run(t, e, lanes, func(w *warp.Warp) {
				v := make([]warp.Reg[int32], n)
				for i := range v {
					v[i] = warp.Alloc[int32](w)
					warp.SetLanes(v[i], func(l int) int32 { return int32(1000*i + l) })
				}
				reduce.Batch(reduce.Sum[int32](), v...)
				for l, got := range v[0].Lanes() {
					i := l * n / lanes
					if want := int32(lanes*1000*i + lanes*(lanes-1)/2); got != want {
						t.Errorf("%s: lane %d of %d reductions has %d, want %d", name, l, n, got, want)
						return
					}
				}
			})
		}
	}
}

func TestBatchRefuses(t *testing.T) {
	batch := func(n int, op reduce.Op[int32]) warp.Kernel {
		return func(w *warp.Warp) {
			v := make([]warp.Reg[int32], n)
			for i := range v {
				v[i] = warp.Alloc[int32](w)
				warp.Set(v[i], 1)
			}
			reduce.Batch(op, v...)
		}
	}
	e := engine(t, "h200")
	refused(t, e, 32, team.ErrItems, batch(0, reduce.Sum[int32]()))
	refused(t, e, 32, team.ErrItems, batch(3, reduce.Sum[int32]()))
	refused(t, e, 32, team.ErrItems, batch(64, reduce.Sum[int32]()))
	refused(t, e, 32, team.ErrOrder, batch(2, keep))
	refused(t, e, 20, team.ErrActive, batch(2, reduce.Sum[int32]()))
	refused(t, e, 32, team.ErrItems, func(w *warp.Warp) { reduce.Items(warp.Alloc[int32](w), keep) })
	refused(t, e, 32, team.ErrRoute, func(w *warp.Warp) {
		reduce.RowMoves(warp.Alloc[int32](w), keep, reduce.Tile{})
	})
}
