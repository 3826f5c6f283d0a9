package bench

import (
	"context"
	"fmt"
	"testing"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
)

// A mix is a stream of instructions as kernels issue them.
type mix struct {
	name    string
	threads int // 0: one warp
	kernel  func(rounds int) warp.Kernel
}

var mixes = []mix{
	{"shuffle_reduce_f32", 0, func(n int) warp.Kernel { return shuffleReduce[float32](n) }},
	{"shuffle_reduce_f64", 0, func(n int) warp.Kernel { return shuffleReduce[float64](n) }},
	{"scan_f32", 0, scanUp},
	{"shared_tree_f32", 256, sharedTree},
	{"ballot_compaction", 0, compaction},
	{"divergent", 0, divergent},
}

// Kept apart, or else the compiler puts a copy of it here in which it does not
// inline what it calls.
//
//go:noinline
func shuffleReduce[T warp.Number](rounds int) warp.Kernel {
	return func(w *warp.Warp) {
		v, t := warp.Alloc[T](w), warp.Alloc[T](w)
		warp.Set(v, 1)
		for range rounds {
			for d := w.Width() / 2; d > 0; d /= 2 {
				warp.ShflDown(t, v, d)
				warp.Add(v, v, t)
			}
		}
	}
}

func scanUp(rounds int) warp.Kernel {
	return func(w *warp.Warp) {
		v, t := warp.Alloc[float32](w), warp.Alloc[float32](w)
		warp.Set(v, 1)
		var in [8]warp.Pred
		k := 0
		for d := 1; d < w.Width(); d *= 2 {
			in[k] = w.Pred()
			warp.GeImm(in[k], w.LaneID(), int32(d))
			k++
		}
		for range rounds {
			k := 0
			for d := 1; d < w.Width(); d *= 2 {
				warp.ShflUp(t, v, d)
				w.Where(in[k], func() { warp.Add(v, v, t) })
				k++
			}
		}
	}
}

func sharedTree(rounds int) warp.Kernel {
	return func(w *warp.Warp) {
		n := w.BlockThreads()
		s := warp.Shared[float32](w, n)
		v, t := warp.Alloc[float32](w), warp.Alloc[float32](w)
		id, below := w.ThreadID(), w.Pred()
		warp.Set(v, 1)
		for range rounds {
			warp.Store(s, id, v)
			w.SyncBlock()
			for d := n / 2; d > 0; d /= 2 {
				warp.LtImm(below, id, int32(d))
				w.Where(below, func() {
					warp.Load(t, s.At(d), id)
					warp.Add(v, v, t)
					warp.Store(s, id, v)
				})
				w.SyncBlock()
			}
		}
	}
}

func compaction(rounds int) warp.Kernel {
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
			warp.AddImm(v, v, 5)
		}
	}
}

func divergent(rounds int) warp.Kernel {
	return func(w *warp.Warp) {
		v, r := warp.Alloc[int32](w), warp.Alloc[int32](w)
		odd := w.Pred()
		warp.Mov(v, w.LaneID())
		for range rounds {
			warp.AndImm(r, v, 1)
			warp.NeImm(odd, r, 0)
			w.IfElse(odd, func() {
				warp.AddImm(v, v, 3)
				warp.XorImm(v, v, 5)
			}, func() {
				warp.AddImm(v, v, 1)
			})
		}
	}
}

// The modes. A launch that is made again takes the time of the one before, so
// "cycles" is what a repeated launch or a regular grid costs; "timed" makes
// every launch another one than the four before and pays for timing each time.
var modes = []struct {
	name   string
	config warp.Config
	fresh  bool
}{
	{"values", warp.Config{ValuesOnly: true}, false},
	{"cycles", warp.Config{}, false},
	{"timed", warp.Config{}, true},
	{"written", warp.Config{Order: warp.AsWritten}, true},
	{"lines", warp.Config{Sites: true}, false},
	{"observer", warp.Config{Observer: &warp.Observer{Instr: func(warp.InstrEvent) {}}}, false},
}

// BenchmarkEngine measures what one warp instruction costs on one core. Each
// operation is one launch of a block; ns/instr is what to look at.
func BenchmarkEngine(b *testing.B) {
	for _, dev := range []string{"h200", "mi300x", "mtt-s4000"} {
		p, err := device.Lookup(dev)
		if err != nil {
			b.Fatal(err)
		}
		for _, mix := range mixes {
			for _, mode := range modes {
				b.Run(fmt.Sprintf("%d/%s/%s", p.Lanes, mix.name, mode.name), func(b *testing.B) {
					c := mode.config
					c.Device, c.Workers = p, 1
					runMix(b, c, mix, mode.fresh)
				})
			}
		}
	}
}

func runMix(b *testing.B, c warp.Config, m mix, fresh bool) {
	e, err := warp.New(c)
	if err != nil {
		b.Fatal(err)
	}
	threads := m.threads
	if threads == 0 {
		threads = c.Device.Lanes
	}
	// As long as the record buffer of a warp takes without a pause. What the
	// launch itself takes is small beside it, see BenchmarkLaunch.
	const rounds = 400
	kernels := []warp.Kernel{m.kernel(rounds)}
	if fresh {
		for n := rounds + 1; n < rounds+6; n++ {
			kernels = append(kernels, m.kernel(n))
		}
	}
	launch := warp.Launch{Blocks: warp.X(1), Threads: warp.X(threads)}
	var n int64
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		r, err := e.Run(context.Background(), launch, kernels[i%len(kernels)])
		if err != nil {
			b.Fatal(err)
		}
		n += r.Instructions
	}
	ns := float64(b.Elapsed().Nanoseconds()) / float64(n)
	b.ReportMetric(ns, "ns/instr")
	b.ReportMetric(1e9/ns, "instr/s")
}

// BenchmarkLaunch measures what a launch takes besides its instructions.
func BenchmarkLaunch(b *testing.B) {
	p, err := device.Lookup("h200")
	if err != nil {
		b.Fatal(err)
	}
	e, err := warp.New(warp.Config{Device: p, Workers: 1})
	if err != nil {
		b.Fatal(err)
	}
	launch := warp.Launch{Blocks: warp.X(1), Threads: warp.X(p.Lanes)}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := e.Run(context.Background(), launch, func(w *warp.Warp) {}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFloor measures the least an instruction can cost: a bare loop over
// lanes without an engine.
func BenchmarkFloor(b *testing.B) {
	for _, lanes := range []int{32, 64, 128} {
		b.Run(fmt.Sprint(lanes), func(b *testing.B) {
			d, x, y := make([]float32, lanes), make([]float32, lanes), make([]float32, lanes)
			for b.Loop() {
				for range 100 {
					bareAdd(d, x, y)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/100/float64(b.N), "ns/instr")
		})
	}
}

//go:noinline
func bareAdd(d, x, y []float32) {
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		d[i] = x[i] + y[i]
	}
}
