package warp_test

import (
	"context"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A hold keeps the first block of a grid back until blocks of later groups have
// come to a place that they reach without their turn, if there are workers for
// them.
type hold struct {
	t       testing.TB
	workers int
	once    sync.Once
	open    chan struct{}
}

func newHold(t testing.TB, workers int) *hold {
	return &hold{t: t, workers: workers, open: make(chan struct{})}
}

// wait is for block 0, reached for the others.
func (h *hold) wait() {
	if h.workers == 1 {
		return
	}
	select {
	case <-h.open:
	case <-time.After(10 * time.Second):
		h.t.Error("no later block went on")
	}
}

func (h *hold) reached() { h.once.Do(func() { close(h.open) }) }

// slot returns a register with index i in every lane.
func slot(w *warp.Warp, i int) warp.Reg[int32] { return value(w, int32(i)) }

var workerCounts = []int{1, 2, 3, 8}

// Reductions that are done later come out in the order of blocks, warps and
// lanes: sums that round differently in any other order keep their bits.
func TestDeferredSumsKeepTheirBits(t *testing.T) {
	for _, threads := range []int{32, 96} {
		for _, resident := range []int{1, 3} {
			var want []uint32
			for _, workers := range workerCounts {
				e := newEngine(t, warp.Config{Device: small(t, 32, 4), Resident: resident, Workers: workers})
				for range 2 { // logs are used again
					h := newHold(t, workers)
					sum := global(t, e, make([]float32, 3))
					_, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(40), Threads: warp.X(threads)}, func(w *warp.Warp) {
						if w.BlockIndex() == 0 {
							h.wait()
						}
						v, at := warp.Alloc[float32](w), warp.Alloc[int32](w)
						warp.Convert(v, w.GlobalID())
						warp.MulImm(v, v, 0.1)
						warp.AndImm(at, w.LaneID(), 1)
						warp.AtomicReduce(warp.AtomicAdd, sum, at, v)
						if w.ID()%2 == 0 {
							w.SyncBlock() // changes which warp is next
						}
						w.Under(lane.FirstN(7), func() { warp.AtomicReduce(warp.AtomicAdd, sum.At(2), slot(w, 0), v) })
						if w.ID()%2 == 1 {
							w.SyncBlock()
						}
						if w.BlockIndex() >= resident {
							h.reached()
						}
					})
					require.NoError(t, err)
					var bits []uint32
					for _, v := range sum.Data() {
						bits = append(bits, math.Float32bits(v))
					}
					if want == nil {
						want = bits
					}
					require.Equal(t, want, bits, "%d workers, %d threads, %d blocks a group", workers, threads, resident)
				}
			}
		}
	}
}

// deferredOps runs every operation on a type in blocks that do not have their
// turn.
func deferredOps[T warp.Number](t *testing.T, ops []warp.AtomicOp) {
	t.Helper()
	var want []T
	for _, workers := range workerCounts {
		e := newEngine(t, warp.Config{Device: small(t, 32, 4), Workers: workers, Resident: 1})
		h := newHold(t, workers)
		m := global(t, e, make([]T, 8*len(ops)))
		for i := range m.Data() {
			m.Data()[i] = T(i % 5)
		}
		_, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(12), Threads: warp.X(32)}, func(w *warp.Warp) {
			if w.BlockIndex() == 0 {
				h.wait()
			}
			v, at := warp.Alloc[T](w), warp.Alloc[int32](w)
			warp.SetLanes(v, func(l int) T { return T((w.BlockIndex()*31+l*7)%50) / 3 })
			warp.SetLanes(at, func(l int) int32 { return int32(l*5%8) - 3 })
			for i, op := range ops {
				warp.AtomicReduce(op, m.At(8*i+3), at, v)
			}
			warp.Set(v, 0) // what is logged is the value, not the register
			warp.Set(at, 0)
			if w.BlockIndex() > 0 {
				h.reached()
			}
		})
		require.NoError(t, err)
		if want == nil {
			want = m.Data()
		}
		require.Equal(t, want, m.Data(), "%T, %d workers", want, workers)
	}
}

