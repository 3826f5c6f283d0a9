package warp_test

import (
	"context"
	"testing"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"github.com/stretchr/testify/require"
)

// sanitized runs a kernel in one block with memory watched and returns the kinds
// of its faults with their counts.
func sanitized(t *testing.T, device string, threads int, k warp.Kernel) map[warp.FaultKind]int {
	t.Helper()
	e := engine(t, device, warp.Config{ValuesOnly: true, Faults: warp.Collect, Sanitize: true})
	r, err := e.Run(context.Background(), one(threads), k)
	require.NoError(t, err)
	kinds := map[warp.FaultKind]int{}
	for _, f := range r.Faults {
		kinds[f.Kind] += f.Count
	}
	return kinds
}

// element returns a register that is f of the lane.
func element(w *warp.Warp, f func(l int) int) warp.Reg[int32] {
	r := warp.Alloc[int32](w)
	warp.SetLanes(r, func(l int) int32 { return int32(f(l)) })
	return r
}

// Neighbouring elements never race, however small they are, and overlapping
// views of dynamic shared memory do to the byte.
func TestRacesAreByteAccurate(t *testing.T) {
	require.Empty(t, sanitized(t, "h200", 64, func(w *warp.Warp) {
		s := warp.Shared[uint8](w, 64)
		v := warp.Alloc[uint8](w)
		warp.Set(v, 1)
		warp.Store(s, w.ThreadID(), v)
		warp.Load(v, s, w.ThreadID())
	}))
	overlap := func(word, half int) map[warp.FaultKind]int {
		e := engine(t, "h200", warp.Config{ValuesOnly: true, Faults: warp.Collect, Sanitize: true})
		r, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(2), Threads: warp.X(64), Shared: 64}, func(w *warp.Warp) {
			words, halves := warp.DynamicShared[uint64](w), warp.DynamicShared[uint16](w)
			p := w.Pred()
			warp.SetPred(p, lane.Bit(0))
			w.Where(p, func() {
				if w.ID() == 0 {
					v := warp.Alloc[uint64](w)
					warp.Set(v, 1<<63|5)
					warp.Store(words, element(w, func(int) int { return word }), v)
				} else {
					v := warp.Alloc[uint16](w)
					warp.Set(v, 7)
					warp.Store(halves, element(w, func(int) int { return half }), v)
				}
			})
		})
		require.NoError(t, err)
		kinds := map[warp.FaultKind]int{}
		for _, f := range r.Faults {
			kinds[f.Kind] += f.Count
		}
		return kinds
	}
	for half := range 12 {
		got := overlap(1, half)
		if half/4 == 1 {
			require.Equal(t, map[warp.FaultKind]int{warp.SharedRace: 2}, got, "half word %d, once a block", half)
		} else {
			require.Empty(t, got, "half word %d", half)
		}
	}
}

// Structs of a size that is no power of two, of which a race in any word counts.
func TestRacesInStructs(t *testing.T) {
	type triple struct{ A, B, C int32 }
	kernel := func(d int) warp.Kernel {
		return func(w *warp.Warp) {
			s := warp.Shared[triple](w, 65)
			v := warp.Alloc[triple](w)
			warp.SetLanes(v, func(l int) triple { return triple{int32(l), int32(w.ID()), 3} })
			if w.ID() == 0 {
				warp.Store(s, w.LaneID(), v)
			} else {
				warp.Store(s.At(d), w.LaneID(), v)
			}
		}
	}
	require.Equal(t, map[warp.FaultKind]int{warp.SharedRace: 1}, sanitized(t, "h200", 64, kernel(31)))
	require.Empty(t, sanitized(t, "h200", 64, kernel(32)))
}

