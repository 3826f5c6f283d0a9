package grid_test

import (
	"context"
	"fmt"

	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/grid"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"
)

// Every warp of a host's grid adds a hundred times to a register; each addition
// waits four cycles for the one before.
type additions struct{}

func (additions) Next(block, warp int) (c grid.Chunk, last bool) {
	for range 100 {
		c.Recs = append(c.Recs, isa.Instr{Op: isa.FAdd, Active: 32, Dst: isa.Row(1), A: isa.Row(1)})
	}
	return c, true
}

func (additions) Ended(block int) {}

// Four blocks of one warp on two multiprocessors with room for two blocks each,
// where one begins ten cycles after the other.
func Example() {
	p, _ := device.Lookup("h200")
	p.Limits.Multiprocessors = 2
	p.Timing.Dispatch = &device.DispatchTiming{StartCycles: 10}
	table, _ := timing.Compile(&p.Timing, p.Lanes)
	g, _ := grid.New(p, table, grid.Config{})

	g.Begin(grid.Shape{Blocks: 4, Warps: 1, Places: 2}, additions{})
	done, err := g.Advance(context.Background(), 4, 1)
	fmt.Println(done, err, g.Cycles(), g.Totals().Instructions)
	// Output: true <nil> 410 400
}
