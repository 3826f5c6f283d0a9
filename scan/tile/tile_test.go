package tile_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"example.com/warpsim/lane"
	"example.com/warpsim/scan/tile"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/team"
	"github.com/stretchr/testify/require"
)

// engine returns an engine that stops at the first fault, races among them, with
// another schedule of the warps for some devices.
func engine(t testing.TB, name string) *warp.Engine {
	t.Helper()
	p, err := device.Lookup(name)
	require.NoError(t, err)
	e, err := warp.New(warp.Config{Device: p, ValuesOnly: true, Workers: 1, Sanitize: true, Seed: uint64(len(name) % 3)})
	require.NoError(t, err)
	return e
}

// devices are all that are built in, and custom ones of other widths; in short
// tests one of each width that matters.
func devices() []string {
	if testing.Short() {
		return []string{"h200", "mi300x", "mtt-s4000", "custom-1", "custom-8"}
	}
	return append(differentDevices(), "custom-1", "custom-2", "custom-8", "custom-16")
}

// run launches one block and holds the run to be without any fault, warnings
// included. The kernel must give back all registers it takes but the special
// ones.
func run(t testing.TB, e *warp.Engine, threads int, k warp.Kernel) {
	t.Helper()
	report, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(threads)}, k)
	require.NoError(t, err)
	require.Empty(t, report.Faults)
}

func global[T any](t testing.TB, e *warp.Engine, data []T) warp.Mem[T] {
	t.Helper()
	m, err := warp.Global(e, data)
	require.NoError(t, err)
	return m
}

// Places of items in a tile of threads with k items each.
type placement func(thread, j, k, threads, lanes int) int

func blocked(thread, j, k, threads, lanes int) int { return thread*k + j }
func striped(thread, j, k, threads, lanes int) int { return j*threads + thread }
func warpStriped(thread, j, k, threads, lanes int) int {
	first := thread / lanes * lanes
	live := min(threads-first, lanes)
	return first*k + j*live + thread - first
}

// fill gives each lane's item j the value f of its thread, and leaves it
// undefined, with poison in it, where there is no item.
func fill[T any](w *warp.Warp, k int, f func(thread, j int) (T, bool), poison T) []warp.Reg[T] {
	items := make([]warp.Reg[T], k)
	for j := range items {
		items[j] = warp.Alloc[T](w)
		var there lane.Mask
		for l := range w.Width() {
			v, ok := f(w.ID()*w.Width()+l, j)
			items[j].Lanes()[l] = poison
			if ok && w.Active().Has(l) {
				items[j].Lanes()[l] = v
				there = there.With(l)
			}
		}
		items[j].Define(there)
	}
	return items
}

// hold checks that each lane's item j is what f says, or is not looked at.
func hold[T comparable](t *testing.T, items []warp.Reg[T], what string, f func(thread, j int) (T, bool)) {
	t.Helper()
	w := items[0].Warp()
	for j, v := range items {
		for l := range w.Live().Lanes() {
			thread := w.ID()*w.Width() + l
			want, ok := f(thread, j)
			if ok && (v.Undefined().Has(l) || v.Lanes()[l] != want) {
				t.Errorf("%s: thread %d item %d is %v (undefined %v), want %v", what, thread, j, v.Lanes()[l], v.Undefined().Has(l), want)
				return
			}
		}
	}
}

// blocks calls f with shapes of blocks and tiles worth trying.
func blocks(lanes, most int, f func(threads, k, valid int)) {
	for _, threads := range []int{1, lanes - 1, lanes, lanes + 3, 3 * lanes, 4*lanes - 1} {
		if threads < 1 || threads > most {
			continue
		}
		for _, k := range []int{1, 2, 3, 4, 5, 8} {
			n := threads * k
			for _, valid := range []int{0, 1, n/2 + 1, n - 1, n} {
				if valid <= n && valid >= 0 {
					f(threads, k, valid)
				}
			}
		}
	}
}

