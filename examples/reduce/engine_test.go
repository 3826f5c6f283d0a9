package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"example.com/warpsim/warp/device"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/warpsim/examples/reduce/internal/exact"
	"example.com/warpsim/examples/reduce/internal/input"
	"example.com/warpsim/examples/reduce/internal/number"
	"example.com/warpsim/examples/reduce/internal/result"
)

// reduceOn runs one job on the engine.
func reduceOn(t *testing.T, j job) result.Outcome {
	t.Helper()
	o, err := new(simulator).Reduce(t.Context(), j)
	require.NoError(t, err, "%s %v on %s", j.Algorithm, j.Op, j.Device)
	return o
}

// checkAll holds every algorithm on a device of each width to the exact result,
// the ways to combine in turn.
func checkAll[T number.Element](t *testing.T, values []T) {
	t.Helper()
	d := input.NewData(values)
	for _, op := range []number.Operator{number.OpSum, number.OpMin, number.OpMax, number.OpAnd, number.OpOr, number.OpXor} {
		if op.Fits(d.Kind) != nil {
			continue
		}
		want := exact.Format(exact.Reduce(op, values).Value)
		for i, device := range []string{"h200", "mi300x", "mtt-m1000", "custom-8"} {
			ran := 0
			for k, a := range names(new(simulator).Algorithms()) {
				c := combine((i + k + int(op)) % len(combineNames))
				o := reduceOn(t, job{Device: device, Algorithm: a, Op: op, Data: d, Block: 64, Grid: 5, Combine: c})
				where := fmt.Sprintf("%s of %d %v by %s on %s, %v", op, len(values), d.Kind, a, device, c)
				require.Empty(t, o.Failed, where)
				if o.Skipped != "" {
					continue
				}
				ran++
				assert.False(t, o.Error.Wrong, where)
				if op != number.OpSum || !d.Kind.Float() {
					assert.Equal(t, want, o.Result, where)
					assert.True(t, o.Error.Best, where)
				}
				total := 0.0
				for _, s := range o.Stalls {
					total += s.Fraction
				}
				assert.InDelta(t, 1, total, 1e-9, where)
				assert.Positive(t, o.Cycles, where)
				assert.NotEmpty(t, o.Evidence, where)
			}
			assert.Greater(t, ran, 5, "%s of %v on %s: most algorithms take all types", op, d.Kind, device)
		}
	}
}

// The numbers are spread over their type, so that integer sums wrap.
func TestSimulatorIsRight(t *testing.T) {
	const most = 700
	var (
		signed   []int32
		unsigned []uint32
		long     []int64
		wide     []uint64
		single   []float32
		double   []float64
	)
	for i := range uint64(most) {
		x := (i + 1) * 0x9e3779b97f4a7c15
		signed, unsigned = append(signed, int32(x>>32)), append(unsigned, uint32(x>>32))
		long, wide = append(long, int64(x)), append(wide, x)
		single, double = append(single, float32(int32(x>>32))/1e3), append(double, float64(int64(x))/1e9)
	}
	checkAll(t, signed)
	checkAll(t, single)
	if testing.Short() {
		return
	}
	checkAll(t, unsigned)
	checkAll(t, long)
	checkAll(t, wide)
	checkAll(t, double)
	for _, n := range []int{1, 100} {
		checkAll(t, signed[:n])
		checkAll(t, single[:n])
	}
}

func TestSimulatorSpecialFloats(t *testing.T) {
	nan, inf, zero := math.NaN(), math.Inf(1), math.Copysign(0, -1)
	for _, c := range []struct {
		op     number.Operator
		values []float64
		want   string
	}{
		{number.OpSum, []float64{1, nan, 2}, "NaN"},
		{number.OpSum, []float64{1, inf, 2}, "+Inf"},
		{number.OpSum, []float64{inf, -inf}, "NaN"},
		{number.OpMin, []float64{nan, 3, 2, nan}, "2"},
		{number.OpMax, []float64{nan, -inf}, "-Inf"},
		{number.OpMin, []float64{nan, nan}, "NaN"},
		{number.OpMin, []float64{0, zero, 0}, "-0"},
		{number.OpMax, []float64{zero, 0, zero}, "0"},
	} {
		for _, a := range names(new(simulator).Algorithms()) {
			o := reduceOn(t, job{Device: "h200", Algorithm: a, Op: c.op, Data: input.NewData(c.values), Block: 32})
			if !o.Ran() {
				continue
			}
			assert.Equal(t, c.want, o.Result, "%v of %v by %s", c.op, c.values, a)
			assert.True(t, o.Error.Best, "%v of %v by %s", c.op, c.values, a)
		}
	}
}

