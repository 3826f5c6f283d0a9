package warptest_test

import (
	"context"
	"testing"

	"example.com/warpsim/reduce"
	"example.com/warpsim/scan"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/warptest"
	"github.com/stretchr/testify/require"
)

// allDevices are devices that differ in width, rules and routes, and the rules of others.
func allDevices() []string {
	return []string{"h200", "k40", "mi300x", "rx6900xt", "rx6900xt-wave64", "mtt-m1000", "mtt-s4000", "mtt-s5000", "nvp", "amd32", "custom-16"}
}

// strict is an engine that stops at the first error, and watches memory.
func strict(t *testing.T, name string, seed uint64) *warp.Engine {
	t.Helper()
	e, err := warp.New(warp.Config{Device: profile(t, name), ValuesOnly: true, Sanitize: true, Seed: seed})
	require.NoError(t, err)
	return e
}

// Every reduction and scan runs without a fault on every device, in the engine's
// own schedule and in others.
func TestLibraryIsClean(t *testing.T) {
	run := func(name, algorithm string, threads int, kernel func(w *warp.Warp, v warp.Reg[int32]), result func(n int) int32, at int) {
		for seed := uint64(0); seed < 3; seed++ {
			e := strict(t, name, seed)
			out, err := warp.Global(e, make([]int32, threads))
			require.NoError(t, err)
			r, err := e.Run(context.Background(), block(threads), func(w *warp.Warp) {
				v := warp.Alloc[int32](w)
				warp.AddImm(v, w.ThreadID(), 1)
				kernel(w, v)
				w.Where(when(w, func(l int) bool { return w.ID()*w.Width()+l == at }), func() { warp.Store(out, w.ThreadID(), v) })
			})
			require.NoError(t, err, "%s on %s, seed %d", algorithm, name, seed)
			require.Empty(t, warptest.Text(r, warp.SeverityLint), "%s on %s", algorithm, name)
			require.Equal(t, result(threads), out.Data()[at], "%s on %s", algorithm, name)
		}
	}
	triangle := func(n int) int32 { return int32(n * (n + 1) / 2) }
	op := reduce.Sum[int32]()
	for _, name := range allDevices() {
		p := profile(t, name)
		for _, a := range reduce.Algorithms[int32]() {
			threads := p.Lanes
			if a.Scope == reduce.BlockScope {
				threads = min(5*p.Lanes-p.Lanes/2, p.Limits.ThreadsPerBlock)
			}
			if a.Fits(p, op, reduce.Tile{}, threads) != nil {
				continue
			}
			run(name, a.Name, threads, func(w *warp.Warp, v warp.Reg[int32]) {
				var s warp.Mem[int32]
				if a.Storage != nil {
					s = a.Storage(w)
				}
				a.Run(v, op, reduce.Tile{}, s)
			}, triangle, 0)
		}
		for _, a := range scan.Algorithms[int32]() {
			threads := p.Lanes
			if a.Scope == reduce.BlockScope {
				threads = min(5*p.Lanes-p.Lanes/2, p.Limits.ThreadsPerBlock)
			}
			if a.Fits(p, op, scan.Spec[int32]{}, threads) != nil {
				continue
			}
			run(name, a.Name, threads, func(w *warp.Warp, v warp.Reg[int32]) {
				var s warp.Mem[int32]
				if a.Storage != nil {
					s = a.Storage(w)
				}
				a.Run(v, op, scan.Spec[int32]{}, s)
			}, triangle, threads-1)
		}
	}
}

// The reductions and scans of a grid are without a fault too, whatever their
// blocks share.
func TestGridsAreClean(t *testing.T) {
	data := make([]int32, 3000)
	for i := range data {
		data[i] = int32(i)
	}
	op := reduce.Sum[int32]()
	for _, name := range []string{"h200", "mi300x", "mtt-s4000"} {
		for _, seed := range []uint64{0, 1} {
			for _, a := range reduce.Algorithms[int32]() {
				for combine := reduce.TwoPass; combine <= reduce.LastBlock; combine++ {
					e := strict(t, name, seed)
					got, r, err := reduce.Grid(context.Background(), e, data, op, a, reduce.Shape{Blocks: 5, Threads: 2 * e.Device().Lanes, Combine: combine})
					if err != nil && r.Instructions == 0 && len(r.Faults) == 0 {
						continue // does not fit
					}
					require.NoError(t, err, "%s %s on %s", a.Name, combine, name)
					require.Empty(t, warptest.Text(r, warp.SeverityLint), "%s %s on %s", a.Name, combine, name)
					require.Equal(t, int32(3000*2999/2), got)
				}
			}
		}
	}
}
