package warp_test

import (
	"context"
	"encoding/json"
	"testing"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"github.com/stretchr/testify/require"
)

func boundOf(t *testing.T, blocks, threads int, kernel func(e *warp.Engine) warp.Kernel) warp.Bound {
	t.Helper()
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	e, err := warp.New(warp.Config{Device: p})
	require.NoError(t, err)
	r, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(blocks), Threads: warp.X(threads)}, kernel(e))
	require.NoError(t, err)
	var back warp.Report
	text, err := json.Marshal(r)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &back))
	require.Equal(t, r.Bound(), back.Bound())
	return r.Bound()
}

// TestBoundOfContendedWord: all blocks add a float to element 5 of the second array.
func TestBoundOfContendedWord(t *testing.T) {
	b := boundOf(t, 6000, 32, func(e *warp.Engine) warp.Kernel {
		_, err := warp.Global(e, make([]int32, 100))
		require.NoError(t, err)
		sum, err := warp.Global(e, make([]float32, 100))
		require.NoError(t, err)
		return func(w *warp.Warp) {
			x, at := warp.Alloc[float32](w), warp.Alloc[int32](w)
			warp.Set(x, 1)
			warp.Set(at, 5)
			warp.AtomicReduce(warp.AtomicAdd, sum, at, x)
		}
	})
	require.Equal(t, "atomics on one word", b.What)
	require.Equal(t, "element 5 of array 1, a []float32", b.Detail)
	require.Greater(t, b.Share, 0.9)
	require.LessOrEqual(t, b.Share, 1.0)
}

// TestBoundOfArithmetic: many warps that only add are bound by issuing, or by the pipe
// that adds; one warp alone by the latency of what it waits for.
func TestBoundOfArithmetic(t *testing.T) {
	if testing.Short() {
		t.Skip("millions of instructions")
	}
	sums := func(*warp.Engine) warp.Kernel {
		return func(w *warp.Warp) {
			x := warp.Alloc[float32](w)
			warp.Set(x, 1)
			for range 2000 {
				warp.Add(x, x, x)
			}
		}
	}
	b := boundOf(t, 264, 1024, sums)
	require.Contains(t, []string{"issue", "pipe fma"}, b.What)
	require.Greater(t, b.Share, 0.9)
	b = boundOf(t, 1, 32, sums)
	require.Equal(t, "latency", b.What)
	require.Contains(t, b.Detail, "dependency takes")
	require.Contains(t, b.Detail, "with 1 warps a multiprocessor")
}

// TestBoundOfCopy: a long copy is bound by a level of the memory.
func TestBoundOfCopy(t *testing.T) {
	if testing.Short() {
		t.Skip("millions of instructions")
	}
	const n = 1 << 21
	b := boundOf(t, n/1024, 1024, func(e *warp.Engine) warp.Kernel {
		from, err := warp.Global(e, make([]float32, n))
		require.NoError(t, err)
		to, err := warp.Global(e, make([]float32, n))
		require.NoError(t, err)
		return func(w *warp.Warp) {
			x := warp.Alloc[float32](w)
			warp.Load(x, from, w.GlobalID())
			warp.Store(to, w.GlobalID(), x)
		}
	})
	require.Contains(t, []string{"the ways to L2", "the ways back from L2", "L2 bandwidth", "DRAM bandwidth"}, b.What)
}

// TestBoundOfOneBlock: one block of many works a hundred times as long.
func TestBoundOfOneBlock(t *testing.T) {
	b := boundOf(t, 132, 32, func(*warp.Engine) warp.Kernel {
		return func(w *warp.Warp) {
			x := warp.Alloc[float32](w)
			warp.Set(x, 1)
			n := 100
			if w.BlockIndex() == 77 {
				n = 10000
			}
			for range n {
				warp.Add(x, x, x)
			}
		}
	})
	require.Equal(t, "one straggling block", b.What)
	require.Equal(t, "block 77", b.Detail)
}
