package vote

import (
	"golang.org/x/exp/constraints"

	"example.com/warpsim/lane"
)

// The lane masks of a lane of a warp of the given number of lanes: the lanes
// equal to, below, not above, above and not below it. A lane that the warp does
// not have gives the same set of the lanes it has, so none is equal to it.

// LaneMaskEq returns lane l alone.
func LaneMaskEq(l, lanes int) lane.Mask { return lane.Bit(l).And(lane.FirstN(lanes)) }

// LaneMaskLt returns the lanes below l.
func LaneMaskLt(l, lanes int) lane.Mask { return lane.Below(min(l, lanes)) }

// LaneMaskLe returns the lanes up to and with l.
func LaneMaskLe(l, lanes int) lane.Mask { return lane.Below(min(l, lanes-1) + 1) }

// LaneMaskGt returns the lanes above l.
func LaneMaskGt(l, lanes int) lane.Mask { return lane.Above(max(l, -1), lanes) }

// LaneMaskGe returns the lanes from l on.
func LaneMaskGe(l, lanes int) lane.Mask { return lane.Range(max(l, 0), lanes) }

// Rank returns how many lanes of the ballot lie below lane l: where the lane's
// value goes when the lanes of the ballot are packed together.
func Rank(ballot lane.Mask, l int) int { return ballot.Rank(l) }

// Ranks sets every lane of dst to its rank in the ballot. Types of 8 bits hold
// every rank.
func Ranks[T constraints.Integer](dst []T, ballot lane.Mask) {
	dst = dst[:min(len(dst), lane.MaxLanes)]
	var below T
	w := ballot.Lo
	for l := range dst {
		if l == 64 {
			w = ballot.Hi
		}
		dst[l] = below
		below += T(w & 1)
		w >>= 1
	}
}
