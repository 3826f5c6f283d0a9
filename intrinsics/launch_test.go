package intrinsics_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"testing"
	"time"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Threads and blocks have positions in three dimensions, X fastest.
func TestPositions(t *testing.T) {
	grid, block := warp.Dim{X: 2, Y: 3, Z: 2}, warp.Dim{X: 5, Y: 4, Z: 3}
	e := engine(t, "h200", warp.Config{ValuesOnly: true, Workers: 1})
	seen := map[[6]int]bool{}
	_, err := intrinsics.Launch(context.Background(), e, grid, block, func(t1 *thread) {
		i, b := t1.ThreadIdx(), t1.BlockIdx()
		seen[[6]int{i.X, i.Y, i.Z, b.X, b.Y, b.Z}] = true
		rank := i.X + 5*(i.Y+4*i.Z)
		assert.Equal(t, rank, t1.ThreadRank())
		assert.Equal(t, rank, t1.WarpID()*32+t1.Lane())
		assert.Equal(t, (b.X+2*(b.Y+3*b.Z))*60+rank, t1.GlobalID())
		assert.Equal(t, grid, t1.GridDim())
		assert.Equal(t, block, t1.BlockDim())
		assert.Equal(t, 32, t1.WarpSize())
	})
	require.NoError(t, err)
	require.Len(t, seen, 60*12)
	for k := range seen {
		require.True(t, k[0] < 5 && k[1] < 4 && k[2] < 3 && k[3] < 2 && k[4] < 3 && k[5] < 2, k)
	}
}

// A panic of the kernel is an error that names thread, block and line.
func TestPanic(t *testing.T) {
	e := engine(t, "h200", values)
	_, err := intrinsics.Launch(context.Background(), e, warp.X(3), warp.Dim{X: 8, Y: 8}, func(t *thread) {
		intrinsics.SyncWarp(t, full)
		if t.BlockIdx().X == 2 && t.ThreadRank() == 42 {
			panic(io.ErrUnexpectedEOF)
		}
		intrinsics.SyncThreads(t)
	})
	var f *warp.Fault
	require.ErrorAs(t, err, &f)
	require.Equal(t, warp.KernelPanic, f.Kind)
	require.Equal(t, []any{2, 1, lanes(10, 10)}, []any{f.Block, f.Warp, f.Lanes})
	require.Contains(t, f.Detail, "thread (2,5,0)")
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.Regexp(t, `^launch_test.go:\d+$`, f.Site.String())
	// Inside a function that the kernel calls, before anything else.
	_, _, err = try(e, 1, func(t *thread) int { return explode(nil) })
	require.ErrorAs(t, err, &f)
	require.Contains(t, f.Site.Func, "explode")
}

//go:noinline
func explode(p *int) int { return *p }

func TestGoexit(t *testing.T) {
	e := engine(t, "h200", values)
	done := make(chan error, 1)
	go func() {
		var err error
		defer func() { done <- err }()
		_, err = intrinsics.Launch(context.Background(), e, warp.X(1), warp.X(64), func(t *thread) {
			if t.ThreadRank() == 5 {
				runtime.Goexit()
			}
		})
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("the launch hangs")
	}
}

// A launch ends with its context, at an intrinsic.
func TestCancel(t *testing.T) {
	e := engine(t, "h200", values)
	ctx, cancel := context.WithCancel(context.Background())
	turns := 0
	_, err := intrinsics.Launch(ctx, e, warp.X(1), warp.X(64), func(t *thread) {
		for {
			if turns++; turns == 5000 {
				cancel()
			}
			intrinsics.SyncWarp(t, full)
		}
	})
	require.ErrorIs(t, err, context.Canceled)
	_, err = intrinsics.Launch(ctx, e, warp.X(1), warp.X(1), func(*thread) { t.Error("runs") })
	require.ErrorIs(t, err, context.Canceled)
}

