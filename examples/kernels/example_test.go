package kernels_test

import (
	"context"
	"fmt"

	"example.com/warpsim/examples/kernels"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
)

// oneWarp runs a kernel on a warp of 4 lanes and an array of integers.
func oneWarp(data []int32, k func(w *warp.Warp, m warp.Mem[int32])) {
	p, _ := device.Lookup("custom-4")
	e, _ := warp.New(warp.Config{Device: p, ValuesOnly: true})
	m, _ := warp.Global(e, data)
	launch := warp.Launch{Blocks: warp.X(1), Threads: warp.X(4)}
	if _, err := e.Run(context.Background(), launch, func(w *warp.Warp) { k(w, m) }); err != nil {
		fmt.Println(err)
	}
}

func ExampleBroadcast() {
	oneWarp([]int32{10, 11, 12, 13}, func(w *warp.Warp, m warp.Mem[int32]) {
		v := warp.Alloc[int32](w)
		warp.Load(v, m, w.LaneID())
		kernels.Broadcast(v, v, 1, 2)
		fmt.Println(v.Lanes())
	})
	// Output: [11 11 13 13]
}

func ExampleRotate() {
	oneWarp([]int32{10, 11, 12, 13}, func(w *warp.Warp, m warp.Mem[int32]) {
		v := warp.Alloc[int32](w)
		warp.Load(v, m, w.LaneID())
		kernels.Rotate(v, v, 1)
		fmt.Println(v.Lanes())
	})
	// Output: [11 12 13 10]
}

// letters are what the lanes hold, and whose letter each lane wants.
func letters(w *warp.Warp) (v warp.Reg[byte], from warp.Reg[int32]) {
	v, from = warp.Alloc[byte](w), warp.Alloc[int32](w)
	warp.SetLanes(v, func(l int) byte { return byte('a' + l) })
	warp.SetLanes(from, func(l int) int32 { return []int32{3, 3, 0, 1}[l] })
	return v, from
}

func ExampleMailboxShuffle() {
	oneWarp(nil, func(w *warp.Warp, _ warp.Mem[int32]) {
		v, from := letters(w)
		kernels.MailboxShuffle(v, v, from)
		fmt.Printf("%c\n", v.Lanes())
	})
	// Output: [d d a b]
}

func ExampleMailboxShared() {
	oneWarp(nil, func(w *warp.Warp, _ warp.Mem[int32]) {
		v, from := letters(w)
		kernels.MailboxShared(v, v, from, kernels.NewMailboxStorage[byte](w))
		fmt.Printf("%c\n", v.Lanes())
	})
	// Output: [d d a b]
}

func ExampleMailboxBlock() {
	oneWarp(nil, func(w *warp.Warp, _ warp.Mem[int32]) {
		v, from := letters(w)
		kernels.MailboxBlock(v, v, from, kernels.NewMailboxStorage[byte](w))
		fmt.Printf("%c\n", v.Lanes())
	})
	// Output: [d d a b]
}

func ExampleWalshHadamard() {
	oneWarp([]int32{1, 0, 1, 0}, func(w *warp.Warp, m warp.Mem[int32]) {
		v := warp.Alloc[int32](w)
		warp.Load(v, m, w.LaneID())
		kernels.WalshHadamard(v, 0)
		fmt.Println(v.Lanes())
	})
	// Output: [2 2 0 0]
}

// A cosine that goes round twice in 8 points, two in each lane, has its weight at
// the frequencies 2 and -2.
func ExampleFFT() {
	oneWarp([]int32{1, 0, -1, 0, 1, 0, -1, 0}, func(w *warp.Warp, m warp.Mem[int32]) {
		n := warp.Alloc[int32](w)
		var re, im []warp.Reg[float32]
		for j := range 2 {
			re, im = append(re, warp.Alloc[float32](w)), append(im, warp.Alloc[float32](w))
			warp.Load(n, m.At(4*j), w.LaneID())
			warp.Convert(re[j], n)
			warp.Set(im[j], 0)
		}
		kernels.FFT(re, im, 0, false)
		fmt.Println(re[0].Lanes(), re[1].Lanes())
	})
	// Output: [0 0 4 0] [0 0 4 0]
}

func ExampleMatVec() {
	oneWarp([]int32{1, 2, 3, 4, 5, 6, 0, 0}, func(w *warp.Warp, m warp.Mem[int32]) {
		// The matrix (1 2; 3 4) times the vector (5, 6).
		kernels.MatVec(w, m.At(6), m, m.At(4), 2, 2)
		fmt.Println(m.Data()[6:])
	})
	// Output: [17 39]
}

func ExampleFindFirst() {
	oneWarp([]int32{8, 6, 7, 5, 3, 0, 9}, func(w *warp.Warp, m warp.Mem[int32]) {
		at := warp.Alloc[int32](w)
		kernels.FindFirst(at, m, 7, 1, func(dst warp.Pred, v warp.Reg[int32]) { warp.LtImm(dst, v, 6) })
		fmt.Println("the first below 6 is element", at.Lanes()[0])
	})
	// Output: the first below 6 is element 3
}

// Each task counts a number down to 0, which takes the lanes different times.
func ExampleTaskQueue() {
	data := []int32{5, 1, 4, 1, 3, 2, 0}
	oneWarp(data, func(w *warp.Warp, m warp.Mem[int32]) {
		left, done := warp.Alloc[int32](w), w.Pred()
		tasks, next := m, m.At(6)
		kernels.TaskQueue(w, next, 6, 1,
			func(task warp.Reg[int32]) { warp.Load(left, tasks, task) },
			func(task warp.Reg[int32]) warp.Pred {
				warp.AddImm(left, left, -1)
				warp.Store(tasks, task, left)
				warp.LeImm(done, left, 0)
				return done
			})
	})
	fmt.Println(data[:6], data[6] >= 6)
	// Output: [0 0 0 0 0 0] true
}
