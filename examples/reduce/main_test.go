package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/warpsim/examples/reduce/internal/exact"
	"example.com/warpsim/examples/reduce/internal/number"
	"example.com/warpsim/examples/reduce/internal/result"
)

// A sequentialEngine adds up on the host and makes up figures, so that the
// program around the simulation can be tested alone.
type sequentialEngine struct {
	jobs  *[]job
	wrong bool
	err   error
}

func (sequentialEngine) Devices() []choice    { return someDevices }
func (sequentialEngine) Algorithms() []choice { return someAlgorithms }

func (sequentialEngine) Lookup(name string) (target, error) {
	if err := known("device", name, names(someDevices)); err != nil {
		return target{}, err
	}
	return target{name, 1024}, nil
}

func (e sequentialEngine) Reduce(_ context.Context, j job) (result.Outcome, error) {
	if e.jobs != nil {
		*e.jobs = append(*e.jobs, j)
	}
	if e.err != nil {
		return result.Outcome{}, e.err
	}
	o := result.Outcome{Device: j.Device, Algorithm: j.Algorithm, Grid: max(1, j.Grid), Block: j.Block, Instructions: 10, Cycles: 100, Microseconds: 0.05}
	if j.Algorithm == "tree" {
		o.Cycles, o.Microseconds = 150, 0.07
	}
	switch v := j.Data.Values.(type) {
	case []int32:
		r := exact.Reduce(j.Op, v)
		result := r.Value
		if e.wrong {
			result++
		}
		o.Result, o.Error = exact.Format(result), r.Deviation(result)
	case []float32:
		r := exact.Reduce(j.Op, v)
		o.Result, o.Error = exact.Format(r.Value), r.Deviation(r.Value)
	default:
		o.Skipped = "type " + j.Data.Kind.String()
	}
	return o, nil
}

// call runs the program and returns its exit code and what it wrote.
func call(e engine, stdin io.Reader, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	p := program{engine: e, stdin: stdin, stdout: &out, stderr: &errs}
	code = p.run(context.Background(), args)
	return code, out.String(), errs.String()
}

func TestProgram(t *testing.T) {
	code, stdout, stderr := call(sequentialEngine{}, strings.NewReader("1 2 3.5"))
	assert.Equal(t, exitDone, code)
	assert.Empty(t, stderr)
	assert.Equal(t, strings.TrimPrefix(`
data: 3 numbers, type f32 (3.5 is not written as an integer), from standard input
exact sum: 6.5
on h200: 1 block of 256 threads

   algorithm  result  error  instr.  cycles    us  to best  conflicts  cycles went into
*  hybrid        6.5  exact      10     100  0.05    1.00x          0
   tree          6.5  exact      10     150  0.07    1.50x          0

winner: hybrid, 1.50 times as fast as tree, the next
`, "\n"), stdout)
}

func TestProgramSpecials(t *testing.T) {
	code, stdout, _ := call(sequentialEngine{}, strings.NewReader("NaN 1 NaN inf NaN"))
	assert.Equal(t, exitDone, code)
	assert.Contains(t, stdout, "      3 NaN, 1 +Inf in the data\nexact sum: NaN\n")
}

func TestProgramJobs(t *testing.T) {
	var jobs []job
	code, stdout, _ := call(sequentialEngine{jobs: &jobs}, strings.NewReader("7 9"),
		"-device", "all", "-op", "and", "-block", "64", "-grid", "3", "-combine", "last-block", "-warm")
	assert.Equal(t, exitDone, code)
	require.Len(t, jobs, 4)
	for i, j := range jobs {
		assert.Equal(t, []string{"h200", "h200", "mi300x", "mi300x"}[i], j.Device)
		assert.Equal(t, []string{"tree", "hybrid", "tree", "hybrid"}[i], j.Algorithm)
		assert.Equal(t, number.OpAnd, j.Op)
		assert.Equal(t, []int32{7, 9}, j.Data.Values)
		assert.Equal(t, 64, j.Block)
		assert.Equal(t, 3, j.Grid)
		assert.Equal(t, lastBlock, j.Combine)
		assert.True(t, j.Warm)
		assert.Nil(t, j.Progress, "no terminal, no progress")
	}
	assert.Contains(t, stdout, "exact and: 1\non 2 devices: 3 blocks of 64 threads\n")
	assert.Contains(t, stdout, "h200: winner: hybrid, 1.50 times as fast as tree, the next\n")

	jobs = nil
	code, _, _ = call(sequentialEngine{jobs: &jobs}, strings.NewReader("7 9"), "-algorithm", "hybrid")
	assert.Equal(t, exitDone, code)
	require.Len(t, jobs, 1)
	assert.Equal(t, "hybrid", jobs[0].Algorithm)
}

