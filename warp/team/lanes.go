package team

import (
	"math/bits"

	"example.com/warpsim/lane"
)

// pow2 reports whether n is a power of two.
func pow2(n int) bool { return n > 0 && n&(n-1) == 0 }

// CeilPow2 returns the least power of two that is n or more, 1 for n below 1.
func CeilPow2(n int) int {
	if n <= 1 {
		return 1
	}
	return 1 << bits.Len(uint(n-1))
}

// Ranks returns the members whose place in their team is right.
func (t *Roster) Ranks(right func(rank int) bool) lane.Mask {
	var m lane.Mask
	for l := range t.Members.Lanes() {
		if right(t.Number(l)) {
			m = m.With(l)
		}
	}
	return m
}

// Firsts returns the members that are the first of their team.
func (t *Roster) Firsts() lane.Mask { return t.Ranks(func(rank int) bool { return rank == 0 }) }

func (t *Roster) membersOf(first int) int {
	return t.Members.And(lane.Range(first, min(first+t.Width, t.Lanes))).Count()
}

// LastLane returns the last lane with an item of lane l's group, l itself if it
// has none.
func (t *Roster) LastLane(l int) int {
	first := l / t.Width * t.Width
	if n := t.membersOf(first); n > 0 {
		return first + n - 1
	}
	return l
}

// A Segments is groups that are cut further: Begin has the first lanes of the
// parts.
type Segments struct {
	t     *Roster
	Begin lane.Mask
}

// Cut cuts the groups at the lanes of begin, and where they begin themselves.
func (t *Roster) Cut(begin lane.Mask) Segments {
	return Segments{t, begin.Or(t.Firsts()).And(t.Members)}
}

// Last returns the last lane of lane l's segment, l itself if it holds no item.
func (s Segments) Last(l int) int {
	if !s.t.Members.Has(l) {
		return l
	}
	end := s.t.LastLane(l)
	if next := s.Begin.And(lane.Range(l+1, end+1)).First(); next >= 0 {
		return next - 1
	}
	return end
}

// First returns the first lane of lane l's segment. A lane without an item gets
// one that may be read.
func (s Segments) First(l int) int {
	if first := s.Begin.And(lane.FirstN(l + 1)).Last(); first >= 0 {
		return first
	}
	return l
}
