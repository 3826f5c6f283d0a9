package tile_test

import (
	"flag"
	"testing"

	"example.com/warpsim/scan/internal/costs"
	"example.com/warpsim/scan/tile"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
)

var update = flag.Bool("update", false, "rewrite the table of README.md")

func TestCosts(t *testing.T) {
	const k, threads = 4, 256
	ints := func(w *warp.Warp) []warp.Reg[int32] { return costs.Fill(w, k, func(i int) int32 { return int32(i) }) }
	exchange := func(name string, f func(who team.Team, items []warp.Reg[int32], s warp.Mem[int32])) costs.Row {
		return costs.Row{Name: name, Threads: threads, Kernel: func(w *warp.Warp) {
			f(team.Block(), ints(w), tile.NewStorage[int32](w, k))
		}}
	}
	scatter := func(name string, f func(who team.Team, items []warp.Reg[int32], ranks []warp.Reg[int32], s warp.Mem[int32])) costs.Row {
		return costs.Row{Name: name, Threads: threads, Kernel: func(w *warp.Warp) {
			ranks := costs.Fill(w, k, func(i int) int32 { return int32(i * 77 % (k * threads)) })
			f(team.Block(), ints(w), ranks, tile.NewStorage[int32](w, k))
		}}
	}
	block := func(f func(team.Count, []warp.Reg[int32], warp.Mem[int32])) func(team.Team, []warp.Reg[int32], warp.Mem[int32]) {
		return func(_ team.Team, items []warp.Reg[int32], s warp.Mem[int32]) { f(team.All(), items, s) }
	}
	rows := []costs.Row{
		exchange("BlockedToStriped", tile.BlockedToStriped[int32]),
		exchange("StripedToBlocked", tile.StripedToBlocked[int32]),
		exchange("BlockedToWarpStriped", block(tile.BlockedToWarpStriped[int32])),
		exchange("WarpStripedToBlocked", block(tile.WarpStripedToBlocked[int32])),
		scatter("ScatterToBlocked", tile.ScatterToBlocked[int32]),
		scatter("ScatterToStriped", tile.ScatterToStriped[int32]),
		scatter("GatherFromStriped", tile.GatherFromStriped[int32]),
		{Name: "BlockedToStriped, one warp", Kernel: func(w *warp.Warp) {
			tile.BlockedToStriped(team.Warp(), ints(w), tile.NewStorage[int32](w, k))
		}},
		{Name: "Transpose, one warp", Kernel: func(w *warp.Warp) { tile.Transpose(ints(w)) }},
	}
	arrays := arraysOf(t)
	for _, by := range []tile.Method{tile.Direct, tile.Striped, tile.WarpStriped, tile.Transposed, tile.WarpTransposed} {
		rows = append(rows, costs.Row{Name: "Load " + by.String(), Threads: threads, Global: func(e *warp.Engine) warp.Kernel {
			in := arrays(e).in
			return func(w *warp.Warp) { tile.Load(team.Block(), by, ints(w), in, tile.NewMethodStorage[int32](w, by, k)) }
		}})
	}
	rows = append(rows, costs.Row{Name: "LoadVectors of 4", Threads: threads, Global: func(e *warp.Engine) warp.Kernel {
		vectors := arrays(e).vectors
		return func(w *warp.Warp) { tile.LoadVectors(ints(w), vectors) }
	}})
	for _, by := range []tile.Method{tile.Direct, tile.Striped, tile.WarpStriped, tile.Transposed, tile.WarpTransposed} {
		rows = append(rows, costs.Row{Name: "Store " + by.String(), Threads: threads, Global: func(e *warp.Engine) warp.Kernel {
			in := arrays(e).in
			return func(w *warp.Warp) { tile.Store(team.Block(), by, in, ints(w), tile.NewMethodStorage[int32](w, by, k)) }
		}})
	}
	flags := func(w *warp.Warp) []warp.Pred { return costs.Flags(w, k, func(int) bool { return false }) }
	none := tile.Neighbors[int32]{}
	rows = append(rows,
		costs.Row{Name: "Offset by 1", Threads: threads, Kernel: func(w *warp.Warp) {
			v := ints(w)[0]
			tile.Offset(v, v, 1, tile.NewShiftStorage[int32](w))
		}},
		costs.Row{Name: "Rotate by 1", Threads: threads, Kernel: func(w *warp.Warp) {
			v := ints(w)[0]
			tile.Rotate(v, v, 1, tile.NewShiftStorage[int32](w))
		}},
		costs.Row{Name: "ShiftUp", Threads: threads, Kernel: func(w *warp.Warp) {
			tile.ShiftUp(team.All(), ints(w), warp.Reg[int32]{}, tile.NewShiftStorage[int32](w))
		}},
		costs.Row{Name: "ShiftDown", Threads: threads, Kernel: func(w *warp.Warp) {
			tile.ShiftDown(team.All(), ints(w), warp.Reg[int32]{}, tile.NewShiftStorage[int32](w))
		}},
		costs.Row{Name: "Flag heads", Threads: threads, Kernel: func(w *warp.Warp) {
			tile.Flag(team.Block(), flags(w), nil, ints(w), warp.Ne[int32], none, tile.NewNeighborStorage[int32](w))
		}},
		costs.Row{Name: "Flag tails", Threads: threads, Kernel: func(w *warp.Warp) {
			tile.Flag(team.Block(), nil, flags(w), ints(w), warp.Ne[int32], none, tile.NewNeighborStorage[int32](w))
		}},
		costs.Row{Name: "Flag both", Threads: threads, Kernel: func(w *warp.Warp) {
			tile.Flag(team.Block(), flags(w), flags(w), ints(w), warp.Ne[int32], none, tile.NewNeighborStorage[int32](w))
		}},
		costs.Row{Name: "SubtractLeft", Threads: threads, Kernel: func(w *warp.Warp) {
			tile.SubtractLeft(team.Block(), ints(w), warp.Sub[int32], none, tile.NewNeighborStorage[int32](w))
		}},
		costs.Row{Name: "SubtractRight", Threads: threads, Kernel: func(w *warp.Warp) {
			tile.SubtractRight(team.Block(), ints(w), warp.Sub[int32], none, tile.NewNeighborStorage[int32](w))
		}},
	)
	costs.Check(t, "README.md", *update, rows)
}

// globals are arrays that kernels read and write.
type globals struct {
	in      warp.Mem[int32]
	vectors warp.Mem[[4]int32]
}

// arraysOf makes each engine's arrays once.
func arraysOf(t *testing.T) func(e *warp.Engine) globals {
	made := map[*warp.Engine]globals{}
	return func(e *warp.Engine) globals {
		g, known := made[e]
		if !known {
			g = globals{global(t, e, make([]int32, 1024)), global(t, e, make([][4]int32, 256))}
			made[e] = g
		}
		return g
	}
}
