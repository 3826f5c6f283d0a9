package bench

import (
	"context"
	"testing"
	"time"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/timing"
)

// varied is a kernel none of whose stretches comes twice, so that its time has to be
// simulated whether somebody watches or not.
func varied(instructions int, seed uint32) warp.Kernel {
	return func(w *warp.Warp) {
		var r [8]warp.Reg[float32]
		for i := range r {
			r[i] = warp.Alloc[float32](w)
			warp.Set(r[i], 1)
		}
		x := seed + uint32(w.ID())
		for range instructions {
			x = x*1664525 + 1013904223
			d, a, b := r[x>>29], r[x>>26&7], r[x>>23&7]
			switch x >> 20 & 7 {
			case 0:
				warp.ShflDown(d, a, int(x>>16&15))
			case 1, 2, 3:
				warp.Mul(d, a, b)
			default:
				warp.Add(d, a, b)
			}
		}
	}
}

// BenchmarkObserver is what an observer costs an instruction through the engine: the
// fastest run with one less the fastest without, which take turns.
func BenchmarkObserver(b *testing.B) {
	const instructions, warps = 4000, 8
	h200, err := device.Lookup("h200")
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	for name, o := range map[string]*warp.Observer{
		"issued": {Issued: func(i *timing.Issue) { n += i.Warp }},
		"event":  {Event: func(e *timing.Event) { n += e.Warp }},
		"instr":  {Instr: func(warp.InstrEvent) { n++ }},
	} {
		b.Run(name, func(b *testing.B) {
			var fastest [2]time.Duration
			var engines [2]*warp.Engine
			for i, o := range [2]*warp.Observer{nil, o} {
				if engines[i], err = warp.New(warp.Config{Device: h200, Workers: 1, Order: warp.AsWritten, Observer: o}); err != nil {
					b.Fatal(err)
				}
			}
			for turn := uint32(0); b.Loop(); turn++ {
				for i, e := range engines {
					begin := time.Now()
					if _, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(32 * warps)}, varied(instructions, turn)); err != nil {
						b.Fatal(err)
					}
					if d := time.Since(begin); turn > 0 && (fastest[i] == 0 || d < fastest[i]) {
						fastest[i] = d
					}
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(fastest[0].Nanoseconds())/instructions/warps, "ns/instr")
			b.ReportMetric(float64((fastest[1]-fastest[0]).Nanoseconds())/instructions/warps, "ns/observed")
		})
	}
}
