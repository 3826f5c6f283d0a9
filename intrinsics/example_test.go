package intrinsics_test

import (
	"context"
	"errors"
	"fmt"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
)

// A reduction per lane, on warps of 32, 64 and 128 lanes.
func Example() {
	for _, name := range []string{"h200", "mi300x", "mtt-s4000"} {
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
		data := make([]int32, 1000)
		for i := range data {
			data[i] = int32(i)
		}
		in, err := intrinsics.Global(e, data)
		if err != nil {
			fmt.Println(err)
			return
		}
		sum, err := intrinsics.Global(e, make([]int32, 1))
		if err != nil {
			fmt.Println(err)
			return
		}
		_, err = intrinsics.Launch(context.Background(), e, warp.X(4), warp.X(256), func(t *intrinsics.Thread) {
			var v int32
			if t.GlobalID() < in.Len() {
				v = in.Load(t, t.GlobalID())
			}
			for d := t.WarpSize() / 2; d > 0; d /= 2 {
				v += intrinsics.ShflDownSync(t, t.AllLanes(), v, d)
			}
			if t.Lane() == 0 {
				intrinsics.AtomicAdd(t, sum, 0, v)
			}
		})
		fmt.Println(name, sum.Data()[0], err)
	}
	// Output:
	// h200 499500 <nil>
	// mi300x 499500 <nil>
	// mtt-s4000 499500 <nil>
}

// exampleEngine returns an engine for an H200.
func exampleEngine() *warp.Engine {
	p, err := device.Lookup("h200")
	if err != nil {
		panic(err)
	}
	e, err := warp.New(warp.Config{Device: p})
	if err != nil {
		panic(err)
	}
	return e
}

// Two call sites with one mask meet on devices that wait by mask.
func ExampleShflXorSync() {
	out := make([]int, 32)
	_, err := intrinsics.Launch(context.Background(), exampleEngine(), warp.X(1), warp.X(32), func(t *intrinsics.Thread) {
		if t.Lane() < 16 {
			out[t.Lane()] = intrinsics.ShflXorSync(t, intrinsics.FullMask, t.Lane(), 16)
		} else {
			out[t.Lane()] = intrinsics.ShflXorSync(t, intrinsics.FullMask, t.Lane(), 16)
		}
	})
	fmt.Println(out, err)
	// Output:
	// [16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15] <nil>
}

// The lanes that hit are packed together.
func ExampleBallotSync() {
	var packed [32]int
	_, err := intrinsics.Launch(context.Background(), exampleEngine(), warp.X(1), warp.X(32), func(t *intrinsics.Thread) {
		hit := t.Lane()%5 == 2
		b := intrinsics.BallotSync(t, intrinsics.FullMask, hit)
		rank := intrinsics.Popc(t, b&intrinsics.LaneMaskLt[uint32](t))
		if hit {
			packed[rank] = t.Lane()
		}
	})
	fmt.Println(packed[:7], err)
	// Output:
	// [2 7 12 17 22 27 0] <nil>
}

// A mask that does not name a caller ends the run with a fault.
func ExampleLaunch_fault() {
	_, err := intrinsics.Launch(context.Background(), exampleEngine(), warp.X(1), warp.X(32), func(t *intrinsics.Thread) {
		intrinsics.ShflSync(t, uint32(0xffff), t.Lane(), 0)
	})
	var f *warp.Fault
	if errors.As(err, &f) {
		fmt.Println(f.Kind, f.Lanes.Ranges(), f.Detail)
		fmt.Println(f.Advice)
	}
	// Output:
	// caller not in its member mask 16-31 mask 0x0000ffff does not name them
	// call inside a branch that only the named lanes take, or name all lanes that call
}

// Lanes stay in step through turns that some of them skip.
func ExampleThread_Loop() {
	met := make([][]int, 3)
	_, err := intrinsics.Launch(context.Background(), exampleEngine(), warp.X(1), warp.X(4), func(t *intrinsics.Thread) {
		for i := range t.Loop() {
			if i == 3 {
				break
			}
			if i == t.Lane() {
				continue
			}
			met[i] = []int{intrinsics.ActiveMask(t).Count()}
		}
	})
	fmt.Println(met, err)
	// Output:
	// [[3] [3] [3]] <nil>
}

// Four floats at a time, as a kernel in CUDA loads them through a float4 pointer.
func ExampleView() {
	h200, _ := device.Lookup("h200")
	e, _ := warp.New(warp.Config{Device: h200})
	type float4 struct{ X, Y, Z, W float32 }
	floats, _ := intrinsics.Global(e, []float32{1, 2, 3, 4, 5, 6, 7, 8})
	fours, _ := intrinsics.View[float4](floats)
	intrinsics.Launch(context.Background(), e, warp.X(1), warp.X(2), func(t *intrinsics.Thread) {
		v := fours.Load(t, t.GlobalID())
		floats.Store(t, t.GlobalID(), v.X+v.Y+v.Z+v.W)
	})
	fmt.Println(floats.Data()[:2])
	// Output: [10 26]
}
