package intrinsics

import "example.com/warpsim/lane"

// An explored is how a warp's lanes are scheduled when warp.Config.Seed chooses
// among the legal schedules. On devices with independent threads any group of lanes
// that can go on may be next, and also a part of a group that waits for nobody. On
// others lanes part and meet as ever, and only what a compiler may choose is
// chosen: which side of a branch is run first.
type explored struct {
	on   bool
	mode int
	rank []int // of each lane, in the modes that prefer lanes
}

// The ways to explore. What only shows when one lane is far ahead of the others
// would take random choices forever.
const (
	exploreGroups = iota // any group, as a whole
	exploreParts         // any part of any group
	exploreLanes         // one lane as far as it can go, then the next
	exploreModes
)

// begin draws how this warp is scheduled.
func (x *explored) begin(s *scheduler) {
	x.on = s.w.Front().Explored()
	if !x.on {
		return
	}
	x.mode = exploreGroups
	if s.fair {
		x.mode = s.w.Front().Choose(exploreModes)
	}
	x.rank = x.rank[:0]
	for l := range s.threads {
		x.rank = append(x.rank, l)
	}
	switch s.w.Front().Choose(3) {
	case 0: // ascending
	case 1:
		for l := range x.rank {
			x.rank[l] = len(x.rank) - 1 - l
		}
	default:
		for i := len(x.rank) - 1; i > 0; i-- {
			j := s.w.Front().Choose(i + 1)
			x.rank[i], x.rank[j] = x.rank[j], x.rank[i]
		}
	}
}

// choose is scheduler.choose by the draw.
func (x *explored) choose(s *scheduler, live lane.Mask) lane.Mask {
	var groups []lane.Mask
	for left := s.waiting; !left.Empty(); {
		lead := &s.threads[left.First()]
		group, complete := s.group(lead, left, live)
		left = left.AndNot(group)
		if complete {
			groups = append(groups, group)
		}
	}
	if len(groups) == 0 {
		return s.stuck(live)
	}
	if !s.fair {
		groups = s.choices(groups)
	}
	if x.mode != exploreLanes {
		g := groups[s.w.Front().Choose(len(groups))]
		if c := s.threads[g.First()].class; x.mode == exploreParts && (c == free || c == converged) {
			return x.part(s, g)
		}
		if s.groupBits > 0 {
			g = s.merge(g, live)
		}
		return g
	}
	var best lane.Mask
	rank := len(x.rank)
	for _, g := range groups {
		for l := range g.Lanes() {
			if x.rank[l] < rank {
				rank = x.rank[l]
				best = g
				if c := s.threads[l].class; c == free || c == converged {
					best = lane.Bit(l)
				}
			}
		}
	}
	return best
}

// choices returns the groups that may be next in lockstep: those that no other one
// has to come before, and of these the sides of the branch that was met last.
func (s *scheduler) choices(groups []lane.Mask) []lane.Mask {
	var free []lane.Mask
	last := int64(-1)
	for i, g := range groups {
		first, step := s.earliest(g), int64(-1)
		for l := range g.Lanes() {
			step = max(step, s.threads[l].step)
		}
		waits := false
		for j, h := range groups {
			if i != j {
				before, must := s.order(s.earliest(h), first, true)
				waits = waits || before && must
			}
		}
		switch {
		case waits || step < last:
		case step > last:
			free, last = append(free[:0], g), step
		default:
			free = append(free, g)
		}
	}
	if len(free) == 0 {
		return groups[:1]
	}
	return free
}

// part returns all lanes of a group, or half of them, or any of them, or one.
func (x *explored) part(s *scheduler, g lane.Mask) lane.Mask {
	n := g.Count()
	var part lane.Mask
	i, k := 0, 0
	switch s.w.Front().Choose(4) {
	case 0:
		return g
	case 1:
		k = s.w.Front().Choose(n)
		for l := range g.Lanes() {
			if i == k {
				return lane.Bit(l)
			}
			i++
		}
	case 2:
		k = (n + 1) / 2
		upper := s.w.Front().Choose(2) == 1
		for l := range g.Lanes() {
			if (i >= k) == upper {
				part = part.With(l)
			}
			i++
		}
	default:
		for l := range g.Lanes() {
			if s.w.Front().Choose(2) == 1 {
				part = part.With(l)
			}
		}
	}
	if part.Empty() {
		return g
	}
	return part
}