func TestDeferredOperationsOfAllTypes(t *testing.T) {
	deferredOps[int8](t, atomicOps)
	deferredOps[int16](t, atomicOps)
	deferredOps[int32](t, atomicOps)
	deferredOps[int64](t, atomicOps)
	deferredOps[int](t, atomicOps)
	deferredOps[uint8](t, atomicOps)
	deferredOps[uint16](t, atomicOps)
	deferredOps[uint32](t, atomicOps)
	deferredOps[uint64](t, atomicOps)
	deferredOps[float32](t, atomicOps[:4])
	deferredOps[float64](t, atomicOps[:4])
}

// Whatever comes after a deferred reduction sees its effect, and that of all
// earlier blocks.
func TestAccessAfterDeferredReduction(t *testing.T) {
	type memory struct {
		sum warp.Mem[float32]
		out warp.Mem[float32]
	}
	for name, access := range map[string]func(w *warp.Warp, m memory, d warp.Reg[float32]){
		"load":     func(w *warp.Warp, m memory, d warp.Reg[float32]) { warp.Load(d, m.sum, slot(w, 0)) },
		"volatile": func(w *warp.Warp, m memory, d warp.Reg[float32]) { warp.LoadVolatile(d, m.sum, slot(w, 0)) },
		"atomic": func(w *warp.Warp, m memory, d warp.Reg[float32]) {
			warp.Atomic(warp.AtomicAdd, d, m.sum, slot(w, 0), value(w, float32(0.3)))
		},
		"swap": func(w *warp.Warp, m memory, d warp.Reg[float32]) {
			warp.CompareAndSwap(d, m.sum, slot(w, 0), value(w, float32(1e9)), value(w, float32(0)))
		},
		"store": func(w *warp.Warp, m memory, d warp.Reg[float32]) {
			warp.Store(m.sum, slot(w, 1), value(w, float32(w.BlockIndex())))
			warp.Load(d, m.sum, slot(w, 1))
		},
		"load of what an earlier block stored": func(w *warp.Warp, m memory, d warp.Reg[float32]) {
			warp.Store(m.out.At(4096), slot(w, w.BlockIndex()+1), value(w, float32(w.BlockIndex())))
			warp.Load(d, m.out.At(4096), slot(w, w.BlockIndex()))
		},
		"reduction, barrier, load": func(w *warp.Warp, m memory, d warp.Reg[float32]) {
			warp.AtomicReduce(warp.AtomicAdd, m.sum, slot(w, 0), value(w, float32(0.7)))
			w.SyncBlock()
			warp.Load(d, m.sum, slot(w, 0))
		},
	} {
		for _, threads := range []int{32, 64} {
			for _, c := range []warp.Config{{}, {Sanitize: true}, {ValuesOnly: true}} {
				var want []float32
				var report *warp.Report
				for _, workers := range workerCounts {
					c.Device, c.Workers, c.Faults = small(t, 32, 6), workers, warp.Collect
					e := newEngine(t, c)
					m := memory{global(t, e, make([]float32, 2)), global(t, e, make([]float32, 8192))}
					reached := make(chan struct{}, 1000)
					r, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(20), Threads: warp.X(threads)}, func(w *warp.Warp) {
						if w.BlockIndex() == 0 && workers > 1 && !c.Sanitize {
							<-reached
						}
						v, d := warp.Alloc[float32](w), warp.Alloc[float32](w)
						warp.Convert(v, w.GlobalID())
						warp.MulImm(v, v, 0.1)
						warp.AtomicReduce(warp.AtomicAdd, m.sum, slot(w, 0), v)
						if w.BlockIndex() > 3 {
							reached <- struct{}{}
						}
						if w.BlockIndex()%3 != 1 { // some groups put all off
							access(w, m, d)
							warp.Store(m.out, w.GlobalID(), d)
						}
					})
					require.NoError(t, err, name)
					got := append(append([]float32(nil), m.sum.Data()...), m.out.Data()...)
					if want == nil {
						want, report = got, r
					}
					require.Equal(t, want, got, "%s, %d threads, %d workers", name, threads, workers)
					require.Empty(t, cmp.Diff(report, r, sameReport))
				}
			}
		}
	}
}

