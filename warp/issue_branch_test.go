package warp_test

import (
	"testing"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
	"github.com/stretchr/testify/assert"
)

func TestIssueBranches(t *testing.T) {
	recs := issuing(t, func(w *warp.Warp, issue func(warp.Instruction)) {
		p := w.Pred()
		warp.SetPred(p, lane.Mask{})
		issue(warp.Instruction{Op: isa.Branch, Variant: isa.BranchTaken})
		issue(warp.Instruction{Op: isa.Branch, A: isa.Uniform(3)})
		issue(warp.Instruction{Op: isa.Branch, Variant: isa.BranchTaken, Guard: isa.Predicate(0)})
		issue(warp.Instruction{Op: isa.PushSync})
		issue(warp.Instruction{Op: isa.Reconverge})
	})
	assert.Equal(t, []isa.Instr{
		{Op: isa.Branch, Active: 32, Aux: isa.BranchTaken},
		{Op: isa.Branch, Active: 32, A: isa.Uniform(3)},
		{Op: isa.Branch, Guard: 1},
		{Op: isa.PushSync, Active: 32}, {Op: isa.Reconverge, Active: 32},
	}, recs[1:])
}
