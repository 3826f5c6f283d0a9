package intrinsics_test

import (
	"context"
	"testing"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/warp"
	"github.com/stretchr/testify/require"
)

// A dataKernel is a sample that works on an array and writes to another.
type dataKernel func(t *thread, data, result *intrinsics.Array[float32])

// onData runs a sample on blocks of threads, with the data given, and returns
// the data and its results, as many as asked for.
func onData(t *testing.T, device string, blocks, threads int, data []float32, results int, k dataKernel) (after, result []float32) {
	t.Helper()
	e := engine(t, device, values)
	after = append([]float32(nil), data...)
	in, err := intrinsics.Global(e, after)
	require.NoError(t, err)
	result = make([]float32, results)
	out, err := intrinsics.Global(e, result)
	require.NoError(t, err)
	_, err = intrinsics.Launch(context.Background(), e, warp.X(blocks), warp.X(threads), func(t *thread) { k(t, in, out) })
	require.NoError(t, err, device)
	return after, result
}

// bool32 is what C makes of a bool.
func bool32(b bool) float32 {
	if b {
		return 1
	}
	return 0
}

func TestSampleSharedMemory(t *testing.T) {
	data := by(256, func(i int) float32 { return float32(i) / 2 })
	for _, d := range wide { // as written, and right on any width
		_, got := onData(t, d, 1, 256, data, 256, func(t *thread, data, out *intrinsics.Array[float32]) {
			shared := intrinsics.Shared[float32](t, 256)
			tid := t.ThreadIdx().X
			shared.Store(t, tid, data.Load(t, tid))
			intrinsics.SyncThreads(t)
			result := shared.Load(t, tid) * 2
			out.Store(t, tid, result)
		})
		require.Equal(t, by(256, func(i int) float32 { return float32(i) }), got, d)
	}
}

// The three barriers that reduce a predicate of all threads.
func TestSampleBarrierReductions(t *testing.T) {
	const n = 200 // of 256 threads
	data := by(n, func(i int) float32 { return float32(i%5 - 1) })
	positive := func(t *thread, data *intrinsics.Array[float32]) bool {
		tid := t.ThreadIdx().X
		return tid < n && data.Load(t, tid) > 0
	}
	for _, d := range wide { // as written, and right on any width
		_, got := onData(t, d, 1, 256, data, 3, func(t *thread, data, out *intrinsics.Array[float32]) {
			active := positive(t, data)
			activeCount := intrinsics.SyncThreadsCount(t, active)
			all := intrinsics.SyncThreadsAnd(t, active)
			anyone := intrinsics.SyncThreadsOr(t, active)
			if t.ThreadIdx().X == 0 {
				out.Store(t, 0, float32(activeCount))
				out.Store(t, 1, bool32(all))
				out.Store(t, 2, bool32(anyone))
			}
		})
		require.Equal(t, []float32{120, 0, 1}, got, d)
		_, got = onData(t, d, 1, n, same(n, float32(3)), 1, func(t *thread, data, out *intrinsics.Array[float32]) {
			if all := intrinsics.SyncThreadsAnd(t, positive(t, data)); t.ThreadIdx().X == 0 {
				out.Store(t, 0, bool32(all))
			}
		})
		require.Equal(t, []float32{1}, got, d)
		_, got = onData(t, d, 1, n, same(n, float32(-3)), 1, func(t *thread, data, out *intrinsics.Array[float32]) {
			if anyone := intrinsics.SyncThreadsOr(t, positive(t, data)); t.ThreadIdx().X == 0 {
				out.Store(t, 0, bool32(anyone))
			}
		})
		require.Equal(t, []float32{0}, got, d)
	}
}

