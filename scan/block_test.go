package scan_test

import (
	"fmt"
	"testing"

	"example.com/warpsim/reduce"
	"example.com/warpsim/scan"
	"example.com/warpsim/warp"
)

func TestBlockScansKeepOrderAndThreads(t *testing.T) {
	for _, name := range []string{"h200", "mi300x", "mtt-s4000", "custom-2", "custom-1"} {
		t.Run(name, func(t *testing.T) {
			e := engine(t, name)
			lanes := e.Device().Lanes
			counts := []int{1, lanes - 1, lanes, lanes + 1, 2*lanes + 3, 192, 300}
			if testing.Short() {
				counts = []int{1, lanes, 2*lanes + 3}
			}
			for _, threads := range counts {
				if threads < 1 || threads > 64*lanes {
					continue
				}
				for _, valid := range []int{0, 1, threads/2 + 1, threads - 1, threads} {
					if valid < 0 || valid > threads {
						continue
					}
					wishes(wish{valid: valid}, func(in wish) {
						checkBlock(t, e, in, threads)
						if !in.initial {
							in.prefix = true
							checkBlock(t, e, in, threads)
						}
					})
				}
			}
		})
	}
}

func checkBlock(t *testing.T, e *warp.Engine, in wish, threads int) {
	p := e.Device()
	n := in.valid
	item := func(i int) (span, bool) { return span{int32(i), int32(i)}, i < n }
	for _, a := range scan.Algorithms[span]() {
		op := ordered.WithIdentity(nothing)
		if a.Scope != reduce.BlockScope {
			continue
		}
		run(t, e, threads, func(w *warp.Warp) {
			o := scanned(w, a, op, in, item)
			base := w.ID() * p.Lanes
			where := func() string {
				return fmt.Sprintf("%s on %s, warp %d of %d threads, %+v", a.Name, p.Name, w.ID(), threads, in)
			}
			for l := range w.Live().Lanes() {
				if n == 0 && in.aggregate && !hold(t, "aggregate of nothing", o.aggregate, l, nothing, where) {
					return
				}
				if base+l < n && !holdAll(t, o, in, true, l, base+l, 0, n-1, where) {
					return
				}
			}
		})
	}
}
