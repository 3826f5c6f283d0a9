package warptest_test

import (
	"context"
	"fmt"
	"testing"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/warptest"
	"github.com/stretchr/testify/require"
)

type thread = intrinsics.Thread

// Lanes that a full mask names: gone, or parked at a barrier.
func TestMaskNamesExitedOrParkedLanes(t *testing.T) {
	kernel := func(data int, leave, narrow bool) func(t *thread) int {
		return func(t *thread) int {
			x, id := t.ThreadRank(), t.ThreadRank()
			switch {
			case id < data && narrow:
				x = intrinsics.ShflXorSync(t, lane.Range(t.Lane()&^1, t.Lane()&^1+2), x, 1)
			case id < data:
				x = intrinsics.ShflXorSync(t, intrinsics.FullMask, x, 1)
			case leave:
				return -1
			}
			if !leave {
				intrinsics.SyncThreads(t)
			}
			return x
		}
	}
	for _, c := range []struct{ threads, data, warp int }{{200, 196, 6}, {384, 360, 11}} {
		// The case has a lint for (a), that the mask names lanes which never
		// arrive. A vote wants the same mask clean, and so it is: the language
		// does not count lanes that have exited.
		got, r, err := perLane(t, "nv", c.threads, kernel(c.data, true, false))
		require.NoError(t, err)
		diagnosed(t, r)
		require.Equal(t, by(c.data, func(l int) int { return l ^ 1 }), got[:c.data])
		_, r, err = perLane(t, "nv", c.threads, kernel(c.data, false, false))
		require.ErrorIs(t, err, warp.Deadlock)
		var f *warp.Fault
		require.ErrorAs(t, err, &f)
		require.Equal(t, c.warp, f.Warp)
		require.Contains(t, f.Detail, "ShflXorSync (memory_cases_test.go:")
		require.Contains(t, f.Detail, "at SyncThreads (memory_cases_test.go:")
		require.NotEmpty(t, r.Faults)
		require.Regexp(t, fmt.Sprintf(`warps 0-%d wait at barrier 0 \(memory_cases_test.go:\d+\)`, c.warp-1), f.Detail)
		for _, leave := range []bool{true, false} {
			_, r, err = perLane(t, "nv", c.threads, kernel(c.data, leave, true))
			require.NoError(t, err)
			diagnosed(t, r)
		}
	}
	half := func(mask uint32, width int) ([]int, *warp.Report, error) {
		return perLane(t, "nv", 32, func(t *thread) int {
			x := t.Lane()
			if t.Lane() < 16 {
				for _, d := range []int{1, 2, 4, 8} {
					x += intrinsics.ShflDownSync(t, mask, x, d, width)
				}
			}
			intrinsics.SyncThreads(t)
			return x
		})
	}
	_, _, err := half(intrinsics.FullMask, 32)
	require.ErrorIs(t, err, warp.Deadlock)
	got, r, err := half(0xffff, 32)
	require.NoError(t, err)
	require.Equal(t, 120, got[0])
	// The lanes that read beyond the mask, all steps together, and what Go got of that.
	diagnosed(t, r, want{warp.ReadInactive, bits(8, 15), 4}, want{warp.UndefinedUse, bits(8, 15), 4})
	got, r, err = half(0xffff, 16)
	require.NoError(t, err)
	require.Equal(t, 120, got[0])
	diagnosed(t, r)
}

