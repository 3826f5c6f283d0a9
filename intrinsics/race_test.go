package intrinsics_test

import (
	"context"
	"testing"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"github.com/stretchr/testify/require"
)

// watched runs a kernel with memory watched, for 1 and 3 workers, and returns the
// kinds of its faults.
func watched(t *testing.T, name string, blocks, threads int, kernel func(e *warp.Engine) func(t *thread)) map[warp.FaultKind]int {
	t.Helper()
	var all [2]map[warp.FaultKind]int
	for i, workers := range []int{1, 3} {
		p, err := device.Lookup(name)
		require.NoError(t, err)
		e, err := warp.New(warp.Config{Device: p, ValuesOnly: true, Faults: warp.Collect, Sanitize: true, Workers: workers})
		require.NoError(t, err)
		r, err := intrinsics.Launch(context.Background(), e, warp.X(blocks), warp.X(threads), kernel(e))
		require.NoError(t, err)
		all[i] = map[warp.FaultKind]int{}
		for _, f := range r.Faults {
			all[i][f.Kind] += f.Count
		}
	}
	require.Equal(t, all[0], all[1], "the faults do not depend on the workers")
	return all[0]
}

func mustGlobal[T any](t *testing.T, e *warp.Engine, n int) *intrinsics.Array[T] {
	t.Helper()
	a, err := intrinsics.Global(e, make([]T, n))
	require.NoError(t, err)
	return a
}

// Fences and atomics order two lanes of one warp, two warps, and two blocks alike.
func TestHandOver(t *testing.T) {
	type shape struct {
		name            string
		blocks, threads int
		to              int // the thread that receives, of the last block
	}
	for _, s := range []shape{{"lanes", 1, 32, 5}, {"warps", 1, 64, 40}, {"blocks", 2, 32, 3}} {
		run := func(release, acquire, plainFlag bool) map[warp.FaultKind]int {
			return watched(t, "h200", s.blocks, s.threads, func(e *warp.Engine) func(t *thread) {
				data, flag := mustGlobal[int32](t, e, 1), mustGlobal[int32](t, e, 1)
				return func(t *thread) {
					if t.GlobalID() == 0 {
						data.Store(t, 0, 42)
						if release {
							intrinsics.ThreadFence(t)
						}
						if plainFlag {
							flag.Store(t, 0, 1)
						} else {
							intrinsics.AtomicExch(t, flag, 0, 1)
						}
					} else if t.BlockIdx().X == s.blocks-1 && t.ThreadRank() == s.to {
						for intrinsics.AtomicAdd(t, flag, 0, 0) == 0 {
						}
						if acquire {
							intrinsics.ThreadFence(t)
						}
						data.Load(t, 0)
					}
				}
			})
		}
		require.Empty(t, run(true, true, false), s.name)
		require.Equal(t, map[warp.FaultKind]int{warp.GlobalRace: 1}, run(false, true, false), s.name)
		require.Equal(t, map[warp.FaultKind]int{warp.GlobalRace: 1}, run(true, false, false), s.name)
		require.NotEmpty(t, run(true, true, true)[warp.GlobalRace], s.name)
	}
}

// A sum by the last block to come, as the language's guide has it, and what it
// must not leave out.
func TestLastBlock(t *testing.T) {
	type variant struct{ release, acquire, volatile, everyone bool }
	for _, name := range []string{"h200", "mi300x", "mtt-s4000"} {
		run := func(v variant) map[warp.FaultKind]int {
			return watched(t, name, 5, 128, func(e *warp.Engine) func(t *thread) {
				part, ticket, sum := mustGlobal[int32](t, e, 5), mustGlobal[int32](t, e, 1), mustGlobal[int32](t, e, 1)
				return func(t *thread) {
					last := intrinsics.Shared[bool](t, 1)
					b := t.BlockIdx().X
					if t.ThreadRank() == 0 {
						part.Store(t, b, int32(b))
						if v.release && !v.everyone {
							intrinsics.ThreadFence(t)
						}
					}
					if v.everyone {
						intrinsics.ThreadFence(t)
						intrinsics.SyncThreads(t)
					}
					if t.ThreadRank() == 0 {
						last.Store(t, 0, intrinsics.AtomicAdd(t, ticket, 0, 1) == 4)
					}
					intrinsics.SyncThreads(t)
					if !last.Load(t, 0) {
						return
					}
					if v.acquire {
						intrinsics.ThreadFence(t)
					}
					if i := t.ThreadRank(); i < 5 {
						x := int32(0)
						if v.volatile {
							x = part.LoadVolatile(t, i)
						} else {
							x = part.Load(t, i)
						}
						intrinsics.AtomicAdd(t, sum, 0, x)
					}
					if t.ThreadRank() == 0 {
						ticket.Store(t, 0, 0)
					}
				}
			})
		}
		require.Empty(t, run(variant{release: true, acquire: true}), name)
		require.Empty(t, run(variant{release: true, volatile: true}), name)
		require.Empty(t, run(variant{everyone: true, acquire: true}), name)
		require.Equal(t, map[warp.FaultKind]int{warp.GlobalRace: 1}, run(variant{acquire: true}), name)
		require.Equal(t, map[warp.FaultKind]int{warp.GlobalRace: 1}, run(variant{volatile: true}), name)
		require.Equal(t, map[warp.FaultKind]int{warp.GlobalRace: 1}, run(variant{release: true}), name)
	}
}

