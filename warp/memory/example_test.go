package memory_test

import (
	"fmt"

	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/memory"
	"example.com/warpsim/warp/timing"
)

// A multiprocessor on its way to the memory of a device: one load of 32 lanes, which
// is a line of four sectors.
func Example() {
	p, _ := device.Lookup("h200")
	table, _ := timing.Compile(&p.Timing, p.Lanes)
	system, _ := memory.New(p, 1)
	m, _ := timing.New(table, timing.Config{Memory: system.Front(0)})

	block, _ := m.StartBlock(1)
	load := isa.Instr{Op: isa.LoadGlobal, Active: 32, Dst: isa.Row(1), A: isa.Row(0), Count: 4, Aux: isa.MemAux(4, isa.LevelL2)}
	m.Feed(block, 0, []isa.Instr{load}, nil, []isa.Line{isa.MakeLine(7, 0b1111, 32, 1, 0).End()})
	m.End(block, 0)
	for t, state := timing.Cycle(0), timing.Starved; state != timing.BlockEnded; t += system.Window() {
		system.Front(0).Deliver(m)
		status, _ := m.Run(t + system.Window())
		state = status.State
		system.Front(0).Close(t + system.Window())
		system.Exchange(t)
	}
	fmt.Println(system.Counts().ReadSectors)
	// Output: 4
}
