package grid

import (
	"example.com/warpsim/warp/memory"
	"example.com/warpsim/warp/timing"
)

// Cycles returns the time from the begin of the first block to the end of the
// last.
func (g *Grid) Cycles() timing.Cycle { return max(0, g.end-min(g.first, g.end)) }

// A Block is one block that has ended.
type Block struct {
	Block          int
	Multiprocessor int
	Begin          timing.Cycle // of the first instruction that could be issued
	Cycles         timing.Cycle
}

// Blocks returns the blocks that have ended, in an order that is the same in each
// run, if not always that of their ends. The slice is the grid's own.
func (g *Grid) Blocks() []Block { return g.blocks }

// Totals adds up what all multiprocessors did.
func (g *Grid) Totals() timing.Totals {
	var t timing.Totals
	for _, x := range g.mps {
		if x != nil {
			t.Add(x.Totals())
		}
	}
	return t
}

// Sites adds up the totals by source site.
func (g *Grid) Sites() []timing.SiteTotals {
	var all []timing.SiteTotals
	for _, x := range g.mps {
		if x == nil {
			continue
		}
		for i, s := range x.Sites() {
			if i == len(all) {
				all = append(all, timing.SiteTotals{})
			}
			all[i].Add(&s)
		}
	}
	return all
}

// Memory returns what happened in the memory.
func (g *Grid) Memory() memory.Counts {
	if g.memory == nil {
		return memory.Counts{}
	}
	return g.memory.Counts()
}