func TestSampleWarpSync(t *testing.T) {
	sample := func(sync func(t *thread)) dataKernel {
		return func(t *thread, data, out *intrinsics.Array[float32]) {
			tid := t.ThreadIdx().X
			laneID := tid % t.WarpSize()
			data.Store(t, tid, float32(laneID)*1)
			sync(t)
			fromLane0 := data.Load(t, tid-laneID)
			out.Store(t, tid, fromLane0)
		}
	}
	for _, d := range narrow {
		after, got := onData(t, d, 1, 64, make([]float32, 64), 64, sample(func(t *thread) { intrinsics.SyncWarp(t, full) }))
		require.Equal(t, by(64, func(i int) float32 { return float32(i % 32) }), after, d)
		require.Equal(t, same(64, float32(0)), got, d)
	}
	for _, d := range wide {
		after, got := onData(t, d, 1, 256, make([]float32, 256), 256, sample(func(t *thread) { intrinsics.SyncWarp(t, t.AllLanes()) }))
		n := profile(t, d).Lanes
		require.Equal(t, by(256, func(i int) float32 { return float32(i % n) }), after, d)
		require.Equal(t, same(256, float32(0)), got, d)
	}
}

// The votes: all, any and ballot over what is above zero, the result of thread 0
// of each block.
func TestSampleVotes(t *testing.T) {
	sample := func(vote func(t *thread, predicate bool) float32) dataKernel {
		return func(t *thread, data, result *intrinsics.Array[float32]) {
			tid := t.ThreadIdx().X
			n := data.Len()
			predicate := tid < n && data.Load(t, tid) > 0
			r := vote(t, predicate)
			if t.ThreadIdx().X == 0 {
				result.Store(t, t.BlockIdx().X, r)
			}
		}
	}
	votes := map[string]struct {
		written, any func(t *thread, p bool) float32
	}{
		"all": {
			func(t *thread, p bool) float32 { return bool32(intrinsics.AllSync(t, full, p)) },
			func(t *thread, p bool) float32 { return bool32(intrinsics.AllSync(t, t.AllLanes(), p)) },
		},
		"any": {
			func(t *thread, p bool) float32 { return bool32(intrinsics.AnySync(t, full, p)) },
			func(t *thread, p bool) float32 { return bool32(intrinsics.AnySync(t, t.AllLanes(), p)) },
		},
		"ballot": {
			func(t *thread, p bool) float32 { return float32(intrinsics.BallotSync(t, full, p)) },
			func(t *thread, p bool) float32 { return float32(intrinsics.BallotSync(t, t.AllLanes(), p).Count()) },
		},
	}
	for name, data := range map[string]func(n int) []float32{
		"none": func(n int) []float32 { return same(n, float32(-1)) },
		"each": func(n int) []float32 { return same(n, float32(1)) },
		"two":  func(n int) []float32 { return by(n, func(i int) float32 { return bool32(i == 0 || i == 2) }) },
		"half": func(n int) []float32 { return same(n/2, float32(1)) }, // the array ends in the middle
	} {
		want := map[string]map[string][2]float32{ // on 32 lanes as written; with n lanes, as a part of n
			"none": {"all": {0, 0}, "any": {0, 0}, "ballot": {0, 0}},
			"each": {"all": {1, 1}, "any": {1, 1}, "ballot": {1<<32 - 1, 1}},
			"two":  {"all": {0, 0}, "any": {1, 1}, "ballot": {0b0101, 2}},
			"half": {"all": {0, 0}, "any": {1, 1}, "ballot": {1<<16 - 1, 0.5}},
		}[name]
		for vote, w := range want {
			for _, d := range narrow {
				_, got := onData(t, d, 2, 32, data(32), 2, sample(votes[vote].written))
				require.Equal(t, same(2, w[0]), got, "%s %s %s", d, vote, name)
			}
			for _, d := range wide {
				n := profile(t, d).Lanes
				expect := w[1]
				if vote == "ballot" && name != "two" {
					expect *= float32(n)
				}
				_, got := onData(t, d, 2, n, data(n), 2, sample(votes[vote].any))
				require.Equal(t, same(2, expect), got, "%s %s %s", d, vote, name)
			}
		}
	}
}