// Blocks that meet at plain accesses, a plain counter, and a lock without fences.
func TestRacesBetweenBlocks(t *testing.T) {
	meet := func(same bool) map[warp.FaultKind]int {
		return watched(t, "h200", 3, 64, func(e *warp.Engine) func(t *thread) {
			a := mustGlobal[int32](t, e, 3*64+1)
			return func(t *thread) {
				i := t.GlobalID()
				if same {
					i++
				}
				a.Store(t, t.GlobalID(), 1)
				intrinsics.SyncThreads(t)
				if t.ThreadRank() == 63 {
					a.Load(t, i)
				}
			}
		})
	}
	require.Empty(t, meet(false))
	require.Equal(t, map[warp.FaultKind]int{warp.GlobalRace: 2}, meet(true))

	counter := watched(t, "h200", 3, 32, func(e *warp.Engine) func(t *thread) {
		a := mustGlobal[int32](t, e, 1)
		return func(t *thread) {
			if t.Lane() == 0 {
				a.Store(t, 0, a.Load(t, 0)+1)
			}
		}
	})
	require.NotEmpty(t, counter[warp.GlobalRace])

	lock := func(fences bool) map[warp.FaultKind]int {
		return watched(t, "h200", 4, 32, func(e *warp.Engine) func(t *thread) {
			lock, n := mustGlobal[int32](t, e, 1), mustGlobal[int32](t, e, 1)
			return func(t *thread) {
				if t.Lane() != 0 {
					return
				}
				for intrinsics.AtomicCAS(t, lock, 0, 0, 1) != 0 {
				}
				if fences {
					intrinsics.ThreadFence(t)
				}
				n.Store(t, 0, n.Load(t, 0)+1)
				if fences {
					intrinsics.ThreadFence(t)
				}
				intrinsics.AtomicExch(t, lock, 0, 0)
			}
		})
	}
	require.Empty(t, lock(true))
	require.NotEmpty(t, lock(false)[warp.GlobalRace])

	// One slice passed twice is one memory.
	twice := watched(t, "h200", 1, 64, func(e *warp.Engine) func(t *thread) {
		data := make([]int32, 64)
		a, err := intrinsics.Global(e, data)
		require.NoError(t, err)
		b, err := intrinsics.Global(e, data[32:])
		require.NoError(t, err)
		return func(t *thread) {
			a.Store(t, t.ThreadRank(), 1)
			if t.WarpID() == 0 {
				b.Load(t, t.Lane())
			}
		}
	})
	require.Equal(t, map[warp.FaultKind]int{warp.GlobalRace: 1}, twice)
}

// The end of a launch orders all that it did.
func TestLaunchesAreOrdered(t *testing.T) {
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	e, err := warp.New(warp.Config{Device: p, ValuesOnly: true, Sanitize: true})
	require.NoError(t, err)
	a, err := intrinsics.Undefined[int32](e, 256)
	require.NoError(t, err)
	_, err = intrinsics.Launch(context.Background(), e, warp.X(2), warp.X(128), func(t *thread) { a.Store(t, t.GlobalID(), 1) })
	require.NoError(t, err)
	_, err = intrinsics.Launch(context.Background(), e, warp.X(2), warp.X(128), func(t *thread) {
		a.Store(t, t.GlobalID(), a.Load(t, t.GlobalID())+1)
	})
	require.NoError(t, err)
	require.Equal(t, map[warp.FaultKind]int{warp.UninitializedGlobal: 4}, watched(t, "h200", 2, 64, func(e *warp.Engine) func(t *thread) {
		b, err := intrinsics.Undefined[int32](e, 129)
		require.NoError(t, err)
		return func(t *thread) { b.Load(t, t.GlobalID()+1) }
	}))
	_, err = intrinsics.Undefined[int32](e, -1)
	require.Error(t, err)
}

// What a warp does after it has arrived at a barrier, and before it ends, is not
// ordered with what those do that wait there.
func TestArriveAndEnd(t *testing.T) {
	run := func(after bool) map[warp.FaultKind]int {
		return watched(t, "h200", 1, 64, func(e *warp.Engine) func(t *thread) {
			return func(t *thread) {
				s := intrinsics.Shared[int32](t, 64)
				if t.WarpID() == 0 {
					s.Store(t, t.Lane(), 1)
					intrinsics.BarrierArrive(t, 1, 64)
					if after {
						s.Store(t, t.Lane(), 2)
					}
					return
				}
				intrinsics.BarrierSync(t, 1, 64)
				s.Load(t, t.Lane())
			}
		})
	}
	require.Empty(t, run(false))
	require.Equal(t, map[warp.FaultKind]int{warp.SharedRace: 1}, run(true))
}