// Atomics do not race with each other, but with plain accesses, whoever came
// last.
func TestAtomicsAndPlainAccesses(t *testing.T) {
	kernel := func(plain int, barrier bool) warp.Kernel {
		return func(w *warp.Warp) {
			s := warp.Shared[int32](w, 1)
			zero, v := element(w, func(int) int { return 0 }), warp.Alloc[int32](w)
			p := w.Pred()
			warp.SetPred(p, lane.Bit(0))
			if w.ID() == 0 {
				w.Where(p, func() { warp.Store(s, zero, zero) })
			}
			w.SyncBlock()
			warp.AtomicReduce(warp.AtomicAdd, s, zero, w.LaneID())
			if barrier {
				w.SyncBlock()
			}
			if w.ID() == plain {
				w.Where(p, func() { warp.Load(v, s, zero) })
			}
		}
	}
	for _, plain := range []int{0, 1} {
		// Warp 1 is the last at the barrier and goes on first: if it reads, the
		// atomics of warp 0 meet that, too.
		require.Equal(t, map[warp.FaultKind]int{warp.SharedRace: 1 + plain}, sanitized(t, "h200", 64, kernel(plain, false)), "warp %d reads", plain)
		require.Empty(t, sanitized(t, "h200", 64, kernel(plain, true)))
	}
}

// A flag set by an atomic after a fence hands over what was stored before; without
// the fence, or without one on the other side, it does not, nor what other lanes of
// the warps have to do with it, unless a SyncWarp stands between.
func TestFlagsWithFences(t *testing.T) {
	const synced = true
	kernel := func(release, acquire bool, sync ...bool) warp.Kernel {
		between := func(w *warp.Warp, i int) {
			if len(sync) == 0 || sync[i] {
				w.SyncWarp(w.Active())
			}
		}
		return func(w *warp.Warp) {
			s, flag := warp.Shared[int32](w, 32), warp.Shared[int32](w, 1)
			zero, one := element(w, func(int) int { return 0 }), element(w, func(int) int { return 1 })
			v, p := warp.Alloc[int32](w), w.Pred()
			warp.SetPred(p, lane.Bit(0))
			if w.ID() == 0 {
				w.Where(p, func() { warp.Store(flag, zero, zero) })
			}
			w.SyncBlock()
			if w.ID() == 0 {
				warp.Store(s, w.LaneID(), w.LaneID())
				if release {
					w.Fence()
				}
				between(w, 0)
				w.Where(p, func() { warp.AtomicReduce(warp.AtomicExchange, flag, zero, one) })
				return
			}
			for v.Lanes()[0] == 0 {
				w.Where(p, func() { warp.Atomic(warp.AtomicAdd, v, flag, zero, zero) })
			}
			if acquire {
				w.Fence()
			}
			between(w, 1)
			warp.Load(v, s, element(w, func(l int) int { return 31 - l }))
		}
	}
	require.Empty(t, sanitized(t, "h200", 64, kernel(true, true)))
	require.Equal(t, map[warp.FaultKind]int{warp.SharedRace: 1}, sanitized(t, "h200", 64, kernel(false, true)))
	require.Equal(t, map[warp.FaultKind]int{warp.SharedRace: 1}, sanitized(t, "h200", 64, kernel(true, false)))
	require.Equal(t, map[warp.FaultKind]int{warp.SharedRace: 1}, sanitized(t, "h200", 64, kernel(true, true, !synced, synced)))
	require.Equal(t, map[warp.FaultKind]int{warp.SharedRace: 1}, sanitized(t, "h200", 64, kernel(true, true, synced, !synced)))
}

// What a warp barrier of some lanes orders, and what not.
func TestPartialWarpBarriers(t *testing.T) {
	kernel := func(mask lane.Mask) warp.Kernel {
		return func(w *warp.Warp) {
			s := warp.Shared[int32](w, 32)
			v := warp.Alloc[int32](w)
			warp.Store(s, w.LaneID(), w.LaneID())
			w.Under(mask, func() { w.SyncWarp(mask) })
			w.Under(lane.FirstN(16), func() { warp.Load(v, s, element(w, func(l int) int { return l ^ 1 })) })
		}
	}
	require.Empty(t, sanitized(t, "h200", 32, kernel(lane.FirstN(16))))
	require.Empty(t, sanitized(t, "h200", 32, kernel(lane.FirstN(20))))
	require.Equal(t, map[warp.FaultKind]int{warp.SharedRace: 1}, sanitized(t, "h200", 32, kernel(lane.FirstN(15))))
	require.Equal(t, map[warp.FaultKind]int{warp.SharedRace: 1}, sanitized(t, "h200", 32, kernel(lane.Range(16, 32))))
}

