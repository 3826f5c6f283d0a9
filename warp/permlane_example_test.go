package warp_test

import (
	"context"
	"fmt"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
)

// runOn runs one warp on a device.
func runOn(name string, kernel warp.Kernel) {
	p, err := device.Lookup(name)
	if err != nil {
		fmt.Println(err)
		return
	}
	e, err := warp.New(warp.Config{Device: p})
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(p.Lanes)}, kernel); err != nil {
		fmt.Println(err)
	}
}

// Neighbours swap values in one vector instruction.
func ExamplePermuteRow() {
	runOn("rx6900xt", func(w *warp.Warp) {
		v := warp.Alloc[int32](w)
		warp.PermuteRow(v, w.LaneID(), 0xefcdab8967452301, false, crossbar.RowFetch{})
		fmt.Println(v.Lanes()[:4])
	})
	// Output: [1 0 3 2]
}

func ExampleSwapHalves() {
	runOn("rx7900xt-wave64", func(w *warp.Warp) {
		v := warp.Alloc[int32](w)
		warp.SwapHalves(v, w.LaneID())
		fmt.Println(v.Lanes()[0], v.Lanes()[63])
	})
	// Output: 32 31
}

func ExampleExchangeHalves() {
	runOn("mi355x", func(w *warp.Warp) {
		a, b := warp.Alloc[int32](w), warp.Alloc[int32](w)
		warp.Mov(a, w.LaneID())
		warp.AddImm(b, a, 100)
		warp.ExchangeHalves(a, b, crossbar.RowFetch{})
		fmt.Println(a.Lanes()[0], a.Lanes()[32], b.Lanes()[0], b.Lanes()[32])
	})
	// Output: 0 100 32 132
}

func ExampleWriteLane() {
	runOn("mi300x", func(w *warp.Warp) {
		v := warp.Alloc[int32](w)
		warp.Mov(v, w.LaneID())
		warp.WriteLane(v, 2, -1)
		fmt.Println(v.Lanes()[:4])
	})
	// Output: [0 1 -1 3]
}
