package main

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/warpsim/warp"
)

// inspected runs the command and returns its exit code and what it printed.
func inspected(args ...string) (code int, out, errs string) {
	var stdout, stderr bytes.Buffer
	code = run(context.Background(), args, &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// One command writes everything that shows a run, and says what it wrote.
func TestWritesAll(t *testing.T) {
	dir := t.TempDir()
	code, out, errs := inspected("-kernel", "reduce/shuffle-down", "-device", "mtt-s4000", "-type", "f32", "-n", "128", "-out", dir)
	require.Equal(t, exitDone, code, errs)
	want := []string{"page.html", "source.txt", "profile.pb.gz", "trace.pftrace", "steps.txt", "lanes.txt", "report.json",
		"flow.svg", "timeline.svg", "banks.svg", "roofline.svg", "sizes.svg"}
	for _, name := range want {
		assert.Contains(t, out, filepath.Join(dir, name))
		data, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		assert.NotEmpty(t, data, name)
		switch filepath.Ext(name) {
		case ".svg":
			d := xml.NewDecoder(bytes.NewReader(data))
			for err == nil {
				_, err = d.Token()
			}
			assert.Equal(t, io.EOF, err, name)
		case ".json":
			assert.NoError(t, json.Unmarshal(data, new(warp.Report)))
		case ".gz":
			_, err := profile.ParseData(data)
			assert.NoError(t, err)
		}
	}
	lanes, err := os.ReadFile(filepath.Join(dir, "lanes.txt"))
	require.NoError(t, err)
	assert.Contains(t, string(lanes), "lane   0: 0..127 = 8128", "the sum of 0 to 127")
}

// Every kernel runs on every kind of device that has what it needs.
func TestEveryKernel(t *testing.T) {
	for _, k := range kernels() {
		for _, dev := range []string{"h200", "mi300x", "mtt-s4000"} {
			code, _, errs := inspected("-kernel", k.name, "-device", dev, "-type", "i32", "-n", "256")
			if code == exitFailed {
				assert.Regexp(t, "does not|has no|no hardware|needs|instruction|lanes|not ", errs, "%s on %s", k.name, dev)
				continue
			}
			assert.Equal(t, exitDone, code, "%s on %s: %s", k.name, dev, errs)
		}
	}
}

// Runs side by side have files of their own and one page.
func TestSideBySide(t *testing.T) {
	dir := t.TempDir()
	code, _, errs := inspected("-kernel", "transpose,transpose-padded", "-out", dir)
	require.Equal(t, exitDone, code, errs)
	page, err := os.ReadFile(filepath.Join(dir, "page.html"))
	require.NoError(t, err)
	assert.Contains(t, string(page), `"title":"transpose of 256 f32 on h200"`)
	assert.Contains(t, string(page), `"title":"transpose-padded of 256 f32 on h200"`)
	assert.FileExists(t, filepath.Join(dir, "2-profile.pb.gz"))
	var one, two warp.Report
	for name, r := range map[string]*warp.Report{"report.json": &one, "2-report.json": &two} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(data, r))
	}
	assert.EqualValues(t, 8*31, one.ConflictPasses)
	assert.Zero(t, two.ConflictPasses)
}

// A race is found and shown.
func TestRace(t *testing.T) {
	code, out, errs := inspected("-kernel", "race")
	assert.Equal(t, exitDone, code, errs)
	assert.Contains(t, out, "race in shared memory")
}

// Lists, reports as JSON, help, and exit codes.
func TestFlags(t *testing.T) {
	code, out, _ := inspected("-kernel", "list")
	assert.Equal(t, exitDone, code)
	for _, name := range []string{"reduce/hybrid ", "scan/hillis-steele ", "race "} {
		assert.Contains(t, out, name)
	}
	code, out, _ = inspected("-kernel", "list", "-json")
	assert.Equal(t, exitDone, code)
	var rows []map[string]string
	require.NoError(t, json.Unmarshal([]byte(out), &rows))
	assert.Len(t, rows, len(kernels()))
	code, out, _ = inspected("-json")
	assert.Equal(t, exitDone, code)
	var reports []*warp.Report
	require.NoError(t, json.Unmarshal([]byte(out), &reports))
	assert.Equal(t, "h200", reports[0].Device)
	code, out, _ = inspected("-h")
	assert.Equal(t, exitDone, code)
	assert.Contains(t, out, "Examples:")
	for args, want := range map[string]string{
		"-kernel nothing":                  "-kernel list lists them",
		"-kernel hybrid":                   "do you mean reduce/hybrid or",
		"-device nothing":                  "nothing",
		"-type f16":                        "one of i32",
		"-n -1":                            "give 1 to",
		"-steps -1":                        "-steps",
		"-what":                            "flag provided but not defined",
		"more":                             "is no flag",
		"-device h200,h200,h200,h200,h200": "up to 4",
	} {
		code, _, errs := inspected(strings.Fields(args)...)
		assert.Equal(t, exitUsage, code, args)
		assert.Contains(t, errs, want, args)
		assert.Contains(t, errs, "-h shows the flags")
	}
	code, _, errs := inspected("-out", filepath.Join(string(filepath.Separator), "dev", "null", "x"))
	assert.Equal(t, exitFailed, code, errs)
}