// A collective between two accesses orders execution, not memory: a warning on
// devices whose lanes run apart.
func TestCollectivesOrderExecution(t *testing.T) {
	severity := func(device string, collective bool) warp.Severity {
		e := engine(t, device, warp.Config{ValuesOnly: true, Faults: warp.Collect, Sanitize: true})
		r, err := e.Run(context.Background(), one(e.Device().Lanes), func(w *warp.Warp) {
			s := warp.Shared[int32](w, w.Width())
			v := warp.Alloc[int32](w)
			warp.Store(s, w.LaneID(), w.LaneID())
			if collective {
				warp.ShflXor(v, w.LaneID(), 1)
			}
			warp.Load(v, s, element(w, func(l int) int { return l ^ 1 }))
		})
		require.NoError(t, err)
		require.Len(t, r.Faults, 1)
		require.Equal(t, warp.SharedRace, r.Faults[0].Kind)
		return r.Faults[0].Severity
	}
	require.Equal(t, warp.SeverityError, severity("h200", false))
	require.Equal(t, warp.SeverityWarning, severity("h200", true))
	require.Equal(t, warp.SeverityWarning, severity("mi300x", false))
}

// Which lane wins is undefined in lockstep too.
func TestStoresOfOneInstruction(t *testing.T) {
	for _, device := range []string{"h200", "mi300x"} {
		kernel := func(v func(l int) int) warp.Kernel {
			return func(w *warp.Warp) {
				warp.Store(warp.Shared[int32](w, 1), element(w, func(int) int { return 0 }), element(w, v))
			}
		}
		n := map[string]int{"h200": 32, "mi300x": 64}[device]
		require.Equal(t, map[warp.FaultKind]int{warp.SharedRace: 1}, sanitized(t, device, n, kernel(func(l int) int { return l })))
		require.Equal(t, map[warp.FaultKind]int{warp.BenignRace: 1}, sanitized(t, device, n, kernel(func(int) int { return 3 })))
	}
}

// Shared memory that nobody has written is undefined, in each block anew, and
// free of blame until it is used.
func TestUnsetSharedMemory(t *testing.T) {
	e := engine(t, "h200", warp.Config{ValuesOnly: true, Faults: warp.Collect, Sanitize: true, Workers: 1})
	out := global(t, e, make([]int32, 32))
	r, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(3), Threads: warp.X(32)}, func(w *warp.Warp) {
		s := warp.Shared[int32](w, 32)
		v := warp.Alloc[int32](w)
		warp.Load(v, s, w.LaneID())
		if got, want := v.Undefined(), w.Active(); got != want {
			t.Errorf("block %d: %s are undefined", w.BlockIndex(), got)
		}
		if w.BlockIndex() == 2 {
			warp.Store(out, w.LaneID(), v)
		}
		warp.Store(s, w.LaneID(), w.LaneID())
		warp.Load(v, s, w.LaneID())
		if !v.Undefined().Empty() {
			t.Errorf("block %d: written, and yet undefined", w.BlockIndex())
		}
	})
	require.NoError(t, err)
	require.Len(t, r.Faults, 2)
	require.Equal(t, warp.UninitializedShared, r.Faults[0].Kind)
	require.Equal(t, 3, r.Faults[0].Count)
	require.Equal(t, warp.SeverityWarning, r.Faults[0].Severity)
	require.Equal(t, warp.UndefinedUse, r.Faults[1].Kind)

	// An atomic makes undefined values of it that stay: an error.
	e = engine(t, "h200", warp.Config{ValuesOnly: true, Sanitize: true})
	_, err = e.Run(context.Background(), one(32), func(w *warp.Warp) {
		warp.AtomicReduce(warp.AtomicAdd, warp.Shared[int32](w, 32), w.LaneID(), w.LaneID())
	})
	require.ErrorIs(t, err, warp.UninitializedShared)
}

