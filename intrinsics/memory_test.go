package intrinsics_test

import (
	"context"
	"math"
	"testing"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
	"github.com/stretchr/testify/require"
)

// A declaration stands for one array, whoever makes it and how often.
func TestSharedDeclarations(t *testing.T) {
	for _, d := range []string{"h200", "mi300x"} {
		e := engine(t, d, values)
		got := run(t, e, 128, func(t *thread) int32 {
			a, b := intrinsics.Shared[int32](t, 128), intrinsics.Shared[int32](t, 128)
			for i := range 3 {
				c := intrinsics.Shared[int32](t, 128)
				c.Store(t, t.ThreadRank(), int32(i))
				a.Store(t, t.ThreadRank(), int32(t.ThreadRank()))
				b.Store(t, t.ThreadRank(), 1000)
			}
			intrinsics.SyncThreads(t)
			if t.ThreadRank()%2 == 0 {
				return helper(t).Load(t, 0) + a.Load(t, 127-t.ThreadRank()) + b.Load(t, 0)
			}
			return helper(t).Load(t, 1) + a.Load(t, 127-t.ThreadRank()) + b.Load(t, 0)
		})
		require.Equal(t, by(128, func(l int) int32 { return int32(127-l) + 1000 }), got, d)
	}
}

//go:noinline
func helper(t *thread) *intrinsics.Array[int32] {
	a := intrinsics.Shared[int32](t, 2)
	a.Store(t, t.ThreadRank()&1, 0)
	return a
}

func TestSharedFaults(t *testing.T) {
	e := engine(t, "h200", values)
	for name, kernel := range map[string]func(t *thread) int32{
		"too large": func(t *thread) int32 { return intrinsics.Shared[int32](t, 1<<20).Load(t, 0) },
		"unequal":   func(t *thread) int32 { return intrinsics.Shared[int32](t, 1+t.Lane()).Load(t, 0) },
		"later":     func(t *thread) int32 { return int32(size(t, 4) + size(t, 5)) },
		"pointers":  func(t *thread) int32 { return int32(intrinsics.Shared[*int](t, 1).Len()) },
	} {
		_, _, err := try(e, 32, kernel)
		require.ErrorIs(t, err, warp.SharedMemory, name)
	}
}

//go:noinline
func size(t *thread, n int) int { return intrinsics.Shared[int32](t, n).Len() }

// Dynamic shared memory is one memory, of any type.
func TestDynamicShared(t *testing.T) {
	e := engine(t, "h200", values)
	out := make([]uint32, 2*64)
	_, err := intrinsics.Launch(context.Background(), e, warp.X(2), warp.X(64), func(t *thread) {
		f, u := intrinsics.Dynamic[float32](t), intrinsics.Dynamic[uint32](t)
		if f.Len() != 65 {
			panic("length")
		}
		f.Store(t, t.ThreadRank(), 1.5)
		intrinsics.SyncThreads(t)
		out[t.BlockIdx().X*64+t.ThreadRank()] = u.Load(t, 63-t.ThreadRank())
	}, intrinsics.DynamicBytes(4*65+2))
	require.NoError(t, err)
	require.Equal(t, same(2*64, math.Float32bits(1.5)), out)
	_, _, err = try(e, 32, func(t *thread) int32 { return intrinsics.Dynamic[int32](t).Load(t, 0) })
	require.ErrorIs(t, err, warp.OutOfBounds, "there is none")
}

func TestBounds(t *testing.T) {
	e := engine(t, "h200", values)
	a, err := intrinsics.Global(e, make([]float64, 10))
	require.NoError(t, err)
	for _, i := range []int{10, -1, math.MaxInt32, math.MinInt32} {
		for name, kernel := range map[string]func(t *thread) int{
			"load":   func(t *thread) int { a.Load(t, i*(t.Lane()&1)); return 0 },
			"store":  func(t *thread) int { a.Store(t, i*(t.Lane()&1), 1); return 0 },
			"atomic": func(t *thread) int { intrinsics.AtomicAdd(t, a, i*(t.Lane()&1), 1); return 0 },
		} {
			_, _, err := try(e, 4, kernel)
			var f *warp.Fault
			require.ErrorAs(t, err, &f, "%s %d", name, i)
			require.Equal(t, warp.OutOfBounds, f.Kind)
			require.Equal(t, lanes(1, 1).Or(lanes(3, 3)), f.Lanes)
		}
	}
	_, err = intrinsics.Global(e, make([]string, 1))
	require.Error(t, err)
}