// A fault ends the run after what came before it in the order of blocks, and
// nothing that came after it: also if that had been put off.
func TestFaultsAmongDeferredReductions(t *testing.T) {
	for name, fault := range map[string]func(w *warp.Warp, sum warp.Mem[float32]){
		"out of bounds": func(w *warp.Warp, sum warp.Mem[float32]) {
			at := warp.Alloc[int32](w)
			warp.SetLanes(at, func(l int) int32 { return int32(l / 30 * 2) })
			warp.AtomicReduce(warp.AtomicAdd, sum, at, value(w, float32(0.1))) // lanes 0 to 29 have done it
		},
		"undefined": func(w *warp.Warp, sum warp.Mem[float32]) {
			warp.AtomicReduce(warp.AtomicAdd, sum, slot(w, 0), warp.Alloc[float32](w))
		},
		"panic":        func(w *warp.Warp, sum warp.Mem[float32]) { panic("mine") },
		"goexit":       func(w *warp.Warp, sum warp.Mem[float32]) { runtime.Goexit() },
		"deadlock":     func(w *warp.Warp, sum warp.Mem[float32]) { w.Barrier(1, 2*w.Width()) },
		"loads wildly": func(w *warp.Warp, sum warp.Mem[float32]) { warp.Load(warp.Alloc[float32](w), sum, slot(w, 9)) },
		"swallowed load": func(w *warp.Warp, sum warp.Mem[float32]) {
			defer func() { _ = recover() }()
			warp.Load(warp.Alloc[float32](w), sum, slot(w, 9))
		},
		"unwound": func(w *warp.Warp, sum warp.Mem[float32]) {
			defer warp.AtomicReduce(warp.AtomicAdd, sum, slot(w, 0), value(w, float32(0.1)))
			panic("mine")
		},
	} {
		for _, bad := range []int{0, 5, 19} {
			for _, threads := range []int{64, 32} {
				if name == "deadlock" && threads == 32 {
					continue // refuses the number of threads
				}
				var want []float32
				var fault0 *warp.Fault
				for _, workers := range workerCounts {
					e := newEngine(t, warp.Config{Device: small(t, 32, 4), Workers: workers, Resident: 1})
					h := newHold(t, workers)
					sum := global(t, e, []float32{0, 0})
					_, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(20), Threads: warp.X(threads)}, func(w *warp.Warp) {
						if w.BlockIndex() == 0 {
							h.wait()
						}
						v := warp.Alloc[float32](w)
						warp.Convert(v, w.GlobalID())
						warp.MulImm(v, v, 0.1)
						warp.AtomicReduce(warp.AtomicAdd, sum, slot(w, 0), v)
						if w.BlockIndex() > 0 {
							h.reached()
						}
						if w.BlockIndex() == bad && w.ID() == 0 {
							fault(w, sum)
						}
						warp.AtomicReduce(warp.AtomicAdd, sum.At(1), slot(w, 0), v)
					})
					var f *warp.Fault
					require.ErrorAs(t, err, &f, name)
					require.Equal(t, bad, f.Block)
					if want == nil {
						want, fault0 = sum.Data(), f
					}
					require.Equal(t, want, sum.Data(), "%s in block %d, %d threads, %d workers", name, bad, threads, workers)
					require.Empty(t, cmp.Diff(fault0, f, sameReport))
				}
			}
		}
	}
}

