package plan_test

import (
	"fmt"
	"testing"

	_ "example.com/warpsim/bench/sweep/kernels"
	"example.com/warpsim/bench/sweep/plan"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const head = "devices: [h200]\nkernels: [grid/reduce/hybrid]\n"

func TestBadFilesAreToldByLine(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "s.yaml: the file is empty; name devices, kernels and sizes; the README has a file to begin with"},
		{"a: [", "s.yaml:1: did not find expected node content; correct the YAML"},
		{"- h200", "s.yaml:1: not an object; give title, devices, numbers, vary, kernels, sizes, types, repetitions, seeds, best, pareto, crossover"},
		{head + "size: 3", "s.yaml:3: size: unknown field; did you mean sizes?"},
		{head + "sizes: 3\nsizes: 4", "s.yaml:4: sizes: given twice; remove one"},
		{"devices: h20", `s.yaml:1: devices: unknown device "h20"; did you mean h200?`},
		{"devices: [h200, H200]", "s.yaml:1: devices[1]: device h200 is given twice; remove one, or give it another name"},
		{"devices: [custom-33]", "s.yaml:1: devices[0]: a warp of 33 lanes: shuffle segments and butterflies need a power of two; use 32 or 64"},
		{"devices: [{base: h200, name: x, set: {limits.multiprocesors: 3}}]", `s.yaml:1: devices[0]: unknown field "limits.multiprocesors": the profile of h200 has no such number; did you mean limits.multiprocessors?`},
		{"kernels: grid/reduce/hybird", `s.yaml:1: kernels: unknown kernel "grid/reduce/hybird"; did you mean grid/reduce/hybrid?`},
		{"kernels: {package: example.com/none}", `s.yaml:1: kernels: this program has no kernels of package "example.com/none"; import the package in a program of your own that calls program.Main, as examples/ownkernel does`},
		{head, "s.yaml:1: no sizes; add sizes, such as [32, 64] or {from: 32, to: 1024, times: 2}"},
		{head + "sizes: []", "s.yaml:3: sizes: an empty list; name at least one"},
		{head + "sizes: {from: 9, to: 3}", "s.yaml:3: sizes: an empty range: from 9 is above to 3; swap them, or correct one"},
		{head + "sizes: {from: 1, to: 3, times: 1}", "s.yaml:3: sizes: a range from 1 that goes on by 1 times; begin above 0 and go on by more than 1"},
		{head + "sizes: {from: 1, to: 3, step: 0}", "s.yaml:3: sizes: a range in steps of 0; give a step above 0"},
		{head + "sizes: {from: 1, to: 1e9}", "s.yaml:3: sizes: a range of more than 1048576 values; take larger steps"},
		{head + "sizes: [32, 0]", "s.yaml:3: sizes: 0 is not a whole number from 1 on; correct it"},
		{head + "sizes: [32, 32]", "s.yaml:3: sizes: 32 is given twice; remove one"},
		{head + "sizes: many", `s.yaml:3: sizes: "many" is not a number; write one such as 32 or 0.5`},
		{head + "sizes: 3\ntypes: i8", `s.yaml:4: types: kernel grid/reduce/hybrid has no type "i8"; it has i32, u32, i64, u64, f32, f64`},
		{head + "sizes: 3\nvary: each", "s.yaml:1: vary: each without numbers; add numbers, or remove it"},
		{head + "sizes: 3\nnumbers: [{paths: shared.banks, values: [32, 0]}]", "s.yaml:4: numbers[0]: h200 refuses shared.banks = 0: shared.banks: 0; give a power of two from 1 to 1024; leave the value or the device out"},
		{head + "sizes: 3\nnumbers: [{paths: shared.bnks, values: 3}]", `s.yaml:4: numbers[0]: unknown field "shared.bnks": the profile of h200 has no such number; did you mean shared.banks?`},
		{head + "sizes: 3\nnumbers:\n  - {name: a, paths: timing.ops.shfl.*.latency, values: 3}\n  - {name: b, paths: timing.ops.shfl.up.latency, values: 3}",
			"s.yaml:6: numbers[1]: timing.ops.shfl.up.latency is varied by a as well; leave it to one of them"},
		{head + "sizes: 3\nbest: {by: dvice}", `s.yaml:4: best: by: unknown field "dvice"; did you mean device?`},
		{head + "sizes: 3\ncrossover: {between: [a, b], along: size}", `s.yaml:4: crossover: between: the sweep has no kernel "a"; known are grid/reduce/hybrid`},
		{head + "sizes: {from: 1, to: 1000000}\nseeds: {from: 0, to: 1000000}\nrepetitions: 1000", "s.yaml:1: 1e+15 points, and a sweep has at most 1.1e+12; cut it into several sweeps"},
	} {
		_, err := plan.Read("s.yaml", []byte(c.text))
		if assert.Error(t, err, c.text) {
			assert.Equal(t, c.want, err.Error(), c.text)
		}
	}
}

