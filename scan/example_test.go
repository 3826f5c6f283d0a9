package scan_test

import (
	"context"
	"fmt"
	"log"

	"example.com/warpsim/reduce"
	"example.com/warpsim/scan"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
)

func newEngine(name string) *warp.Engine {
	p, err := device.Lookup(name)
	if err != nil {
		log.Fatal(err)
	}
	e, err := warp.New(warp.Config{Device: p})
	if err != nil {
		log.Fatal(err)
	}
	return e
}

// onOneBlock launches a kernel on one block.
func onOneBlock(e *warp.Engine, threads int, k warp.Kernel) {
	if _, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(threads)}, k); err != nil {
		log.Fatal(err)
	}
}

func ExampleHillisSteele() {
	onOneBlock(newEngine("h200"), 32, func(w *warp.Warp) {
		v, before := warp.Alloc[int32](w), warp.Alloc[int32](w)
		warp.AddImm(v, w.LaneID(), 1)
		scan.HillisSteele(v, reduce.Sum[int32](), scan.Spec[int32]{Exclusive: before})
		fmt.Println(v.Lanes()[:5], before.Lanes()[:5])
	})
	// Output: [1 3 6 10 15] [0 1 3 6 10]
}

// Where each of the lanes with an even number goes when they are packed.
func ExampleRank() {
	onOneBlock(newEngine("mi300x"), 64, func(w *warp.Warp) {
		even, rest := w.Pred(), warp.Alloc[int32](w)
		warp.AndImm(rest, w.LaneID(), 1)
		warp.EqImm(even, rest, 0)
		at, total := warp.Alloc[int32](w), warp.Alloc[int32](w)
		scan.Rank(at, even, total)
		fmt.Println(at.Lanes()[60], total.Lanes()[0])
	})
	// Output: 30 32
}

// A running total over several tiles: the callback keeps it in a register of
// the first warp.
func ExampleSpec_prefix() {
	onOneBlock(newEngine("h200"), 64, func(w *warp.Warp) {
		s := reduce.NewHybridStorage[int32](w)
		v, running := warp.Alloc[int32](w), warp.Alloc[int32](w)
		warp.Set(running, 1000)
		for range 3 {
			warp.Set(v, 1)
			scan.BlockHybrid(v, reduce.Sum[int32](), scan.Spec[int32]{Prefix: func(prefix, total warp.Reg[int32]) {
				warp.Mov(prefix, running)
				warp.Add(running, running, total)
			}}, s)
			w.SyncBlock()
		}
		if w.ID() == 1 {
			fmt.Println(v.Lanes()[31])
		}
	})
	// Output: 1192
}

func ExampleGrid() {
	data := make([]int64, 100_000)
	for i := range data {
		data[i] = int64(i)
	}
	a, err := scan.Lookup[int64]("hybrid")
	if err != nil {
		log.Fatal(err)
	}
	out, _, err := scan.Grid(context.Background(), newEngine("h200"), data, reduce.Sum[int64](), a, scan.Shape{Method: scan.LookBack})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out[99_999])
	// Output: 4999950000
}

// Segments of a whole array: flagged values scan with any algorithm.
func ExampleSegmented() {
	data := make([]scan.Flagged[int32], 1000)
	for i := range data {
		data[i].Value = 1
		if i%300 == 0 {
			data[i].Head = 1
		}
	}
	a, err := scan.Lookup[scan.Flagged[int32]]("raking")
	if err != nil {
		log.Fatal(err)
	}
	out, _, err := scan.Grid(context.Background(), newEngine("h200"), data, scan.Segmented(reduce.Sum[int32]()), a, scan.Shape{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out[299].Value, out[300].Value, out[999].Value)
	// Output: 300 1 100
}
