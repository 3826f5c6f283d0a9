package reduce_test

import (
	"fmt"
	"testing"

	"example.com/warpsim/lane"
	"example.com/warpsim/reduce"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
)

// checkBlock runs one block-level algorithm.
func checkBlock[T comparable](t *testing.T, e *warp.Engine, a reduce.Algorithm[T], op reduce.Op[T], in []T, tile reduce.Tile, poison T) {
	t.Helper()
	p, threads := e.Device(), len(in)
	if a.Fits(p, op, tile, threads) != nil {
		return
	}
	valid := tile.Valid.Of(threads)
	expected, defined := op.Fold(in[:valid])
	run(t, e, threads, func(w *warp.Warp) {
		s := a.Storage(w)
		v, item := warp.Alloc[T](w), w.Pred()
		base := w.ID() * p.Lanes
		for l := range p.Lanes {
			v.Lanes()[l] = poison
		}
		warp.SetPred(item, lane.FirstN(min(max(valid-base, 0), p.Lanes)))
		w.Where(item, func() {
			warp.SetLanes(v, func(l int) T { return in[base+l] })
		})
		a.Run(v, op, tile, s)
		where := func() string {
			return fmt.Sprintf("%s %s on %s, %d of %d threads", a.Name, op.Name, p.Name, valid, threads)
		}
		for l := range w.Live().Lanes() {
			if !tile.Everywhere && base+l > 0 {
				continue
			}
			if !defined { // nothing is written
				expected = poison
			}
			if v.Undefined().Has(l) == defined || v.Lanes()[l] != expected {
				t.Errorf("%s: thread %d has %v (undefined %v), want %v", where(), base+l, v.Lanes()[l], v.Undefined().Has(l), expected)
				return
			}
		}
	})
}

func TestBlockAlgorithmsKeepOrderAndThreads(t *testing.T) {
	for _, name := range []string{"h200", "mi300x", "mtt-s4000", "custom-2"} {
		t.Run(name, func(t *testing.T) {
			e := engine(t, name)
			lanes := e.Device().Lanes
			counts := []int{1, lanes - 1, lanes, lanes + 1, 2*lanes + 3, 192, 500}
			if testing.Short() {
				counts = []int{1, lanes, 2*lanes + 3}
			}
			for _, threads := range counts {
				if threads < 1 {
					continue
				}
				spans, bags := make([]span, threads), make([]bag, threads)
				for i := range spans {
					spans[i] = span{int32(i), int32(i)}
					bags[i] = bag{Items: 1 << (i % 64)}
				}
				for _, valid := range []int{0, 1, 2, threads/2 + 3, threads - 1, threads} {
					if valid > threads {
						continue
					}
					for _, everywhere := range []bool{false, true} {
						tile := reduce.Tile{Valid: team.First(valid), Everywhere: everywhere}
						for _, a := range reduce.Algorithms[span]() {
							if a.Scope == reduce.BlockScope {
								checkBlock(t, e, a, ordered, spans, tile, poisoned)
							}
						}
						for _, a := range reduce.Algorithms[bag]() {
							if a.Scope == reduce.BlockScope {
								checkBlock(t, e, a, union, bags, tile, bag{Poison: 1})
							}
						}
					}
				}
			}
		})
	}
}
