package order_test

import (
	"slices"
	"testing"

	"example.com/warpsim/scan/order"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
)

// Any keys in any shape of block come out as slices.Sort has them, whichever way
// they are sorted.
func FuzzSorts(f *testing.F) {
	f.Add([]byte{3, 1, 2}, uint8(3), uint8(1), uint8(0))
	f.Add([]byte("the quick brown fox jumps over the lazy dog"), uint8(40), uint8(2), uint8(1))
	f.Add([]byte{255, 0, 255, 0, 128}, uint8(1), uint8(4), uint8(2))
	names := []string{"h200", "mi300x", "mtt-s4000", "custom-4"}
	f.Fuzz(func(t *testing.T, data []byte, threads, keys, where uint8) {
		n, k := max(1, int(threads)), 1<<(keys%4)
		e := engine(t, names[int(where)%len(names)])
		data = data[:min(len(data), n*k)]
		if len(data) == 0 {
			return
		}
		want := slices.Clone(data)
		slices.Sort(want)
		var got [3][]byte
		for i := range got {
			got[i] = make([]byte, len(data))
		}
		run(t, e, n, func(w *warp.Warp) {
			key := fill(w, k, data, 0, blocked(k))
			order.Bitonic(team.Block().First(len(data)), key, order.Ascending, order.NewBitonicStorage[byte, struct{}](w))
			collect(got[0], key, blocked(k))
			key = fill(w, k, data, 0, blocked(k))
			order.Merge(team.Block().First(len(data)), key, order.Ascending, order.NewMergeStorage[byte, struct{}](w, k))
			collect(got[1], key, blocked(k))
			key = fill(w, k, data, 0, blocked(k))
			order.Radix(team.First(len(data)), key, order.RadixOptions{}, order.NewRadixStorage[byte, struct{}](w, k, 3))
			collect(got[2], key, blocked(k))
		})
		for i, name := range []string{"bitonic", "merge", "radix"} {
			if !slices.Equal(want, got[i]) {
				t.Errorf("%s of %v in %d threads of %d on %s: %v", name, data, n, k, e.Device().Name, got[i])
			}
		}
	})
}
