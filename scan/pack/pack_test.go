package pack_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/warpsim/lane"
	"example.com/warpsim/scan/internal/costs"
	"example.com/warpsim/scan/pack"
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
	return append(differentDevices(), "custom-1", "custom-2", "custom-8")
}

// run launches one block and holds the run to be without any fault, warnings
// included.
func run(t testing.TB, e *warp.Engine, threads int, k warp.Kernel) {
	t.Helper()
	report, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(threads)}, k)
	require.NoError(t, err)
	require.Empty(t, report.Faults)
}

// tiles calls f with blocks and tiles worth trying.
func tiles(e *warp.Engine, f func(threads, k, valid int)) {
	lanes := e.Device().Lanes
	for _, threads := range []int{1, lanes - 1, lanes, lanes + 3, 3 * lanes, 9*lanes - 1} {
		if threads < 1 || threads > min(512, e.Device().Limits.ThreadsPerBlock) {
			continue
		}
		for _, k := range []int{1, 2, 4, 5} {
			for _, valid := range []int{0, 1, threads*k/2 + 1, threads * k} {
				if valid <= threads*k {
					f(threads, k, valid)
				}
			}
		}
	}
}

// fill gives the first items of a blocked tile their values; the others are
// undefined and hold poison.
func fill[T any](w *warp.Warp, k int, data []T, poison T) []warp.Reg[T] {
	items := make([]warp.Reg[T], k)
	for j := range items {
		items[j] = warp.Alloc[T](w)
		var there lane.Mask
		for l := range w.Width() {
			items[j].Lanes()[l] = poison
			if i := (w.ID()*w.Width()+l)*k + j; i < len(data) && w.Active().Has(l) {
				items[j].Lanes()[l] = data[i]
				there = there.With(l)
			}
		}
		items[j].Define(there)
	}
	return items
}

func flags(w *warp.Warp, k int, data []bool) []warp.Pred {
	p := make([]warp.Pred, k)
	for j := range p {
		p[j] = w.Pred()
		var there, on lane.Mask
		for l := range w.Width() {
			if i := (w.ID()*w.Width()+l)*k + j; i < len(data) && w.Active().Has(l) {
				there = there.With(l)
				if data[i] {
					on = on.With(l)
				}
			}
		}
		p[j].Define(on, there)
	}
	return p
}

// striped copies a warp's part of a striped tile of n items to where it is in
// the tile. Undefined items are left out.
func striped[T any](dst []T, items []warp.Reg[T], threads int) {
	w := items[0].Warp()
	for j, v := range items {
		for l := range w.Live().Lanes() {
			if i := j*threads + w.ID()*w.Width() + l; i < len(dst) && !v.Undefined().Has(l) {
				dst[i] = v.Lanes()[l]
			}
		}
	}
}

// everywhere holds a register to be v in all lanes.
func everywhere(t *testing.T, r warp.Reg[int32], v int, what string) {
	t.Helper()
	for l := range r.Warp().Live().Lanes() {
		if r.Undefined().Has(l) || r.Lanes()[l] != int32(v) {
			t.Errorf("%s: lane %d holds %d (undefined %v), want %d", what, l, r.Lanes()[l], r.Undefined().Has(l), v)
			return
		}
	}
}

// same holds two slices equal, whether nil or empty.
func same[T any](t *testing.T, want, got []T, what string) {
	t.Helper()
	require.Equal(t, append([]T{}, want...), append([]T{}, got...), what)
}

func registers[T any](w *warp.Warp, k int) []warp.Reg[T] {
	r := make([]warp.Reg[T], k)
	for j := range r {
		r[j] = warp.Alloc[T](w)
	}
	return r
}