func TestBadLaunch(t *testing.T) {
	e := engine(t, "h200", values)
	var c *warp.ConfigError
	_, err := intrinsics.Launch(context.Background(), e, warp.X(1), warp.X(1), nil)
	require.ErrorAs(t, err, &c)
	_, err = intrinsics.Launch(context.Background(), e, warp.X(0), warp.X(1), func(*thread) {})
	require.ErrorAs(t, err, &c)
	_, err = intrinsics.Launch(context.Background(), e, warp.X(1), warp.X(1), func(*thread) {}, intrinsics.DynamicBytes(-1))
	require.ErrorAs(t, err, &c)
}

// No goroutine outlives a launch, however it ends.
func TestNothingSurvives(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, kernel := range []func(t *thread){
		func(t *thread) { intrinsics.SyncThreads(t) },
		func(t *thread) { panic("no") },
		func(t *thread) { intrinsics.ShflSync(t, uint32(2), 0, 0) }, // a fault
		func(t *thread) { // a deadlock
			if t.Lane() == 0 {
				intrinsics.SyncWarp(t, full)
			}
			intrinsics.SyncThreads(t)
		},
		func(t *thread) { // a kernel that recovers what it should not
			defer func() { _ = recover() }()
			intrinsics.ShflSync(t, uint32(2), 0, 0)
		},
		func(t *thread) { // and one that goes on in a deferred call
			defer intrinsics.SyncWarp(t, full)
			intrinsics.ShflSync(t, uint32(2), 0, 0)
		},
	} {
		e := engine(t, "h200", values)
		_, _ = intrinsics.Launch(context.Background(), e, warp.X(4), warp.X(96), kernel)
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	require.LessOrEqual(t, runtime.NumGoroutine(), before)
}

// Asking allocates nothing once the threads are there.
func TestNoAllocations(t *testing.T) {
	e := engine(t, "h200", warp.Config{})
	type pair struct{ a, b int32 }
	out, err := intrinsics.Global(e, make([]int32, 32))
	require.NoError(t, err)
	per := func(n int) float64 {
		return testing.AllocsPerRun(3, func() {
			_, err := intrinsics.Launch(context.Background(), e, warp.X(1), warp.X(32), func(t *thread) {
				s := intrinsics.Shared[int32](t, 32)
				v, l := int32(t.Lane()), t.Lane()
				for range n {
					v = intrinsics.ShflXorSync(t, full, v, 1)
					v = intrinsics.ShflDown(t, v, 1)
					v += int32(intrinsics.Popc(t, intrinsics.BallotSync(t, full, l&1 == 0)))
					v += intrinsics.ReduceAddSync(t, full, v) & 1
					v += intrinsics.ShflSync(t, full, pair{v, v}, 3).b
					s.Store(t, l, v)
					v = s.Load(t, 31-l)
					intrinsics.AtomicAdd(t, out, l, v)
					if l < 9 {
						v ^= intrinsics.ShflUp(t, v, 1)
					}
					intrinsics.SyncThreads(t)
				}
			})
			require.NoError(t, err)
		})
	}
	base, more := per(10), per(300)
	require.InDelta(t, base, more, 60, "290 rounds more of 10 intrinsics")
}

// Nor does a mistake that the kernel has made before at the same line.
func TestRepeatedFaultsAllocateNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of faults for each kind")
	}
	for name, c := range map[string]struct {
		device string
		mode   warp.FaultMode
		kind   warp.FaultKind // NoFault: faults are off
		turn   func(t *thread)
	}{
		"operand, off":   {"h200", warp.Off, warp.NoFault, func(t *thread) { intrinsics.ShflUp(t, 1, 40) }},
		"inactive, off":  {"h200", warp.Off, warp.NoFault, func(t *thread) { intrinsics.ShflXorSync(t, lane.FirstN(16), 1, 16) }},
		"operand":        {"h200", warp.Collect, warp.OperandRange, func(t *thread) { intrinsics.ShflUp(t, 1, 40) }},
		"width":          {"h200", warp.Mimic, warp.WidthNotPowerOfTwo, func(t *thread) { intrinsics.ShflUp(t, 1, 1, 24) }},
		"mask":           {"h200", warp.Collect, warp.CallerNotInMask, func(t *thread) { intrinsics.SyncWarp(t, lane.FirstN(16)) }},
		"no mask":        {"h200", warp.Collect, warp.MaskZero, func(t *thread) { intrinsics.BallotSync(t, mask{}, true) }},
		"masks of lanes": {"h200", warp.Collect, warp.CallerNotInMask, func(t *thread) { intrinsics.AnySync(t, lane.Bit(t.Lane()^1), true) }},
		"HIP, one mask":  {"mi300x", warp.Collect, warp.CallerNotInMask, func(t *thread) { intrinsics.ShflXorSync(t, lane.FirstN(16), 1, 1) }},
		"HIP, masks":     {"mi300x", warp.Collect, warp.CallerNotInMask, func(t *thread) { intrinsics.ShflXorSync(t, lane.Bit(t.Lane()^1), 1, 1) }},
		"HIP, lanes":     {"mi300x", warp.Collect, warp.MaskNotActive, func(t *thread) { intrinsics.ShflXorSync(t, lane.Range(t.Lane()&^1, 64), 1, 1) }},
		"narrow":         {"custom-64", warp.Collect, warp.MaskTooNarrow, func(t *thread) { intrinsics.LaneMaskLt[uint32](t) }},
		"undefined":      {"h200", warp.Collect, warp.UndefinedUse, func(t *thread) { intrinsics.ShflXorSync(t, lane.Range(t.Lane()&16, t.Lane()&16+16), 1, 16) }},
		"barriers": {"h200", warp.Collect, warp.BarrierDivergent, func(t *thread) {
			if t.Lane() < 4 {
				intrinsics.SyncThreads(t)
			} else {
				intrinsics.SyncThreads(t)
			}
		}},
	} {
		e := engine(t, c.device, warp.Config{Faults: c.mode, ValuesOnly: true})
		n := e.Device().Lanes
		turns := func(k int) {
			r, err := intrinsics.Launch(context.Background(), e, warp.X(1), warp.X(n), func(t *thread) {
				for range k {
					c.turn(t)
				}
			})
			require.NoError(t, err, name)
			if c.kind == warp.NoFault {
				require.Empty(t, r.Faults, name)
			} else {
				require.NotZero(t, fault(t, r, c.kind).Count, name)
			}
		}
		// A collection empties the pools of coroutines, which then are made anew: that is
		// no allocation of turns, so that the least of three differences counts.
		least := math.Inf(1)
		for range 3 {
			few := testing.AllocsPerRun(3, func() { turns(10) })
			many := testing.AllocsPerRun(3, func() { turns(300) })
			if least = min(least, math.Abs(many-few)); least <= 30 {
				break
			}
		}
		require.LessOrEqual(t, least, 30.0, "%s: 290 turns more", name)
	}
}

