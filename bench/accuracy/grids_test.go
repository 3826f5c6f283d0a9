package main

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/warpsim/bench/internal/gridkernels"
	"example.com/warpsim/warp/device"
)

func TestGridRows(t *testing.T) {
	rows, err := gridRows("grids.csv")
	require.NoError(t, err)
	assert.Len(t, rows, 2*297)
	more, err := gridRows("counting.csv")
	require.NoError(t, err)
	assert.Len(t, more, 2*114)
	rows = append(rows, more...)
	seen := map[string]bool{}
	for _, r := range rows {
		seen[r.Kernel] = true
		assert.Positive(t, r.spanNS)
		assert.Positive(t, r.block)
	}
	for _, k := range gridkernels.Kernels() {
		assert.True(t, seen[k], k)
	}
}

func TestPairsOfGrids(t *testing.T) {
	row := func(kernel string, n, threads int, cold bool, chip, sim float64) gridResult {
		c := gridkernels.Case{Kernel: kernel, N: n, Blocks: 1, Threads: threads}
		return gridResult{gridRow: gridRow{Case: c, cold: cold, spanNS: chip}, simNS: sim}
	}
	rows := []gridResult{
		row("reduce_tree_f32", 1024, 128, false, 1000, 900),
		row("reduce_hybrid_f32", 1024, 128, false, 1040, 100),   // no pair with the first: 4 %
		row("reduce_hybrid_f32", 1024, 256, false, 2000, 1000),  // right with the first two
		row("reduce_partials_f32", 1024, 256, false, 1, 1),      // another job
		row("reduce_tree_f32", 2048, 128, false, 1, 1),          // another size
		row("reduce_last_block_f32", 1024, 128, true, 500, 500), // another state
		row("reduce_warp_atomics_f32", 1024, 128, false, 500, 1000),
	}
	right, n := order(rows, false)
	assert.Equal(t, 5, n)
	assert.Equal(t, 2, right, "the last is faster than all on the chip, and slower than the first two here; a tie is no order")
	right, n = order(rows, true)
	assert.Zero(t, right+n)
}

func TestReportOfGrids(t *testing.T) {
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, runGrids(&out, p, "grids.csv", "copy_f32", 1024, 1<<17, "", false))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	assert.Regexp(t, `^mean \d+\.\d\d% worst \d+\.\d\d% rows 1$`, lines[len(lines)-1])
	assert.ErrorContains(t, runGrids(&out, p, "grids.csv", "nothing", 0, 0, "", false), "there are kernels compact_ballot_s32, ")
}

// Every kernel of the second set runs, and loads from anywhere that come from DRAM, where
// both halves of the second level ask for sectors of the same lines, do not wait for each
// other's.
func TestSecondGrids(t *testing.T) {
	if testing.Short() {
		t.Skip("whole grids and sets, one processor's work")
	}
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	rows, err := gridRows(secondGrids)
	require.NoError(t, err)
	seen := map[string]bool{}
	rows = slices.DeleteFunc(rows, func(r gridRow) bool {
		k := fmt.Sprint(r.Kernel, r.cold)
		was := seen[k]
		seen[k] = true
		return was
	})
	results, err := measureListings(p, secondGrids, rows)
	require.NoError(t, err)
	require.Len(t, results, 2*18)
	sum := 0.0
	for _, r := range results {
		sum += math.Abs(r.error())
		if r.Kernel == "gather_f32" {
			assert.InDelta(t, 0, r.blockError(), 0.25, "%s %s", r.Kernel, r.state())
		}
	}
	assert.Less(t, sum/float64(len(results)), 0.12)
}

// Grids whose time is that of their blocks, by the code that the chip ran. No number was
// chosen for listings.
func TestListingsOfGrids(t *testing.T) {
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	rows, err := gridRows("grids.csv")
	require.NoError(t, err)
	rows = slices.DeleteFunc(rows, func(r gridRow) bool {
		return r.cold || r.Items() > 20000 || !strings.HasPrefix(r.Kernel, "reduce_tree") && !strings.HasPrefix(r.Kernel, "copy") && !strings.HasPrefix(r.Kernel, "saxpy")
	})
	results, err := measureListings(p, firstGrids, rows)
	require.NoError(t, err)
	require.Len(t, results, 15)
	sum := 0.0
	for _, r := range results {
		assert.LessOrEqual(t, math.Abs(r.error()), 0.18, "%s, %d blocks of %d", r.Kernel, r.Blocks, r.Threads)
		assert.LessOrEqual(t, math.Abs(r.blockError()), 0.18, "%s, %d blocks of %d", r.Kernel, r.Blocks, r.Threads)
		sum += math.Abs(r.error())
	}
	assert.LessOrEqual(t, sum/float64(len(results)), 0.06)
}