func TestProgramJSON(t *testing.T) {
	code, stdout, stderr := call(sequentialEngine{}, strings.NewReader("2147483647 1"), "-json", "-type", "i32")
	assert.Equal(t, exitDone, code)
	assert.Empty(t, stderr)
	var got map[string]any
	require.NoError(t, json.Unmarshal([]byte(stdout), &got))
	assert.Equal(t, "2147483648", got["exact"])
	assert.Equal(t, "-2147483648", got["value"])
	assert.Equal(t, "sum", got["op"])
	assert.Equal(t, map[string]any{
		"source": "standard input", "type": "i32", "count": 2.0,
		"nan": 0.0, "positive_infinity": 0.0, "negative_infinity": 0.0,
	}, got["data"])
	outcomes := got["outcomes"].([]any)
	require.Len(t, outcomes, 2)
	assert.Equal(t, true, outcomes[1].(map[string]any)["winner"])
}

func TestNumberMarshals(t *testing.T) {
	text, err := json.Marshal([]exact.Number{0, 0.5, 1e300, exact.Number(math.NaN()), exact.Number(math.Inf(1)), exact.Number(math.Inf(-1))})
	require.NoError(t, err)
	assert.JSONEq(t, `[0, 0.5, 1e300, "NaN", "+Inf", "-Inf"]`, string(text))
}

func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		name   string
		engine sequentialEngine
		stdin  string
		args   []string
		code   int
		stderr string
	}{
		{"wrong result", sequentialEngine{wrong: true}, "1 2", nil, exitFailed, ""},
		{"nothing fits", sequentialEngine{}, "1 2", []string{"-type", "u64"}, exitFailed, ""},
		{"the engine fails", sequentialEngine{err: errors.New("no such cycle")}, "1", nil, exitFailed, "reduce: no such cycle\n"},
		{"interrupted", sequentialEngine{err: context.Canceled}, "1", nil, exitFailed, "reduce: interrupted\n"},
		{"bad number", sequentialEngine{}, "1 x", nil, exitFailed, "reduce: standard input:1:3: \"x\" is not a number\n"},
		{"bits of floats", sequentialEngine{}, "1 2.5", []string{"-op", "xor"}, exitFailed,
			"reduce: xor is defined on bits: it takes an integer type (i32, u32, i64, u64), not f32 (2.5 is not written as an integer)\n"},
		{"bad flag", sequentialEngine{}, "1", []string{"-grid", "0"}, exitUsage,
			"reduce: invalid value \"0\" for flag -grid: at least 1 is needed for the number of blocks\nreduce -h shows the flags\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, _, stderr := call(c.engine, strings.NewReader(c.stdin), c.args...)
			assert.Equal(t, c.code, code)
			assert.Equal(t, c.stderr, stderr)
		})
	}
}

func TestInterruptedBetweenRuns(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var errs bytes.Buffer
	p := program{engine: sequentialEngine{}, stdout: io.Discard, stderr: &errs}
	assert.Equal(t, exitFailed, p.run(ctx, nil))
	assert.Equal(t, "reduce: interrupted\n", errs.String())
}

func TestHelpAndList(t *testing.T) {
	code, stdout, stderr := call(sequentialEngine{}, nil, "-h")
	assert.Equal(t, exitDone, code)
	assert.Empty(t, stderr)
	assert.Equal(t, helpText, stdout)
	for line := range strings.Lines(helpText) {
		assert.LessOrEqual(t, len(line), 81, line)
	}

	code, stdout, _ = call(sequentialEngine{}, nil, "-list")
	assert.Equal(t, exitDone, code)
	assert.Equal(t, "devices\n  h200    32 lanes\n  mi300x  64 lanes\nalgorithms\n  tree    shared memory\n  hybrid  shuffles\n", stdout)

	code, stdout, _ = call(sequentialEngine{}, nil, "-list", "-json")
	assert.Equal(t, exitDone, code)
	assert.JSONEq(t, `{"devices": [{"name": "h200", "summary": "32 lanes"}, {"name": "mi300x", "summary": "64 lanes"}],
		"algorithms": [{"name": "tree", "summary": "shared memory"}, {"name": "hybrid", "summary": "shuffles"}]}`, stdout)
}

// Without a file and without standard input there is the embedded data.
func TestProgramWithoutInput(t *testing.T) {
	code, stdout, stderr := call(sequentialEngine{}, nil)
	assert.Equal(t, exitDone, code)
	assert.Empty(t, stderr)
	assert.Contains(t, stdout, "data: 256 numbers, type f32 (10.000 is not written as an integer), from column cycles of the embedded h200_latency.csv\n      instruction latencies")
}
