package warp_test

import (
	"context"
	"fmt"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"
)

// A host that decodes a program of its own goes on with whichever warp it likes, until that
// comes to a barrier.
func ExampleEngine_Drive() {
	program := []warp.Instruction{
		{Op: isa.ShflDown, Type: warp.Int32, Dst: isa.Row(1), A: isa.Row(0), Imm: 16},
		{Op: isa.BarSync},
		{Op: isa.IAdd, Type: warp.Int32, Dst: isa.Row(0), A: isa.Row(0), B: isa.Row(1)},
		{Op: isa.Exit},
	}
	h200, _ := device.Lookup("h200")
	eng, _ := warp.New(warp.Config{Device: h200})
	launch := warp.Launch{Blocks: warp.X(1), Threads: warp.X(64)}
	report, err := eng.Drive(context.Background(), launch, func(warps []*warp.Warp) error {
		at := make([]int, len(warps)) // how far each is
		for _, w := range warps {
			r := warp.RegAt[int32](w, 0)
			for l := range r.Lanes() {
				r.Lanes()[l] = int32(l)
			}
			r.Define(lane.FirstN(w.Width()))
		}
		for left := len(warps); left > 0; {
			for i, w := range warps {
				for !w.Waiting() && at[i] < len(program) {
					if err := w.Issue(program[at[i]]); err != nil {
						return err
					}
					if at[i]++; at[i] == len(program) {
						left--
					}
				}
			}
		}
		fmt.Println(warp.RegAt[int32](warps[1], 0).Lanes()[3]) // 3 + 19
		return nil
	})
	fmt.Println(report.Instructions, err)
	// Output:
	// 22
	// 8 <nil>
}

// One observer counts instructions, another one tells when warps go on behind a barrier.
func ExampleObservers() {
	issued := 0
	count := &warp.Observer{Issued: func(*timing.Issue) { issued++ }}
	barriers := &warp.Observer{Event: func(e *timing.Event) {
		if e.Kind == timing.Arrived || e.Kind == timing.Released {
			fmt.Println("warp", e.Warp, e.Kind)
		}
	}}
	h200, _ := device.Lookup("h200")
	eng, _ := warp.New(warp.Config{Device: h200, Observer: warp.Observers(count, barriers)})
	report, err := eng.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(64)}, func(w *warp.Warp) {
		w.SyncBlock()
	})
	fmt.Println(issued == int(report.Instructions), err)
	// Output:
	// warp 0 arrived
	// warp 1 arrived
	// warp 0 released
	// warp 1 released
	// true <nil>
}
