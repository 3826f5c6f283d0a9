package main

// A checker holds one recorded file against a layer of the library.
type checker struct {
	name    string   // of the file, without extension
	columns []string // the columns it reads; a file may have more
	// run computes what a row recorded. Cells that cannot be read are noted in
	// the record, and the results then do not count. The error is for a
	// refusal of the library that the recording does not have.
	run func(l layer, r *record) ([]result, error)
}

// A result is something a row says, and what the library says to it.
type result struct {
	what, want, got string
}

// checkers are all checks there are. A new one is a line here and a run
// function beside the others.
var checkers = []checker{
	{"shfl_full", []string{"op", "width", "arg", "source_lane_of_lane_0_to_31"}, checkShuffle},
	{"shfl_per_lane", []string{"op", "width", "arg_of_lane_0_to_31", "source_lane_of_lane_0_to_31"}, checkShufflePerLane},
	{"shfl_ptx", []string{"mode", "b_of_lane_0_to_31", "c_of_lane_0_to_31", "d_of_lane_0_to_31", "predicate_mask"}, checkShuffleRaw},
	{"shfl_masked", []string{"op", "width", "arg", "mask", "source_lane_of_lane_0_to_31"}, checkShuffleMasked},
	{"shfl_bad_width", []string{"op", "width", "arg", "source_lane_of_lane_0_to_31"}, checkShuffleBadWidth},
	{"vote", []string{"mask", "value_of_lane_0_to_31_hex", "all", "any", "uni", "ballot", "activemask",
		"match_any_of_lane_0_to_31", "match_all_of_lane_0_to_31", "match_all_pred_ballot",
		"add_u32", "min_u32", "max_u32", "and", "or", "xor", "add_s32", "min_s32", "max_s32"}, checkVote},
	{"barrier_reduce", []string{"threads", "seed", "count_p0", "count_p1", "and_p0", "and_p2", "or_p1", "or_p3"}, checkBarrier},
	{"float_trees", []string{"type", "algorithm", "input_bits_of_lane_0_to_31", "output_bits_of_lane_0_to_31"}, checkTree},
	{"collective_reduce", []string{"algorithm", "type", "op", "logical_width_or_threads", "valid_items", "input", "result_of_each_logical_warp"}, checkReduction},
	{"collective_scan", []string{"algorithm", "type", "op", "logical_width_or_threads", "initial", "input", "inclusive", "exclusive_with_initial", "aggregate"}, checkScan},
	{"collective_segmented", []string{"flag_kind", "type", "op", "input", "flags_of_lane_0_to_31", segmentResults}, checkSegments},
	{"simt", []string{"kernel", "threads", "output_of_each_thread"}, checkSIMT},
}

// kernels are the recordings of whole kernels, which only a layer with an engine
// can run.
var kernels = []string{"collective_reduce", "collective_scan", "collective_segmented", "simt"}

func lookup(name string) *checker {
	for i := range checkers {
		if checkers[i].name == name {
			return &checkers[i]
		}
	}
	return nil
}