// Instructions that plain Go stands for are booked when declared.
func TestWork(t *testing.T) {
	e := engine(t, "h200", warp.Config{})
	r, err := intrinsics.Launch(context.Background(), e, warp.X(1), warp.X(40), func(t *thread) {
		t.Work(isa.FFma, 3)
		if t.Lane() < 4 {
			t.Work(isa.FFma, 2)
			t.Work(isa.IAdd, 1)
		}
		t.Work(isa.IMul, 0)
		t.Work(isa.IMul, -5)
		intrinsics.SyncWarp(t, t.AllLanes())
		t.Work(isa.Logic, 1) // before the end
	})
	require.NoError(t, err)
	counts := map[isa.Op]int64{}
	for _, row := range r.Ops() {
		counts[row.Op] = row.Instructions
	}
	require.Equal(t, map[isa.Op]int64{isa.FFma: 10, isa.IAdd: 2, isa.Logic: 2, isa.WarpSync: 2}, counts)
	require.Positive(t, r.Cycles)
	_, _, err = try(e, 1, func(t *thread) int { t.Work(isa.LoadGlobal, 1); return 0 })
	require.ErrorIs(t, err, warp.BadInstruction)
	// More kinds of work than a thread keeps before it hands them over.
	r, err = intrinsics.Launch(context.Background(), e, warp.X(1), warp.X(32), func(t *thread) {
		for op := isa.IAdd; op <= isa.DFma; op++ {
			t.Work(op, 2)
		}
	})
	require.NoError(t, err)
	for op := isa.IAdd; op <= isa.DFma; op++ {
		require.EqualValues(t, 2, r.Count(op), op)
	}
}

