package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/warpsim/bench/internal/gridkernels"
	"example.com/warpsim/warp/device"
)

// Which of two kernels a user should take is answered as an H200 answers it. Larger grids:
// go run ./bench/accuracy -questions.
func TestQuestions(t *testing.T) {
	if testing.Short() {
		t.Skip("whole grids and sets, one processor's work")
	}
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	rows, err := gridRows(firstGrids)
	require.NoError(t, err)
	more, err := gridRows("counting.csv")
	require.NoError(t, err)
	most := 140000
	if testing.Short() {
		most = 20000
	}
	var small []gridRow
	for _, r := range append(rows, more...) {
		// Of a million items those of the two kernels that stream, too.
		if r.Items() <= most || !testing.Short() && !r.cold && r.N == 1<<20 && r.Threads == 256 && strings.HasPrefix(r.Kernel, "saxpy") {
			small = append(small, r)
		}
	}
	answers := answersOf(small)
	require.NoError(t, answerAll(p, answers))
	seen := map[string]bool{}
	wrong := map[gridkernels.Case]bool{ // see DEVIATIONS.md
		{Kernel: "histogram_shared_u32", N: 131072, Blocks: 128, Threads: 1024}: true,
		{Kernel: "count_plain_u32", N: 16384, Blocks: 16, Threads: 1024}:        true,
	}
	for _, x := range answers {
		seen[x.asks] = true
		if wrong[x.a.Case] {
			continue
		}
		assert.True(t, x.right(), "%s: %s %.0f ns on the chip, %.0f here; %s %.0f and %.0f", x.asks, x.a.Kernel, x.a.spanNS, x.simA, x.b.Kernel, x.b.spanNS, x.simB)
	}
	for _, k := range []string{"histogram: shared or global", "sum: hybrid or tree", "sum: hybrid or an atomic a warp"} {
		assert.True(t, seen[k], k)
	}
}

// Pairs have one size, block and state; those within 5 % have no answer.
func TestAnswersOf(t *testing.T) {
	row := func(kernel string, n, blocks, threads int, cold bool, ns float64) gridRow {
		return gridRow{Case: gridkernels.Case{Kernel: kernel, N: n, Blocks: blocks, Threads: threads}, cold: cold, spanNS: ns}
	}
	answers := answersOf([]gridRow{
		row("reduce_tree_f32", 4096, 16, 256, false, 1000),
		row("reduce_hybrid_f32", 4096, 16, 256, false, 900),
		row("reduce_hybrid_f32", 4096, 16, 256, true, 900),
		row("reduce_hybrid_f32", 4096, 32, 128, false, 900),
		row("reduce_warp_atomics_f32", 4096, 16, 256, false, 930),
		row("saxpy_f32", 4096, 16, 256, false, 1000),
		row("saxpy_strided_f32", 4096, 16, 256, false, 500),
		row("saxpy_strided_f32", 4096, 2, 256, false, 500),
	})
	require.Len(t, answers, 3)
	assert.Equal(t, "sum: hybrid or tree", answers[0].asks)
	assert.Equal(t, "sum: tree or an atomic a warp", answers[1].asks)
	assert.Equal(t, 2, answers[2].b.Blocks)
	x := answers[0]
	x.simA, x.simB = 2, 3
	assert.True(t, x.right())
	x.simA = 3
	assert.False(t, x.right(), "a tie is no answer")
}

func TestRunQuestions(t *testing.T) {
	if testing.Short() {
		t.Skip("whole grids and sets, one processor's work")
	}
	var out strings.Builder
	require.NoError(t, run([]string{"-questions", "-n", "20000", "-kernel", "reduce_tree_f32", "-threads", "256"}, &out))
	assert.Regexp(t, `(?m)^sum: hybrid or tree +2 of 2$`, out.String())
	assert.Regexp(t, `answered as the chip does: 4 of 4, 100.0 %; the others are marked \*\n$`, out.String())
	out.Reset()
	require.NoError(t, run([]string{"-questions", "-n", "20000", "-kernel", "reduce_tree_f32", "-threads", "256", "-json"}, &out))
	assert.Contains(t, out.String(), `"right": true`)
	assert.Error(t, run([]string{"-questions", "-kernel", "copy_f32"}, &out))
}
