package view_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/google/pprof/profile"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/view"
)

// exchange is a run of four lanes that swap neighbours.
func exchange(o view.Options) *view.Recording {
	p, _ := device.Custom(4)
	r, err := view.Record(warp.Config{Device: p}, o, func(e *warp.Engine) error {
		_, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(4)}, func(w *warp.Warp) {
			v, t := warp.Alloc[int32](w), warp.Alloc[int32](w)
			warp.MulImm(v, w.LaneID(), 10)
			warp.ShflXor(t, v, 1)
			warp.Add(v, v, t)
		})
		return err
	})
	if err != nil {
		panic(err)
	}
	return r
}

func ExampleRecord() {
	p, _ := device.Lookup("h200")
	r, err := view.Record(warp.Config{Device: p}, view.Options{}, func(e *warp.Engine) error {
		_, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(32)}, func(w *warp.Warp) {
			warp.ShflXor(warp.Alloc[int32](w), w.LaneID(), 1)
		})
		return err
	})
	var page bytes.Buffer
	fmt.Println(r.WritePicture(&page, view.Flow), err, r.Report().Instructions)
	// Output: <nil> <nil> 2
}

// Engines that somebody else makes and runs are recorded through their Config.
func ExampleAttach() {
	p, _ := device.Lookup("h200")
	c := warp.Config{Device: p}
	r := view.Attach(&c, view.Options{})
	e, _ := warp.New(c)
	for range 2 {
		_, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(32)}, func(w *warp.Warp) { w.LaneID() })
		if err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(r.Report().Instructions)
	// Output: 2
}

func ExampleRecording_WriteSteps() {
	var b strings.Builder
	_ = exchange(view.Options{}).WriteSteps(&b, true)
	for line := range strings.Lines(b.String()) {
		if !strings.Contains(line, ".go:") { // file and line
			fmt.Print(line)
		}
	}
	// Output:
	// block 0 warp 0, 4 lanes (l: the lane, t: the thread of the block)
	//        lane   0: 0 = 0
	//        lane   1: 1 = 1
	//        lane   2: 2 = 2
	//        lane   3: 3 = 3
	//        lane   0: 0 = 0
	//        lane   1: 1 = 10
	//        lane   2: 2 = 20
	//        lane   3: 3 = 30
	//        lane   0: 1 = 10
	//        lane   1: 0 = 0
	//        lane   2: 3 = 30
	//        lane   3: 2 = 20
	//        lane   0: 0, 1 = 10
	//        lane   1: 0, 1 = 10
	//        lane   2: 2, 3 = 50
	//        lane   3: 2, 3 = 50
}

func ExampleRecording_WriteProfile() {
	r := exchange(view.Options{})
	var b bytes.Buffer
	_ = r.WriteProfile(&b)
	p, _ := profile.Parse(&b)
	var cycles int64
	for _, s := range p.Sample {
		cycles += s.Value[0]
	}
	fmt.Println(p.SampleType[0].Type, cycles == int64(r.Report().Waits().Total()))
	// Output: cycles true
}

func ExampleRecording_WriteSource() {
	_ = exchange(view.Options{}).WriteSource(os.Stdout)
}

func ExampleRecording_WriteTrace() {
	file, _ := os.CreateTemp("", "trace")
	defer os.Remove(file.Name())
	err := exchange(view.Options{}).WriteTrace(file)
	fmt.Println(err, file.Close())
	// Output: <nil> <nil>
}

func ExampleRecording_WritePage() {
	var page strings.Builder
	err := exchange(view.Options{Title: "one"}).WritePage(&page, exchange(view.Options{Title: "another"}))
	fmt.Println(err, strings.Contains(page.String(), "<title>one | another</title>"))
	// Output: <nil> true
}

func ExampleRecording_WritePicture() {
	var svg strings.Builder
	err := exchange(view.Options{}).WritePicture(&svg, view.Timeline)
	fmt.Println(err, strings.Contains(svg.String(), "block 0 warp 0"))
	// Output: <nil> true
}

func ExampleRecording_Roofline() {
	c := exchange(view.Options{}).Roofline()
	fmt.Println(c.X)
	// Output: operations of lanes for each byte of main memory
}

func ExampleChart() {
	c := view.Chart{Title: "cycles of a sum", X: "lanes", Y: "cycles", Series: []view.Series{
		{Name: "shuffles", X: []float64{32, 64, 128}, Y: []float64{145, 324, 196}, Joined: true},
	}}
	var b bytes.Buffer
	fmt.Println(c.WriteSVG(&b), strings.HasPrefix(b.String(), "<svg "))
	// Output: <nil> true
}
