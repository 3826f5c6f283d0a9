package warp

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"example.com/warpsim/warp/timing"
)

// Add adds what o cost to p, as one launch after the other: instructions, cycles
// and all tables. Lines of one place become one row, and come in the order of file
// and line, so that numbers of sites no longer name them; faults of one kind and
// place become one entry. A zero Report takes over o. The error is a *ConfigError
// if the two are of different devices; p is unchanged then.
func (p *Report) Add(o *Report) error {
	switch {
	case o == nil || len(o.launches) == 0: // it never ran
		return nil
	case len(p.launches) == 0 && (p.Device == "" || p.Device == o.Device):
		p.Device, p.Launch, p.Resident = o.Device, o.Launch, o.Resident
		p.lanes, p.clockMHz, p.profile, p.numbers = o.lanes, o.clockMHz, o.profile, maps.Clone(o.numbers)
	case p.Device != o.Device || p.lanes != o.lanes || p.clockMHz != o.clockMHz:
		return &ConfigError{"report", o.Device, fmt.Sprintf("cannot be added to one of %s: add up reports of one device", p.Device)}
	}
	if p.profile == nil || o.profile == nil { // one of them was read, and has no profile
		numbers := p.evidence()
		maps.Copy(numbers, o.evidence())
		p.profile, p.numbers = nil, numbers
	}
	p.Instructions += o.Instructions
	p.ThreadInstructions += o.ThreadInstructions
	p.Cycles += o.Cycles
	p.ConflictPasses += o.ConflictPasses
	p.PerLane = p.PerLane || o.PerLane
	p.Booked += o.Booked
	p.Memory.Add(&o.Memory)
	for op := range p.ops {
		p.ops[op].Count += o.ops[op].Count
		p.ops[op].Cycles += o.ops[op].Cycles
	}
	p.waits.Add(&o.waits)
	p.addLines(o)
	for _, b := range o.blocks {
		b.Launch += len(p.launches)
		p.blocks = append(slices.Clip(p.blocks), b)
	}
	sortBlocks(p.blocks)
	p.launches = append(slices.Clip(p.launches), o.launches...)
	var faults faultList
	for _, list := range [][]Fault{p.Faults, o.Faults} {
		for _, f := range list {
			faults.add(f, true)
		}
	}
	p.Faults = faults.list
	p.Schedule = append(slices.Clip(p.Schedule), o.Schedule...)
	return nil
}

// addLines merges the totals by source line.
func (p *Report) addLines(o *Report) {
	if len(o.sites) == 0 {
		return
	}
	type line struct {
		site   Site
		totals timing.SiteTotals
	}
	var unknown timing.SiteTotals
	var lines []line
	at := map[Site]int{}
	for _, r := range []*Report{p, o} {
		for i, s := range r.sites {
			var t timing.SiteTotals
			if i < len(r.bySite) {
				t = r.bySite[i]
			}
			if i == 0 {
				unknown.Add(&t)
				continue
			}
			k, known := at[s]
			if !known {
				k = len(lines)
				at[s] = k
				lines = append(lines, line{site: s})
			}
			lines[k].totals.Add(&t)
		}
	}
	slices.SortFunc(lines, func(a, b line) int { return a.site.compare(b.site) })
	p.sites, p.bySite = []Site{{}}, []timing.SiteTotals{unknown}
	for _, l := range lines {
		p.sites, p.bySite = append(p.sites, l.site), append(p.bySite, l.totals)
	}
}

func sortBlocks(rows []BlockRow) {
	slices.SortFunc(rows, func(a, b BlockRow) int {
		return cmp.Or(cmp.Compare(a.Cycles, b.Cycles), a.Launch-b.Launch, a.First-b.First)
	})
}
