package warptest_test

import (
	"context"
	"testing"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/warptest"
	"github.com/stretchr/testify/require"
)

// lastBlock sums n numbers a block and lets the last block add the partial sums up,
// with the fence before the ticket and the one after it left out or not.
func lastBlock(before, after string) warptest.Program {
	fence := func(t *thread, which string) {
		switch which {
		case "device":
			intrinsics.ThreadFence(t)
		case "block":
			intrinsics.ThreadFenceBlock(t)
		}
	}
	return func(ctx context.Context, e *warp.Engine) (any, *warp.Report, error) {
		const blocks = 6
		partial, err := intrinsics.Global(e, make([]int32, blocks))
		if err != nil {
			return nil, nil, err
		}
		ticket, err := intrinsics.Global(e, make([]uint32, 1))
		if err != nil {
			return nil, nil, err
		}
		out, err := intrinsics.Global(e, make([]int32, 1))
		if err != nil {
			return nil, nil, err
		}
		r, err := intrinsics.Launch(ctx, e, warp.X(blocks), warp.X(2*e.Device().Lanes), func(t *thread) {
			last := intrinsics.Shared[int32](t, 1)
			if t.ThreadRank() == 0 {
				partial.Store(t, t.BlockIdx().X, int32(t.BlockIdx().X+1))
				fence(t, before)
				last.Store(t, 0, 0)
				if intrinsics.AtomicInc(t, ticket, 0, blocks-1) == blocks-1 {
					last.Store(t, 0, 1)
				}
				fence(t, after)
			}
			intrinsics.SyncThreads(t)
			if last.Load(t, 0) == 1 && t.ThreadRank() == t.BlockDim().X-1 {
				var sum int32
				for i := range blocks {
					sum += partial.Load(t, i)
				}
				out.Store(t, 0, sum)
			}
		})
		return out.Data()[0], r, err
	}
}

// A last block that reads partial results which were stored without a fence, or with
// one for the block only, or that has no fence itself, gets a wrong sum under some
// schedule; with both fences it never does.
func TestStoresWithoutAFenceComeLate(t *testing.T) {
	for _, device := range []string{"h200", "mi300x", "mtt-s4000"} {
		for _, c := range []struct {
			before, after string
			wrong         bool
		}{{"device", "device", false}, {"", "device", true}, {"block", "device", true}, {"device", "", true}, {"device", "block", true}} {
			x := warptest.Exploration{Config: warp.Config{Device: profile(t, device)}, Schedules: 24}
			program := lastBlock(c.before, c.after)
			d, err := warptest.Find(context.Background(), x, program)
			require.NoError(t, err)
			if !c.wrong {
				require.Nil(t, d, "%s %v", device, c)
				continue
			}
			require.NotNil(t, d, "%s %v", device, c)
			require.EqualValues(t, 21, d.Results[0])
			require.Less(t, d.Results[1], int32(21))
			require.Contains(t, d.String(), "what was there before a store that no fence has made visible")
			again, err := warptest.Find(context.Background(), x, program)
			require.NoError(t, err)
			require.Equal(t, d, again, "a seed is one schedule")
		}
	}
}

// wideLate runs a kernel of several blocks under many schedules and returns how often
// each value of the first element of out came.
func wideLate(t *testing.T, device string, blocks, warps int, k func(w *warp.Warp, a, out ints)) map[int32]int {
	t.Helper()
	seen := map[int32]int{}
	for seed := range uint64(40) {
		// One worker: what blocks race for would be raced for by processors of the host.
		e, err := warp.New(warp.Config{Device: profile(t, device), ValuesOnly: true, Seed: seed, Faults: warp.Collect, Workers: 1})
		require.NoError(t, err)
		a, err := warp.Global(e, make([]int32, 256))
		require.NoError(t, err)
		out, err := warp.Global(e, make([]int32, 256))
		require.NoError(t, err)
		launch := warp.Launch{Blocks: warp.X(blocks), Threads: warp.X(warps * e.Device().Lanes)}
		_, err = e.Run(context.Background(), launch, func(w *warp.Warp) { k(w, a, out) })
		require.NoError(t, err)
		seen[out.Data()[0]]++
		// The end of a launch orders everything.
		_, err = e.Run(context.Background(), launch, func(w *warp.Warp) {
			v := warp.Alloc[int32](w)
			warp.Load(v, a, w.LaneID())
			warp.Store(out, w.LaneID(), v)
		})
		require.NoError(t, err)
		require.Equal(t, a.Data()[:e.Device().Lanes], out.Data()[:e.Device().Lanes])
	}
	return seen
}