// A step of a tree is a shuffle and an addition: five steps for 32 lanes, six
// for 64, seven for 128. A hardware reduction is one instruction and a copy out
// of the uniform register.
func TestSimulatorCountsInstructions(t *testing.T) {
	instructions := func(device, algorithm string, lanes int) int64 {
		o := reduceOn(t, job{Device: device, Algorithm: algorithm, Data: input.NewData(make([]int32, lanes)), Block: lanes})
		require.True(t, o.Ran(), o.Skipped)
		return o.Instructions
	}
	tree := instructions("h200", "shuffle-down", 32)
	assert.Equal(t, tree, instructions("h200", "shuffle-xor", 32))
	assert.Equal(t, tree-2*5+2, instructions("h200", "redux", 32))
	assert.Equal(t, tree+2, instructions("mi300x", "shuffle-down", 64))
	assert.Equal(t, tree+4, instructions("mtt-s4000", "shuffle-down", 128))
	assert.Equal(t, tree-2*5, instructions("custom-1", "shuffle-down", 1))
}

// Raking over 256 threads cuts the items into 32 segments of 8, and leaves a
// word free after each. The 32 items that a warp stores then span 35 words, of
// which the last 3 share their banks with the first: one pass more for each of
// the 8 warps. Its reads, 9 words apart, have no conflict.
func TestSimulatorCountsBankConflicts(t *testing.T) {
	d := input.NewData(make([]int32, 256))
	assert.EqualValues(t, 8, reduceOn(t, job{Device: "h200", Algorithm: "raking", Data: d, Block: 256}).BankConflicts)
	assert.Zero(t, reduceOn(t, job{Device: "h200", Algorithm: "block-tree", Data: d, Block: 256}).BankConflicts)
}

// The numbers are served by the second-level cache or by the memory behind it,
// which is further away.
func TestSimulatorWarm(t *testing.T) {
	j := job{Device: "h200", Algorithm: "hybrid", Data: input.NewData(make([]float32, 256)), Block: 256}
	cold := reduceOn(t, j)
	j.Warm = true
	assert.Less(t, reduceOn(t, j).Cycles, cold.Cycles)
}

func TestSimulatorShape(t *testing.T) {
	j := job{Device: "h200", Algorithm: "hybrid", Data: input.NewData(make([]int32, 1000)), Block: 128}
	assert.Equal(t, 8, reduceOn(t, j).Grid, "a thread a number")
	j.Grid = 1000000
	assert.Equal(t, 8, reduceOn(t, j).Grid, "no block without a number")
	j.Grid = 3
	assert.Equal(t, 3, reduceOn(t, j).Grid)
}

func TestSimulatorCancels(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	calls := 0
	j := job{Device: "h200", Algorithm: "block-sequential", Data: input.NewData(make([]float32, 1<<20)), Block: 1024}
	j.Progress = func(done, total int64) {
		assert.LessOrEqual(t, done, total)
		calls++
		cancel()
	}
	_, err := new(simulator).Reduce(ctx, j)
	assert.ErrorIs(t, err, context.Canceled)
	assert.Less(t, calls, 264, "it stops long before the last block")
}

func TestProgramOnEngine(t *testing.T) {
	code, stdout, stderr := call(new(simulator), nil)
	assert.Equal(t, exitDone, code, stdout)
	assert.Empty(t, stderr)
	assert.Contains(t, stdout, "on h200: 1 block of 256 threads\n")
	assert.Contains(t, stdout, "\nleft out: redux, hybrid-redux: no reduction instruction for the sum of f32\n")
	assert.Regexp(t, `\n\*  (\S+) [^\n]* 1\.00x `, stdout)
	assert.Regexp(t, `\nwinner: (\S+), (level with|as many cycles as|\d+\.\d\d times as fast as) \S+`, stdout)
	assert.Regexp(t, `\n  its cycles rest on \d+ numbers: \d+ measured`, stdout)
	for _, name := range names(new(simulator).Algorithms()) {
		assert.Regexp(t, `[ ,]`+name+`[ ,:]`, stdout)
	}
	for line := range strings.Lines(stdout) {
		assert.LessOrEqual(t, utf8.RuneCountInString(line)-1, 120, line)
	}
	assert.NotContains(t, stdout, "WRONG")
}

func TestProgramOnAllDevices(t *testing.T) {
	code, stdout, stderr := call(new(simulator), strings.NewReader("3 -4 5"), "-device", "all", "-op", "min")
	assert.Equal(t, exitDone, code, stdout)
	assert.Empty(t, stderr)
	assert.Contains(t, stdout, "\nexact min: -4\non 34 devices: 1 block of 256 threads\n")
	assert.Contains(t, stdout, "\nerror: exact everywhere\n")
	assert.Regexp(t, `\ncycles \(\* fewest on the device\) +`+strings.Join(device.Names(), " +")+`\n`, stdout)
	assert.Contains(t, stdout, "\nleft out: redux, hybrid-redux on adreno-660, adreno-660-128, apple-m1-max, k40, mi100, ")
	assert.Equal(t, len(device.Names()), strings.Count(stdout, "its cycles rest on "))
}

