package warptest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/warptest"
	"github.com/stretchr/testify/require"
)

// A recorder is a test that only notes what would be said.
type recorder struct {
	testing.TB
	errors, logs []string
}

func (r *recorder) Helper()                   {}
func (r *recorder) Error(a ...any)            { r.errors = append(r.errors, fmt.Sprint(a...)) }
func (r *recorder) Errorf(f string, a ...any) { r.errors = append(r.errors, fmt.Sprintf(f, a...)) }
func (r *recorder) Logf(f string, a ...any)   { r.logs = append(r.logs, fmt.Sprintf(f, a...)) }

func TestNoFaults(t *testing.T) {
	clean, r := &recorder{}, &warp.Report{Device: "h200"}
	warptest.NoFaults(clean, r)
	require.Empty(t, clean.errors)
	require.Empty(t, clean.logs)

	// A lint is told and fails nothing.
	_, r = wide(t, "h200", 32, func(w *warp.Warp, out ints) { warp.ShflUp(warp.Alloc[int32](w), w.LaneID(), 40) })
	lint := &recorder{}
	warptest.NoFaults(lint, r)
	require.Empty(t, lint.errors)
	require.Len(t, lint.logs, 1)

	// One mistake in a loop is one report with a count, the worst first.
	_, r = wide(t, "h200", 32, func(w *warp.Warp, out ints) {
		s := warp.Shared[int32](w, 64)
		v := warp.Alloc[int32](w)
		warp.Load(v, s.At(32), w.LaneID())
		for range 5 {
			warp.Store(s, w.LaneID(), w.LaneID())
			warp.Load(v, s, index(w, func(id int) int { return 31 - id }))
		}
	})
	bad := &recorder{}
	warptest.NoFaults(bad, r)
	require.Len(t, bad.errors, 1)
	text := bad.errors[0]
	require.True(t, strings.HasPrefix(text, "on h200:\nwarptest_test.go:"), text)
	require.Contains(t, text, "race in shared memory (error)\n  who:   block 0 warp 0 lanes 0-31 (0xffffffff), 5 times\n  what:  load of elements 0 to 31 meets the store of lane 31 of the same warp at warptest_test.go:")
	require.Contains(t, text, "\n  rule:  Two accesses of one byte")
	require.Contains(t, text, "\n  to do: put SyncWarp between")
	require.Less(t, strings.Index(text, "(error)"), strings.Index(text, "(warning)"))
	require.Equal(t, []warp.FaultKind{warp.UninitializedShared, warp.BenignRace, warp.SharedRace}, warptest.Kinds(r))
}

func TestFaultsAsJSON(t *testing.T) {
	_, r := wide(t, "mi300x", 64, func(w *warp.Warp, out ints) {
		w.If(below(w, 40), func() { w.SyncWarp(lane.FirstN(64)) })
	})
	b, err := json.Marshal(r.Faults)
	require.NoError(t, err)
	var got []map[string]any
	require.NoError(t, json.Unmarshal(b, &got))
	require.Len(t, got, 1)
	require.Regexp(t, `/warptest_test\.go$`, got[0]["file"])
	require.Positive(t, got[0]["line"])
	delete(got[0], "file")
	delete(got[0], "line")
	delete(got[0], "func")
	require.Equal(t, map[string]any{
		"kind": "mask-not-active", "severity": "error", "block": 0.0, "warp": 0.0, "width": 64.0, "count": 1.0,
		"lanes": "0-39", "laneMask": "0x000000ffffffffff", "missing": "0xffffff0000000000", "mask": "0xffffffffffffffff",
		"detail": "mask 0xffffffffffffffff, active lanes 0x000000ffffffffff",
		"rule":   warp.MaskNotActive.Rule(), "advice": "pass the mask of the active lanes",
	}, got[0])
}

