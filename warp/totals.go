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
	booked       booked
	shared       int // bytes of the block that declared most
	byOp         [isa.NumOps]int64
	time         timing.Totals
	bySite       []timing.SiteTotals
	blocks       blockTimes
}

// reset clears t in place: a composite literal would take a kilobyte of the
// small stack that a run's goroutines start with.
func (t *totals) reset() {
	t.instructions, t.lanes, t.conflicts, t.shared, t.booked = 0, 0, 0, 0, booked{}
	clear(t.byOp[:])
	t.time = timing.Totals{}
	t.bySite = t.bySite[:0]
	t.blocks.reset()
}

// counted is what warps count.
type counted struct {
	counts    [maxOps]int64 // instructions
	conflicts int64         // see Warp
	lanes     int64         // active ones over all instructions
	booked    booked
}

func (c *counted) reset() {
	clear(c.counts[:])
	c.conflicts, c.lanes, c.booked = 0, 0, booked{}
}

// count adds what the warps of a group have counted.
func (t *totals) count(c *counted) {
	for op := range t.byOp {
		t.byOp[op] += c.counts[op]
		t.instructions += c.counts[op]
	}
	t.conflicts += c.conflicts
	t.lanes += c.lanes
	t.booked.add(c.booked)
}

// booked is what kernels of scalar threads have booked, if there are any.
type booked struct {
	perLane      bool
	instructions int64
}

func (b *booked) add(o booked) {
	b.perLane = b.perLane || o.perLane
	b.instructions += o.instructions
}

func (t *totals) add(o *totals) {
	t.instructions += o.instructions
	t.lanes += o.lanes
	t.conflicts += o.conflicts
	t.booked.add(o.booked)
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
