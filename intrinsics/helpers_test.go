package intrinsics_test

import (
	"context"
	"runtime"
	"testing"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"github.com/stretchr/testify/require"
)

type thread = intrinsics.Thread

// full is the mask that kernels for 32 lanes pass.
const full = intrinsics.FullMask

// engine returns an engine for a device: a built-in one by name, "hip32" for
// HIP's rules on 32 lanes, "pascal" for CUDA's before Volta.
func engine(t testing.TB, name string, c warp.Config) *warp.Engine {
	t.Helper()
	c.Device = profile(t, name)
	e, err := warp.New(c)
	require.NoError(t, err)
	return e
}

// readsCode skips a test where kernels' machine code is not read, so that plain
// loops and endless ones are not known (see the package's document).
func readsCode(t testing.TB) {
	t.Helper()
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("loops are read from machine code of amd64 and arm64 only")
	}
}

func profile(t testing.TB, name string) *device.Profile {
	t.Helper()
	base := map[string]string{"hip32": "mi300x", "pascal": "h200"}[name]
	if base == "" {
		base = name
	}
	p, err := device.Lookup(base)
	require.NoError(t, err)
	switch name {
	case "hip32":
		p = p.Clone()
		p.Name, p.Lanes = name, 32
	case "pascal":
		p = p.Clone()
		p.Name = name
		p.Rules.Participation, p.Rules.IndependentThreads = device.ByLockstep, false
	}
	return p
}

// run runs a kernel in one block and returns what it gives in each thread.
func run[T any](t testing.TB, e *warp.Engine, threads int, kernel func(t *thread) T) []T {
	t.Helper()
	out, _, err := try(e, threads, kernel)
	require.NoError(t, err)
	return out
}

// try is run for kernels that make mistakes.
func try[T any](e *warp.Engine, threads int, kernel func(t *thread) T) ([]T, *warp.Report, error) {
	out := make([]T, threads)
	r, err := intrinsics.Launch(context.Background(), e, warp.X(1), warp.X(threads), func(t *thread) {
		out[t.ThreadRank()] = kernel(t)
	})
	return out, r, err
}

// values is the configuration of tests that do not look at cycles.
var values = warp.Config{ValuesOnly: true}

// collecting goes on after faults.
var collecting = warp.Config{ValuesOnly: true, Faults: warp.Collect}

// fault returns the first fault of a kind in a report.
func fault(t testing.TB, r *warp.Report, kind warp.FaultKind) warp.Fault {
	t.Helper()
	for _, f := range r.Faults {
		if f.Kind == kind {
			return f
		}
	}
	require.Failf(t, "no such fault", "%v in %v", kind, r.Faults)
	return warp.Fault{}
}

// only requires that a report has faults of the kinds given, and no others.
func only(t testing.TB, r *warp.Report, kinds ...warp.FaultKind) {
	t.Helper()
	have := map[warp.FaultKind]bool{}
	for _, f := range r.Faults {
		have[f.Kind] = true
		require.Contains(t, kinds, f.Kind, f.Error())
	}
	for _, k := range kinds {
		require.True(t, have[k], "no fault: %v", k)
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

// same returns n equal values.
func same[T any](n int, v T) []T { return by(n, func(int) T { return v }) }

// repeat continues a pattern over n values, each repetition higher by step.
func repeat(n, step int, pattern ...int) []int {
	return by(n, func(l int) int { return pattern[l%len(pattern)] + l/len(pattern)*step })
}

// ramp returns the sum of 0 to n-1.
func ramp(n int) int { return n * (n - 1) / 2 }

func lanes(from, to int) lane.Mask { return lane.Range(from, to+1) }
