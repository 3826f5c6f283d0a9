package vote

import (
	"golang.org/x/exp/constraints"

	"example.com/warpsim/lane"
)

// MatchAny sets dst of every member to the members that hold the same value, and
// returns how many different values the members hold, which is what the
// instruction's time depends on. Other lanes of dst stay, and so do members
// that dst is too short for; they match all the same. Devices compare bits, so
// give floats as their bits.
func MatchAny[T constraints.Integer](dst []lane.Mask, members lane.Mask, row []T) (distinct int) {
	members = clip(members, len(row))
	if members.Empty() {
		return 0
	}
	var g groups[T]
	distinct = g.collect(members, row)
	for rest := members; !rest.Empty(); {
		l := rest.First()
		same := g.lanes[g.group[l&127]&127]
		// Lanes of one group get the same mask: write them together.
		for s := same; !s.Empty(); {
			k := s.First()
			if k < len(dst) {
				dst[k] = same
			}
			s = dropFirst(s)
		}
		rest = rest.AndNot(same)
	}
	return distinct
}

// MatchAll returns the members and true if all of them hold the same value, the
// empty mask and false if not. Without members it returns the empty mask and
// true.
func MatchAll[T constraints.Integer](members lane.Mask, row []T) (lane.Mask, bool) {
	members = clip(members, len(row))
	if members.Empty() {
		return members, true
	}
	v := row[members.First()]
	for rest := dropFirst(members); !rest.Empty(); rest = dropFirst(rest) {
		if row[rest.First()] != v {
			return lane.Mask{}, false
		}
	}
	return members, true
}

// dropFirst returns m, which is not empty, without its first lane.
func dropFirst(m lane.Mask) lane.Mask {
	if m.Lo != 0 {
		m.Lo &= m.Lo - 1
	} else {
		m.Hi &= m.Hi - 1
	}
	return m
}

// groups sorts lanes by value through a small hash table, so that a warp of
// different values costs no more than a uniform one.
type groups[T constraints.Integer] struct {
	slots [2 * lane.MaxLanes]uint8 // number of the group plus one
	group [lane.MaxLanes]uint8     // of every member
	value [lane.MaxLanes]T         // of every group
	lanes [lane.MaxLanes]lane.Mask
}

// collect fills g with the members, none of them beyond the row, and returns
// the number of groups.
func (g *groups[T]) collect(members lane.Mask, row []T) int {
	n := 0
	for rest := members; !rest.Empty(); rest = dropFirst(rest) {
		l := rest.First() & 127
		v := row[l]
		for slot := uint64(v) * 0x9e3779b97f4a7c15 >> 56; ; slot++ {
			k := int(g.slots[slot&255])
			if k == 0 {
				n++
				k = n
				g.slots[slot&255], g.value[(k-1)&127] = uint8(k), v
			}
			if i := (k - 1) & 127; g.value[i] == v {
				g.group[l] = uint8(i)
				g.lanes[i] = g.lanes[i].With(l)
				break
			}
		}
	}
	return n
}