// A barrier in a branch.
func TestBarrierInABranch(t *testing.T) {
	swap := func(hoisted bool) func(w *warp.Warp, out warp.Mem[int32]) {
		return func(w *warp.Warp, out warp.Mem[int32]) {
			s := warp.Shared[int32](w, 64)
			a, at := warp.Alloc[int32](w), warp.Alloc[int32](w)
			id := w.ThreadID()
			even := when(w, func(l int) bool { return l%2 == 0 })
			warp.XorImm(at, id, 1)
			warp.Store(s, id, id)
			load := func() { warp.Load(a, s, id) }
			store := func() { warp.Store(s, at, a) }
			if hoisted {
				w.If(even, load)
				w.SyncBlock()
				w.If(even, store)
			} else {
				w.If(even, func() {
					load()
					w.SyncBlock()
					store()
				})
			}
			w.SyncBlock()
			warp.Load(a, s, id)
			warp.Store(out, id, a)
		}
	}
	for _, name := range []string{"nv", "nvp", "amd64"} {
		n := profile(t, name).Lanes
		evens := lane.Mask{}
		for l := 0; l < n; l += 2 {
			evens = evens.With(l)
		}
		_, r := wide(t, name, n, swap(false))
		diagnosed(t, r, want{warp.BarrierDivergent, evens, 1})
		require.Equal(t, warp.SeverityError, r.Faults[0].Severity)
		require.Contains(t, r.Faults[0].Detail, "of the warp are elsewhere")
		got, r := wide(t, name, n, swap(true))
		diagnosed(t, r)
		require.Equal(t, by(n, func(l int) int32 { return int32(l &^ 1) }), got, name)
	}
	// By lane, the odd lanes run to the end of the kernel before the barrier.
	// On NV the barrier goes on without them, and it is an error all the same.
	kernel := func(t *thread) int {
		if t.ThreadRank()%2 == 0 {
			intrinsics.SyncThreads(t)
		}
		return 0
	}
	_, r, err := perLane(t, "nv", 32, kernel)
	require.NoError(t, err)
	diagnosed(t, r, want{warp.BarrierDivergent, lane.Bits(0x55555555), 1})
	require.Equal(t, warp.SeverityError, r.Faults[0].Severity)
	require.Contains(t, r.Faults[0].Detail, "lanes 1,3,5,7")
	// Lanes that return before it are a lint where the device allows that.
	_, r, err = perLane(t, "nv", 32, func(t *thread) int {
		intrinsics.Shared[int32](t, 32).Store(t, t.Lane(), 1)
		if t.Lane()%2 == 0 {
			return 0
		}
		intrinsics.SyncThreads(t)
		return 0
	})
	require.NoError(t, err)
	diagnosed(t, r, want{warp.BarrierDivergent, lane.Bits(0xaaaaaaaa), 1})
	require.Equal(t, lane.Bits(0x55555555), r.Faults[0].Missing)
	require.Equal(t, warp.SeverityLint, r.Faults[0].Severity)
	// With work before and after, no sanitizer, and a part of a warp.
	for _, name := range []string{"nv", "amd64", "mtt-s4000"} {
		e := plain(t, name)
		n := 2 * e.Device().Lanes
		r, err := intrinsics.Launch(context.Background(), e, warp.X(1), warp.X(n), func(t *thread) {
			s := intrinsics.Shared[int32](t, n)
			s.Store(t, t.ThreadRank(), 1)
			if t.ThreadRank() < n-24 {
				intrinsics.SyncThreads(t)
			}
			s.Store(t, t.ThreadRank(), 2)
		})
		require.NoError(t, err)
		require.NotEmpty(t, r.Faults, name)
		require.Equal(t, warp.BarrierDivergent, r.Faults[0].Kind)
		require.Equal(t, warp.SeverityError, r.Faults[0].Severity)
	}
	_, r, err = perLane(t, "amd64", 64, kernel)
	require.NoError(t, err)
	only(t, r, warp.BarrierDivergent)
	require.Equal(t, warp.SeverityError, r.Faults[0].Severity)
	// 384 threads: 4 of 12 warps arrive, 128 threads, and 256 do not.
	for _, name := range []string{"nv", "amd32"} {
		_, r = wide(t, name, 384, func(w *warp.Warp, out warp.Mem[int32]) {
			if w.ID() < 4 {
				w.SyncBlock()
			}
		})
		only(t, r, warp.BarrierDivergent)
		require.Equal(t, warp.SeverityError, r.Faults[0].Severity)
		require.Contains(t, r.Faults[0].Detail, "8 of the 12 warps")
	}
}

