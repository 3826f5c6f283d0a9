package intrinsics_test

import (
	"context"
	"testing"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/memory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// loaded returns the cycles of a kernel of one warp over an array in global memory
// that is filled with different numbers; next has a chain of indices.
func loaded(t *testing.T, kernel func(t *thread, in, out *intrinsics.Array[float32], next *intrinsics.Array[int32])) *warp.Report {
	t.Helper()
	e := engine(t, "h200", warp.Config{Memory: memory.Cold})
	in, err := intrinsics.Global(e, by(8<<10, func(i int) float32 { return float32(i) + 0.5 }))
	require.NoError(t, err)
	out, err := intrinsics.Global(e, make([]float32, 8<<10))
	require.NoError(t, err)
	next, err := intrinsics.Global(e, by(8<<10, func(i int) int32 { return int32((i + 1024) % (8 << 10)) }))
	require.NoError(t, err)
	r, err := intrinsics.Launch(context.Background(), e, warp.X(1), warp.X(32), func(t *thread) { kernel(t, in, out, next) })
	require.NoError(t, err)
	return r
}

// Loads that follow one another without a use between are under way together, and a
// compiler takes those behind a use before it: four take little more time than
// one. Only if the address is what the one before has given do they wait for each other.
func TestLoadsOverlapUnlessTheyAreAChain(t *testing.T) {
	const apart = 1024 // elements: another line, and another sector
	loads := func(n int) *warp.Report {
		return loaded(t, func(t *thread, in, out *intrinsics.Array[float32], _ *intrinsics.Array[int32]) {
			var x [4]float32
			for k := range n {
				x[k] = in.Load(t, t.Lane()+k*apart)
			}
			sum := x[0]
			for _, v := range x[1:n] {
				sum = intrinsics.Add(t, sum, v)
			}
			out.Store(t, t.Lane(), sum)
		})
	}
	one, four := loads(1).Cycles, loads(4).Cycles
	assert.Less(t, float64(four), 1.5*float64(one))

	used := loaded(t, func(t *thread, in, out *intrinsics.Array[float32], _ *intrinsics.Array[int32]) {
		sum := float32(0)
		for k := range 4 {
			sum = intrinsics.Add(t, sum, in.Load(t, t.Lane()+k*apart))
		}
		out.Store(t, t.Lane(), sum)
	}).Cycles
	assert.Less(t, float64(used), 1.5*float64(one))

	chain := loaded(t, func(t *thread, _, out *intrinsics.Array[float32], next *intrinsics.Array[int32]) {
		i := t.Lane()
		for range 4 {
			i = int(next.Load(t, i))
		}
		out.Store(t, i, 1)
	}).Cycles
	assert.Greater(t, float64(chain), 3*float64(one))
}

// Chains that have nothing to do with each other run side by side, and one after the
// other if each reads what the one before has made; a constant waits for nothing.
func TestBookedArithmeticWaitsForWhatItReads(t *testing.T) {
	const n = 64
	per := func(body func(t *thread, x *[4]float32)) float64 {
		r := loaded(t, func(t *thread, in, out *intrinsics.Array[float32], _ *intrinsics.Array[int32]) {
			var x [4]float32
			for k := range x {
				x[k] = float32(t.Lane()) + float32(k)/8
			}
			for range n {
				body(t, &x)
				intrinsics.SyncWarp(t, full)
			}
			out.Store(t, t.Lane(), x[0]+x[1]+x[2]+x[3])
		})
		return float64(r.Cycles) / n
	}
	together := per(func(t *thread, x *[4]float32) {
		for k := range x {
			x[k] = intrinsics.FMA(t, x[k], 1.5, 0.25)
		}
	})
	after := per(func(t *thread, x *[4]float32) {
		for range x {
			x[0] = intrinsics.FMA(t, x[0], 0.75, 0.25)
		}
	})
	assert.Greater(t, after, together+6, "four multiply-adds of 4 cycles each against four of one")
	worked := per(func(t *thread, x *[4]float32) { t.Work(isa.FFma, 4) })
	assert.InDelta(t, after, worked, 1.5, "work that says nothing of its operands is a chain")
}

// The report says how much arithmetic has been booked, and that the rest was free.
func TestReportSaysHowMuchIsBooked(t *testing.T) {
	r := loaded(t, func(t *thread, in, out *intrinsics.Array[float32], _ *intrinsics.Array[int32]) {
		v := in.Load(t, t.Lane())
		v = intrinsics.Add(t, v, 1)
		t.Work(isa.FMul, 2)
		out.Store(t, t.Lane(), v*2*2)
	})
	assert.True(t, r.PerLane)
	assert.EqualValues(t, 3, r.Booked)
	assert.Regexp(t, `booked +3 of these; Go in kernels per lane that books nothing is free`, r.String())

	e := engine(t, "h200", warp.Config{})
	r, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(32)}, func(w *warp.Warp) { w.Work(isa.FMul, 2) })
	require.NoError(t, err)
	assert.False(t, r.PerLane)
	assert.NotContains(t, r.String(), "booked")
}

// Min and Max take the number beside a NaN, and order zeros; integers of all sizes are
// integers.
func TestBookedArithmeticComputes(t *testing.T) {
	nan, zero := float32(0), float32(0)
	nan /= nan
	loaded(t, func(th *thread, _, _ *intrinsics.Array[float32], _ *intrinsics.Array[int32]) {
		if th.Lane() != 0 {
			return
		}
		assert.EqualValues(t, 3, intrinsics.Min(th, nan, 3))
		assert.EqualValues(t, 3, intrinsics.Max(th, 3, nan))
		assert.Less(t, 1/intrinsics.Min(th, zero, -1*zero), float32(1))
		assert.EqualValues(t, -4, intrinsics.Min(th, int8(-4), 3))
		assert.EqualValues(t, int64(1<<40), intrinsics.Mul(th, int64(1<<20), 1<<20))
		assert.EqualValues(t, uint16(65535), intrinsics.Sub(th, uint16(0), 1))
		assert.EqualValues(t, 2.5, intrinsics.FMA(th, 1.0, 2, 0.5))
		assert.EqualValues(t, 7, intrinsics.Add(th, 3, 4))
	})
}