// racy adds up in shared memory without a barrier: whether the second warp's
// store is seen depends on who comes first.
func racy(w *warp.Warp, out ints) {
	s := warp.Shared[int32](w, 1)
	v := reg(w, int32(w.ID()+1))
	one := when(w, func(l int) bool { return l == 0 })
	w.Where(one, func() { warp.Store(s, w.LaneID(), v) })
	w.SyncBlock()
	w.Where(one, func() {
		warp.Load(v, s, w.LaneID())
		warp.Store(out, w.ThreadID(), v)
	})
}

func TestExplore(t *testing.T) {
	x := warptest.Exploration{Config: warp.Config{Device: profile(t, "h200")}}
	p := warptest.Output(block(64), 64, func(out ints) warp.Kernel { return func(w *warp.Warp) { racy(w, out) } })
	bad := &recorder{}
	warptest.Explore(bad, x, p)
	require.Len(t, bad.errors, 1)
	require.Contains(t, bad.errors[0], "schedule 1, the engine's own order")
	require.Contains(t, bad.errors[0], "schedule 2, seed ")
	require.Regexp(t, `block 0 warp 1: \d+ accesses, waits at a barrier`, bad.errors[0])
	require.Contains(t, bad.errors[0], "gives [2 0 0 0 0 0 0 0] from element 0 of 64 on")
	require.Contains(t, bad.errors[0], "gives [1 0 0 0 0 0 0 0] from element 0 of 64 on")

	// The seed repeats the schedule, its result and its cycles.
	d, err := warptest.Find(context.Background(), x, p)
	require.NoError(t, err)
	var last *warp.Report
	for range 3 {
		e, err := warp.New(warp.Config{Device: profile(t, "h200"), Seed: d.Seeds[1], Faults: warp.Collect})
		require.NoError(t, err)
		got, r, err := p(context.Background(), e)
		require.NoError(t, err)
		require.Equal(t, d.Results[1], got)
		require.Equal(t, d.Schedules[1], r.Schedule)
		if last != nil {
			require.Equal(t, last.Cycles, r.Cycles)
		}
		last = r
	}

	good := &recorder{}
	warptest.Explore(good, x, warptest.Output(block(64), 64, func(out ints) warp.Kernel {
		return func(w *warp.Warp) { warp.Store(out, w.ThreadID(), w.ThreadID()) }
	}))
	require.Empty(t, good.errors)

	// Blocks mix, too: the order of float additions is the schedule's.
	floats := func(ctx context.Context, e *warp.Engine) (any, *warp.Report, error) {
		sum, err := warp.Global(e, make([]float32, 1))
		if err != nil {
			return nil, nil, err
		}
		r, err := e.Run(ctx, warp.Launch{Blocks: warp.X(4), Threads: warp.X(32)}, func(w *warp.Warp) {
			v, at := warp.Alloc[float32](w), reg(w, 0)
			warp.Set(v, []float32{1e8, 1, -1e8, 3}[w.BlockIndex()])
			w.Where(below(w, 1), func() { warp.AtomicReduce(warp.AtomicAdd, sum, at, v) })
		})
		return sum.Data()[0], r, err
	}
	d, err = warptest.Find(context.Background(), x, floats)
	require.NoError(t, err)
	require.NotNil(t, d)

	// What ends a run in some schedule only is a difference.
	stuck := warptest.Output(block(64), 64, func(out ints) warp.Kernel {
		return func(w *warp.Warp) {
			s, v := warp.Shared[int32](w, 1), reg(w, 0)
			warp.Atomic(warp.AtomicAdd, v, s, reg(w, 0), reg(w, 1))
			if first := v.Lanes()[0]; first == 0 && w.ID() == 1 {
				w.Barrier(1, 64)
			}
		}
	})
	d, err = warptest.Find(context.Background(), x, stuck)
	require.NoError(t, err)
	require.NotNil(t, d)
	require.NoError(t, d.Errors[0])
	require.ErrorIs(t, d.Errors[1], warp.Deadlock)
	require.Contains(t, d.String(), "ends with")

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = warptest.Find(ctx, x, p)
	require.ErrorIs(t, err, context.Canceled)
	_, err = warptest.Find(context.Background(), warptest.Exploration{}, p)
	var bad2 *warp.ConfigError
	require.ErrorAs(t, err, &bad2)
}

