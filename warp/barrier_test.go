package warp_test

import (
	"context"
	"fmt"
	"testing"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The reductions of a block barrier over 1 to 1024 threads, whose last warp may
// be partial: lanes that do not exist count for nothing.
func TestBarrierReductions(t *testing.T) {
	predicates := map[string]func(thread int) bool{
		"every third": func(i int) bool { return i%3 == 0 },
		"none":        func(int) bool { return false },
		"all":         func(int) bool { return true },
		"the last":    func(i int) bool { return i == 99 },
		"not one":     func(i int) bool { return i != 63 },
	}
	for _, name := range []string{"h200", "mi300x", "mtt-s4000"} {
		e := engine(t, name, warp.Config{})
		for _, threads := range []int{1, 20, 64, 100, 129, 1000, 1024} {
			count, and, or := map[string]int{}, map[string]bool{}, map[string]bool{}
			for name, p := range predicates {
				and[name] = true
				for i := range threads {
					if p(i) {
						count[name]++
						or[name] = true
					} else {
						and[name] = false
					}
				}
			}
			_, err := e.Run(context.Background(), one(threads), func(w *warp.Warp) {
				c, p, r := warp.Alloc[int32](w), w.Pred(), w.Pred()
				for _, name := range []string{"every third", "none", "all", "the last", "not one"} {
					m := lane.Mask{}
					for l := range w.Live().Lanes() {
						if predicates[name](w.ID()*w.Width() + l) {
							m = m.With(l)
						}
					}
					warp.SetPred(p, m)
					warp.SyncCount(c, p)
					for l := range w.Live().Lanes() {
						if int(c.Lanes()[l]) != count[name] {
							t.Errorf("%d threads, %s: count %d, want %d", threads, name, c.Lanes()[l], count[name])
						}
					}
					holds := func(what string, want bool) {
						mask := lane.Mask{}
						if want {
							mask = w.Live()
						}
						if r.Mask() != mask || !r.Undefined().And(w.Live()).Empty() {
							t.Errorf("%d threads, %s: %s gives %s, want %v", threads, name, what, r.Mask(), want)
						}
					}
					warp.SyncAnd(r, p)
					holds("and", and[name])
					warp.SyncOr(r, p)
					holds("or", or[name])
				}
			})
			require.NoError(t, err)
		}
	}
}

// A barrier orders the warps of a block: nobody reads before everybody has
// written, turn after turn.
func TestBarrierOrdersWarps(t *testing.T) {
	e := engine(t, "h200", warp.Config{})
	_, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(3), Threads: warp.X(256)}, func(w *warp.Warp) {
		s := warp.Shared[int32](w, 256)
		v, at := warp.Alloc[int32](w), warp.Alloc[int32](w)
		for turn := range int32(20) {
			warp.AddImm(v, w.ThreadID(), turn*1000)
			warp.Store(s, w.ThreadID(), v)
			w.SyncBlock()
			warp.AddImm(at, w.ThreadID(), 32*(turn%8))
			warp.AndImm(at, at, 255)
			warp.Load(v, s, at)
			for l, got := range v.Lanes() {
				if want := at.Lanes()[l] + turn*1000; got != want {
					t.Errorf("turn %d, thread %d: %d, want %d", turn, w.ID()*32+l, got, want)
				}
			}
			w.SyncBlock()
		}
	})
	require.NoError(t, err)
}

