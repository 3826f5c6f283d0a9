package warp_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// A faultCase is a minimal kernel that raises one kind of fault, and a near twin
// that does not.
type faultCase struct {
	kind    warp.FaultKind
	device  string
	threads int
	bad     warp.Kernel
	fine    warp.Kernel
	final   bool // ends the run in every mode
}

// value returns a register that holds v in all lanes.
func value[T any](w *warp.Warp, v T) warp.Reg[T] {
	r := warp.Alloc[T](w)
	w.Under(lane.FirstN(w.Width()), func() { warp.Set(r, v) })
	return r
}

// lower returns a predicate that holds in the lower half of the warp.
func lower(w *warp.Warp) warp.Pred {
	p := w.Pred()
	warp.SetPred(p, lane.FirstN(w.Width()/2))
	return p
}

// down shuffles the lane numbers down by one among the lanes of a mask.
func down(w *warp.Warp, mask lane.Mask) {
	warp.Shfl(warp.Alloc[int32](w), w.LaneID(), warp.Shuffle{Mode: crossbar.Down, Operand: 1, Width: w.Width() / 2}, mask)
}

// faultCases has every kind that the engine itself raises without being asked
// to watch memory.
func faultCases() []faultCase {
	half := func(w *warp.Warp) lane.Mask { return lane.FirstN(w.Width() / 2) }
	whole := func(w *warp.Warp) lane.Mask { return lane.FirstN(w.Width()) }
	return []faultCase{
		{kind: warp.MaskZero, device: "h200",
			bad:  func(w *warp.Warp) { w.SyncWarp(lane.Mask{}) },
			fine: func(w *warp.Warp) { w.SyncWarp(whole(w)) }},
		{kind: warp.CallerNotInMask, device: "mi300x",
			bad:  func(w *warp.Warp) { down(w, half(w)) },
			fine: func(w *warp.Warp) { w.If(lower(w), func() { down(w, half(w)) }) }},
		{kind: warp.MaskAbsent, device: "h200",
			bad:  func(w *warp.Warp) { w.If(lower(w), func() { down(w, whole(w)) }) },
			fine: func(w *warp.Warp) { w.If(lower(w), func() { down(w, half(w)) }) }},
		{kind: warp.MaskNotActive, device: "mi300x", threads: 40,
			bad:  func(w *warp.Warp) { w.SyncWarp(whole(w)) },
			fine: func(w *warp.Warp) { w.SyncWarp(lane.FirstN(40)) }},
		{kind: warp.MaskBeyondWarp, device: "h200",
			bad:  func(w *warp.Warp) { w.SyncWarp(lane.FirstN(64)) },
			fine: func(w *warp.Warp) { w.SyncWarp(lane.FirstN(32)) }},
		{kind: warp.ReadInactive, device: "h200",
			bad: func(w *warp.Warp) {
				w.If(lower(w), func() { warp.ShflDown(warp.Alloc[int32](w), w.LaneID(), 1) })
			},
			fine: func(w *warp.Warp) {
				w.If(lower(w), func() { warp.ShflUp(warp.Alloc[int32](w), w.LaneID(), 1) })
			}},
		{kind: warp.UndefinedUse, device: "h200",
			bad: func(w *warp.Warp) {
				p := w.Pred()
				warp.LtImm(p, warp.Alloc[int32](w), 3)
				w.If(p, func() {})
			},
			fine: func(w *warp.Warp) {
				p := w.Pred()
				warp.LtImm(p, w.LaneID(), 3)
				w.If(p, func() {})
			}},
		{kind: warp.WidthNotPowerOfTwo, device: "h200",
			bad:  func(w *warp.Warp) { warp.Shfl(warp.Alloc[int32](w), w.LaneID(), warp.Shuffle{Width: 3}) },
			fine: func(w *warp.Warp) { warp.Shfl(warp.Alloc[int32](w), w.LaneID(), warp.Shuffle{Width: 4}) }},
		{kind: warp.WidthAboveWarp, device: "h200",
			bad:  func(w *warp.Warp) { warp.Shfl(warp.Alloc[int32](w), w.LaneID(), warp.Shuffle{Width: 64}) },
			fine: func(w *warp.Warp) { warp.Shfl(warp.Alloc[int32](w), w.LaneID(), warp.Shuffle{Width: 32}) }},
		{kind: warp.OperandRange, device: "h200",
			bad:  func(w *warp.Warp) { warp.ShflXor(warp.Alloc[int32](w), w.LaneID(), 32) },
			fine: func(w *warp.Warp) { warp.ShflXor(warp.Alloc[int32](w), w.LaneID(), 31) }},
		{kind: warp.BarrierDivergent, device: "h200",
			bad:  func(w *warp.Warp) { w.If(lower(w), w.SyncBlock) },
			fine: func(w *warp.Warp) { w.If(lower(w), func() {}); w.SyncBlock() }},
		{kind: warp.BarrierMismatch, device: "h200", threads: 96, final: true,
			bad:  func(w *warp.Warp) { w.Barrier(1, 64+32*w.ID()) },
			fine: func(w *warp.Warp) { w.Barrier(1, 96) }},
		{kind: warp.Deadlock, device: "h200", threads: 64, final: true,
			bad: func(w *warp.Warp) {
				if w.ID() == 0 {
					w.Barrier(1, 64)
				}
			},
			fine: func(w *warp.Warp) {
				if w.ID() == 0 {
					w.Barrier(1, 64)
				} else {
					w.Arrive(1, 64)
				}
			}},
		{kind: warp.OutOfBounds, device: "h200", final: true,
			bad:  func(w *warp.Warp) { warp.Load(warp.Alloc[int32](w), warp.Shared[int32](w, 31), w.LaneID()) },
			fine: func(w *warp.Warp) { warp.Load(warp.Alloc[int32](w), warp.Shared[int32](w, 32), w.LaneID()) }},
		{kind: warp.Unsupported, device: "mi300x", final: true,
			bad:  func(w *warp.Warp) { warp.Redux(warp.ReduxAdd, warp.Alloc[int32](w), w.LaneID()) },
			fine: func(w *warp.Warp) { warp.MatchAny(warp.Alloc[lane.Mask](w), w.LaneID()) }},
		{kind: warp.RegisterFile, device: "h200", final: true,
			bad: func(w *warp.Warp) {
				for range 128 {
					warp.Alloc[int64](w)
				}
			},
			fine: func(w *warp.Warp) {
				for range 127 {
					warp.Alloc[int64](w)
				}
				warp.Alloc[int32](w)
			}},
		{kind: warp.SharedMemory, device: "h200", threads: 64, final: true,
			bad:  func(w *warp.Warp) { warp.Shared[int32](w, 8<<w.ID()) },
			fine: func(w *warp.Warp) { warp.Shared[int32](w, 8) }},
		{kind: warp.WrongWarp, device: "h200", threads: 64, final: true,
			bad:  func(w *warp.Warp) { borrow(w, func(w, _ *warp.Warp) *warp.Warp { return w }) },
			fine: func(w *warp.Warp) { borrow(w, func(_, own *warp.Warp) *warp.Warp { return own }) }},
		{kind: warp.BadInstruction, device: "h200", final: true,
			bad: func(w *warp.Warp) { w.Break(lower(w)) },
			fine: func(w *warp.Warp) {
				p := lower(w)
				w.While(func() warp.Pred { return p }, func() { w.Break(p) })
			}},
		{kind: warp.KernelPanic, device: "h200", final: true,
			bad:  func(w *warp.Warp) { panic("out of tape") },
			fine: func(w *warp.Warp) { defer func() { _ = recover() }(); panic("caught") }},
	}
}

