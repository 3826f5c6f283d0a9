package bench

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"

	"example.com/warpsim/reduce"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/warpbench"
)

// A cost is what one application of a reduction costs in steady state, see
// package warpbench.
type cost struct {
	algorithm            string
	cycles, instructions float64
}

// A contest is the reductions that can be compared: of one device, type and
// operator, over a group of lanes or a block.
type contest struct {
	device  *device.Profile
	typ     string
	scope   reduce.Scope
	size    int // lanes of a group, threads of a block
	engine  *warp.Engine
	entries []entry
}

// An entry is one algorithm, as a kernel that applies it several times.
type entry struct {
	algorithm string
	kernel    func(applications int) warp.Kernel
}

// threads is the size of the block that runs.
func (c *contest) threads() int {
	if c.scope == reduce.WarpScope {
		return c.device.Lanes
	}
	return c.size
}

func (c *contest) String() string {
	return fmt.Sprintf("%s/%s/%v-%d", c.device.Name, c.typ, c.scope, c.size)
}

// newContest enters every algorithm of package reduce that fits.
func newContest[T warp.Number](tb testing.TB, p *device.Profile, typ string, scope reduce.Scope, size int) *contest {
	e, err := warp.New(warp.Config{Device: p, Workers: 1})
	if err != nil {
		tb.Fatal(err)
	}
	c := &contest{device: p, typ: typ, scope: scope, size: size, engine: e}
	op := reduce.Sum[T]()
	tile := reduce.Tile{Everywhere: true}
	if scope == reduce.WarpScope {
		tile.Width = size
	}
	for _, a := range reduce.Algorithms[T]() {
		if a.Scope == scope && a.Fits(p, op, tile, c.threads()) == nil {
			c.entries = append(c.entries, entry{a.Name, func(n int) warp.Kernel { return repeated(a, op, tile, n) }})
		}
	}
	return c
}

// repeated applies an algorithm several times to what the application before
// left in every thread, with the barrier between two of them that the use of
// the same shared memory asks for.
func repeated[T warp.Number](a reduce.Algorithm[T], op reduce.Op[T], tile reduce.Tile, applications int) warp.Kernel {
	return func(w *warp.Warp) {
		var s warp.Mem[T]
		if a.Storage != nil {
			s = a.Storage(w)
		}
		v := warp.Alloc[T](w)
		warp.Set(v, 1)
		for range applications {
			a.Run(v, op, tile, s)
			switch {
			case a.Storage == nil:
			case a.Scope == reduce.WarpScope:
				w.SyncWarp(w.Active())
			default:
				w.SyncBlock()
			}
		}
	}
}

// program is an entry in the form that is measured.
func (c *contest) program(e entry) warpbench.Program {
	return warpbench.Wide(warpbench.Block(c.threads()), e.kernel)
}

// measure returns what an entry costs.
func (c *contest) measure(tb testing.TB, e entry) cost {
	figures, err := warpbench.Measure(context.Background(), c.engine, c.program(e))
	if err != nil {
		tb.Fatalf("%v/%s: %v", c, e.algorithm, err)
	}
	return cost{e.algorithm, figures.Cycles, figures.Instructions}
}

// ranking returns what every entry costs, the fewest cycles first; among equals
// the one with fewer instructions, then the one that package reduce lists
// first.
func (c *contest) ranking(tb testing.TB) []cost {
	var list []cost
	for _, e := range c.entries {
		list = append(list, c.measure(tb, e))
	}
	slices.SortStableFunc(list, func(a, b cost) int {
		return cmp.Or(cmp.Compare(a.cycles, b.cycles), cmp.Compare(a.instructions, b.instructions))
	})
	return list
}

// contests returns the contests on a device: by type, groups of lanes and
// blocks of several sizes.
func contests(tb testing.TB, name string, blocks ...int) []*contest {
	p, err := device.Lookup(name)
	if err != nil {
		tb.Fatal(err)
	}
	var list []*contest
	add := func(scope reduce.Scope, size int) {
		list = append(list,
			newContest[int32](tb, p, "i32", scope, size),
			newContest[float32](tb, p, "f32", scope, size),
			newContest[float64](tb, p, "f64", scope, size))
	}
	add(reduce.WarpScope, p.Lanes)
	for _, threads := range blocks {
		if threads > p.Lanes && threads <= p.Limits.ThreadsPerBlock {
			add(reduce.BlockScope, threads)
		}
	}
	slices.SortStableFunc(list, func(a, b *contest) int { return cmp.Compare(a.typ, b.typ) })
	return list
}

