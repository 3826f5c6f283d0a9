package warpbench_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/warpbench"
	"example.com/warpsim/warp/warptest"
)

// byShuffles adds the lanes of a warp up by shuffles, once for each application.
func byShuffles(applications int) warp.Kernel {
	return func(w *warp.Warp) {
		v, t := warp.Alloc[float32](w), warp.Alloc[float32](w)
		warp.Set(v, 1)
		for range applications {
			for d := w.Width() / 2; d > 0; d /= 2 {
				warp.ShflDown(t, v, d)
				warp.Add(v, v, t)
			}
		}
	}
}

// inSharedMemory does the same through shared memory.
func inSharedMemory(applications int) warp.Kernel {
	return func(w *warp.Warp) {
		s := warp.Shared[float32](w, w.Width())
		v, t, at := warp.Alloc[float32](w), warp.Alloc[float32](w), warp.Alloc[int32](w)
		low := w.Pred()
		warp.Set(v, 1)
		for range applications {
			warp.Store(s, w.LaneID(), v)
			w.SyncWarp(w.Active())
			for d := w.Width() / 2; d > 0; d /= 2 {
				warp.LtImm(low, w.LaneID(), int32(d))
				w.Where(low, func() {
					warp.AddImm(at, w.LaneID(), int32(d))
					warp.Load(t, s, at)
					warp.Add(v, v, t)
					warp.Store(s, w.LaneID(), v)
				})
				w.SyncWarp(w.Active())
			}
		}
	}
}

var cases = []warpbench.Case{
	{Name: "shuffles", Program: warpbench.Wide(warpbench.Warps(1), byShuffles)},
	{Name: "shared memory", Program: warpbench.Wide(warpbench.Warps(1), inSharedMemory)},
}

// An H200 takes 145 cycles for a sum of 32 lanes: five shuffles of 24 cycles, five
// additions of 4, and one to cross from one pipe to the other each time.
func TestCostIsTheSlope(t *testing.T) {
	e := warptest.Engine(t, "h200")
	c, err := warpbench.Measure(context.Background(), e, cases[0].Program)
	require.NoError(t, err)
	assert.Equal(t, warpbench.Cost{Cycles: 5 * (24 + 4 + 1), Instructions: 10}, c)
}

// Kernels per lane are measured in the same way.
func TestPerLaneKernels(t *testing.T) {
	e := warptest.Engine(t, "h200")
	c, err := warpbench.Measure(context.Background(), e, func(ctx context.Context, e *warp.Engine, applications int) (*warp.Report, error) {
		return intrinsics.Launch(ctx, e, warp.X(1), warp.X(32), func(t *intrinsics.Thread) {
			x := float32(1)
			for range applications {
				for d := 16; d > 0; d /= 2 {
					x += intrinsics.ShflDownSync(t, intrinsics.FullMask, x, d)
				}
			}
		})
	})
	require.NoError(t, err)
	assert.Equal(t, 5.0, c.Instructions, "additions are plain Go")
}

// What cannot run on a device is told apart from what is wrong.
func TestWhatADeviceLacks(t *testing.T) {
	redux := warpbench.Case{Name: "redux", Program: warpbench.Wide(warpbench.Warps(1), func(n int) warp.Kernel {
		return func(w *warp.Warp) {
			v := warp.Alloc[int32](w)
			warp.Set(v, 1)
			for range n {
				warp.Redux(warp.ReduxAdd, v, v)
			}
		}
	})}
	table, err := warpbench.Compare(context.Background(), warptest.Devices(t, "h200", "mi300x"), redux)
	require.NoError(t, err)
	assert.NoError(t, table.Rows[0].Results[0].Err)
	assert.ErrorIs(t, table.Rows[0].Results[1].Err, warp.Unsupported)
	assert.Contains(t, table.String(), "-")
}

func TestMistakes(t *testing.T) {
	ctx, e := context.Background(), warptest.Engine(t, "h200")
	for name, p := range map[string]warpbench.Program{
		"no program": nil,
		"no kernel":  warpbench.Wide(warpbench.Warps(1), nil),
		"no launch":  warpbench.Wide(nil, byShuffles),
		"no report":  func(context.Context, *warp.Engine, int) (*warp.Report, error) { return nil, nil },
	} {
		_, err := warpbench.Measure(ctx, e, p)
		assert.Error(t, err, name)
	}
	_, err := warpbench.Measure(ctx, nil, cases[0].Program)
	assert.Error(t, err)
	values := warptest.Engine(t, "h200", func(c *warp.Config) { c.ValuesOnly = true })
	_, err = warpbench.Measure(ctx, values, cases[0].Program)
	assert.ErrorContains(t, err, "ValuesOnly")
	_, err = warpbench.Compare(ctx, []*device.Profile{nil}, cases...)
	assert.Error(t, err)
}

func BenchmarkSum(b *testing.B) {
	warpbench.Benchmark(b, warptest.Devices(b, "h200", "mi300x", "mtt-s4000"), cases...)
}

// The sum of a warp by shuffles: 145 cycles on an H200, as the chip takes.
func ExampleCompare() {
	h200, err := device.Lookup("h200")
	if err != nil {
		fmt.Println(err)
		return
	}
	table, err := warpbench.Compare(context.Background(), []*device.Profile{h200},
		warpbench.Case{Name: "shuffles", Program: warpbench.Wide(warpbench.Warps(1), func(applications int) warp.Kernel {
			return func(w *warp.Warp) {
				v, t := warp.Alloc[float32](w), warp.Alloc[float32](w)
				warp.Set(v, 1)
				for range applications {
					for d := w.Width() / 2; d > 0; d /= 2 {
						warp.ShflDown(t, v, d)
						warp.Add(v, v, t)
					}
				}
			}
		})})
	fmt.Print(table)
	fmt.Println(err)
	// Output:
	// cycles     h200 (32)
	// shuffles      145.0*
	// <nil>
}
