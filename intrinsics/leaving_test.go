package intrinsics_test

import (
	"context"
	"testing"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"github.com/stretchr/testify/require"
)

// The worst severity of a barrier that not all threads come to, "" if nothing is said.
func barrierFault(t *testing.T, name string, threads int, k func(t *intrinsics.Thread, a *intrinsics.Array[int32])) string {
	t.Helper()
	e := engine(t, name, warp.Config{ValuesOnly: true, Faults: warp.Collect, Sanitize: true})
	a, err := intrinsics.Global(e, make([]int32, 4*threads))
	require.NoError(t, err)
	r, err := intrinsics.Launch(context.Background(), e, warp.X(1), warp.X(threads), func(t *intrinsics.Thread) {
		k(t, a)
	})
	require.NoError(t, err)
	worst := ""
	for _, f := range r.Faults {
		if f.Kind == warp.BarrierDivergent && (worst == "" || f.Severity == warp.SeverityError) {
			worst = f.Severity.String()
		}
	}
	return worst
}

// A barrier in a branch that not all threads take is undefined everywhere, whatever
// the others did before and whether something comes behind it or not; one that some
// threads never came to because they had returned is defined where the barrier does
// not count them.
func TestBarrierInABranchAndEarlyReturn(t *testing.T) {
	readsCode(t)
	type thread = intrinsics.Thread
	type array = *intrinsics.Array[int32]
	helper := func(t *thread, a array, n int) {
		if t.ThreadRank() >= n {
			return
		}
		intrinsics.SyncThreads(t)
	}
	for what, c := range map[string]struct {
		early bool
		k     func(n int) func(t *thread, a array)
	}{
		"branch": {false, func(n int) func(t *thread, a array) {
			return func(t *thread, a array) {
				if t.ThreadRank() < n {
					intrinsics.SyncThreads(t)
				}
			}
		}},
		"branch after work": {false, func(n int) func(t *thread, a array) {
			return func(t *thread, a array) {
				a.Store(t, t.ThreadRank(), 1)
				if t.ThreadRank() < n {
					intrinsics.SyncThreads(t)
				}
			}
		}},
		"branch with work behind": {false, func(n int) func(t *thread, a array) {
			return func(t *thread, a array) {
				a.Store(t, t.ThreadRank(), 1)
				if t.ThreadRank() < n {
					intrinsics.SyncThreads(t)
				}
				a.Store(t, t.ThreadRank(), 2)
			}
		}},
		"work on the other side": {false, func(n int) func(t *thread, a array) {
			return func(t *thread, a array) {
				if t.ThreadRank() >= n {
					a.Store(t, t.ThreadRank(), 1)
				} else {
					intrinsics.SyncThreads(t)
				}
			}
		}},
		"loop with unequal turns": {false, func(n int) func(t *thread, a array) {
			return func(t *thread, a array) {
				turns := 2
				if t.ThreadRank() < n {
					turns = 4
				}
				for i := 0; i < turns; i++ {
					a.Store(t, t.ThreadRank(), int32(i))
					intrinsics.SyncThreads(t)
				}
			}
		}},
		"return of a function that the kernel calls": {false, func(n int) func(t *thread, a array) {
			return func(t *thread, a array) {
				a.Store(t, t.ThreadRank(), 1)
				helper(t, a, n)
			}
		}},
		"return at once": {true, func(n int) func(t *thread, a array) {
			return func(t *thread, a array) {
				if t.ThreadRank() >= n {
					return
				}
				intrinsics.SyncThreads(t)
				a.Store(t, t.ThreadRank(), 1)
			}
		}},
		"return after work": {true, func(n int) func(t *thread, a array) {
			return func(t *thread, a array) {
				v := a.Load(t, t.ThreadRank())
				if t.ThreadRank() >= n {
					a.Store(t, t.ThreadRank(), v+1)
					return
				}
				intrinsics.SyncThreads(t)
				a.Store(t, t.ThreadRank(), 1)
			}
		}},
		"return between two barriers": {true, func(n int) func(t *thread, a array) {
			return func(t *thread, a array) {
				intrinsics.SyncThreads(t)
				if t.ThreadRank() >= n {
					return
				}
				intrinsics.SyncThreads(t)
			}
		}},
		"return out of a loop that ends": {true, func(n int) func(t *thread, a array) {
			return func(t *thread, a array) {
				for i := range 4 {
					a.Store(t, t.ThreadRank(), int32(i))
					intrinsics.SyncThreads(t)
					if i == 1 && t.ThreadRank() >= n {
						return
					}
				}
			}
		}},
		"return out of an endless loop": {true, func(n int) func(t *thread, a array) {
			return func(t *thread, a array) {
				for i := 0; ; i++ {
					a.Store(t, t.ThreadRank(), int32(i))
					intrinsics.SyncThreads(t)
					if i == 3 || i == 1 && t.ThreadRank() >= n {
						return
					}
				}
			}
		}},
	} {
		for _, name := range []string{"h200", "mi300x"} {
			e := engine(t, name, warp.Config{})
			lanes := e.Device().Lanes
			for _, warps := range []int{2, 5} { // of many, some have gone on to their end when the last come through
				for part, n := range map[string]int{"part of a warp": (warps-1)*lanes + lanes/4, "a whole warp": (warps - 1) * lanes, "parts of all": lanes / 4} {
					want := "error"
					if c.early && e.Device().Rules.BarrierExited == device.ExitedIgnored {
						want = "lint"
					}
					require.Equal(t, want, barrierFault(t, name, warps*lanes, c.k(n)), "%s, %s of %d on %s", what, part, warps, name)
				}
			}
			require.Empty(t, barrierFault(t, name, 2*lanes, c.k(2*lanes)), "%s, all threads on %s", what, name)
		}
	}
}
