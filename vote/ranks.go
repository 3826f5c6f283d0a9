package vote

import (
	"golang.org/x/exp/constraints"

	"example.com/warpsim/lane"
)

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
