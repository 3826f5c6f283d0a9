package main

import (
	"errors"
	"fmt"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/lane"
	"example.com/warpsim/vote"
	"example.com/warpsim/warp"
)

// routing answers from the crossbar and the votes alone, without an engine.
type routing struct {
	route crossbar.Route
}

func (r *routing) remark(string) string { return "" }

func (r *routing) machine() *warp.Engine { return nil }

func laneNumbers() []int32 {
	out := make([]int32, lanes)
	for l := range out {
		out[l] = int32(l)
	}
	return out
}

func (r *routing) shuffle(q shuffle) (answer, error) {
	if !q.mimic {
		if err := crossbar.Validate(lanes, q.width); err != nil {
			return answer{}, err
		}
	}
	if len(q.operands) == 1 {
		r.route.Shuffle(crossbar.CutToWarp, q.mode, lanes, q.width, q.operands[0])
	} else {
		r.route.ShuffleLanes(crossbar.CutToWarp, q.mode, lanes, q.width, q.operands)
	}
	a := answer{values: make([]int32, lanes)}
	for l := range a.values {
		a.values[l] = q.old
	}
	crossbar.Move(a.values, laneNumbers(), &r.route, q.members)
	outside := r.route.Outside(q.members)
	if !q.mimic {
		a.undefined = outside
		return a, nil
	}
	for l := range outside.Lanes() {
		a.values[l] = readAbsent
	}
	return a, nil
}

func (r *routing) raw(mode crossbar.Mode, b, c []int32) (answer, lane.Mask, error) {
	bits := func(in []int32) []uint32 {
		out := make([]uint32, len(in))
		for i, v := range in {
			out[i] = uint32(v)
		}
		return out
	}
	r.route.Raw(crossbar.CutToWarp, mode, lanes, bits(b), bits(c))
	a := answer{values: make([]int32, lanes)}
	crossbar.Move(a.values, laneNumbers(), &r.route, lane.FirstN(lanes))
	return a, r.route.InRange(), nil
}

func (r *routing) vote(members lane.Mask, values []uint32) (votes, error) {
	signed, low := make([]int32, lanes), make([]uint32, lanes)
	for l, v := range values {
		signed[l], low[l] = int32(v), v&1
	}
	p := vote.NonZero(low)
	out := votes{
		all: vote.All(members, p), any: vote.Any(members, p), uni: vote.Uni(members, p),
		ballot: vote.Ballot(members, p), active: vote.Ballot(members, lane.FirstN(lanes)),
		matchAny: make([]lane.Mask, lanes), matchAll: make([]lane.Mask, lanes),
		addU: vote.Add(members, values), minU: vote.Min(members, values), maxU: vote.Max(members, values),
		and: vote.And(members, values), or: vote.Or(members, values), xor: vote.Xor(members, values),
		addS: vote.Add(members, signed), minS: vote.Min(members, signed), maxS: vote.Max(members, signed),
	}
	vote.MatchAny(out.matchAny, members, values)
	all, same := vote.MatchAll(members, values)
	for l := range members.Lanes() {
		out.matchAll[l] = all
	}
	if same {
		out.matchAllPred = members
	}
	return out, nil
}

func (r *routing) barrier(predicates []int32) (count int, and, or bool, err error) {
	and = true
	for base := 0; base < len(predicates); base += lanes {
		row := predicates[base:min(base+lanes, len(predicates))]
		members, p := lane.FirstN(len(row)), vote.NonZero(row)
		count += vote.Ballot(members, p).Count()
		and = and && vote.All(members, p)
		or = or || vote.Any(members, p)
	}
	return count, and, or, nil
}

func (r *routing) tree(algorithm string, bits int, values []uint64) ([]uint64, error) {
	if bits == 64 {
		row := fromBits(values)
		err := runTree(&r.route, algorithm, row)
		return toBits(row), err
	}
	narrow := fromBits32(values)
	err := runTree(&r.route, algorithm, narrow)
	return toBits32(narrow), err
}

var errAlgorithm = errors.New("unknown algorithm")

// runTree runs an algorithm in place.
func runTree[T float32 | float64](r *crossbar.Route, algorithm string, v []T) error {
	n := len(v)
	all, other := lane.FirstN(n), make([]T, n)
	// step adds what arrives to every lane from first on.
	step := func(mode crossbar.Mode, d, first int) {
		r.Shuffle(crossbar.CutToWarp, mode, n, n, int32(d))
		crossbar.Move(other, v, r, all)
		for l := first; l < n; l++ {
			v[l] += other[l]
		}
	}
	switch algorithm {
	case treeDown:
		for d := n / 2; d > 0; d /= 2 {
			step(crossbar.Down, d, 0)
		}
	case treeXorFall, groupReduce:
		for d := n / 2; d > 0; d /= 2 {
			step(crossbar.Xor, d, 0)
		}
	case treeXorRise:
		for d := 1; d < n; d *= 2 {
			step(crossbar.Xor, d, 0)
		}
	case treeScan, groupScan, groupScanExcl:
		for d := 1; d < n; d *= 2 {
			step(crossbar.Up, d, d)
		}
		if algorithm == groupScanExcl {
			r.Shuffle(crossbar.CutToWarp, crossbar.Up, n, n, 1)
			crossbar.Move(v, v, r, all)
			v[0] = 0
		}
	default:
		return fmt.Errorf("%w %q", errAlgorithm, algorithm)
	}
	return nil
}
