package tile_test

import (
	"flag"
	"testing"

	"example.com/warpsim/reduce"
	"example.com/warpsim/scan/internal/costs"
	"example.com/warpsim/scan/tile"
	"example.com/warpsim/warp"
)

var update = flag.Bool("update", false, "rewrite the table of README.md")

func TestCosts(t *testing.T) {
	const k, threads = 4, 256
	ints := func(w *warp.Warp) []warp.Reg[int32] { return costs.Fill(w, k, func(i int) int32 { return int32(i) }) }
	bytes := costs.Shared(4, tile.Storage(k))
	exchange := func(name string, f func(items []warp.Reg[int32], valid int, s warp.Mem[int32])) costs.Row {
		return costs.Row{Name: name, Threads: threads, Bytes: bytes, Kernel: func(w *warp.Warp) {
			f(ints(w), 0, reduce.Shared[int32](w, tile.Storage(k)))
		}}
	}
	scatter := func(name string, f func(items []warp.Reg[int32], ranks []warp.Reg[int32], valid int, s warp.Mem[int32])) costs.Row {
		return costs.Row{Name: name, Threads: threads, Bytes: bytes, Kernel: func(w *warp.Warp) {
			ranks := costs.Fill(w, k, func(i int) int32 { return int32(i * 77 % (k * threads)) })
			f(ints(w), ranks, 0, reduce.Shared[int32](w, tile.Storage(k)))
		}}
	}
	rows := []costs.Row{
		exchange("BlockedToStriped", tile.BlockedToStriped[int32]),
		exchange("StripedToBlocked", tile.StripedToBlocked[int32]),
		exchange("BlockedToWarpStriped", tile.BlockedToWarpStriped[int32]),
		exchange("WarpStripedToBlocked", tile.WarpStripedToBlocked[int32]),
		scatter("ScatterToBlocked", tile.ScatterToBlocked[int32]),
		scatter("ScatterToStriped", tile.ScatterToStriped[int32]),
		scatter("GatherFromStriped", tile.GatherFromStriped[int32]),
		{Name: "GroupBlockedToStriped, one warp", Bytes: bytes, Kernel: func(w *warp.Warp) {
			tile.GroupBlockedToStriped(ints(w), 0, 0, reduce.Shared[int32](w, tile.Storage(k)))
		}},
		{Name: "Transpose, one warp", Kernel: func(w *warp.Warp) { tile.Transpose(ints(w)) }},
	}
	p := arrays(t)
	for _, by := range []tile.Method{tile.Direct, tile.Striped, tile.WarpStriped, tile.Transposed, tile.WarpTransposed} {
		rows = append(rows, costs.Row{Name: "Load " + by.String(), Threads: threads, Bytes: costs.Shared(4, by.Storage(k)), Kernel: func(w *warp.Warp) {
			tile.Load(by, ints(w), p.in, 0, reduce.Shared[int32](w, by.Storage(k)))
		}})
	}
	rows = append(rows, costs.Row{Name: "LoadVectors of 4", Threads: threads, Kernel: func(w *warp.Warp) { tile.LoadVectors(ints(w), p.vectors) }})
	for _, by := range []tile.Method{tile.Direct, tile.Striped, tile.WarpStriped, tile.Transposed, tile.WarpTransposed} {
		rows = append(rows, costs.Row{Name: "Store " + by.String(), Threads: threads, Bytes: costs.Shared(4, by.Storage(k)), Kernel: func(w *warp.Warp) {
			tile.Store(by, p.in, ints(w), 0, reduce.Shared[int32](w, by.Storage(k)))
		}})
	}
	shift := costs.Shared(4, tile.ShiftStorage)
	near := costs.Shared(4, tile.NeighborStorage)
	flags := func(w *warp.Warp) []warp.Pred { return costs.Flags(w, k, func(int) bool { return false }) }
	none := tile.Neighbors[int32]{}
	rows = append(rows,
		costs.Row{Name: "Offset by 1", Threads: threads, Bytes: shift, Kernel: func(w *warp.Warp) {
			v := ints(w)[0]
			tile.Offset(v, v, 1, reduce.Shared[int32](w, tile.ShiftStorage))
		}},
		costs.Row{Name: "Rotate by 1", Threads: threads, Bytes: shift, Kernel: func(w *warp.Warp) {
			v := ints(w)[0]
			tile.Rotate(v, v, 1, reduce.Shared[int32](w, tile.ShiftStorage))
		}},
		costs.Row{Name: "ShiftUp", Threads: threads, Bytes: shift, Kernel: func(w *warp.Warp) {
			tile.ShiftUp(ints(w), 0, warp.Reg[int32]{}, reduce.Shared[int32](w, tile.ShiftStorage))
		}},
		costs.Row{Name: "ShiftDown", Threads: threads, Bytes: shift, Kernel: func(w *warp.Warp) {
			tile.ShiftDown(ints(w), 0, warp.Reg[int32]{}, reduce.Shared[int32](w, tile.ShiftStorage))
		}},
		costs.Row{Name: "FlagHeads", Threads: threads, Bytes: near, Kernel: func(w *warp.Warp) {
			tile.FlagHeads(flags(w), ints(w), warp.Ne[int32], none, reduce.Shared[int32](w, tile.NeighborStorage))
		}},
		costs.Row{Name: "FlagTails", Threads: threads, Bytes: near, Kernel: func(w *warp.Warp) {
			tile.FlagTails(flags(w), ints(w), warp.Ne[int32], none, reduce.Shared[int32](w, tile.NeighborStorage))
		}},
		costs.Row{Name: "FlagHeadsAndTails", Threads: threads, Bytes: near, Kernel: func(w *warp.Warp) {
			tile.FlagHeadsAndTails(flags(w), flags(w), ints(w), warp.Ne[int32], none, reduce.Shared[int32](w, tile.NeighborStorage))
		}},
		costs.Row{Name: "SubtractLeft", Threads: threads, Bytes: near, Kernel: func(w *warp.Warp) {
			tile.SubtractLeft(ints(w), warp.Sub[int32], none, reduce.Shared[int32](w, tile.NeighborStorage))
		}},
		costs.Row{Name: "SubtractRight", Threads: threads, Bytes: near, Kernel: func(w *warp.Warp) {
			tile.SubtractRight(ints(w), warp.Sub[int32], none, reduce.Shared[int32](w, tile.NeighborStorage))
		}},
	)
	costs.Check(t, "README.md", *update, rows)
}

// globals are arrays that kernels on any device read and write.
type globals struct {
	in      warp.Mem[int32]
	vectors warp.Mem[[4]int32]
}

func arrays(t *testing.T) globals {
	e := timed(t, "h200")
	return globals{global(t, e, make([]int32, 1024)), global(t, e, make([][4]int32, 256))}
}