// A warm engine allocates nothing for watching memory, and watches blocks of one
// kernel after those of another.
func TestSanitizerWhenWarm(t *testing.T) {
	e := engine(t, "h200", warp.Config{ValuesOnly: true, Sanitize: true, Workers: 1})
	in := global(t, e, make([]int32, 1<<14))
	run := func(n, rounds int) func() {
		kernel := func(w *warp.Warp) {
			s := warp.Shared[int32](w, n)
			v, other := warp.Alloc[int32](w), warp.Alloc[int32](w)
			warp.XorImm(other, w.ThreadID(), 33)
			for i := range rounds {
				warp.Load(v, in.At(i*64), w.ThreadID())
				warp.Store(s, w.ThreadID(), v)
				w.SyncBlock()
				warp.Load(v, s, other)
				warp.Atomic(warp.AtomicAdd, v, in.At(1<<13), other, v)
				w.SyncBlock()
			}
		}
		return func() {
			if _, err := e.Run(context.Background(), one(64), kernel); err != nil {
				t.Error(err)
			}
		}
	}
	few, many := run(64, 1), run(64, 100)
	many()
	// Two, for what the runtime allocates of its own now and then.
	require.InDelta(t, testing.AllocsPerRun(20, few), testing.AllocsPerRun(20, many), 2, "100 rounds allocate no more than 1")
	run(96, 3)()
	many()
}

// MaskBits tells which lanes it drops.
func TestMaskBits(t *testing.T) {
	e := engine(t, "mi300x", warp.Config{ValuesOnly: true, Faults: warp.Collect})
	r, err := e.Run(context.Background(), one(64), func(w *warp.Warp) {
		m, b, d := w.MaskReg(), warp.Alloc[uint64](w), warp.Alloc[uint8](w)
		warp.SetMask(m, lane.Bits(0x8000_0000_0000_0185))
		warp.MaskBits(b, m)
		warp.MaskBits(d, m)
		if b.Lanes()[7] != 0x8000_0000_0000_0185 || d.Lanes()[63] != 0x85 {
			t.Errorf("%x %x", b.Lanes()[7], d.Lanes()[63])
		}
	})
	require.NoError(t, err)
	require.Len(t, r.Faults, 1)
	require.Equal(t, warp.BallotTruncated, r.Faults[0].Kind)
	require.Equal(t, lane.FirstN(64), r.Faults[0].Lanes)
	require.Equal(t, lane.Bits(0x8000_0000_0000_0100), r.Faults[0].Missing)
	require.Equal(t, warp.SeverityWarning, r.Faults[0].Severity)
}

// What is found does not depend on how many processors a grid has.
func TestSanitizedGridsAreTheSameOnAnyNumberOfProcessors(t *testing.T) {
	run := func(workers int) []warp.Fault {
		e := engine(t, "h200", warp.Config{ValuesOnly: true, Faults: warp.Collect, Sanitize: true, Sites: true, Workers: workers})
		out := global(t, e, make([]int32, 300*64))
		r, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(300), Threads: warp.X(64)}, func(w *warp.Warp) {
			s := warp.Shared[int32](w, 64)
			v, other := warp.Alloc[int32](w), warp.Alloc[int32](w)
			warp.XorImm(other, w.ThreadID(), int32(w.BlockIndex()%3*31))
			warp.Load(v, s, w.ThreadID())
			warp.Store(s, w.ThreadID(), w.GlobalID())
			warp.Load(v, s, other)
			warp.Store(out, w.GlobalID(), v)
			if w.BlockIndex()%7 == 0 {
				warp.Store(out.At(w.BlockIndex()*64), other, v)
			}
		})
		require.NoError(t, err)
		return r.Faults
	}
	want := run(1)
	require.NotEmpty(t, want)
	for _, workers := range []int{2, 5} {
		require.Equal(t, want, run(workers))
	}
}