func TestExchange(t *testing.T) {
	type change struct {
		name     string
		from, to placement
		run      func(valid team.Count, items []warp.Reg[int32], s warp.Mem[int32])
	}
	block := func(f func(team.Team, []warp.Reg[int32], warp.Mem[int32])) func(team.Count, []warp.Reg[int32], warp.Mem[int32]) {
		return func(valid team.Count, items []warp.Reg[int32], s warp.Mem[int32]) {
			f(team.Block().Holding(valid), items, s)
		}
	}
	changes := []change{
		{"blocked to striped", blocked, striped, block(tile.BlockedToStriped[int32])},
		{"striped to blocked", striped, blocked, block(tile.StripedToBlocked[int32])},
		{"blocked to warp-striped", blocked, warpStriped, tile.BlockedToWarpStriped[int32]},
		{"warp-striped to blocked", warpStriped, blocked, tile.WarpStripedToBlocked[int32]},
	}
	for _, name := range devices() {
		e := engine(t, name)
		p := e.Device()
		blocks(p.Lanes, p.Limits.ThreadsPerBlock, func(threads, k, valid int) {
			n := valid
			run(t, e, threads, func(w *warp.Warp) {
				w.ThreadID()
				w.LaneID()
				s := tile.NewStorage[int32](w, k)
				for _, c := range changes {
					w.SyncBlock()
					at := func(place placement) func(thread, j int) (int32, bool) {
						return func(thread, j int) (int32, bool) {
							i := place(thread, j, k, threads, p.Lanes)
							return int32(1000 + i), i < n
						}
					}
					m := w.Mark()
					items := fill(w, k, at(c.from), -1)
					before := w.Mark()
					c.run(team.First(valid), items, s)
					require.Equal(t, before, w.Mark(), "registers kept by %s", c.name)
					hold(t, items, fmt.Sprintf("%s on %s, %d threads of %d items, %d valid", c.name, name, threads, k, valid), at(c.to))
					w.Release(m)
				}
			})
		})
	}
}

func TestExchangeOfGroups(t *testing.T) {
	for _, name := range devices() {
		e := engine(t, name)
		lanes := e.Device().Lanes
		for width := 1; width <= lanes; width *= 2 {
			for _, threads := range []int{lanes, lanes/2 + 1, 2*lanes - 1} {
				for _, k := range []int{1, 3, 4} {
					for _, valid := range []int{0, 1, width*k/2 + 1, width * k} {
						if valid > width*k {
							continue
						}
						// Places inside the group that the thread is in.
						in := func(place placement) func(thread, j int) (int32, bool) {
							return func(thread, j int) (int32, bool) {
								first := thread / width * width
								n := min(width, threads-first)
								i := place(thread-first, j, k, n, width)
								return int32(1000*first + i), i < valid
							}
						}
						run(t, e, threads, func(w *warp.Warp) {
							s := tile.NewStorage[int32](w, k)
							what := fmt.Sprintf("groups of %d of %d threads on %s, %d items, %d valid", width, threads, name, k, valid)
							items := fill(w, k, in(blocked), -1)
							tile.BlockedToStriped(team.Groups(width).First(valid), items, s)
							hold(t, items, what, in(striped))
							w.SyncWarp(w.Active())
							tile.StripedToBlocked(team.Groups(width).First(valid), items, s)
							hold(t, items, what+" and back", in(blocked))
						})
					}
				}
			}
		}
	}
}

// Structs, bytes and 64-bit values go through the same exchanges.
func TestExchangeTypes(t *testing.T) {
	type pixel struct{ R, G, B uint8 }
	type pair struct {
		Key   uint32
		Value float64
	}
	exchangeOf(t, func(i int) uint8 { return uint8(i) })
	exchangeOf(t, func(i int) int16 { return int16(-i) })
	exchangeOf(t, func(i int) float32 { return float32(i) / 2 })
	exchangeOf(t, func(i int) float64 { return float64(i) / 2 })
	exchangeOf(t, func(i int) uint64 { return uint64(i) << 40 })
	exchangeOf(t, func(i int) pixel { return pixel{uint8(i), uint8(i >> 8), 3} })
	exchangeOf(t, func(i int) pair { return pair{uint32(i), float64(-i)} })
}

func exchangeOf[T comparable](t *testing.T, value func(i int) T) {
	t.Helper()
	for _, name := range []string{"h200", "mi300x", "mtt-s4000"} {
		e := engine(t, name)
		threads, k := e.Device().Lanes+5, 4
		at := func(place placement) func(thread, j int) (T, bool) {
			return func(thread, j int) (T, bool) { return value(place(thread, j, k, threads, e.Device().Lanes)), true }
		}
		run(t, e, threads, func(w *warp.Warp) {
			var poison T
			items := fill(w, k, at(blocked), poison)
			tile.BlockedToStriped(team.Block(), items, tile.NewStorage[T](w, k))
			hold(t, items, fmt.Sprintf("%T on %s", poison, name), at(striped))
		})
	}
}

