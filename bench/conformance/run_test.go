package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// program runs the program and returns what it prints and its exit status.
func program(args ...string) (stdout, stderr string, status int) {
	var out, err bytes.Buffer
	status = run(args, &out, &err)
	return out.String(), err.String(), status
}

// folder writes files and returns where.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return dir
}

// recording returns a built-in file, cut to its header and first n rows.
func recording(t *testing.T, name string, n int) string {
	t.Helper()
	f, err := recordings.Open("testdata/h200/" + name + ".csv.gz")
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	text, err := io.ReadAll(z)
	require.NoError(t, err)
	lines := strings.SplitAfter(string(text), "\n")
	if strings.HasPrefix(lines[0], "#") {
		n++
	}
	return strings.Join(lines[:n+1], "")
}

func compress(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	require.NoError(t, err)
	_, err = z.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return b.String()
}

func TestBuiltIn(t *testing.T) {
	for _, l := range layerNames() {
		out, errs, status := program("-layer", l)
		require.Zero(t, status, "%s\n%s", out, errs)
		require.Empty(t, errs)
		for _, line := range []string{
			"shfl_full              rows=2616   mismatches=0",
			"shfl_per_lane          rows=600    mismatches=0",
			"shfl_ptx               rows=1200   mismatches=0",
			"shfl_masked            rows=800    mismatches=0",
			"shfl_bad_width         rows=288    mismatches=0",
			"vote                   rows=500    mismatches=0",
			"barrier_reduce         rows=57     mismatches=0",
			"float_trees            rows=420    mismatches=0",
		} {
			require.Contains(t, out, line, l)
		}
		if l == "routing" {
			require.Equal(t, 4, strings.Count(out, "not asked: a kernel"))
			require.True(t, strings.HasSuffix(out, "\nTOTAL rows=6481 mismatches=0\n"), out)
			continue
		}
		for _, line := range []string{
			"collective_reduce      rows=825    mismatches=0",
			"collective_scan        rows=215    mismatches=0",
			"collective_segmented   rows=60     mismatches=0",
			"simt                   rows=13     mismatches=0",
		} {
			require.Contains(t, out, line)
		}
		require.True(t, strings.HasSuffix(out, "\nTOTAL rows=7594 mismatches=0\n"), out)
	}
}

// Every check has a recording, and no recording is without one.
func TestRegistry(t *testing.T) {
	entries, err := recordings.ReadDir("testdata/h200")
	require.NoError(t, err)
	known := map[string]bool{}
	for _, c := range checkers {
		known[c.name] = true
	}
	require.Len(t, entries, len(checkers))
	for _, e := range entries {
		name := baseName(e.Name())
		require.True(t, known[name], name)
	}
}

func TestFolder(t *testing.T) {
	dir := folder(t, map[string]string{
		"shfl_full.csv": recording(t, "shfl_full", 7),
		"vote.csv.gz":   compress(t, recording(t, "vote", 5)),
	})
	out, errs, status := program(dir)
	require.Zero(t, status, errs)
	require.Equal(t, "shfl_full              rows=7      mismatches=0\nvote                   rows=5      mismatches=0\nTOTAL rows=12 mismatches=0\n", out)
}

// A mismatch is counted, and the first is shown with its place, its operands and
// both results.
func TestMismatch(t *testing.T) {
	ramp := "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31"
	wrong := strings.Replace(ramp, "8 9", "9 9", 1)
	dir := folder(t, map[string]string{"shfl_full.csv": "# remark\nop,width,arg,source_lane_of_lane_0_to_31\n" +
		"up,32,0," + ramp + "\nup,32,0," + wrong + "\ndown,32,32," + wrong + "\n"})
	out, errs, status := program("-layer", "routing", dir)
	require.Equal(t, 1, status)
	require.Empty(t, errs)
	require.Equal(t, "shfl_full              rows=3      mismatches=2\n"+
		"  first mismatch: shfl_full.csv:4\n"+
		"    op = up\n    width = 32\n    arg = 0\n    source_lane_of_lane_0_to_31 = "+wrong+"\n"+
		"    want source_lane_of_lane_0_to_31: "+wrong+"\n"+
		"     got source_lane_of_lane_0_to_31: "+ramp+"\n"+
		"    want source_lane_of_lane_0_to_31 (mimicking the chip): "+wrong+"\n"+
		"     got source_lane_of_lane_0_to_31 (mimicking the chip): "+ramp+"\n"+
		"TOTAL rows=3 mismatches=2\n", out)
}

