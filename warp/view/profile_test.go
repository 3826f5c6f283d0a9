package view_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/timing"
	"example.com/warpsim/warp/view"
)

func profileOf(t *testing.T, r *view.Recording) *profile.Profile {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, r.WriteProfile(&b))
	p, err := profile.Parse(&b)
	require.NoError(t, err)
	require.NoError(t, p.CheckValid())
	return p
}

// A profile decodes, and its samples add up: to the cycles of all warps, by reason, by
// operation and by line, to the instructions, lanes and conflicts of the report.
func TestProfileAddsUp(t *testing.T) {
	for name, r := range map[string]*view.Recording{
		"hybrid": hybrid(t, "h200", view.Options{}), "hybrid of 128 lanes": hybrid(t, "mtt-s4000", view.Options{}), "transpose": transpose(t, "h200"),
	} {
		p, report := profileOf(t, r), r.Report()
		kinds := map[string]int{}
		for i, k := range p.SampleType {
			kinds[k.Type] = i
		}
		sum := map[string]int64{}
		byReason, byOp := map[string]int64{}, map[string]int64{}
		byLine := map[warp.Site]int64{}
		for _, s := range p.Sample {
			for k, i := range kinds {
				sum[k] += s.Value[i]
			}
			cycles := s.Value[kinds["cycles"]]
			byReason[s.Label["reason"][0]] += cycles
			if op := s.Label["operation"]; op != nil {
				byOp[op[0]] += cycles
			}
			l := s.Location[0].Line[0]
			byLine[warp.Site{File: l.Function.Filename, Line: int(l.Line), Func: l.Function.Name}] += cycles
		}
		waits := report.Waits()
		assert.EqualValues(t, waits.Total(), sum["cycles"], name)
		assert.Equal(t, report.Instructions, sum["instructions"], name)
		assert.Equal(t, report.ThreadInstructions, sum["lanes"], name)
		assert.Equal(t, report.ConflictPasses, sum["conflicts"], name)
		for _, reason := range timing.Reasons() {
			assert.EqualValues(t, waits.Of(reason), byReason[reason.String()], "%s: %s", name, reason)
			if reason != timing.Issued {
				assert.EqualValues(t, waits.Of(reason), sum[reason.String()], "%s: %s", name, reason)
			}
		}
		for _, op := range report.Ops() {
			assert.EqualValues(t, op.Cycles, byOp[op.Op.String()], "%s: %s", name, op.Op)
		}
		for _, l := range report.Lines() {
			assert.EqualValues(t, l.Cycles.Total(), byLine[l.Site], "%s: %s", name, l.Site)
		}
	}
}

// go tool pprof reads a profile: -top names functions, -list shows their source with
// cycles beside the lines.
func TestProfileInPprof(t *testing.T) {
	tool, err := exec.LookPath("go")
	if err != nil || testing.Short() {
		t.Skip("go tool pprof is left out")
	}
	file := filepath.Join(t.TempDir(), "hybrid.pb.gz")
	f, err := os.Create(file)
	require.NoError(t, err)
	r := hybrid(t, "h200", view.Options{})
	require.NoError(t, r.WriteProfile(f))
	require.NoError(t, f.Close())
	out, err := exec.Command(tool, "tool", "pprof", "-top", file).CombinedOutput()
	if err != nil {
		t.Skipf("this Go has no pprof: %v", err)
	}
	assert.Contains(t, string(out), "reduce.down")
	out, err = exec.Command(tool, "tool", "pprof", "-list", "hybrid", file).CombinedOutput()
	require.NoError(t, err, "%s", out)
	n := loadOf(t, r).Cycles.Total()
	assert.Regexp(t, fmt.Sprintf(`%d +%d +\d+:\s+warp\.Load\(v, in, w\.GlobalID\(\)\)`, n, n), string(out))
}

// The annotated source has the text of every line that did something, and its cycles
// add up to those of all warps with what is behind the last instructions.
func TestSource(t *testing.T) {
	var b bytes.Buffer
	r := hybrid(t, "h200", view.Options{})
	require.NoError(t, r.WriteSource(&b))
	l := loadOf(t, r)
	assert.EqualValues(t, 4*8, l.Instructions, "three for the index and the load, of each warp")
	assert.Regexp(t, fmt.Sprintf(`%d +\d+\.\d +32 +32\.0 +dependency +\d+ +warp\.Load\(v, in, w\.GlobalID\(\)\)`, l.Cycles.Total()), b.String())
	assert.Contains(t, b.String(), "func hybrid(")
	assert.Contains(t, b.String(), "were waited behind their last instruction")
}

// loadOf returns what the report says of the line of hybrid that loads.
func loadOf(t *testing.T, r *view.Recording) warp.LineRow {
	t.Helper()
	lines := r.Report().Lines()
	i := slices.IndexFunc(lines, func(l warp.LineRow) bool { return strings.HasSuffix(l.Site.File, "view/kernels_test.go") })
	require.GreaterOrEqual(t, i, 0)
	return lines[i]
}
