package warpbench

import (
	"context"
	"errors"
	"testing"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
)

// A Case is something to measure, by name.
type Case struct {
	Name    string
	Program Program
}

// Benchmark measures each case on each device, as sub-benchmarks "device/case". The
// metrics are simcycles/op and siminstr/op, what one application costs, exact, and
// ns/instr, what the host takes to simulate a warp instruction, cycles included, on one
// processor. A case that a device cannot run ([warp.Unsupported]) is skipped there; any
// other error fails it.
func Benchmark(b *testing.B, devices []*device.Profile, cases ...Case) {
	b.Helper()
	for _, d := range devices {
		e, err := warp.New(warp.Config{Device: d, Workers: 1})
		if err != nil {
			b.Fatal(err)
		}
		for _, c := range cases {
			b.Run(d.Name+"/"+c.Name, func(b *testing.B) { Run(b, e, c.Program) })
		}
	}
}

// Run measures a program on an engine, as one benchmark with the metrics of Benchmark.
func Run(b *testing.B, e *warp.Engine, p Program) {
	b.Helper()
	cost, err := Measure(context.Background(), e, p)
	switch {
	case errors.Is(err, warp.Unsupported):
		b.Skip(err)
	case err != nil:
		b.Fatal(err)
	}
	// So many applications that starting the launch hardly counts, and five numbers of
	// them by turns: the engine remembers the time of the last four launches.
	const least, turns = 40, 5
	instructions := int64(0)
	for i := 0; b.Loop(); i++ {
		r, err := p(context.Background(), e, least+i%turns)
		if err != nil {
			b.Fatal(err)
		}
		instructions += r.Instructions
	}
	b.ReportMetric(cost.Cycles, "simcycles/op")
	b.ReportMetric(cost.Instructions, "siminstr/op")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(instructions), "ns/instr")
	b.ReportMetric(0, "ns/op") // of a launch of many applications: says nothing
}