// Warps that wait for each other in the two sides of a branch come through on every
// device, and are undefined in every language. Numbered barriers are for that.
func TestBarriersOfBothSides(t *testing.T) {
	for _, name := range profiles {
		n := 4 * profile(t, name).Lanes
		sides := func(first, second func(t *thread)) *warp.Report {
			_, r, err := perLane(t, name, n, func(t *thread) int {
				if t.WarpID() < 2 {
					first(t)
				} else {
					second(t)
				}
				intrinsics.SyncThreads(t)
				return 0
			})
			require.NoError(t, err)
			return r
		}
		sync := func(t *thread) { intrinsics.SyncThreads(t) }
		r := sides(sync, sync)
		diagnosed(t, r)
		r = sides(sync, func(t *thread) { intrinsics.SyncThreads(t) })
		diagnosed(t, r, want{warp.BarrierDivergent, lane.FirstN(n / 4), 2})
		require.Equal(t, warp.SeverityError, r.Faults[0].Severity)
		require.Regexp(t, `warp 0 waits at the barrier of memory_cases_test.go:\d+, this warp comes to that of memory_cases_test.go:\d+`, r.Faults[0].Detail)
		require.Contains(t, r.Faults[0].Advice, "BarrierSync is for")
		r = sides(sync, func(t *thread) { intrinsics.SyncThreadsOr(t, true) })
		diagnosed(t, r, want{kind: warp.BarrierDivergent})
		if profile(t, name).Limits.NamedBarriers > 1 {
			diagnosed(t, sides(func(t *thread) { intrinsics.BarrierSync(t, 1, n) }, func(t *thread) { intrinsics.BarrierSync(t, 1, n) }))
		}

		_, r = wide(t, name, n, func(w *warp.Warp, out warp.Mem[int32]) {
			if w.ID() == 0 {
				w.SyncBlock()
			} else {
				w.SyncBlock()
			}
			for range 3 {
				w.SyncBlock()
			}
		})
		diagnosed(t, r, want{warp.BarrierDivergent, lane.FirstN(n / 4), 3})
	}
}

// Barriers with a predicate, and barriers at two places.
func TestBarriersThatCountAndAtTwoSites(t *testing.T) {
	for _, name := range []string{"nv", "amd64"} {
		for n, count := range map[int]int32{64: 22, 100: 34} {
			got, r := wide(t, name, n, func(w *warp.Warp, out warp.Mem[int32]) {
				c := warp.Alloc[int32](w)
				and, or, all := w.Pred(), w.Pred(), w.Pred()
				third := when(w, func(l int) bool { return (w.ID()*w.Width()+l)%3 == 0 })
				warp.SyncCount(c, third)
				warp.SyncAnd(and, third)
				warp.SyncOr(or, third)
				if !and.Mask().Empty() || or.Mask() != w.Active() {
					t.Errorf("%s %d threads: and %s, or %s", name, n, and.Mask(), or.Mask())
				}
				warp.SyncAnd(all, when(w, func(int) bool { return true }))
				if all.Mask() != w.Active() {
					t.Errorf("%s %d threads: lanes that do not exist make and false", name, n)
				}
				warp.Store(out, w.ThreadID(), c)
			})
			diagnosed(t, r)
			require.Equal(t, same(n, count), got)
		}
	}
	// Any value but 0 counts once.
	got, r := wide(t, "nv", 64, func(w *warp.Warp, out warp.Mem[int32]) {
		v, p := warp.Alloc[int32](w), w.Pred()
		warp.SetLanes(v, func(l int) int32 { return []int32{2, -1, 0x100, 0}[l%4] })
		warp.NeImm(p, v, 0)
		warp.SyncCount(v, p)
		warp.Store(out, w.ThreadID(), v)
	})
	diagnosed(t, r)
	require.Equal(t, same(64, int32(48)), got)

	_, r, err := perLane(t, "nv", 64, func(t *thread) int {
		if t.ThreadRank() == 0 {
			return intrinsics.SyncThreadsCount(t, true)
		} else {
			return intrinsics.SyncThreadsCount(t, true)
		}
	})
	require.NoError(t, err)
	diagnosed(t, r, want{kind: warp.BarrierDivergent})
	require.Regexp(t, `at the barrier of memory_cases_test.go:\d+, others at that of memory_cases_test.go:\d+`, r.Faults[0].Detail)
	turns, r, err := perLane(t, "nv", 64, func(t *thread) int {
		n := 0
		for i := 0; intrinsics.SyncThreadsOr(t, i < 3); i++ {
			if t.ThreadRank()%2 == 0 {
				continue
			}
			n++
		}
		return n
	})
	require.NoError(t, err)
	diagnosed(t, r)
	require.Equal(t, by(64, func(l int) int { return l % 2 * 3 }), turns)
}

