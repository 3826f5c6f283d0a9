package intrinsics_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"github.com/stretchr/testify/require"
)

// A spin that nobody can end is named: who spins, where, on which word, and who
// could end it.
func TestEndless(t *testing.T) {
	readsCode(t)
	for name, c := range map[string]struct {
		devices []string
		threads int
		kernel  func(t *thread, flag *intrinsics.Array[int32])
		lanes   lane.Mask
		text    []string
	}{
		"flag that nobody sets": {[]string{"h200", "mi300x", "mtt-s4000"}, 1, func(t *thread, flag *intrinsics.Array[int32]) {
			for flag.LoadVolatile(t, 1) == 0 {
			}
		}, lane.Bit(0), []string{"lanes 0 of warp 0 spin at", "element 1", "Load"}},
		"lock behind the loop": {[]string{"pascal", "mi300x"}, 4, func(t *thread, lock *intrinsics.Array[int32]) {
			for intrinsics.AtomicCAS(t, lock, 0, 0, 1) != 0 {
			}
			intrinsics.AtomicAdd(t, lock, 1, 1)
			intrinsics.AtomicExch(t, lock, 0, 0)
		}, lane.Range(1, 4), []string{"lanes 1-3 of warp 0 spin at", "element 0", "AtomicCAS", "lanes 0, which could end it, wait behind them at AtomicAdd"}},
		"lock that is never free": {[]string{"h200", "mi300x"}, 32, func(t *thread, lock *intrinsics.Array[int32]) {
			for intrinsics.AtomicExch(t, lock, 0, 1) != 0 {
			}
		}, lane.Range(1, 32), []string{"lanes 1-31 of warp 0 spin at", "AtomicExch"}},
	} {
		for _, d := range c.devices {
			t.Run(name+"/"+d, func(t *testing.T) {
				e := engine(t, d, values)
				words, err := intrinsics.Global(e, make([]int32, 2))
				require.NoError(t, err)
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				defer cancel()
				_, err = intrinsics.Launch(ctx, e, warp.X(1), warp.X(c.threads), func(t *thread) { c.kernel(t, words) })
				require.ErrorIs(t, err, warp.Endless)
				var f *warp.Fault
				require.True(t, errors.As(err, &f))
				require.Equal(t, c.lanes, f.Lanes)
				for _, text := range c.text {
					require.Contains(t, f.Detail, text)
				}
				require.Contains(t, f.Site.File, "spin_test.go")
			})
		}
	}
}

// Who waits long is not taken to spin: another warp computes for long before it
// sets the flag, or a loop counts and gives up.
func TestLongWait(t *testing.T) {
	for _, d := range []string{"h200", "mi300x"} {
		e := engine(t, d, values)
		n := e.Device().Lanes
		flag, err := intrinsics.Global(e, make([]int32, 2))
		require.NoError(t, err)
		_, err = intrinsics.Launch(context.Background(), e, warp.X(1), warp.X(2*n), func(t *thread) {
			switch t.ThreadRank() {
			case 0:
				for flag.LoadVolatile(t, 0) == 0 {
				}
			case n:
				for range 100_000 {
					intrinsics.Any(t, true)
				}
				intrinsics.AtomicExch(t, flag, 0, 1)
			}
		})
		require.NoError(t, err)
		_, err = intrinsics.Launch(context.Background(), e, warp.X(1), warp.X(1), func(t *thread) {
			for range 100_000 {
				if flag.LoadVolatile(t, 1) != 0 {
					break
				}
			}
		})
		require.NoError(t, err)
	}
}

// No warp issues more instructions than the configuration allows.
func TestMaxInstructions(t *testing.T) {
	for _, most := range []int64{1, 100, 4096, 10_000} {
		e := engine(t, "h200", warp.Config{ValuesOnly: true, MaxInstructions: most})
		kernel := func(n int64) func(t *thread) int {
			return func(t *thread) int {
				for range n {
					intrinsics.Any(t, true)
				}
				return 0
			}
		}
		_, r, err := try(e, 64, kernel(most))
		require.NoError(t, err)
		require.Equal(t, 2*most, r.Instructions)
		_, _, err = try(e, 64, kernel(most+1))
		require.ErrorIs(t, err, warp.Endless)
	}
	_, err := warp.New(warp.Config{Device: profile(t, "h200"), MaxInstructions: -1})
	var bad *warp.ConfigError
	require.ErrorAs(t, err, &bad)
}
