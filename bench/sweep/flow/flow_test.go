package flow

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	_ "example.com/warpsim/bench/sweep/kernels"
	"example.com/warpsim/bench/sweep/plan"
	"example.com/warpsim/bench/sweep/result"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	//lint:ignore SA1019 the results must not depend on the runner, and this is another one that needs no service
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/direct"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	beam.Init()
	Quiet()
	os.Exit(m.Run())
}

const small = `
devices: [custom-32, custom-64]
numbers:
  - {name: shuffle, paths: timing.ops.shfl.*.latency, values: [8, 16, 32]}
  - {paths: shared.banks, values: [16, 32]}
kernels: [block/reduce/hybrid, block/reduce/block-tree, block/reduce/shuffle-xor]
sizes: {from: 32, to: 128, times: 2}
seeds: [1, 2]
`

func sweep(t *testing.T, text string) *plan.Sweep {
	t.Helper()
	s, err := plan.Read("sweep.yaml", []byte(text))
	require.NoError(t, err)
	return s
}

func open(t *testing.T, s *plan.Sweep, dir string, shard int64, resume bool) *result.Store {
	t.Helper()
	encoded, err := s.Encode()
	require.NoError(t, err)
	store, err := result.Open(dir, encoded, s.Len(), shard, resume)
	require.NoError(t, err)
	return store
}

// all returns every line that a sweep left, and the number of its errors.
func all(t *testing.T, store *result.Store) (lines []result.Row, summaries []string) {
	t.Helper()
	for r, err := range store.Rows {
		require.NoError(t, err)
		lines = append(lines, *r)
	}
	for _, name := range []string{Best, Pareto, Curves} {
		data, err := os.ReadFile(filepath.Join(store.Dir, "parts", name+".json"))
		require.NoError(t, err)
		summaries = append(summaries, string(data))
	}
	return lines, summaries
}

func TestRowsAreTheSameOnEveryRunner(t *testing.T) {
	s := sweep(t, small)
	require.EqualValues(t, 2*6*3*3*2, s.Len())
	var first []result.Row
	var sums []string
	for i, c := range []struct {
		runner  string
		workers int
		shard   int64
	}{{"prism", 1, 50}, {"prism", 2, 16}, {"direct", 2, 7}} {
		store := open(t, s, t.TempDir(), c.shard, false)
		require.NoError(t, Run(context.Background(), s, store, Options{Runner: c.runner, Workers: c.workers}))
		rows, summaries := all(t, store)
		if i == 0 {
			first, sums = rows, summaries
			require.EqualValues(t, s.Len(), len(rows))
			continue
		}
		assert.Equal(t, first, rows, c)
		assert.Equal(t, sums, summaries, c)
	}
}

// A sweep that is interrupted keeps what is done, and goes on from there.
func TestInterruptedKeepsWhatIsDone(t *testing.T) {
	s := sweep(t, small)
	whole := open(t, s, t.TempDir(), 32, false)
	require.NoError(t, Run(context.Background(), s, whole, Options{Runner: "direct", Workers: 2}))
	want, sums := all(t, whole)

	dir := t.TempDir()
	store := open(t, s, dir, 64, false)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		for kept := int64(0); kept < 10 && ctx.Err() == nil; {
			kept, _ = store.Kept()
		}
		cancel()
	}()
	require.ErrorIs(t, Run(ctx, s, store, Options{Runner: "prism", Workers: 2}), context.Canceled)
	kept, err := store.Kept()
	require.NoError(t, err)
	require.GreaterOrEqual(t, kept, int64(10))
	require.Less(t, kept, s.Len())

	again := open(t, s, dir, 5, true)
	assert.EqualValues(t, 64, again.Shard, "the shards stay as they were")
	require.NoError(t, Verify(context.Background(), s, again))
	require.NoError(t, Run(context.Background(), s, again, Options{Runner: "prism", Workers: 1}))
	rows, summaries := all(t, again)
	assert.Equal(t, want, rows)
	assert.Equal(t, sums, summaries)
}

// A point that fails is a row, and the sweep goes on.
func TestPointThatFailsIsARow(t *testing.T) {
	s := sweep(t, "devices: [h200, mi300x]\nkernels: [block/reduce/hybrid-redux]\nsizes: [64, 5000]\n")
	store := open(t, s, t.TempDir(), 16, false)
	require.NoError(t, Run(context.Background(), s, store, Options{Runner: "direct", Workers: 1}))
	rows, _ := all(t, store)
	require.Len(t, rows, 4)
	assert.Empty(t, rows[0].Error)
	assert.Positive(t, rows[0].Cycles)
	for _, r := range rows[1:] {
		assert.NotEmpty(t, r.Error)
		assert.Zero(t, r.Cycles)
	}
}

// What cannot be written ends the sweep with an error that says so.
func TestOutputThatIsGone(t *testing.T) {
	s := sweep(t, small)
	store := open(t, s, t.TempDir(), 32, false)
	require.NoError(t, os.RemoveAll(filepath.Join(store.Dir, "parts")))
	require.NoError(t, os.WriteFile(filepath.Join(store.Dir, "parts"), nil, 0o644))
	for _, runner := range []string{"prism", "direct"} {
		err := Run(context.Background(), s, store, Options{Runner: runner, Workers: 2})
		var e *result.Error
		require.ErrorAs(t, err, &e, runner)
		assert.Contains(t, e.What, "cannot be")
	}
}
