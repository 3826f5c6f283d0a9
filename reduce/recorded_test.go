package reduce_test

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
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/team"
	"github.com/stretchr/testify/require"
)

// The files were recorded on an H200 with CUB's collectives.

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

// recordedAs names the algorithm that combines as the recorded one does.
var recordedAs = map[string]string{
	"warp":                     "shuffle-interleaved",
	"block_warp_reductions":    "warp-reductions",
	"block_raking":             "raking",
	"block_raking_commutative": "raking-commutative",
}

// collective runs an algorithm on a block of the H200 and returns what the
// threads hold.
func collective[T any](t *testing.T, e *warp.Engine, a reduce.Algorithm[T], op reduce.Op[T], in []T, tile reduce.Tile) []T {
	t.Helper()
	out := make([]T, len(in))
	run(t, e, len(in), func(w *warp.Warp) {
		var s warp.Mem[T]
		if a.Storage != nil {
			s = a.Storage(w)
		}
		v := warp.Alloc[T](w)
		base := w.ID() * w.Width()
		warp.SetLanes(v, func(l int) T { return in[base+l] })
		a.Run(v, op, tile, s)
		copy(out[base:], v.Lanes())
	})
	return out
}

func checkRecorded[T comparable](t *testing.T, e *warp.Engine, row []string, op reduce.Op[T], parse func(string) (T, error)) {
	t.Helper()
	n, err := strconv.Atoi(row[3])
	require.NoError(t, err)
	valid, err := strconv.Atoi(row[4])
	require.NoError(t, err)
	in, want := list(t, row[5], parse), list(t, row[6], parse)
	a, err := reduce.Lookup[T](recordedAs[row[0]])
	require.NoError(t, err)
	tile, step := reduce.Tile{Valid: team.First(valid)}, len(in)
	if a.Scope == reduce.WarpScope {
		tile.Width, step = n, n
	}
	got := collective(t, e, a, op, in, tile)
	for i, w := range want {
		if !bitsEqual(got[i*step], w) {
			t.Errorf("%s: result %d is %v, recorded %v", strings.Join(row[:5], " "), i, got[i*step], w)
			return
		}
	}
}

func TestRecordedReductions(t *testing.T) {
	e := engine(t, "h200")
	n := 0
	for _, row := range rows(t, "collective_reduce") {
		n++
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
	require.Equal(t, 825, n)
}

// checkTree holds the values that a warp's lanes end up with against a recorded
// tree of float additions.
func checkTree[T comparable](t *testing.T, e *warp.Engine, row []string, sum reduce.Op[T], parse func(string) (T, error)) bool {
	t.Helper()
	as := map[string]string{
		"reduce_down":      "shuffle-down",
		"reduce_xor_16to1": "shuffle-xor",
		"reduce_xor_1to16": "shuffle-xor-interleaved",
		"cg_reduce":        "shuffle-down",
	}[row[1]]
	if as == "" {
		return false
	}
	a, err := reduce.Lookup[T](as)
	require.NoError(t, err)
	got := collective(t, e, a, sum, list(t, row[2], parse), reduce.Tile{Everywhere: row[1] == "cg_reduce"})
	for l, want := range list(t, row[3], parse) {
		if !bitsEqual(got[l], want) {
			t.Errorf("%s %s: lane %d has %v, recorded %v", row[0], row[1], l, got[l], want)
			break
		}
	}
	return true
}

func TestRecordedFloatTrees(t *testing.T) {
	e := engine(t, "h200")
	n := 0
	for _, row := range rows(t, "float_trees") {
		known := false
		if row[0] == "f32" {
			known = checkTree(t, e, row, reduce.Sum[float32](), parseF32)
		} else {
			known = checkTree(t, e, row, reduce.Sum[float64](), parseF64)
		}
		if known {
			n++
		}
	}
	require.Equal(t, 240, n)
}
