package scan_test

import (
	"testing"

	"example.com/warpsim/reduce"
	"example.com/warpsim/scan"
	"example.com/warpsim/warp"
)

func TestItemsKeepOrder(t *testing.T) {
	const each = 3
	for _, name := range []string{"h200", "mi300x", "custom-4"} {
		e := engine(t, name)
		lanes := e.Device().Lanes
		for _, a := range scan.Algorithms[span]() {
			threads, width := 2*lanes+3, 0
			if a.Scope == reduce.WarpScope {
				threads, width = lanes, lanes/2
			}
			for _, initial := range []bool{false, true} {
				op := ordered
				if a.Name == "blelloch" || a.Name == "blelloch-padded" {
					op = ordered.WithIdentity(nothing)
				}
				run(t, e, threads, func(w *warp.Warp) {
					var m warp.Mem[span]
					if a.Storage != nil {
						m = a.Storage(w)
					}
					base := w.ID() * lanes
					x := make([]warp.Reg[span], each)
					for j := range x {
						x[j] = warp.Alloc[span](w)
						warp.SetLanes(x[j], func(l int) span {
							i := int32((base+l)*each + j)
							return span{i, i}
						})
					}
					s := scan.Spec[span]{Width: width}
					if initial {
						s.Initial = warp.Alloc[span](w)
						warp.Set(s.Initial, span{-100, -100})
					}
					scan.Items(x, op, a, s, m)
					for l := range w.Live().Lanes() {
						for j := range x {
							want := span{0, int32((base+l)*each + j)}
							if width > 0 {
								want.First = int32(l / width * width * each)
							}
							if initial {
								want.First = -100
							}
							if got := x[j].Lanes()[l]; got != want {
								t.Errorf("%s on %s: item %d of thread %d is %v, want %v", a.Name, name, j, base+l, got, want)
								return
							}
						}
					}
				})
			}
		}
	}
}

// Flagged values scan segments with every algorithm.
func TestSegmentedOperator(t *testing.T) {
	e := engine(t, "h200")
	op := scan.Segmented(reduce.Sum[int32]())
	const threads = 100
	for _, a := range scan.Algorithms[scan.Flagged[int32]]() {
		n := threads
		if a.Scope == reduce.WarpScope {
			n = 32
		}
		run(t, e, n, func(w *warp.Warp) {
			var m warp.Mem[scan.Flagged[int32]]
			if a.Storage != nil {
				m = a.Storage(w)
			}
			v := warp.Alloc[scan.Flagged[int32]](w)
			base := w.ID() * 32
			item := func(i int) scan.Flagged[int32] {
				f := scan.Flagged[int32]{Value: int32(i)}
				if i*i%7 == 1 {
					f.Head = 1
				}
				return f
			}
			warp.SetLanes(v, func(l int) scan.Flagged[int32] { return item(base + l) })
			a.Run(v, op, scan.Spec[scan.Flagged[int32]]{}, m)
			sum := int32(0)
			for i := range min(n, base+32) {
				if item(i).Head != 0 {
					sum = 0
				}
				sum += int32(i)
				if i >= base && v.Lanes()[i-base].Value != sum {
					t.Errorf("%s: item %d is %d, want %d", a.Name, i, v.Lanes()[i-base].Value, sum)
					return
				}
			}
		})
	}
}
