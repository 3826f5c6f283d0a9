package view_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/warpsim/reduce"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/view"
)

// sumDown adds the lanes of a warp, as the textbook does: the values of all lanes are
// their numbers.
func sumDown(w *warp.Warp) {
	v, t := warp.Alloc[int32](w), warp.Alloc[int32](w)
	warp.Mov(v, w.LaneID())
	for offset := w.Width() / 2; offset > 0; offset /= 2 {
		warp.ShflDown(t, v, offset)
		warp.Add(v, v, t)
	}
}

// record runs a kernel on a device and returns what happened.
func record(t testing.TB, dev string, l warp.Launch, o view.Options, k func(e *warp.Engine) warp.Kernel) *view.Recording {
	t.Helper()
	p, err := device.Lookup(dev)
	require.NoError(t, err)
	r, err := view.Record(warp.Config{Device: p}, o, func(e *warp.Engine) error {
		_, err := e.Run(context.Background(), l, k(e))
		return err
	})
	require.NoError(t, err)
	return r
}

// block is a launch of one block.
func block(threads int) warp.Launch {
	return warp.Launch{Blocks: warp.X(1), Threads: warp.X(threads)}
}

// hybrid is the reduction of 256 threads by shuffles and shared memory.
func hybrid(t testing.TB, dev string, o view.Options) *view.Recording {
	return record(t, dev, block(256), o, func(e *warp.Engine) warp.Kernel {
		in, err := warp.Global(e, make([]float32, 256))
		require.NoError(t, err)
		return func(w *warp.Warp) {
			v := warp.Alloc[float32](w)
			warp.Load(v, in, w.GlobalID())
			reduce.BlockHybrid(v, reduce.Sum[float32](), reduce.Tile{}, reduce.NewHybridStorage[float32](w))
		}
	})
}

// transpose writes columns of a tile of shared memory and reads rows: every store wants
// one bank.
func transpose(t testing.TB, dev string) *view.Recording {
	return record(t, dev, block(256), view.Options{}, func(*warp.Engine) warp.Kernel {
		return func(w *warp.Warp) {
			tile := warp.Shared[int32](w, w.Width()*w.BlockWarps())
			at := warp.Alloc[int32](w)
			warp.MulImm(at, w.LaneID(), int32(w.BlockWarps()))
			warp.AddImm(at, at, int32(w.ID()))
			warp.Store(tile, at, w.LaneID())
			w.SyncBlock()
			warp.Load(at, tile, w.ThreadID())
		}
	})
}
