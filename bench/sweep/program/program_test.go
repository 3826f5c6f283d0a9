package program

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The test binary is the command itself when it is asked to be.
func TestMain(m *testing.M) {
	if os.Getenv("SWEEP_COMMAND") != "" {
		Main()
	}
	os.Exit(m.Run())
}

func command(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	c := exec.Command(self, args...)
	c.Dir, c.Env = dir, append(os.Environ(), "SWEEP_COMMAND=1")
	return c
}

// sweep runs the command, and returns what it prints.
func sweep(t *testing.T, dir string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	c := command(t, dir, args...)
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil {
		require.IsType(t, new(exec.ExitError), err)
	}
	return out.String(), errs.String(), c.ProcessState.ExitCode()
}

func file(t *testing.T, dir, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
}

func read(t *testing.T, path ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	require.NoError(t, err)
	return string(data)
}

const points = `
devices: [h200, custom-64]
kernels: [block/reduce/hybrid, block/reduce/block-tree, block/reduce/hybrid-redux]
sizes: {from: 64, to: 512, times: 2}
seeds: {from: 1, to: 20}
`

func TestKilledAndResumedGivesTheSameRows(t *testing.T) {
	dir := t.TempDir()
	file(t, dir, "a.yaml", points)
	stdout, stderr, code := sweep(t, dir, "-workers", "1", "a.yaml")
	require.Equal(t, 0, code, stderr)
	assert.Empty(t, stderr, "neither progress nor Beam's log")
	assert.Contains(t, stdout, "480 points in")
	assert.Contains(t, stdout, "80 of them with errors, the first:", "custom-64 has no reduction instruction")

	c := command(t, dir, "-workers", "2", "-out", "b.out", "a.yaml")
	require.NoError(t, c.Start())
	for kept := 0; kept < 20; time.Sleep(5 * time.Millisecond) {
		kept = 0
		parts, _ := filepath.Glob(filepath.Join(dir, "b.out", "parts", "*"))
		for _, p := range parts {
			data, _ := os.ReadFile(p)
			kept += bytes.Count(data, []byte{'\n'})
		}
	}
	require.NoError(t, c.Process.Kill())
	c.Wait() // says that it was killed, unless it was done
	_, err := os.Stat(filepath.Join(dir, "b.out", "rows.csv"))
	require.ErrorIs(t, err, os.ErrNotExist, "killed too late to show anything")

	_, stderr, code = sweep(t, dir, "-out", "b.out", "a.yaml")
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "holds the output of this sweep already; go on with -resume")
	_, stderr, code = sweep(t, dir, "-resume", "-out", "b.out", "a.yaml")
	require.Equal(t, 0, code, stderr)
	for _, name := range []string{"rows.csv", "rows.jsonl", "rows.parquet", "best.csv", "pareto.csv", "curves.csv", "sensitivity.csv", "index.html"} {
		assert.Equal(t, read(t, dir, "a.out", name), read(t, dir, "b.out", name), name)
	}
}

func TestOutputOfAnotherSweepStaysAsItIs(t *testing.T) {
	dir := t.TempDir()
	file(t, dir, "a.yaml", "devices: [custom-32]\nkernels: [block/reduce/hybrid]\nsizes: [32, 64]\n")
	_, stderr, code := sweep(t, dir, "a.yaml")
	require.Equal(t, 0, code, stderr)
	rows := read(t, dir, "a.out", "rows.csv")

	file(t, dir, "b.yaml", "devices: [custom-32]\nkernels: [block/reduce/hybrid]\nsizes: [32, 128]\n")
	for _, more := range [][]string{{}, {"-resume"}} {
		_, stderr, code = sweep(t, dir, append(more, "-out", "a.out", "b.yaml")...)
		assert.Equal(t, 1, code)
		assert.Contains(t, stderr, "holds the output of another sweep: its sizes differ; name another folder with -out")
	}
	file(t, dir, "other", "")
	_, stderr, code = sweep(t, dir, "-out", ".", "a.yaml")
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "holds other things than a sweep")

	// As if the library had given other cycles before.
	part := filepath.Join(dir, "a.out", "parts", "0000000.jsonl")
	file(t, dir, "a.out/parts/0000000.jsonl", string(bytes.ReplaceAll([]byte(read(t, part)), []byte(`"cycles":`), []byte(`"cycles":1`))))
	_, stderr, code = sweep(t, dir, "-resume", "a.yaml")
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "was made by another version")
	assert.Equal(t, rows, read(t, dir, "a.out", "rows.csv"))
}

// The command tells of itself as those of the library do: bench/internal/docs holds them
// to the same.
func TestAlike(t *testing.T) {
	stdout, stderr, code := sweep(t, t.TempDir(), "-h")
	assert.Equal(t, 0, code)
	assert.Empty(t, stderr)
	assert.Regexp(t, `^Usage: sweep \[flags\] FILE\n\n[A-Z](?s).*\n  -version .*\n\nExamples:\n  sweep .*\n\nExit codes: 0 done, 1 [^.]+, 2 wrong usage\.\n$`, stdout)
	stdout, _, code = sweep(t, t.TempDir(), "-version")
	assert.Equal(t, 0, code)
	assert.Regexp(t, `^sweep warpsim \S.*\n$`, stdout)
	for _, args := range [][]string{{"-no-such-flag"}, {"one", "more"}} {
		stdout, stderr, code = sweep(t, t.TempDir(), args...)
		assert.Equal(t, 2, code, args)
		assert.Empty(t, stdout)
		assert.Regexp(t, `^sweep: .*\nsweep -h shows the flags\n$`, stderr)
	}
}

func TestBadCommandLines(t *testing.T) {
	dir := t.TempDir()
	file(t, dir, "a.yaml", "devices: [h20]\n")
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{nil, 2, "sweep: 0 files given; name one sweep file\nsweep -h shows the flags\n"},
		{[]string{"-workers", "0", "a.yaml"}, 2, "sweep: -workers 0; give at least 1\nsweep -h shows the flags\n"},
		{[]string{"none.yaml"}, 1, "sweep: open none.yaml: no such file or directory\n"},
		{[]string{"a.yaml"}, 1, "sweep: a.yaml:1: devices[0]: unknown device \"h20\"; did you mean h200?\n"},
	} {
		_, stderr, code := sweep(t, dir, c.args...)
		assert.Equal(t, c.code, code, c.args)
		assert.Equal(t, c.want, stderr, c.args)
	}
	there, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, there, 1, "no output was begun")
}

func TestUnknownRunner(t *testing.T) {
	dir := t.TempDir()
	file(t, dir, "a.yaml", "devices: [custom-32]\nkernels: [block/reduce/hybrid]\nsizes: 32\n")
	_, stderr, code := sweep(t, dir, "-runner", "prsm", "a.yaml")
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "prsm")
}

func TestProgress(t *testing.T) {
	assert.Equal(t, "3 of 9 points", progress(3, 0, 9, time.Second))
	assert.Equal(t, "300 of 900 points, 50 a second, 12s left", progress(300, 100, 900, 2*time.Second))
}
