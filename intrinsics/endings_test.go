package intrinsics_test

import (
	"runtime"
	"testing"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
	"github.com/stretchr/testify/require"
)

// What a kernel defers ends nothing but its thread, when the run ends by another
// one's panic.
func TestDeferredGoexit(t *testing.T) {
	returned := false
	done := make(chan struct{})
	go func() {
		defer close(done)
		e := engine(t, "h200", values)
		_, _, err := try(e, 32, func(t *thread) int {
			if t.Lane() == 3 {
				panic("broken")
			}
			defer runtime.Goexit()
			intrinsics.BallotSync(t, full, true)
			return 0
		})
		returned = err != nil
	}()
	<-done
	require.True(t, returned)
}

// A thread that is kept says what it is.
func TestKeptThread(t *testing.T) {
	var kept *thread
	run(t, engine(t, "h200", values), 32, func(t *thread) int {
		kept = t
		return 0
	})
	defer func() {
		f, ok := recover().(*warp.Fault)
		require.True(t, ok)
		require.Equal(t, warp.WrongWarp, f.Kind)
	}()
	intrinsics.Any(kept, true)
}

// A thread is its own lane's alone, and only computations can be booked.
func TestStrayThread(t *testing.T) {
	for name, c := range map[string]struct {
		kind   warp.FaultKind
		detail string
		misuse func(own, other *thread)
	}{
		"asked by another lane":  {warp.WrongWarp, "lane 1 ", func(_, other *thread) { intrinsics.BallotSync(other, full, true) }},
		"booked by another lane": {warp.WrongWarp, "lane 1 ", func(_, other *thread) { other.Work(isa.IAdd, 1) }},
		"unknown operation":      {warp.BadInstruction, "op(250)", func(own, _ *thread) { own.Work(250, 1) }},
		"no computation":         {warp.BadInstruction, isa.ShflIdx.String(), func(own, _ *thread) { own.Work(isa.ShflIdx, 1) }},
	} {
		for _, d := range []string{"h200", "mi300x"} {
			t.Run(name+"/"+d, func(t *testing.T) {
				var threads [64]*thread
				_, r, err := try(engine(t, d, values), 64, func(t *thread) int {
					threads[t.ThreadRank()] = t
					intrinsics.SyncThreads(t)
					if t.ThreadRank() == 3 {
						c.misuse(t, threads[1])
					}
					intrinsics.SyncThreads(t)
					return 0
				})
				require.ErrorIs(t, err, c.kind)
				f := fault(t, r, c.kind)
				require.Contains(t, f.Detail, c.detail)
				require.Contains(t, f.Site.String(), "endings_test.go")
			})
		}
	}
}

// A kernel that locks its coroutine to a thread of the system is told so, where it
// calls the library next or where it begins; Go would end the program.
func TestLockOSThread(t *testing.T) {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("cannot be seen")
	}
	for name, kernel := range map[string]func(t *thread) int{
		"before a call": func(t *thread) int {
			runtime.LockOSThread()
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			return intrinsics.ShflXorSync(t, t.AllLanes(), 1, 1)
		},
		"in one lane": func(t *thread) int {
			if t.Lane() == 5 {
				runtime.LockOSThread()
			}
			intrinsics.SyncThreads(t)
			return 0
		},
		"at the end": func(t *thread) int {
			runtime.LockOSThread()
			return 0
		},
		"and a panic": func(t *thread) int {
			runtime.LockOSThread()
			panic("LockOSThread")
		},
	} {
		for _, d := range []string{"h200", "mi300x", "mtt-s4000"} {
			e := engine(t, d, values)
			_, r, err := try(e, 2*e.Device().Lanes, kernel)
			require.ErrorIs(t, err, warp.KernelPanic, name)
			require.ErrorContains(t, err, "LockOSThread", name)
			require.Contains(t, r.Faults[0].Site.File, "_test.go", name)
			require.Equal(t, same(e.Device().Lanes, 1), run(t, e, e.Device().Lanes, func(t *thread) int {
				return intrinsics.ShflXorSync(t, t.AllLanes(), 1, 1) // the engine goes on
			}))
		}
	}
	// What is unlocked again harms nobody.
	run(t, engine(t, "h200", values), 64, func(t *thread) int {
		runtime.LockOSThread()
		runtime.UnlockOSThread()
		intrinsics.SyncThreads(t)
		return 0
	})
}
