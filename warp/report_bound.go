package warp

import (
	"fmt"

	"example.com/warpsim/warp/timing"
)

// A Bound says what the time of a launch is bound by: the unit that is busy for the
// largest part of it, or, if none is for half of the time, the latency that warps
// wait for.
type Bound struct {
	// What: "issue", "pipe alu", "port exchange", "shared-memory conflicts", "the
	// first level", "the ways to L2", "the ways back from L2", "L2 bandwidth", "DRAM
	// bandwidth", "atomics on one word", "dispatch", "one straggling block" or
	// "latency". Empty: not known.
	What string
	// Share is the part of the time for which it is busy, at most 1 (stores and atomics
	// that nobody waits for may go on after the last block has ended): the launch
	// takes 1/Share times as long as it would take if nothing but that held it up. Of
	// latency it is
	// the part of the warps' time that goes into waiting for Detail.
	Share float64
	// Detail names the array and the element of a word, the number of a block, or
	// what warps wait for and which unit is busiest.
	Detail string
}

// String returns the bound as a line.
func (b Bound) String() string {
	switch {
	case b.What == "":
		return "not known"
	case b.What == "latency":
		return fmt.Sprintf("latency: %s", b.Detail)
	case b.Detail != "":
		return fmt.Sprintf("%s (%s): %.0f %% of the time, %.2f times its least", b.What, b.Detail, 100*b.Share, 1/max(b.Share, 1e-9))
	}
	return fmt.Sprintf("%s: busy %.0f %% of the time, %.2f times its least", b.What, 100*b.Share, 1/max(b.Share, 1e-9))
}

// Bound returns what the longest launch is bound by.
func (p *Report) Bound() Bound {
	var b Bound
	most := timing.Cycle(-1)
	for i := range p.launches {
		if l := &p.launches[i]; l.Cycles > most {
			most, b = l.Cycles, l.Bound
		}
	}
	return b
}

// busyEnough is from which part of the time on a unit is what bounds a launch.
const busyEnough = 0.5

// bound finds what bounds the run.
func (r *run) bound() Bound {
	g := r.clock.grid
	var b Bound
	for _, u := range g.Uses(r.totals.conflicts) {
		if u.Share > b.Share {
			b = Bound{What: u.What, Share: u.Share}
		}
	}
	if share, address := g.Contended(); share > b.Share {
		b = Bound{"atomics on one word", share, r.engine.elementAt(address)}
	}
	if share, block := g.Straggling(); share > max(b.Share, busyEnough) {
		b = Bound{"one straggling block", share, fmt.Sprintf("block %d", block)}
	}
	b.Share = min(b.Share, 1)
	if b.Share >= busyEnough || b.What == "" {
		return b
	}
	waits := r.totals.time.Cycles
	reason, most := timing.Issued, timing.Cycle(0)
	for k, n := range waits.All() {
		if k != timing.Issued && k != timing.Finished && n > most {
			reason, most = k, n
		}
	}
	share := float64(most) / float64(max(1, waits.Total()))
	resident := min(r.resident, (r.blocks+r.engine.profile.Limits.Multiprocessors-1)/r.engine.profile.Limits.Multiprocessors)
	return Bound{"latency", share, fmt.Sprintf("%s takes %.0f %% of the warps' time, with %d warps a multiprocessor; the busiest unit, %s, %.0f %%",
		reason, 100*share, resident*r.warps, b.What, 100*b.Share)}
}

// elementAt names the element of global memory at an address.
func (e *Engine) elementAt(address uint64) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i, a := range e.arrays {
		if address >= a.address && address < a.address+a.bytes {
			return fmt.Sprintf("element %d of array %d, a []%s", (address-a.address)/max(1, a.element), i, a.name)
		}
	}
	return fmt.Sprintf("address %#x", address)
}

// A globalArray is where an array of global memory lies.
type globalArray struct {
	address, bytes, element uint64
	name                    string // of its type of element
}
