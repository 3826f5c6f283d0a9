package intrinsics_test

import (
	"testing"

	"example.com/warpsim/intrinsics"
	"github.com/stretchr/testify/require"
)

// The old way round: a mailbox in shared memory.
func TestSampleMailbox(t *testing.T) {
	for _, d := range narrow {
		require.Equal(t, same(32, float32(7.5)), run(t, engine(t, d, values), 32, func(t *thread) float32 {
			mailbox := intrinsics.Shared[float32](t, 32)
			myValue := float32(t.ThreadIdx().X) + 0.5
			mailbox.Store(t, t.ThreadIdx().X%32, myValue)
			intrinsics.SyncThreads(t)
			v := mailbox.Load(t, 7)
			return v
		}), d)
	}
	for _, d := range wide {
		e := engine(t, d, values)
		n := e.Device().Lanes
		require.Equal(t, by(2*n, func(i int) float32 { return float32(i-i%n) + 7.5 }), run(t, e, 2*n, func(t *thread) float32 {
			mailbox := intrinsics.Shared[float32](t, t.BlockDim().Count())
			mailbox.Store(t, t.ThreadIdx().X, float32(t.ThreadIdx().X)+0.5)
			intrinsics.SyncThreads(t)
			return mailbox.Load(t, t.ThreadIdx().X-t.Lane()+7)
		}), d)
	}
}

// warpReduce is the sample's device function.
func warpReduce(t *thread, v float32) float32 {
	for offset := 16; offset > 0; offset >>= 1 {
		v += intrinsics.ShflDownSync(t, full, v, offset)
	}
	return v
}

// warpReduceAny is warpReduce for any width.
func warpReduceAny(t *thread, v float32) float32 {
	for offset := t.WarpSize() / 2; offset > 0; offset >>= 1 {
		v += intrinsics.ShflDownSync(t, t.AllLanes(), v, offset)
	}
	return v
}

// Halving: a warp's sum, and a block's through shared memory.
func TestSampleHalving(t *testing.T) {
	for _, d := range narrow {
		e := engine(t, d, values)
		require.Equal(t, float32(496), run(t, e, 32, func(t *thread) float32 { return warpReduce(t, float32(t.Lane())) })[0], d)
		got := run(t, e, 1024, func(t *thread) float32 {
			lane := t.ThreadIdx().X % 32
			wid := t.ThreadIdx().X / 32
			v := warpReduce(t, float32(t.ThreadIdx().X))
			warpSum := intrinsics.Shared[float32](t, 32)
			if lane == 0 {
				warpSum.Store(t, wid, v)
			}
			intrinsics.SyncThreads(t)
			if wid == 0 {
				v = warpReduce(t, warpSum.Load(t, lane))
			} else {
				v = 0
			}
			return v
		})
		require.Equal(t, float32(1024*1023/2), got[0], d)
	}
	for _, d := range wide {
		e := engine(t, d, values)
		n := e.Device().Lanes
		require.Equal(t, float32(ramp(n)), run(t, e, n, func(t *thread) float32 { return warpReduceAny(t, float32(t.Lane())) })[0], d)
		got := run(t, e, 1024, func(t *thread) float32 {
			v := warpReduceAny(t, float32(t.ThreadIdx().X))
			warps := t.BlockDim().X / t.WarpSize()
			warpSum := intrinsics.Shared[float32](t, warps)
			if t.Lane() == 0 {
				warpSum.Store(t, t.WarpID(), v)
			}
			intrinsics.SyncThreads(t)
			if t.WarpID() != 0 {
				return 0
			}
			v = 0
			if t.Lane() < warps {
				v = warpSum.Load(t, t.Lane())
			}
			return warpReduceAny(t, v)
		})
		require.Equal(t, float32(1024*1023/2), got[0], d)
	}
	// Sub-groups of 16 take four steps, side by side.
	require.Equal(t, []float32{120, 376}, func() []float32 {
		got := run(t, engine(t, "h200", values), 32, func(t *thread) float32 {
			v := float32(t.Lane())
			for offset := 8; offset > 0; offset >>= 1 {
				v += intrinsics.ShflDownSync(t, full, v, offset, 16)
			}
			return v
		})
		return []float32{got[0], got[16]}
	}())
	// Another operation on the same skeleton.
	require.Equal(t, uint32(0xffffffff), run(t, engine(t, "h200", values), 32, func(t *thread) uint32 {
		v := uint32(1) << t.Lane()
		for offset := 16; offset > 0; offset >>= 1 {
			v |= intrinsics.ShflDownSync(t, full, v, offset)
		}
		return v
	})[0])
}

