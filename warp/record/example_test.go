package record_test

import (
	"bytes"
	"context"
	"fmt"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/grid"
	"example.com/warpsim/warp/record"
	"example.com/warpsim/warp/timing"
)

// A launch is recorded, and timed again without its kernel.
func Example() {
	h200, _ := device.Lookup("h200")
	var file bytes.Buffer
	w, _ := record.NewWriter(&file, record.Header{Device: h200.Name, Lanes: h200.Lanes})
	eng, _ := warp.New(warp.Config{Device: h200, Observer: &warp.Observer{Records: w.Record}})
	report, _ := eng.Run(context.Background(), warp.Launch{Blocks: warp.X(2), Threads: warp.X(64)}, func(w *warp.Warp) {
		v := warp.Alloc[int32](w)
		warp.Mov(v, w.LaneID())
		warp.ShflDown(v, v, 1)
	})
	fmt.Println(w.Close())

	s, err := record.Load(&file)
	fmt.Println(s.Header.Device, s.Header.Shape.Blocks, err)
	table, _ := timing.Compile(&h200.Timing, h200.Lanes)
	g, _ := grid.New(h200, table, grid.Config{})
	g.Begin(s.Header.Shape, s)
	_, err = g.Advance(context.Background(), s.Header.Shape.Blocks, 1)
	fmt.Println(int64(g.Cycles()) == int64(report.Cycles), err)
	// Output:
	// <nil>
	// h200 2 <nil>
	// true <nil>
}
