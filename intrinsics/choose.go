package intrinsics

import "example.com/warpsim/lane"

// choose returns the lanes whose requests become the next instruction, when not
// all lanes ask for the same: of the groups that can go on, the one that comes
// first in source order.
func (s *scheduler) choose(live lane.Mask) lane.Mask {
	if s.explored.on {
		m := s.badFirst(s.explored.choose(s, live))
		s.w.Front().NoteLanes(m, s.placeOf(&s.threads[m.First()]).site())
		return m
	}
	var best, oldest lane.Mask
	var bestFirst *Thread
	var age int64
	for left := s.waiting; !left.Empty(); {
		lead := &s.threads[left.First()]
		group, complete := s.group(lead, left, live)
		left = left.AndNot(group)
		if !complete {
			continue
		}
		first := s.earliest(group)
		if best.Empty() || s.before(first, bestFirst) {
			best, bestFirst = group, first
		}
		if oldest.Empty() || lead.step < age {
			oldest, age = group, lead.step
		}
	}
	switch {
	case best.Empty():
		return s.stuck(live)
	case s.fair && (s.step-age > patience || s.spin.yields):
		best = oldest
	}
	best = s.badFirst(best)
	if s.groupBits > 0 {
		best = s.merge(best, live)
	}
	return best
}

// merge adds to a group that shuffles in its own part of the warp, as masks of
// the language name it, the other parts that do the same at the same place: the
// warp is converged, and issues one instruction.
func (s *scheduler) merge(group, live lane.Mask) lane.Mask {
	lead := &s.threads[group.First()]
	if lead.class != masked || lead.key&keyBase >= keyAll || lead.width > s.groupBits || lead.mask.Count() != s.groupBits {
		return group
	}
	merged := group
	for left := s.waiting.AndNot(group); !left.Empty(); {
		t := &s.threads[left.First()]
		other, complete := s.group(t, left, live)
		left = left.AndNot(other)
		if complete && t.class == masked && t.key == lead.key && t.place == lead.place && t.width == lead.width && t.mask.Count() == s.groupBits {
			merged = merged.Or(other)
		}
	}
	return merged
}

// group returns the lanes of left that are to meet with lead, and whether all
// have come that it waits for.
func (s *scheduler) group(lead *Thread, left, live lane.Mask) (group lane.Mask, complete bool) {
	class := lead.class
	if class == masked && s.lockstep {
		class = converged
	}
	for l := range left.Lanes() {
		t := &s.threads[l]
		if t.key != lead.key || t.class != lead.class {
			continue
		}
		switch class {
		case masked:
			if t.mask != lead.mask {
				continue
			}
		case free, converged:
			if t.place != lead.place || t.memory != lead.memory {
				continue
			}
			if t.mask != lead.mask && lead.key&keyBase >= keyAll {
				continue
			}
		}
		group = group.With(l)
	}
	switch class {
	case masked:
		// Lanes none of which their mask names wait for nobody.
		return group, group.Contains(lead.mask.And(live)) || !group.Overlaps(lead.mask)
	case barrier:
		return group, group == live
	}
	return group, true
}

// earliest returns the thread of a group whose place comes first.
func (s *scheduler) earliest(group lane.Mask) *Thread {
	first := &s.threads[group.First()]
	for l := range group.Lanes() {
		t := &s.threads[l]
		if t.place != first.place && s.before(t, first) {
			first = t
		}
	}
	return first
}
