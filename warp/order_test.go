package warp_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/memory"
	"github.com/stretchr/testify/require"
)

// randomKernel writes a kernel of arithmetic, shuffles, guarded instructions, shared
// and global memory, loops and barriers.
func randomKernel(seed uint64, in, out warp.Mem[int32], steps int) warp.Kernel {
	return func(w *warp.Warp) {
		r := rand.New(rand.NewPCG(seed, 3)) // the same in all warps
		s := warp.Shared[int32](w, 256)
		var v [6]warp.Reg[int32]
		t := w.ThreadID()
		for i := range v {
			v[i] = warp.Alloc[int32](w)
			warp.AddImm(v[i], t, int32(i))
		}
		p, q, i, x := w.Pred(), w.Pred(), warp.Alloc[int32](w), warp.Alloc[int32](w)
		reg := func() warp.Reg[int32] { return v[r.IntN(len(v))] }
		warp.Store(s, t, t)
		w.SyncBlock()
		warp.LtImm(p, t, 17)
		step := func() {
			switch r.IntN(17) {
			case 0, 1:
				warp.Add(reg(), reg(), reg())
			case 2:
				warp.MulImm(reg(), reg(), int32(r.IntN(3)))
			case 3:
				warp.ShflXor(reg(), reg(), 1<<r.IntN(5))
			case 4:
				warp.LtImm(p, reg(), int32(r.IntN(40)))
			case 5:
				warp.Select(reg(), p, reg(), reg())
			case 6:
				w.Where(p, func() { warp.Mov(reg(), reg()) })
			case 7:
				w.Where(p, func() { warp.Max(reg(), reg(), reg()) })
			case 8:
				warp.Load(reg(), s, t)
			case 9:
				warp.Store(s, t, reg())
			case 10:
				warp.Load(reg(), in, t)
			case 11:
				warp.Store(out, w.GlobalID(), reg())
			case 12:
				w.SyncBlock()
			case 13: // a race with the neighbour, if no barrier comes between
				warp.Load(reg(), s.At(1), t)
			case 14:
				w.Where(p, func() { warp.Store(s.At(2), t, reg()) })
			case 15: // of lanes that take no part, where p is not all
				w.Where(p, func() { warp.ShflDown(reg(), reg(), 1) })
			default:
				warp.Set(i, 0)
				turns, sum := int32(r.IntN(12)), reg()
				w.While(func() warp.Pred { warp.LtImm(q, i, turns); return q }, func() {
					warp.Load(x, in, i)
					warp.Add(sum, sum, x)
					warp.AddImm(i, i, 1)
				})
			}
		}
		for range steps {
			step()
		}
		for _, x := range v {
			warp.AtomicReduce(warp.AtomicAdd, out, w.GlobalID(), x)
		}
	}
}

// The order of instructions is nothing but a matter of time: values, faults, counts
// and accesses to memory are those of the order as written, for any number of
// workers.
func TestOrderIsAMatterOfTime(t *testing.T) {
	n := uint64(60)
	if testing.Short() {
		n = 4
	}
	kinds := map[warp.FaultKind]int{}
	for _, device := range []string{"h200", "mi300x"} {
		for seed := range n {
			var reports []*warp.Report
			var values [][]int32
			for _, c := range []warp.Config{{Order: warp.AsWritten}, {}, {Workers: 1}, {Sanitize: true}, {Order: warp.AsWritten, Sanitize: true}} {
				c.Faults = warp.Collect
				e := engine(t, device, c)
				data := make([]int32, 256)
				for i := range data {
					data[i] = int32(i * 7 % 31)
				}
				in, err := warp.Global(e, data)
				require.NoError(t, err)
				out := make([]int32, 3*128)
				to, err := warp.Global(e, out)
				require.NoError(t, err)
				steps := 40
				if seed%5 == 0 {
					steps = 6000 // more than a buffer
				}
				r, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(3), Threads: warp.X(128)}, randomKernel(seed, in, to, steps))
				require.NoError(t, err)
				reports, values = append(reports, r), append(values, slices.Clone(out))
			}
			counts := func(r *warp.Report) (list []int64) {
				for _, o := range r.Ops() {
					if o.Instructions > 0 { // not only addresses
						list = append(list, int64(o.Op), o.Instructions)
					}
				}
				return append(list, r.Instructions, r.ThreadInstructions, r.ConflictPasses)
			}
			for i := range reports[1:] {
				name := fmt.Sprintf("%s, seed %d, run %d", device, seed, i+1)
				require.Equal(t, values[0], values[i+1], name)
				require.Equal(t, counts(reports[0]), counts(reports[i+1]), name)
			}
			for _, f := range reports[3].Faults {
				kinds[f.Kind]++
			}
			require.Equal(t, reports[0].Faults, reports[1].Faults)
			require.Equal(t, reports[3].Faults, reports[4].Faults)
			require.Equal(t, reports[1].Cycles, reports[2].Cycles, "workers")
		}
	}
	require.Positive(t, kinds[warp.SharedRace])
	require.Positive(t, kinds[warp.ReadInactive])
}

// A loop that adds up what it loads waits for each load as it is written, and for
// sixteen at a time as a compiler unrolls it.
func TestLoopsKeepLoadsInFlight(t *testing.T) {
	cycles := map[warp.Order]float64{}
	for _, o := range []warp.Order{warp.AsWritten, warp.AsCompiled} {
		e := engine(t, "h200", warp.Config{Order: o, Memory: memory.Warm})
		in, err := warp.Global(e, make([]float32, 32*160))
		require.NoError(t, err)
		r, err := e.Run(context.Background(), one(32), func(w *warp.Warp) {
			i, x, sum, p := warp.Alloc[int32](w), warp.Alloc[float32](w), warp.Alloc[float32](w), w.Pred()
			warp.Mov(i, w.LaneID())
			warp.Set(sum, 0)
			w.While(func() warp.Pred { warp.LtImm(p, i, 32*160); return p }, func() {
				warp.Load(x, in, i)
				warp.Add(sum, sum, x)
				warp.AddImm(i, i, 32)
			})
		})
		require.NoError(t, err)
		cycles[o] = float64(r.Cycles)
	}
	t.Logf("%v", cycles)
	require.Greater(t, cycles[warp.AsWritten], 6*cycles[warp.AsCompiled])
}
