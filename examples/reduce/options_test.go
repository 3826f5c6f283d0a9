package main

import (
	"errors"
	"flag"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/warpsim/examples/reduce/internal/number"
)

var (
	someDevices    = []choice{{"h200", "32 lanes"}, {"mi300x", "64 lanes"}}
	someAlgorithms = []choice{{"tree", "shared memory"}, {"hybrid", "shuffles"}}
)

func TestOptions(t *testing.T) {
	plain := options{Devices: []string{"h200"}, Block: 256}
	for _, c := range []struct {
		args []string
		want func(*options)
	}{
		{nil, func(*options) {}},
		{[]string{"-in", "f", "-column", "c"}, func(o *options) { o.File, o.Column = "f", "c" }},
		{[]string{"-in", "-"}, func(o *options) { o.File = "-" }},
		{[]string{"-type", "u64", "-op", "xor"}, func(o *options) { o.Kind, o.Op = number.U64, number.OpXor }},
		{[]string{"-op=and"}, func(o *options) { o.Op = number.OpAnd }},
		{[]string{"-device", "all"}, func(o *options) { o.Devices = []string{"h200", "mi300x"} }},
		{[]string{"-device", "mi300x, h200,mi300x"}, func(o *options) { o.Devices = []string{"mi300x", "h200"} }},
		{[]string{"-algorithm", "tree"}, func(o *options) { o.Algorithm = "tree" }},
		{[]string{"-block", "32", "-grid", "0x10"}, func(o *options) { o.Block, o.Grid = 32, 16 }},
		{[]string{"-combine", "atomics", "-warm"}, func(o *options) { o.Combine, o.Warm = byAtomics, true }},
		{[]string{"-block", "1024", "-device", "all"}, func(o *options) { o.Block, o.Devices = 1024, []string{"h200", "mi300x"} }},
		{[]string{"-json", "-list"}, func(o *options) { o.JSON, o.List = true, true }},
	} {
		want := plain
		c.want(&want)
		got, err := parseOptions(c.args, sequentialEngine{})
		require.NoError(t, err, c.args)
		assert.Equal(t, want, got, c.args)
	}
}

func TestOptionErrors(t *testing.T) {
	for _, c := range []struct {
		args    []string
		message string
	}{
		{[]string{"-frobnicate"}, "flag provided but not defined: -frobnicate"},
		{[]string{"numbers.txt"}, `unexpected argument "numbers.txt"; a file is named with -in`},
		{[]string{"-in"}, "flag needs an argument: -in"},
		{[]string{"-in", ""}, "-in is empty"},
		{[]string{"-column", ""}, "-column is empty"},
		{[]string{"-algorithm="}, "-algorithm is empty"},
		{[]string{"-type="}, "-type is empty"},
		{[]string{"-type", "int"}, `no type "int" (there are i32, u32, i64, u64, f32, f64)`},
		{[]string{"-type", "F32"}, `no type "F32"; did you mean f32? (there are i32, u32, i64, u64, f32, f64)`},
		{[]string{"-op", "summ"}, `no operator "summ"; did you mean sum? (there are sum, min, max, and, or, xor)`},
		{[]string{"-op", ""}, `no operator "" (there are sum, min, max, and, or, xor)`},
		{[]string{"-op", "or", "-type", "f64"}, "or is defined on bits: it takes an integer type (i32, u32, i64, u64), not f64"},
		{[]string{"-device", "h2000"}, `no device "h2000"; did you mean h200? (there are h200, mi300x)`},
		{[]string{"-device", "h200,,mi300x"}, `no device "" (there are h200, mi300x)`},
		{[]string{"-algorithm", "tre"}, `no algorithm "tre"; did you mean tree? (there are tree, hybrid)`},
		{[]string{"-combine", "atomic"}, `no way to combine "atomic"; did you mean atomics? (there are two-pass, atomics, last-block)`},
		{[]string{"-block", "1025"}, `-block 1025: a block of h200 has at most 1,024 threads`},
		{[]string{"-block", "0"}, `invalid value "0" for flag -block: at least 1 is needed for the number of threads a block`},
		{[]string{"-grid", "0"}, `invalid value "0" for flag -grid: at least 1 is needed for the number of blocks`},
		{[]string{"-grid", "-3"}, `invalid value "-3" for flag -grid: at least 1 is needed for the number of blocks`},
		{[]string{"-grid", "many"}, `invalid value "many" for flag -grid: that is no whole number`},
		{[]string{"-grid", "9999999999"}, `invalid value "9999999999" for flag -grid: that is out of range`},
		{[]string{"-block", "2.5"}, `invalid value "2.5" for flag -block: that is no whole number`},
	} {
		_, err := parseOptions(c.args, sequentialEngine{})
		var usage *usageError
		require.ErrorAs(t, err, &usage, c.args)
		assert.EqualError(t, err, c.message)
	}
	_, err := parseOptions([]string{"-h"}, sequentialEngine{})
	assert.True(t, errors.Is(err, flag.ErrHelp))
}

func TestUsageErrorsKeepTheirCause(t *testing.T) {
	cause := errors.New("cause")
	assert.ErrorIs(t, &usageError{cause}, cause)
}
