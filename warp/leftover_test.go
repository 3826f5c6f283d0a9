package warp_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
	"github.com/stretchr/testify/require"
)

// endsSoon is a context that is done once it has been asked so many times.
type endsSoon struct {
	context.Context
	asked atomic.Int32
}

func (c *endsSoon) Err() error {
	if c.asked.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// emptyRun runs a kernel that does nothing with a context that ends after it has
// been asked so many times, and fails if it hangs.
func emptyRun(t *testing.T, e *warp.Engine, asked int) *warp.Report {
	t.Helper()
	ctx := &endsSoon{Context: context.Background()}
	ctx.asked.Store(int32(asked))
	done := make(chan *warp.Report, 1)
	go func() {
		r, _ := e.Run(ctx, warp.Launch{Blocks: warp.X(2), Threads: warp.X(64)}, func(w *warp.Warp) { w.SyncBlock() })
		done <- r
	}()
	select {
	case r := <-done:
		return r
	case <-time.After(20 * time.Second):
		require.FailNow(t, "the run hangs", "asked %d times", asked)
		return nil
	}
}

// A group that had put off reductions when its run failed owes the next run
// nothing.
func TestNothingDeferredIsLeft(t *testing.T) {
	e := newEngine(t, warp.Config{Device: small(t, 32, 4), Resident: 1, Workers: 2})
	sum := global(t, e, make([]int32, 1))
	h := newHold(t, 2)
	_, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(2), Threads: warp.X(64)}, func(w *warp.Warp) {
		if w.BlockIndex() == 0 {
			h.wait()
			panic("fails")
		}
		warp.AtomicReduce(warp.AtomicAdd, sum, value(w, int32(0)), value(w, int32(1)))
		h.reached()
		forever(w)
	})
	require.Error(t, err)
	for asked := range 6 {
		require.Empty(t, emptyRun(t, e, asked).Faults)
	}
}

// Faults of what kernels defer, which runs after their run has failed, are not in
// the report of the next one.
func TestNoFaultIsLeft(t *testing.T) {
	e := newEngine(t, warp.Config{Device: small(t, 32, 1), Resident: 1, Workers: 1})
	_, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(2), Threads: warp.X(64)}, func(w *warp.Warp) {
		defer w.Work(isa.IAdd, 3)
		if w.ID() == 1 {
			panic("fails")
		}
		w.SyncBlock()
	})
	require.Error(t, err)
	require.Empty(t, emptyRun(t, e, 1).Faults)
}

// Kernels whose deferred functions end their goroutines leave none behind.
func TestNoCoroutineIsLeft(t *testing.T) {
	for name, c := range map[string]warp.Config{"": {}, "seed": {Seed: 1}} {
		t.Run(name, func(t *testing.T) {
			c.Device, c.Resident, c.Workers = small(t, 32, 1), 4, 1
			e := newEngine(t, c)
			before := runtime.NumGoroutine()
			for range 20 {
				_, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(4), Threads: warp.X(96)}, func(w *warp.Warp) {
					defer func() {
						if w.ID() < 2 {
							runtime.Goexit()
						}
					}()
					if w.BlockIndex() == 3 && w.ID() == 2 {
						panic("fails")
					}
					w.SyncBlock()
				})
				require.Error(t, err)
			}
			settled(t, before)
		})
	}
}

// A register of a warp that waits at a barrier with a full record buffer is still a
// register of another warp.
func TestStrayRegisterOfFullWarp(t *testing.T) {
	for _, n := range []int{4094, 4095, 4096} {
		e := newEngine(t, warp.Config{Device: small(t, 32, 1), Resident: 2, Workers: 1})
		var r warp.Reg[int32]
		_, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(2), Threads: warp.X(64)}, func(w *warp.Warp) {
			if w.BlockIndex() > 0 {
				return
			}
			if w.ID() == 0 {
				r = value(w, int32(1))
				for range n - 2 {
					warp.AddImm(r, r, 1)
				}
				w.SyncBlock()
				return
			}
			warp.AddImm(r, r, 1)
			warp.AddImm(r, r, 1)
		})
		var f *warp.Fault
		require.ErrorAs(t, err, &f)
		require.Equal(t, warp.WrongWarp, f.Kind, "%d: %v", n, err)
	}
}