func TestSampleActiveMask(t *testing.T) {
	for _, d := range narrow {
		e := engine(t, d, values)
		require.Equal(t, uint32(0xffffffff), run(t, e, 32, func(t *thread) uint32 {
			activeMask := uint32(intrinsics.ActiveMask(t).Lo)
			return activeMask
		})[0], d)
	}
	for _, d := range wide {
		e := engine(t, d, values)
		n := e.Device().Lanes
		for _, threads := range []int{n, n - 3} {
			require.Equal(t, lanes(0, threads-1), run(t, e, threads, func(t *thread) intrinsics.Mask {
				return intrinsics.ActiveMask(t)
			})[0], d)
		}
	}
}

func TestSampleShuffles(t *testing.T) {
	const blocks = 256
	data := by(blocks, func(i int) float32 { return float32(i * i % 101) })
	for name, c := range map[string]struct {
		written, any dataKernel
		want         func(i, lanes int) float32
	}{
		"idx": {
			func(t *thread, _, output *intrinsics.Array[float32]) {
				tid := t.ThreadIdx().X
				laneID := tid % t.WarpSize()
				value := float32(laneID) * 1
				fromLane0 := intrinsics.ShflSync(t, full, value, 0)
				output.Store(t, tid, fromLane0)
			},
			func(t *thread, _, output *intrinsics.Array[float32]) {
				output.Store(t, t.ThreadIdx().X, intrinsics.ShflSync(t, t.AllLanes(), float32(t.Lane()), 0))
			},
			func(i, lanes int) float32 { return 0 },
		},
		"up": {
			func(t *thread, data, out *intrinsics.Array[float32]) {
				tid := t.ThreadIdx().X
				laneID := tid % t.WarpSize()
				value := data.Load(t, tid)
				fromUpper := intrinsics.ShflUpSync(t, full, value, 2)
				if laneID >= 2 {
					data.Store(t, tid, fromUpper)
				}
				out.Store(t, tid, data.Load(t, tid))
			},
			func(t *thread, data, out *intrinsics.Array[float32]) {
				x := intrinsics.ShflUpSync(t, t.AllLanes(), data.Load(t, t.ThreadIdx().X), 2)
				out.Store(t, t.ThreadIdx().X, x)
			},
			func(i, lanes int) float32 {
				if i%lanes < 2 {
					return data[i]
				}
				return data[i-2]
			},
		},
		"down": {
			func(t *thread, data, out *intrinsics.Array[float32]) {
				tid := t.ThreadIdx().X
				laneID := tid % t.WarpSize()
				value := data.Load(t, tid)
				fromLower := intrinsics.ShflDownSync(t, full, value, 2)
				if laneID < t.WarpSize()-2 {
					data.Store(t, tid, fromLower)
				}
				out.Store(t, tid, data.Load(t, tid))
			},
			func(t *thread, data, out *intrinsics.Array[float32]) {
				x := intrinsics.ShflDownSync(t, t.AllLanes(), data.Load(t, t.ThreadIdx().X), 2)
				out.Store(t, t.ThreadIdx().X, x)
			},
			func(i, lanes int) float32 {
				if i%lanes >= lanes-2 {
					return data[i]
				}
				return data[i+2]
			},
		},
		"xor": {
			func(t *thread, data, out *intrinsics.Array[float32]) {
				tid := t.ThreadIdx().X
				value := data.Load(t, tid)
				fromNeighbor := intrinsics.ShflXorSync(t, full, value, 1)
				data.Store(t, tid, fromNeighbor)
				out.Store(t, tid, fromNeighbor)
			},
			func(t *thread, data, out *intrinsics.Array[float32]) {
				x := intrinsics.ShflXorSync(t, t.AllLanes(), data.Load(t, t.ThreadIdx().X), 1)
				out.Store(t, t.ThreadIdx().X, x)
			},
			func(i, _ int) float32 { return data[i^1] },
		},
	} {
		want := func(lanes int) []float32 { return by(blocks, func(i int) float32 { return c.want(i, lanes) }) }
		for _, d := range narrow {
			_, got := onData(t, d, 1, blocks, data, blocks, c.written)
			require.Equal(t, want(32), got, "%s %s", name, d)
		}
		for _, d := range wide {
			_, got := onData(t, d, 1, blocks, data, blocks, c.any)
			require.Equal(t, want(profile(t, d).Lanes), got, "%s %s", name, d)
		}
	}
}

