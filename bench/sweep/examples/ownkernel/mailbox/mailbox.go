// Package mailbox registers two kernels that hand values from lane to lane, Size
// times in a row, through a shuffle and through shared memory.
package mailbox

import (
	"context"
	"fmt"

	"example.com/warpsim/bench/sweep/kernel"
	"example.com/warpsim/crossbar"
	"example.com/warpsim/warp"
)

func init() {
	kernel.Register(kernel.Kernel{Name: "mailbox/shuffle", Doc: "hands a value to the next lane by a shuffle, Size times", Types: []string{"i32"}, Run: shuffle})
	kernel.Register(kernel.Kernel{Name: "mailbox/shared", Doc: "hands a value to the next lane through shared memory, Size times", Types: []string{"i32"}, Run: shared})
}

func shuffle(ctx context.Context, j kernel.Job) (kernel.Outcome, error) {
	return run(ctx, j, func(w *warp.Warp, v warp.Reg[int32]) {
		from := warp.Alloc[int32](w)
		next(w, from)
		for range j.Size {
			warp.Shfl(v, v, warp.Shuffle{Mode: crossbar.Idx, PerLane: from})
		}
	})
}

func shared(ctx context.Context, j kernel.Job) (kernel.Outcome, error) {
	return run(ctx, j, func(w *warp.Warp, v warp.Reg[int32]) {
		from, box := warp.Alloc[int32](w), warp.Shared[int32](w, w.Width())
		next(w, from)
		for range j.Size {
			warp.Store(box, w.LaneID(), v)
			w.SyncWarp(w.Live())
			warp.Load(v, box, from)
			w.SyncWarp(w.Live())
		}
	})
}

// next gives every lane the number of the one after it.
func next(w *warp.Warp, from warp.Reg[int32]) {
	warp.AddImm(from, w.LaneID(), 1)
	warp.AndImm(from, from, int32(w.Width()-1))
}

func run(ctx context.Context, j kernel.Job, body func(*warp.Warp, warp.Reg[int32])) (kernel.Outcome, error) {
	e, err := warp.New(warp.Config{Device: j.Device, Workers: 1})
	if err != nil {
		return kernel.Outcome{}, err
	}
	var got int32
	report, err := e.Run(ctx, warp.Launch{Blocks: warp.X(1), Threads: warp.X(j.Device.Lanes)}, func(w *warp.Warp) {
		v := warp.Alloc[int32](w)
		warp.Mov(v, w.LaneID())
		body(w, v)
		got = v.Lanes()[0]
	})
	if err != nil {
		return kernel.Outcome{}, err
	}
	return kernel.From(report, fmt.Sprint(got))
}
