package warp

import (
	"slices"

	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"
)

// A Report says what a run cost. All figures are exact results of the
// simulation: the same on every machine.
type Report struct {
	Device string
	Launch Launch

	// Instructions counts warp instructions, ByOp by op.
	Instructions int64
	ByOp         [isa.NumOps]int64

	// Cycles is the time from the start of the grid to its end: the longest of
	// the multiprocessors. Groups of Resident blocks share a multiprocessor;
	// groups go to the multiprocessors in turn and follow each other there. 0
	// if the run was ValuesOnly.
	Cycles   timing.Cycle
	Resident int

	// Time adds up what the cycles of all warps went into.
	Time timing.Totals
	// ConflictPasses counts the passes through shared memory, and the turns of
	// conflicting atomics, beyond those of an access of the same lanes without
	// conflict.
	ConflictPasses int64

	// Faults are the faults that did not end the run, one entry a kind and
	// source line, in the order of block, warp and place.
	Faults []Fault
	// Sites are the source lines of the kernel, numbered from 1, if
	// Config.Sites asked for them; ByLine has their totals by number.
	Sites  []Site
	ByLine []timing.SiteTotals

	profile *device.Profile
}

// fill completes a report.
func (r *run) fill(p *Report) {
	t := &r.totals
	p.Instructions, p.ByOp, p.Time = t.instructions, t.byOp, t.time
	p.ConflictPasses = t.conflicts
	p.Resident = r.perGroup
	for _, c := range t.perSM {
		p.Cycles = max(p.Cycles, c)
	}
	p.Faults = r.faults
	slices.SortFunc(p.Faults, func(a, b Fault) int {
		for _, d := range []int{a.Block - b.Block, a.Warp - b.Warp, a.Site.Line - b.Site.Line, int(a.Kind) - int(b.Kind)} {
			if d != 0 {
				return d
			}
		}
		return 0
	})
	if len(r.sites) > 1 {
		p.Sites = r.sites
		p.ByLine = t.bySite
	}
}

// Evidence counts the numbers of the device's profile that the run's
// instructions depended on, by how they are known (measured, published,
// estimated, ...).
func (p *Report) Evidence() device.Summary {
	if p.profile == nil {
		return device.Summary{}
	}
	var paths []string
	for op, n := range p.ByOp {
		if n > 0 {
			paths = append(paths, "timing.ops."+isa.Op(op).String())
		}
	}
	return p.profile.Summary(paths...)
}

// Seconds returns the time that the cycles take at the device's clock.
func (p *Report) Seconds() float64 {
	if p.profile == nil || p.profile.Limits.ClockMHz == 0 {
		return 0
	}
	return float64(p.Cycles) / (float64(p.profile.Limits.ClockMHz) * 1e6)
}