// More than a log takes is done in turn, and so is what comes after.
func TestMoreReductionsThanALogHolds(t *testing.T) {
	for _, threads := range []int{32, 64} {
		var want []float32
		for _, workers := range workerCounts {
			e := newEngine(t, warp.Config{Device: small(t, 32, 4), Workers: workers, Resident: 2})
			h := newHold(t, workers)
			sum := global(t, e, make([]float32, 32))
			_, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(12), Threads: warp.X(threads)}, func(w *warp.Warp) {
				if w.BlockIndex() == 0 {
					h.wait()
				}
				v := warp.Alloc[float32](w)
				warp.Convert(v, w.GlobalID())
				warp.MulImm(v, v, 0.1)
				for i := range 300 {
					warp.AtomicReduce(warp.AtomicAdd, sum, w.LaneID(), v)
					if i == 20 && w.BlockIndex() >= 2 {
						h.reached()
					}
				}
			})
			require.NoError(t, err)
			if want == nil {
				want = sum.Data()
			}
			require.Equal(t, want, sum.Data(), "%d workers", workers)
		}
	}
}

// Groups do not run ahead of a slow one without bound.
func TestDeferredGroupsAreBounded(t *testing.T) {
	const most = 257 // the logs that may wait, and one that waits to wait
	e := newEngine(t, warp.Config{Device: small(t, 32, 4), Workers: 2, Resident: 1, ValuesOnly: true})
	var done atomic.Int32
	sum := global(t, e, make([]int32, 1))
	_, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(600), Threads: warp.X(32)}, func(w *warp.Warp) {
		if w.BlockIndex() == 0 {
			for begin := time.Now(); done.Load() < most; time.Sleep(time.Millisecond) {
				if time.Since(begin) > 10*time.Second {
					t.Error("later groups stand still")
					break
				}
			}
			time.Sleep(20 * time.Millisecond)
			assert.EqualValues(t, most, done.Load())
			assert.Zero(t, sum.Data()[0])
		}
		warp.AtomicReduce(warp.AtomicAdd, sum, slot(w, 0), slot(w, 1))
		if w.BlockIndex() > 0 {
			done.Add(1)
		}
	})
	require.NoError(t, err)
	assert.EqualValues(t, 600*32, sum.Data()[0])
}

// What a cancelled run has put off is not done, and the next run starts afresh.
func TestCancelWithDeferredReductions(t *testing.T) {
	for _, threads := range []int{32, 64} {
		e := newEngine(t, warp.Config{Device: small(t, 32, 4), Workers: 3, Resident: 1})
		sum := global(t, e, make([]int32, 1))
		ctx, cancel := context.WithCancel(context.Background())
		_, err := e.Run(ctx, warp.Launch{Blocks: warp.X(30), Threads: warp.X(threads)}, func(w *warp.Warp) {
			if w.BlockIndex() == 0 {
				forever(w)
			}
			warp.AtomicReduce(warp.AtomicAdd, sum, slot(w, 0), w.LaneID())
			if w.BlockIndex() == 7 {
				cancel()
			}
			if w.BlockIndex() == 9 {
				w.Work(isa.IAdd, 10000)
			}
		})
		require.ErrorIs(t, err, context.Canceled)
		assert.Zero(t, sum.Data()[0])
		_, err = e.Run(context.Background(), warp.Launch{Blocks: warp.X(30), Threads: warp.X(threads)}, func(w *warp.Warp) {
			warp.AtomicReduce(warp.AtomicAdd, sum, slot(w, 0), slot(w, 1))
		})
		require.NoError(t, err)
		assert.EqualValues(t, 30*threads, sum.Data()[0])
	}
}

// A group that goes on without its turn ends when an earlier one fails, however
// much it has to do.
func TestEndlessBlockAfterDeferredReduction(t *testing.T) {
	for _, threads := range []int{32, 64} {
		e := newEngine(t, warp.Config{Device: small(t, 32, 4), Workers: 2, Resident: 1})
		h := newHold(t, 2)
		sum := global(t, e, make([]int32, 1))
		_, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(2), Threads: warp.X(threads)}, func(w *warp.Warp) {
			if w.BlockIndex() == 0 {
				h.wait()
				panic("mine")
			}
			warp.AtomicReduce(warp.AtomicAdd, sum, slot(w, 0), w.LaneID())
			h.reached()
			forever(w)
		})
		require.ErrorIs(t, err, warp.KernelPanic)
		assert.Zero(t, sum.Data()[0])
	}
}
