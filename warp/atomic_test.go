package warp_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var atomicOps = []warp.AtomicOp{warp.AtomicAdd, warp.AtomicMin, warp.AtomicMax, warp.AtomicExchange, warp.AtomicAnd, warp.AtomicOr, warp.AtomicXor}

// tryAtomics holds every operation on one type to a loop over the lanes in
// ascending order, in global and shared memory, with and without the old value.
func tryAtomics[T warp.Number](t *testing.T, e *warp.Engine, value func(l int) T, bitwise func(op warp.AtomicOp, a, b T) T) {
	t.Helper()
	n := e.Device().Lanes
	ops := atomicOps
	if bitwise == nil {
		ops = ops[:4]
	}
	for _, op := range ops {
		combine := func(a, b T) T {
			switch op {
			case warp.AtomicAdd:
				return a + b
			case warp.AtomicMin:
				return min(a, b)
			case warp.AtomicMax:
				return max(a, b)
			case warp.AtomicExchange:
				return b
			}
			return bitwise(op, a, b)
		}
		for _, active := range activeSets(n) {
			g := global(t, e, make([]T, 8))
			_, err := e.Run(context.Background(), one(n), func(w *warp.Warp) {
				v, d, at := warp.Alloc[T](w), warp.Alloc[T](w), warp.Alloc[int32](w)
				warp.SetLanes(v, value)
				warp.Set(d, value(3))
				warp.AndImm(at, w.LaneID(), 3)
				for _, m := range []warp.Mem[T]{g.At(2), warp.Shared[T](w, 8).At(2)} {
					want, old := make([]T, 8), make([]T, n)
					for i := range want {
						want[i] = value(50 + i)
						m.Data()[i] = want[i]
					}
					for l := range old {
						old[l] = value(3)
					}
					step := func() {
						for l := range active.Lanes() {
							old[l] = want[2+l&3]
							want[2+l&3] = combine(old[l], value(l))
						}
					}
					step()
					w.Under(active, func() { warp.Atomic(op, d, m, at, v) })
					require.Equal(t, want, m.Data(), "%s of %T, active %s", op, *new(T), active)
					require.Equal(t, old, d.Lanes(), "%s of %T, active %s", op, *new(T), active)
					step()
					w.Under(active, func() { warp.AtomicReduce(op, m, at, v) })
					require.Equal(t, want, m.Data(), "%s of %T without the old value, active %s", op, *new(T), active)
					warp.Set(d, value(3))
				}
			})
			require.NoError(t, err)
		}
	}
}

func bitwise[T warp.Integer](op warp.AtomicOp, a, b T) T {
	switch op {
	case warp.AtomicAnd:
		return a & b
	case warp.AtomicOr:
		return a | b
	}
	return a ^ b
}

func TestAtomics(t *testing.T) {
	for _, name := range []string{"h200", "mtt-m1000"} {
		e := engine(t, name, warp.Config{ValuesOnly: true})
		tryAtomics(t, e, func(l int) int8 { return int8(l*37 - 60) }, bitwise[int8])
		tryAtomics(t, e, func(l int) uint16 { return uint16(l * 7919) }, bitwise[uint16])
		tryAtomics(t, e, func(l int) int32 { return int32(l*1e8 - 1e9) }, bitwise[int32])
		tryAtomics(t, e, func(l int) uint32 { return uint32(l) * 0x9e3779b9 }, bitwise[uint32])
		tryAtomics(t, e, func(l int) int64 { return int64(l-20) << 57 }, bitwise[int64])
		tryAtomics(t, e, func(l int) uint64 { return uint64(l) * 0x9e3779b97f4a7c15 }, bitwise[uint64])
		tryAtomics(t, e, func(l int) float32 { return 1 / float32(l+1) }, nil)
		tryAtomics(t, e, func(l int) float64 { return float64(l%5) - 1/float64(l+1) }, nil)
	}
}

func TestAtomicsOfFloatsTakeNoBits(t *testing.T) {
	e := engine(t, "h200", warp.Config{Faults: warp.Collect})
	m, g := global(t, e, make([]float32, 1)), global(t, e, make([]int32, 1))
	for _, op := range []warp.AtomicOp{warp.AtomicAnd, warp.AtomicOr, warp.AtomicXor, 99} {
		_, err := e.Run(context.Background(), one(32), func(w *warp.Warp) {
			v, at := warp.Alloc[float32](w), warp.Alloc[int32](w)
			warp.Set(v, 1)
			warp.Set(at, 0)
			warp.AtomicReduce(op, m, at, v)
		})
		require.ErrorIs(t, err, warp.Unsupported)
		assert.Contains(t, err.Error(), "atomic "+op.String()+" of f32")
	}
	_, err := e.Run(context.Background(), one(32), func(w *warp.Warp) {
		at := warp.Alloc[int32](w)
		warp.Set(at, 0)
		warp.AtomicReduce(99, g, at, at)
	})
	require.ErrorIs(t, err, warp.Unsupported)
	assert.Equal(t, "add exchange atomic(99)", fmt.Sprint(warp.AtomicAdd, " ", warp.AtomicExchange, " ", warp.AtomicOp(99)))
}

