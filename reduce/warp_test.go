package reduce_test

import (
	"fmt"
	"testing"

	"example.com/warpsim/lane"
	"example.com/warpsim/reduce"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
)

// want returns the fold of each group's items, for lanes that exist.
func want[T any](op reduce.Op[T], in []T, width, valid, live int) []T {
	out := make([]T, len(in))
	for base := 0; base+width <= len(in); base += width {
		n := min(max(live-base, 0), valid)
		r, _ := op.Fold(in[base : base+n])
		for i := range width {
			out[base+i] = r
		}
	}
	return out
}

// checkWarp runs one warp-level algorithm on a warp of which only the first
// live lanes exist.
func checkWarp[T comparable](t *testing.T, e *warp.Engine, a reduce.Algorithm[T], op reduce.Op[T], in []T, tile reduce.Tile, live int, poison T) {
	t.Helper()
	p := e.Device()
	if a.Fits(p, op, tile, live) != nil {
		return
	}
	width := tile.Width
	if width == 0 {
		width = p.Lanes
	}
	valid := tile.Valid.Of(width)
	expected := want(op, in, width, valid, live)
	run(t, e, live, func(w *warp.Warp) {
		var s warp.Mem[T]
		if a.Storage != nil {
			s = a.Storage(w)
		}
		v, item := warp.Alloc[T](w), w.Pred()
		// Lanes without an item stay undefined and hold poison besides.
		copy(v.Lanes(), in)
		var items lane.Mask
		for l := range p.Lanes {
			if l/width*width+width <= p.Lanes && l%width < valid && l < live {
				items = items.With(l)
			} else {
				v.Lanes()[l] = poison
			}
		}
		warp.SetPred(item, items)
		w.Where(item, func() { warp.Mov(v, constant(w, in)) })
		a.Run(v, op, tile, s)
		where := func() string {
			return fmt.Sprintf("%s %s on %s, width %d of %d lanes, %d valid, %d live", a.Name, op.Name, p.Name, width, p.Lanes, valid, live)
		}
		for l := range live {
			if l/width*width+width > p.Lanes || !tile.Everywhere && l%width > 0 {
				continue
			}
			value, defined := expected[l], valid > 0 || op.HasIdentity
			if !defined { // nothing is written
				value = poison
			}
			if v.Undefined().Has(l) == defined || v.Lanes()[l] != value {
				t.Errorf("%s: lane %d has %v (undefined %v), want %v", where(), l, v.Lanes()[l], v.Undefined().Has(l), value)
				return
			}
		}
	})
}

// constant returns a register with in, one a lane.
func constant[T any](w *warp.Warp, in []T) warp.Reg[T] {
	c := warp.Alloc[T](w)
	warp.SetLanes(c, func(l int) T { return in[l] })
	return c
}

// shapes calls f with the tiles worth trying on a warp.
func shapes(lanes int, f func(tile reduce.Tile, live int)) {
	for width := 1; width <= lanes; width++ {
		if (lanes > 32 || testing.Short()) && width > 9 && width%16 > 1 && width < lanes-1 {
			continue
		}
		for _, valid := range []int{0, 1, width / 2, width/2 + 1, width - 1, width} {
			if valid < 0 || valid > width {
				continue
			}
			for _, live := range []int{lanes, lanes - 1, lanes/2 + 1, 1} {
				if live < 1 {
					continue
				}
				for _, everywhere := range []bool{false, true} {
					f(reduce.Tile{Width: width, Valid: team.First(valid), Everywhere: everywhere}, live)
				}
			}
		}
	}
}

func TestWarpAlgorithmsKeepOrderAndLanes(t *testing.T) {
	for _, name := range devices {
		t.Run(name, func(t *testing.T) {
			e := engine(t, name)
			lanes := e.Device().Lanes
			spans, bags := make([]span, lanes), make([]bag, lanes)
			for i := range spans {
				spans[i] = span{int32(i), int32(i)}
				bags[i] = bag{Items: 1 << (i % 64)}
			}
			shapes(lanes, func(tile reduce.Tile, live int) {
				for _, a := range reduce.Algorithms[span]() {
					if a.Scope == reduce.WarpScope {
						checkWarp(t, e, a, ordered, spans, tile, live, poisoned)
					}
				}
				for _, a := range reduce.Algorithms[bag]() {
					if a.Scope == reduce.WarpScope {
						checkWarp(t, e, a, union, bags, tile, live, bag{Poison: 1})
					}
				}
			})
		})
	}
}
