package warptest_test

import (
	"context"
	"fmt"
	"testing"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/warptest"
)

// exchange hands each thread the number of its neighbour through shared memory.
// It forgets the barrier between the store and the load.
func exchange(out warp.Mem[int32]) warp.Kernel {
	return func(w *warp.Warp) {
		s := warp.Shared[int32](w, w.BlockThreads())
		v, at := warp.Alloc[int32](w), warp.Alloc[int32](w)
		warp.XorImm(at, w.ThreadID(), 1)
		warp.Store(s, w.ThreadID(), w.ThreadID())
		warp.Load(v, s, at)
		warp.Store(out, w.ThreadID(), v)
	}
}

// A test of a kernel: it fails for the race, although the result is right.
func ExampleNoFaults() {
	_ = func(t *testing.T) {
		h200, err := device.Lookup("h200")
		if err != nil {
			t.Fatal(err)
		}
		e, err := warp.New(warp.Config{Device: h200, Faults: warp.Collect, Sanitize: true, Sites: true})
		if err != nil {
			t.Fatal(err)
		}
		_, r, err := warptest.Output(warp.Launch{Blocks: warp.X(1), Threads: warp.X(32)}, 32, exchange)(context.Background(), e)
		if err != nil {
			t.Fatal(err)
		}
		warptest.NoFaults(t, r)
	}
	// What it would say:
	h200, _ := device.Lookup("h200")
	e, _ := warp.New(warp.Config{Device: h200, Faults: warp.Collect, Sanitize: true})
	_, r, err := warptest.Output(warp.Launch{Blocks: warp.X(1), Threads: warp.X(32)}, 32, exchange)(context.Background(), e)
	fmt.Println(err)
	for _, f := range r.Faults {
		fmt.Println(f.Kind, f.Severity, f.Lanes.Ranges())
		fmt.Println(f.Detail)
		fmt.Println(f.Kind.Rule())
	}
	// Output:
	// <nil>
	// race in shared memory error 0-31
	// load of elements 0 to 31 meets the store of lane 1 of the same warp with no SyncWarp between; lanes need not go in step
	// Two accesses of one byte by different threads, one of them a write and not both atomic, must be ordered by a barrier.
}

// Two warps store to one element: which one stays depends on who comes first.
func ExampleFind() {
	h200, err := device.Lookup("h200")
	if err != nil {
		fmt.Println(err)
		return
	}
	p := warptest.Output(warp.Launch{Blocks: warp.X(1), Threads: warp.X(64)}, 1, func(out warp.Mem[int32]) warp.Kernel {
		return func(w *warp.Warp) {
			at, v := warp.Alloc[int32](w), warp.Alloc[int32](w)
			warp.Set(at, 0)
			warp.Set(v, int32(10+w.ID()))
			warp.Store(out, at, v)
		}
	})
	d, err := warptest.Find(context.Background(), warptest.Exploration{Config: warp.Config{Device: h200}}, p)
	fmt.Println(err, d.Results)
	for _, step := range d.Schedules[1] {
		if step.Until == "end" {
			fmt.Println(step)
		}
	}
	// Output:
	// <nil> [[11] [10]]
	// block 0 warp 1: 1 accesses, ends
	// block 0 warp 0: 1 accesses, ends
}

// A sum by shuffles that is written for 32 lanes.
func ExampleCompare() {
	var devices []*device.Profile
	for _, name := range []string{"h200", "mi300x"} {
		p, err := device.Lookup(name)
		if err != nil {
			fmt.Println(err)
			return
		}
		devices = append(devices, p)
	}
	sum := warptest.Output(warp.Launch{Blocks: warp.X(1), Threads: warp.X(64)}, 1, func(out warp.Mem[int32]) warp.Kernel {
		return func(w *warp.Warp) {
			v, t, at, first := warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w), w.Pred()
			warp.Set(v, 1)
			for d := 16; d > 0; d /= 2 {
				warp.ShflDown(t, v, d)
				warp.Add(v, v, t)
			}
			warp.Set(at, 0)
			warp.EqImm(first, w.LaneID(), 0)
			w.Where(first, func() { warp.AtomicReduce(warp.AtomicAdd, out, at, v) })
		}
	})
	table, err := warptest.Compare(context.Background(), devices, warp.Config{}, []int32{64}, sum)
	fmt.Println(err)
	for _, o := range table {
		fmt.Println(o.Device, o.Lanes, o.Verdict, o.Result)
	}
	// Output:
	// <nil>
	// h200 32 right [64]
	// mi300x 64 wrong [32]
}