// lent is the first warp of the block that runs.
var lent *warp.Warp

// borrow adds registers of the first warp of the block or of its own in the
// second.
func borrow(w *warp.Warp, pick func(first, own *warp.Warp) *warp.Warp) {
	if w.ID() == 0 {
		lent = w
		w.SyncBlock()
		return
	}
	first := lent
	r := value(w, int32(1))
	w.SyncBlock()
	warp.Add(r, r, pick(first, w).LaneID())
}

// Kinds that only fronts raise, whose masks are values of single threads, and
// kinds that Config.Sanitize finds.
var elsewhere = map[warp.FaultKind]bool{
	warp.NoFault: true, warp.MaskMismatch: true, warp.MaskTooNarrow: true, warp.BadArgument: true, warp.Endless: true,
}

func (c *faultCase) run(t *testing.T, mode warp.FaultMode, k warp.Kernel) (*warp.Report, error) {
	e := engine(t, c.device, warp.Config{Faults: mode, Workers: 1})
	threads := c.threads
	if threads == 0 {
		threads = e.Device().Lanes
	}
	return e.Run(context.Background(), one(threads), k)
}

var siteLine = regexp.MustCompile(`faults_test\.go:\d+`)

// Every kind of fault has a kernel that raises it and a near twin that does not;
// its text is in the golden file.
func TestFaultKinds(t *testing.T) {
	var golden strings.Builder
	covered := map[warp.FaultKind]bool{}
	for _, c := range faultCases() {
		t.Run(c.kind.Error(), func(t *testing.T) {
			covered[c.kind] = true
			r, err := c.run(t, warp.Collect, c.bad)
			require.NotEmpty(t, r.Faults)
			var fault *warp.Fault
			for i := range r.Faults {
				if f := &r.Faults[i]; f.Kind == c.kind {
					fault = f
				}
			}
			require.NotNil(t, fault, "%v", r.Faults)
			golden.WriteString(siteLine.ReplaceAllString(fault.Error(), "kernel.go") + "\n")
			golden.WriteString("    " + fault.Severity.String() + "\n")

			// The site is a line of the kernel, in this file.
			assert.Equal(t, "faults_test.go", filepath.Base(fault.Site.File))
			assert.Contains(t, fault.Site.Func, "warp_test.")
			assert.NotEmpty(t, fault.Advice)
			assert.Equal(t, c.final, err != nil, "collecting: %v", err)
			if err != nil {
				assert.ErrorIs(t, err, c.kind)
			}

			// Strict ends at errors, and only at errors.
			_, err = c.run(t, warp.Strict, c.bad)
			if fault.Severity < warp.SeverityError {
				assert.NoError(t, err)
			} else {
				require.ErrorIs(t, err, c.kind)
				var f *warp.Fault
				require.ErrorAs(t, err, &f)
				assert.Equal(t, 1, f.Count)
				for other := range warp.KernelPanic {
					assert.Equal(t, other == c.kind, errors.Is(err, other))
				}
			}

			for _, mode := range []warp.FaultMode{warp.Strict, warp.Collect, warp.Mimic} {
				r, err := c.run(t, mode, c.fine)
				assert.NoError(t, err)
				assert.Empty(t, r.Faults)
			}
		})
	}
	for k := warp.NoFault; k <= warp.KernelPanic; k++ {
		assert.True(t, covered[k] != elsewhere[k], "%v has no kernel", k)
	}
	compareGolden(t, "faults.golden", golden.String())
}

func compareGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run the test with -update")
	assert.Equal(t, string(want), got)
}

func TestFaultKindsAsErrors(t *testing.T) {
	seen := map[string]bool{}
	for k := warp.NoFault; k <= warp.KernelPanic; k++ {
		assert.NotEmpty(t, k.Error())
		assert.False(t, seen[k.Error()], "%s twice", k)
		seen[k.Error()] = true
	}
	assert.Equal(t, "fault kind 200", warp.FaultKind(200).Error())
	assert.Equal(t, "error", warp.SeverityError.String())
	assert.Equal(t, "unknown", warp.Severity(77).String())
	assert.Equal(t, "unknown", warp.Site{}.String())

	cause := errors.New("tape is full")
	_, err := engine(t, "h200", warp.Config{}).Run(context.Background(), one(32), func(w *warp.Warp) { panic(cause) })
	assert.ErrorIs(t, err, cause, "a panic with an error unwraps to it")
	assert.ErrorIs(t, err, warp.KernelPanic)
	_, err = engine(t, "h200", warp.Config{}).Run(context.Background(), one(32), func(w *warp.Warp) {
		warp.Alloc[string](w)
	})
	assert.ErrorAs(t, err, new(*lane.TypeError))
	_, err = engine(t, "h200", warp.Config{}).Run(context.Background(), one(32), func(w *warp.Warp) {
		var none []int
		_ = none[w.Width()]
	})
	assert.ErrorAs(t, err, new(runtime.Error))
}

