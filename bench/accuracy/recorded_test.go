package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/warpsim/warp/device"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// recorded runs a set of files with these contents.
func recorded(t *testing.T, rows, code string, more ...string) (string, error) {
	t.Helper()
	dir := t.TempDir()
	rowsFile, codeFile := filepath.Join(dir, "rows.csv"), filepath.Join(dir, "code.sass")
	require.NoError(t, os.WriteFile(rowsFile, []byte(rows), 0o666))
	require.NoError(t, os.WriteFile(codeFile, []byte(code), 0o666))
	var out strings.Builder
	err := run(append([]string{"-rows", rowsFile, "-listings", codeFile}, more...), &out)
	return out.String(), err
}

// listingOf returns some programs of a recorded listing, as text.
func listingOf(t *testing.T, file string, names ...string) string {
	t.Helper()
	data, err := testdata.ReadFile("testdata/" + file)
	require.NoError(t, err)
	z, err := gzip.NewReader(bytes.NewReader(data))
	require.NoError(t, err)
	var b bytes.Buffer
	_, err = b.ReadFrom(z)
	require.NoError(t, err)
	var text strings.Builder
	keep := false
	for line := range strings.Lines(b.String()) {
		if strings.HasPrefix(line, "== ") {
			keep = slices.Contains(names, strings.TrimSpace(line[3:]))
		}
		if keep {
			text.WriteString(line)
		}
	}
	require.NotEmpty(t, text.String())
	return text.String()
}

const head = "# a chip\nkernel,threads,first_warp_cycles,block_cycles\n"

// Recordings of which some mechanisms were found, and no number was chosen for a row: a
// public library's collectives, and a third set of kernels, of which most of those of one
// warp without branches come out to a cycle, and the worst are loops and branches that fetch code from elsewhere, packed halves and wide loads of
// 32 warps.
func TestOtherListingsAreAsRecorded(t *testing.T) {
	if testing.Short() {
		t.Skip("whole grids and sets, one processor's work")
	}
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	for _, set := range []struct {
		name        string
		rows        int
		mean, worst float64
	}{{"library", 13, 0.02, 0.06}, {"kernels3", 62, 0.045, 0.23}} {
		c, err := openRecording("testdata/"+set.name+".csv", "testdata/"+set.name+"_words.sass.gz")
		require.NoError(t, err)
		results, err := c.measure(io.Discard, p)
		require.NoError(t, err)
		require.Len(t, results, set.rows)
		sum := 0.0
		for _, r := range results {
			e := math.Abs(r.error())
			assert.Less(t, e, set.worst, "%s at %d threads: %v cycles, on the chip %v", r.kernel, r.threads, r.simulated, r.hardware)
			sum += e
		}
		assert.Less(t, sum/float64(set.rows), set.mean, set.name)
	}
}

// The sets of this folder come out as by their own flags, gzipped, and a third one
// whose names have commas and whose arguments are of both sorts runs as it is.
func TestRecordedSetsRunFromFiles(t *testing.T) {
	var own, from strings.Builder
	require.NoError(t, run([]string{"-second", "-kernel", "warp_softmax_f32"}, &own))
	require.NoError(t, run([]string{"-rows", "testdata/kernels2.csv", "-listings", "testdata/kernels2_words.sass.gz",
		"-kernel", "warp_softmax_f32"}, &from))
	assert.Equal(t, strings.ReplaceAll(own.String(), "kernel2", "kernel "), from.String())

	from.Reset()
	require.NoError(t, run([]string{"-listings=testdata/probe_words.sass.gz", "-rows=testdata/probe.csv", "-threads", "32"}, &from))
	assert.Contains(t, from.String(), "lds_same<4,32>")
	assert.Contains(t, from.String(), "shfl_guard_fadd")
	assert.NotContains(t, from.String(), "left out")

	// Rows without a listing are named.
	from.Reset()
	require.NoError(t, run([]string{"-rows", "testdata/kernels2.csv", "-listings", "testdata/kernels2_words.sass.gz", "-threads", "64"}, &from))
	assert.Contains(t, from.String(), "1 rows are of kernels that the listing does not have:\ncub_BLOCK_REDUCE_WARP_REDUCTIONS_f32 at 64 threads\n")
}

// The slope is that between the fewest and the most applications that are there.
func TestRecordedSlopeTakesTheFewestAndTheMost(t *testing.T) {
	two, eight := listingOf(t, "kernels.sass.gz", "warp_reduce_down_f32 x2"), listingOf(t, "kernels.sass.gz", "warp_reduce_down_f32 x8")
	rows := head + "warp_reduce_down_f32,32,145,145\n"
	out, err := recorded(t, rows, two+eight)
	require.NoError(t, err)
	assert.Contains(t, out, "145.00     145.00")

	// Told that there were five applications more instead of six, it is 6/5 of that.
	out, err = recorded(t, rows, strings.Replace(two, " x2", " x3", 1)+eight)
	require.NoError(t, err)
	assert.Contains(t, out, "145.00     174.00")

	// What is between the two is not looked at.
	out, err = recorded(t, rows, two+strings.Replace(two, " x2", " x5", 1)+eight)
	require.NoError(t, err)
	assert.Contains(t, out, "145.00     145.00")
}

