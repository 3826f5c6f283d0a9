package warptest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
)

// Votes is an implementation of votes, matches and reductions that TestVotes is to check.
// Only members count; a predicate may be true in other lanes, and values has one for every
// lane of the warp.
type Votes interface {
	// Vote reports whether the predicate holds in all members, in any, or is the same in
	// all; Ballot returns the members in which it holds, and Elect the lowest member.
	Vote(kind warp.VoteKind, members, predicate lane.Mask) bool
	Ballot(members, predicate lane.Mask) lane.Mask
	Elect(members lane.Mask) int
	// MatchAny returns for each member, by lane, the members with the same value, and
	// how many different values there are; MatchAll the members if all have the same
	// value, or else the empty mask, and whether they have.
	MatchAny(members lane.Mask, values []uint32) (same []lane.Mask, distinct int)
	MatchAll(members lane.Mask, values []uint32) (same lane.Mask, all bool)
	// Reduce returns what an operation comes to over the members' values; signed says
	// how the least and the greatest compare.
	Reduce(op warp.ReduxOp, signed bool, members lane.Mask, values []uint32) uint32
}

// TestVotes holds an implementation against the definitions, which the rows that an H200
// returned hold too, on 1 to 128 lanes: members from one to all, predicates and values alike,
// different and at their edges. It returns a *MismatchError for the first that differs. make
// returns Votes of so many lanes; a nil make, and nil Votes, are errors.
func TestVotes(make func(lanes int) Votes) error {
	if make == nil {
		return fmt.Errorf("warptest: TestVotes: nil: give a function that makes votes")
	}
	for lanes := 1; lanes <= lane.MaxLanes; lanes *= 2 {
		v := make(lanes)
		if v == nil {
			return fmt.Errorf("warptest: TestVotes: no votes of %d lanes", lanes)
		}
		r := rand.New(rand.NewPCG(uint64(lanes), 17))
		for _, members := range memberSets(lanes, r) {
			for _, p := range []lane.Mask{{}, lane.FirstN(lanes), members, lane.FirstN(lanes).AndNot(members),
				lane.Only(members.First()), members.Without(members.Last()), randomMask(lanes, r)} {
				if err := checkPredicate(v, lanes, members, p); err != nil {
					return err
				}
			}
			for _, values := range valueRows(lanes, members, r) {
				if err := checkValues(v, members, values); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func randomMask(lanes int, r *rand.Rand) lane.Mask {
	return lane.Mask{Lo: r.Uint64(), Hi: r.Uint64()}.And(lane.FirstN(lanes))
}

// memberSets returns sets with members: all, each lane alone, all but each, halves, every
// second lane, and some at random.
func memberSets(lanes int, r *rand.Rand) []lane.Mask {
	all := lane.FirstN(lanes)
	odd := lane.Mask{Lo: 0xaaaaaaaaaaaaaaaa, Hi: 0xaaaaaaaaaaaaaaaa}.And(all)
	sets := []lane.Mask{all, lane.FirstN(lanes / 2), all.AndNot(lane.FirstN(lanes / 2)), odd, all.AndNot(odd)}
	for l := range lanes {
		sets = append(sets, lane.Only(l), all.Without(l))
	}
	for range 20 {
		sets = append(sets, randomMask(lanes, r))
	}
	return slices.DeleteFunc(sets, lane.Mask.Empty)
}

// valueRows returns rows of values: alike, all different, of few values, different in the
// highest bit only, one that differs in the last member, and edges.
func valueRows(lanes int, members lane.Mask, r *rand.Rand) [][]uint32 {
	edges := []uint32{0, 1, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0xfffffffe}
	rows := make([][]uint32, 6)
	for i := range rows {
		rows[i] = make([]uint32, lanes)
	}
	for l := range lanes {
		rows[0][l] = 0xdeadbeef
		rows[1][l] = uint32(l)*0x9e3779b9 + 5
		rows[2][l] = uint32(r.IntN(3))
		rows[3][l] = uint32(r.IntN(2)) << 31
		rows[4][l] = 77
		rows[5][l] = edges[r.IntN(len(edges))]
		if !members.Has(l) { // who does not take part differs from all
			rows[0][l], rows[4][l] = uint32(l), r.Uint32()
		}
	}
	rows[4][members.Last()]++
	return rows
}

func checkPredicate(v Votes, lanes int, members, p lane.Mask) error {
	held, n := lane.Mask{}, 0
	for l := range lanes {
		if members.Has(l) {
			if n++; p.Has(l) {
				held = held.With(l)
			}
		}
	}
	with := fmt.Sprintf("of lanes %s of %d, predicate in %s", members.Ranges(), lanes, p.Ranges())
	k := held.Count()
	for kind, want := range [...]bool{warp.VoteAll: k == n, warp.VoteAny: k > 0, warp.VoteUni: k == 0 || k == n} {
		name := [...]string{warp.VoteAll: "all", warp.VoteAny: "any", warp.VoteUni: "uni"}[kind]
		if err := differs(fmt.Sprintf("vote %s %s", name, with), want, v.Vote(warp.VoteKind(kind), members, p)); err != nil {
			return err
		}
	}
	if err := differs("ballot "+with, held.Ranges(), v.Ballot(members, p).Ranges()); err != nil {
		return err
	}
	return differs("leader "+with, members.First(), v.Elect(members))
}

func checkValues(v Votes, members lane.Mask, values []uint32) error {
	with := func(what string) string {
		return fmt.Sprintf("%s of lanes %s of %d, values %#x", what, members.Ranges(), len(values), values)
	}
	given := slices.Clone(values)
	same, distinct := v.MatchAny(members, given)
	if len(same) < members.Last()+1 {
		return differs(with("match any"), fmt.Sprintf("a mask for each of %d lanes", len(values)), fmt.Sprint(len(same)))
	}
	var different []uint32
	all := lane.Mask{}
	for l := range members.Lanes() {
		want := lane.Mask{}
		for k := range members.Lanes() {
			if values[k] == values[l] {
				want = want.With(k)
			}
		}
		if l == members.First() {
			all = want
		}
		if !slices.Contains(different, values[l]) {
			different = append(different, values[l])
		}
		if same[l] != want {
			return &MismatchError{with("match any"), l, want.Ranges(), same[l].Ranges()}
		}
	}
	if err := differs(with("different values"), len(different), distinct); err != nil {
		return err
	}
	if len(different) > 1 {
		all = lane.Mask{}
	}
	got, uniform := v.MatchAll(members, given)
	if err := differs(with("match all"), all.Ranges(), got.Ranges()); err != nil {
		return err
	}
	if err := differs(with("match all, the predicate"), len(different) == 1, uniform); err != nil {
		return err
	}
	for op := warp.ReduxAdd; op <= warp.ReduxXor; op++ {
		for _, signed := range []bool{false, true} {
			want := reduction(op, signed, members, values)
			if err := differs(with(fmt.Sprintf("redux %s, signed %t,", op, signed)), want, v.Reduce(op, signed, members, given)); err != nil {
				return err
			}
		}
	}
	if !slices.Equal(values, given) {
		return differs(with("match or redux"), "the values as they were", "others")
	}
	return nil
}

// reduction is the definition, one member after the other.
func reduction(op warp.ReduxOp, signed bool, members lane.Mask, values []uint32) uint32 {
	x, first := uint32(0), true
	for l := range members.Lanes() {
		y := values[l]
		less := y < x
		if signed {
			less = int32(y) < int32(x)
		}
		switch {
		case first:
			x, first = y, false
		case op == warp.ReduxAdd:
			x += y
		case op == warp.ReduxMin && less, op == warp.ReduxMax && !less:
			x = y
		case op == warp.ReduxAnd:
			x &= y
		case op == warp.ReduxOr:
			x |= y
		case op == warp.ReduxXor:
			x ^= y
		}
	}
	return x
}
