package warp_test

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"testing"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/memory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNewRefuses(t *testing.T) {
	h200, err := device.Lookup("h200")
	require.NoError(t, err)
	for field, c := range map[string]warp.Config{
		"Config.Device":    {},
		"Config.Workers":   {Device: h200, Workers: -1},
		"Config.Resident":  {Device: h200, Resident: -1},
		"Config.Faults":    {Device: h200, Faults: warp.Off + 1},
		"Config.Memory":    {Device: h200, Memory: memory.Clean + 1},
		"Config.Scheduler": {Device: h200, Scheduler: 2},
	} {
		e, err := warp.New(c)
		assert.Nil(t, e)
		var bad *warp.ConfigError
		if assert.ErrorAs(t, err, &bad, field) {
			assert.Equal(t, field, bad.Field)
			assert.NotEmpty(t, bad.Reason)
			assert.Contains(t, err.Error(), field)
		}
	}
}

// A profile that was changed is held to its rules again.
func TestNewRefusesProfiles(t *testing.T) {
	for name, spoil := range map[string]func(p *device.Profile){
		"lanes 0":            func(p *device.Profile) { p.Lanes = 0 },
		"lanes 3":            func(p *device.Profile) { p.Lanes = 3 },
		"lanes 256":          func(p *device.Profile) { p.Lanes = 256 },
		"no multiprocessors": func(p *device.Profile) { p.Limits.Multiprocessors = 0 },
		"no warps":           func(p *device.Profile) { p.Limits.WarpsPerMultiprocessor = 0 },
		"no registers":       func(p *device.Profile) { p.Limits.RegistersPerLane = 0 },
		"no banks":           func(p *device.Profile) { p.Shared.Count = 0 },
		"no sectors":         func(p *device.Profile) { p.Memory.SectorBytes = 0 },
		"no rules":           func(p *device.Profile) { p.Rules = device.Rules{} },
	} {
		p, err := device.Lookup("h200")
		require.NoError(t, err)
		p = p.Clone()
		spoil(p)
		_, err = warp.New(warp.Config{Device: p})
		assert.Error(t, err, name)
	}
	_, err := warp.New(warp.Config{Device: &device.Profile{}})
	assert.Error(t, err)
}

func TestLaunchRefuses(t *testing.T) {
	e := engine(t, "h200", warp.Config{})
	x, d := warp.X, func(x, y, z int) warp.Dim { return warp.Dim{X: x, Y: y, Z: z} }
	for _, c := range []struct {
		field string
		l     warp.Launch
	}{
		{"Launch.Blocks", warp.Launch{Threads: x(32)}},
		{"Launch.Blocks", warp.Launch{Blocks: x(-1), Threads: x(32)}},
		{"Launch.Blocks", warp.Launch{Blocks: d(1, -1, 1), Threads: x(32)}},
		{"Launch.Blocks", warp.Launch{Blocks: d(1, 65536, 1), Threads: x(32)}},
		{"Launch.Blocks", warp.Launch{Blocks: d(1, 1, 65536), Threads: x(32)}},
		{"Launch.Blocks", warp.Launch{Blocks: d(0, 5, 5), Threads: x(32)}},
		{"Launch.Threads", warp.Launch{Blocks: x(1)}},
		{"Launch.Threads", warp.Launch{Blocks: x(1), Threads: x(-32)}},
		{"Launch.Threads", warp.Launch{Blocks: x(1), Threads: d(32, 0, -1)}},
		{"Launch.Threads", warp.Launch{Blocks: x(1), Threads: x(1025)}},
		{"Launch.Threads", warp.Launch{Blocks: x(1), Threads: d(32, 33, 1)}},
		{"Launch.Threads", warp.Launch{Blocks: x(1), Threads: d(1, 1, 65)}},
		{"Launch.Threads", warp.Launch{Blocks: x(1), Threads: d(1024, 1024, 64)}},
		{"Launch.Shared", warp.Launch{Blocks: x(1), Threads: x(32), Shared: -1}},
		{"Launch.Shared", warp.Launch{Blocks: x(1), Threads: x(32), Shared: 232449}},
		{"Launch.Shared", warp.Launch{Blocks: x(1), Threads: x(32), Shared: math.MaxInt}},
		{"Launch.Blocks", warp.Launch{Blocks: x(math.MaxInt), Threads: x(32)}},
	} {
		if strconv.IntSize == 32 && c.l.Blocks.X == math.MaxInt {
			c.field = "Launch.Blocks" // as many as the device allows, and more than can be counted
		}
		r, err := e.Run(context.Background(), c.l, func(*warp.Warp) { t.Errorf("%+v runs", c.l) })
		var bad *warp.ConfigError
		if assert.ErrorAs(t, err, &bad, "%+v", c.l) {
			assert.Equal(t, c.field, bad.Field, "%+v", c.l)
		}
		require.NotNil(t, r)
		assert.Zero(t, r.Instructions)
	}
	for _, l := range []warp.Launch{
		{Blocks: x(1), Threads: x(1)},
		{Blocks: d(2, 3, 2), Threads: d(8, 2, 3)},
		{Blocks: d(1, 0, 0), Threads: d(16, 1, 64), Shared: 232448},
	} {
		r, err := e.Run(context.Background(), l, func(w *warp.Warp) { w.LaneID() })
		require.NoError(t, err)
		warps := (l.Threads.Count() + 31) / 32
		assert.EqualValues(t, l.Blocks.Count()*warps, r.Instructions)
	}
}

