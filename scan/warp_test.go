package scan_test

import (
	"fmt"
	"testing"

	"example.com/warpsim/reduce"
	"example.com/warpsim/scan"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
)

// wishes calls f with all that can be asked for of one tile.
func wishes(in wish, f func(wish)) {
	for k := range 8 {
		in.exclusive, in.aggregate, in.initial = k&1 != 0, k&2 != 0, k&4 != 0
		f(in)
	}
}

func TestWarpScansKeepOrderAndLanes(t *testing.T) {
	for _, name := range devices {
		t.Run(name, func(t *testing.T) {
			e := engine(t, name)
			lanes := e.Device().Lanes
			for width := 1; width <= lanes; width++ {
				if (lanes > 32 || testing.Short()) && width > 9 && width%16 > 1 && width < lanes-1 {
					continue
				}
				for _, valid := range []int{0, 1, width/2 + 1, width - 1, width} {
					if valid < 0 || valid > width {
						continue
					}
					for _, live := range []int{lanes, lanes - 1, lanes/2 + 1, 1} {
						if live < 1 {
							continue
						}
						wishes(wish{width: width, valid: valid}, func(in wish) { checkWarp(t, e, in, live) })
					}
				}
			}
		})
	}
}

func checkWarp(t *testing.T, e *warp.Engine, in wish, live int) {
	p := e.Device()
	n := in.valid
	item := func(l int) (span, bool) {
		return span{int32(l), int32(l)}, l < live && l/in.width*in.width+in.width <= p.Lanes && l%in.width < n
	}
	for _, a := range scan.Algorithms[span]() {
		op := ordered.WithIdentity(nothing)
		if a.Scope != reduce.WarpScope || a.Fits(p, op, scan.Spec[span]{Width: in.width, Valid: team.First(in.valid)}, live) != nil {
			continue
		}
		run(t, e, live, func(w *warp.Warp) {
			o := scanned(w, a, op, in, item)
			where := func() string { return fmt.Sprintf("%s on %s, %d live, %+v", a.Name, p.Name, live, in) }
			for l := range live {
				if n == 0 && in.aggregate && !hold(t, "aggregate of nothing", o.aggregate, l, nothing, where) {
					return
				}
				if _, ok := item(l); !ok {
					continue
				}
				first := l / in.width * in.width
				last := first + n - 1
				if !holdAll(t, o, in, true, l, l%in.width, first, min(last, live-1), where) {
					return
				}
			}
		})
	}
}
