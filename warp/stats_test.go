package warp_test

import (
	"context"
	"testing"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// total returns the cycles of all warps.
func total(r *warp.Report) timing.Cycle { return r.Waits().Total() }

// mixed has divergence, memory, shuffles, barriers and warps of unequal work.
func mixed(w *warp.Warp) {
	s := warp.Shared[float32](w, 1024)
	v, x, p := warp.Alloc[float32](w), warp.Alloc[float32](w), w.Pred()
	warp.Convert(v, w.ThreadID())
	for d := w.Width() / 2; d > 0; d /= 2 {
		warp.ShflUp(x, v, d)
		warp.Add(v, v, x)
	}
	warp.LtImm(p, w.LaneID(), int32(3+w.ID()))
	w.IfElse(p, func() { w.Work(isa.FMul, 5) }, func() { warp.MulImm(v, v, 3) })
	at := warp.Alloc[int32](w)
	warp.ShlImm(at, w.ThreadID(), 1)
	warp.AndImm(at, at, 1023)
	warp.Store(s, at, v)
	w.SyncBlock()
	warp.Load(x, s, w.ThreadID())
	for range w.ID() {
		warp.Mul(x, x, x)
	}
}

// The reasons for which warps waited add up to the time of every warp: the sum
// is that of blocks' cycles times warps, where blocks end together.
func TestReasonsAddUp(t *testing.T) {
	for _, name := range []string{"h200", "mi300x", "mtt-s4000", "custom-8"} {
		for _, threads := range []int{1, 50, 256, 1000} {
			for _, sites := range []bool{false, true} {
				e := engine(t, name, warp.Config{Sites: sites})
				r, err := e.Run(context.Background(), one(threads), mixed)
				require.NoError(t, err)
				warps := (threads + e.Device().Lanes - 1) / e.Device().Lanes
				assert.EqualValues(t, int64(r.Cycles)*int64(warps), total(r), "%s, %d threads", name, threads)

				assert.EqualValues(t, r.Instructions, r.Waits().Of(timing.Issued))
				var n int64
				var held timing.Cycle
				for _, o := range r.Ops() {
					assert.Equal(t, r.Count(o.Op), o.Instructions, "%s", o.Op)
					n += o.Instructions
					held += o.Cycles
				}
				assert.Equal(t, r.Instructions, n)
				// What instructions were held up by is all but what warps did after
				// their last one.
				assert.Equal(t, total(r)-r.Waits().Of(timing.Drained)-r.Waits().Of(timing.Finished), held)
			}
		}
	}
}

// The totals by line add up to those of the run, and every line is one of the
// kernel's.
func TestLinesAddUp(t *testing.T) {
	e := engine(t, "h200", warp.Config{Sites: true})
	r, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(3), Threads: warp.X(256)}, mixed)
	require.NoError(t, err)
	var n, threads int64
	var cycles timing.Cycles
	for i, l := range r.Lines() {
		n += l.Instructions
		threads += l.ThreadInstructions
		cycles.Add(&l.Cycles)
		assert.Equal(t, l.Site, r.Site(uint32(i+1)))
		assert.Contains(t, l.Site.File, "stats_test.go")
		assert.Contains(t, l.Site.Func, "mixed")
		assert.Positive(t, l.Instructions)
		if i > 0 {
			assert.LessOrEqual(t, r.Lines()[i-1].Site.Line, l.Site.Line, "in order")
		}
	}
	assert.Equal(t, r.Instructions, n, "there is no unknown line")
	assert.Equal(t, r.ThreadInstructions, threads)
	for reason := timing.Issued; reason < timing.Drained; reason++ {
		assert.Equal(t, r.Waits().Of(reason), cycles.Of(reason), "%s", reason)
	}
}

// wrapped has the methods of a warp by wrappers that the compiler makes.
type wrapped struct{ *warp.Warp }

// A line is that of the kernel and not of a wrapper around what it calls.
func TestLinesPassOverWrappers(t *testing.T) {
	e := engine(t, "h200", warp.Config{Sites: true})
	r, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(32)}, func(w *warp.Warp) {
		var x interface{ Work(isa.Op, int) } = wrapped{w}
		x.Work(isa.FMul, 5)
	})
	require.NoError(t, err)
	require.Len(t, r.Lines(), 1)
	require.Contains(t, r.Lines()[0].Site.File, "stats_test.go")
	require.Contains(t, r.Lines()[0].Site.Func, "TestLinesPassOverWrappers")
}