// Every result that is checked can fail: change each result cell of each file
// to another legal one.
func TestEveryResultCounts(t *testing.T) {
	operands := map[string]bool{"op": true, "mode": true, "width": true, "arg": true, "mask": true, "threads": true, "seed": true,
		"type": true, "algorithm": true, "arg_of_lane_0_to_31": true, "b_of_lane_0_to_31": true, "c_of_lane_0_to_31": true,
		"value_of_lane_0_to_31_hex": true, "input_bits_of_lane_0_to_31": true,
		"logical_width_or_threads": true, "valid_items": true, "input": true, "initial": true,
		"flag_kind": true, "flags_of_lane_0_to_31": true, "kernel": true}
	for _, c := range checkers {
		lines := strings.Split(strings.TrimSpace(recording(t, c.name, 1)), "\n")
		head, cells := lines[len(lines)-2], strings.Split(lines[len(lines)-1], ",")
		for i, column := range c.columns {
			if operands[column] {
				continue
			}
			changed := append([]string{}, cells...)
			digit := strings.LastIndexAny(changed[i], "0123456789abcdef")
			other := "1"
			if changed[i][digit] == '1' {
				other = "0"
			}
			changed[i] = changed[i][:digit] + other
			dir := folder(t, map[string]string{c.name + ".csv": head + "\n" + strings.Join(changed, ",") + "\n"})
			out, errs, status := program(dir)
			require.Equal(t, 1, status, "%s %s\n%s", c.name, column, out)
			require.Empty(t, errs)
			require.Contains(t, out, "rows=1      mismatches=1")
			require.Contains(t, out, "want "+column)
		}
	}
}