// The block reduction with an atomic addition of each block's sum.
func TestSampleBlockReduce(t *testing.T) {
	warpReduceSum := func(t *thread, value float32) float32 {
		value += intrinsics.ShflXorSync(t, full, value, 16)
		value += intrinsics.ShflXorSync(t, full, value, 8)
		value += intrinsics.ShflXorSync(t, full, value, 4)
		value += intrinsics.ShflXorSync(t, full, value, 2)
		value += intrinsics.ShflXorSync(t, full, value, 1)
		return value
	}
	anyWidth := func(t *thread, value float32) float32 {
		for d := t.WarpSize() / 2; d > 0; d /= 2 {
			value += intrinsics.ShflXorSync(t, t.AllLanes(), value, d)
		}
		return value
	}
	kernel := func(reduce func(*thread, float32) float32) dataKernel {
		return func(t *thread, input, output *intrinsics.Array[float32]) {
			shared := intrinsics.Shared[float32](t, 1024)
			tid := t.ThreadIdx().X
			idx := t.BlockIdx().X*t.BlockDim().X + t.ThreadIdx().X
			n := input.Len()
			var x float32
			if idx < n {
				x = input.Load(t, idx)
			}
			shared.Store(t, tid, x)
			intrinsics.SyncThreads(t)
			for s := t.BlockDim().X / 2; s >= t.WarpSize(); s >>= 1 {
				if tid < s {
					shared.Store(t, tid, shared.Load(t, tid)+shared.Load(t, tid+s))
				}
				intrinsics.SyncThreads(t)
			}
			partialSum := shared.Load(t, tid)
			if tid < t.WarpSize() {
				reduced := reduce(t, partialSum)
				if tid == 0 {
					intrinsics.AtomicAdd(t, output, 0, reduced)
				}
			}
		}
	}
	data := by(1000, func(i int) float32 { return float32(i%13 - 4) }) // sums are exact
	var want float32
	for _, x := range data {
		want += x
	}
	for _, d := range narrow {
		_, got := onData(t, d, 4, 256, data, 1, kernel(warpReduceSum))
		require.Equal(t, want, got[0], d)
	}
	for _, d := range wide {
		_, got := onData(t, d, 4, 256, data, 1, kernel(anyWidth))
		require.Equal(t, want, got[0], d)
	}
	// As written on 128 lanes, the last step leaves out three quarters.
	_, got := onData(t, "mtt-s4000", 1, 128, same(128, float32(1)), 1, kernel(warpReduceSum))
	require.Equal(t, float32(32), got[0])
}

func TestSampleBroadcast(t *testing.T) {
	data := by(256, func(i int) float32 { return float32(3 * i) })
	kernel := func(broadcast func(t *thread, value float32, lane int) float32) dataKernel {
		return func(t *thread, data, result *intrinsics.Array[float32]) {
			tid := t.ThreadIdx().X
			value := data.Load(t, tid)
			broadcasted := broadcast(t, value, 0)
			result.Store(t, tid, broadcasted)
		}
	}
	want := func(lanes int) []float32 { return by(256, func(i int) float32 { return data[i-i%lanes] }) }
	for _, d := range narrow {
		_, got := onData(t, d, 1, 256, data, 256, kernel(func(t *thread, v float32, lane int) float32 {
			return intrinsics.ShflSync(t, full, v, lane)
		}))
		require.Equal(t, want(32), got, d)
	}
	for _, d := range wide {
		_, got := onData(t, d, 1, 256, data, 256, kernel(func(t *thread, v float32, lane int) float32 {
			return intrinsics.ShflSync(t, t.AllLanes(), v, lane)
		}))
		require.Equal(t, want(profile(t, d).Lanes), got, d)
	}
}

