package blockkernels

import (
	"context"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
)

// The recorded kernels per lane, line by line from their sources. Arithmetic on values
// is booked by the functions that compute it; compares, selects and bit operations by
// Thread.Work, where the source has them in its body and a compiler cannot take them out
// of the loop of applications.

// A Launched runs so many applications of a kernel's body in one block.
type Launched func(e *warp.Engine, threads, applications int) (*warp.Report, error)

type thread = intrinsics.Thread

// perLane makes a launch of a body.
func perLane[T warp.Number](body func(t *thread, v T, s *intrinsics.Array[T]) T) Launched {
	return perLaneFrom(1, body)
}

// perLaneFrom is perLane for a body whose values grow: what is infinite or NaN has
// nothing to be told apart by.
func perLaneFrom[T warp.Number](first T, body func(t *thread, v T, s *intrinsics.Array[T]) T) Launched {
	return func(e *warp.Engine, threads, applications int) (*warp.Report, error) {
		out, err := intrinsics.Global(e, make([]T, 1024))
		if err != nil {
			return nil, err
		}
		return intrinsics.Launch(context.Background(), e, warp.X(1), warp.X(threads), func(t *thread) {
			s := intrinsics.Shared[T](t, sharedBytes/8)
			for i := t.ThreadRank(); i < s.Len(); i += threads {
				s.Store(t, i, 0)
			}
			v := first * T(1+t.ThreadRank())
			intrinsics.SyncThreads(t)
			for range applications {
				v = body(t, v, s)
			}
			intrinsics.SyncThreads(t)
			out.Store(t, t.ThreadRank(), v)
		})
	}
}

const everyLane = intrinsics.FullMask

func downLane[T warp.Number](t *thread, v T, _ *intrinsics.Array[T]) T {
	for o := 16; o > 0; o /= 2 {
		v = intrinsics.Add(t, v, intrinsics.ShflDownSync(t, everyLane, v, o))
	}
	return v
}

func xorLane[T warp.Number](t *thread, v T, _ *intrinsics.Array[T]) T {
	for o := 16; o > 0; o /= 2 {
		v = intrinsics.Add(t, v, intrinsics.ShflXorSync(t, everyLane, v, o))
	}
	return v
}

func scanLane[T warp.Number](t *thread, v T, _ *intrinsics.Array[T]) T {
	for d := 1; d < 32; d *= 2 {
		n := intrinsics.ShflUpSync(t, everyLane, v, d)
		if t.Lane() >= d {
			v = intrinsics.Add(t, v, n)
		}
	}
	return v
}

func sharedSyncWarpLane(t *thread, v float32, s *intrinsics.Array[float32]) float32 {
	l, base := t.Lane(), t.ThreadRank()&^31
	s.StoreVolatile(t, base+l, v)
	intrinsics.SyncWarp(t, everyLane)
	for o := 16; o > 0; o /= 2 {
		a := float32(0)
		if l < o {
			a = s.LoadVolatile(t, base+l+o)
		}
		intrinsics.SyncWarp(t, everyLane)
		if l < o {
			v = intrinsics.Add(t, v, a)
			s.StoreVolatile(t, base+l, v)
		}
		intrinsics.SyncWarp(t, everyLane)
	}
	v = s.LoadVolatile(t, base)
	intrinsics.SyncWarp(t, everyLane)
	return v
}

func blockTreeLane(t *thread, v float32, s *intrinsics.Array[float32]) float32 {
	i := t.ThreadRank()
	s.StoreVolatile(t, i, v)
	intrinsics.SyncThreads(t)
	for o := t.BlockDim().X / 2; t.Branch(o > 0); o /= 2 {
		if t.Branch(i < o) {
			v = intrinsics.Add(t, v, s.LoadVolatile(t, i+o))
			s.StoreVolatile(t, i, v)
		}
		intrinsics.SyncThreads(t)
	}
	v = s.LoadVolatile(t, 0)
	intrinsics.SyncThreads(t)
	return v
}

func mailboxBlockLane(t *thread, v float32, s *intrinsics.Array[float32]) float32 {
	s.StoreVolatile(t, t.ThreadRank(), v)
	intrinsics.SyncThreads(t)
	v = intrinsics.Add(t, v, s.LoadVolatile(t, t.ThreadRank()&^31+7))
	intrinsics.SyncThreads(t)
	return v
}

func mailboxWarpLane(t *thread, v float32, s *intrinsics.Array[float32]) float32 {
	s.StoreVolatile(t, t.ThreadRank(), v)
	intrinsics.SyncWarp(t, everyLane)
	v = intrinsics.Add(t, v, s.LoadVolatile(t, t.ThreadRank()&^31+7))
	intrinsics.SyncWarp(t, everyLane)
	return v
}

