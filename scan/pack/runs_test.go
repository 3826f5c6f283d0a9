package pack_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/warpsim/scan/pack"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
	"github.com/stretchr/testify/require"
)

// encoding is the plain reference.
type encoding struct {
	values           []int32
	lengths, offsets []int32
}

func encode(items []int32, least int32) (e encoding) {
	for i := 0; i < len(items); {
		n := i
		for n < len(items) && items[n] == items[i] {
			n++
		}
		if int32(n-i) >= least {
			e.values = append(e.values, items[i])
			e.lengths = append(e.lengths, int32(n-i))
			e.offsets = append(e.offsets, int32(i))
		}
		i = n
	}
	return e
}

// repeats returns n items in runs of up to most.
func repeats(rng *rand.Rand, n, most int) []int32 {
	var items []int32
	for len(items) < n {
		v := int32(rng.IntN(5))
		for range 1 + rng.IntN(most) {
			items = append(items, v)
		}
	}
	return items[:n]
}

func TestEncode(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	for _, name := range devices() {
		e := engine(t, name)
		tiles(e, func(threads, k, valid int) {
			n := valid
			items := repeats(rng, n, []int{1, 3, 50, n}[rng.IntN(4)])
			for _, by := range []pack.Ranking{pack.ByBallot, pack.ByScan} {
				for least, f := range map[int32]func(team.Count, []warp.Reg[int32], func(dst warp.Pred, a, b warp.Reg[int32]), pack.Ranking, pack.Runs[int32], pack.RunStorage[int32]){
					1: func(n team.Count, items []warp.Reg[int32], differ func(dst warp.Pred, a, b warp.Reg[int32]), by pack.Ranking, out pack.Runs[int32], s pack.RunStorage[int32]) {
						pack.Encode(team.Block().Holding(n), items, differ, by, out, s)
					},
					2: pack.EncodeNonTrivial[int32],
				} {
					want := encode(items, least)
					c := len(want.values)
					got := encoding{make([]int32, c), make([]int32, c), make([]int32, c)}
					what := fmt.Sprintf("%s, %d threads of %d items, %d valid, by %s, runs of %d and more", name, threads, k, valid, by, least)
					run(t, e, threads, func(w *warp.Warp) {
						s := pack.NewRunStorage[int32](w, k)
						v := fill(w, k, items, -9)
						out := pack.Runs[int32]{registers[int32](w, k), registers[int32](w, k), registers[int32](w, k), warp.Alloc[int32](w)}
						w.ThreadID()
						w.LaneID()
						before := w.Mark()
						f(team.First(valid), v, warp.Ne[int32], by, out, s)
						require.Equal(t, before, w.Mark())
						everywhere(t, out.Count, c, what)
						striped(got.values, out.Values, threads)
						striped(got.lengths, out.Lengths, threads)
						striped(got.offsets, out.Offsets, threads)

						// Less is wanted, and it stays right.
						w.SyncBlock()
						short := pack.Runs[int32]{Lengths: registers[int32](w, k)}
						f(team.First(valid), v, warp.Ne[int32], by, short, s)
						again := make([]int32, c)
						striped(again, short.Lengths, threads)
						for i := range again {
							if again[i] != 0 && again[i] != want.lengths[i] {
								t.Errorf("%s: lengths alone are %v", what, again)
								return
							}
						}
					})
					same(t, want.values, got.values, what)
					same(t, want.lengths, got.lengths, what)
					same(t, want.offsets, got.offsets, what)
				}
			}
		})
	}
}

func TestWarpEncode(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for _, name := range devices() {
		e := engine(t, name)
		lanes := e.Device().Lanes
		for _, threads := range []int{lanes, 3*lanes - 1, lanes/2 + 1} {
			for _, k := range []int{1, 3, 4} {
				for _, valid := range []int{0, 1, lanes, lanes * k} {
					run(t, e, threads, func(w *warp.Warp) {
						live := w.Live().Count()
						n := min(live*k, valid)
						items := repeats(rng, n, 4)
						want := encode(items, 1)
						s := pack.NewRunStorage[int32](w, k)
						v := fill(w, k, slices.Concat(make([]int32, w.ID()*w.Width()*k), items), -9)
						out := pack.Runs[int32]{registers[int32](w, k), registers[int32](w, k), registers[int32](w, k), warp.Alloc[int32](w)}
						w.ThreadID()
						w.LaneID()
						before := w.Mark()
						pack.Encode(team.Warp().First(valid), v, warp.Ne[int32], pack.ByBallot, out, s)
						require.Equal(t, before, w.Mark())
						everywhere(t, out.Count, len(want.values), name)
						for i := range want.values {
							j, l := i/live, i%live
							got := []int32{out.Values[j].Lanes()[l], out.Lengths[j].Lanes()[l], out.Offsets[j].Lanes()[l]}
							if !slices.Equal(got, []int32{want.values[i], want.lengths[i], want.offsets[i]}) {
								t.Errorf("%s, %d threads of %d items: run %d is %v", name, threads, k, i, got)
								return
							}
						}
					})
				}
			}
		}
	}
}

func TestDecode(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	for _, name := range devices() {
		e := engine(t, name)
		tiles(e, func(threads, k, valid int) {
			runs := valid
			values, lengths := make([]float32, runs), make([]int32, runs)
			var result []float32
			var places []int32
			empty := rng.IntN(3) // of 3 runs are empty
			for i := range values {
				values[i] = float32(i) + 0.5
				if rng.IntN(3) >= empty {
					lengths[i] = int32(1 + rng.IntN(6))
				}
				for p := range lengths[i] {
					result = append(result, values[i])
					places = append(places, p)
				}
			}
			const each = 3 // items of a thread in a window
			what := fmt.Sprintf("%s, %d threads of %d runs, %d valid", name, threads, k, valid)
			run(t, e, threads, func(w *warp.Warp) {
				s := pack.NewDecodeStorage[float32](w, k)
				v, n := fill(w, k, values, -9), fill(w, k, lengths, -9)
				w.ThreadID()
				w.LaneID()
				d := pack.NewDecoder(team.First(valid), v, n, s)
				everywhere(t, d.Total, len(result), what)
				items, offsets, from := registers[float32](w, each), registers[int32](w, each), warp.Alloc[int32](w)
				before := w.Mark()
				// Windows that overlap, one that begins before the result, and
				// one that ends after it.
				for begin := -each; begin < len(result); begin += max(1, threads*each-5) {
					warp.Set(from, int32(begin))
					for j := range each {
						warp.Set(items[j], -1)
						warp.Set(offsets[j], -1)
					}
					d.Window(items, offsets, from)
					require.Equal(t, before, w.Mark())
					for j := range each {
						for l := range w.Live().Lanes() {
							i := begin + (w.ID()*w.Width()+l)*each + j
							want, place := float32(-1), int32(-1)
							if i >= 0 && i < len(result) {
								want, place = result[i], places[i]
							}
							if items[j].Lanes()[l] != want || offsets[j].Lanes()[l] != place {
								t.Errorf("%s: element %d is %v at %d, want %v at %d", what, i, items[j].Lanes()[l], offsets[j].Lanes()[l], want, place)
								return
							}
						}
					}
				}
			})
		})
	}
}
