package tile_test

import (
	"context"
	"testing"

	"example.com/warpsim/scan/tile"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
	"github.com/stretchr/testify/require"
)

// Each mistake ends the run with a fault that unwraps to an error of its kind,
// which names the function.
func TestErrors(t *testing.T) {
	e := engine(t, "h200")
	items := func(w *warp.Warp, k int) []warp.Reg[int32] {
		return fill(w, k, func(int, int) (int32, bool) { return 0, true }, -1)
	}
	shared := func(w *warp.Warp) warp.Mem[int32] { return warp.Shared[int32](w, 1024) }
	src := global(t, e, make([]int32, 1024))
	for _, c := range []struct {
		name string
		kind error
		in   string // the function that the error names
		run  func(w *warp.Warp)
	}{
		{"no items", team.ErrItems, "tile", func(w *warp.Warp) { tile.BlockedToStriped(team.Block(), items(w, 0), shared(w)) }},
		{"valid above the tile", team.ErrValid, "striped-to-blocked", func(w *warp.Warp) { tile.StripedToBlocked(team.Block().First(129), items(w, 2), shared(w)) }},
		{"valid negative", team.ErrValid, "shift-up", func(w *warp.Warp) { tile.ShiftUp(team.First(-1), items(w, 2), warp.Reg[int32]{}, shared(w)) }},
		{"width above the warp", team.ErrWidth, "blocked-to-striped", func(w *warp.Warp) { tile.BlockedToStriped(team.Groups(64), items(w, 2), shared(w)) }},
		{"width no power of two", team.ErrWidth, "load striped", func(w *warp.Warp) { tile.Load(team.Groups(12), tile.Striped, items(w, 2), src, shared(w)) }},
		{"little shared memory", team.ErrStorage, "blocked-to-striped", func(w *warp.Warp) { tile.BlockedToStriped(team.Block(), items(w, 2), warp.Shared[int32](w, 127)) }},
		{"little for neighbours", team.ErrStorage, "flag", func(w *warp.Warp) {
			tile.Flag(team.Block(), []warp.Pred{w.Pred()}, nil, items(w, 1), warp.Ne[int32], tile.Neighbors[int32]{}, warp.Shared[int32](w, 3))
		}},
		{"in a branch", team.ErrActive, "rotate", func(w *warp.Warp) {
			p := w.Pred()
			warp.LtImm(p, w.LaneID(), 5)
			w.If(p, func() { tile.Rotate(items(w, 1)[0], items(w, 1)[0], 1, shared(w)) })
		}},
		{"some lanes of a group", team.ErrActive, "blocked-to-striped", func(w *warp.Warp) {
			p := w.Pred()
			warp.GeImm(p, w.LaneID(), 5)
			w.If(p, func() { tile.BlockedToStriped(team.Groups(8), items(w, 1), shared(w)) })
		}},
		{"few ranks", team.ErrItems, "scatter-to-blocked", func(w *warp.Warp) { tile.ScatterToBlocked(team.Block(), items(w, 3), items(w, 2), shared(w)) }},
		{"few flags", team.ErrItems, "flag", func(w *warp.Warp) {
			tile.Flag(team.Block(), nil, nil, items(w, 1), warp.Ne[int32], tile.Neighbors[int32]{}, shared(w))
		}},
		{"unknown method", team.ErrAlgorithm, "load method(9)", func(w *warp.Warp) { tile.Load(team.Block(), 9, items(w, 1), src, shared(w)) }},
		{"part of a vector", team.ErrItems, "load-vectors", func(w *warp.Warp) {
			tile.LoadVectors(items(w, 3), warp.Shared[[2]int32](w, 100))
		}},
		{"transpose of three", team.ErrItems, "transpose", func(w *warp.Warp) { tile.Transpose(items(w, 3)) }},
		{"transpose of half a group", team.ErrActive, "transpose", func(w *warp.Warp) {
			p := w.Pred()
			warp.LtImm(p, w.LaneID(), 3)
			w.If(p, func() { tile.Transpose(items(w, 2)) })
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(64)}, c.run)
			require.ErrorIs(t, err, c.kind)
			var said *team.Error
			require.ErrorAs(t, err, &said)
			require.Equal(t, c.in, said.Algorithm)
			require.NotEmpty(t, said.Advice)
		})
	}
}
