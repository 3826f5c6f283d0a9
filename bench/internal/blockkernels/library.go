package blockkernels

import (
	"example.com/warpsim/reduce"
	"example.com/warpsim/scan"
	"example.com/warpsim/warp"
)

// Library are the recorded kernels of a public library, by its name for the algorithm:
// this library's own kernels that do the same, with the barrier between two of them
// that the use of the same shared memory asks for; after the recorded reductions each
// thread adds its number.
var Library = map[string]Translation{
	"cub_warp_reduce_sum_f32":                      wide(library(true, false, func(v warp.Reg[float32], _ warp.Mem[float32]) { reduce.ShuffleInterleaved(v, sum, reduce.Tile{}) })),
	"cub_warp_inclusive_sum_f32":                   wide(library(false, false, func(v warp.Reg[float32], _ warp.Mem[float32]) { scan.HillisSteele(v, sum, scan.Spec[float32]{}) })),
	"cub_BLOCK_REDUCE_WARP_REDUCTIONS_f32":         wide(reduction(reduce.BlockWarpReductions[float32])),
	"cub_BLOCK_REDUCE_RAKING_f32":                  wide(reduction(reduce.BlockRaking[float32])),
	"cub_BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY_f32": wide(reduction(reduce.BlockRakingCommutative[float32])),
	"cub_BLOCK_SCAN_WARP_SCANS_f32":                wide(scanning(scan.BlockWarpScans[float32])),
	"cub_BLOCK_SCAN_RAKING_f32":                    wide(scanning(scan.BlockRaking[float32])),
}

var sum = reduce.Sum[float32]()

func library(number, barrier bool, f func(v warp.Reg[float32], s warp.Mem[float32])) body[float32] {
	return func(w *warp.Warp, v warp.Reg[float32], s warp.Mem[float32]) func() {
		id := warp.Alloc[float32](w)
		warp.Convert(id, w.ThreadID())
		return func() {
			if f(v, s); number {
				warp.Add(v, v, id)
			}
			if barrier {
				w.SyncBlock()
			}
		}
	}
}

func reduction(f func(warp.Reg[float32], reduce.Op[float32], reduce.Tile, warp.Mem[float32])) body[float32] {
	return library(true, true, func(v warp.Reg[float32], s warp.Mem[float32]) { f(v, sum, reduce.Tile{}, s) })
}

func scanning(f func(warp.Reg[float32], reduce.Op[float32], scan.Spec[float32], warp.Mem[float32])) body[float32] {
	return library(false, true, func(v warp.Reg[float32], s warp.Mem[float32]) { f(v, sum, scan.Spec[float32]{}, s) })
}
