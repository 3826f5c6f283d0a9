package order_test

import (
	"context"
	"testing"

	"example.com/warpsim/lane"
	"example.com/warpsim/reduce"
	"example.com/warpsim/scan/order"
	"example.com/warpsim/warp"
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
		{"no keys", "h200", reduce.ErrItems, func(w *warp.Warp) { order.Bitonic(keys(w, 0), up, 0, 0) }},
		{"three keys in a network", "h200", reduce.ErrItems, func(w *warp.Warp) { order.Bitonic(keys(w, 3), up, 0, 0) }},
		{"width above the warp", "h200", reduce.ErrWidth, func(w *warp.Warp) { order.Bitonic(keys(w, 1), up, 64, 0) }},
		{"width of six", "h200", reduce.ErrWidth, func(w *warp.Warp) {
			order.Merge(keys(w, 1), up, 6, 0, order.NewMergeStorage[int32, int32](w, 1, false))
		}},
		{"valid above the group", "h200", reduce.ErrValid, func(w *warp.Warp) { order.Bitonic(keys(w, 2), up, 8, 17) }},
		{"few values", "h200", reduce.ErrItems, func(w *warp.Warp) { order.BitonicPairs(keys(w, 2), keys(w, 1), up, 0, 0) }},
		{"no storage for a network", "h200", reduce.ErrStorage, func(w *warp.Warp) {
			order.BlockBitonic(keys(w, 1), up, 0, order.BitonicStorage[int32, int32]{})
		}},
		{"no storage for values", "h200", reduce.ErrStorage, func(w *warp.Warp) {
			order.BlockMergePairs(keys(w, 1), keys(w, 1), up, 0, order.NewMergeStorage[int32, int32](w, 1, false))
		}},
		{"digits of seven bits", "h200", reduce.ErrShape, func(w *warp.Warp) { order.NewRankStorage(w, 7) }},
		{"no storage for digits", "h200", reduce.ErrShape, func(w *warp.Warp) {
			order.Radix(keys(w, 1), 0, order.RadixOptions{}, order.RadixStorage[int32, int32]{})
		}},
		{"bits beyond the key", "h200", reduce.ErrShape, func(w *warp.Warp) {
			order.Radix(keys(w, 1), 0, order.RadixOptions{End: 33}, order.NewRadixStorage[int32, int32](w, 1, 1, false))
		}},
		{"bits backwards", "h200", reduce.ErrShape, func(w *warp.Warp) {
			order.Radix(keys(w, 1), 0, order.RadixOptions{Begin: 9, End: 8}, order.NewRadixStorage[int32, int32](w, 1, 1, false))
		}},
		{"little room for keys", "h200", reduce.ErrStorage, func(w *warp.Warp) {
			order.Radix(keys(w, 2), 0, order.RadixOptions{}, order.NewRadixStorage[int32, int32](w, 1, 1, false))
		}},
		{"too many keys", "h200", reduce.ErrItems, func(w *warp.Warp) {
			k := keys(w, 65)
			order.RadixRank(k, k, 0, false, none, order.NewRankStorage(w, 1))
		}},
		{"no match", "mtt-s4000", order.ErrMatch, func(w *warp.Warp) {
			k := keys(w, 1)
			order.RadixRankMatch(k, k, 0, false, none, order.NewMatchStorage(w, 4))
		}},
		{"in a branch", "h200", reduce.ErrActive, func(w *warp.Warp) {
			p, k := w.Pred(), keys(w, 1)
			warp.SetPred(p, lane.FirstN(3))
			s := order.NewMergeStorage[int32, int32](w, 1, false)
			w.If(p, func() { order.BlockMerge(k, up, 0, s) })
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := engine(t, c.device)
			_, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(1024)}, c.run)
			require.ErrorIs(t, err, c.kind)
			var said *reduce.Error
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
		order.RadixRank(k, k, 0, false, k[0], order.NewRankStorage(w, 4))
	})
	require.ErrorIs(t, err, reduce.ErrShape)
}

// What fits is known before a kernel runs, and true.
func TestRadixFits(t *testing.T) {
	for _, c := range []struct {
		device              string
		threads, keys, bits int
		kind                error
	}{
		{"h200", 256, 4, 4, nil},
		{"h200", 1024, 32, 4, nil},
		{"h200", 1024, 64, 4, reduce.ErrItems},
		{"h200", 1025, 1, 4, reduce.ErrShape},
		{"h200", 0, 1, 4, reduce.ErrShape},
		{"h200", 256, 4, 7, reduce.ErrShape},
		{"h200", 256, 0, 4, reduce.ErrItems},
		{"mtt-s4000", 256, 4, 4, nil},
		{"mtt-s4000", 1024, 1, 4, reduce.ErrStorage},
		{"mtt-s4000", 1024, 1, 2, nil},
	} {
		e := engine(t, c.device)
		err := order.RadixFits[uint32, int32](e.Device(), c.threads, c.keys, c.bits, false)
		if c.kind != nil {
			require.ErrorIs(t, err, c.kind, "%v", c)
			continue
		}
		require.NoError(t, err, "%v", c)
		run(t, e, c.threads, func(w *warp.Warp) {
			data := make([]uint32, c.threads*c.keys)
			order.Radix(fill(w, c.keys, data, 0, blocked(c.keys)), 0, order.RadixOptions{End: 1}, order.NewRadixStorage[uint32, int32](w, c.keys, c.bits, false))
		})
	}
}
