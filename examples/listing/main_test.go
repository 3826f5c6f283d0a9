package main

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const grids = "../../bench/accuracy/testdata/grids.sass.gz"

func output(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var b strings.Builder
	err := run(context.Background(), append([]string{"-in", grids}, args...), &b)
	return b.String(), err
}

func reduce(more ...string) []string {
	return append([]string{"-kernel", "reduce_tree_f32", "-blocks", "4", "-threads", "256",
		"-arg", "f32[1024]=i%7", "-arg", "f32[1]", "-arg", "i32:1024", "-arg", "null"}, more...)
}

func TestListing(t *testing.T) {
	out, err := output(t, reduce()...)
	require.NoError(t, err)
	assert.Contains(t, out, "reduce_tree_f32(float const*, float*, int, Span*)\n4 blocks of 256 threads on h200: ")
	assert.Regexp(t, `0x0220  @!P1 LDG.E R4, desc\[UR6\]\[R2.64\] +32 +32.0 +\d+ .* 128\n`, out)
	assert.Equal(t, 5, strings.Count(out, "\n* 0x"))
	out, err = output(t, reduce("-json", "-values")...)
	require.NoError(t, err)
	var r struct {
		Instructions int64
		Lines        []line
	}
	require.NoError(t, json.Unmarshal([]byte(out), &r))
	assert.Len(t, r.Lines, 88)
	sum := int64(0)
	for _, l := range r.Lines {
		sum += l.Issued
	}
	assert.Equal(t, r.Instructions, sum)
}

func TestListAndCheck(t *testing.T) {
	out, err := output(t, "-list")
	require.NoError(t, err)
	assert.Contains(t, out, "gemm_tile16_f32(float const*, float const*, float*, int, Span*)\n  400 instructions, 30 registers, sm_90, control codes\n")
	out, err = output(t, "-list", "-json")
	require.NoError(t, err)
	var all []map[string]any
	require.NoError(t, json.Unmarshal([]byte(out), &all))
	assert.Len(t, all, 22)
	out, err = output(t, "-kernel", "copy_f32", "-check")
	require.NoError(t, err)
	assert.Equal(t, "64 instructions, 0 dependences that the schedule does not protect\n", out)
	out, err = output(t, "-check")
	require.NoError(t, err)
	assert.Equal(t, 22, strings.Count(out, " 0 dependences that the schedule does not protect\n"))
}

func TestBadInputs(t *testing.T) {
	for want, args := range map[string][]string{
		"no such file": {"-in", "nowhere.sass"},
		"no instructions found: this is no listing": {"-in", "main.go"},
		"-kernel names one of the 22 functions":     {},
		"no function of this name":                  {"-kernel", "frobnicate"},
		"too few: copy_f32 has 4 parameters":        {"-kernel", "copy_f32", "-arg", "null"},
		"the parameter is a pointer":                {"-kernel", "copy_f32", "-arg", "i32:1", "-arg", "null", "-arg", "i32:1", "-arg", "null"},
		"the parameter is of type int":              {"-kernel", "copy_f32", "-arg", "null", "-arg", "null", "-arg", "f32:1", "-arg", "null"},
		"argument 1: \"x\" is no argument":          {"-kernel", "copy_f32", "-arg", "x"},
		"\"j\" is unknown: the index is i":          {"-kernel", "copy_f32", "-arg", "f32[4]=j"},
		"\"bool\" is no type":                       {"-kernel", "copy_f32", "-arg", "bool[4]"},
		"is no number of type i32":                  {"-kernel", "copy_f32", "-arg", "i32:1.5"},
		"is no bank and file":                       {"-kernel", "copy_f32", "-constant", "2"},
		"at 0x0240 LDG.E":                           {"-kernel", "copy_f32", "-threads", "64", "-arg", "f32[32]", "-arg", "f32[64]", "-arg", "i32:64", "-arg", "null"},
		"is no size":                                {"-blocks", "0"},
		"device":                                    reduce("-device", "toaster"),
		"address out of bounds":                     {"-kernel", "copy_f32", "-threads", "64", "-arg", "f32[64]", "-arg", "f32[32]", "-arg", "i32:64", "-arg", "null"},
	} {
		_, err := output(t, args...)
		assert.ErrorContains(t, err, want)
		// What the flags say is wrong usage; a file or a kernel that fails is not.
		wrong := exitUsage
		for _, failed := range []string{"no such file", "no instructions", "too few", "the parameter is", "address out of bounds", "at 0x"} {
			if want == failed || strings.HasPrefix(want, failed) {
				wrong = exitFailed
			}
		}
		assert.Equal(t, wrong, exit(err, io.Discard), want)
	}
}