// A lane's compare-and-swap sees what lower lanes have put there.
func TestCompareAndSwap(t *testing.T) {
	e := engine(t, "mi300x", warp.Config{})
	g := global(t, e, []uint64{7, 100})
	_, err := e.Run(context.Background(), one(64), func(w *warp.Warp) {
		want, v, d, at := warp.Alloc[uint64](w), warp.Alloc[uint64](w), warp.Alloc[uint64](w), warp.Alloc[int32](w)
		for _, m := range []warp.Mem[uint64]{g, warp.Shared[uint64](w, 2)} {
			copy(m.Data(), []uint64{7, 100})
			warp.Set(at, 0)
			warp.SetLanes(want, func(l int) uint64 { return uint64(7 + l%60) })
			warp.SetLanes(v, func(l int) uint64 { return uint64(8 + l%60) })
			warp.CompareAndSwap(d, m, at, want, v)
			// Lanes 0 to 59 count up one by one; then nobody expects 67.
			assert.Equal(t, []uint64{67, 100}, m.Data())
			for l, old := range d.Lanes() {
				assert.EqualValues(t, min(7+l, 67), old)
			}
		}
		// Onto the register of what it expects.
		warp.Set(at, 1)
		warp.SetLanes(want, func(l int) uint64 { return uint64(100 + l) })
		warp.SetLanes(v, func(l int) uint64 { return uint64(101 + l) })
		warp.CompareAndSwap(want, g, at, want, v)
		assert.EqualValues(t, 164, g.Data()[1])
		assert.EqualValues(t, 163, want.Lanes()[63])
	})
	require.NoError(t, err)
}

// Min and Max of floats in memory order zeros and pass over NaNs as those of
// registers do.
func TestAtomicFloatMinMax(t *testing.T) {
	e := engine(t, "h200", warp.Config{})
	nan, zero, negative := float32(math.NaN()), float32(0), float32(math.Copysign(0, -1))
	m := global(t, e, []float32{nan, zero, negative, negative})
	_, err := e.Run(context.Background(), one(1), func(w *warp.Warp) {
		v, at := warp.Alloc[float32](w), warp.Alloc[int32](w)
		for i, c := range []struct {
			op warp.AtomicOp
			v  float32
		}{{warp.AtomicMin, 3}, {warp.AtomicMin, negative}, {warp.AtomicMax, zero}, {warp.AtomicMax, nan}} {
			warp.Set(at, int32(i))
			warp.Set(v, c.v)
			warp.AtomicReduce(c.op, m, at, v)
		}
	})
	require.NoError(t, err)
	want := []uint32{math.Float32bits(3), 1 << 31, 0, 1 << 31}
	for i, v := range m.Data() {
		assert.Equal(t, want[i], math.Float32bits(v), "element %d", i)
	}
}

// Atomics of all blocks come in the order of blocks, warps and lanes, whatever
// runs in parallel: so do tickets.
func TestAtomicOrderAcrossBlocks(t *testing.T) {
	for _, workers := range []int{1, 4} {
		e := newEngine(t, warp.Config{Device: small(t, 32, 5), Workers: workers, ValuesOnly: true})
		counter, tickets := global(t, e, make([]int32, 1)), global(t, e, make([]int32, 40*64))
		_, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(40), Threads: warp.X(64)}, func(w *warp.Warp) {
			at, v := warp.Alloc[int32](w), warp.Alloc[int32](w)
			warp.Set(at, 0)
			warp.Set(v, 1)
			warp.Atomic(warp.AtomicAdd, v, counter, at, v)
			warp.Store(tickets, w.GlobalID(), v)
		})
		require.NoError(t, err)
		for i, ticket := range tickets.Data() {
			require.EqualValues(t, i, ticket)
		}
	}
}

// Shared atomics take as many turns as lanes want one element.
func TestAtomicTurns(t *testing.T) {
	for _, c := range []struct {
		index func(l int) int32
		turns int
	}{
		{func(l int) int32 { return int32(l) }, 1},
		{func(l int) int32 { return int32(l / 2) }, 2},
		{func(l int) int32 { return int32(l % 4) }, 8},
		{func(l int) int32 { return 3 }, 32},
		{func(l int) int32 { return int32(max(0, l-20)) }, 21},
	} {
		var records []isa.Instr
		e := engine(t, "h200", warp.Config{Observer: &warp.Observer{Instr: func(ev warp.InstrEvent) {
			if ev.Instr.Op == isa.AtomicShared {
				records = append(records, ev.Instr)
			}
		}}})
		r, err := e.Run(context.Background(), one(32), func(w *warp.Warp) {
			s := warp.Shared[int32](w, 32)
			at, v := warp.Alloc[int32](w), warp.Alloc[int32](w)
			warp.SetLanes(at, c.index)
			warp.Set(v, 1)
			warp.AtomicReduce(warp.AtomicAdd, s, at, v)
			w.Under(lane.FirstN(1), func() { warp.AtomicReduce(warp.AtomicAdd, s, at, v) })
			// Onto its own index: the turns are those of the old one.
			warp.Atomic(warp.AtomicExchange, at, s, at, v)
		})
		require.NoError(t, err)
		require.Len(t, records, 3)
		assert.EqualValues(t, c.turns, records[0].Count)
		assert.EqualValues(t, 1, records[1].Count)
		assert.EqualValues(t, c.turns, records[2].Count)
		assert.EqualValues(t, 2*(c.turns-1), r.ConflictPasses)
	}
}