// A launch with sites names the kernel's lines.
func TestSites(t *testing.T) {
	e := engine(t, "h200", warp.Config{Sites: true})
	r, err := intrinsics.Launch(context.Background(), e, warp.X(1), warp.X(64), func(t *thread) {
		v := intrinsics.ShflXorSync(t, full, t.Lane(), 1)
		intrinsics.SyncThreads(t)
		if v > 3 {
			intrinsics.Ballot(t, true)
		}
	})
	require.NoError(t, err)
	var lines []string
	for _, l := range r.Lines() {
		lines = append(lines, l.Site.String()[:15])
		require.Contains(t, l.Site.Func, "TestSites")
	}
	require.Equal(t, same(3, "launch_test.go:"), lines)
}

// Results do not depend on how many processors run the blocks.
func TestWorkers(t *testing.T) {
	sums := func(workers int) ([]int32, *warp.Report) {
		e := engine(t, "h200", warp.Config{Workers: workers})
		out, err := intrinsics.Global(e, make([]int32, 301))
		require.NoError(t, err)
		r, err := intrinsics.Launch(context.Background(), e, warp.X(300), warp.X(64), func(t *thread) {
			v := int32(t.GlobalID())
			for d := 16; d > 0; d /= 2 {
				v += intrinsics.ShflDownSync(t, full, v, d)
			}
			if t.Lane() == 0 {
				intrinsics.AtomicAdd(t, out, t.BlockIdx().X, v)
				out.Store(t, 300, intrinsics.AtomicAdd(t, out, 300, 0)+1)
			}
		})
		require.NoError(t, err)
		return out.Data(), r
	}
	one, r1 := sums(1)
	four, r4 := sums(4)
	require.Equal(t, one, four)
	require.Equal(t, r1.Cycles, r4.Cycles)
	require.EqualValues(t, 600, one[300])
}

func TestErrorText(t *testing.T) {
	e := engine(t, "h200", values)
	_, _, err := try(e, 32, func(t *thread) int {
		if t.Lane() < 4 {
			return intrinsics.ShflSync(t, full, 1, 0)
		}
		intrinsics.BallotSync(t, full, true)
		return 0
	})
	require.Error(t, err)
	require.Regexp(t, `launch_test.go:\d+: member mask names lanes that do not arrive: block 0 warp 0 lanes 0-3 \(0x0000000f\): `+
		`threads 0 to 3 of warp 0 \(lanes 0-3\) at ShflSync \(launch_test.go:\d+\) with mask 0xffffffff wait for lanes 4-31; `+
		`threads 4 to 31 of warp 0 \(lanes 4-31\) at BallotSync \(launch_test.go:\d+\) with mask 0xffffffff wait for lanes 0-3`, err.Error())
	require.NotErrorIs(t, err, errors.ErrUnsupported)
	require.Equal(t, "block 0 thread 7 (lane 7 of warp 0)", run(t, e, 8, func(t *thread) string { return fmt.Sprint(t) })[7])
}