// One mistake in a loop is one fault with a count and all its lanes; another
// line is another fault.
func TestFaultsGroupByLine(t *testing.T) {
	e := engine(t, "h200", warp.Config{Faults: warp.Collect})
	r, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(3), Threads: warp.X(64)}, func(w *warp.Warp) {
		x, p := value(w, int32(0)), w.Pred()
		for i := range 10 {
			warp.SetPred(p, lane.Bit(i))
			w.If(p, func() { warp.ShflXor(x, x, 1) })
			warp.ShflUp(x, x, 40)
		}
		warp.ShflUp(x, x, 40)
	})
	require.NoError(t, err)
	require.Len(t, r.Faults, 3)
	var inactive, loop, after warp.Fault
	for _, f := range r.Faults {
		switch {
		case f.Kind == warp.ReadInactive:
			inactive = f
		case f.Count > 6:
			loop = f
		default:
			after = f
		}
	}
	assert.Equal(t, 3*2*10, inactive.Count)
	assert.Equal(t, lane.FirstN(10), inactive.Lanes, "all the lanes that read")
	assert.Equal(t, 3*2*10, loop.Count)
	assert.Equal(t, 3*2, after.Count)
	assert.Equal(t, loop.Site.Line+2, after.Site.Line)
	assert.Contains(t, inactive.Error(), "(60 times)")
	for _, f := range r.Faults {
		assert.Equal(t, []int{0, 0}, []int{f.Block, f.Warp}, "the first one")
	}
}

// What undefined lanes came from is said where they are used.
func TestUndefinedUseSaysWhereItWasRead(t *testing.T) {
	e := engine(t, "h200", warp.Config{})
	out := global(t, e, make([]int32, 32))
	_, err := e.Run(context.Background(), one(32), func(w *warp.Warp) {
		x := warp.Alloc[int32](w)
		w.If(lower(w), func() {
			warp.ShflDown(x, w.LaneID(), 1)
			warp.Add(x, x, w.LaneID())
			warp.Store(out, w.LaneID(), x)
		})
	})
	var f *warp.Fault
	require.ErrorAs(t, err, &f)
	assert.Equal(t, warp.UndefinedUse, f.Kind)
	assert.Equal(t, lane.Bit(15), f.Lanes)
	assert.Regexp(t, `undefined values were read at faults_test\.go:\d+$`, f.Advice)
}

// A device that was seen to give zero does so where a run mimics it, and the
// value counts as defined; elsewhere it is undefined.
func TestModes(t *testing.T) {
	for mode, undefined := range map[warp.FaultMode]lane.Mask{warp.Collect: lane.Bit(15), warp.Mimic: {}} {
		e := engine(t, "h200", warp.Config{Faults: mode})
		r, err := e.Run(context.Background(), one(32), func(w *warp.Warp) {
			x := value(w, int32(77))
			w.If(lower(w), func() { warp.ShflDown(x, w.LaneID(), 1) })
			assert.Equal(t, undefined, x.Undefined())
			assert.EqualValues(t, 0, x.Lanes()[15])
			assert.EqualValues(t, 77, x.Lanes()[16])
		})
		require.NoError(t, err)
		require.Len(t, r.Faults, 1)
		assert.Equal(t, warp.SeverityWarning, r.Faults[0].Severity)
	}
}
