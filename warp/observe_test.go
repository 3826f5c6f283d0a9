package warp_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"
)

// observed runs a kernel of one warp of a device and returns its instructions, with
// copies of what is valid during the call.
func observed(t *testing.T, name string, mode warp.FaultMode, k func(e *warp.Engine) warp.Kernel) ([]warp.InstrEvent, *warp.Report) {
	t.Helper()
	p, err := device.Lookup(name)
	require.NoError(t, err)
	var all []warp.InstrEvent
	c := warp.Config{Device: p, Faults: mode, Observer: &warp.Observer{Instr: func(ev warp.InstrEvent) {
		if ev.Sources != nil {
			s := *ev.Sources
			ev.Sources = &s
		}
		if ev.Access != nil {
			a, at := *ev.Access, *ev.Access.At
			a.At = &at
			ev.Access = &a
		}
		all = append(all, ev)
	}}}
	e, err := warp.New(c)
	require.NoError(t, err)
	report, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(p.Lanes)}, k(e))
	require.NoError(t, err)
	return all, report
}

// An observer is told which lane each lane of a shuffle reads, in every mode, with
// some lanes and with all of them, and of no other instruction.
func TestObserverIsToldSources(t *testing.T) {
	for _, dev := range []string{"h200", "mi300x", "mtt-s4000"} {
		all, _ := observed(t, dev, warp.Collect, func(*warp.Engine) warp.Kernel {
			return func(w *warp.Warp) {
				v := warp.Alloc[int32](w)
				warp.Mov(v, w.LaneID())
				half := w.Pred()
				warp.LtImm(half, w.LaneID(), int32(w.Width()/2))
				for mode := crossbar.Idx; mode <= crossbar.Xor; mode++ {
					warp.Shfl(v, v, warp.Shuffle{Mode: mode, Operand: 3})
					warp.Shfl(v, v, warp.Shuffle{Mode: mode, Operand: 1, Width: 8})
				}
				warp.ShflDown(v, v, 2)
				w.If(half, func() { warp.ShflDown(v, v, 1) })
			}
		})
		p, _ := device.Lookup(dev)
		lanes := p.Lanes
		var want [][]int
		add := func(f func(l int) int) {
			s := make([]int, lanes)
			for l := range s {
				s[l] = f(l)
			}
			want = append(want, s)
		}
		within := func(l, x, width int) int { // x if it lies in l's segment
			if x/width != l/width || x < 0 {
				return l
			}
			return x
		}
		for mode := crossbar.Idx; mode <= crossbar.Xor; mode++ {
			for _, c := range [][2]int{{3, lanes}, {1, 8}} {
				by, width := c[0], c[1]
				add(func(l int) int {
					switch mode {
					case crossbar.Idx:
						return l/width*width + by
					case crossbar.Up:
						return within(l, l-by, width)
					case crossbar.Down:
						return within(l, l+by, width)
					}
					return l ^ by
				})
			}
		}
		add(func(l int) int { return within(l, l+2, lanes) })
		add(func(l int) int { return within(l, l+1, lanes) })
		var got [][]int
		for _, ev := range all {
			if ev.Instr.Op < isa.ShflIdx || ev.Instr.Op > isa.ShflXor {
				assert.Nil(t, ev.Sources, "%s", ev.Instr)
				continue
			}
			require.NotNil(t, ev.Sources, "%s", ev.Instr)
			s := make([]int, lanes)
			for l := range s {
				s[l] = int(ev.Sources[l])
			}
			got = append(got, s)
		}
		assert.Equal(t, want, got, dev)
	}
}

// An observer is told the address of each lane of an access, and conflicts add up to
// those of the report.
func TestObserverIsToldAddresses(t *testing.T) {
	var base uint64
	all, report := observed(t, "h200", warp.Strict, func(e *warp.Engine) warp.Kernel {
		in, err := warp.Global(e, make([]float64, 64))
		require.NoError(t, err)
		base, _ = in.Address()
		return func(w *warp.Warp) {
			v, at := warp.Alloc[float64](w), warp.Alloc[int32](w)
			warp.MulImm(at, w.LaneID(), 2)
			warp.Load(v, in, at)
			s := warp.Shared[int32](w, 32*32)
			warp.MulImm(at, w.LaneID(), 32)
			warp.Store(s, at, w.LaneID())
			warp.Load(at, s.At(4), at)
			warp.AtomicReduce(warp.AtomicAdd, s, at, w.LaneID())
		}
	})
	var got []isa.Op
	conflicts := 0
	for _, ev := range all {
		conflicts += ev.Conflicts
		if ev.Access == nil {
			continue
		}
		got = append(got, ev.Instr.Op)
		for l := range 32 {
			want := map[isa.Op]uint64{isa.LoadGlobal: base + uint64(16*l), isa.StoreShared: uint64(128 * l), isa.LoadShared: uint64(128*l + 16), isa.AtomicShared: 0}
			assert.Equal(t, want[ev.Instr.Op], ev.Access.At[l], "%s lane %d", ev.Instr.Op, l)
		}
		assert.Equal(t, 32, ev.Access.Lanes.Count())
	}
	assert.Equal(t, []isa.Op{isa.LoadGlobal, isa.StoreShared, isa.LoadShared, isa.AtomicShared}, got)
	assert.EqualValues(t, report.ConflictPasses, conflicts)
	assert.Equal(t, 31+31+31, conflicts)
}

// At the end an observer gets the report that Run returns, and every block with its
// time and multiprocessor; instructions name the multiprocessor of their block, and
// their pipes are not taken by two at a time.
func TestObserverIsToldTheEnd(t *testing.T) {
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	var end warp.EndEvent
	mpOf := map[int]int{}
	type pipe struct {
		mp, sub int
		name    string
	}
	free := map[pipe]timing.Cycle{}
	e, err := warp.New(warp.Config{Device: p, Observer: &warp.Observer{
		Issued: func(i *timing.Issue) {
			mpOf[i.Block] = i.Multiprocessor
			k := pipe{i.Multiprocessor, i.SubPartition, p.Timing.Ops[i.Instr.Op.String()].Pipe}
			assert.GreaterOrEqual(t, i.Start, max(i.Cycle, free[k]), "%s", i.Instr)
			assert.Greater(t, i.Free, i.Start)
			free[k] = i.Free
		},
		Ended: func(e warp.EndEvent) {
			end = e
			end.Blocks = append(end.Blocks[:0:0], e.Blocks...)
		},
	}})
	require.NoError(t, err)
	report, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(300), Threads: warp.X(64)}, func(w *warp.Warp) {
		v := warp.Alloc[float32](w)
		warp.Set(v, 1)
		for range 1 + w.BlockIndex()%3 {
			warp.ShflXor(v, v, 1)
			warp.Add(v, v, v)
		}
	})
	require.NoError(t, err)
	assert.Same(t, report, end.Report)
	require.Len(t, end.Blocks, 300)
	var last timing.Cycle
	for _, b := range end.Blocks {
		assert.Equal(t, mpOf[b.Block], b.Multiprocessor)
		last = max(last, b.Begin+b.Cycles)
	}
	assert.LessOrEqual(t, report.Cycles, last)
	assert.Greater(t, len(mpOf), 100)
}
