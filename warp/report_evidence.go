package warp

import (
	"strings"

	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
)

// Evidence counts the numbers of the device's profile that the run's
// instructions depended on, by how they are known (measured, published,
// estimated, ...).
func (p *Report) Evidence() device.Summary {
	var s device.Summary
	for _, status := range p.evidence() {
		s.Count(status)
	}
	return s
}

// evidence returns how the numbers that the run depended on are known, by path; 0
// stands for a path that has no number. The map is the caller's.
func (p *Report) evidence() map[string]device.Status {
	known := map[string]device.Status{}
	if p.profile == nil {
		for path, status := range p.numbers {
			known[path] = status
		}
		return known
	}
	groups := map[string]bool{} // whether it has a number
	for op, o := range p.ops {
		if o.Count > 0 {
			for _, group := range pricedBy(isa.Op(op), &p.profile.Timing) {
				groups[group] = false
			}
		}
	}
	for path, pr := range p.profile.Provenance() {
		for group := range groups {
			if rest, ok := strings.CutPrefix(path, group); ok && rest != "" && rest[0] == '.' && pr.Number {
				known[path], groups[group] = pr.Status, true
			}
		}
	}
	for group, found := range groups {
		if !found {
			known[group] = 0
		}
	}
	return known
}

// pricedBy names the groups of a profile that have an op's numbers.
func pricedBy(op isa.Op, t *device.Timing) []string {
	name := op.String()
	groups := []string{"timing.ops." + name}
	if o, ok := t.Ops[name]; ok {
		groups = append(groups, "timing.pipes."+o.Pipe)
	}
	switch op {
	case isa.BarSync, isa.BarArrive, isa.BarRed:
		groups = append(groups, "timing.barrier")
	case isa.Branch:
		groups = append(groups, "timing.branch")
	case isa.LoadGlobal, isa.StoreGlobal, isa.AtomicGlobal, isa.ReduceGlobal:
		groups = append(groups, "timing.global")
	}
	return groups
}
