// Package loads gives the examples of embedding something to do.
package loads

import (
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"
)

// Table returns the costs of an H200.
func Table() (*timing.Table, error) {
	p, err := device.Lookup("h200")
	if err != nil {
		return nil, err
	}
	return timing.Compile(&p.Timing, p.Lanes)
}

// Start begins a block of warps, each of which loads a line of 128 bytes and adds what it
// got, turns times. The lines of each warp follow each other from the first on.
func Start(m *timing.Multiprocessor, warps, turns, first int) error {
	b, err := m.StartBlock(warps)
	if err != nil {
		return err
	}
	load := isa.Instr{Op: isa.LoadGlobal, Active: 32, Dst: isa.Row(0), A: isa.RowPair(2), Aux: isa.MemAux(4, isa.LevelL1), Count: 4}
	add := isa.Instr{Op: isa.FAdd, Active: 32, Dst: isa.Row(1), A: isa.Row(1), B: isa.Row(0)}
	for w := range warps {
		var recs []isa.Instr
		var lines []isa.Line
		for i := range turns {
			recs = append(recs, load, add)
			lines = append(lines, isa.MakeLine(uint64(first+w*turns+i), 15, 0, 0, 0).End())
		}
		m.Feed(b, w, recs, nil, lines)
		m.End(b, w)
	}
	return nil
}
