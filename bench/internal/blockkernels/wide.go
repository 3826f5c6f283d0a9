// Package blockkernels has the recorded kernels of warps and blocks as a user writes
// them down for the engine, line by line from their sources.
package blockkernels

import "example.com/warpsim/warp"

// sharedBytes is the shared memory that the programs were launched with.
const sharedBytes = 40960

// A Translation is a kernel of the recorded sources as a user writes it down for the
// engine, without a thought of the order of instructions.
type Translation func(e *warp.Engine, applications int) (warp.Kernel, error)

// wide makes a wide kernel of a body: as the programs on the chip do, it reads the
// clock before and after so many applications, three times.
func wide[T warp.Number](b body[T]) Translation {
	return func(e *warp.Engine, applications int) (warp.Kernel, error) {
		out, err := warp.Global(e, make([]T, 1024))
		if err != nil {
			return nil, err
		}
		return func(w *warp.Warp) {
			v, n := warp.Alloc[T](w), w.ThreadID()
			smem := warp.Shared[T](w, sharedBytes/8)
			zero := warp.Alloc[T](w)
			warp.Set(zero, 0)
			for i := 0; i < smem.Len(); i += w.BlockThreads() {
				warp.Store(smem.At(i), n, zero)
			}
			warp.Convert(v, n)
			warp.AddImm(v, v, 1)
			once := b(w, v, smem)
			for range 3 {
				w.SyncBlock()
				w.Clock()
				for range applications {
					once()
				}
				w.Clock()
				w.SyncBlock()
			}
			warp.Store(out, n, v)
		}, nil
	}
}

// Wide are the wide kernels by the name of the kernel. Those of matvec_shfl_broadcast_f32 are
// left out: the compiler found that its shuffles of one value add up to a product.
var Wide = map[string]Translation{
	"warp_reduce_down_f32":           wide(down[float32]),
	"warp_reduce_xor_f32":            wide(butterfly[float32]),
	"warp_reduce_down_s32":           wide(down[int32]),
	"warp_reduce_xor_s32":            wide(butterfly[int32]),
	"warp_reduce_down_f64":           wide(down[float64]),
	"warp_reduce_redux_s32":          wide(redux),
	"warp_reduce_down_width16_f32":   wide(down16),
	"warp_scan_up_f32":               wide(scanUp[float32]),
	"warp_scan_up_s32":               wide(scanUp[int32]),
	"warp_reduce_smem_syncwarp_f32":  wide(sharedSyncWarp),
	"block_reduce_smem_tree_f32":     wide(blockTree),
	"mailbox_smem_syncthreads_f32":   wide(mailboxBlock),
	"mailbox_smem_syncwarp_f32":      wide(mailboxWarp),
	"mailbox_shfl_idx_f32":           wide(mailboxShuffle),
	"block_reduce_hybrid_f32":        wide(blockHybrid),
	"block_reduce_tree_then_xor_f32": wide(blockTreeThenXor),
	"block_scan_hybrid_f32":          wide(blockScan),
	"warp_butterfly_wht_f32":         wide(hadamard),
	"ballot_rank_u32":                wide(ballotRank),
	"vote_early_exit_s32":            wide(earlyExit),

	"bitonic_sort32_s32":                   wide(bitonic),
	"warp_argmax_f32":                      wide(argmax),
	"warp_sum_and_sumsq_f32":               wide(sumAndSquares),
	"warp_softmax_f32":                     wide(softmax),
	"match_leader_count_u32":               wide(matchLeader),
	"transpose_conflict_f32":               wide(transpose(32)),
	"transpose_padded_f32":                 wide(transpose(33)),
	"block_max_hybrid_f32":                 wide(blockMax),
	"block_tree_interleaved_conflicts_f32": wide(interleavedTree),
	"warp_reduce_xor_f64":                  wide(butterfly[float64]),
	"warp_scan_up_f64":                     wide(scanUp[float64]),
	"segmented_reduce_head_flags_f32":      wide(segmentedHeads),
	"four_independent_reduces_f32":         wide(fourReduces),
}
