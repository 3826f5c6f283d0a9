package pack_test

import (
	"context"
	"testing"

	"example.com/warpsim/lane"
	"example.com/warpsim/reduce"
	"example.com/warpsim/scan/pack"
	"example.com/warpsim/warp"
	"github.com/stretchr/testify/require"
)

// Each mistake ends the run with a fault that unwraps to an error of its kind.
func TestErrors(t *testing.T) {
	items := func(w *warp.Warp, k int) []warp.Reg[int32] { return fill(w, k, make([]int32, 64*k), 0) }
	keep := func(w *warp.Warp, k int) []warp.Pred { return flags(w, k, make([]bool, 64*k)) }
	var none warp.Reg[int32]
	for _, c := range []struct {
		name, device string
		kind         error
		run          func(w *warp.Warp)
	}{
		{"no items", "h200", reduce.ErrItems, func(w *warp.Warp) {
			pack.Select(items(w, 0), nil, 0, pack.ByScan, none, pack.NewStorage[int32](w, 1))
		}},
		{"few flags", "h200", reduce.ErrItems, func(w *warp.Warp) {
			pack.Partition(items(w, 2), keep(w, 1), 0, pack.ByScan, none, pack.NewStorage[int32](w, 2))
		}},
		{"valid above the tile", "h200", reduce.ErrValid, func(w *warp.Warp) {
			pack.Ranks(items(w, 2), keep(w, 2), 129, pack.ByScan, none, pack.NewStorage[int32](w, 2))
		}},
		{"storage for fewer items", "h200", reduce.ErrStorage, func(w *warp.Warp) {
			pack.Select(items(w, 2), keep(w, 2), 0, pack.ByScan, none, pack.NewStorage[int32](w, 1))
		}},
		{"no storage", "h200", reduce.ErrStorage, func(w *warp.Warp) {
			pack.Encode(items(w, 2), 0, warp.Ne[int32], pack.ByScan, pack.Runs[int32]{}, pack.RunStorage[int32]{})
		}},
		{"no storage to decode", "h200", reduce.ErrStorage, func(w *warp.Warp) {
			pack.NewDecoder(items(w, 2), items(w, 2), 0, pack.DecodeStorage[int32]{})
		}},
		{"few lengths", "h200", reduce.ErrItems, func(w *warp.Warp) {
			pack.NewDecoder(items(w, 2), items(w, 1), 0, pack.NewDecodeStorage[int32](w, 2))
		}},
		{"unknown ranking", "h200", reduce.ErrAlgorithm, func(w *warp.Warp) {
			pack.Select(items(w, 1), keep(w, 1), 0, 7, none, pack.NewStorage[int32](w, 1))
		}},
		{"unknown counting", "h200", reduce.ErrAlgorithm, func(w *warp.Warp) {
			pack.Histogram(items(w, 1), 0, 7, warp.Shared[int32](w, 4))
		}},
		{"no match", "mtt-s4000", pack.ErrMatch, func(w *warp.Warp) {
			pack.Histogram(items(w, 1), 0, pack.ByMatch, warp.Shared[int32](w, 4))
		}},
		{"few bins", "h200", reduce.ErrStorage, func(w *warp.Warp) {
			pack.HistogramBySort(items(w, 1), 0, warp.Shared[int32](w, 5), pack.NewSortStorage[int32](w, 1, 4))
		}},
		{"in a branch", "h200", reduce.ErrActive, func(w *warp.Warp) {
			p := w.Pred()
			warp.SetPred(p, lane.FirstN(3))
			v := items(w, 1)
			w.If(p, func() { pack.StoreFirst(warp.Shared[int32](w, 4), v, v[0]) })
		}},
		{"not the first lanes", "h200", reduce.ErrActive, func(w *warp.Warp) {
			p := w.Pred()
			warp.SetPred(p, lane.Range(3, 5))
			v, k := items(w, 1), keep(w, 1)
			w.If(p, func() { pack.WarpRanks(v, k, 0, none) })
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := engine(t, c.device)
			_, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(64)}, c.run)
			require.ErrorIs(t, err, c.kind)
			var said *reduce.Error
			require.ErrorAs(t, err, &said)
			require.NotEmpty(t, said.Advice)
		})
	}
}