func TestPointsOfAGrid(t *testing.T) {
	s, err := plan.Read("s.yaml", []byte(`
devices: [h200, {base: custom-64, name: wide, set: {shared.banks: 64}}]
numbers:
  - {name: shuffle, paths: timing.ops.shfl.*.latency, values: {from: 10, to: 20, step: 5}}
  - {paths: shared.banks, values: [16, 32]}
kernels: [grid/reduce/hybrid, block/reduce/raking]
sizes: {from: 32, to: 128, times: 2}
types: [f32, i32]
seeds: [7, 8]
repetitions: 2
`))
	require.NoError(t, err)
	require.EqualValues(t, 2*3*2*2*3*2*2*2, s.Len())
	seen := map[string]bool{}
	for i := range s.Len() {
		p := s.At(i)
		require.Equal(t, i, p.Number)
		p.Number = 0
		seen[fmt.Sprintf("%+v", p)] = true
	}
	assert.Len(t, seen, int(s.Len()), "no two points are alike")

	p := s.At(s.Len() - 1)
	assert.Equal(t, plan.Point{Number: s.Len() - 1, Device: 1, Combination: 5, Kernel: "block/reduce/raking", Type: "i32", Size: 128,
		Seed: 8, Repetition: 1, Values: []float64{20, 32}, Varied: -1}, p)
	d, err := s.Profile(p)
	require.NoError(t, err)
	assert.Equal(t, 32, d.Shared.Count)
	for _, op := range []string{"shfl.up", "shfl.down", "shfl.xor", "shfl.idx"} {
		assert.Equal(t, 20, d.Timing.Ops[op].Latency, op)
	}
	assert.Equal(t, 64, d.Lanes)
}

func TestPointsOneNumberAtATime(t *testing.T) {
	s, err := plan.Read("s.yaml", []byte(`
devices: [custom-32]
vary: each
numbers:
  - {name: shuffle, paths: timing.ops.shfl.*.latency, values: [10, 40]}
  - {paths: shared.banks, values: [16]}
kernels: [grid/reduce/hybrid]
sizes: 64
pareto: {cost: {shared.banks: 2, timing.pipes.exchange.lanes: 0.5, instructions: 1}}
`))
	require.NoError(t, err)
	var values [][]float64
	var varied []int
	for i := range s.Len() {
		values, varied = append(values, s.At(i).Values), append(varied, s.At(i).Varied)
	}
	assert.Equal(t, [][]float64{{20, 32}, {10, 32}, {40, 32}, {20, 16}}, values)
	assert.Equal(t, []int{-1, 0, 0, 1}, varied)
	d, err := s.Profile(s.At(3))
	require.NoError(t, err)
	assert.Equal(t, 16, d.Shared.Count)
	assert.Equal(t, 20, d.Timing.Ops["shfl.up"].Latency)
	assert.Equal(t, 2*16+0.5*8+100, s.Cost(s.At(3), d, 100, 0))

	// What a worker elsewhere reads is the same sweep.
	encoded, err := s.Encode()
	require.NoError(t, err)
	again, err := plan.Decode(encoded)
	require.NoError(t, err)
	for i := range s.Len() {
		assert.Equal(t, s.At(i), again.At(i))
	}
}
