package reduce_test

import (
	"context"
	"testing"

	"example.com/warpsim/reduce"
	"example.com/warpsim/warp"
	"github.com/stretchr/testify/require"
)

func checkGrid[T warp.Number](t *testing.T, e *warp.Engine, op reduce.Op[T], data []T, s reduce.Shape) {
	t.Helper()
	expected, _ := op.Fold(data)
	for _, a := range reduce.Algorithms[T]() {
		if a.Fits(e.Device(), op, reduce.Tile{}, s.Threads) != nil {
			continue
		}
		if a.Scope == reduce.WarpScope && s.Combine == reduce.LastBlock && s.Threads%e.Device().Lanes > 0 {
			continue // refused, see TestGridRefuses
		}
		got, report, err := reduce.Grid(context.Background(), e, data, op, a, s)
		require.NoError(t, err, "%s %s %+v of %d", a.Name, op.Name, s, len(data))
		require.Empty(t, report.Faults, "%s", a.Name)
		require.Equal(t, expected, got, "%s %s %+v of %d on %s", a.Name, op.Name, s, len(data), e.Device().Name)
	}
}

func TestGridReducesAnyLength(t *testing.T) {
	names, sizes := []string{"h200", "mi300x", "mtt-s4000", "custom-4"}, []int{0, 1, 31, 100, 1000, 5000}
	if testing.Short() {
		names, sizes = names[:2], []int{0, 31, 1000}
	}
	for _, name := range names {
		e := engine(t, name)
		for _, n := range sizes {
			data := make([]int32, n)
			for i := range data {
				data[i] = int32(i*i*7919 - i)
			}
			for _, combine := range []reduce.Combine{reduce.TwoPass, reduce.Atomics, reduce.LastBlock} {
				for _, threads := range []int{32, 100, 256} {
					s := reduce.Shape{Blocks: 6, Threads: threads, Items: 1 + n%3, Combine: combine}
					checkGrid(t, e, reduce.Sum[int32](), data, s)
					checkGrid(t, e, reduce.Max[int32](), data, s)
				}
			}
		}
	}
}
