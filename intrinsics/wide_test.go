package intrinsics_test

import (
	"context"
	"testing"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/intrinsics"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// collectives are the ops whose counts both ways to write a kernel share.
func collectives(r *warp.Report) map[isa.Op]int64 {
	counts := map[isa.Op]int64{}
	for _, row := range r.Ops() {
		switch o := row.Op; {
		case o >= isa.ShflIdx && o <= isa.Elect, o >= isa.BarSync && o <= isa.WarpSync, o >= isa.LoadShared && o <= isa.ReduceGlobal:
			counts[o] = row.Instructions
		}
	}
	return counts
}

// A pair is one reduction in both forms, each of which leaves every thread's
// result in out.
type pair struct {
	wide func(w *warp.Warp, in, out warp.Mem[float32])
	lane func(t *thread, in, out *intrinsics.Array[float32])
}

var pairs = map[string]pair{
	"down": {
		func(w *warp.Warp, in, out warp.Mem[float32]) {
			v, x := warp.Alloc[float32](w), warp.Alloc[float32](w)
			warp.Load(v, in, w.ThreadID())
			for d := w.Width() / 2; d > 0; d /= 2 {
				warp.Shfl(x, v, warp.Shuffle{Mode: crossbar.Down, Operand: int32(d)}, lane.FirstN(w.Width()))
				warp.Add(v, v, x)
			}
			warp.Store(out, w.ThreadID(), v)
		},
		func(t *thread, in, out *intrinsics.Array[float32]) {
			v := in.Load(t, t.ThreadRank())
			for d := t.WarpSize() / 2; d > 0; d /= 2 {
				v += intrinsics.ShflDownSync(t, t.AllLanes(), v, d)
			}
			out.Store(t, t.ThreadRank(), v)
		},
	},
	"xor maskless": {
		func(w *warp.Warp, in, out warp.Mem[float32]) {
			v, x := warp.Alloc[float32](w), warp.Alloc[float32](w)
			warp.Load(v, in, w.ThreadID())
			for d := 1; d < w.Width(); d *= 2 {
				warp.ShflXor(x, v, d)
				warp.Add(v, v, x)
			}
			warp.Store(out, w.ThreadID(), v)
		},
		func(t *thread, in, out *intrinsics.Array[float32]) {
			v := in.Load(t, t.ThreadRank())
			for d := 1; d < t.WarpSize(); d *= 2 {
				v += intrinsics.ShflXor(t, v, d)
			}
			out.Store(t, t.ThreadRank(), v)
		},
	},
	"hybrid": {
		func(w *warp.Warp, in, out warp.Mem[float32]) {
			s := warp.Shared[float32](w, w.BlockWarps())
			v, x, id := warp.Alloc[float32](w), warp.Alloc[float32](w), warp.Alloc[int32](w)
			sum := func() {
				for d := w.Width() / 2; d > 0; d /= 2 {
					warp.Shfl(x, v, warp.Shuffle{Mode: crossbar.Down, Operand: int32(d)}, lane.FirstN(w.Width()))
					warp.Add(v, v, x)
				}
			}
			first, some := w.Pred(), w.Pred()
			warp.Load(v, in, w.ThreadID())
			sum()
			warp.EqImm(first, w.LaneID(), 0)
			warp.Set(id, int32(w.ID()))
			w.Where(first, func() { warp.Store(s, id, v) })
			w.SyncBlock()
			warp.LtImm(some, w.LaneID(), int32(w.BlockWarps()))
			warp.Set(v, 0)
			w.Where(some, func() { warp.Load(v, s, w.LaneID()) })
			sum()
			warp.Store(out, w.ThreadID(), v)
		},
		func(t *thread, in, out *intrinsics.Array[float32]) {
			warps := t.BlockDim().Count() / t.WarpSize()
			s := intrinsics.Shared[float32](t, warps)
			sum := func(v float32) float32 {
				for d := t.WarpSize() / 2; d > 0; d /= 2 {
					v += intrinsics.ShflDownSync(t, t.AllLanes(), v, d)
				}
				return v
			}
			v := sum(in.Load(t, t.ThreadRank()))
			if t.Lane() == 0 {
				s.Store(t, t.WarpID(), v)
			}
			intrinsics.SyncThreads(t)
			v = 0
			if t.Lane() < warps {
				v = s.Load(t, t.Lane())
			}
			out.Store(t, t.ThreadRank(), sum(v))
		},
	},
	"absent lanes": { // the upper half reads lanes that do not take part
		func(w *warp.Warp, in, out warp.Mem[float32]) {
			v, x, low := warp.Alloc[float32](w), warp.Alloc[float32](w), w.Pred()
			half := lane.FirstN(w.Width() / 2)
			warp.Load(v, in, w.ThreadID())
			warp.LtImm(low, w.LaneID(), int32(w.Width()/2))
			warp.Set(x, 0)
			w.Where(low, func() {
				warp.Shfl(x, v, warp.Shuffle{Mode: crossbar.Down, Operand: 1}, half)
			})
			x.Define(lane.FirstN(w.Width()))
			warp.Store(out, w.ThreadID(), x)
		},
		func(t *thread, in, out *intrinsics.Array[float32]) {
			v := in.Load(t, t.ThreadRank())
			var x float32
			if t.Lane() < t.WarpSize()/2 {
				x = intrinsics.ShflDownSync(t, lane.FirstN(t.WarpSize()/2), v, 1)
			}
			out.Store(t, t.ThreadRank(), x)
		},
	},
	"caller not in mask": {
		func(w *warp.Warp, in, out warp.Mem[float32]) {
			v := warp.Alloc[float32](w)
			warp.Load(v, in, w.ThreadID())
			warp.Shfl(v, v, warp.Shuffle{Mode: crossbar.Idx, Operand: 0}, lane.FirstN(8))
			v.Define(lane.FirstN(w.Width()))
			warp.Store(out, w.ThreadID(), v)
		},
		func(t *thread, in, out *intrinsics.Array[float32]) {
			v := in.Load(t, t.ThreadRank())
			out.Store(t, t.ThreadRank(), intrinsics.ShflSync(t, lane.FirstN(8), v, 0))
		},
	},
	"bad width": {
		func(w *warp.Warp, in, out warp.Mem[float32]) {
			v := warp.Alloc[float32](w)
			warp.Load(v, in, w.ThreadID())
			warp.Shfl(v, v, warp.Shuffle{Mode: crossbar.Xor, Operand: 1, Width: 12}, lane.FirstN(w.Width()))
			v.Define(lane.FirstN(w.Width()))
			warp.Store(out, w.ThreadID(), v)
		},
		func(t *thread, in, out *intrinsics.Array[float32]) {
			v := in.Load(t, t.ThreadRank())
			out.Store(t, t.ThreadRank(), intrinsics.ShflXorSync(t, t.AllLanes(), v, 1, 12))
		},
	},
}

// The wide form and the form per lane of one kernel give the same values, the
// same instructions where they meet, and the same faults.
func TestWideAndPerLane(t *testing.T) {
	for name, p := range pairs {
		for _, d := range wide {
			t.Run(name+"/"+d, func(t *testing.T) {
				threads := 256
				data := by(threads, func(i int) float32 { return float32(i*i%31) / 3 })
				both := func(run func(e *warp.Engine, in, out warp.Mem[float32]) (*warp.Report, error)) ([]float32, *warp.Report) {
					e := engine(t, d, collecting)
					in, err := warp.Global(e, data)
					require.NoError(t, err)
					out, err := warp.Global(e, make([]float32, threads))
					require.NoError(t, err)
					r, err := run(e, in, out)
					require.NoError(t, err)
					return out.Data(), r
				}
				wideOut, wideReport := both(func(e *warp.Engine, in, out warp.Mem[float32]) (*warp.Report, error) {
					return e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(threads)}, func(w *warp.Warp) { p.wide(w, in, out) })
				})
				laneOut, laneReport := both(func(e *warp.Engine, in, out warp.Mem[float32]) (*warp.Report, error) {
					return intrinsics.Launch(context.Background(), e, warp.X(1), warp.X(threads), func(t *thread) {
						p.lane(t, intrinsics.FromMem(in), intrinsics.FromMem(out))
					})
				})
				require.Empty(t, cmp.Diff(wideOut, laneOut))
				require.Equal(t, collectives(wideReport), collectives(laneReport))
				type seen struct {
					Kind        warp.FaultKind
					Severity    warp.Severity
					Block, Warp int
					Lanes, Mask lane.Mask
					Count       int
					Detail      string
				}
				list := func(r *warp.Report) (out []seen) {
					for _, f := range r.Faults {
						if f.Kind == warp.UndefinedUse {
							continue // a Go variable cannot be undefined, a register can
						}
						out = append(out, seen{f.Kind, f.Severity, f.Block, f.Warp, f.Lanes, f.Mask, f.Count, f.Detail})
					}
					return out
				}
				require.Equal(t, list(wideReport), list(laneReport))
			})
		}
	}
}