func TestSampleScan(t *testing.T) {
	scan := func(t *thread, value float32) float32 {
		temp := intrinsics.ShflUpSync(t, full, value, 1)
		if t.ThreadIdx().X%t.WarpSize() >= 1 {
			value += temp
		}
		temp = intrinsics.ShflUpSync(t, full, value, 2)
		if t.ThreadIdx().X%t.WarpSize() >= 2 {
			value += temp
		}
		temp = intrinsics.ShflUpSync(t, full, value, 4)
		if t.ThreadIdx().X%t.WarpSize() >= 4 {
			value += temp
		}
		temp = intrinsics.ShflUpSync(t, full, value, 8)
		if t.ThreadIdx().X%t.WarpSize() >= 8 {
			value += temp
		}
		temp = intrinsics.ShflUpSync(t, full, value, 16)
		if t.ThreadIdx().X%t.WarpSize() >= 16 {
			value += temp
		}
		return value
	}
	anyWidth := func(t *thread, value float32) float32 {
		for d := 1; d < t.WarpSize(); d *= 2 {
			if temp := intrinsics.ShflUpSync(t, t.AllLanes(), value, d); t.Lane() >= d {
				value += temp
			}
		}
		return value
	}
	kernel := func(scan func(*thread, float32) float32) dataKernel {
		return func(t *thread, input, output *intrinsics.Array[float32]) {
			idx := t.BlockIdx().X*t.BlockDim().X + t.ThreadIdx().X
			n := input.Len()
			var value float32
			if idx < n {
				value = input.Load(t, idx)
			}
			result := scan(t, value)
			if idx < n {
				output.Store(t, idx, result)
			}
		}
	}
	const n = 500
	data := by(n, func(i int) float32 { return float32(i%7 - 2) })
	want := func(lanes int) []float32 {
		out := make([]float32, n)
		for i := range out {
			if out[i] = data[i]; i%lanes > 0 {
				out[i] += out[i-1]
			}
		}
		return out
	}
	for _, d := range narrow {
		_, got := onData(t, d, 2, 256, data, n, kernel(scan))
		require.Equal(t, want(32), got, d)
	}
	for _, d := range wide {
		_, got := onData(t, d, 2, 256, data, n, kernel(anyWidth))
		require.Equal(t, want(profile(t, d).Lanes), got, d)
	}
}

func TestSampleDynamicParallelism(t *testing.T) {
	data := by(128, func(i int) float32 { return float32(i % 3) })
	want := func(lanes int) []float32 {
		return by(128, func(i int) float32 {
			n := 0
			for j := i - i%lanes; j < i-i%lanes+lanes; j++ {
				if data[j] > 1 {
					n++
				}
			}
			return float32(n)
		})
	}
	for _, d := range narrow {
		_, got := onData(t, d, 1, 128, data, 128, func(t *thread, data, out *intrinsics.Array[float32]) {
			tid, n := t.ThreadIdx().X, data.Len()
			needsWork := tid < n && data.Load(t, tid) > 1
			ballot := intrinsics.BallotSync(t, full, needsWork)
			if ballot != 0 {
				out.Store(t, tid, float32(intrinsics.Popc(t, ballot)))
			}
		})
		require.Equal(t, want(32), got, d)
	}
	for _, d := range wide {
		_, got := onData(t, d, 1, 128, data, 128, func(t *thread, data, out *intrinsics.Array[float32]) {
			tid := t.ThreadIdx().X
			if b := intrinsics.BallotSync(t, t.AllLanes(), data.Load(t, tid) > 1); !b.Empty() {
				out.Store(t, tid, float32(b.Count()))
			}
		})
		require.Equal(t, want(profile(t, d).Lanes), got, d)
	}
}
