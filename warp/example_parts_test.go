package warp_test

import (
	"context"
	"fmt"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
)

// oneWarp runs a kernel on one warp of an H200.
func oneWarp(kernel warp.Kernel) *warp.Report {
	h200, _ := device.Lookup("h200")
	e, _ := warp.New(warp.Config{Device: h200})
	report, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(32)}, kernel)
	if err != nil {
		fmt.Println(err)
	}
	return report
}

// Segments of eight lanes: lanes without one two above keep their own value.
func ExampleShfl() {
	oneWarp(func(w *warp.Warp) {
		v := warp.Alloc[int32](w)
		warp.Mov(v, w.LaneID())
		warp.Shfl(v, v, warp.Shuffle{Mode: crossbar.Down, Operand: 2, Width: 8})
		fmt.Println(v.Lanes()[:8])
	})
	// Output: [2 3 4 5 6 7 6 7]
}

// Which lanes hold an odd number, and how many of them are below each lane.
func ExampleBallot() {
	oneWarp(func(w *warp.Warp) {
		odd, which, rank := w.Pred(), w.MaskReg(), warp.Alloc[int32](w)
		bit := warp.Alloc[int32](w)
		warp.AndImm(bit, w.LaneID(), 1)
		warp.EqImm(odd, bit, 1)
		warp.Ballot(which, odd)
		warp.Rank(rank, which)
		fmt.Println(which.Mask().Count(), rank.Lanes()[:6])
	})
	// Output: 16 [0 0 1 1 2 2]
}

// The lanes below eight take the one way, the others the other.
func ExampleWarp_IfElse() {
	oneWarp(func(w *warp.Warp) {
		low, v := w.Pred(), warp.Alloc[int32](w)
		warp.LtImm(low, w.LaneID(), 8)
		w.IfElse(low,
			func() { warp.Set(v, 1); fmt.Println(w.Active().Ranges()) },
			func() { warp.Set(v, 2); fmt.Println(w.Active().Ranges()) })
		fmt.Println(v.Lanes()[7:9])
	})
	// Output:
	// 0-7
	// 8-31
	// [1 2]
}

// A value goes through shared memory; lanes that are 32 words apart would meet in one
// bank, these do not.
func ExampleShared() {
	report := oneWarp(func(w *warp.Warp) {
		s, v, at := warp.Shared[int32](w, 32), warp.Alloc[int32](w), warp.Alloc[int32](w)
		warp.Store(s, w.LaneID(), w.LaneID())
		w.SyncWarp(w.Active())
		warp.XorImm(at, w.LaneID(), 31)
		warp.Load(v, s, at)
		fmt.Println(v.Lanes()[:4])
	})
	fmt.Println(report.ConflictPasses)
	// Output:
	// [31 30 29 28]
	// 0
}

// Reports of several runs add up to one.
func ExampleReport_Add() {
	kernel := func(w *warp.Warp) { w.SyncBlock() }
	one, other := oneWarp(kernel), oneWarp(kernel)
	n := one.Instructions
	if err := one.Add(other); err != nil {
		fmt.Println(err)
	}
	fmt.Println(one.Instructions == 2*n, len(one.Launches()))
	// Output: true 2
}
