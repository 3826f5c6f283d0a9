package bench

import (
	"fmt"
	"testing"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
)

// BenchmarkSanitize puts the same instructions side by side with memory watched
// for races and not, in strict mode and without cycles, where the difference
// shows most.
func BenchmarkSanitize(b *testing.B) {
	for _, dev := range []string{"h200", "mi300x", "mtt-s4000"} {
		p, err := device.Lookup(dev)
		if err != nil {
			b.Fatal(err)
		}
		some := []mix{
			{"shuffle_reduce_f32", 0, shuffleReduce[float32]},
			{"shared_tree_f32", 256, sharedTree},
			{"ballot_compaction", 0, orderedCompaction},
			{"shared_private", 0, sharedPrivate},
			{"shared_scattered", 0, sharedScattered},
			{"global_sum", 256, globalTurns(b, p)},
		}
		for _, mix := range some {
			for _, on := range []bool{false, true} {
				name := "off"
				if on {
					name = "sanitizer"
				}
				b.Run(fmt.Sprintf("%d/%s/%s", p.Lanes, mix.name, name), func(b *testing.B) {
					runMix(b, warp.Config{Device: p, Workers: 1, ValuesOnly: true, Sanitize: on}, mix, false)
				})
			}
		}
	}
}

// sharedPrivate is loads and stores of shared memory and hardly anything else.
func sharedPrivate(rounds int) warp.Kernel {
	return func(w *warp.Warp) {
		s := warp.Shared[float32](w, w.Width())
		v := warp.Alloc[float32](w)
		id := w.LaneID()
		warp.Set(v, 1)
		for range rounds {
			warp.Store(s, id, v)
			w.SyncWarp(w.Active())
			warp.Load(v, s, id)
			w.SyncWarp(w.Active())
		}
	}
}

// sharedScattered is the same in an order that no two neighbours keep, by two
// thirds of the lanes.
func sharedScattered(rounds int) warp.Kernel {
	return func(w *warp.Warp) {
		s := warp.Shared[float32](w, w.Width())
		v, at := warp.Alloc[float32](w), warp.Alloc[int32](w)
		some := w.Pred()
		warp.MulImm(at, w.LaneID(), 5)
		warp.AndImm(at, at, int32(w.Width()-1))
		warp.LtImm(some, w.LaneID(), int32(w.Width()*2/3))
		warp.Set(v, 1)
		for range rounds {
			w.Where(some, func() { warp.Store(s, at, v) })
			w.SyncWarp(w.Active())
			w.Where(some, func() { warp.Load(v, s, at) })
			w.SyncWarp(w.Active())
		}
	}
}

// orderedCompaction is compaction that waits before it stores again.
func orderedCompaction(rounds int) warp.Kernel {
	return func(w *warp.Warp) {
		s := warp.Shared[int32](w, w.Width())
		v, r := warp.Alloc[int32](w), warp.Alloc[int32](w)
		hit, m := w.Pred(), w.MaskReg()
		warp.Mov(v, w.LaneID())
		for range rounds {
			warp.AndImm(r, v, 3)
			warp.EqImm(hit, r, 1)
			warp.Ballot(m, hit)
			warp.Rank(r, m)
			w.Where(hit, func() { warp.Store(s, r, v) })
			w.SyncWarp(w.Active())
			warp.AddImm(v, v, 5)
		}
	}
}

// globalTurns reads an array of global memory from one end to the other, and again
// if that is not enough.
func globalTurns(b testing.TB, p *device.Profile) func(int) warp.Kernel {
	e, err := warp.New(warp.Config{Device: p})
	if err != nil {
		b.Fatal(err)
	}
	const most = 256 * 256
	in, err := warp.Global(e, make([]float32, most))
	if err != nil {
		b.Fatal(err)
	}
	return func(rounds int) warp.Kernel {
		return func(w *warp.Warp) {
			sum, x := warp.Alloc[float32](w), warp.Alloc[float32](w)
			warp.Set(sum, 0)
			for i := range rounds {
				warp.Load(x, in.At(i*w.BlockThreads()%most), w.ThreadID())
				warp.Add(sum, sum, x)
			}
		}
	}
}
