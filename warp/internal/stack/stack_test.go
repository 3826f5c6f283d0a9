package stack_test

import (
	"runtime"
	"testing"

	"example.com/warpsim/warp/internal/stack"
	"github.com/stretchr/testify/require"
)

// What is found is what the runtime finds, inlined functions and wrappers aside.
func TestCallersAreThoseOfTheRuntime(t *testing.T) {
	var have, want []string
	deeper(3, func() { have, want = both() })
	const known = 8 // both, the function, deeper four times, this test, its runner
	require.Contains(t, have[1], "TestCallersAreThoseOfTheRuntime.func")
	require.Equal(t, "testing.tRunner", have[known-1])
	require.Equal(t, want[:known], have[:known])
}

// both is the caller, so that the list begins with the function that calls it.
//
//go:noinline
func both() (have, want []string) {
	var pcs [stack.Depth]uintptr
	n := fill(&pcs)
	all := make([]uintptr, stack.Depth)
	all = all[:runtime.Callers(1, all)]
	return names(pcs[:n]), names(all)
}

//go:noinline
func fill(pcs *[stack.Depth]uintptr) int { return stack.Callers(pcs) }

//go:noinline
func deeper(n int, f func()) {
	if n > 0 {
		deeper(n-1, f)
		return
	}
	f()
}

func names(pcs []uintptr) (names []string) {
	frames := runtime.CallersFrames(pcs)
	for {
		f, more := frames.Next()
		names = append(names, f.Function)
		if !more {
			return names
		}
	}
}

// A deep stack is cut.
func TestCallersAreCut(t *testing.T) {
	deeper(40, func() {
		var pcs [stack.Depth]uintptr
		require.Equal(t, stack.Depth, fill(&pcs))
	})
}

func BenchmarkCallers(b *testing.B) {
	deeper(20, func() {
		var pcs [stack.Depth]uintptr
		for b.Loop() {
			fill(&pcs)
		}
	})
}
