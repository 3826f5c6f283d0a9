package timing

import (
	"iter"

	"example.com/warpsim/warp/isa"
)

// perReason is cycles by reason, as the model counts them.
type perReason [numReasons]Cycle

func (c *perReason) add(o *perReason) {
	for i, x := range o {
		c[i] += x
	}
}

// Cycles counts cycles by reason. The zero Cycles is empty.
type Cycles struct{ by perReason }

// Of returns the cycles of one reason, 0 for a reason that does not exist.
func (c Cycles) Of(r Reason) Cycle {
	if r >= numReasons {
		return 0
	}
	return c.by[r]
}

// All ranges over the reasons that have cycles, in their order.
func (c Cycles) All() iter.Seq2[Reason, Cycle] {
	return func(yield func(Reason, Cycle) bool) {
		for r, n := range c.by {
			if n != 0 && !yield(Reason(r), n) {
				return
			}
		}
	}
}

// Total returns the sum over all reasons.
func (c Cycles) Total() Cycle {
	var n Cycle
	for _, x := range c.by {
		n += x
	}
	return n
}

// Count adds n cycles of one reason; one that does not exist counts nothing.
func (c *Cycles) Count(r Reason, n Cycle) {
	if r < numReasons {
		c.by[r] += n
	}
}

// Add adds o to c.
func (c *Cycles) Add(o *Cycles) {
	if o != nil {
		c.by.add(&o.by)
	}
}

// Totals adds up over warps.
type Totals struct {
	Instructions int64
	// Cycles are those of all warps by reason: their sum is the sum over all
	// blocks of length times warps.
	Cycles Cycles

	byOp [isa.NumOps]OpTotals
}

// OpTotals are the totals of one op.
type OpTotals struct {
	Count int64
	// Cycles is the time from the issue of the instruction before to the issue
	// of this one.
	Cycles Cycle
}

// Op returns how often an op was issued and how long its warps were held up by
// it, zero for an op that does not exist.
func (t *Totals) Op(op isa.Op) OpTotals {
	if op >= isa.NumOps {
		return OpTotals{}
	}
	return t.byOp[op]
}

// Ops ranges over the ops that were issued, in their order.
func (t *Totals) Ops() iter.Seq2[isa.Op, OpTotals] {
	return func(yield func(isa.Op, OpTotals) bool) {
		for op, o := range t.byOp {
			if o.Count != 0 && !yield(isa.Op(op), o) {
				return
			}
		}
	}
}

// Add adds o to t.
func (t *Totals) Add(o *Totals) {
	if o == nil {
		return
	}
	t.Instructions += o.Instructions
	t.Cycles.Add(&o.Cycles)
	for i := range o.byOp {
		t.byOp[i].Count += o.byOp[i].Count
		t.byOp[i].Cycles += o.byOp[i].Cycles
	}
}

// SiteTotals are the totals of one source site.
type SiteTotals struct {
	Count  int64 // instructions
	Lanes  int64 // active lanes, added up over them
	Cycles Cycles
}

// Add adds o to t.
func (t *SiteTotals) Add(o *SiteTotals) {
	if o == nil {
		return
	}
	t.Count += o.Count
	t.Lanes += o.Lanes
	t.Cycles.Add(&o.Cycles)
}
