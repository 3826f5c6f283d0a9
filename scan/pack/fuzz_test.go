package pack_test

import (
	"slices"
	"testing"

	"example.com/warpsim/scan/pack"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
)

// What is encoded and decoded again is what it was.
func FuzzEncodeDecode(f *testing.F) {
	f.Add([]byte("aabbbbcd"), uint8(4), uint8(2), uint8(3))
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0}, uint8(7), uint8(1), uint8(0))
	f.Add([]byte("mississippi"), uint8(33), uint8(1), uint8(1))
	names := []string{"h200", "mi300x", "mtt-s4000", "custom-4"}
	f.Fuzz(func(t *testing.T, data []byte, threads, items, where uint8) {
		n, k := max(1, int(threads)), 1+int(items)%5
		e := engine(t, names[int(where)%len(names)])
		data = data[:min(len(data), n*k)]
		if len(data) == 0 {
			return
		}
		values, lengths := make([]byte, n*k), make([]int32, n*k)
		count := 0
		run(t, e, n, func(w *warp.Warp) {
			out := pack.Runs[byte]{Values: registers[byte](w, k), Lengths: registers[int32](w, k), Count: warp.Alloc[int32](w)}
			pack.Encode(team.Block().First(len(data)), fill(w, k, data, 0), warp.Ne[byte], pack.ByScan, out, pack.NewRunStorage[byte](w, k))
			striped(values, out.Values, n)
			striped(lengths, out.Lengths, n)
			if w.ID() == 0 {
				count = int(out.Count.Lanes()[0])
			}
		})
		got := make([]byte, n*k)
		run(t, e, n, func(w *warp.Warp) {
			d := pack.NewDecoder(team.First(count), fill(w, k, values[:count], 0), fill(w, k, lengths[:count], 0), pack.NewDecodeStorage[byte](w, k))
			everywhere(t, d.Total, len(data), "length")
			part, from := registers[byte](w, k), warp.Alloc[int32](w)
			warp.Set(from, 0)
			d.Window(part, nil, from)
			for j, v := range part {
				for l := range w.Live().Lanes() {
					got[(w.ID()*w.Width()+l)*k+j] = v.Lanes()[l]
				}
			}
		})
		if !slices.Equal(data, got[:len(data)]) {
			t.Errorf("%v in %d threads of %d on %s: %v of %v are %v", data, n, k, e.Device().Name, values[:count], lengths[:count], got[:len(data)])
		}
	})
}
