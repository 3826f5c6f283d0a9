package order_test

import (
	"context"
	"slices"
	"testing"

	"example.com/warpsim/lane"
	"example.com/warpsim/scan/order"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
	"github.com/stretchr/testify/require"
)

// Each mistake ends the run with a fault that unwraps to an error of its kind.
func TestErrors(t *testing.T) {
	keys := func(w *warp.Warp, k int) []warp.Reg[int32] { return fill(w, k, make([]int32, 1024*k), 0, blocked(k)) }
	up := order.Ascending[int32]
	var none warp.Reg[int32]
	for _, c := range []struct {
		name, device string
		kind         error
		run          func(w *warp.Warp)
	}{
		{"no keys", "h200", team.ErrItems, func(w *warp.Warp) { order.Bitonic(team.Warp(), keys(w, 0), up) }},
		{"three keys in a network", "h200", team.ErrItems, func(w *warp.Warp) { order.Bitonic(team.Warp(), keys(w, 3), up) }},
		{"width above the warp", "h200", team.ErrWidth, func(w *warp.Warp) {
			order.Bitonic(team.Groups(64), keys(w, 1), up)
		}},
		{"width of six", "h200", team.ErrWidth, func(w *warp.Warp) {
			order.Merge(team.Groups(6), keys(w, 1), up, order.NewMergeStorage[int32, struct{}](w, 1))
		}},
		{"valid above the group", "h200", team.ErrValid, func(w *warp.Warp) {
			order.Bitonic(team.Groups(8).First(17), keys(w, 2), up)
		}},
		{"few values", "h200", team.ErrItems, func(w *warp.Warp) {
			order.BitonicPairs(team.Warp(), keys(w, 2), keys(w, 1), up)
		}},
		{"no storage for a network", "h200", team.ErrStorage, func(w *warp.Warp) {
			order.Bitonic(team.Block(), keys(w, 1), up)
		}},
		{"no storage for values", "h200", team.ErrStorage, func(w *warp.Warp) {
			order.MergePairs(team.Block(), keys(w, 1), keys(w, 1), up, order.MergeStorage[int32, int32]{})
		}},
		{"two shared memories", "h200", team.ErrStorage, func(w *warp.Warp) {
			s := order.NewBitonicStorage[int32, struct{}](w)
			order.Bitonic(team.Block(), keys(w, 1), up, s, s)
		}},
		{"digits of seven bits", "h200", team.ErrShape, func(w *warp.Warp) { order.NewRankStorage(w, 7) }},
		{"no storage for digits", "h200", team.ErrShape, func(w *warp.Warp) {
			order.Radix(team.All(), keys(w, 1), order.RadixOptions{}, order.RadixStorage[int32, struct{}]{})
		}},
		{"bits beyond the key", "h200", team.ErrShape, func(w *warp.Warp) {
			order.Radix(team.All(), keys(w, 1), order.RadixOptions{End: 33}, order.NewRadixStorage[int32, struct{}](w, 1, 1))
		}},
		{"bits backwards", "h200", team.ErrShape, func(w *warp.Warp) {
			order.Radix(team.All(), keys(w, 1), order.RadixOptions{Begin: 9, End: 8}, order.NewRadixStorage[int32, struct{}](w, 1, 1))
		}},
		{"little room for keys", "h200", team.ErrStorage, func(w *warp.Warp) {
			order.Radix(team.All(), keys(w, 2), order.RadixOptions{}, order.NewRadixStorage[int32, struct{}](w, 1, 1))
		}},
		{"too many keys", "h200", team.ErrItems, func(w *warp.Warp) {
			k := slices.Repeat(keys(w, 13), 5)
			order.RadixRank(team.All(), k, k, false, none, order.NewRankStorage(w, 1))
		}},
		{"no match", "mtt-s4000", team.ErrMatch, func(w *warp.Warp) {
			k := keys(w, 1)
			order.RadixRankMatch(team.All(), k, k, false, none, order.NewMatchStorage(w, 4))
		}},
		{"in a branch", "h200", team.ErrActive, func(w *warp.Warp) {
			p, k := w.Pred(), keys(w, 1)
			warp.SetPred(p, lane.FirstN(3))
			s := order.NewMergeStorage[int32, struct{}](w, 1)
			w.If(p, func() { order.Merge(team.Block(), k, up, s) })
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := engine(t, c.device)
			_, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(1024)}, c.run)
			require.ErrorIs(t, err, c.kind)
			var said *team.Error
			require.ErrorAs(t, err, &said)
			require.NotEmpty(t, said.Advice)
		})
	}
}

// Starts need a thread for each digit.
func TestRadixRankWithFewThreads(t *testing.T) {
	e := engine(t, "h200")
	_, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(15)}, func(w *warp.Warp) {
		k := fill(w, 1, make([]int32, 15), 0, blocked(1))
		order.RadixRank(team.All(), k, k, false, k[0], order.NewRankStorage(w, 4))
	})
	require.ErrorIs(t, err, team.ErrShape)
}

// What fits is known before a kernel runs, and true.
func TestRadixFits(t *testing.T) {
	for _, c := range []struct {
		device              string
		threads, keys, bits int
		kind                error
	}{
		{"h200", 256, 4, 4, nil},
		{"h200", 256, 32, 4, nil},
		{"h200", 1024, 32, 4, team.ErrStorage},
		{"h200", 1024, 64, 4, team.ErrItems},
		{"h200", 1025, 1, 4, team.ErrShape},
		{"h200", 0, 1, 4, team.ErrShape},
		{"h200", 256, 4, 7, team.ErrShape},
		{"h200", 256, 0, 4, team.ErrItems},
		{"mtt-s4000", 256, 4, 4, nil},
		{"mtt-s4000", 1024, 1, 4, team.ErrStorage},
		{"mtt-s4000", 1024, 1, 2, nil},
	} {
		e := engine(t, c.device)
		err := order.RadixFits[uint32, struct{}](e.Device(), c.threads, c.keys, c.bits)
		if c.kind != nil {
			require.ErrorIs(t, err, c.kind, "%v", c)
			continue
		}
		require.NoError(t, err, "%v", c)
		run(t, e, c.threads, func(w *warp.Warp) {
			data := make([]uint32, c.threads*c.keys)
			order.Radix(team.All(), fill(w, c.keys, data, 0, blocked(c.keys)), order.RadixOptions{End: 1}, order.NewRadixStorage[uint32, struct{}](w, c.keys, c.bits))
		})
	}
}
