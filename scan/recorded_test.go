package scan_test

import (
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"example.com/warpsim/reduce"
	"example.com/warpsim/scan"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
	"github.com/stretchr/testify/require"
)

// The files were recorded on an H200.

// rows reads a recorded file without its header.
func rows(t *testing.T, name string) [][]string {
	t.Helper()
	f, err := os.Open("../bench/conformance/testdata/h200/" + name + ".csv.gz")
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	r := csv.NewReader(z)
	r.FieldsPerRecord = -1 // the header explains itself with commas
	all, err := r.ReadAll()
	require.NoError(t, err)
	return all[1:]
}

// affine is x -> A*x + B over 32-bit words.
type affine struct{ A, B uint32 }

// compose applies f first, then g.
var compose = reduce.New("compose", isa.IMul, func(f, g affine) affine {
	return affine{f.A * g.A, f.B*g.A + g.B}
})

// list parses the values of a column.
func list[T any](t *testing.T, text string, parse func(string) (T, error)) []T {
	t.Helper()
	var out []T
	for word := range strings.FieldsSeq(text) {
		v, err := parse(word)
		require.NoError(t, err, word)
		out = append(out, v)
	}
	return out
}

func parseS32(s string) (int32, error) {
	v, err := strconv.ParseInt(s, 10, 32)
	return int32(v), err
}

func parseF32(s string) (float32, error) {
	v, err := strconv.ParseUint(s, 16, 32)
	return math.Float32frombits(uint32(v)), err
}

func parseF64(s string) (float64, error) {
	v, err := strconv.ParseUint(s, 16, 64)
	return math.Float64frombits(v), err
}

func parseAffine(s string) (f affine, err error) {
	_, err = fmt.Sscanf(s, "%x:%x", &f.A, &f.B)
	return f, err
}

// bitsEqual compares bit for bit, with all NaNs alike.
func bitsEqual[T comparable](a, b T) bool {
	switch x := any(a).(type) {
	case float32:
		y := any(b).(float32)
		return math.Float32bits(x) == math.Float32bits(y) || x != x && y != y
	case float64:
		y := any(b).(float64)
		return math.Float64bits(x) == math.Float64bits(y) || x != x && y != y
	}
	return a == b
}

// recordedAs names the algorithms that combine as the recorded one does.
var recordedAs = map[string][]string{
	"warp":             {"hillis-steele", "kogge-stone-shared"},
	"block_warp_scans": {"warp-scans"},
	"block_raking":     {"raking", "raking-memoized"},
}

// collective runs a scan on a block and returns what the threads hold.
func collective[T any](t *testing.T, e *warp.Engine, a scan.Algorithm[T], op reduce.Op[T], in []T, width int, initial *T) (inclusive, exclusive, aggregate []T) {
	t.Helper()
	inclusive, exclusive, aggregate = make([]T, len(in)), make([]T, len(in)), make([]T, len(in))
	run(t, e, len(in), func(w *warp.Warp) {
		var m warp.Mem[T]
		if a.Storage != nil {
			m = a.Storage(w)
		}
		v, ex, sum := warp.Alloc[T](w), warp.Alloc[T](w), warp.Alloc[T](w)
		base := w.ID() * w.Width()
		warp.SetLanes(v, func(l int) T { return in[base+l] })
		s := scan.Spec[T]{Width: width, Aggregate: sum}
		if initial != nil || op.HasIdentity {
			s.Exclusive = ex
		}
		if initial != nil {
			s.Initial = warp.Alloc[T](w)
			warp.Set(s.Initial, *initial)
		}
		a.Run(v, op, s, m)
		copy(inclusive[base:], v.Lanes())
		copy(exclusive[base:], ex.Lanes())
		copy(aggregate[base:], sum.Lanes())
	})
	return inclusive, exclusive, aggregate
}

func checkRecorded[T comparable](t *testing.T, e *warp.Engine, row []string, op reduce.Op[T], parse func(string) (T, error)) {
	t.Helper()
	n, err := strconv.Atoi(row[3])
	require.NoError(t, err)
	initial, err := parse(row[4])
	require.NoError(t, err)
	in := list(t, row[5], parse)
	names := recordedAs[row[0]]
	if row[0] == "block_warp_scans" && n%32 != 0 {
		names = recordedAs["block_raking"] // what CUB does for blocks of partial warps
	}
	for _, name := range names {
		a, err := scan.Lookup[T](name)
		require.NoError(t, err)
		width, step := 0, len(in)
		if a.Scope == reduce.WarpScope {
			width, step = n, n
		}
		inclusive, _, aggregate := collective(t, e, a, op, in, width, nil)
		_, exclusive, _ := collective(t, e, a, op, in, width, &initial)
		var sums []T
		for i := 0; i+step <= len(in); i += step {
			sums = append(sums, aggregate[i])
		}
		for _, c := range []struct {
			what string
			got  []T
			want []T
		}{
			{"inclusive", inclusive, list(t, row[6], parse)},
			{"exclusive", exclusive, list(t, row[7], parse)},
			{"aggregate", sums, list(t, row[8], parse)},
		} {
			for i, w := range c.want {
				if !bitsEqual(c.got[i], w) {
					t.Errorf("%s as %s: %s %d is %v, recorded %v", strings.Join(row[:4], " "), name, c.what, i, c.got[i], w)
					break
				}
			}
		}
	}
}

func TestRecordedScans(t *testing.T) {
	e := engine(t, "h200")
	all := rows(t, "collective_scan")
	require.Len(t, all, 215)
	for _, row := range all {
		switch row[1] + " " + row[2] {
		case "s32 sum":
			checkRecorded(t, e, row, reduce.Sum[int32](), parseS32)
		case "s32 max":
			checkRecorded(t, e, row, reduce.Max[int32](), parseS32)
		case "f32 sum":
			checkRecorded(t, e, row, reduce.Sum[float32](), parseF32)
		case "f64 sum":
			checkRecorded(t, e, row, reduce.Sum[float64](), parseF64)
		case "affine compose":
			checkRecorded(t, e, row, compose, parseAffine)
		default:
			t.Errorf("no check for %v", row[:3])
		}
	}
}

func checkTree[T comparable](t *testing.T, e *warp.Engine, row []string, sum reduce.Op[T], parse func(string) (T, error)) {
	t.Helper()
	a, err := scan.Lookup[T]("hillis-steele")
	require.NoError(t, err)
	got, exclusive, _ := collective(t, e, a, sum, list(t, row[2], parse), 0, nil)
	if row[1] == "cg_exclusive_scan" {
		got = exclusive
	}
	for l, want := range list(t, row[3], parse) {
		if !bitsEqual(got[l], want) {
			t.Errorf("%s %s: lane %d has %v, recorded %v", row[0], row[1], l, got[l], want)
			break
		}
	}
}

func TestRecordedFloatScans(t *testing.T) {
	e := engine(t, "h200")
	n := 0
	for _, row := range rows(t, "float_trees") {
		if !strings.Contains(row[1], "scan") {
			continue
		}
		n++
		if row[0] == "f32" {
			checkTree(t, e, row, reduce.Sum[float32](), parseF32)
		} else {
			checkTree(t, e, row, reduce.Sum[float64](), parseF64)
		}
	}
	require.Equal(t, 180, n)
}