// Values of any size go through memory and shuffles unchanged.
func TestTypes(t *testing.T) {
	e := engine(t, "h200", values)
	roundTrip(t, e, func(l int) int8 { return int8(l * 5) })
	roundTrip(t, e, func(l int) uint16 { return uint16(l * 1999) })
	roundTrip(t, e, func(l int) bool { return l%3 == 0 })
	roundTrip(t, e, func(l int) float64 { return float64(l) / 7 })
	roundTrip(t, e, func(l int) [3]int16 { return [3]int16{int16(l), 1, -int16(l)} })
	roundTrip(t, e, func(l int) struct {
		A float32
		B int64
		C [5]uint32
	} {
		return struct {
			A float32
			B int64
			C [5]uint32
		}{float32(l), int64(l) << 40, [5]uint32{uint32(l), 2, 3, 4, 5}}
	})
}

func roundTrip[T comparable](t *testing.T, e *warp.Engine, f func(l int) T) {
	t.Helper()
	in, err := intrinsics.Global(e, by(32, f))
	require.NoError(t, err)
	require.Equal(t, by(32, func(l int) T { return f(l ^ 5) }), run(t, e, 32, func(t *thread) T {
		s := intrinsics.Shared[T](t, 32)
		s.Store(t, t.Lane(), in.Load(t, t.Lane()))
		intrinsics.SyncWarp(t, full)
		return intrinsics.ShflXorSync(t, full, s.Load(t, t.Lane()), 5)
	}))
}

// Atomics give what the element was, lane by lane in ascending order.
func TestAtomics(t *testing.T) {
	for _, d := range []string{"h200", "mi300x", "mtt-s4000"} {
		e := engine(t, d, values)
		for name, c := range map[string]struct {
			f     func(t *thread, a *intrinsics.Array[int32], v int32) int32
			plain func(old, v int32) int32
		}{
			"add":  {func(t *thread, a *intrinsics.Array[int32], v int32) int32 { return intrinsics.AtomicAdd(t, a, 0, v) }, func(o, v int32) int32 { return o + v }},
			"sub":  {func(t *thread, a *intrinsics.Array[int32], v int32) int32 { return intrinsics.AtomicSub(t, a, 0, v) }, func(o, v int32) int32 { return o - v }},
			"min":  {func(t *thread, a *intrinsics.Array[int32], v int32) int32 { return intrinsics.AtomicMin(t, a, 0, v) }, func(o, v int32) int32 { return min(o, v) }},
			"max":  {func(t *thread, a *intrinsics.Array[int32], v int32) int32 { return intrinsics.AtomicMax(t, a, 0, v) }, func(o, v int32) int32 { return max(o, v) }},
			"exch": {func(t *thread, a *intrinsics.Array[int32], v int32) int32 { return intrinsics.AtomicExch(t, a, 0, v) }, func(_, v int32) int32 { return v }},
			"and":  {func(t *thread, a *intrinsics.Array[int32], v int32) int32 { return intrinsics.AtomicAnd(t, a, 0, v) }, func(o, v int32) int32 { return o & v }},
			"or":   {func(t *thread, a *intrinsics.Array[int32], v int32) int32 { return intrinsics.AtomicOr(t, a, 0, v) }, func(o, v int32) int32 { return o | v }},
			"xor":  {func(t *thread, a *intrinsics.Array[int32], v int32) int32 { return intrinsics.AtomicXor(t, a, 0, v) }, func(o, v int32) int32 { return o ^ v }},
			"cas": {func(t *thread, a *intrinsics.Array[int32], v int32) int32 {
				return intrinsics.AtomicCAS(t, a, 0, 77, v)
			}, func(o, v int32) int32 {
				if o == 77 {
					return v
				}
				return o
			}},
		} {
			value := func(l int) int32 { return int32(l*37%23) - 9 }
			var want []int32
			x := int32(77)
			for l := range e.Device().Lanes {
				want = append(want, x)
				x = c.plain(x, value(l))
			}
			a, err := intrinsics.Global(e, []int32{77})
			require.NoError(t, err)
			require.Equal(t, want, run(t, e, len(want), func(t *thread) int32 { return c.f(t, a, value(t.Lane())) }), "%s %s", name, d)
			require.Equal(t, x, a.Data()[0], name)
			last := run(t, e, len(want), func(t *thread) int32 {
				s := intrinsics.Shared[int32](t, 1)
				s.Store(t, 0, 77)
				intrinsics.SyncThreads(t)
				c.f(t, s, value(t.Lane()))
				intrinsics.SyncThreads(t)
				return s.Load(t, 0)
			})
			require.Equal(t, same(len(want), x), last, "%s in shared memory", name)
		}
	}
	e := engine(t, "h200", values)
	a, err := intrinsics.Global(e, []float32{0.5})
	require.NoError(t, err)
	_, r, err := try(e, 32, func(t *thread) int { intrinsics.RedAdd(t, a, 0, 1); return 0 })
	require.NoError(t, err)
	require.Equal(t, float32(32.5), a.Data()[0])
	require.EqualValues(t, 1, r.Count(isa.ReduceGlobal))
}

