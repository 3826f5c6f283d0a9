package linear_test

import (
	"context"
	"fmt"
	"log"

	"example.com/warpsim/reduce/linear"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
)

// A cosine of two periods over the warp has two lines in its spectrum.
func ExampleFFT() {
	p, err := device.Lookup("custom-8")
	if err != nil {
		log.Fatal(err)
	}
	e, err := warp.New(warp.Config{Device: p})
	if err != nil {
		log.Fatal(err)
	}
	wave := []float32{1, 0, -1, 0, 1, 0, -1, 0}
	_, err = e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(8)}, func(w *warp.Warp) {
		re, im := warp.Alloc[float32](w), warp.Alloc[float32](w)
		warp.SetLanes(re, func(l int) float32 { return wave[l] })
		warp.Set(im, 0)
		linear.FFT(re, im)
		fmt.Printf("%.0f\n", re.Lanes())
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output: [0 0 4 0 0 0 4 0]
}

func ExampleWalshHadamard() {
	p, err := device.Lookup("custom-4")
	if err != nil {
		log.Fatal(err)
	}
	e, err := warp.New(warp.Config{Device: p})
	if err != nil {
		log.Fatal(err)
	}
	_, err = e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(4)}, func(w *warp.Warp) {
		v := warp.Alloc[int32](w)
		warp.SetLanes(v, func(l int) int32 { return int32(l + 1) })
		linear.WalshHadamard(v)
		fmt.Println(v.Lanes())
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output: [10 -2 -4 0]
}