func TestProgramOnEngineJSON(t *testing.T) {
	code, stdout, _ := call(new(simulator), strings.NewReader("2147483647 1"), "-json", "-type", "i32", "-device", "H200,custom-16")
	assert.Equal(t, exitDone, code)
	var got struct{ Outcomes []result.Outcome }
	require.NoError(t, json.Unmarshal([]byte(stdout), &got))
	require.Len(t, got.Outcomes, 2*len(new(simulator).Algorithms()))
	for i, o := range got.Outcomes {
		assert.Equal(t, []string{"h200", "custom-16"}[2*i/len(got.Outcomes)], o.Device)
		if o.Ran() {
			assert.Equal(t, "-2147483648", o.Result, "sums wrap")
		}
	}
	assert.Equal(t, 2, len(slices.DeleteFunc(got.Outcomes, func(o result.Outcome) bool { return !o.Winner })))
}

// Every bad input ends with what is wrong, where, and what to do.
func TestBadInputsEndToEnd(t *testing.T) {
	file := func(content string) string {
		name := filepath.Join(t.TempDir(), "data.txt")
		require.NoError(t, os.WriteFile(name, []byte(content), 0o600))
		return name
	}
	for _, c := range []struct {
		name, content string
		args          []string
		code          int
		message       string
	}{
		{"empty file", "", nil, exitFailed, "FILE: no numbers in it: it is empty"},
		{"only comments", "# nothing\n", nil, exitFailed, "FILE: no numbers in it: only comments (1 line)"},
		{"no number", "1 2\n3 four", nil, exitFailed, `FILE:2:3: "four" is not a number`},
		{"no integer", "1 2.5", []string{"-type", "i64"}, exitFailed, `FILE:1:3: "2.5" is not an integer, as type i64 needs`},
		{"NaN in an integer", "1 NaN", []string{"-type", "i32"}, exitFailed, `FILE:1:3: "NaN" is not an integer`},
		{"huge for the type", "1 99999999999", []string{"-type", "u32"}, exitFailed, "out of the range of u32 (0 to 4294967295)"},
		{"huge for every type", "1 1e999", nil, exitFailed, "out of the range of every type, f64 too"},
		{"no blocks", "1", []string{"-grid", "0"}, exitUsage, `invalid value "0" for flag -grid: at least 1 is needed`},
		{"block too large", "1", []string{"-block", "2000"}, exitUsage, "-block 2000: a block of h200 has at most 1,024 threads"},
		{"device", "1", []string{"-device", "h20"}, exitUsage, `unknown device "h20"; did you mean h200?`},
		{"device far away", "1", []string{"-device", "zx81"}, exitUsage, "known are " + strings.Join(device.Names(), ", ") + " and custom-N"},
		{"width", "1", []string{"-device", "custom-12"}, exitUsage, "a warp of 12 lanes"},
		{"algorithm", "1", []string{"-algorithm", "hybrit"}, exitUsage, `no algorithm "hybrit"; did you mean hybrid?`},
		{"column", "time,cycles\n1,2\n", []string{"-column", "cycle"}, exitFailed, `no column "cycle"; did you mean cycles? (there are time, cycles)`},
		{"column with text", "time,unit\n1,ms\n", []string{"-column", "unit"}, exitFailed, `FILE:2:3: "ms" is not a number`},
		{"nothing fits", "1.5", []string{"-algorithm", "redux"}, exitFailed, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			name := file(c.content)
			code, stdout, stderr := call(new(simulator), nil, append([]string{"-in", name}, c.args...)...)
			assert.Equal(t, c.code, code)
			if c.message == "" {
				assert.Contains(t, stdout, "left out: redux: no reduction instruction for the sum of f32\n")
				assert.Empty(t, stderr)
				return
			}
			assert.Empty(t, stdout)
			assert.Contains(t, stderr, strings.ReplaceAll(c.message, "FILE", name))
			assert.NotContains(t, stderr, "panic")
		})
	}
}

// Values that no sum of the type holds are legal; the program says so.
func TestHugeValues(t *testing.T) {
	code, stdout, _ := call(new(simulator), strings.NewReader("3e38 3e38 -3e38"), "-type", "f32")
	assert.Equal(t, exitDone, code, stdout)
	assert.Contains(t, stdout, "exact sum: 3")
	assert.Contains(t, stdout, "overflow", "partial sums are infinite")

	code, stdout, _ = call(new(simulator), strings.NewReader("9223372036854775807 1"), "-type", "i64")
	assert.Equal(t, exitDone, code, stdout)
	assert.Contains(t, stdout, "exact sum: 9223372036854775808, which wraps to -9223372036854775808 in i64")
}
