package tile_test

import (
	"fmt"
	"testing"

	"example.com/warpsim/scan/tile"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/team"
	"github.com/stretchr/testify/require"
)

// Where each method leaves the items in registers.
var registers = map[tile.Method]placement{
	tile.Direct: blocked, tile.Striped: striped, tile.WarpStriped: warpStriped,
	tile.Transposed: blocked, tile.WarpTransposed: blocked,
}

func TestLoadAndStore(t *testing.T) {
	for _, name := range devices() {
		e := engine(t, name)
		p := e.Device()
		blocks(p.Lanes, p.Limits.ThreadsPerBlock, func(threads, k, valid int) {
			n := valid
			const skip = 3 // the tile is in the midst of an array
			in, out := make([]int32, skip+n), make([]int32, skip+threads*k)
			for i := range in {
				in[i] = int32(i - skip)
			}
			src, dst := global(t, e, in), global(t, e, out)
			for method, place := range registers {
				clear(out)
				run(t, e, threads, func(w *warp.Warp) {
					w.ThreadID()
					w.LaneID()
					s := tile.NewMethodStorage[int32](w, method, k)
					items := fill(w, k, func(thread, j int) (int32, bool) { return -5, true }, -1)
					before := w.Mark()
					tile.Load(team.Block().First(valid), method, items, src.At(skip), s)
					what := fmt.Sprintf("%s on %s, %d threads of %d items, %d valid", method, name, threads, k, valid)
					at := func(thread, j int) (int32, bool) {
						i := place(thread, j, k, threads, p.Lanes)
						if i >= n {
							return -5, true // left alone
						}
						return int32(i), true
					}
					hold(t, items, what, at)
					w.SyncBlock()
					tile.Store(team.Block().First(valid), method, dst.At(skip), items, s)
					require.Equal(t, before, w.Mark(), what)
					hold(t, items, "after storing "+what, at)
				})
				require.Equal(t, in[skip:], out[skip:skip+n], "%s on %s", method, name)
				for i, v := range out {
					require.True(t, v == 0 || i >= skip && i < skip+n, "%s wrote element %d", method, i)
				}
			}
		})
	}
}

func TestLoadAndStoreOfGroups(t *testing.T) {
	for _, name := range devices() {
		e := engine(t, name)
		lanes := e.Device().Lanes
		for width := 1; width <= lanes; width *= 2 {
			for _, threads := range []int{lanes, 2*lanes - 1, lanes/2 + 1} {
				const k = 2
				in, out := make([]float64, threads*k), make([]float64, threads*k)
				for i := range in {
					in[i] = float64(i) + 0.5
				}
				src, dst := global(t, e, in), global(t, e, out)
				for method := range registers {
					clear(out)
					run(t, e, threads, func(w *warp.Warp) {
						s := tile.NewMethodStorage[float64](w, method, k)
						items := fill(w, k, func(thread, j int) (float64, bool) { return 0, false }, -1)
						tile.Load(team.Groups(width), method, items, src, s)
						place := blocked
						if method == tile.Striped || method == tile.WarpStriped {
							place = striped
						}
						hold(t, items, fmt.Sprintf("%s width %d of %d on %s", method, width, threads, name), func(thread, j int) (float64, bool) {
							first := thread / width * width
							return float64(first*k+place(thread-first, j, k, min(width, threads-first), width)) + 0.5, true
						})
						w.SyncWarp(w.Active())
						tile.Store(team.Groups(width), method, dst, items, s)
					})
					require.Equal(t, in, out, "%s width %d of %d on %s", method, width, threads, name)
				}
			}
		}
	}
}

func TestVectors(t *testing.T) {
	for _, name := range devices() {
		e := engine(t, name)
		threads := e.Device().Lanes + 3
		in, out := make([][4]float32, threads*2), make([][2]float32, threads*4)
		for i := range in {
			for c := range 4 {
				in[i][c] = float32(4*i + c)
			}
		}
		src, dst := global(t, e, in), global(t, e, out)
		run(t, e, threads, func(w *warp.Warp) {
			items := fill(w, 8, func(int, int) (float32, bool) { return 0, false }, -1)
			w.ThreadID()
			before := w.Mark()
			tile.LoadVectors(items, src)
			hold(t, items, "vectors on "+name, func(thread, j int) (float32, bool) { return float32(8*thread + j), true })
			tile.StoreVectors(dst, items)
			require.Equal(t, before, w.Mark())
		})
		for i, v := range out {
			require.Equal(t, [2]float32{float32(2 * i), float32(2*i + 1)}, v)
		}
	}
}

// Transposed loads touch as few sectors as there are, direct ones as many as
// there are lanes if items lie a sector apart: what the exchange is for.
func TestTransposedTouchesFewSectors(t *testing.T) {
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	sectors := 0
	e, err := warp.New(warp.Config{Device: p, ValuesOnly: true, Observer: &warp.Observer{Instr: func(ev warp.InstrEvent) {
		if ev.Instr.Op == isa.LoadGlobal {
			sectors += int(ev.Instr.Count)
		}
	}}})
	require.NoError(t, err)
	const warps, k = 8, 8 // 8 items of 4 bytes are a sector
	src := global(t, e, make([]float32, warps*32*k))
	for by, each := range map[tile.Method]int{tile.Direct: 32, tile.Transposed: 4, tile.WarpTransposed: 4, tile.Striped: 4} {
		sectors = 0
		run(t, e, warps*32, func(w *warp.Warp) {
			items := fill(w, k, func(int, int) (float32, bool) { return 0, false }, -1)
			tile.Load(team.Block(), by, items, src, tile.NewMethodStorage[float32](w, by, k))
		})
		require.Equal(t, warps*k*each, sectors, by.String())
	}
}