// Producers arrive and consumers wait, at barriers of their own, as often as
// they like.
func TestNamedBarriers(t *testing.T) {
	e := engine(t, "h200", warp.Config{})
	const turns = 30
	_, err := e.Run(context.Background(), one(4*32), func(w *warp.Warp) {
		s := warp.Shared[int32](w, 64)
		full, empty := 1+w.ID()%2, 3+w.ID()%2 // warps 0 and 2, and 1 and 3, talk to each other
		v, at := warp.Alloc[int32](w), warp.Alloc[int32](w)
		warp.AddImm(at, w.LaneID(), int32(w.ID()%2*32))
		for turn := range int32(turns) {
			if w.ID() < 2 {
				if turn > 0 {
					w.Barrier(empty, 64)
				}
				warp.AddImm(v, at, turn*100)
				warp.Store(s, at, v)
				w.Arrive(full, 64)
			} else {
				w.Barrier(full, 64)
				warp.Load(v, s, at)
				for l, got := range v.Lanes() {
					if want := at.Lanes()[l] + turn*100; got != want {
						t.Errorf("turn %d, warp %d, lane %d: %d, want %d", turn, w.ID(), l, got, want)
					}
				}
				if turn < turns-1 {
					w.Arrive(empty, 64)
				}
			}
		}
	})
	require.NoError(t, err)
}

// Where the device does not wait for exited threads, lanes and warps that have
// left are not missed.
func TestBarrierWithoutTheExited(t *testing.T) {
	e := engine(t, "h200", warp.Config{})
	_, err := e.Run(context.Background(), one(5*32), func(w *warp.Warp) {
		p, c := w.Pred(), warp.Alloc[int32](w)
		if w.ID() == 3 {
			return
		}
		warp.SetPred(p, lane.FirstN(8*w.ID())) // none of warp 0, all of warp 4
		w.Exit(p)
		warp.SetPred(p, lane.FirstN(32))
		warp.SyncCount(c, p)
		assert.EqualValues(t, 32+24+16, c.Lanes()[31], "warp %d", w.ID())
		assert.Less(t, w.ID(), 3, "the warp has exited")
	})
	require.NoError(t, err)
}

// Where it does, lanes and warps that have left are faults.
func TestBarrierWaitsForTheExited(t *testing.T) {
	e := engine(t, "mi300x", warp.Config{Faults: warp.Collect})
	r, err := e.Run(context.Background(), one(3*64), func(w *warp.Warp) {
		p := w.Pred()
		warp.SetPred(p, lane.FirstN(4*(w.ID()%2)))
		w.Exit(p)
		w.SyncBlock()
	})
	require.NoError(t, err)
	require.Len(t, r.Faults, 1)
	assert.Equal(t, warp.BarrierDivergent, r.Faults[0].Kind)
	assert.Equal(t, []int{0, 1, 1}, []int{r.Faults[0].Block, r.Faults[0].Warp, r.Faults[0].Count})
	assert.Equal(t, lane.Range(4, 64), r.Faults[0].Lanes, "at the barrier")
	assert.Equal(t, lane.FirstN(4), r.Faults[0].Missing)

	for _, gone := range []int{0, 2} { // the barrier is complete when they end, or they have ended before
		r, err = e.Run(context.Background(), one(3*64), func(w *warp.Warp) {
			if w.ID() != gone {
				w.SyncBlock()
			}
		})
		require.NoError(t, err)
		require.Len(t, r.Faults, 1)
		assert.Equal(t, warp.BarrierDivergent, r.Faults[0].Kind)
		assert.Equal(t, 2, r.Faults[0].Count, "both warps that wait")
		assert.Contains(t, r.Faults[0].Detail, "1 of the 3 warps")
	}

	r, err = e.Run(context.Background(), one(3*64), func(w *warp.Warp) { w.SyncBlock() })
	require.NoError(t, err)
	require.Empty(t, r.Faults, "warps that end after the barrier are fine")
}