// The butterfly: a Walsh-Hadamard transform.
func TestSampleButterfly(t *testing.T) {
	in := func(l int) float32 { return float32(l*l%17 - 5) }
	// The transform by its definition: entry i is the sum of all values, each
	// with the sign of the parity of i and its number.
	want := func(n int) []float32 {
		return by(n, func(i int) (sum float32) {
			for j := range n {
				bits := 0
				for b := i & j; b > 0; b &= b - 1 {
					bits++
				}
				sum += in(j) * float32(1-2*(bits%2))
			}
			return sum
		})
	}
	for _, d := range narrow {
		require.Equal(t, want(32), run(t, engine(t, d, values), 32, func(t *thread) float32 {
			v := in(t.ThreadIdx().X)
			for step := 1; step < 32; step <<= 1 {
				other := intrinsics.ShflXorSync(t, full, v, step)
				if t.ThreadIdx().X&step == 0 {
					v += other
				} else {
					v = other - v
				}
			}
			return v
		}), d)
	}
	for _, d := range wide {
		e := engine(t, d, values)
		n := e.Device().Lanes
		require.Equal(t, want(n), run(t, e, n, func(t *thread) float32 {
			v := in(t.Lane())
			for step := 1; step < t.WarpSize(); step <<= 1 {
				other := intrinsics.ShflXorSync(t, t.AllLanes(), v, step)
				if t.Lane()&step == 0 {
					v += other
				} else {
					v = other - v
				}
			}
			return v
		}), d)
	}
}

// The inclusive prefix sum.
func TestSamplePrefix(t *testing.T) {
	for _, d := range narrow {
		require.Equal(t, by(32, func(l int) float32 { return float32(ramp(l + 1)) }), run(t, engine(t, d, values), 32, func(t *thread) float32 {
			v, lane := float32(t.Lane()), t.Lane()
			for delta := 1; delta < 32; delta <<= 1 {
				n := intrinsics.ShflUpSync(t, full, v, delta)
				if lane >= delta {
					v += n
				}
			}
			return v
		}), d)
	}
	for _, d := range wide {
		e := engine(t, d, values)
		n := e.Device().Lanes
		require.Equal(t, by(n, func(l int) float32 { return float32(ramp(l + 1)) }), run(t, e, n, func(t *thread) float32 {
			v := float32(t.Lane())
			for delta := 1; delta < t.WarpSize(); delta <<= 1 {
				n := intrinsics.ShflUpSync(t, t.AllLanes(), v, delta)
				if t.Lane() >= delta {
					v += n
				}
			}
			return v
		}), d)
	}
}

// Compaction by ballot.
func TestSampleCompaction(t *testing.T) {
	const base = 3
	hits := func(l int) bool { return l%3 == 1 || l%5 == 0 }
	want := func(n int) (out []int32, total int) {
		out = make([]int32, base+n)
		for l := range n {
			if hits(l) {
				out[base+total] = int32(100 + l)
				total++
			}
		}
		return out, total
	}
	compact := func(d string, k func(t *thread, out *intrinsics.Array[int32], pred bool, value int32) int) {
		e := engine(t, d, values)
		n := e.Device().Lanes
		out, err := intrinsics.Global(e, make([]int32, base+n))
		require.NoError(t, err)
		totals := run(t, e, n, func(t *thread) int { return k(t, out, hits(t.Lane()), int32(100+t.Lane())) })
		packed, total := want(n)
		require.Equal(t, packed, out.Data(), d)
		require.Equal(t, total, totals[0], d)
	}
	for _, d := range narrow {
		compact(d, func(t *thread, out *intrinsics.Array[int32], pred bool, value int32) int {
			lane := t.Lane()
			hit := intrinsics.BallotSync(t, full, pred)
			rank := intrinsics.Popc(t, hit&((uint32(1)<<lane)-1))
			if pred {
				out.Store(t, base+rank, value)
			}
			total := intrinsics.Popc(t, hit)
			return total
		})
	}
	for _, d := range wide {
		compact(d, func(t *thread, out *intrinsics.Array[int32], pred bool, value int32) int {
			hit := intrinsics.BallotSync(t, t.AllLanes(), pred)
			if pred {
				out.Store(t, base+hit.Rank(t.Lane()), value)
			}
			return hit.Count()
		})
	}
}

// Votes for an early exit, and before a branch that all take.
func TestSampleVoteUses(t *testing.T) {
	for _, d := range wide {
		e := engine(t, d, values)
		n := e.Device().Lanes
		// Lane l needs l+1 turns; the warp goes on until none needs one.
		require.Equal(t, same(n, n), run(t, e, n, func(t *thread) int {
			turns := 0
			for intrinsics.AnySync(t, t.AllLanes(), turns <= t.Lane()) {
				turns++
			}
			return turns
		}), d)
		require.Equal(t, same(n, true), run(t, e, n, func(t *thread) bool {
			return intrinsics.AllSync(t, t.AllLanes(), t.Lane() < t.WarpSize())
		}), d)
	}
}