func TestMalformed(t *testing.T) {
	full := recording(t, "shfl_full", 3)
	vote := recording(t, "vote", 2)
	packed := compress(t, recording(t, "shfl_ptx", 40))
	for _, c := range []struct {
		name, file, text string
		want             string // on standard error
		out              string // on standard output
	}{
		{"bad number", "shfl_full.csv", strings.Replace(full, "idx,1,-33,", "idx,1,x33,", 1),
			`shfl_full.csv:4: column arg: "x33" is not a 32-bit number`, "rows=2      mismatches=0 malformed=1"},
		{"number too large", "shfl_full.csv", strings.Replace(full, "idx,1,-33,", "idx,1,4294967296,", 1),
			`shfl_full.csv:4: column arg: "4294967296" is not a 32-bit number`, "rows=2      mismatches=0 malformed=1"},
		{"bad operation", "shfl_full.csv", strings.Replace(full, "idx,1,-33,", "rot,1,-33,", 1),
			`shfl_full.csv:4: column op: "rot" is no shuffle`, "malformed=1"},
		{"two bad rows", "shfl_full.csv", strings.Replace(full, "idx,1,", "idx,,", 2),
			`shfl_full.csv:3: column width: "" is not a 32-bit number`, "rows=1      mismatches=0 malformed=2"},
		{"missing cell", "shfl_full.csv", strings.Replace(full, "idx,1,-33,", "idx,1,", 1),
			"shfl_full.csv:4: 3 cells, the header has 4", "rows=1      mismatches=0 malformed=1"},
		{"missing column", "shfl_full.csv", strings.Replace(full, "op,width,arg,", "op,wide,arg,", 1),
			`shfl_full.csv: no column "width"`, "unreadable"},
		{"lane count", "shfl_full.csv", strings.Replace(full, "idx,1,-33,0 1 2", "idx,1,-33,0 1", 1),
			"shfl_full.csv:4: column source_lane_of_lane_0_to_31: 31 values for 32 lanes", "malformed=1"},
		{"bad mask", "vote.csv", strings.Replace(vote, "\nffffffff,", "\nfffffffff,", 1),
			`vote.csv:2: column mask: lane: mask "fffffffff" for 32 lanes: names lane 32-35, which the warp does not have`, "malformed=1"},
		{"bad hex", "vote.csv", strings.Replace(vote, "2b538ad5 ", "2b538adx ", 1),
			`vote.csv:2: column value_of_lane_0_to_31_hex: "2b538adx" is not a hexadecimal number of 32 bits`, "malformed=1"},
		{"bad result", "vote.csv", strings.Replace(vote, ",1,1,1,ffffffff", ",1,yes,1,ffffffff", 1),
			`vote.csv:2: column any: "yes" is not a 32-bit number`, "malformed=1"},
		{"too many threads", "barrier_reduce.csv", strings.Replace(recording(t, "barrier_reduce", 1), "\n1,", "\n1025,", 1),
			"barrier_reduce.csv:2: column threads: 1025 is not a size of a block", "malformed=1"},
		{"float type", "float_trees.csv", strings.Replace(recording(t, "float_trees", 1), "\nf32,", "\nf16,", 1),
			`float_trees.csv:2: column type: "f16" is neither f32 nor f64`, "malformed=1"},
		{"algorithm", "float_trees.csv", strings.Replace(recording(t, "float_trees", 1), ",reduce_down,", ",reduce_sideways,", 1),
			`float_trees.csv:2: column algorithm: "reduce_sideways" is not known`, "malformed=1"},
		{"column twice", "shfl_full.csv", strings.Replace(full, "op,width,arg,", "op,op,arg,", 1),
			`shfl_full.csv:2: column "op" twice`, "unreadable"},
		{"no header", "shfl_full.csv", "# nothing\n\n", "shfl_full.csv: no header", "unreadable"},
		{"empty file", "shfl_full.csv", "", "shfl_full.csv: no header", "unreadable"},
		{"not compressed", "shfl_full.csv.gz", full, "shfl_full.csv.gz: not compressed with gzip: gzip: invalid header", "unreadable"},
		{"truncated", "shfl_ptx.csv.gz", packed[:len(packed)/2], "unexpected EOF", "malformed=1"},
		{"truncated at once", "shfl_ptx.csv.gz", packed[:5], "not compressed with gzip: unexpected EOF", "unreadable"},
		{"unknown file", "shfl_half.csv", full, "shfl_half.csv: no check for this file; -skip shfl_half passes over it", "shfl_half              unknown"},
		{"known name, other file", "vote", vote, "vote: no check for this file; -skip vote passes over it", "unknown"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, errs, status := program(folder(t, map[string]string{c.file: c.text}))
			require.Equal(t, 1, status)
			require.Contains(t, errs, c.want)
			require.Contains(t, out, c.out)
			require.Contains(t, out, "TOTAL rows=")
		})
	}
}

// A byte order mark is no part of the first column's name.
func TestByteOrderMark(t *testing.T) {
	for _, file := range []string{"shfl_full.csv", "shfl_full.csv.gz"} {
		text := "\xef\xbb\xbf" + recording(t, "shfl_full", 3)
		if strings.HasSuffix(file, ".gz") {
			text = compress(t, text)
		}
		out, errs, status := program(folder(t, map[string]string{file: text}))
		require.Equal(t, 0, status, errs)
		require.Contains(t, out, "rows=3 ")
	}
}

// Compressed data that would fill memory is given up early: a file of zeros, and ones
// of endless rows, remarks and empty lines.
func TestDecompressionIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("half a gigabyte of text")
	}
	head := recording(t, "shfl_full", 1)
	for name, text := range map[string]string{
		"zeros":       strings.Repeat("\x00", 64<<20),
		"long line":   head + strings.Repeat("1,", 32<<20),
		"empty lines": head + strings.Repeat("\n", 64<<20),
		"remarks":     head + strings.Repeat("#\n", 32<<20),
	} {
		packed := compress(t, text)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := readTable("big.csv.gz", strings.NewReader(packed))
		runtime.ReadMemStats(&after)
		require.Error(t, err, name)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20), name)
	}
}