func TestRunRefuses(t *testing.T) {
	e := engine(t, "h200", warp.Config{})
	var bad *warp.ConfigError
	r, err := e.Run(context.Background(), one(32), nil)
	require.ErrorAs(t, err, &bad)
	require.NotNil(t, r)
	var none context.Context
	r, err = e.Run(none, one(32), func(*warp.Warp) {})
	require.ErrorAs(t, err, &bad)
	require.NotNil(t, r)
	assert.Equal(t, "context", bad.Field)
}

// The largest grid of every device starts, and ends when it is told to.
func TestHugeGrid(t *testing.T) {
	if strconv.IntSize == 32 {
		t.Skip("more blocks than can be counted")
	}
	for _, name := range []string{"h200", "mi300x"} {
		for _, c := range []warp.Config{{}, {ValuesOnly: true, Workers: 2}} {
			ctx, cancel := context.WithCancel(context.Background())
			c.Progress = func(int, int) { cancel() } // the first group is done
			e := engine(t, name, c)
			g := e.Device().Limits.Grid
			r, err := e.Run(ctx, warp.Launch{Blocks: warp.Dim(g), Threads: warp.X(32)}, func(w *warp.Warp) { w.LaneID() })
			cancel()
			require.ErrorIs(t, err, context.Canceled)
			assert.Positive(t, r.Instructions)
		}
	}
}

func TestDim(t *testing.T) {
	for _, c := range []struct {
		d     warp.Dim
		count int
		text  string
	}{
		{warp.X(5), 5, "5"}, {warp.Dim{X: 2, Y: 3}, 6, "2x3"}, {warp.Dim{X: 2, Y: 3, Z: 4}, 24, "2x3x4"},
		{warp.Dim{X: 2, Z: 4}, 8, "2x1x4"}, {warp.Dim{}, 0, "0"}, {warp.Dim{X: -1, Y: 5}, 0, "-1x5"}, {warp.Dim{X: 3, Y: -1}, 0, "3"},
	} {
		assert.Equal(t, c.count, c.d.Count(), c.text)
		assert.Equal(t, c.text, c.d.String())
	}
}

