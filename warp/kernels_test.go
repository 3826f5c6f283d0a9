package warp_test

import (
	"context"
	"testing"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"github.com/stretchr/testify/require"
)

// engine returns an engine for a device, with cycles only where they are asked
// for.
func engine(t testing.TB, name string, c warp.Config) *warp.Engine {
	t.Helper()
	p, err := device.Lookup(name)
	require.NoError(t, err)
	c.Device = p
	e, err := warp.New(c)
	require.NoError(t, err)
	return e
}

// one launches a single block.
func one(threads int) warp.Launch {
	return warp.Launch{Blocks: warp.X(1), Threads: warp.X(threads)}
}

func global[T any](t testing.TB, e *warp.Engine, data []T) warp.Mem[T] {
	t.Helper()
	m, err := warp.Global(e, data)
	require.NoError(t, err)
	return m
}

var widths = map[string]int{"h200": 32, "mi300x": 64, "mtt-s4000": 128, "mtt-s5000": 32, "mtt-m1000": 128}

// After the down-tree, lane i holds the sum of lanes i and up; after each step
// lane i holds the lanes i, i+d, ... that the first seed's table lists.
func TestDownTreeTriangle(t *testing.T) {
	for name, lanes := range widths {
		t.Run(name, func(t *testing.T) {
			e := engine(t, name, warp.Config{ValuesOnly: true})
			out := global(t, e, make([]int32, lanes))
			_, err := e.Run(context.Background(), one(lanes), func(w *warp.Warp) {
				v, x := warp.Alloc[int32](w), warp.Alloc[int32](w)
				warp.Mov(v, w.LaneID())
				want := make([]int32, lanes)
				for i := range want {
					want[i] = int32(i)
				}
				for d := lanes / 2; d > 0; d /= 2 {
					warp.ShflDown(x, v, d)
					warp.Add(v, v, x)
					next := make([]int32, lanes)
					for i := range next {
						src := i + d
						if src >= lanes {
							src = i
						}
						next[i] = want[i] + want[src]
					}
					want = next
					if got := v.Lanes(); !equal(got, want) {
						t.Errorf("after %d: %v, want %v", d, got, want)
					}
				}
				warp.Store(out, w.LaneID(), v)
			})
			require.NoError(t, err)
			require.Equal(t, int32(lanes*(lanes-1)/2), out.Data()[0])
		})
	}
}

func equal[T comparable](a, b []T) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}

// sumDown leaves the sum of the first n live lanes of v in lane 0. Lanes whose
// partner is not among them ignore what they read.
func sumDown(w *warp.Warp, v warp.Reg[int32], n int) {
	defer w.Release(w.Mark())
	x, inRange := warp.Alloc[int32](w), w.Pred()
	for d := w.Width() / 2; d > 0; d /= 2 {
		warp.ShflDown(x, v, d)
		warp.LtImm(inRange, w.LaneID(), int32(n-d))
		w.Where(inRange, func() { warp.Add(v, v, x) })
	}
}

// The hybrid block reduction, over partial last warps, with a barrier between
// warps that run as coroutines.
func TestBlockSum(t *testing.T) {
	for name, lanes := range widths {
		for _, threads := range []int{1, lanes, lanes + 1, 100, 256, 1000, 1024} {
			e := engine(t, name, warp.Config{ValuesOnly: true})
			in := make([]int32, threads)
			want := int32(0)
			for i := range in {
				in[i] = int32(i*i%97 - 20)
				want += in[i]
			}
			src, out := global(t, e, in), global(t, e, make([]int32, 1))
			_, err := e.Run(context.Background(), one(threads), func(w *warp.Warp) {
				s := warp.Shared[int32](w, w.BlockWarps())
				v, id := warp.Alloc[int32](w), warp.Alloc[int32](w)
				warp.Load(v, src, w.ThreadID())
				sumDown(w, v, w.Live().Count())
				first := w.Pred()
				warp.EqImm(first, w.LaneID(), 0)
				warp.Set(id, int32(w.ID()))
				w.If(first, func() { warp.Store(s, id, v) })
				w.SyncBlock()
				if w.ID() > 0 {
					return
				}
				some := w.Pred()
				warp.LtImm(some, w.LaneID(), int32(w.BlockWarps()))
				warp.Set(v, 0)
				w.Where(some, func() { warp.Load(v, s, w.LaneID()) })
				sumDown(w, v, min(w.BlockWarps(), w.Live().Count()))
				w.If(first, func() { warp.Store(out, w.LaneID(), v) })
			})
			require.NoError(t, err, "%s %d", name, threads)
			require.Equal(t, want, out.Data()[0], "%s %d", name, threads)
		}
	}
}