// Lanes that load at one call are one instruction, however many arrays a helper
// makes of one memory; lanes of another branch are another.
func TestAccessesMeet(t *testing.T) {
	e := engine(t, "h200", values)
	m, err := warp.Global(e, by(64, func(i int) int32 { return int32(i) }))
	require.NoError(t, err)
	_, r, err := try(e, 32, func(t *thread) int32 { return intrinsics.FromMem(m).Load(t, t.Lane()) })
	require.NoError(t, err)
	require.EqualValues(t, 1, r.Count(isa.LoadGlobal))
	got, r, err := try(e, 32, func(t *thread) int32 {
		a := intrinsics.FromMem(m)
		if t.Lane()%2 == 1 {
			return a.Load(t, t.Lane())
		}
		return intrinsics.FromMem(m.At(32)).Load(t, t.Lane())
	})
	require.NoError(t, err)
	require.EqualValues(t, 2, r.Count(isa.LoadGlobal))
	require.Equal(t, by(32, func(l int) int32 { return int32(l + 32*(1-l%2)) }), got)
}

// A flag that the last block finds set by the first.
func TestFlag(t *testing.T) {
	e := engine(t, "h200", values)
	flag, err := intrinsics.Global(e, make([]int32, 2))
	require.NoError(t, err)
	_, err = intrinsics.Launch(context.Background(), e, warp.X(200), warp.X(32), func(t *thread) {
		if t.Lane() > 0 {
			return
		}
		if t.BlockIdx().X == 0 {
			flag.Store(t, 0, 42)
			intrinsics.ThreadFence(t)
		}
		if t.BlockIdx().X == 199 {
			for flag.LoadVolatile(t, 0) != 42 {
			}
			flag.Store(t, 1, 1)
		}
	})
	require.NoError(t, err)
	require.Equal(t, []int32{42, 1}, flag.Data())
}

// Producers arrive at a barrier and go on; consumers wait there.
func TestNamedBarriers(t *testing.T) {
	e := engine(t, "h200", values)
	got := run(t, e, 128, func(t *thread) int32 {
		s := intrinsics.Shared[int32](t, 64)
		i := t.ThreadRank()
		if i < 64 {
			s.Store(t, i, int32(i))
			intrinsics.BarrierArrive(t, 3, 128)
			return -1
		}
		intrinsics.BarrierSync(t, 3, 128)
		return s.Load(t, 127-i)
	})
	require.Equal(t, append(same(64, int32(-1)), by(64, func(l int) int32 { return int32(63 - l) })...), got)
	for name, kernel := range map[string]func(t *thread) int{
		"no such barrier":   func(t *thread) int { intrinsics.BarrierSync(t, 16, 32); return 0 },
		"part of a warp":    func(t *thread) int { intrinsics.BarrierSync(t, 1, 33); return 0 },
		"different numbers": func(t *thread) int { intrinsics.BarrierSync(t, 1+t.Lane()&1, 32); return 0 },
	} {
		_, _, err := try(e, 32, kernel)
		require.ErrorIs(t, err, warp.BarrierMismatch, name)
	}
	_, _, err := try(e, 64, func(t *thread) int {
		if t.WarpID() == 0 {
			intrinsics.BarrierSync(t, 1, 64)
		}
		return 0
	})
	var f *warp.Fault
	require.ErrorAs(t, err, &f)
	require.Equal(t, warp.Deadlock, f.Kind)
	require.Contains(t, f.Detail, "memory_test.go:")
}
