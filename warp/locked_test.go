package warp_test

import (
	"context"
	"runtime"
	"testing"

	"example.com/warpsim/warp"
	"github.com/stretchr/testify/require"
)

// A kernel that locks its coroutine to a thread of the system is told so.
func TestLockOSThread(t *testing.T) {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("cannot be seen")
	}
	for name, kernel := range map[string]warp.Kernel{
		"at a barrier": func(w *warp.Warp) {
			runtime.LockOSThread()
			w.SyncBlock()
		},
		"at the end": func(w *warp.Warp) { runtime.LockOSThread() },
		"in one warp": func(w *warp.Warp) {
			if w.ID() == 1 {
				runtime.LockOSThread()
			}
			w.SyncBlock()
		},
	} {
		for _, threads := range []int{32, 96} {
			if name == "in one warp" && threads == 32 {
				continue
			}
			e := engine(t, "h200", warp.Config{})
			_, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(300), Threads: warp.X(threads)}, kernel)
			require.ErrorIs(t, err, warp.KernelPanic, name)
			require.ErrorContains(t, err, "LockOSThread", name)
			require.ErrorContains(t, err, "locked_test.go", name)
			_, err = e.Run(context.Background(), one(threads), func(w *warp.Warp) { w.SyncBlock() })
			require.NoError(t, err)
		}
	}
}
