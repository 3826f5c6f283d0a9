package intrinsics

import (
	"context"
	"runtime"
	"testing"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"github.com/stretchr/testify/require"
)

// The path of a call is what the runtime says it is: the same calls of the
// kernel, in the same order.
func TestFramePath(t *testing.T) {
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	e, err := warp.New(warp.Config{Device: p})
	require.NoError(t, err)
	var places []*place
	var hashes []uint64
	var callers [][]warp.Site
	note := func(t *Thread) {
		var pcs [maxDepth]uintptr
		places = append(places, resolve(pcs[:here(t, &pcs)], t.base))
		hashes = append(hashes, hashHere(t))
		n := runtime.Callers(2, pcs[:])
		frames := runtime.CallersFrames(pcs[:n])
		var sites []warp.Site
		for {
			f, more := frames.Next()
			if f.File == places[0].site().File {
				sites = append([]warp.Site{{File: f.File, Func: f.Function}}, sites...)
			}
			if !more {
				break
			}
		}
		callers = append(callers, sites)
	}
	_, err = Launch(context.Background(), e, warp.X(1), warp.X(1), func(t *Thread) {
		note(t)
		inner := func() { note(t) }
		for range 2 {
			inner()
		}
		deeper(t, 3, note)
	})
	require.NoError(t, err)
	require.Len(t, places, 4)
	for i, p := range places {
		var have []warp.Site
		for _, c := range p.calls {
			have = append(have, warp.Site{File: c.file, Func: c.fn})
		}
		// The call of note itself has gone on since; the functions are the same.
		require.Equal(t, callers[i], have[:len(have)-1], "call %d", i)
	}
	require.Equal(t, hashes[1], hashes[2], "one call in a loop")
	require.NotEqual(t, hashes[0], hashes[1])
	require.NotEqual(t, hashes[1], hashes[3])
	require.Len(t, places[3].calls, len(places[0].calls)+4)
}

//go:noinline
func here(t *Thread, pcs *[maxDepth]uintptr) int { return framePath(t.base, pcs) }

//go:noinline
func hashHere(t *Thread) uint64 { return pathHash(t.base) }

//go:noinline
func deeper(t *Thread, n int, f func(*Thread)) {
	if n > 0 {
		deeper(t, n-1, f)
		return
	}
	f(t)
}
