package main

import (
	"fmt"

	"example.com/warpsim/lane"
)

func checkVote(l layer, r *record) ([]result, error) {
	members := r.mask("mask")
	values := make([]uint32, lanes)
	for i, v := range r.hexes("value_of_lane_0_to_31_hex", 32) {
		values[i] = uint32(v)
	}
	if r.err != nil {
		return nil, nil
	}
	v, err := l.vote(members, values)
	if err != nil {
		return nil, err
	}
	bit := map[bool]int64{true: 1}
	var results []result
	number := func(column string, got int64) {
		results = append(results, result{column, fmt.Sprint(r.number(column)), fmt.Sprint(got)})
	}
	mask := func(column string, got lane.Mask) {
		results = append(results, result{column, r.mask(column).Hex(lanes), got.Hex(lanes)})
	}
	perLane := func(column string, got []lane.Mask) {
		bits := make([]uint64, lanes)
		for i := range bits {
			bits[i] = got[i].Lo
		}
		results = append(results, result{column, spaced(r.hexes(column, 32), "%x"), spaced(bits, "%x")})
	}
	number("all", bit[v.all])
	number("any", bit[v.any])
	number("uni", bit[v.uni])
	mask("ballot", v.ballot)
	mask("activemask", v.active)
	perLane("match_any_of_lane_0_to_31", v.matchAny)
	perLane("match_all_of_lane_0_to_31", v.matchAll)
	mask("match_all_pred_ballot", v.matchAllPred)
	number("add_u32", int64(v.addU))
	number("min_u32", int64(v.minU))
	number("max_u32", int64(v.maxU))
	number("and", int64(v.and))
	number("or", int64(v.or))
	number("xor", int64(v.xor))
	number("add_s32", int64(v.addS))
	number("min_s32", int64(v.minS))
	number("max_s32", int64(v.maxS))
	return results, nil
}
