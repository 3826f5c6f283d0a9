package warp_test

import (
	"context"
	"runtime"
	"testing"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// eventful is a kernel with one of each: a load, lanes that part and meet, a barrier, and
// a read of a lane that does not take part.
func eventful(t *testing.T, e *warp.Engine) warp.Kernel {
	data := global(t, e, make([]int32, 1024))
	return func(w *warp.Warp) {
		v, p := warp.Alloc[int32](w), w.Pred()
		warp.Load(v, data, w.LaneID())
		warp.LtImm(p, w.LaneID(), 7)
		for range 3 {
			w.If(p, func() { warp.ShflIdx(v, v, 20) })
		}
		w.SyncBlock()
	}
}

// Several observers are told at once of what happens in time, with the block's number in
// the grid, and of faults as they are noted.
func TestObserversOfEvents(t *testing.T) {
	type key struct {
		block, warp int
		kind        timing.EventKind
	}
	counts := map[key]int{}
	var faults []warp.Fault
	ended, events := 0, 0
	first := &warp.Observer{Event: func(e *timing.Event) {
		counts[key{e.Block, e.Warp, e.Kind}]++
		assert.Less(t, e.Multiprocessor, 132)
	}}
	second := &warp.Observer{Event: func(*timing.Event) { events++ }, Ended: func(warp.EndEvent) { ended++ }}
	third := &warp.Observer{Fault: func(f *warp.Fault) { faults = append(faults, *f) }}
	e := engine(t, "h200", warp.Config{Faults: warp.Collect, Observer: warp.Observers(first, nil, second, third)})
	r, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(3), Threads: warp.X(64)}, eventful(t, e))
	require.NoError(t, err)
	sum := 0
	for block := range 3 {
		for w := range 2 {
			for kind, n := range map[timing.EventKind]int{timing.Completed: 1, timing.Diverged: 3, timing.Reconverged: 3, timing.Arrived: 1, timing.Released: 1} {
				require.Equal(t, n, counts[key{block, w, kind}], "block %d warp %d: %s", block, w, kind)
				sum += n
			}
		}
	}
	require.Equal(t, sum, events)
	require.Equal(t, 1, ended)
	require.Len(t, r.Faults, 1)
	require.Equal(t, 3*2*3, r.Faults[0].Count)
	require.Len(t, faults, 3, "one a block, those alike are counted only")
	for i, f := range faults {
		require.Equal(t, warp.ReadInactive, f.Kind)
		require.Equal(t, i, f.Block)
		require.Equal(t, r.Faults[0].Site, f.Site)
	}
	require.Nil(t, warp.Observers())
	require.Nil(t, warp.Observers(nil, nil))
	require.Same(t, first, warp.Observers(nil, first))
}

// An observer of faults that does not return ends the run, in every way in which faults
// are found.
func TestObserverOfFaultsFails(t *testing.T) {
	for name, end := range map[string]func(){"panic": func() { panic("broken") }, "Goexit": runtime.Goexit} {
		for what, kernel := range map[string]warp.Kernel{
			"fault": func(w *warp.Warp) {
				v := warp.Alloc[int32](w)
				warp.ShflIdx(v, w.LaneID(), 99)
			},
			"deadlock": func(w *warp.Warp) { w.Barrier(1+w.ID(), 64) },
			"panic":    func(w *warp.Warp) { panic("kernel") },
		} {
			e := engine(t, "h200", warp.Config{Faults: warp.Collect, Observer: &warp.Observer{Fault: func(*warp.Fault) { end() }}})
			_, err := e.Run(context.Background(), one(64), kernel)
			require.Error(t, err, "%s %s", name, what)
			if what == "fault" {
				var wrong *warp.ConfigError
				require.ErrorAs(t, err, &wrong, name)
				require.Equal(t, "Config.Observer.Fault", wrong.Field)
			}
			r, err := e.Run(context.Background(), one(64), func(w *warp.Warp) { w.Work(isa.IAdd, 3) })
			require.NoError(t, err, "the engine is still good")
			require.EqualValues(t, 6, r.Instructions)
		}
	}
}