func blockHybridLane(t *thread, v float32, s *intrinsics.Array[float32]) float32 {
	l, w := t.Lane(), t.WarpID()
	v = downLane(t, v, s)
	if l == 0 {
		s.Store(t, w, v)
	}
	intrinsics.SyncThreads(t)
	v = 0
	if l < t.BlockDim().X/32 {
		v = s.Load(t, l)
	}
	if w == 0 {
		v = downLane(t, v, s)
	}
	if t.ThreadRank() == 0 {
		s.Store(t, 32, v)
	}
	intrinsics.SyncThreads(t)
	return s.Load(t, 32)
}

func hadamardLane(t *thread, v float32, _ *intrinsics.Array[float32]) float32 {
	for o := 1; o < 32; o *= 2 {
		x := intrinsics.ShflXorSync(t, everyLane, v, o)
		if t.ThreadRank()&o == 0 {
			v = intrinsics.Add(t, v, x)
		} else {
			v = intrinsics.Sub(t, x, v)
		}
	}
	return v
}

func ballotRankLane(t *thread, v uint32, _ *intrinsics.Array[uint32]) uint32 {
	t.Work(isa.Logic, 1)
	t.Work(isa.ICmp, 1)
	b := intrinsics.BallotSync(t, everyLane, v&1 != 0)
	t.Work(isa.Logic, 1)
	rank := intrinsics.Popc(t, b&intrinsics.LaneMaskLt[uint32](t))
	t.Work(isa.IMul, 1)
	return v*3 + uint32(rank)
}

func earlyExitLane(t *thread, v int32, _ *intrinsics.Array[int32]) int32 {
	t.Work(isa.ICmp, 1)
	if intrinsics.AnySync(t, everyLane, v < -1000000000) {
		return intrinsics.Add(t, v, 3)
	}
	return intrinsics.Add(t, v, 5)
}

func bitonicLane(t *thread, v int32, _ *intrinsics.Array[int32]) int32 {
	l := t.Lane()
	for k := 2; k <= 32; k *= 2 {
		for j := k / 2; j > 0; j /= 2 {
			o := intrinsics.ShflXorSync(t, everyLane, v, j)
			low, high := intrinsics.Min(t, v, o), intrinsics.Max(t, v, o)
			t.Work(isa.Select, 1)
			if (l&k == 0) == (l&j == 0) {
				v = low
			} else {
				v = high
			}
		}
	}
	return intrinsics.Add(t, v, int32(l)*7&5)
}

func argmaxLane(t *thread, v float32, _ *intrinsics.Array[float32]) float32 {
	i := int32(t.Lane())
	for o := 16; o > 0; o /= 2 {
		x, j := intrinsics.ShflDownSync(t, everyLane, v, o), intrinsics.ShflDownSync(t, everyLane, i, o)
		t.Work(isa.FCmp, 1)
		t.Work(isa.Select, 2)
		if x > v {
			v, i = x, j
		}
	}
	t.Work(isa.Convert, 1)
	return intrinsics.Add(t, v, float32(i))
}

func sumAndSquaresLane(t *thread, v float32, _ *intrinsics.Array[float32]) float32 {
	q := intrinsics.Mul(t, v, v)
	for o := 16; o > 0; o /= 2 {
		v = intrinsics.Add(t, v, intrinsics.ShflXorSync(t, everyLane, v, o))
		q = intrinsics.Add(t, q, intrinsics.ShflXorSync(t, everyLane, q, o))
	}
	return intrinsics.Sub(t, v, q)
}

func maxLane(t *thread, m float32) float32 {
	for o := 16; o > 0; o /= 2 {
		m = intrinsics.Max(t, m, intrinsics.ShflXorSync(t, everyLane, m, o))
	}
	return m
}

func softmaxLane(t *thread, v float32, s *intrinsics.Array[float32]) float32 {
	e := intrinsics.Exp2(t, intrinsics.Sub(t, v, maxLane(t, v)))
	return intrinsics.FastDiv(t, e, xorLane(t, e, s))
}

func matchLeaderLane(t *thread, v uint32, _ *intrinsics.Array[uint32]) uint32 {
	t.Work(isa.Logic, 1)
	m := intrinsics.MatchAnySync(t, everyLane, v&3)
	c := intrinsics.Popc(t, m)
	first := intrinsics.Ffs(t, m) - 1
	t.Work(isa.IAdd, 1)
	t.Work(isa.ICmp, 1)
	t.Work(isa.IAdd, 2)
	if v += uint32(c); first == t.Lane() {
		v++
	}
	return v
}