// lastWarp is the tree of the last 32 threads in shared memory, in the forms that
// people write.
func lastWarp(sync, guard bool) func(t *thread) int32 {
	return func(t *thread) int32 {
		s := intrinsics.Shared[int32](t, 96)
		l := t.ThreadRank()
		for i := l; i < 96; i += 32 {
			s.Store(t, i, int32(i%64)*int32(1-i/64))
		}
		wait := func() {
			if t.Lockstep() {
				intrinsics.WaveBarrier(t)
			} else {
				intrinsics.SyncWarp(t, t.AllLanes())
			}
		}
		wait()
		for st := 32; st > 0; st /= 2 {
			if !guard || l < st {
				s.Store(t, l, s.Load(t, l)+s.Load(t, l+st))
			}
			if sync {
				wait()
			}
		}
		if l == 0 {
			return s.Load(t, 0)
		}
		return 0
	}
}

// A tree in shared memory that relies on lockstep.
func TestTreeThatReliesOnLockstep(t *testing.T) {
	wideTree := func(w *warp.Warp, out warp.Mem[int32]) {
		s := warp.Shared[int32](w, 96)
		x, y := warp.Alloc[int32](w), warp.Alloc[int32](w)
		id := w.LaneID()
		warp.SetLanes(y, func(int) int32 { return 0 })
		for i := 0; i < 96; i += w.Width() {
			warp.SetLanes(x, func(l int) int32 { return int32((i + l) % 64 * (1 - (i+l)/64)) })
			w.Where(when(w, func(l int) bool { return i+l < 96 }), func() { warp.Store(s.At(i), id, x) })
		}
		w.SyncWarp(w.Active())
		w.Where(when(w, func(l int) bool { return l < 32 }), func() {
			for st := 32; st > 0; st /= 2 {
				warp.Load(x, s, id)
				warp.Load(y, s.At(st), id)
				warp.Add(x, x, y)
				warp.Store(s, id, x)
			}
		})
		w.SyncWarp(w.Active())
		w.Where(when(w, func(l int) bool { return l == 0 }), func() {
			warp.Load(x, s, id)
			warp.Store(out, id, x)
		})
	}
	for _, name := range []string{"nv", "nvp", "amd64"} {
		got, r := wide(t, name, profile(t, name).Lanes, wideTree)
		require.Equal(t, int32(2016), got[0], name)
		severity := warp.SeverityWarning
		if name == "nv" {
			severity = warp.SeverityError
		}
		require.Contains(t, warptest.Kinds(r), warp.SharedRace)
		for i := range r.Faults {
			f := &r.Faults[i]
			// Of the lanes that add and store what they had, the end of each
			// step makes a benign race as well.
			require.Contains(t, []warp.FaultKind{warp.SharedRace, warp.BenignRace}, f.Kind)
			if f.Kind == warp.SharedRace {
				require.Equal(t, severity, f.Severity, name)
				require.Contains(t, f.Detail, "memory_cases_test.go:", "the other line is named too")
			}
		}
	}
	// By lane: racing, although the schedule of this library gives the sum.
	got, r, err := perLane(t, "nv", 32, lastWarp(false, false))
	require.NoError(t, err)
	require.Equal(t, int32(2016), got[0])
	require.Contains(t, warptest.Kinds(r), warp.SharedRace)

	sums := func(k func(t *thread) int32) map[int32]bool {
		seen := map[int32]bool{}
		for seed := uint64(0); seed < 200; seed++ {
			e, err := warp.New(warp.Config{Device: profile(t, "nv"), ValuesOnly: true, Faults: warp.Collect, Seed: seed})
			require.NoError(t, err)
			v, _, err := launch(32, k)(context.Background(), e)
			require.NoError(t, err)
			seen[v.([]int32)[0]] = true
		}
		return seen
	}
	d, err := warptest.Find(context.Background(), warptest.Exploration{Config: warp.Config{Device: profile(t, "nv")}}, launch(32, lastWarp(false, false)))
	require.NoError(t, err)
	require.Regexp(t, `block 0 warp 0: lanes \d+ at memory_cases_test.go:\d+\n`, d.String(), "the lanes' order is shown")
	racing := sums(lastWarp(false, false))
	require.True(t, racing[2016])
	require.True(t, racing[63], "lane 0 runs all steps first")
	// SyncWarp between the steps is not enough where all lanes take each step.
	got, r, err = perLane(t, "nv", 32, lastWarp(true, false))
	require.NoError(t, err)
	require.Equal(t, int32(2016), got[0])
	require.Contains(t, warptest.Kinds(r), warp.SharedRace)
	half := sums(lastWarp(true, false))
	require.True(t, half[2016], "lanes in ascending order")
	require.True(t, half[233480], "lanes in descending order")
	// With a guard it is right in any order, on any device.
	require.Equal(t, map[int32]bool{2016: true}, sums(lastWarp(true, true)))
	for _, name := range []string{"nv", "nvp", "amd32"} {
		got, r, err = perLane(t, name, 32, lastWarp(true, true))
		require.NoError(t, err)
		require.Equal(t, int32(2016), got[0])
		diagnosed(t, r)
	}
}

