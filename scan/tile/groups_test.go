package tile_test

import (
	"fmt"
	"testing"

	"example.com/warpsim/lane"
	"example.com/warpsim/scan/tile"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
)

// groups calls f with widths of groups, threads of a block and items worth trying.
func groups(lanes int, f func(width, threads, k, valid int)) {
	for width := 1; width <= lanes; width *= 2 {
		for _, threads := range []int{lanes, lanes/2 + 1, 2*lanes - 1} {
			for _, k := range []int{1, 3, 4} {
				for _, valid := range []int{0, 1, width*k/2 + 1, width * k} {
					if valid <= width*k {
						f(width, threads, k, valid)
					}
				}
			}
		}
	}
}

// Each group is a tile of its own: what Flag, SubtractLeft and SubtractRight
// see ends where it does, and not where the warp does.
func TestNeighborsOfGroups(t *testing.T) {
	value := func(i int) int32 { return int32(i * i / 3) }
	for _, name := range devices() {
		e := engine(t, name)
		groups(e.Device().Lanes, func(width, threads, k, valid int) {
			// The number of an item in its group, and how many the group holds.
			place := func(thread, j int) (i, n int) {
				first := thread / width * width
				return (thread-first)*k + j, min(valid, min(width, threads-first)*k)
			}
			at := func(thread, i int) int32 { return value(i + thread/width) }
			in := func(thread, j int) (int32, bool) { i, n := place(thread, j); return at(thread, i), i < n }
			who := team.Groups(width).First(valid)
			what := fmt.Sprintf("groups of %d of %d threads on %s, %d items, %d valid", width, threads, name, k, valid)
			run(t, e, threads, func(w *warp.Warp) {
				s := tile.NewNeighborStorage[int32](w)
				items, tails := fill(w, k, in, -77), make([]warp.Pred, k)
				for j := range tails {
					tails[j] = w.Pred()
				}
				tile.Flag(who, nil, tails, items, warp.Ne[int32], tile.Neighbors[int32]{}, s)
				hold(t, flagged(w, tails), "tails "+what, func(thread, j int) (int32, bool) {
					if i, n := place(thread, j); i < n && (i == n-1 || at(thread, i+1) != at(thread, i)) {
						return 1, true
					}
					return 0, true
				})
				w.SyncWarp(w.Active())
				left := fill(w, k, in, -77)
				tile.SubtractLeft(who, left, warp.Sub[int32], tile.Neighbors[int32]{}, s)
				hold(t, left, "left "+what, func(thread, j int) (int32, bool) {
					i, n := place(thread, j)
					if i == 0 {
						return at(thread, 0), n > 0
					}
					return at(thread, i) - at(thread, i-1), i < n
				})
				w.SyncWarp(w.Active())
				right := fill(w, k, in, -77)
				tile.SubtractRight(who, right, warp.Sub[int32], tile.Neighbors[int32]{}, s)
				hold(t, right, "right "+what, func(thread, j int) (int32, bool) {
					i, n := place(thread, j)
					if i == n-1 {
						return at(thread, i), true
					}
					return at(thread, i) - at(thread, i+1), i < n
				})
			})
		})
	}
}

// Ranks are those of the group that an item is in, of which each reverses its
// items, or packs every third.
func TestScatterAndGatherOfGroups(t *testing.T) {
	for _, name := range devices() {
		e := engine(t, name)
		groups(e.Device().Lanes, func(width, threads, k, valid int) {
			size := func(thread int) int {
				first := thread / width * width
				return min(valid, min(width, threads-first)*k)
			}
			// in gives what f says of the item's number in its group.
			in := func(where placement, f func(i, n int) (int32, bool)) func(thread, j int) (int32, bool) {
				return func(thread, j int) (int32, bool) {
					first := thread / width * width
					i := where(thread-first, j, k, min(width, threads-first), width)
					return f(i, size(thread))
				}
			}
			number := func(i, n int) (int32, bool) { return int32(i), i < n }
			reversed := func(i, n int) (int32, bool) { return int32(n - 1 - i), i < n }
			who := team.Groups(width).First(valid)
			what := fmt.Sprintf("groups of %d of %d threads on %s, %d items, %d valid", width, threads, name, k, valid)
			run(t, e, threads, func(w *warp.Warp) {
				s := tile.NewStorage[int32](w, k)
				items, ranks := fill(w, k, in(blocked, number), -1), fill(w, k, in(blocked, reversed), -7)
				tile.ScatterToBlocked(who, items, ranks, s)
				hold(t, items, "scatter to blocked "+what, in(blocked, reversed))

				w.SyncWarp(w.Active())
				items, ranks = fill(w, k, in(striped, number), -1), fill(w, k, in(striped, reversed), -7)
				tile.GatherFromStriped(who, items, ranks, s)
				hold(t, items, "gather "+what, in(striped, reversed))

				kept := func(i, n int) bool { return i%3 == 1 && i < n }
				ranks = fill(w, k, in(blocked, func(i, n int) (int32, bool) {
					if kept(i, n) {
						return int32(i / 3), true
					}
					return -1, i < n
				}), -7)
				flags := make([]warp.Pred, k)
				for j := range flags {
					var m lane.Mask
					for l := range w.Width() {
						thread := w.ID()*w.Width() + l
						if thread < threads && kept(thread%width*k+j, size(thread)) {
							m = m.With(l)
						}
					}
					flags[j] = w.Pred()
					flags[j].Define(m, lane.FirstN(w.Width()))
				}
				count := fill(w, 1, func(thread, _ int) (int32, bool) { return int32((size(thread) + 1) / 3), true }, -7)[0]
				packed := in(striped, func(i, n int) (int32, bool) { return int32(3*i + 1), i < (n+1)/3 })
				w.SyncWarp(w.Active())
				items = fill(w, k, in(blocked, number), -1)
				tile.ScatterToStripedFlagged(who, items, ranks, flags, count, s)
				hold(t, items, "flagged scatter "+what, packed)
				w.SyncWarp(w.Active())
				items = fill(w, k, in(blocked, number), -1)
				tile.ScatterToStripedGuarded(who, items, ranks, count, s)
				hold(t, items, "guarded scatter "+what, packed)
			})
		})
	}
}
