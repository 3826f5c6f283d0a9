package warp_test

import (
	"context"
	"testing"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/warp"
	"github.com/stretchr/testify/require"
)

// With faults off a run does what it does under Mimic, and says nothing but what
// ends it.
func TestFaultsOff(t *testing.T) {
	kernel := func(w *warp.Warp, out warp.Mem[int32]) {
		v := warp.Alloc[int32](w)
		w.If(lower(w), func() {
			warp.Shfl(v, w.LaneID(), warp.Shuffle{Mode: crossbar.Up, Operand: 40, Width: 24})
			warp.ShflDown(v, w.LaneID(), 8)
			warp.Store(out, w.LaneID(), v)
		})
	}
	results := map[warp.FaultMode][]int32{}
	for _, mode := range []warp.FaultMode{warp.Mimic, warp.Off} {
		e := engine(t, "h200", warp.Config{ValuesOnly: true, Faults: mode})
		out := global(t, e, make([]int32, 32))
		r, err := e.Run(context.Background(), one(32), func(w *warp.Warp) { kernel(w, out) })
		require.NoError(t, err)
		require.Equal(t, mode == warp.Off, len(r.Faults) == 0)
		results[mode] = out.Data()
	}
	require.Equal(t, results[warp.Mimic], results[warp.Off])
	e := engine(t, "h200", warp.Config{ValuesOnly: true, Faults: warp.Off})
	out := global(t, e, make([]int32, 31))
	r, err := e.Run(context.Background(), one(32), func(w *warp.Warp) { warp.Store(out, w.LaneID(), w.LaneID()) })
	require.ErrorIs(t, err, warp.OutOfBounds)
	require.Len(t, r.Faults, 1)
	_, err = warp.New(warp.Config{Device: e.Device(), Faults: warp.Off + 1})
	require.Error(t, err)
}