func TestRanksSelectPartition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, name := range devices() {
		e := engine(t, name)
		tiles(e, func(threads, k, valid int) {
			n := valid
			items, keep := make([]uint16, n), make([]bool, n)
			share := rng.IntN(5) // of 4: none to all are kept
			var kept, rejected []uint16
			ranks := make([]int32, n)
			for i := range items {
				items[i], keep[i] = uint16(rng.Uint32()), rng.IntN(4) < share
				ranks[i] = int32(len(kept))
				if keep[i] {
					kept = append(kept, items[i])
				} else {
					rejected = append(rejected, items[i])
				}
			}
			backwards := slices.Clone(rejected)
			slices.Reverse(backwards)
			for _, by := range []pack.Ranking{pack.ByBallot, pack.ByScan} {
				what := fmt.Sprintf("%s, %d threads of %d items, %d valid, by %s", name, threads, k, valid, by)
				selected, parted, reversed := make([]uint16, len(kept)), make([]uint16, n), make([]uint16, n)
				out, err := warp.Global(e, make([]uint16, n))
				require.NoError(t, err)
				run(t, e, threads, func(w *warp.Warp) {
					w.ThreadID()
					w.LaneID()
					s := pack.NewStorage[uint16](w, k)
					p, count := flags(w, k, keep), warp.Alloc[int32](w)
					r := registers[int32](w, k)
					v := fill(w, k, items, 9)
					before := w.Mark()

					pack.Ranks(team.Block().First(valid), r, p, by, count, s)
					everywhere(t, count, len(kept), what)
					for j := range k {
						for l := range w.Live().Lanes() {
							if i := (w.ID()*w.Width()+l)*k + j; i < n && r[j].Lanes()[l] != ranks[i] {
								t.Errorf("%s: rank of item %d is %d, want %d", what, i, r[j].Lanes()[l], ranks[i])
								return
							}
						}
					}
					w.SyncBlock()
					pack.Select(team.Block().First(valid), v, p, by, count, s)
					everywhere(t, count, len(kept), what)
					striped(selected, v, threads)
					pack.StoreFirst(out, v, count)
					require.Equal(t, before, w.Mark(), what)

					v = fill(w, k, items, 9)
					w.SyncBlock()
					pack.Partition(team.First(valid), v, p, by, count, s)
					everywhere(t, count, len(kept), what)
					striped(parted, v, threads)
					v = fill(w, k, items, 9)
					w.SyncBlock()
					pack.PartitionReversed(team.First(valid), v, p, by, warp.Reg[int32]{}, s)
					striped(reversed, v, threads)
				})
				same(t, kept, selected, what)
				same(t, kept, out.Data()[:len(kept)], what)
				same(t, slices.Concat(kept, rejected), parted, what)
				same(t, slices.Concat(kept, backwards), reversed, what)
			}
		})
	}
}

func TestWarpSelect(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for _, name := range devices() {
		e := engine(t, name)
		lanes := e.Device().Lanes
		for _, threads := range []int{lanes, 2*lanes - 1, lanes/2 + 1} {
			for _, k := range []int{1, 3, 4} {
				for _, valid := range []int{0, 1, lanes, lanes * k} {
					run(t, e, threads, func(w *warp.Warp) {
						n := min(w.Live().Count()*k, valid)
						items, keep := make([]float64, n), make([]bool, n)
						var kept []float64
						for i := range items {
							items[i], keep[i] = rng.Float64(), rng.IntN(2) == 0
							if keep[i] {
								kept = append(kept, items[i])
							}
						}
						s := pack.NewStorage[float64](w, k)
						// The tile of each warp begins at its first lane.
						at := func(n int) int { return w.ID() * w.Width() * n }
						v := fill(w, k, slices.Concat(make([]float64, at(k)), items), -1)
						p := flags(w, k, slices.Concat(make([]bool, at(k)), keep))
						count, ranks := warp.Alloc[int32](w), registers[int32](w, k)
						w.ThreadID()
						w.LaneID()
						before := w.Mark()
						pack.Ranks(team.Warp().First(valid), ranks, p, pack.ByBallot, count, pack.Storage[int32]{})
						everywhere(t, count, len(kept), name)
						pack.Select(team.Warp().First(valid), v, p, pack.ByBallot, count, s)
						require.Equal(t, before, w.Mark())
						everywhere(t, count, len(kept), name)
						live := w.Live().Count()
						for i, want := range kept {
							if got := v[i/live].Lanes()[i%live]; got != want {
								t.Errorf("%s, %d threads of %d, %d valid: item %d is %v, want %v", name, threads, k, valid, i, got, want)
								return
							}
						}
					})
				}
			}
		}
	}
}

