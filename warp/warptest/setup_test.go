package warptest_test

import (
	"context"
	"testing"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"github.com/stretchr/testify/require"
)

// The profiles of the reported cases: NVIDIA since Volta and before, AMD with 32
// and 64 lanes, Moore Threads with 128.
var profiles = []string{"nv", "nvp", "amd32", "amd64", "mu128"}

// profile returns the device of one of them, or a built-in one.
func profile(t testing.TB, name string) *device.Profile {
	t.Helper()
	base := map[string]string{"nv": "h200", "nvp": "h200", "amd32": "mi300x", "amd64": "mi300x", "mu128": "mtt-s4000"}[name]
	if base == "" {
		base = name
	}
	p, err := device.Lookup(base)
	require.NoError(t, err)
	switch name {
	case "nvp":
		p = p.Clone()
		p.Name = name
		p.Rules.Participation, p.Rules.IndependentThreads = device.ByLockstep, false
	case "amd32":
		p = p.Clone()
		p.Name, p.Lanes = name, 32
	}
	return p
}

// watched is an engine that collects faults with the sanitizer on.
func watched(t testing.TB, name string) *warp.Engine {
	t.Helper()
	e, err := warp.New(warp.Config{Device: profile(t, name), Faults: warp.Collect, ValuesOnly: true, Sanitize: true, Sites: true})
	require.NoError(t, err)
	return e
}

// plain is an engine that collects faults without the sanitizer.
func plain(t testing.TB, name string) *warp.Engine {
	t.Helper()
	e, err := warp.New(warp.Config{Device: profile(t, name), Faults: warp.Collect, ValuesOnly: true})
	require.NoError(t, err)
	return e
}

// wide runs a wide kernel in one block and returns what it puts into an array of
// one element a thread.
func wide[T any](t testing.TB, name string, threads int, k func(w *warp.Warp, out warp.Mem[T])) ([]T, *warp.Report) {
	t.Helper()
	out, r, err := tryWide(t, name, threads, k)
	require.NoError(t, err)
	return out, r
}

func tryWide[T any](t testing.TB, name string, threads int, k func(w *warp.Warp, out warp.Mem[T])) ([]T, *warp.Report, error) {
	t.Helper()
	e := watched(t, name)
	out, err := warp.Global(e, make([]T, threads))
	require.NoError(t, err)
	r, err := e.Run(context.Background(), block(threads), func(w *warp.Warp) { k(w, out) })
	return out.Data(), r, err
}

func block(threads int) warp.Launch {
	return warp.Launch{Blocks: warp.X(1), Threads: warp.X(threads)}
}

// perLane runs a kernel of single threads in one block and returns what it gives
// in each.
func perLane[T any](t testing.TB, name string, threads int, k func(t *intrinsics.Thread) T) ([]T, *warp.Report, error) {
	t.Helper()
	out := make([]T, threads)
	r, err := intrinsics.Launch(context.Background(), watched(t, name), warp.X(1), warp.X(threads), func(x *intrinsics.Thread) {
		out[x.ThreadRank()] = k(x)
	})
	return out, r, err
}

// want is a diagnosis: a kind, the lanes it must name (none: any), and how often
// it must come (0: any).
type want struct {
	kind  warp.FaultKind
	lanes lane.Mask
	count int
}

// diagnosed requires that a report has just the faults given, in any order.
func diagnosed(t testing.TB, r *warp.Report, wants ...want) {
	t.Helper()
	left := append([]want(nil), wants...)
next:
	for i := range r.Faults {
		f := &r.Faults[i]
		for j, w := range left {
			if f.Kind == w.kind && (w.lanes.Empty() || f.Lanes == w.lanes) && (w.count == 0 || f.Count == w.count) {
				left = append(left[:j], left[j+1:]...)
				continue next
			}
		}
		require.Failf(t, "a fault that was not wanted", "%s\nwanted: %v", f.Error(), wants)
	}
	require.Empty(t, left, "faults that did not come")
}

// only is diagnosed for kinds alone, each with any number of reports.
func only(t testing.TB, r *warp.Report, kinds ...warp.FaultKind) {
	t.Helper()
	have := map[warp.FaultKind]bool{}
	for i := range r.Faults {
		have[r.Faults[i].Kind] = true
		require.Contains(t, kinds, r.Faults[i].Kind, r.Faults[i].Error())
	}
	for _, k := range kinds {
		require.True(t, have[k], "no fault %v", k)
	}
}

// by returns n values by a function of their number.
func by[T any](n int, f func(l int) T) []T {
	out := make([]T, n)
	for l := range out {
		out[l] = f(l)
	}
	return out
}

func same[T any](n int, v T) []T { return by(n, func(int) T { return v }) }

// series continues a pattern over n values, each repetition higher by step.
func series(n int, step int32, pattern ...int32) []int32 {
	return by(n, func(l int) int32 { return pattern[l%len(pattern)] + int32(l/len(pattern))*step })
}

func bits(from, to int) lane.Mask { return lane.Range(from, to+1) }

// when returns a predicate that holds in the lanes of a set.
func when(w *warp.Warp, f func(l int) bool) warp.Pred {
	p := w.Pred()
	m := lane.Mask{}
	for l := range w.Width() {
		if f(l) {
			m = m.With(l)
		}
	}
	warp.SetPred(p, m)
	return p
}
