package warptest_test

import (
	"testing"

	"example.com/warpsim/lane"
	"example.com/warpsim/vote"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/warptest"

	"github.com/stretchr/testify/require"
)

// ownVotes are the library's, with a mistake that a test may plant: in what is asked, or
// in what is answered.
type ownVotes struct {
	lanes  int
	change func(members, predicate *lane.Mask, values []uint32)
	uni    func(all, any bool) bool
	elect  func(lane.Mask) int
	match  func(members lane.Mask, values []uint32, same []lane.Mask, distinct *int)
	all    func(members lane.Mask, same *lane.Mask, all *bool)
	signed func(op warp.ReduxOp, signed bool) bool
}

func (v *ownVotes) changed(members, predicate *lane.Mask, values []uint32) {
	if v.change != nil {
		v.change(members, predicate, values)
	}
}

func (v *ownVotes) Vote(kind warp.VoteKind, members, p lane.Mask) bool {
	v.changed(&members, &p, nil)
	switch {
	case kind == warp.VoteAll:
		return vote.All(members, p)
	case kind == warp.VoteAny:
		return vote.Any(members, p)
	case v.uni != nil:
		return v.uni(vote.All(members, p), vote.Any(members, p))
	}
	return vote.Uni(members, p)
}

func (v *ownVotes) Ballot(members, p lane.Mask) lane.Mask {
	v.changed(&members, &p, nil)
	return vote.Ballot(members, p)
}

func (v *ownVotes) Elect(members lane.Mask) int {
	if v.elect != nil {
		return v.elect(members)
	}
	return vote.Elect(members)
}

func (v *ownVotes) MatchAny(members lane.Mask, values []uint32) ([]lane.Mask, int) {
	v.changed(&members, &lane.Mask{}, values)
	same := make([]lane.Mask, v.lanes)
	distinct := vote.MatchAny(same, members, values)
	if v.match != nil {
		v.match(members, values, same, &distinct)
	}
	return same, distinct
}

func (v *ownVotes) MatchAll(members lane.Mask, values []uint32) (lane.Mask, bool) {
	v.changed(&members, &lane.Mask{}, values)
	same, all := vote.MatchAll(members, values)
	if v.all != nil {
		v.all(members, &same, &all)
	}
	return same, all
}

func (v *ownVotes) Reduce(op warp.ReduxOp, signed bool, members lane.Mask, values []uint32) uint32 {
	v.changed(&members, &lane.Mask{}, values)
	if v.signed != nil {
		signed = v.signed(op, signed)
	}
	row := make([]int32, len(values))
	for l, x := range values {
		row[l] = int32(x)
	}
	switch op {
	case warp.ReduxAdd:
		return vote.Add(members, values)
	case warp.ReduxAnd:
		return vote.And(members, values)
	case warp.ReduxOr:
		return vote.Or(members, values)
	case warp.ReduxXor:
		return vote.Xor(members, values)
	case warp.ReduxMin:
		if signed {
			return uint32(vote.Min(members, row))
		}
		return vote.Min(members, values)
	}
	if signed {
		return uint32(vote.Max(members, row))
	}
	return vote.Max(members, values)
}

func TestVotesOfImplementers(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, many mistakes")
	}
	require.NoError(t, warptest.TestVotes(func(lanes int) warptest.Votes { return &ownVotes{lanes: lanes} }))
	require.Error(t, warptest.TestVotes(nil))
	require.Error(t, warptest.TestVotes(func(int) warptest.Votes { return nil }))
	mistakes := map[string]ownVotes{
		"who is no member counts":        {change: func(m, p *lane.Mask, _ []uint32) { *m = m.Or(*p) }},
		"the upper lanes are left out":   {change: func(m, _ *lane.Mask, _ []uint32) { m.Hi = 0 }},
		"the last lane is left out":      {change: func(m, _ *lane.Mask, _ []uint32) { *m = m.Without(127) }},
		"the predicate is negated":       {change: func(m, p *lane.Mask, _ []uint32) { *p = m.AndNot(*p) }},
		"values are changed":             {change: func(_, _ *lane.Mask, v []uint32) { clear(v) }},
		"uniform is all":                 {uni: func(all, _ bool) bool { return all }},
		"uniform is not any":             {uni: func(_, any bool) bool { return !any }},
		"the last leads":                 {elect: lane.Mask.Last},
		"lane 0 leads":                   {elect: func(lane.Mask) int { return 0 }},
		"match compares all but the top": {match: func(m lane.Mask, v []uint32, s []lane.Mask, n *int) { *n = vote.MatchAny(s, m, cut(v)) }},
		"match forgets the lane itself": {match: func(m lane.Mask, _ []uint32, s []lane.Mask, _ *int) {
			for l := range m.Lanes() {
				s[l] = s[l].Without(l)
			}
		}},
		"match tells lanes, not values":    {match: func(m lane.Mask, _ []uint32, _ []lane.Mask, n *int) { *n = m.Count() }},
		"match all gives the mask always":  {all: func(m lane.Mask, s *lane.Mask, _ *bool) { *s = m }},
		"match all says yes always":        {all: func(_ lane.Mask, _ *lane.Mask, all *bool) { *all = true }},
		"the least is unsigned":            {signed: func(op warp.ReduxOp, s bool) bool { return s && op != warp.ReduxMin }},
		"the greatest is signed":           {signed: func(op warp.ReduxOp, s bool) bool { return s || op == warp.ReduxMax }},
		"and is or":                        {},
		"sums saturate at the first carry": {},
	}
	for name, mistake := range mistakes {
		err := warptest.TestVotes(func(lanes int) warptest.Votes {
			x := mistake
			x.lanes = lanes
			switch name {
			case "and is or":
				return &otherReduce{x, func(op warp.ReduxOp, m lane.Mask, v []uint32) (uint32, bool) {
					return vote.Or(m, v), op == warp.ReduxAnd
				}}
			case "sums saturate at the first carry":
				return &otherReduce{x, func(op warp.ReduxOp, m lane.Mask, v []uint32) (uint32, bool) {
					sum := uint64(0)
					for l := range m.Lanes() {
						sum = min(sum+uint64(v[l]), 1<<32-1)
					}
					return uint32(sum), op == warp.ReduxAdd
				}}
			}
			return &x
		})
		var e *warptest.MismatchError
		require.ErrorAs(t, err, &e, name)
		require.ErrorContains(t, err, "warptest: ", name)
	}
}

func cut(values []uint32) []uint32 {
	out := make([]uint32, len(values))
	for l, v := range values {
		out[l] = v & 0x7fffffff
	}
	return out
}

// otherReduce are votes that reduce in another way.
type otherReduce struct {
	ownVotes
	reduce func(op warp.ReduxOp, m lane.Mask, v []uint32) (uint32, bool)
}

func (v *otherReduce) Reduce(op warp.ReduxOp, signed bool, members lane.Mask, values []uint32) uint32 {
	if x, ok := v.reduce(op, members, values); ok {
		return x
	}
	return v.ownVotes.Reduce(op, signed, members, values)
}
