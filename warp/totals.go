package warp

import (
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"
)

// totals is what groups add up.
type totals struct {
	instructions int64
	lanes        int64 // active ones, added up over the instructions
	conflicts    int64
	shared       int // bytes of the block that declared most
	byOp         [isa.NumOps]int64
	time         timing.Totals
	bySite       []timing.SiteTotals
	blocks       blockTimes
}

// reset clears t in place: a composite literal would take a kilobyte of the
// small stack that a run's goroutines start with.
func (t *totals) reset() {
	t.instructions, t.lanes, t.conflicts, t.shared = 0, 0, 0, 0
	clear(t.byOp[:])
	t.time = timing.Totals{}
	t.bySite = t.bySite[:0]
	t.blocks.reset()
}

// count adds what the warps of a group have counted.
func (t *totals) count(counts *[maxOps]int64, conflicts, lanes int64) {
	for op := range t.byOp {
		t.byOp[op] += counts[op]
		t.instructions += counts[op]
	}
	t.conflicts += conflicts
	t.lanes += lanes
}

func (t *totals) add(o *totals) {
	t.instructions += o.instructions
	t.lanes += o.lanes
	t.conflicts += o.conflicts
	t.shared = max(t.shared, o.shared)
	for i := range t.byOp { // not a copy: a run's goroutines start on small stacks
		t.byOp[i] += o.byOp[i]
	}
	t.time.Add(&o.time)
	t.addSites(o.bySite)
	t.blocks.merge(&o.blocks)
}

func (t *totals) addSites(sites []timing.SiteTotals) {
	for len(t.bySite) < len(sites) {
		t.bySite = append(t.bySite, timing.SiteTotals{})
	}
	for i := range sites {
		t.bySite[i].Add(&sites[i])
	}
}