// compared are the algorithms that BenchmarkReduce measures: by shuffles, in
// shared memory, and by hardware.
var compared = []string{
	"shuffle-down", "shuffle-xor", "shared-tree", "redux",
	"hybrid", "tree-then-shuffle", "block-tree", "raking", "hybrid-redux",
}

// BenchmarkReduce compares reductions by shuffles with those in shared memory,
// for a warp and a block, by device, element type and size. An operation is one
// application in steady state: simcycles/op and siminstr/op are exact results
// of the simulation, ns/instr is what simulating it takes on one core, timing
// included.
func BenchmarkReduce(b *testing.B) {
	for _, name := range []string{"h200", "mi300x", "mtt-s4000"} {
		for _, c := range contests(b, name, 256, 1024) {
			for _, e := range c.entries {
				if slices.Contains(compared, e.algorithm) {
					b.Run(fmt.Sprintf("%v/%s", c, e.algorithm), func(b *testing.B) { warpbench.Run(b, c.engine, c.program(e)) })
				}
			}
		}
	}
}

// BenchmarkReduceWinner says for each device, type and size which of all
// algorithms takes the fewest cycles (the last part of the name) and by how
// much: next/op is the cycles of the next best to its own, shuffle/op those of
// the best that shuffles, shared/op those of the best that does not. It takes
// no time to speak of, as the figures are exact.
func BenchmarkReduceWinner(b *testing.B) {
	for _, name := range device.Names() {
		b.Run(name, func(b *testing.B) { winners(b, contests(b, name, 64, 128, 256, 512, 1024)) })
	}
}

func winners(b *testing.B, all []*contest) {
	for _, c := range all {
		list := c.ranking(b)
		b.Run(fmt.Sprintf("%s/%v-%d/%s", c.typ, c.scope, c.size, list[0].algorithm), func(b *testing.B) {
			b.ReportMetric(list[0].cycles, "simcycles/op")
			b.ReportMetric(list[0].instructions, "siminstr/op")
			b.ReportMetric(0, "ns/op")
			for unit, of := range map[string]func(cost) bool{
				"next/op":    func(o cost) bool { return o.algorithm != list[0].algorithm },
				"shuffle/op": func(o cost) bool { return family(o.algorithm) == "shuffle" },
				"shared/op":  func(o cost) bool { return family(o.algorithm) == "shared" },
			} {
				if i := slices.IndexFunc(list, of); i >= 0 {
					b.ReportMetric(list[i].cycles/list[0].cycles, unit)
				}
			}
		})
	}
}

// BenchmarkReduceGrid says which of all algorithms reduces a grid of 2^17 floats in the
// fewest cycles (the last part of the name), as reduce.Best chooses: simus/op is the time in
// microseconds by the device's clock, next/op the cycles of the next best to its own. It
// takes no time to speak of, as the figures are exact.
func BenchmarkReduceGrid(b *testing.B) {
	const n = 1 << 17
	for _, name := range []string{"h200", "mi300x", "mtt-s4000"} {
		p, err := device.Lookup(name)
		if err != nil {
			b.Fatal(err)
		}
		best, err := reduce.Best(context.Background(), p, reduce.Sum[float32](), n)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("%s/f32/grid-%d/%s", name, n, best.Algorithm.Name), func(b *testing.B) {
			first, next := best.Scores[0], best.Scores[1]
			b.ReportMetric(float64(first.Cycles), "simcycles/op")
			b.ReportMetric(float64(first.Instructions), "siminstr/op")
			b.ReportMetric(float64(first.Cycles)/float64(p.Limits.ClockMHz), "simus/op")
			b.ReportMetric(float64(next.Cycles)/float64(first.Cycles), "next/op")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// family says by what an algorithm moves values between lanes.
func family(algorithm string) string {
	switch algorithm {
	case "redux", "hybrid-redux":
		return "hardware"
	case "shared-tree", "shared-interleaved", "block-tree", "block-unrolled", "block-interleaved", "block-sequential":
		return "shared"
	}
	return "shuffle"
}
