package timing_test

import (
	"fmt"

	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"
)

// A Component is a multiprocessor that a simulator calls once a cycle.
type Component struct {
	gpu     *timing.Multiprocessor
	pending []timing.Access // on their way
}

func NewComponent(profile string) (c *Component, err error) {
	p, err := device.Lookup(profile)
	if err != nil {
		return nil, err
	}
	table, err := timing.Compile(&p.Timing, p.Lanes)
	if err != nil {
		return nil, err
	}
	c = &Component{}
	c.gpu, err = timing.New(table, timing.Config{Memory: c})
	return c, err
}

// Access is called when a load or store leaves the multiprocessor.
func (c *Component) Access(a *timing.Access) timing.Cycle {
	c.pending = append(c.pending, *a)
	return timing.Later
}

// Tick simulates one cycle, and reports whether anything is left to do.
func (c *Component) Tick() (busy bool, err error) {
	st, err := c.gpu.Tick()
	return st.State != timing.Done, err
}

func Example_component() {
	c, _ := NewComponent("h200")
	block, _ := c.gpu.StartBlock(1)
	load := isa.Instr{Op: isa.LoadGlobal, Active: 32, Dst: isa.Row(0), A: isa.RowPair(2), Aux: isa.MemAux(4, isa.LevelL1), Count: 4}
	add := isa.Instr{Op: isa.FAdd, Active: 32, Dst: isa.Row(0), A: isa.Row(0), B: isa.Row(0)}
	c.gpu.Feed(block, 0, []isa.Instr{load, add}, nil, []isa.Line{isa.MakeLine(1, 15, 0, 0, 0).End()})
	c.gpu.End(block, 0)
	for {
		busy, err := c.Tick()
		for _, a := range c.pending { // a memory that takes 100 cycles
			err = c.gpu.Complete(a.ID.Block, a.ID.Warp, a.ID.Index, a.At+100)
			fmt.Println("instruction", a.ID.Index, "leaves at", a.At)
		}
		c.pending = c.pending[:0]
		if err != nil || !busy {
			start, end := c.gpu.Block(block)
			fmt.Println(end-start, err)
			return
		}
	}
	// Output:
	// instruction 0 leaves at 0
	// 104 <nil>
}