// total is a reduction of the lane numbers by shuffles that starts at a distance.
func total(distance func(w *warp.Warp) int) warptest.Program {
	return warptest.Output(block(128), 1, func(out ints) warp.Kernel {
		return func(w *warp.Warp) {
			sum := warp.Alloc[int32](w)
			t := warp.Alloc[int32](w)
			warp.Mov(sum, w.ThreadID())
			for d := distance(w); d > 0; d /= 2 {
				warp.ShflDown(t, sum, d)
				warp.Add(sum, sum, t)
			}
			w.Where(below(w, 1), func() { warp.AtomicReduce(warp.AtomicAdd, out, reg(w, 0), sum) })
		}
	})
}

func TestPortability(t *testing.T) {
	devices := warptest.Devices(t, "h200", "mi300x", "mtt-s4000")
	want := []int32{triangle(128)}
	table := warptest.Portability(t, devices, want, total(func(w *warp.Warp) int { return w.Width() / 2 }))
	require.Len(t, table, 3)

	bad := &recorder{}
	table = warptest.Portability(bad, devices, want, total(func(w *warp.Warp) int { return 16 }))
	require.Equal(t, []warptest.Verdict{warptest.Right, warptest.Wrong, warptest.Wrong},
		[]warptest.Verdict{table[0].Verdict, table[1].Verdict, table[2].Verdict})
	require.Len(t, bad.errors, 1)
	require.Regexp(t, `device +lanes +verdict +parts at +why\n`, bad.errors[0])
	require.Regexp(t, `h200 +32 +right +-`, bad.errors[0])
	require.Regexp(t, `mi300x +64 +wrong +warptest_test.go:\d+ +\[\d+\], not \[8128\]; .*reduction leaves a part out`, bad.errors[0])
	// The lane that reads beyond 32 first is where they part: in the shuffle.
	require.Equal(t, table[1].Parts, table[2].Parts)

	// Undefined, and where a device lacks what it takes.
	table, err := warptest.Compare(context.Background(), devices, warp.Config{}, []int32{0},
		warptest.Output(block(64), 1, func(out ints) warp.Kernel {
			return func(w *warp.Warp) {
				w.If(below(w, 16), func() {
					v := warp.Alloc[int32](w)
					warp.ShflIdx(v, w.LaneID(), 20)
					warp.AtomicReduce(warp.AtomicMax, out, reg(w, 0), v)
				})
			}
		}))
	require.NoError(t, err)
	require.Equal(t, warptest.Undefined, table[0].Verdict)
	require.Contains(t, table[0].Detail, "undefined operand of an atomic")
	require.Equal(t, warptest.Right, table[1].Verdict, "AMD gives 0")
	require.Contains(t, table[1].Detail, "source lane does not take part", "and still warns")
	table, err = warptest.Compare(context.Background(), devices[:2], warp.Config{}, []int32{1},
		warptest.Output(block(32), 1, func(out ints) warp.Kernel {
			return func(w *warp.Warp) {
				v := warp.Alloc[int32](w)
				warp.Redux(warp.ReduxOr, v, reg(w, 1))
				w.Where(below(w, 1), func() { warp.Store(out, w.LaneID(), v) })
			}
		}))
	require.NoError(t, err)
	require.Equal(t, []warptest.Verdict{warptest.Right, warptest.Failed}, []warptest.Verdict{table[0].Verdict, table[1].Verdict})

	_, err = warptest.Compare(context.Background(), []*device.Profile{nil}, warp.Config{}, nil, nil)
	require.Error(t, err)
}