func TestRecordedSetsNameWhatIsWrong(t *testing.T) {
	good := listingOf(t, "kernels.sass.gz", "warp_reduce_down_f32 x2", "warp_reduce_down_f32 x8")
	vote := listingOf(t, "kernels.sass.gz", "vote_early_exit_s32 x2", "vote_early_exit_s32 x8")
	rows := head + "warp_reduce_down_f32,32,145,145\nvote_early_exit_s32,32,31,31\n"
	unknown := strings.Replace(strings.Replace(vote, "VOTE", "FROB", 1), "CS2R R", "CS2R Q", 1)
	for name, c := range map[string]struct {
		rows, code string
		more       []string
		err        string // of run
		out        []string
		ran        bool // the good kernel
	}{
		"two lines that nobody knows": {rows, good + unknown, nil,
			"2 lines could not be decoded, 1 of 2 rows were left out",
			[]string{"2 lines could not be decoded:\n", `"FROB`, "CS2R Q", "code.sass: sass: line ", "vote_early_exit_s32: lines of its listing of"}, true},
		"the rest is cut off": {rows, good + vote[:len(vote)*3/4], nil, "1 of 2 rows were left out", []string{"vote_early_exit_s32"}, true},
		"one number of applications": {rows, good + listingOf(t, "kernels.sass.gz", "vote_early_exit_s32 x2"), nil,
			"0 lines could not be decoded, 1 of 2 rows were left out", []string{"vote_early_exit_s32 is in 1 listings; a slope is of two"}, true},
		"rows that are no numbers": {rows + "vote_early_exit_s32,many,1,1\nvote_early_exit_s32,0,1,1\nvote_early_exit_s32,2000,1,1\nvote_early_exit_s32,32,1,NaN\nvote_early_exit_s32,32,0,0\nshort,32\n", good + vote, nil,
			"6 of 8 rows were left out", []string{`rows.csv: line 5: vote_early_exit_s32: "many" is no number of threads`, `line 7: vote_early_exit_s32: "2000"`, `"NaN" is no number of cycles`, `line 9`, "line 10: a row has a kernel"}, true},
		"a loop without an end":      {rows, good + strings.ReplaceAll(vote, "EXIT", "BRA 0x0"), nil, "1 of 2 rows were left out", []string{"vote_early_exit_s32 at 32 threads"}, true},
		"a clock that is never read": {rows, good + strings.ReplaceAll(vote, "SR_CLOCKLO", "SR_CLOCKHI"), nil, "1 of 2 rows were left out", nil, true},
		"another kernel's listing":   {rows, strings.ReplaceAll(good, "down", "sideways"), nil, "has no kernel of", []string{"2 rows are of kernels"}, false},
		"no listing":                 {rows, "hello\n", nil, "no instructions found", nil, false},
		"an empty listing":           {rows, "", nil, "code.sass", nil, false},
		"a broken gzip file":         {rows, "\x1f\x8bnothing", nil, "code.sass: ", nil, false},
		"no rows":                    {head, good, nil, "rows.csv: no rows", nil, false},
		"an empty file of rows":      {"", good, nil, "rows.csv: no rows", nil, false},
		"rows of something else":     {"a,b\n1,2\n", good, nil, "the first row is kernel,threads", nil, false},
		"a name that no row has":     {rows, good, []string{"-kernel", "x"}, "there are warp_reduce_down_f32, vote_early_exit_s32", nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := recorded(t, c.rows, c.code, c.more...)
			require.ErrorContains(t, err, c.err)
			for _, s := range c.out {
				assert.Contains(t, out, s)
			}
			assert.Equal(t, c.ran, strings.Contains(out, "145.00     145.00"), out)
		})
	}
}

func TestRecordedSetsNeedBothFiles(t *testing.T) {
	var out strings.Builder
	for _, c := range []struct {
		want string
		args []string
	}{
		{"go together", []string{"-rows", "testdata/kernels2.csv"}},
		{"go together", []string{"-rows", "testdata/kernels2.csv", "-listings"}},
		{"go together", []string{"-listings", "testdata/kernels2_words.sass.gz"}},
		{"go together", []string{"-grids", "-listings", "testdata/kernels2_words.sass.gz"}},
		{"choose one", []string{"-rows", "testdata/kernels2.csv", "-listings", "testdata/kernels2_words.sass.gz", "-second"}},
		{"nowhere.csv", []string{"-rows", "nowhere.csv", "-listings", "nowhere.sass"}},
		{"nowhere.sass", []string{"-rows", "testdata/kernels2.csv", "-listings", "nowhere.sass"}},
		{"goes with -grids", []string{"-listings"}},
		{"is no flag", []string{"-rows", "testdata/kernels2.csv", "-listings", "testdata/kernels2_words.sass.gz", "more"}},
	} {
		assert.ErrorContains(t, run(c.args, &out), c.want, "%v", c.args)
	}
	assert.Empty(t, out.String(), "nothing has run")
}