// Barriers order shared memory, whoever branches before them: no false alarm.
func TestBarrierOrdersSharedMemory(t *testing.T) {
	first := func(t *thread) [3]int32 {
		s := intrinsics.Shared[int32](t, 3)
		s.Store(t, t.ThreadRank(), -999)
		intrinsics.SyncThreads(t)
		if t.ThreadRank() != 0 {
			return [3]int32{}
		}
		return [3]int32{s.Load(t, 0), s.Load(t, 1), s.Load(t, 2)}
	}
	second := func(t *thread) [2]int32 {
		p := intrinsics.Shared[int32](t, 2)
		id := t.ThreadRank()
		if id < 14 {
			t.Work(isa.IAdd, 1)
		}
		if id == 1 {
			p.Store(t, 0, 112211)
		}
		intrinsics.SyncThreads(t)
		if id == 17 {
			p.Store(t, 1, p.Load(t, 0))
			return [2]int32{p.Load(t, 0), p.Load(t, 1)}
		}
		return [2]int32{}
	}
	for _, name := range profiles {
		a, r, err := perLane(t, name, 3, first)
		require.NoError(t, err)
		diagnosed(t, r)
		require.Equal(t, [3]int32{-999, -999, -999}, a[0])
		b, r, err := perLane(t, name, 20, second)
		require.NoError(t, err)
		diagnosed(t, r)
		require.Equal(t, [2]int32{112211, 112211}, b[17])
		x := warptest.Exploration{Config: warp.Config{Device: profile(t, name), Sanitize: true}}
		warptest.Explore(t, x, launch(3, first))
		warptest.Explore(t, x, launch(20, second))
	}
}

// Bank conflicts of shared memory.
func TestBankConflictsByStride(t *testing.T) {
	passes := func(at func(l int) int32) int64 {
		_, r := wide(t, "nv", 32, func(w *warp.Warp, out warp.Mem[int32]) {
			s := warp.Shared[int32](w, 32*65)
			i := warp.Alloc[int32](w)
			warp.SetLanes(i, at)
			warp.Store(s, i, w.LaneID())
		})
		return 1 + r.ConflictPasses
	}
	for stride, ways := range map[int32]int64{1: 1, 2: 2, 3: 1, 4: 4, 8: 8, 16: 16, 17: 1, 31: 1, 32: 32, 33: 1, 64: 32, 65: 1} {
		require.Equal(t, ways, passes(func(l int) int32 { return int32(l) * stride }), "stride %d", stride)
	}
	require.Equal(t, int64(1), passes(func(int) int32 { return 5 }), "a broadcast")
	require.Equal(t, int64(1), passes(func(l int) int32 { return int32(l / 2) }), "pairs that share a word")
	// The store of a matrix product: thread t to row t/2, columns from (t%2)*4,
	// one after the other.
	for pitch, c := range map[int32]struct {
		ways  int64
		banks int
	}{128: {2, 16}, 130: {2, 24}, 132: {1, 32}} {
		at := func(l int) int32 { return int32(l%2)*4*pitch + int32(l/2) }
		banks := map[int32]bool{}
		for l := range 32 {
			banks[at(l)%32] = true
		}
		require.Len(t, banks, c.banks, "pitch %d", pitch)
		require.Equal(t, c.ways, passes(at), "pitch %d", pitch)
	}
}