// What is ordered is never late.
func TestOrderedStoresAreNotLate(t *testing.T) {
	for _, device := range []string{"h200", "mi300x", "mtt-s4000"} {
		// A thread sees its own stores, the last one first; a warp does, too.
		require.Equal(t, map[int32]int{9: 40}, wideLate(t, device, 3, 1, func(w *warp.Warp, a, out ints) {
			v := warp.Alloc[int32](w)
			mine := a.At(w.BlockIndex())
			at := index(w, func(int) int { return 0 })
			for _, x := range []int32{7, 8, 9} {
				warp.Set(v, x)
				w.Where(when(w, func(l int) bool { return l == 1 }), func() { warp.Store(mine, at, v) })
			}
			w.SyncWarp(w.Active())
			warp.Load(v, mine, at)
			w.Where(when(w, func(l int) bool { return l == 0 && w.BlockIndex() == 0 }), func() { warp.Store(out, at, v) })
		}), device)
		// A barrier orders what the block has done.
		require.Equal(t, map[int32]int{5: 40}, wideLate(t, device, 2, 2, func(w *warp.Warp, a, out ints) {
			v, at := warp.Alloc[int32](w), index(w, func(int) int { return w.BlockIndex() })
			warp.Set(v, 5)
			if w.ID() == 1 {
				w.Where(when(w, func(l int) bool { return l == 0 }), func() { warp.Store(a, at, v) })
			}
			w.SyncBlock()
			if w.ID() == 0 && w.BlockIndex() == 0 {
				warp.Load(v, a, at)
				warp.Store(out, index(w, func(int) int { return 0 }), v)
			}
		}), device)
		// Atomics are never late, nor do they see what is.
		require.Equal(t, map[int32]int{int32(4 * profile(t, device).Lanes): 40}, wideLate(t, device, 4, 1, func(w *warp.Warp, a, out ints) {
			v, at := warp.Alloc[int32](w), index(w, func(int) int { return 0 })
			warp.Set(v, 1)
			warp.Atomic(warp.AtomicAdd, v, a, at, v)
			n := int32(4*w.Width()) - 1
			w.Where(when(w, func(l int) bool { return v.Lanes()[l] == n }), func() {
				warp.Set(v, 0)
				warp.Atomic(warp.AtomicAdd, v, a, at, v)
				warp.Store(out, at, v)
			})
		}), device)
	}
}

// Data and flag stored one after the other without a fence may be seen in the other
// order, between blocks and between the warps of one; elements of any size come late
// as a whole.
func TestDataAndFlagChangePlaces(t *testing.T) {
	message := func(blocks bool, fence bool) func(w *warp.Warp, a, out ints) {
		return func(w *warp.Warp, a, out ints) {
			who := w.ID()
			if blocks {
				who = w.BlockIndex()
			}
			one, v, at, flag := warp.Alloc[int32](w), warp.Alloc[int32](w), index(w, func(int) int { return 0 }), index(w, func(int) int { return 9 })
			warp.Set(one, 1)
			lane0 := when(w, func(l int) bool { return l == 0 })
			w.Where(lane0, func() {
				if who == 0 {
					warp.Store(a, at, one)
					if fence {
						w.Fence()
					}
					warp.StoreVolatile(a, flag, one)
					return
				}
				w.While(func() warp.Pred {
					p := w.Pred()
					warp.LoadVolatile(v, a, flag)
					warp.EqImm(p, v, 0)
					return p
				}, func() {})
				if fence {
					w.Fence()
				}
				warp.Load(v, a, at)
				warp.Store(out, at, v)
			})
		}
	}
	for _, device := range []string{"h200", "mi300x", "mtt-s4000"} {
		for _, blocks := range []bool{false, true} {
			n, warps := 1, 2
			if blocks {
				n, warps = 2, 1
			}
			require.Equal(t, map[int32]int{1: 40}, wideLate(t, device, n, warps, message(blocks, true)), "%s, blocks %v", device, blocks)
			seen := wideLate(t, device, n, warps, message(blocks, false))
			require.Greater(t, seen[0], 5, "%s, blocks %v: %v", device, blocks, seen)
			require.Greater(t, seen[1], 5, "%s, blocks %v: %v", device, blocks, seen)
		}
	}
	type wide struct{ A, B, C int32 }
	whole, old := 0, 0
	for seed := range uint64(60) {
		e, err := warp.New(warp.Config{Device: profile(t, "h200"), ValuesOnly: true, Seed: seed, Faults: warp.Collect, Workers: 1})
		require.NoError(t, err)
		a, err := warp.Global(e, make([]wide, 32))
		require.NoError(t, err)
		b, err := warp.Global(e, make([]uint8, 32))
		require.NoError(t, err)
		_, err = e.Run(context.Background(), warp.Launch{Blocks: warp.X(2), Threads: warp.X(32)}, func(w *warp.Warp) {
			v, x := warp.Alloc[wide](w), warp.Alloc[uint8](w)
			if w.BlockIndex() == 0 {
				warp.SetLanes(v, func(l int) wide { return wide{1, 2, int32(l)} })
				warp.Set(x, 3)
				warp.Store(a, w.LaneID(), v)
				warp.Store(b, w.LaneID(), x)
				return
			}
			warp.Load(v, a, w.LaneID())
			warp.Load(x, b, w.LaneID())
			for l, got := range v.Lanes() {
				switch got {
				case wide{}:
					old++
				case wide{1, 2, int32(l)}:
					whole++
				default:
					t.Errorf("seed %d, lane %d: %v", seed, l, got)
				}
				if b := x.Lanes()[l]; b != 0 && b != 3 {
					t.Errorf("seed %d, lane %d: %d", seed, l, b)
				}
			}
		})
		require.NoError(t, err)
		require.Equal(t, wide{1, 2, 31}, a.Data()[31])
	}
	require.Greater(t, old, 32)
	require.Greater(t, whole, 32)
}
