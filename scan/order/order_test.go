package order_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/warpsim/lane"
	"example.com/warpsim/scan/internal/costs"
	"example.com/warpsim/scan/order"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
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

// fill gives thread t of the block item place(t, j), if there is one; the others
// are undefined and hold poison.
func fill[T any](w *warp.Warp, k int, data []T, poison T, place func(thread, j int) int) []warp.Reg[T] {
	items := make([]warp.Reg[T], k)
	for j := range items {
		items[j] = warp.Alloc[T](w)
		var there lane.Mask
		for l := range w.Width() {
			items[j].Lanes()[l] = poison
			if i := place(w.ID()*w.Width()+l, j); i >= 0 && i < len(data) && w.Active().Has(l) {
				items[j].Lanes()[l] = data[i]
				there = there.With(l)
			}
		}
		items[j].Define(there)
	}
	return items
}

// collect copies a warp's items to where they are in the whole.
func collect[T any](dst []T, items []warp.Reg[T], place func(thread, j int) int) {
	w := items[0].Warp()
	for j, v := range items {
		for l := range w.Live().Lanes() {
			if i := place(w.ID()*w.Width()+l, j); i >= 0 && i < len(dst) && !v.Undefined().Has(l) {
				dst[i] = v.Lanes()[l]
			}
		}
	}
}

// blocked is where items stand in a block of k items a thread.
func blocked(k int) func(thread, j int) int {
	return func(thread, j int) int { return thread*k + j }
}

// A pattern makes n keys from 0 up.
type pattern struct {
	name string
	key  func(rng *rand.Rand, i, n int) int
}

var patterns = []pattern{
	{"random", func(rng *rand.Rand, i, n int) int { return rng.IntN(1 << 30) }},
	{"few values", func(rng *rand.Rand, i, n int) int { return rng.IntN(3) }},
	{"sorted", func(rng *rand.Rand, i, n int) int { return i }},
	{"backwards", func(rng *rand.Rand, i, n int) int { return n - i }},
	{"all equal", func(rng *rand.Rand, i, n int) int { return 7 }},
	{"organ pipe", func(rng *rand.Rand, i, n int) int { return min(i, n-i) }},
}

// tiles calls f with blocks and tiles worth trying.
func tiles(e *warp.Engine, ks []int, f func(threads, k, valid int)) {
	lanes := e.Device().Lanes
	counts := []int{1, lanes - 1, lanes, lanes + 3, 4 * lanes, 3*lanes - 1}
	if testing.Short() {
		counts = []int{1, lanes + 3, 3*lanes - 1}
	}
	for _, threads := range counts {
		if threads < 1 || threads > min(512, e.Device().Limits.ThreadsPerBlock) {
			continue
		}
		for _, k := range ks {
			for _, valid := range []int{0, 1, threads*k/2 + 1, threads*k - 1, threads * k} {
				if valid <= threads*k {
					f(threads, k, valid)
				}
			}
		}
	}
}

// A pair is a key and where it stood.
type pair struct {
	Key   int32
	Place uint16
}

// sorted returns the pairs in a stable order.
func sorted(in []pair, descending bool) []pair {
	out := slices.Clone(in)
	slices.SortStableFunc(out, func(a, b pair) int {
		if descending {
			return cmp.Compare(b.Key, a.Key)
		}
		return cmp.Compare(a.Key, b.Key)
	})
	return out
}

