package timing_test

import (
	"fmt"

	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"
)

// One warp of two additions, of which the second waits for the first.
func Example() {
	h200, _ := device.Lookup("h200")
	table, _ := timing.Compile(&h200.Timing, 32)
	m, _ := timing.New(table, timing.Config{})
	block, _ := m.StartBlock(1)
	add := isa.Instr{Op: isa.FAdd, Active: 32, Dst: isa.Row(0), A: isa.Row(0), B: isa.Row(0)}
	m.Feed(block, 0, []isa.Instr{add, add}, nil, nil)
	m.End(block, 0)
	status, err := m.Run(timing.Never)
	fmt.Println(status.State, m.Now(), err)
	waits := m.WarpCycles(block, 0)
	for reason, cycles := range waits.All() {
		fmt.Println(reason, cycles)
	}
	// Output:
	// block ended 8 <nil>
	// issued 2
	// dependency 3
	// drained 3
}

// A host with a clock of its own lets time pass a cycle at a time, and reads the
// totals when the block has ended.
func ExampleMultiprocessor_Tick() {
	h200, _ := device.Lookup("h200")
	table, _ := timing.Compile(&h200.Timing, 32)
	m, _ := timing.New(table, timing.Config{})
	block, _ := m.StartBlock(1)
	m.Feed(block, 0, []isa.Instr{{Op: isa.FAdd, Active: 32, Dst: isa.Row(0), A: isa.Row(0), B: isa.Row(0)}}, nil, nil)
	m.End(block, 0)
	for {
		status, err := m.Tick()
		if err != nil || status.State == timing.BlockEnded {
			break
		}
	}
	start, end := m.Block(block)
	fmt.Println(start, end, m.Totals().Instructions)
	// Output: 0 4 1
}