// One fault names the warps that wait, and where.
func TestDeadlock(t *testing.T) {
	for name, k := range map[string]warp.Kernel{
		"named barrier nobody else comes to": func(w *warp.Warp) {
			if w.ID() == 1 {
				w.Barrier(2, 64)
			}
		},
		"two barriers": func(w *warp.Warp) {
			if w.ID() == 1 {
				w.Barrier(2, 64)
			} else {
				w.Barrier(3, 96)
			}
		},
		"block barrier after another one": func(w *warp.Warp) {
			if w.ID() == 1 {
				w.Barrier(2, 64)
			}
			w.SyncBlock()
		},
	} {
		e := engine(t, "h200", warp.Config{Faults: warp.Mimic})
		_, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(2), Threads: warp.X(96)}, k)
		require.ErrorIs(t, err, warp.Deadlock, name)
		var f *warp.Fault
		require.ErrorAs(t, err, &f)
		assert.Contains(t, f.Detail, "block 0 warp 1 at barrier 2 (barrier_test.go:", name)
		assert.Contains(t, f.Site.File, "barrier_test.go")
		if name == "two barriers" {
			for _, w := range []int{0, 2} {
				assert.Contains(t, f.Detail, fmt.Sprintf("block 0 warp %d at barrier 3 (barrier_test.go:", w))
			}
		}
	}
}

// A deadlock of many warps does not fill the screen.
func TestDeadlockOfManyWarps(t *testing.T) {
	e := engine(t, "h200", warp.Config{})
	_, err := e.Run(context.Background(), one(1024), func(w *warp.Warp) { w.Barrier(1+w.ID()%15, 1024) })
	require.ErrorIs(t, err, warp.Deadlock)
	assert.Less(t, len(err.Error()), 1000)
}

func TestBarrierMismatch(t *testing.T) {
	for name, c := range map[string]struct {
		device string
		k      warp.Kernel
		text   string
	}{
		"unequal counts":       {"h200", func(w *warp.Warp) { w.Barrier(1, 32*(2+w.ID())) }, "waits for 2 warps, this warp names 3"},
		"no multiple":          {"h200", func(w *warp.Warp) { w.Barrier(1, 33) }, "33 threads"},
		"negative":             {"h200", func(w *warp.Warp) { w.Barrier(1, -32) }, "-32 threads"},
		"more than the block":  {"h200", func(w *warp.Warp) { w.Arrive(1, 128) }, "128 threads"},
		"no such barrier":      {"h200", func(w *warp.Warp) { w.Barrier(16, 0) }, "barrier 16"},
		"negative barrier":     {"h200", func(w *warp.Warp) { w.Arrive(-1, 0) }, "barrier -1"},
		"no barriers by name":  {"mi300x", func(w *warp.Warp) { w.Barrier(1, 0) }, "barrier 1, and mi300x has 1"},
		"block and named meet": {"h200", func(w *warp.Warp) { w.Barrier(0, 64*min(w.ID(), 1)) }, "barrier 0"},
	} {
		e := engine(t, c.device, warp.Config{Faults: warp.Collect})
		_, err := e.Run(context.Background(), one(3*e.Device().Lanes), c.k)
		require.ErrorIs(t, err, warp.BarrierMismatch, name)
		assert.Contains(t, err.Error(), c.text, name)
	}
	e := engine(t, "h200", warp.Config{})
	_, err := e.Run(context.Background(), one(90), func(w *warp.Warp) {
		w.Barrier(15, 96) // the last warp counts whole
		w.Barrier(15, 0)
		w.Arrive(2, 96)
		w.SyncBlock()
	})
	require.NoError(t, err)
}

func TestBarrierInDivergentCode(t *testing.T) {
	for _, name := range []string{"h200", "mtt-s4000"} {
		e := engine(t, name, warp.Config{Faults: warp.Collect})
		n := e.Device().Lanes
		r, err := e.Run(context.Background(), one(2*n), func(w *warp.Warp) {
			p := w.Pred()
			warp.SetPred(p, lane.FirstN(n/2))
			w.If(p, func() { w.SyncBlock() })
		})
		require.NoError(t, err)
		require.Len(t, r.Faults, 1)
		f := r.Faults[0]
		assert.Equal(t, warp.BarrierDivergent, f.Kind)
		assert.Equal(t, 2, f.Count, "both warps")
		assert.Equal(t, lane.FirstN(n/2), f.Lanes)
		assert.Contains(t, f.Detail, "lanes "+lane.Range(n/2, n).Ranges()+" of the warp are elsewhere")
	}
}