// Widths that a shuffle cannot have are refused on every device, in every mode
// that collects with a result that is undefined; 0 is the whole warp.
func TestShuffleWidths(t *testing.T) {
	for _, name := range []string{"custom-1", "h200", "mi300x", "mtt-s4000"} {
		e := engine(t, name, warp.Config{Faults: warp.Collect})
		n := e.Device().Lanes
		for _, width := range []int{-1 << 31, -3, -1, 0, 1, 2, 3, 7, 16, 48, 64, 96, 128, 256, 1 << 30, math.MaxInt32} {
			kind := warp.NoFault
			switch {
			case width > n:
				kind = warp.WidthAboveWarp
			case width != 0 && (width < 0 || width&(width-1) != 0):
				kind = warp.WidthNotPowerOfTwo
			}
			for _, mode := range []crossbar.Mode{crossbar.Idx, crossbar.Up, crossbar.Down, crossbar.Xor} {
				r, err := e.Run(context.Background(), one(n), func(w *warp.Warp) {
					d := warp.Alloc[int32](w)
					warp.Shfl(d, w.LaneID(), warp.Shuffle{Mode: mode, Width: width})
					assert.Equal(t, kind == warp.NoFault, d.Undefined().Empty(), "width %d", width)
				})
				require.NoError(t, err)
				got := warp.NoFault
				for _, f := range r.Faults {
					if f.Kind != warp.OperandRange {
						got = f.Kind
						assert.Contains(t, f.Detail, fmt.Sprintf("width %d", width))
					}
				}
				require.Equal(t, kind, got, "%s, width %d", name, width)
			}
		}
	}
}

// A mask register or predicate of another warp, and more of them than there are.
func TestRegistersOfOthersAndTooMany(t *testing.T) {
	var first *warp.Warp
	var m warp.MaskReg
	var p warp.Pred
	two := func(use func(w *warp.Warp)) warp.Kernel {
		return func(w *warp.Warp) {
			if w.ID() == 0 {
				first, m, p = w, w.MaskReg(), w.Pred()
				warp.SetPred(p, lane.FirstN(32))
			}
			w.SyncBlock()
			if w.ID() == 1 {
				use(w)
			}
		}
	}
	e := engine(t, "h200", warp.Config{Faults: warp.Collect})
	out := global(t, e, make([]int32, 64))
	for name, use := range map[string]func(w *warp.Warp){
		"If":       func(w *warp.Warp) { w.If(p, func() {}) },
		"While":    func(w *warp.Warp) { w.While(func() warp.Pred { return p }, func() {}) },
		"Where":    func(w *warp.Warp) { w.Where(p, func() {}) },
		"Exit":     func(w *warp.Warp) { w.Exit(p) },
		"Any":      func(w *warp.Warp) { w.Any(p) },
		"vote":     func(w *warp.Warp) { warp.Vote(warp.VoteAny, w.Pred(), p) },
		"ballot":   func(w *warp.Warp) { warp.Ballot(w.MaskReg(), p) },
		"count":    func(w *warp.Warp) { warp.CountMask(warp.Alloc[int32](w), m) },
		"rank":     func(w *warp.Warp) { warp.Rank(warp.Alloc[int32](w), m) },
		"in mask":  func(w *warp.Warp) { warp.InMask(w.Pred(), m) },
		"select":   func(w *warp.Warp) { warp.Select(w.LaneID(), p, w.LaneID(), w.LaneID()) },
		"compare":  func(w *warp.Warp) { warp.Eq(w.Pred(), w.LaneID(), first.LaneID()) },
		"shuffle":  func(w *warp.Warp) { warp.ShflDown(w.LaneID(), first.LaneID(), 1) },
		"operand":  func(w *warp.Warp) { warp.Shfl(w.LaneID(), w.LaneID(), warp.Shuffle{PerLane: first.LaneID()}) },
		"in range": func(w *warp.Warp) { warp.Shfl(warp.Alloc[int32](w), w.LaneID(), warp.Shuffle{InRange: p}) },
		"load":     func(w *warp.Warp) { warp.Load(w.LaneID(), out, first.LaneID()) },
		"store":    func(w *warp.Warp) { warp.Store(out, first.LaneID(), w.LaneID()) },
		"atomic":   func(w *warp.Warp) { warp.Atomic(warp.AtomicAdd, first.LaneID(), out, w.LaneID(), w.LaneID()) },
		"swap":     func(w *warp.Warp) { warp.CompareAndSwap(w.LaneID(), out, w.LaneID(), first.LaneID(), w.LaneID()) },
		"move":     func(w *warp.Warp) { warp.Mov(w.LaneID(), first.LaneID()) },
		"multiply": func(w *warp.Warp) { warp.MulAdd(w.LaneID(), w.LaneID(), w.LaneID(), first.LaneID()) },
		"map":      func(w *warp.Warp) { warp.Map1(w.LaneID(), first.LaneID(), 1, func(x int32) int32 { return x }) },
		"convert":  func(w *warp.Warp) { warp.Convert(warp.Alloc[float32](w), first.LaneID()) },
	} {
		_, err := e.Run(context.Background(), one(64), two(use))
		require.ErrorIs(t, err, warp.WrongWarp, name)
		var f *warp.Fault
		require.ErrorAs(t, err, &f)
		assert.Contains(t, f.Site.File, "badinput_test.go", name)
	}
	for _, take := range []func(w *warp.Warp){func(w *warp.Warp) { w.Pred() }, func(w *warp.Warp) { w.MaskReg() }} {
		_, err := e.Run(context.Background(), one(32), func(w *warp.Warp) {
			for range 63 {
				take(w)
			}
		})
		require.NoError(t, err)
		_, err = e.Run(context.Background(), one(32), func(w *warp.Warp) {
			for range 64 {
				take(w)
			}
		})
		require.ErrorIs(t, err, warp.RegisterFile)
	}
}

