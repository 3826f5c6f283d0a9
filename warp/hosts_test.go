package warp_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What hosts do around a run: contexts, callbacks, kernels that end their
// goroutine, and goroutines that must not stay behind.

// settled waits for the number of goroutines to come back to what it was.
func settled(t testing.TB, before int) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Errorf("%d goroutines before, %d after", before, runtime.NumGoroutine())
			return
		}
	}
}

// forever keeps a kernel busy for longer than any test waits.
func forever(w *warp.Warp) {
	for {
		w.Work(isa.IAdd, 1000)
	}
}

func TestContextCancelledBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	called := false
	r, err := newEngine(t, warp.Config{Device: small(t, 32, 2)}).Run(ctx, one(64), func(*warp.Warp) { called = true })
	require.ErrorIs(t, err, context.Canceled)
	require.NotNil(t, r)
	assert.False(t, called)
}

// A context ends kernels of one warp and of several, in every mode, alone and
// on several processors.
func TestContextCancelledDuring(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, c := range []warp.Config{{}, {ValuesOnly: true}, {Workers: 2}, {Sites: true}} {
		for _, threads := range []int{32, 256} {
			c.Device = small(t, 32, 2)
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
			_, err := newEngine(t, c).Run(ctx, warp.Launch{Blocks: warp.X(3), Threads: warp.X(threads)}, forever)
			cancel()
			require.ErrorIs(t, err, context.DeadlineExceeded, "%+v, %d threads", c, threads)
		}
	}
	settled(t, before)
}

// A block that waits for an earlier one is woken when that one is cancelled.
func TestContextCancelledWhileBlocksWait(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	e := newEngine(t, warp.Config{Device: small(t, 32, 2), Workers: 2})
	sum := global(t, e, make([]int32, 1))
	_, err := e.Run(ctx, warp.Launch{Blocks: warp.X(2), Threads: warp.X(32)}, func(w *warp.Warp) {
		if w.BlockIndex() == 0 {
			forever(w)
		}
		at := warp.Alloc[int32](w)
		warp.Set(at, 0)
		warp.AtomicReduce(warp.AtomicAdd, sum, at, w.LaneID())
	})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Zero(t, sum.Data()[0], "the second block must not have had its turn")
}

// A kernel that ends its goroutine ends the run with a fault, not the caller.
func TestGoexitInKernel(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, workers := range []int{1, 3} {
		for _, threads := range []int{32, 96} {
			e := newEngine(t, warp.Config{Device: small(t, 32, 2), Workers: workers})
			_, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(9), Threads: warp.X(threads)}, func(w *warp.Warp) {
				if w.BlockIndex() == 4 && w.ID() == threads/32-1 {
					runtime.Goexit()
				}
			})
			require.ErrorIs(t, err, warp.KernelPanic)
			var f *warp.Fault
			require.ErrorAs(t, err, &f)
			assert.Equal(t, 4, f.Block)
			assert.Contains(t, f.Detail, "runtime.Goexit")

			_, err = e.Run(context.Background(), one(threads), func(w *warp.Warp) { w.SyncBlock() })
			require.NoError(t, err, "the engine is still good")
		}
	}
	settled(t, before)
}

func TestProgress(t *testing.T) {
	var last, calls, total int
	var inside atomic.Int32
	e := newEngine(t, warp.Config{Device: small(t, 32, 2), Workers: 3, Progress: func(done, of int) {
		assert.EqualValues(t, 1, inside.Add(1), "calls overlap")
		assert.GreaterOrEqual(t, done, last)
		last, total = done, of
		calls++
		inside.Add(-1)
	}})
	_, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(50), Threads: warp.X(32)}, func(w *warp.Warp) { w.LaneID() })
	require.NoError(t, err)
	assert.Equal(t, []int{50, 50}, []int{last, total})
	assert.Positive(t, calls)
}

// A callback that panics or ends its goroutine is an error of the run.
func TestProgressThatDoesNotReturn(t *testing.T) {
	for name, f := range map[string]func(){"broken": func() { panic("broken") }, "Goexit": runtime.Goexit} {
		for _, workers := range []int{1, 2} {
			e := newEngine(t, warp.Config{Device: small(t, 32, 2), Workers: workers, Progress: func(int, int) { f() }})
			_, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(4), Threads: warp.X(64)}, func(w *warp.Warp) { w.SyncBlock() })
			var bad *warp.ConfigError
			require.ErrorAs(t, err, &bad)
			assert.Equal(t, "Config.Progress", bad.Field)
			assert.Contains(t, bad.Reason, name)
		}
	}
}

func TestObserverThatPanics(t *testing.T) {
	e := newEngine(t, warp.Config{Device: small(t, 32, 2), Observer: &warp.Observer{Instr: func(warp.InstrEvent) { panic("no more") }}})
	_, err := e.Run(context.Background(), one(64), func(w *warp.Warp) { w.LaneID() })
	require.ErrorIs(t, err, warp.KernelPanic)
	assert.Contains(t, err.Error(), "no more")
}

// No goroutine stays behind a run, whatever ended it.
func TestNoGoroutineStays(t *testing.T) {
	before := runtime.NumGoroutine()
	e := newEngine(t, warp.Config{Device: small(t, 32, 2), Workers: 2})
	for name, k := range map[string]warp.Kernel{
		"fine":       func(w *warp.Warp) { w.SyncBlock() },
		"panics":     func(w *warp.Warp) { w.SyncBlock(); panic(name(w)) },
		"one panics": func(w *warp.Warp) { w.SyncBlock(); panicIf(w.ID() == 1); w.SyncBlock() },
		"deadlock":   func(w *warp.Warp) { deadlocked(w) },
		"swallows": func(w *warp.Warp) {
			defer func() { _ = recover() }()
			deadlocked(w)
		},
		"defers": func(w *warp.Warp) {
			defer w.SyncBlock()
			defer w.Work(isa.IAdd, 9000)
			deadlocked(w)
		},
	} {
		_, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(5), Threads: warp.X(96)}, k)
		assert.Equal(t, name != "fine", err != nil, "%s: %v", name, err)
	}
	settled(t, before)
}

func name(w *warp.Warp) string { return w.Device().Name }

func panicIf(b bool) {
	if b {
		panic("asked to")
	}
}

// deadlocked makes one warp wait where the others do not come.
func deadlocked(w *warp.Warp) {
	if w.ID() == 0 {
		w.Barrier(1, 2*w.Width())
	}
}

// Engines are safe for use by several goroutines at once.
func TestConcurrentRuns(t *testing.T) {
	e := newEngine(t, warp.Config{Device: small(t, 32, 2), Workers: 2})
	cycles := make(chan int64, 8)
	for range cap(cycles) {
		go func() {
			out, err := warp.Global(e, make([]int32, 256))
			assert.NoError(t, err)
			r, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(2), Threads: warp.X(128)}, func(w *warp.Warp) {
				v := warp.Alloc[int32](w)
				warp.AddImm(v, w.GlobalID(), 7)
				w.SyncBlock()
				warp.Store(out, w.GlobalID(), v)
			})
			assert.NoError(t, err)
			for i, v := range out.Data() {
				if int(v) != i+7 {
					t.Errorf("element %d is %d", i, v)
					break
				}
			}
			cycles <- int64(r.Cycles)
		}()
	}
	first := <-cycles
	for range cap(cycles) - 1 {
		assert.Equal(t, first, <-cycles)
	}
}
