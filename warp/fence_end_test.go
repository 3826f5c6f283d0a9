package warp_test

import (
	"context"
	"testing"
	"time"

	"example.com/warpsim/warp"
	"github.com/stretchr/testify/require"
)

// A warp whose last instruction is a fence ends when its stores are through.
func TestFenceAtTheEnd(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, blocks := range []int{1, 500} {
		cycles := func(kernel func(w *warp.Warp, m warp.Mem[int32])) int64 {
			e := engine(t, "h200", warp.Config{})
			m, err := warp.Global(e, make([]int32, 64*blocks))
			require.NoError(t, err)
			r, err := e.Run(ctx, warp.Launch{Blocks: warp.X(blocks), Threads: warp.X(64)}, func(w *warp.Warp) { kernel(w, m) })
			require.NoError(t, err)
			return int64(r.Cycles)
		}
		store := func(w *warp.Warp, m warp.Mem[int32]) { warp.Store(m, w.GlobalID(), w.ThreadID()) }
		behind := cycles(func(w *warp.Warp, m warp.Mem[int32]) { store(w, m); w.Fence() })
		between := cycles(func(w *warp.Warp, m warp.Mem[int32]) { store(w, m); w.Fence(); w.Jump() })
		require.LessOrEqual(t, behind, between)
		require.Greater(t, behind, between-20, "but for a branch")
	}
}