// A damaged file is checked as far as it can be read.
func TestTruncatedRowsCount(t *testing.T) {
	packed := compress(t, recording(t, "shfl_full", 2616))
	out, errs, status := program(folder(t, map[string]string{"shfl_full.csv.gz": packed[:len(packed)-12]}))
	require.Equal(t, 1, status)
	require.Contains(t, errs, "unexpected EOF")
	require.NotContains(t, out, "rows=0 ")
	require.Contains(t, out, " mismatches=0 malformed=1")
}

func TestSkip(t *testing.T) {
	dir := folder(t, map[string]string{
		"notes.txt": "hello", "shfl_half.csv": "a,b\n1,2\n",
		"shfl_full.csv": recording(t, "shfl_full", 2),
	})
	out, errs, status := program("-skip", "notes.txt", "-skip", "shfl_half.csv", dir)
	require.Zero(t, status, errs)
	require.Equal(t, "notes.txt              skipped\nshfl_full              rows=2      mismatches=0\nshfl_half              skipped\nTOTAL rows=2 mismatches=0\n", out)

	_, errs, status = program("-skip", "shfl_falf", dir)
	require.Equal(t, 1, status)
	require.Contains(t, errs, "-skip shfl_falf: there is no such file")
}

func TestBadFolder(t *testing.T) {
	_, errs, status := program(t.TempDir())
	require.Equal(t, 1, status)
	require.Contains(t, errs, "no files to check")
	_, errs, status = program(filepath.Join(t.TempDir(), "absent"))
	require.Equal(t, 1, status)
	require.Contains(t, errs, "no such file")
	_, errs, status = program(filepath.Join(folder(t, map[string]string{"a": ""}), "a"))
	require.Equal(t, 1, status)
	require.Contains(t, errs, "is not a folder")
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "vote.csv"), 0o755))
	_, errs, status = program(dir)
	require.Equal(t, 1, status)
	require.Contains(t, errs, "vote.csv")
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"-nonsense"}, {"a", "b"}, {"-layer", "paper"}} {
		_, errs, status := program(args...)
		require.Equal(t, 2, status)
		require.NotEmpty(t, errs)
	}
}

// JSON has the figures of the text.
func TestJSON(t *testing.T) {
	dir := folder(t, map[string]string{
		"notes.txt": "hello", "shfl_full.csv": recording(t, "shfl_full", 7),
		"vote.csv": strings.Replace(recording(t, "vote", 2), ",1,1,1,ffffffff", ",1,0,1,ffffffff", 1),
	})
	out, errs, status := program("-layer", "routing", "-json", "-skip", "notes.txt", dir)
	require.Equal(t, 1, status, errs)
	var got struct {
		Layer            string
		Rows, Mismatches int
		Files            []checked
	}
	require.NoError(t, json.Unmarshal([]byte(out), &got), out)
	require.Equal(t, []any{"routing", 9, 1}, []any{got.Layer, got.Rows, got.Mismatches})
	require.Contains(t, got.Files[2].First, "want any")
	got.Files[2].First = ""
	require.Equal(t, []checked{{Name: "notes.txt", State: "skipped"}, {Name: "shfl_full", State: "checked", Rows: 7},
		{Name: "vote", State: "checked", Rows: 2, Mismatches: 1}}, got.Files)
}

func TestHeader(t *testing.T) {
	require.Equal(t, []string{"a", "b_c", "d", "e"}, header("a,b_c (x, y; (z), w),d, e (t)"))
	require.Equal(t, []string{""}, header(""))
}

// FuzzFile feeds the program damaged files: it must end, and never panic.
func FuzzFile(f *testing.F) {
	f.Add("shfl_full", "op,width,arg,source_lane_of_lane_0_to_31\nup,32,1,0\n")
	f.Add("vote", "mask\n")
	f.Fuzz(func(t *testing.T, name, text string) {
		if c := lookup(name); c == nil {
			return
		}
		table, err := readTable(name+".csv", strings.NewReader(text))
		if err != nil || table.require(lookup(name).columns) != nil {
			return
		}
		o := check(lookup(name), &routing{}, table)
		require.Equal(t, len(table.rows), o.rows+len(o.malformed))
	})
}