// hold holds sorted keys and the values that came with them. Without stable, the
// values of equal keys may be in any order, but none is lost.
func hold(t *testing.T, want []pair, keys []int32, places []uint16, stable bool, what string) {
	t.Helper()
	got := make([]pair, len(want))
	for i := range got {
		got[i] = pair{keys[i], places[i]}
	}
	if !stable {
		// Order equal keys by place: a permutation becomes the stable order.
		for i := 0; i < len(got); {
			n := i
			for n < len(got) && got[n].Key == got[i].Key {
				n++
			}
			slices.SortFunc(got[i:n], func(a, b pair) int { return cmp.Compare(a.Place, b.Place) })
			i = n
		}
	}
	for i := range want {
		if want[i] != got[i] {
			t.Fatalf("%s: item %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

// source makes n pairs.
func source(rng *rand.Rand, n int, p pattern) (pairs []pair, keys []int32, places []uint16) {
	for i := range n {
		k := int32(p.key(rng, i, n) - 3)
		pairs = append(pairs, pair{k, uint16(i)})
		keys, places = append(keys, k), append(places, uint16(i))
	}
	return pairs, keys, places
}

// A blockSort is a way to sort a block.
type blockSort struct {
	name   string
	stable bool
	keys   []int // how many a thread
	pairs  func(w *warp.Warp, k, valid int, descending bool) func(keys []warp.Reg[int32], values []warp.Reg[uint16])
	alone  func(w *warp.Warp, k, valid int, descending bool) func(keys []warp.Reg[int32])
}

func less(descending bool) order.Less[int32] {
	if descending {
		return order.Descending[int32]
	}
	return order.Ascending[int32]
}

var blockSorts = []blockSort{
	{"block-bitonic", false, []int{1, 2, 4},
		func(w *warp.Warp, k, valid int, d bool) func([]warp.Reg[int32], []warp.Reg[uint16]) {
			s := order.NewBitonicStorage[int32, uint16](w)
			return func(keys []warp.Reg[int32], values []warp.Reg[uint16]) {
				order.BitonicPairs(team.Block().First(valid), keys, values, less(d), s)
			}
		},
		func(w *warp.Warp, k, valid int, d bool) func([]warp.Reg[int32]) {
			s := order.NewBitonicStorage[int32, struct{}](w)
			return func(keys []warp.Reg[int32]) { order.Bitonic(team.Block().First(valid), keys, less(d), s) }
		}},
	{"block-merge", true, []int{1, 3, 4},
		func(w *warp.Warp, k, valid int, d bool) func([]warp.Reg[int32], []warp.Reg[uint16]) {
			s := order.NewMergeStorage[int32, uint16](w, k)
			return func(keys []warp.Reg[int32], values []warp.Reg[uint16]) {
				order.MergePairs(team.Block().First(valid), keys, values, less(d), s)
			}
		},
		func(w *warp.Warp, k, valid int, d bool) func([]warp.Reg[int32]) {
			s := order.NewMergeStorage[int32, struct{}](w, k)
			return func(keys []warp.Reg[int32]) { order.Merge(team.Block().First(valid), keys, less(d), s) }
		}},
	{"radix", true, []int{1, 3, 4},
		func(w *warp.Warp, k, valid int, d bool) func([]warp.Reg[int32], []warp.Reg[uint16]) {
			s := order.NewRadixStorage[int32, uint16](w, k, 3) // 32 is no multiple
			return func(keys []warp.Reg[int32], values []warp.Reg[uint16]) {
				order.RadixPairs(team.First(valid), keys, values, order.RadixOptions{Descending: d}, s)
			}
		},
		func(w *warp.Warp, k, valid int, d bool) func([]warp.Reg[int32]) {
			s := order.NewRadixStorage[int32, struct{}](w, k, order.DefaultDigitBits)
			return func(keys []warp.Reg[int32]) {
				order.Radix(team.First(valid), keys, order.RadixOptions{Descending: d}, s)
			}
		}},
}

func TestBlockSorts(t *testing.T) {
	for _, c := range blockSorts {
		t.Run(c.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 1))
			for _, name := range devices() {
				e := engine(t, name)
				turn := 0
				tiles(e, c.keys, func(threads, k, valid int) {
					n := valid
					p := patterns[turn%len(patterns)]
					descending := turn/len(patterns)%2 == 1
					turn++
					pairs, keys, places := source(rng, n, p)
					want := sorted(pairs, descending)
					gotKeys, gotPlaces, alone := make([]int32, n), make([]uint16, n), make([]int32, n)
					what := fmt.Sprintf("%s on %s, %d threads of %d keys, %d valid, %s, descending %v", c.name, name, threads, k, valid, p.name, descending)
					run(t, e, threads, func(w *warp.Warp) {
						w.ThreadID()
						w.LaneID()
						f := c.pairs(w, k, valid, descending)
						key := fill(w, k, keys, -1<<31, blocked(k))
						value := fill(w, k, places, 9, blocked(k))
						before := w.Mark()
						f(key, value)
						require.Equal(t, before, w.Mark(), what)
						collect(gotKeys, key, blocked(k))
						collect(gotPlaces, value, blocked(k))
					})
					hold(t, want, gotKeys, gotPlaces, c.stable, what)
					run(t, e, threads, func(w *warp.Warp) {
						f := c.alone(w, k, valid, descending)
						key := fill(w, k, keys, -1<<31, blocked(k))
						f(key)
						collect(alone, key, blocked(k))
					})
					for i := range want {
						if alone[i] != want[i].Key {
							t.Fatalf("%s: key %d is %d, want %d", what, i, alone[i], want[i].Key)
						}
					}
				})
			}
		})
	}
}

func TestGroupSorts(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for _, name := range devices() {
		e := engine(t, name)
		lanes := e.Device().Lanes
		turn := 0
		for width := 1; width <= lanes; width *= 2 {
			for _, threads := range []int{lanes, lanes/2 + 1, 2*lanes - 1} {
				for _, k := range []int{1, 2, 3, 4} {
					for _, valid := range []int{0, 1, width*k/2 + 1, width * k} {
						if valid > width*k {
							continue
						}
						p := patterns[turn%len(patterns)]
						descending := turn%2 == 1
						turn++
						pairs, keys, places := source(rng, threads*k, p)
						// Each group is on its own.
						var want [][]pair
						for first := 0; first < threads; first += width {
							n := min(valid, (min(first+width, threads)-first)*k)
							want = append(want, sorted(pairs[first*k:first*k+n], descending))
						}
						place := func(thread, j int) int {
							first := thread / width * width
							i := (thread-first)*k + j
							if i >= valid {
								return -1
							}
							return first*k + i
						}
						check := func(gotKeys []int32, gotPlaces []uint16, stable bool, what string) {
							what = fmt.Sprintf("%s on %s, groups of %d of %d threads of %d keys, %d valid, %s, descending %v", what, name, width, threads, k, valid, p.name, descending)
							for g, w := range want {
								at := g * width * k
								hold(t, w, gotKeys[at:at+len(w)], gotPlaces[at:at+len(w)], stable, what)
							}
						}
						n := threads * k
						mergedKeys, mergedPlaces, mergedAlone := make([]int32, n), make([]uint16, n), make([]int32, n)
						netKeys, netPlaces, netAlone := make([]int32, n), make([]uint16, n), make([]int32, n)
						run(t, e, threads, func(w *warp.Warp) {
							w.ThreadID()
							w.LaneID()
							s := order.NewMergeStorage[int32, uint16](w, k)
							alone := order.NewMergeStorage[int32, struct{}](w, k)
							load := func() ([]warp.Reg[int32], []warp.Reg[uint16]) {
								return fill(w, k, keys, -1<<31, place), fill(w, k, places, 9, place)
							}
							m := w.Mark()
							key, value := load()
							before := w.Mark()
							order.MergePairs(team.Groups(width).First(valid), key, value, less(descending), s)
							require.Equal(t, before, w.Mark())
							collect(mergedKeys, key, place)
							collect(mergedPlaces, value, place)
							key, _ = load()
							order.Merge(team.Groups(width).First(valid), key, less(descending), alone)
							collect(mergedAlone, key, place)
							w.Release(m)
							if k == 3 {
								return
							}
							key, value = load()
							before = w.Mark()
							order.BitonicPairs(team.Groups(width).First(valid), key, value, less(descending))
							require.Equal(t, before, w.Mark())
							collect(netKeys, key, place)
							collect(netPlaces, value, place)
							key, _ = load()
							order.Bitonic(team.Groups(width).First(valid), key, less(descending))
							collect(netAlone, key, place)
						})
						check(mergedKeys, mergedPlaces, true, "merge-pairs")
						check(mergedAlone, mergedPlaces, true, "merge")
						if k != 3 {
							check(netKeys, netPlaces, false, "bitonic-pairs")
							require.Equal(t, netKeys, netAlone)
						}
					}
				}
			}
		}
	}
}

// Structs by a Go function: the order of merge sorts is stable on them too.
func TestBy(t *testing.T) {
	type item struct {
		Weight float32
		Name   [2]byte
	}
	lighter := order.By(isa.FCmp, func(a, b item) bool { return a.Weight < b.Weight })
	rng := rand.New(rand.NewPCG(3, 1))
	for _, name := range devices() {
		e := engine(t, name)
		threads, k := min(2*e.Device().Lanes+1, 200), 2
		in := make([]item, threads*k)
		for i := range in {
			in[i] = item{float32(rng.IntN(9)), [2]byte{byte(i), byte(i >> 8)}}
		}
		want := slices.Clone(in)
		slices.SortStableFunc(want, func(a, b item) int { return cmp.Compare(a.Weight, b.Weight) })
		got := make([]item, len(in))
		run(t, e, threads, func(w *warp.Warp) {
			v := fill(w, k, in, item{}, blocked(k))
			order.Merge(team.Block(), v, lighter, order.NewMergeStorage[item, struct{}](w, k))
			collect(got, v, blocked(k))
		})
		require.Equal(t, want, got, name)
	}
}

// radixOf sorts keys of a type with values that tell where they stood.
func radixOf[K warp.Number](t *testing.T, keys []K, compare func(a, b K) int) {
	t.Helper()
	for _, name := range []string{"h200", "mi300x", "mtt-s4000", "custom-8"} {
		e := engine(t, name)
		const k = 3
		threads := (len(keys) + k - 1) / k
		for _, descending := range []bool{false, true} {
			places := make([]int, len(keys))
			for i := range places {
				places[i] = i
			}
			slices.SortStableFunc(places, func(a, b int) int {
				if descending {
					a, b = b, a
					return compare(keys[a], keys[b])
				}
				return compare(keys[a], keys[b])
			})
			got := make([]int32, len(keys))
			gotKeys := make([]K, len(keys))
			striped := func(thread, j int) int { return j*threads + thread }
			run(t, e, threads, func(w *warp.Warp) {
				s := order.NewRadixStorage[K, int32](w, k, 6)
				key := fill(w, k, keys, 0, blocked(k))
				own := make([]int32, len(keys))
				for i := range own {
					own[i] = int32(i)
				}
				value := fill(w, k, own, -1, blocked(k))
				order.RadixPairs(team.First(len(keys)), key, value, order.RadixOptions{Descending: descending, Striped: true}, s)
				collect(got, value, striped)
				collect(gotKeys, key, striped)
			})
			for i, p := range places {
				if got[i] != int32(p) {
					t.Fatalf("%T on %s, descending %v: place %d has the key %v from %d, want %v from %d", keys[0], name, descending, i, keys[got[i]], got[i], keys[p], p)
				}
				if a, b := gotKeys[i], keys[p]; a != b && (a == a || b == b) {
					t.Fatalf("key %v, want %v", a, b)
				}
			}
		}
	}
}

func TestRadixTypes(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	const n = 100
	radixOf(t, ints[int8](rng, n), cmp.Compare[int8])
	radixOf(t, ints[int16](rng, n), cmp.Compare[int16])
	radixOf(t, ints[int32](rng, n), cmp.Compare[int32])
	radixOf(t, ints[int64](rng, n), cmp.Compare[int64])
	radixOf(t, ints[uint8](rng, n), cmp.Compare[uint8])
	radixOf(t, ints[uint16](rng, n), cmp.Compare[uint16])
	radixOf(t, ints[uint32](rng, n), cmp.Compare[uint32])
	radixOf(t, ints[uint64](rng, n), cmp.Compare[uint64])

	// Floats of every sort. A NaN is beyond the infinity of its sign, -0 equals
	// +0 and keeps its place.
	var f32 []float32
	var f64 []float64
	for _, x := range []float64{0, math.Copysign(0, -1), 1, -1, 0.5, math.Inf(1), math.Inf(-1), 5e-324, -5e-324, 1e-45, -1e-45, math.MaxFloat64, 3.5e37} {
		f32, f64 = append(f32, float32(x), float32(-x)), append(f64, x, -x)
	}
	nan := math.NaN()
	f32 = append(f32, float32(nan), math.Float32frombits(math.Float32bits(float32(nan))|1<<31))
	f64 = append(f64, nan, math.Copysign(nan, -1))
	for len(f32) < n {
		x := rng.NormFloat64() * math.Exp(20*rng.NormFloat64())
		f32, f64 = append(f32, float32(x)), append(f64, x)
	}
	radixOf(t, f32, func(a, b float32) int { return compareFloats(float64(a), float64(b)) })
	radixOf(t, f64, compareFloats)
}

func compareFloats(a, b float64) int {
	rank := func(x float64) int {
		switch {
		case x != x && math.Signbit(x):
			return -1
		case x != x:
			return 1
		}
		return 0
	}
	if rank(a) != 0 || rank(b) != 0 {
		return cmp.Compare(rank(a), rank(b))
	}
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func ints[K warp.Integer](rng *rand.Rand, n int) []K {
	keys := make([]K, n)
	for i := range keys {
		keys[i] = K(rng.Uint64())
		if i%5 == 1 {
			keys[i] = keys[i-1]
		}
	}
	return keys
}

// Only the bits asked for count.
func TestRadixBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	e := engine(t, "h200")
	keys := ints[uint32](rng, 120)
	for _, b := range [][2]int{{0, 32}, {4, 9}, {31, 32}, {0, 1}, {7, 7}} {
		want := slices.Clone(keys)
		part := func(k uint32) uint64 { return uint64(k) >> b[0] & (1<<(b[1]-b[0]) - 1) }
		slices.SortStableFunc(want, func(x, y uint32) int { return cmp.Compare(part(x), part(y)) })
		got, turned := make([]uint32, len(keys)), make([]uint32, len(keys))
		run(t, e, 60, func(w *warp.Warp) {
			s := order.NewRadixStorage[uint32, struct{}](w, 2, 3)
			key := fill(w, 2, keys, 0, blocked(2))
			order.Radix(team.All(), key, order.RadixOptions{Begin: b[0], End: b[1]}, s)
			collect(got, key, blocked(2))
			w.SyncBlock()
			key = fill(w, 2, keys, 0, blocked(2))
			order.Radix(team.All(), key, order.RadixOptions{Begin: b[0], End: b[1], Striped: true}, s)
			collect(turned, key, func(thread, j int) int { return j*60 + thread })
		})
		require.Equal(t, want, got, "bits %v", b)
		require.Equal(t, want, turned, "bits %v, striped", b)
	}
}

func TestRadixRank(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	for _, name := range devices() {
		e := engine(t, name)
		tiles(e, []int{1, 2, 5}, func(threads, k, valid int) {
			n := valid
			bits := 1 + rng.IntN(order.MaxDigitBits)
			for !costs.Fits(e, threads, func(w *warp.Warp) { order.NewRankStorage(w, bits) }) {
				bits--
			}
			digits := make([]int32, n)
			for i := range digits {
				digits[i] = int32(rng.IntN(1 << bits))
			}
			for _, descending := range []bool{false, true} {
				before := func(a, b int32) bool { return a < b != descending && a != b }
				want := make([]int32, n)
				for i := range digits {
					for j := range digits {
						if before(digits[j], digits[i]) || j < i && digits[i] == digits[j] {
							want[i]++
						}
					}
				}
				got := make([]int32, n)
				what := fmt.Sprintf("%s, %d threads of %d keys, %d valid, %d bits, descending %v", name, threads, k, valid, bits, descending)
				run(t, e, threads, func(w *warp.Warp) {
					w.ThreadID()
					w.LaneID()
					s := order.NewRankStorage(w, bits)
					d := fill(w, k, digits, -9, blocked(k))
					ranks := make([]warp.Reg[int32], k)
					for j := range ranks {
						ranks[j] = warp.Alloc[int32](w)
					}
					var starts warp.Reg[int32]
					if threads >= 1<<bits {
						starts = warp.Alloc[int32](w)
					}
					m := w.Mark()
					order.RadixRank(team.First(valid), ranks, d, descending, starts, s)
					require.Equal(t, m, w.Mark())
					collect(got, ranks, blocked(k))
					if threads < 1<<bits {
						return
					}
					for l := range w.Live().Lanes() {
						digit := int32(w.ID()*w.Width() + l)
						if digit >= 1<<bits {
							break
						}
						first := int32(0)
						for _, x := range digits {
							if before(x, digit) {
								first++
							}
						}
						if starts.Lanes()[l] != first {
							t.Errorf("%s: digit %d starts at %d, want %d", what, digit, starts.Lanes()[l], first)
						}
					}
				})
				require.Equal(t, want, got, what)
			}
		})
	}
}

func TestRadixRankMatch(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for _, name := range devices() {
		e := engine(t, name)
		if err := order.MatchFits(e.Device()); err != nil {
			require.ErrorIs(t, err, team.ErrMatch)
			continue
		}
		lanes := e.Device().Lanes
		tiles(e, []int{1, 2, 5}, func(threads, k, valid int) {
			n := valid
			bits := 1 + rng.IntN(order.MaxDigitBits)
			place := func(thread, j int) int {
				first := thread / lanes * lanes
				return first*k + j*min(lanes, threads-first) + thread - first
			}
			digits := make([]int32, n)
			for i := range digits {
				digits[i] = int32(rng.IntN(1 << bits))
			}
			for _, descending := range []bool{false, true} {
				before := func(a, b int32) bool { return a < b != descending && a != b }
				want := make([]int32, n)
				for i := range digits {
					for j := range digits {
						if before(digits[j], digits[i]) || j < i && digits[i] == digits[j] {
							want[i]++
						}
					}
				}
				got := make([]int32, n)
				what := fmt.Sprintf("%s, %d threads of %d keys, %d valid, %d bits, descending %v", name, threads, k, valid, bits, descending)
				run(t, e, threads, func(w *warp.Warp) {
					w.ThreadID()
					w.LaneID()
					s := order.NewMatchStorage(w, bits)
					d := fill(w, k, digits, -9, place)
					ranks := make([]warp.Reg[int32], k)
					for j := range ranks {
						ranks[j] = warp.Alloc[int32](w)
					}
					var starts warp.Reg[int32]
					if threads >= 1<<bits {
						starts = warp.Alloc[int32](w)
					}
					m := w.Mark()
					order.RadixRankMatch(team.First(valid), ranks, d, descending, starts, s)
					require.Equal(t, m, w.Mark())
					collect(got, ranks, place)
					for l := range w.Live().Lanes() {
						digit, first := int32(w.ID()*lanes+l), int32(0)
						if digit >= 1<<bits || threads < 1<<bits {
							break
						}
						for _, x := range digits {
							if before(x, digit) {
								first++
							}
						}
						if starts.Lanes()[l] != first {
							t.Errorf("%s: digit %d starts at %d, want %d", what, digit, starts.Lanes()[l], first)
						}
					}
				})
				require.Equal(t, want, got, what)
			}
		})
	}
}

// differentDevices are devices that differ in width, rules and routes.
func differentDevices() []string {
	return []string{"h200", "k40", "mi300x", "rx6900xt", "mtt-m1000", "mtt-s4000", "mtt-s5000"}
}
