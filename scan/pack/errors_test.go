package pack_test

import (
	"context"
	"testing"

	"example.com/warpsim/lane"
	"example.com/warpsim/scan/pack"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
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
		{"no items", "h200", team.ErrItems, func(w *warp.Warp) {
			pack.Select(team.Block(), items(w, 0), nil, pack.ByScan, none, pack.NewStorage[int32](w, 1))
		}},
		{"few flags", "h200", team.ErrItems, func(w *warp.Warp) {
			pack.Partition(team.All(), items(w, 2), keep(w, 1), pack.ByScan, none, pack.NewStorage[int32](w, 2))
		}},
		{"valid above the tile", "h200", team.ErrValid, func(w *warp.Warp) {
			pack.Ranks(team.Block().First(129), items(w, 2), keep(w, 2), pack.ByScan, none, pack.NewStorage[int32](w, 2))
		}},
		{"storage for fewer items", "h200", team.ErrStorage, func(w *warp.Warp) {
			pack.Select(team.Block(), items(w, 2), keep(w, 2), pack.ByScan, none, pack.NewStorage[int32](w, 1))
		}},
		{"no storage", "h200", team.ErrStorage, func(w *warp.Warp) {
			pack.Encode(team.Block(), items(w, 2), warp.Ne[int32], pack.ByScan, pack.Runs[int32]{}, pack.RunStorage[int32]{})
		}},
		{"no storage to decode", "h200", team.ErrStorage, func(w *warp.Warp) {
			pack.NewDecoder(team.All(), items(w, 2), items(w, 2), pack.DecodeStorage[int32]{})
		}},
		{"few lengths", "h200", team.ErrItems, func(w *warp.Warp) {
			pack.NewDecoder(team.All(), items(w, 2), items(w, 1), pack.NewDecodeStorage[int32](w, 2))
		}},
		{"unknown ranking", "h200", team.ErrAlgorithm, func(w *warp.Warp) {
			pack.Select(team.Block(), items(w, 1), keep(w, 1), 7, none, pack.NewStorage[int32](w, 1))
		}},
		{"unknown counting", "h200", team.ErrAlgorithm, func(w *warp.Warp) {
			pack.Histogram(team.All(), items(w, 1), 7, warp.Shared[int32](w, 4))
		}},
		{"no match", "mtt-s4000", team.ErrMatch, func(w *warp.Warp) {
			pack.Histogram(team.All(), items(w, 1), pack.ByMatch, warp.Shared[int32](w, 4))
		}},
		{"few bins", "h200", team.ErrStorage, func(w *warp.Warp) {
			pack.HistogramBySort(team.All(), items(w, 1), warp.Shared[int32](w, 5), pack.NewSortStorage[int32](w, 1, 4))
		}},
		{"in a branch", "h200", team.ErrActive, func(w *warp.Warp) {
			p := w.Pred()
			warp.SetPred(p, lane.FirstN(3))
			v := items(w, 1)
			w.If(p, func() { pack.StoreFirst(warp.Shared[int32](w, 4), v, v[0]) })
		}},
		{"not the first lanes", "h200", team.ErrActive, func(w *warp.Warp) {
			p := w.Pred()
			warp.SetPred(p, lane.Range(3, 5))
			v, k := items(w, 1), keep(w, 1)
			w.If(p, func() { pack.Ranks(team.Warp(), v, k, pack.ByBallot, none, pack.Storage[int32]{}) })
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := engine(t, c.device)
			_, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(64)}, c.run)
			require.ErrorIs(t, err, c.kind)
			var said *team.Error
			require.ErrorAs(t, err, &said)
			require.NotEmpty(t, said.Advice)
		})
	}
}