// Registers that were never allocated end the kernel with a fault, not the
// program.
func TestRegistersNeverAllocated(t *testing.T) {
	e := engine(t, "h200", warp.Config{Faults: warp.Collect})
	out := global(t, e, make([]int32, 32))
	for name, use := range map[string]func(w *warp.Warp){
		"all":       func(w *warp.Warp) { var r warp.Reg[int32]; warp.Add(r, r, r) },
		"operand":   func(w *warp.Warp) { var r warp.Reg[int32]; warp.Add(w.LaneID(), r, w.LaneID()) },
		"shuffle":   func(w *warp.Warp) { var r warp.Reg[int32]; warp.ShflDown(w.LaneID(), r, 1) },
		"store":     func(w *warp.Warp) { var r warp.Reg[int32]; warp.Store(out, w.LaneID(), r) },
		"index":     func(w *warp.Warp) { var r warp.Reg[int32]; warp.Load(w.LaneID(), out, r) },
		"predicate": func(w *warp.Warp) { var p warp.Pred; w.If(p, func() {}) },
		"mask":      func(w *warp.Warp) { var m warp.MaskReg; warp.Rank(w.LaneID(), m) },
		"array":     func(w *warp.Warp) { var m warp.Mem[int32]; warp.Load(w.LaneID(), m, w.LaneID()) },
	} {
		_, err := e.Run(context.Background(), one(32), use)
		var f *warp.Fault
		if assert.ErrorAs(t, err, &f, name) {
			assert.Contains(t, f.Site.File, "badinput_test.go", name)
		}
	}
}

// A stale mark, of more registers than are allocated, gives none back.
func TestStaleMark(t *testing.T) {
	e := engine(t, "h200", warp.Config{})
	_, err := e.Run(context.Background(), one(32), func(w *warp.Warp) {
		early := w.Mark()
		a, p, m := value(w, int32(7)), w.Pred(), w.MaskReg()
		warp.SetPred(p, lane.FirstN(5))
		warp.SetMask(m, lane.FirstN(6))
		late := w.Mark()
		w.Release(early)
		w.Release(late)
		b, q, n := warp.Alloc[int32](w), w.Pred(), w.MaskReg()
		assert.Equal(t, a.Row(), b.Row())
		assert.Equal(t, lane.FirstN(32), b.Undefined())
		assert.Equal(t, lane.FirstN(32), q.Undefined())
		assert.Equal(t, lane.Mask{}, n.Mask())
		assert.True(t, p == q, "the predicate is taken again")
	})
	require.NoError(t, err)
}
