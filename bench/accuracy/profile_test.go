package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/warpsim/warp/device"
)

// The recorded launches are 78, and in 18 of them warps wait most for something else than
// memory, by the profiler's reasons as they are and by the classes that they are put in.
func TestProfileRows(t *testing.T) {
	rows, err := profileRows()
	require.NoError(t, err)
	require.Len(t, rows, 78)
	others := 0
	for _, r := range rows {
		assert.Positive(t, r.counts[0], "%s", r.Kernel)
		sum := 0.0
		for _, x := range r.waits {
			sum += x
		}
		assert.InDelta(t, 1, sum, 1e-9)
		if r.waits.largest() != waitMemory {
			others++
		}
	}
	assert.Equal(t, 18, others)
	// copy_f32 of 131,072 items: 26 instructions a warp, each of which takes 30.66 cycles.
	assert.InDelta(t, 26*30.66, rows[0].stays, 0.5)
}

// Loads, their sectors and those of stores are counted as the chip counts them; sectors and
// hits of the lower levels within 10 %; and warps wait most for what the chip's wait for.
func TestProfile(t *testing.T) {
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	list, err := gridListing(firstGrids)
	require.NoError(t, err)
	rows, err := profileRows()
	require.NoError(t, err)
	off := map[string]bool{ // see DEVIATIONS.md: what the chip fetches besides
		"softmax_row_block_256_f32 l2_read_sectors": true, "saxpy_f32 l2_read_sectors": true,
		"saxpy_strided_f32 l2_read_sectors": true, "reduce_last_block_f32 l2_write_sectors": true,
		"reduce_warp_atomics_f32 l2_write_sectors": true, "histogram_global_u32 l2_write_sectors": true,
	}
	waitsOff := map[string]bool{"reduce_hybrid_f32": true, "reduce_partials_f32": true, "reduce_tree_f32": true, "reduce_tree_doubling_f32": true}
	n := 0
	for _, r := range rows {
		if r.Items() > 140000 || testing.Short() && r.Items() > 40000 {
			continue
		}
		n++
		x, err := profileOf(p, list, r)
		require.NoError(t, err)
		for i, c := range counters {
			if name := r.Kernel + " " + c.name; !off[name] {
				assert.True(t, x.close(i), "%s: %d on the chip, %d in the model", name, r.counts[i], x.simCounts[i])
			}
		}
		if !waitsOff[r.Kernel] {
			assert.True(t, x.sameWait(), "%s: %.2f on the chip, %.2f in the model", r.Kernel, r.waits, x.simWaits)
		}
	}
	assert.Positive(t, n)
}

func TestForSharedUnit(t *testing.T) {
	for text, want := range map[string]bool{
		"0x0270 @P1 LDS R3, [R5]": true, "0x0280 SHFL.DOWN PT, R5, R4, 0x10, 0x1f": true, "REDG.E.ADD R2": true,
		"0x0290 FADD R4, R3, R2": false, "0x02a0 @!P0 BRA 0x1a0": false, "": false,
	} {
		assert.Equal(t, want, forSharedUnit(text), text)
	}
}

func TestRunProfile(t *testing.T) {
	if testing.Short() {
		t.Skip("whole grids and sets, one processor's work")
	}
	var out strings.Builder
	require.NoError(t, run([]string{"-profile", "-n", "40000"}, &out))
	assert.Contains(t, out.String(), "l1_load_requests  exactly: 1 of 1\n")
	assert.Regexp(t, `the largest wait is the chip's in 1 of 1 launches, 100.0 %; where it is not that for memory in 1 of 1\n$`, out.String())
	out.Reset()
	require.NoError(t, run([]string{"-profile", "-n", "40000", "-json"}, &out))
	assert.Contains(t, out.String(), `"sameLargestWait": true`)
	assert.Error(t, run([]string{"-profile", "-kernel", "nothing"}, &out))
	assert.Error(t, run([]string{"-profile", "-waits"}, &out))
}