// The lines cost no cycles: a run with them takes the time of one without.
func TestLinesCostNoCycles(t *testing.T) {
	launch := warp.Launch{Blocks: warp.X(5), Threads: warp.X(200)}
	plain, err := engine(t, "h200", warp.Config{}).Run(context.Background(), launch, mixed)
	require.NoError(t, err)
	lines, err := engine(t, "h200", warp.Config{Sites: true}).Run(context.Background(), launch, mixed)
	require.NoError(t, err)
	watched, err := engine(t, "h200", warp.Config{Observer: &warp.Observer{Instr: func(warp.InstrEvent) {}}}).Run(context.Background(), launch, mixed)
	require.NoError(t, err)
	assert.Equal(t, plain.Ops(), lines.Ops())
	assert.Equal(t, plain.Ops(), watched.Ops())
	assert.Equal(t, plain.Waits(), lines.Waits())
	assert.Equal(t, plain.Waits(), watched.Waits())
	assert.Equal(t, []timing.Cycle{plain.Cycles, plain.Cycles}, []timing.Cycle{lines.Cycles, watched.Cycles})
	assert.Equal(t, plain.ConflictPasses, lines.ConflictPasses)
}

// An observer sees every instruction of a warp once and in order, with the lanes
// that executed it, across the seams of the record buffer and in values-only
// runs too.
func TestObserverSeesAll(t *testing.T) {
	for _, values := range []bool{false, true} {
		type key struct{ block, warp int }
		next := map[key]int64{}
		byOp := map[isa.Op]int64{}
		var threads int64
		var divergent int
		e := newEngine(t, warp.Config{Device: small(t, 32, 2), ValuesOnly: values, Sites: true, Workers: 4,
			Observer: &warp.Observer{Instr: func(ev warp.InstrEvent) {
				k := key{ev.Warp.BlockIndex(), ev.Warp.ID()}
				if ev.Index != next[k] {
					t.Fatalf("block %d warp %d: instruction %d comes after %d", k.block, k.warp, ev.Index, next[k]-1)
				}
				next[k]++
				byOp[ev.Instr.Op]++
				threads += int64(ev.Active.Count())
				assert.EqualValues(t, ev.Active.Count(), ev.Instr.Active)
				assert.NotZero(t, ev.Site)
				if ev.Active == lane.FirstN(3) {
					divergent++
					assert.Equal(t, isa.FAdd, ev.Instr.Op)
				}
			}}})
		r, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(5), Threads: warp.X(96)}, func(w *warp.Warp) {
			v := value(w, float32(1))
			for range 3000 {
				warp.Add(v, v, v)
				warp.ShflUp(v, v, 1)
			}
			w.SyncBlock()
			p := w.Pred()
			warp.SetPred(p, lane.FirstN(3))
			w.If(p, func() { warp.Add(v, v, v) })
		})
		require.NoError(t, err)
		for _, o := range r.Ops() {
			assert.Equal(t, byOp[o.Op], o.Instructions, "%s", o.Op)
		}
		assert.Len(t, byOp, len(r.Ops()))
		assert.Equal(t, threads, r.ThreadInstructions)
		assert.Equal(t, 15, divergent)
		assert.Len(t, next, 15)
		for k, n := range next {
			assert.Equal(t, r.Instructions/15, n, "%v", k)
		}
	}
}

// What a report says of the device's numbers and of time.
func TestReportOfADevice(t *testing.T) {
	e := engine(t, "h200", warp.Config{})
	r, err := e.Run(context.Background(), one(256), mixed)
	require.NoError(t, err)
	assert.Equal(t, "h200", r.Device)
	assert.InDelta(t, float64(r.Cycles)/1.98e9, r.Seconds(), 1e-15)
	assert.Zero(t, (&warp.Report{}).Seconds())
	assert.NotPanics(t, func() { (&warp.Report{}).Evidence() })
}

// The cycles of all warps add up to the lengths of their blocks, which follow each
// other on one multiprocessor.
func TestReasonsAddUpOverBlocks(t *testing.T) {
	for _, blocks := range []int{1, 5, 12} {
		e := newEngine(t, warp.Config{Device: small(t, 32, 1), Resident: 1, Workers: 2})
		r, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(blocks), Threads: warp.X(160)}, func(w *warp.Warp) {
			w.Work(isa.FAdd, 10*(w.BlockIndex()%3))
			mixed(w)
		})
		require.NoError(t, err)
		if blocks == 1 {
			assert.EqualValues(t, int64(r.Cycles)*5, total(r))
		}
		assert.LessOrEqual(t, int64(total(r)), int64(r.Cycles)*5)
		assert.EqualValues(t, r.Instructions, r.Waits().Of(timing.Issued))
	}
}
