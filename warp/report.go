package warp

import (
	"cmp"
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

	// Faults are the faults of the run, the one that ended it among them: one
	// entry a kind and source line, which tells of the first that happened, in
	// the order of block, warp and place.
	Faults []Fault
	// Sites are the source lines of the kernel, numbered from 1, if
	// Config.Sites asked for them; ByLine has their totals by number. They are
	// in the order of file and line; with an observer, in that of their first
	// instruction.
	Sites  []Site
	ByLine []timing.SiteTotals

	// Schedule is which warp ran when, if Config.Seed chose it: the first steps
	// of a long one.
	Schedule []ScheduleStep

	profile *device.Profile
}

// fill completes a report.
func (r *run) fill(p *Report) {
	t := &r.totals
	p.Instructions, p.ByOp, p.Time = t.instructions, t.byOp, t.time
	p.ConflictPasses = t.conflicts
	p.Resident = r.perGroup
	p.Schedule = r.schedule
	for _, c := range t.perSM {
		p.Cycles = max(p.Cycles, c)
	}
	p.Faults = r.faults.list
	slices.SortStableFunc(p.Faults, func(a, b Fault) int {
		return cmp.Or(a.Block-b.Block, a.Warp-b.Warp, a.Site.compare(b.Site), int(a.Kind)-int(b.Kind))
	})
	if len(r.sites) > 1 {
		if r.engine.config.Observer == nil {
			r.orderSites()
		}
		p.Sites = r.sites
		p.ByLine = t.bySite
	}
}

// orderSites numbers the sites by place: the order in which blocks on several
// processors came to them is nobody's business.
func (r *run) orderSites() {
	order := make([]int, len(r.sites)) // old numbers by new number
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order[1:], func(a, b int) int { return r.sites[a].compare(r.sites[b]) })
	sites := make([]Site, len(order))
	bySite := make([]timing.SiteTotals, len(order))
	for i, old := range order {
		sites[i] = r.sites[old]
		if old < len(r.totals.bySite) {
			bySite[i] = r.totals.bySite[old]
		}
	}
	r.sites, r.totals.bySite = sites, bySite
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
