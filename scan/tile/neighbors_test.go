package tile_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"example.com/warpsim/scan/tile"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
	"github.com/stretchr/testify/require"
)

func TestOffsetAndRotate(t *testing.T) {
	for _, name := range devices() {
		e := engine(t, name)
		lanes := e.Device().Lanes
		for _, threads := range []int{1, lanes, 2*lanes + 1, 3*lanes - 1} {
			if threads < 1 {
				continue
			}
			for _, d := range []int{0, 1, -1, lanes, -lanes - 1, threads - 1, threads, -3 * threads, 7} {
				run(t, e, threads, func(w *warp.Warp) {
					s := tile.NewShiftStorage[int16](w)
					id := func(thread, _ int) (int16, bool) { return int16(thread), true }
					v, r, o := fill(w, 1, id, -1), fill(w, 1, id, -1), fill(w, 1, func(int, int) (int16, bool) { return -9, true }, -9)
					w.ThreadID()
					before := w.Mark()
					what := fmt.Sprintf("%s, %d threads by %d", name, threads, d)
					tile.Offset(o[0], v[0], d, s)
					hold(t, o, "offset "+what, func(thread, _ int) (int16, bool) {
						if i := thread + d; i >= 0 && i < threads {
							return int16(i), true
						}
						return -9, true
					})
					w.SyncBlock()
					tile.Rotate(r[0], r[0], d, s)
					hold(t, r, "rotate "+what, func(thread, _ int) (int16, bool) {
						return int16(((thread+d)%threads + threads) % threads), true
					})
					require.Equal(t, before, w.Mark())
				})
			}
		}
	}
}

func TestShiftUpAndDown(t *testing.T) {
	for _, name := range devices() {
		e := engine(t, name)
		p := e.Device()
		blocks(p.Lanes, p.Limits.ThreadsPerBlock, func(threads, k, valid int) {
			n := valid
			run(t, e, threads, func(w *warp.Warp) {
				s := tile.NewShiftStorage[int64](w)
				what := fmt.Sprintf("%s, %d threads of %d items, %d valid", name, threads, k, valid)
				in := func(thread, j int) (int64, bool) { i := thread*k + j; return int64(i) << 33, i < n }
				edge := []warp.Reg[int64]{warp.Alloc[int64](w)}
				up := fill(w, k, in, -1)
				tile.ShiftUp(team.First(valid), up, edge[0], s)
				hold(t, up, "up "+what, func(thread, j int) (int64, bool) {
					i := thread*k + j
					return int64(max(i-1, 0)) << 33, i < n
				})
				if n == 0 { // there is none
					require.Equal(t, w.Live(), edge[0].Undefined().And(w.Live()))
					warp.Set(edge[0], -1<<33)
				}
				hold(t, edge, "last "+what, func(int, int) (int64, bool) { return int64(n-1) << 33, true })
				w.SyncBlock()
				down := fill(w, k, in, -1)
				tile.ShiftDown(team.First(valid), down, edge[0], s)
				hold(t, down, "down "+what, func(thread, j int) (int64, bool) {
					i := thread*k + j
					return int64(min(i+1, n-1)) << 33, i < n
				})
				if n == 0 {
					warp.Set(edge[0], 0)
				}
				hold(t, edge, "first "+what, func(int, int) (int64, bool) { return 0, true })
			})
		})
	}
}

// flagged returns flags as registers of 0 and 1, to be held like items.
func flagged(w *warp.Warp, flags []warp.Pred) []warp.Reg[int32] {
	one, zero := warp.Alloc[int32](w), warp.Alloc[int32](w)
	warp.Set(one, 1)
	warp.Set(zero, 0)
	r := make([]warp.Reg[int32], len(flags))
	for j, p := range flags {
		r[j] = warp.Alloc[int32](w)
		warp.Select(r[j], p, one, zero)
	}
	return r
}

func TestFlagsAndDifferences(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, name := range devices() {
		e := engine(t, name)
		p := e.Device()
		blocks(p.Lanes, p.Limits.ThreadsPerBlock, func(threads, k, valid int) {
			n := valid
			// Runs of a few equal items; the tile's surroundings at -1 and n.
			data := make([]int32, n+2)
			for i := 1; i < len(data); i++ {
				data[i] = data[i-1]
				if rng.IntN(3) == 0 {
					data[i] += 1 + int32(rng.IntN(2))
				}
			}
			at := func(i int) int32 { return data[i+1] }
			flag := func(on bool) (int32, bool) {
				if on {
					return 1, true
				}
				return 0, true
			}
			in := func(thread, j int) (int32, bool) {
				if i := thread*k + j; i < n {
					return at(i), true
				}
				return 0, false
			}
			for _, surrounded := range []bool{false, true} {
				run(t, e, threads, func(w *warp.Warp) {
					s := tile.NewNeighborStorage[int32](w)
					what := fmt.Sprintf("%s, %d threads of %d items, %d valid, surrounded %v", name, threads, k, valid, surrounded)
					items := fill(w, k, in, -77)
					nb := tile.Neighbors[int32]{}
					if surrounded {
						nb.Before = fill(w, 1, func(thread, _ int) (int32, bool) { return at(-1), thread == 0 }, -77)[0]
						nb.After = fill(w, 1, func(thread, _ int) (int32, bool) { return at(n), thread == (n-1)/k }, -77)[0]
					}
					heads, tails := make([]warp.Pred, k), make([]warp.Pred, k)
					for j := range k {
						heads[j], tails[j] = w.Pred(), w.Pred()
					}
					isHead := func(thread, j int) (int32, bool) {
						i := thread*k + j
						return flag(i < n && (i == 0 && !surrounded || at(i-1) != at(i)))
					}
					isTail := func(thread, j int) (int32, bool) {
						i := thread*k + j
						return flag(i < n && (i == n-1 && !surrounded || at(i+1) != at(i)))
					}
					w.ThreadID()
					before := w.Mark()
					tile.Flag(team.Block().First(valid), heads, nil, items, warp.Ne[int32], nb, s)
					w.SyncBlock()
					tile.Flag(team.Block().First(valid), nil, tails, items, warp.Ne[int32], nb, s)
					require.Equal(t, before, w.Mark(), what)
					hold(t, flagged(w, heads), "heads "+what, isHead)
					hold(t, flagged(w, tails), "tails "+what, isTail)
					w.SyncBlock()
					tile.Flag(team.Block().First(valid), tails, heads, items, warp.Ne[int32], nb, s) // swapped: all are written anew
					hold(t, flagged(w, tails), "heads "+what, isHead)
					hold(t, flagged(w, heads), "tails "+what, isTail)
					w.Release(before)

					w.SyncBlock()
					left := fill(w, k, in, -77)
					tile.SubtractLeft(team.Block().First(valid), left, warp.Sub[int32], nb, s)
					hold(t, left, "left "+what, func(thread, j int) (int32, bool) {
						i := thread*k + j
						if i >= n || i == 0 && !surrounded {
							return in(thread, j)
						}
						return at(i) - at(i-1), true
					})
					w.SyncBlock()
					right := fill(w, k, in, -77)
					tile.SubtractRight(team.Block().First(valid), right, warp.Sub[int32], nb, s)
					hold(t, right, "right "+what, func(thread, j int) (int32, bool) {
						i := thread*k + j
						if i >= n || i == n-1 && !surrounded {
							return in(thread, j)
						}
						return at(i) - at(i+1), true
					})
				})
			}
		})
	}
}
