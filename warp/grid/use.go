package grid

import (
	"slices"

	"example.com/warpsim/warp/memory"
	"example.com/warpsim/warp/timing"
)

// Uses returns how busy the units of the device were, on average over the
// multiprocessors that had blocks: issuing, pipes and ports by their names, what the
// memory has, and dispatch. Pipes and ports count what instructions take without
// conflicts, and passes is what conflicts in shared memory took beyond that.
func (g *Grid) Uses(passes int64) []memory.Use {
	cycles := g.Cycles()
	active := g.active()
	if cycles <= 0 || active == 0 {
		return nil
	}
	parts := float64(active*g.table.SubPartitions()) * float64(cycles)
	whole := float64(active) * float64(cycles)
	totals := g.Totals()
	list := []memory.Use{{What: "issue", Share: float64(totals.Instructions) / parts}}
	add := func(what string, share float64) {
		if i := slices.IndexFunc(list, func(u memory.Use) bool { return u.What == what }); i >= 0 {
			list[i].Share += share
		} else if share > 0 {
			list = append(list, memory.Use{What: what, Share: share})
		}
	}
	for op, o := range totals.Ops() {
		pipe, took, port, ports := g.table.Unit(op)
		add("pipe "+pipe, float64(o.Count*int64(took))/parts)
		add("port "+port, float64(o.Count*int64(ports))/whole)
	}
	add("shared-memory conflicts", float64(passes)/whole)
	if g.memory != nil {
		list = append(list, g.memory.Uses(cycles, active)...)
	}
	add("dispatch", g.dispatcher.use(g.first, cycles, g.lastBegin))
	return list
}

// active is how many multiprocessors had blocks.
func (g *Grid) active() int {
	n := 0
	for _, x := range g.mps {
		if x != nil && x.used {
			n++
		}
	}
	return n
}

// Contended returns which part of the time the atomics on the most contended line of
// global memory took, one after the other, and the address of the word wanted last.
func (g *Grid) Contended() (share float64, address uint64) {
	if g.memory == nil {
		return 0, 0
	}
	return g.memory.Contended(g.Cycles())
}

// Straggling returns which part of the time was left when nine of ten blocks had
// ended, and the block that ended last; 0 for grids of fewer than ten.
func (g *Grid) Straggling() (share float64, block int) {
	n := len(g.blocks)
	if n < 10 || g.Cycles() == 0 {
		return 0, 0
	}
	ends := make([]timing.Cycle, n)
	last := 0
	for i, b := range g.blocks {
		ends[i] = b.Begin + b.Cycles
		if o := &g.blocks[last]; ends[i] > o.Begin+o.Cycles {
			last = i
		}
	}
	slices.Sort(ends)
	return float64(ends[n-1]-ends[n*9/10]) / float64(g.Cycles()), g.blocks[last].Block
}
