package warp_test

import (
	"context"
	"errors"
	"fmt"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
)

// A warp reduction by shuffles on a simulated H200.
func Example() {
	h200, _ := device.Lookup("h200")
	eng, _ := warp.New(warp.Config{Device: h200})
	launch := warp.Launch{Blocks: warp.X(1), Threads: warp.X(32)}
	var sum int32
	report, err := eng.Run(context.Background(), launch, func(w *warp.Warp) {
		v, t := warp.Alloc[int32](w), warp.Alloc[int32](w)
		warp.Mov(v, w.LaneID())
		for d := w.Width() / 2; d > 0; d /= 2 {
			warp.ShflDown(t, v, d) // destination first
			warp.Add(v, v, t)
		}
		sum = v.Lanes()[0]
	})
	fmt.Println(sum, report.Cycles > 100, err)
	// Output: 496 true <nil>
}

// Two blocks add up an array in global memory, each with one atomic.
func ExampleEngine_Run() {
	mi300x, _ := device.Lookup("mi300x")
	eng, _ := warp.New(warp.Config{Device: mi300x})
	data := make([]float32, 128)
	for i := range data {
		data[i] = 0.5
	}
	in, _ := warp.Global(eng, data)
	out, _ := warp.Global(eng, make([]float32, 1))
	launch := warp.Launch{Blocks: warp.X(2), Threads: warp.X(64)}
	_, err := eng.Run(context.Background(), launch, func(w *warp.Warp) {
		v, t, zero := warp.Alloc[float32](w), warp.Alloc[float32](w), warp.Alloc[int32](w)
		first := w.Pred()
		warp.Load(v, in, w.GlobalID())
		for d := w.Width() / 2; d > 0; d /= 2 {
			warp.ShflXor(t, v, d)
			warp.Add(v, v, t)
		}
		warp.Set(zero, 0)
		warp.EqImm(first, w.LaneID(), 0)
		w.If(first, func() { warp.AtomicReduce(warp.AtomicAdd, out, zero, v) })
	})
	fmt.Println(out.Data()[0], err)
	// Output: 64 <nil>
}

// A fault names who did what where, and matches its kind.
func ExampleFault() {
	h200, _ := device.Lookup("h200")
	eng, _ := warp.New(warp.Config{Device: h200})
	in, _ := warp.Global(eng, make([]float32, 20))
	launch := warp.Launch{Blocks: warp.X(1), Threads: warp.X(32)}
	_, err := eng.Run(context.Background(), launch, func(w *warp.Warp) {
		warp.Load(warp.Alloc[float32](w), in, w.ThreadID())
	})
	var f *warp.Fault
	fmt.Println(errors.Is(err, warp.OutOfBounds), errors.As(err, &f))
	fmt.Println(f.Lanes.Ranges(), "-", f.Detail)
	// Output:
	// true true
	// 20-31 - load of element 20 of an array with elements 0 to 19
}

// What a run cost, as tables: here the warps waited for results of shuffles and
// additions most of the time.
func ExampleReport() {
	h200, _ := device.Lookup("h200")
	eng, _ := warp.New(warp.Config{Device: h200})
	var total warp.Report
	for range 2 {
		r, _ := eng.Run(context.Background(), warp.Launch{Blocks: warp.X(3), Threads: warp.X(32)}, func(w *warp.Warp) {
			v, t := warp.Alloc[float32](w), warp.Alloc[float32](w)
			warp.Set(v, 1)
			for d := w.Width() / 2; d > 0; d /= 2 {
				warp.ShflDown(t, v, d)
				warp.Add(v, v, t)
			}
		})
		_ = total.Add(r) // an error only if the devices differ
	}
	for _, op := range total.Ops() {
		fmt.Println(op.Op, op.Instructions)
	}
	s := total.BlockStats()
	fmt.Println(len(total.Launches()), "launches,", s.Blocks, "blocks, all as fast:", s.Fastest == s.Slowest)
	// Output:
	// mov 6
	// fadd 30
	// shfl.down 30
	// 2 launches, 6 blocks, all as fast: true
}
