package warp_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An observer of time is told of every instruction of every block with the cycle
// in which it is issued, also in launches that the engine could recall.
func TestObserverOfTime(t *testing.T) {
	type place struct{ block, warp int }
	var events []timing.Issue
	e := engine(t, "h200", warp.Config{Resident: 2, Observer: &warp.Observer{Issued: func(i *timing.Issue) { events = append(events, *i) }}})
	kernel := func(w *warp.Warp) {
		x := warp.Alloc[int32](w)
		warp.Set(x, 1)
		for range 3 {
			warp.ShflDown(x, x, 1)
		}
		w.SyncBlock()
		warp.Set(x, 2)
	}
	for range 2 {
		events = nil
		blocks := 3 * e.Device().Limits.Multiprocessors // groups of two, several to a multiprocessor
		r, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(blocks), Threads: warp.X(64)}, kernel)
		require.NoError(t, err)
		require.Equal(t, r.Instructions, int64(len(events)))
		next := map[place]int64{}
		var waits timing.Cycles
		for _, i := range events {
			p := place{i.Block, i.Warp}
			require.Equal(t, next[p], i.Index, "in the order of the program")
			next[p]++
			waits.Add(&i.Waits)
		}
		assert.Len(t, next, 2*blocks)
		assert.Equal(t, timing.Cycle(r.Instructions), waits.Of(timing.Issued))
		for why := timing.Control; why < timing.Drained; why++ {
			assert.Equal(t, r.Waits().Of(why), waits.Of(why), "%s", why)
		}
		// The chain of shuffles of block 0: each waits for the one before.
		var at []timing.Cycle
		for _, i := range events {
			if i.Block == 0 && i.Warp == 0 && i.Instr.Op == isa.ShflDown {
				at = append(at, i.Cycle)
			}
		}
		require.Len(t, at, 3)
		assert.Equal(t, timing.Cycle(e.Device().Timing.Ops["shfl.down"].Latency), at[2]-at[1])
	}

	e = engine(t, "h200", warp.Config{ValuesOnly: true, Observer: &warp.Observer{Issued: func(*timing.Issue) { t.Error("there is no time") }}})
	_, err := e.Run(context.Background(), one(64), kernel)
	require.NoError(t, err)
}

// An observer that does not return is named, wherever time goes on, and the engine
// stays usable.
func TestObserverOfTimeFails(t *testing.T) {
	for name, end := range map[string]func(){"panic": func() { panic("broken") }, "Goexit": runtime.Goexit} {
		for _, c := range []struct{ blocks, instructions, at int }{{1, 3, 0}, {1, 200000, 0}, {5000, 3, 0}, {1, 200000, 199999}} {
			t.Run(fmt.Sprint(name, c), func(t *testing.T) {
				n, fails := 0, true
				e := engine(t, "h200", warp.Config{Observer: &warp.Observer{Issued: func(*timing.Issue) {
					if n++; fails && n > c.at {
						end()
					}
				}}})
				kernel := func(w *warp.Warp) { w.Work(isa.IAdd, c.instructions) }
				shape := warp.Launch{Blocks: warp.X(c.blocks), Threads: warp.X(32)}
				_, err := e.Run(context.Background(), shape, kernel)
				var wrong *warp.ConfigError
				require.ErrorAs(t, err, &wrong)
				require.Equal(t, "Config.Observer.Issued", wrong.Field)
				n, fails = 0, false
				r, err := e.Run(context.Background(), shape, kernel)
				require.NoError(t, err)
				require.EqualValues(t, r.Instructions, n)
			})
		}
	}
}

// What is left of a warp after its run says so, whatever is asked of it.
func TestKeptWarp(t *testing.T) {
	var kept *warp.Warp
	var x warp.Reg[int32]
	var p warp.Pred
	for name, use := range map[string]func(){
		"SyncBlock": func() { kept.SyncBlock() }, "SyncWarp": func() { kept.SyncWarp(lane.FirstN(32)) }, "Barrier": func() { kept.Barrier(1, 32) },
		"Barrier of no name": func() { kept.Barrier(-1, 32) }, "Work": func() { kept.Work(isa.IAdd, 1) }, "Work of no op": func() { kept.Work(250, 1) },
		"Alloc": func() { warp.Alloc[int32](kept) }, "Pred": func() { kept.Pred() }, "ThreadID": func() { kept.ThreadID() }, "Any": func() { kept.Any(p) },
		"If": func() { kept.If(p, func() {}) }, "Exit": func() { kept.Exit(p) }, "Fence": func() { kept.Fence() }, "Add": func() { warp.Add(x, x, x) },
		"Fail": func() { kept.Fail(warp.Fault{Kind: warp.BadArgument}, nil) }, "Cancel": func() { kept.Cancel(nil) }, "Clock": func() { kept.Clock() },
		"Under": func() { kept.Under(lane.FirstN(1), func() { kept.Jump() }) }, "Shared": func() { warp.Shared[int32](kept, 1<<30) },
		"MaskReg": func() { kept.MaskReg() }, "Arrive": func() { kept.Arrive(1, 32) },
	} {
		t.Run(name, func(t *testing.T) {
			_, err := engine(t, "h200", warp.Config{Workers: 1}).Run(context.Background(), one(32), func(w *warp.Warp) {
				kept, x, p = w, value(w, int32(1)), w.Pred()
			})
			require.NoError(t, err)
			defer func() {
				if p := recover(); p != nil {
					f, ok := p.(*warp.Fault)
					require.True(t, ok, "%v", p)
					require.Equal(t, warp.WrongWarp, f.Kind)
				}
			}()
			use()
		})
	}
}