func transposeLane(stride int) func(t *thread, v float32, s *intrinsics.Array[float32]) float32 {
	return func(t *thread, v float32, s *intrinsics.Array[float32]) float32 {
		l := t.Lane()
		var r [8]float32
		for i := range r {
			s.StoreVolatile(t, l*stride+i, intrinsics.Add(t, v, float32(i)))
		}
		intrinsics.SyncWarp(t, everyLane)
		for i := range r {
			r[i] = s.LoadVolatile(t, i*stride+l)
		}
		intrinsics.SyncWarp(t, everyLane)
		for i := range r {
			v = intrinsics.Add(t, v, r[i])
		}
		return v
	}
}

func blockMaxLane(t *thread, v float32, s *intrinsics.Array[float32]) float32 {
	l := t.Lane()
	v = maxLane(t, v)
	if l == 0 {
		s.Store(t, t.WarpID(), v)
	}
	intrinsics.SyncThreads(t)
	v = -1e30
	if l < t.BlockDim().X/32 {
		v = s.Load(t, l)
	}
	v = intrinsics.Add(t, maxLane(t, v), float32(t.ThreadRank()))
	intrinsics.SyncThreads(t)
	return v
}

func fourReducesLane(t *thread, v float32, _ *intrinsics.Array[float32]) float32 {
	a, b, c, d := v, intrinsics.Add(t, v, 1), intrinsics.Mul(t, v, 2), intrinsics.Sub(t, v, 3)
	for o := 16; o > 0; o /= 2 {
		a = intrinsics.Add(t, a, intrinsics.ShflXorSync(t, everyLane, a, o))
		b = intrinsics.Add(t, b, intrinsics.ShflXorSync(t, everyLane, b, o))
		c = intrinsics.Add(t, c, intrinsics.ShflXorSync(t, everyLane, c, o))
		d = intrinsics.Add(t, d, intrinsics.ShflXorSync(t, everyLane, d, o))
	}
	return intrinsics.Sub(t, intrinsics.Mul(t, a, b), intrinsics.Mul(t, c, d))
}

// PerLane are the kernels per lane by the name of the kernel.
var PerLane = map[string]Launched{
	"warp_reduce_down_f32": perLane(downLane[float32]),
	"warp_reduce_xor_f32":  perLane(xorLane[float32]),
	"warp_reduce_down_s32": perLane(downLane[int32]),
	"warp_reduce_xor_s32":  perLane(xorLane[int32]),
	"warp_reduce_down_f64": perLane(downLane[float64]),
	"warp_reduce_redux_s32": perLane(func(t *thread, v int32, _ *intrinsics.Array[int32]) int32 {
		return intrinsics.ReduceAddSync(t, everyLane, v)
	}),
	"warp_reduce_down_width16_f32": perLane(func(t *thread, v float32, _ *intrinsics.Array[float32]) float32 {
		for o := 8; o > 0; o /= 2 {
			v = intrinsics.Add(t, v, intrinsics.ShflDownSync(t, everyLane, v, o, 16))
		}
		return v
	}),
	"warp_scan_up_f32":              perLane(scanLane[float32]),
	"warp_scan_up_s32":              perLane(scanLane[int32]),
	"warp_reduce_smem_syncwarp_f32": perLane(sharedSyncWarpLane),
	"block_reduce_smem_tree_f32":    perLane(blockTreeLane),
	"mailbox_smem_syncthreads_f32":  perLane(mailboxBlockLane),
	"mailbox_smem_syncwarp_f32":     perLane(mailboxWarpLane),
	"mailbox_shfl_idx_f32": perLane(func(t *thread, v float32, _ *intrinsics.Array[float32]) float32 {
		return intrinsics.Add(t, v, intrinsics.ShflSync(t, everyLane, v, 7))
	}),
	"block_reduce_hybrid_f32": perLane(blockHybridLane),
	"warp_butterfly_wht_f32":  perLane(hadamardLane),
	"ballot_rank_u32":         perLane(ballotRankLane),
	"vote_early_exit_s32":     perLane(earlyExitLane),

	"bitonic_sort32_s32":           perLane(bitonicLane),
	"warp_argmax_f32":              perLane(argmaxLane),
	"warp_sum_and_sumsq_f32":       perLane(sumAndSquaresLane),
	"warp_softmax_f32":             perLane(softmaxLane),
	"match_leader_count_u32":       perLane(matchLeaderLane),
	"transpose_conflict_f32":       perLane(transposeLane(32)),
	"transpose_padded_f32":         perLane(transposeLane(33)),
	"block_max_hybrid_f32":         perLane(blockMaxLane),
	"warp_reduce_xor_f64":          perLane(xorLane[float64]),
	"warp_scan_up_f64":             perLane(scanLane[float64]),
	"four_independent_reduces_f32": perLaneFrom(1e-25, fourReducesLane),
}
