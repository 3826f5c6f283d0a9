package main

import (
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the tables of README.md anew")

// Every figure has a profile, a positive value, a unit and a source.
func TestPublished(t *testing.T) {
	figures, err := published()
	require.NoError(t, err)
	require.NotEmpty(t, figures)
	for _, f := range figures {
		assert.Positive(t, f.value, "%s %s", f.chip, f.quantity)
		assert.NotEmpty(t, f.unit)
		assert.NotEmpty(t, f.source)
		require.NotNil(t, f.profile)
	}
}

// Latencies of each level are numbers of the profiles: the small kernels find them
// again where the profile has them from the same source.
func TestLatenciesComeBack(t *testing.T) {
	figures, err := published()
	require.NoError(t, err)
	n := 0
	for _, f := range figures {
		if !strings.HasPrefix(f.condition, "pointer chase by one warp") {
			continue
		}
		if testing.Short() && f.quantity == "latency.l2_hit_far" {
			continue // sets of tens of megabytes
		}
		if f.chip == "H100-PCIe" && f.quantity == "latency.l1_hit" {
			continue // 34.2; the profile has the 32 that were measured of the same multiprocessor
		}
		n++
		got, err := measure(&f)
		if errors.Is(err, errNoKernel) {
			continue
		}
		require.NoError(t, err)
		assert.InEpsilon(t, f.value, got, 0.05, "%s %s", f.chip, f.quantity)
	}
	assert.Positive(t, n)
}

// The textbook's seven reductions come out in the order of three other chips.
func TestOrderOfReductions(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates 21 grids of a million items")
	}
	var out strings.Builder
	require.NoError(t, run([]string{"-quantity", "grid.reduction"}, &out))
	assert.Contains(t, out.String(), "RTX 3080: 17 of 17 pairs")
	assert.Contains(t, out.String(), "RTX 3070 Ti: 14 of 14 pairs")
	assert.Contains(t, out.String(), "RTX 3060 Ti: 14 of 14 pairs")
}

func TestBadInput(t *testing.T) {
	var out strings.Builder
	for _, args := range [][]string{{"-n", "0"}, {"-threads", "0"}, {"-device", "abacus"}, {"-quantity", "taste"}, {"figures"}, {"-bogus"}} {
		assert.Equal(t, exitUsage, exit(run(args, &out), io.Discard), "%v", args)
	}
	assert.Empty(t, out.String())
}

// JSON has the figures that are published, and the model's.
func TestJSON(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run([]string{"-device", "v100", "-quantity", "latency.shared", "-json"}, &out))
	var rows []map[string]any
	require.NoError(t, json.Unmarshal([]byte(out.String()), &rows))
	require.NotEmpty(t, rows)
	for _, r := range rows {
		assert.Equal(t, "v100", r["device"])
		assert.InDelta(t, r["published"], r["simulated"], 10, "%v", r)
	}
}

// The tables of README.md are what the command prints; they are held against it
// only when they are written, for they take minutes.
func TestReadme(t *testing.T) {
	const begin, end = "<!-- begin of the tables -->\n", "<!-- end of the tables -->\n"
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	head, rest, ok := strings.Cut(string(text), begin)
	require.True(t, ok)
	_, tail, ok := strings.Cut(rest, end)
	require.True(t, ok)
	if !*update {
		return
	}
	var out strings.Builder
	require.NoError(t, run([]string{"-n", "65536", "-threads", "256"}, &out))
	require.NoError(t, os.WriteFile("README.md", []byte(head+begin+"```\n"+out.String()+"```\n"+end+tail), 0o666))
}