func TestScatterAndGather(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, name := range devices() {
		e := engine(t, name)
		p := e.Device()
		blocks(p.Lanes, p.Limits.ThreadsPerBlock, func(threads, k, valid int) {
			n := valid
			to := rng.Perm(n) // rank of item i
			from := make([]int, n)
			for i, r := range to {
				from[r] = i
			}
			what := fmt.Sprintf("on %s, %d threads of %d items, %d valid", name, threads, k, valid)
			values := func(thread, j int) (int32, bool) { i := thread*k + j; return int32(i), i < n }
			ranks := func(thread, j int) (int32, bool) {
				i := thread*k + j
				if i >= n {
					return 0, false
				}
				return int32(to[i]), true
			}
			after := func(place placement) func(thread, j int) (int32, bool) {
				return func(thread, j int) (int32, bool) {
					i := place(thread, j, k, threads, p.Lanes)
					if i >= n {
						return 0, false
					}
					return int32(from[i]), true
				}
			}
			run(t, e, threads, func(w *warp.Warp) {
				s := tile.NewStorage[int32](w, k)
				r := fill(w, k, ranks, -7)
				items := fill(w, k, values, -1)
				before := w.Mark()
				tile.ScatterToBlocked(team.Block().First(valid), items, r, s)
				hold(t, items, "scatter to blocked "+what, after(blocked))
				items = fill(w, k, values, -1)
				w.SyncBlock()
				tile.ScatterToStriped(team.Block().First(valid), items, r, s)
				hold(t, items, "scatter to striped "+what, after(striped))
				items = fill(w, k, values, -1)
				w.SyncBlock()
				tile.ScatterToWarpStriped(team.First(valid), items, r, s)
				hold(t, items, "scatter to warp-striped "+what, after(warpStriped))
				w.Release(before)

				// Every third item is kept, packed in order.
				kept := func(i int) bool { return i%3 == 1 && i < n }
				items, r = fill(w, k, values, -1), fill(w, k, func(thread, j int) (int32, bool) {
					if i := thread*k + j; kept(i) {
						return int32(i / 3), true
					}
					return -1, thread*k+j < n
				}, -7)
				flags := make([]warp.Pred, k)
				for j := range flags {
					flags[j] = w.Pred()
					var m lane.Mask
					for l := range w.Width() {
						if kept((w.ID()*w.Width()+l)*k + j) {
							m = m.With(l)
						}
					}
					flags[j].Define(m, lane.FirstN(w.Width()))
				}
				count := warp.Alloc[int32](w)
				total := (n + 1) / 3
				warp.Set(count, int32(total))
				packed := func(thread, j int) (int32, bool) {
					i := striped(thread, j, k, threads, p.Lanes)
					return int32(3*i + 1), i < total
				}
				w.SyncBlock()
				tile.ScatterToStripedFlagged(team.Block().First(valid), items, r, flags, count, s)
				hold(t, items, "flagged scatter "+what, packed)
				items = fill(w, k, values, -1)
				w.SyncBlock()
				tile.ScatterToStripedGuarded(team.Block().First(valid), items, r, count, s)
				hold(t, items, "guarded scatter "+what, packed)

				// The items of a reversed tile.
				items = fill(w, k, func(thread, j int) (int32, bool) {
					i := striped(thread, j, k, threads, p.Lanes)
					return int32(i), i < n
				}, -1)
				r = fill(w, k, func(thread, j int) (int32, bool) {
					i := striped(thread, j, k, threads, p.Lanes)
					return int32(n - 1 - i), i < n
				}, -7)
				w.SyncBlock()
				tile.GatherFromStriped(team.Block().First(valid), items, r, s)
				hold(t, items, "gather "+what, func(thread, j int) (int32, bool) {
					i := striped(thread, j, k, threads, p.Lanes)
					return int32(n - 1 - i), i < n
				})
			})
		})
	}
}

func TestScatterOfGroups(t *testing.T) {
	for _, name := range devices() {
		e := engine(t, name)
		lanes := e.Device().Lanes
		for width := 1; width <= lanes; width *= 2 {
			threads, k := lanes, 2
			run(t, e, threads, func(w *warp.Warp) {
				s := tile.NewStorage[int32](w, k)
				n := width * k
				items := fill(w, k, func(thread, j int) (int32, bool) { return int32(thread*k + j), true }, -1)
				ranks := fill(w, k, func(thread, j int) (int32, bool) { return int32(n - 1 - (thread%width*k + j)), true }, -1)
				tile.ScatterToStriped(team.Groups(width), items, ranks, s)
				hold(t, items, fmt.Sprintf("%s width %d", name, width), func(thread, j int) (int32, bool) {
					first := thread / width * width
					return int32(first*k + n - 1 - (j*width + thread - first)), true
				})
			})
		}
	}
}

func TestTranspose(t *testing.T) {
	for _, name := range devices() {
		e := engine(t, name)
		lanes := e.Device().Lanes
		for n := 1; n <= min(lanes, 32); n *= 2 {
			run(t, e, lanes, func(w *warp.Warp) {
				items := fill(w, n, func(thread, j int) (float32, bool) { return float32(thread*n + j), true }, -1)
				before := w.Mark()
				tile.Transpose(items)
				w.LaneID()
				hold(t, items, fmt.Sprintf("%s %dx%d", name, n, n), func(thread, j int) (float32, bool) {
					first := thread / n * n
					return float32((first+j)*n + thread - first), true
				})
				_ = before
			})
		}
	}
}

// differentDevices are devices that differ in width, rules and routes.
func differentDevices() []string {
	return []string{"h200", "k40", "mi300x", "rx6900xt", "mtt-m1000", "mtt-s4000", "mtt-s5000"}
}