// Warps append in any order, each its values in theirs; nothing is lost.
func TestAppend(t *testing.T) {
	for _, name := range devices() {
		e := engine(t, name)
		threads := min(5*e.Device().Lanes-1, 512)
		list, err := warp.Global(e, make([]int32, threads))
		require.NoError(t, err)
		end, err := warp.Global(e, []int32{0})
		require.NoError(t, err)
		run(t, e, threads, func(w *warp.Warp) {
			p, odd := w.Pred(), w.Pred()
			m := warp.Alloc[int32](w)
			id := w.ThreadID()
			w.LaneID()
			warp.AndImm(m, id, 1)
			warp.EqImm(odd, m, 1)
			warp.GeImm(p, id, 3)
			before := w.Mark()
			w.If(odd, func() { pack.Append(list, end, id, p) }) // lane 0 is not even there
			require.Equal(t, before, w.Mark())
		})
		want := []int32{}
		for i := 3; i < threads; i += 2 {
			want = append(want, int32(i))
		}
		got := slices.Clone(list.Data()[:end.Data()[0]])
		slices.Sort(got)
		require.Equal(t, want, append([]int32{}, got...), name)
	}
}

func TestHistogramBySort(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for _, name := range devices() {
		e := engine(t, name)
		tiles(e, func(threads, k, valid int) {
			n := valid
			bins := 1 + rng.IntN(60)
			if !costs.Fits(e, threads, func(w *warp.Warp) {
				pack.NewSortStorage[int16](w, k, bins)
				warp.Shared[int32](w, bins)
			}) {
				return
			}
			samples, want := make([]int16, n), make([]int32, bins)
			for i := range samples {
				samples[i] = int16(rng.IntN(rng.IntN(bins) + 1))
				want[samples[i]]++
			}
			run(t, e, threads, func(w *warp.Warp) {
				counts := warp.Shared[int32](w, bins)
				s := pack.NewSortStorage[int16](w, k, bins)
				v := fill(w, k, samples, -1)
				w.ThreadID()
				w.LaneID()
				before := w.Mark()
				pack.HistogramBySort(team.First(valid), v, counts, s)
				require.Equal(t, before, w.Mark())
				if !slices.Equal(want, counts.Data()) {
					t.Errorf("%s, %d threads of %d items, %d valid, %d bins: %v, want %v", name, threads, k, valid, bins, counts.Data(), want)
				}
			})
		})
	}
}

func TestHistogram(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, name := range devices() {
		e := engine(t, name)
		for _, by := range []pack.Counting{pack.ByAtomics, pack.ByMatch} {
			if by.Fits(e.Device()) != nil {
				require.ErrorIs(t, by.Fits(e.Device()), team.ErrMatch)
				continue
			}
			tiles(e, func(threads, k, valid int) {
				n := valid
				bins := 1 + rng.IntN(40)
				samples, want := make([]uint8, n), make([]int32, bins)
				for i := range samples {
					samples[i] = uint8(rng.IntN(rng.IntN(bins) + 1)) // low ones are frequent
					want[samples[i]]++
				}
				what := fmt.Sprintf("%s, %d threads of %d items, %d valid, %d bins by %s", name, threads, k, valid, bins, by)
				totals, err := warp.Global(e, make([]int32, bins))
				require.NoError(t, err)
				run(t, e, threads, func(w *warp.Warp) {
					s := warp.Shared[int32](w, bins)
					v := fill(w, k, samples, 255)
					w.ThreadID()
					w.LaneID()
					before := w.Mark()
					pack.Histogram(team.First(valid), v, by, s)
					if !slices.Equal(want, s.Data()) {
						t.Errorf("%s: %v, want %v", what, s.Data(), want)
					}
					w.SyncBlock()
					pack.Count(team.First(valid), v, by, s)
					pack.Count(team.First(valid), v, by, totals)
					require.Equal(t, before, w.Mark())
					w.SyncBlock()
					for i := range want {
						if s.Data()[i] != 2*want[i] {
							t.Errorf("%s: composed %v, want twice %v", what, s.Data(), want)
							return
						}
					}
				})
				require.Equal(t, want, totals.Data(), what)
			})
		}
	}
}

// differentDevices are devices that differ in width, rules and routes.
func differentDevices() []string {
	return []string{"h200", "k40", "mi300x", "rx6900xt", "mtt-m1000", "mtt-s4000", "mtt-s5000"}
}
