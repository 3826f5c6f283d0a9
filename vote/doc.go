// Package vote computes what the lanes of a warp agree on: votes over
// predicates, matches of values, the election of a leader, and the reductions
// that devices have in hardware. All of it is pure: masks and rows in, a result
// out, without warps, registers or time.
//
// # Arguments
//
// A predicate is a [lane.Mask] with the lanes whose predicate is true; a row is
// a slice with the value of lane i at index i. Only the lanes of the member mask
// count, and a member that the row is too short for is no member. Each function
// says what it gives if there is no member. Everything works for 1 to 128 lanes
// and allocates nothing.
//
// # What there is
//
//   - votes: [All], [Any], [Uni], [Ballot], and [Elect] for a leader
//   - matches: [MatchAny], [MatchAll]
//   - places of members: [Ranks]
//   - reductions: [Add], [Min], [Max], [And], [Or], [Xor]
//   - from rows to masks: [True], [NonZero]
//
// # Stability
//
// The exported names are stable from version 1 on: they keep their meaning within a
// major version.
package vote
