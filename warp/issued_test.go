package warp_test

import (
	"context"
	"testing"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An observer of time is told of every instruction of every block with the cycle
// in which it is issued, also in launches that the engine could recall.
func TestObserverOfTime(t *testing.T) {
	type place struct{ block, warp int }
	var events []timing.Issue
	e := engine(t, "h200", warp.Config{Resident: 2, Observer: &warp.Observer{Issued: func(i *timing.Issue) { events = append(events, *i) }}})
	kernel := func(w *warp.Warp) {
		x := warp.Alloc[int32](w)
		warp.Set(x, 1)
		for range 3 {
			warp.ShflDown(x, x, 1)
		}
		w.SyncBlock()
		warp.Set(x, 2)
	}
	for range 2 {
		events = nil
		blocks := 3 * e.Device().Limits.Multiprocessors // groups of two, several to a multiprocessor
		r, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(blocks), Threads: warp.X(64)}, kernel)
		require.NoError(t, err)
		require.Equal(t, r.Instructions, int64(len(events)))
		next := map[place]int64{}
		var waits timing.Cycles
		for _, i := range events {
			p := place{i.Block, i.Warp}
			require.Equal(t, next[p], i.Index, "in the order of the program")
			next[p]++
			waits.Add(&i.Waits)
		}
		assert.Len(t, next, 2*blocks)
		assert.Equal(t, timing.Cycle(r.Instructions), waits[timing.Issued])
		for why := timing.Control; why < timing.Drained; why++ {
			assert.Equal(t, r.Time.Cycles[why], waits[why], "%s", why)
		}
		// The chain of shuffles of block 0: each waits for the one before.
		var at []timing.Cycle
		for _, i := range events {
			if i.Block == 0 && i.Warp == 0 && i.Instr.Op == isa.ShflDown {
				at = append(at, i.Cycle)
			}
		}
		require.Len(t, at, 3)
		assert.Equal(t, timing.Cycle(e.Device().Timing.Ops["shfl.down"].Latency), at[2]-at[1])
	}

	e = engine(t, "h200", warp.Config{ValuesOnly: true, Observer: &warp.Observer{Issued: func(*timing.Issue) { t.Error("there is no time") }}})
	_, err := e.Run(context.Background(), one(64), kernel)
	require.NoError(t, err)
}
