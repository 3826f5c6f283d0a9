package warptest_test

import (
	"testing"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp/warptest"

	"github.com/stretchr/testify/require"
)

// own is a crossbar of the library's, with a mistake that a test may plant.
type own struct {
	lanes  int
	change func(x *own, rule *crossbar.Rule, mode *crossbar.Mode, width *int, operands []int32)
	spoil  func(mode crossbar.Mode, width int, operands []int32, sources []int, in *lane.Mask)
}

func (x *own) Shuffle(rule crossbar.Rule, mode crossbar.Mode, width int, operands []int32) ([]int, lane.Mask) {
	if x.change != nil {
		x.change(x, &rule, &mode, &width, operands)
	}
	var r crossbar.Route
	r.ShuffleLanes(rule, mode, x.lanes, width, operands)
	sources := make([]int, x.lanes)
	for l := range sources {
		sources[l] = r.Source(l)
	}
	in := r.InRange()
	if x.spoil != nil {
		x.spoil(mode, width, operands, sources, &in)
	}
	return sources, in
}

func TestCrossbarOfImplementers(t *testing.T) {
	require.NoError(t, warptest.TestCrossbar(func(lanes int) warptest.Crossbar { return &own{lanes: lanes} }))
	require.Error(t, warptest.TestCrossbar(nil))
	require.Error(t, warptest.TestCrossbar(func(int) warptest.Crossbar { return nil }))
	for name, mistake := range map[string]own{
		"up by one too many": {change: func(_ *own, _ *crossbar.Rule, m *crossbar.Mode, _ *int, o []int32) {
			for l := range o {
				if *m == crossbar.Up && o[l] == 31 {
					o[l]++
				}
			}
		}},
		"segments are left out": {change: func(x *own, _ *crossbar.Rule, _ *crossbar.Mode, w *int, _ []int32) { *w = x.lanes }},
		"up and down changed places": {change: func(_ *own, _ *crossbar.Rule, m *crossbar.Mode, _ *int, _ []int32) {
			if *m == crossbar.Up || *m == crossbar.Down {
				*m = crossbar.Up + crossbar.Down - *m
			}
		}},
		"all rules are PTX": {change: func(_ *own, r *crossbar.Rule, _ *crossbar.Mode, _ *int, _ []int32) { *r = crossbar.CutToWarp }},
		"seven bits are taken for the warp's": {change: func(_ *own, r *crossbar.Rule, _ *crossbar.Mode, _ *int, _ []int32) {
			if *r == crossbar.CutTo7 {
				*r = crossbar.CutToWarp
			}
		}},
		"the operand of lane 0 for all": {change: func(_ *own, _ *crossbar.Rule, _ *crossbar.Mode, _ *int, o []int32) {
			for l := range o {
				o[l] = o[0]
			}
		}},
		"negative operands are 0": {change: func(_ *own, _ *crossbar.Rule, _ *crossbar.Mode, _ *int, o []int32) {
			for l := range o {
				o[l] = max(o[l], 0)
			}
		}},
		"out of range reads lane 0": {spoil: func(_ crossbar.Mode, _ int, _ []int32, s []int, in *lane.Mask) {
			for l := range s {
				if !in.Has(l) {
					s[l] = 0
				}
			}
		}},
		"all are in range": {spoil: func(_ crossbar.Mode, _ int, _ []int32, s []int, in *lane.Mask) { *in = lane.FirstN(len(s)) }},
		"a lane that does not exist is in range": {spoil: func(_ crossbar.Mode, _ int, _ []int32, s []int, in *lane.Mask) {
			if len(s) < lane.MaxLanes {
				*in = in.With(len(s))
			}
		}},
		"xor reads later segments": {spoil: func(m crossbar.Mode, w int, o []int32, s []int, in *lane.Mask) {
			for l := range s {
				if m == crossbar.Xor && !in.Has(l) && o[l] >= 0 && l^int(o[l]) < len(s) {
					s[l] = l ^ int(o[l])
				}
			}
		}},
		"the last lane of 128": {spoil: func(m crossbar.Mode, _ int, o []int32, s []int, _ *lane.Mask) {
			if len(s) == 128 && m == crossbar.Idx && o[127] == 5 {
				s[127] = 4
			}
		}},
	} {
		err := warptest.TestCrossbar(func(lanes int) warptest.Crossbar {
			x := mistake
			x.lanes = lanes
			return &x
		})
		var e *warptest.MismatchError
		require.ErrorAs(t, err, &e, name)
		require.ErrorContains(t, err, "warptest: ")
	}
}
