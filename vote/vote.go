package vote

import (
	"golang.org/x/exp/constraints"

	"example.com/warpsim/lane"
)

// All reports whether the predicate is true in every member; true without
// members.
func All(members, predicate lane.Mask) bool { return predicate.Contains(members) }

// Any reports whether the predicate is true in some member; false without
// members.
func Any(members, predicate lane.Mask) bool { return predicate.Overlaps(members) }

// Uni reports whether the predicate is the same in all members; true without
// members.
func Uni(members, predicate lane.Mask) bool {
	return All(members, predicate) || !Any(members, predicate)
}

// Ballot returns the members whose predicate is true. With the active lanes as
// members and a predicate that is true everywhere it is the active mask: the
// lanes that happen to run together at this instruction, no more.
func Ballot(members, predicate lane.Mask) lane.Mask { return members.And(predicate) }

// Elect returns the lane that leads the members, the lowest, or -1 without
// members.
func Elect(members lane.Mask) int { return members.First() }

// NonZero returns the lanes whose value is not zero: the predicate that an
// integer stands for, whatever bits it has set.
func NonZero[T constraints.Integer](row []T) lane.Mask {
	var words [2]uint64
	for l, v := range row[:min(len(row), lane.MaxLanes)] {
		if v != 0 {
			words[l>>6&1] |= 1 << (uint(l) & 63)
		}
	}
	return lane.Mask{Lo: words[0], Hi: words[1]}
}

// True returns the lanes whose predicate is true.
func True(row []bool) lane.Mask {
	var words [2]uint64
	for l, v := range row[:min(len(row), lane.MaxLanes)] {
		if v {
			words[l>>6&1] |= 1 << (uint(l) & 63)
		}
	}
	return lane.Mask{Lo: words[0], Hi: words[1]}
}

// clip takes the members off that a row of n lanes does not have.
func clip(members lane.Mask, n int) lane.Mask {
	if n < lane.MaxLanes {
		return members.And(lane.FirstN(n))
	}
	return members
}
