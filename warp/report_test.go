package warp_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// unequal has blocks of unequal length: block b runs b%3 times ten more
// instructions than mixed.
func unequal(w *warp.Warp) {
	w.Work(isa.FAdd, 10*(w.BlockIndex()%3))
	mixed(w)
}

func reportOf(t *testing.T, c warp.Config, blocks, threads int, k warp.Kernel) *warp.Report {
	t.Helper()
	if c.Device == nil {
		c.Device = lookup(t, "h200")
	}
	e, err := warp.New(c)
	require.NoError(t, err)
	r, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(blocks), Threads: warp.X(threads)}, k)
	require.NoError(t, err)
	return r
}

func lookup(t *testing.T, name string) *device.Profile {
	t.Helper()
	p, err := device.Lookup(name)
	require.NoError(t, err)
	return p
}

// The active lanes of instructions are those that an If leaves: 32 of two, three
// of one.
func TestActiveLanes(t *testing.T) {
	for _, values := range []bool{false, true} {
		r := reportOf(t, warp.Config{ValuesOnly: values}, 1, 32, func(w *warp.Warp) {
			p := w.Pred()
			warp.SetPred(p, lane.FirstN(3))
			w.Where(p, func() { w.Work(isa.FAdd, 5) })
			w.Work(isa.FMul, 2)
		})
		assert.EqualValues(t, 32*(r.Instructions-5)+3*5, r.ThreadInstructions)
		mean, of := r.ActiveLanes()
		assert.InDelta(t, float64(r.ThreadInstructions)/float64(r.Instructions), mean, 1e-12)
		assert.Equal(t, 32, of)
	}
	half := reportOf(t, warp.Config{}, 1, 16, func(w *warp.Warp) { w.Work(isa.FAdd, 7) })
	assert.Equal(t, 16*half.Instructions, half.ThreadInstructions)
}

// Sums of two reports drop nothing: every table of the sum sums to its totals.
func TestReportsAddUp(t *testing.T) {
	c := warp.Config{Sites: true}
	a := reportOf(t, c, 4, 96, mixed)
	b := reportOf(t, c, 7, 64, unequal)
	var sum warp.Report
	require.NoError(t, sum.Add(a))
	require.NoError(t, sum.Add(b))

	assert.Equal(t, a.Instructions+b.Instructions, sum.Instructions)
	assert.Equal(t, a.ThreadInstructions+b.ThreadInstructions, sum.ThreadInstructions)
	assert.Equal(t, a.Cycles+b.Cycles, sum.Cycles)
	assert.Equal(t, a.ConflictPasses+b.ConflictPasses, sum.ConflictPasses)
	assert.Equal(t, total(a)+total(b), total(&sum))
	var byOp, byLine, lanesByLine, byLaunch int64
	for _, o := range sum.Ops() {
		assert.Equal(t, a.Count(o.Op)+b.Count(o.Op), o.Instructions)
		byOp += o.Instructions
	}
	for _, l := range sum.Lines() {
		byLine += l.Instructions
		lanesByLine += l.ThreadInstructions
	}
	for _, l := range sum.Launches() {
		byLaunch += l.Instructions
	}
	assert.Equal(t, sum.Instructions, byOp)
	assert.Equal(t, sum.Instructions, byLine)
	assert.Equal(t, sum.Instructions, byLaunch)
	assert.Equal(t, sum.ThreadInstructions, lanesByLine)
	assert.Equal(t, 11, sum.BlockStats().Blocks)
	assert.Equal(t, a.Launch, sum.Launch)
	assert.True(t, slices.IsSortedFunc(sum.Lines(), func(x, y warp.LineRow) int {
		return cmp.Or(strings.Compare(x.Site.File, y.Site.File), x.Site.Line-y.Site.Line)
	}))
	assert.Len(t, sum.Lines(), len(b.Lines()), "the lines of one are among those of the other")
	assert.Equal(t, a.Evidence().Total(), b.Evidence().Total())
	assert.Equal(t, a.Evidence(), sum.Evidence())

	// What was added is as it was.
	again := reportOf(t, c, 4, 96, mixed)
	assert.Equal(t, again.Lines(), a.Lines())
	assert.Equal(t, again.Blocks(), a.Blocks())

	other := reportOf(t, warp.Config{Device: lookup(t, "mi300x")}, 1, 64, mixed)
	before := sum.Instructions
	var bad *warp.ConfigError
	require.True(t, errors.As(sum.Add(other), &bad))
	assert.Equal(t, before, sum.Instructions)
	require.NoError(t, sum.Add(&warp.Report{}), "a report of nothing")
	assert.Equal(t, before, sum.Instructions)
}

// The times of blocks: those of the timing model, with and without groups that
// take the time of an earlier one, for any number of workers. In the order as written, as
// what a block does more would be done in the shadow of its loads otherwise.
func TestBlockTimes(t *testing.T) {
	var want []warp.BlockRow
	alone := map[int]timing.Cycle{} // by b%3
	for b := range 3 {
		r := reportOf(t, warp.Config{Device: small(t, 32, 1), Resident: 1, Order: warp.AsWritten}, 1, 64, func(w *warp.Warp) {
			w.Work(isa.FAdd, 10*b)
			mixed(w)
		})
		alone[b] = r.Cycles
	}
	for b, n := range []int{4, 3, 3} {
		want = append(want, warp.BlockRow{Cycles: alone[b], Blocks: n, First: b})
	}
	for _, workers := range []int{1, 3} {
		for _, sites := range []bool{false, true} { // with sites no group is remembered
			r := reportOf(t, warp.Config{Device: small(t, 32, 1), Resident: 1, Workers: workers, Sites: sites, Order: warp.AsWritten}, 10, 64, unequal)
			assert.Equal(t, want, r.Blocks())
			assert.Equal(t, warp.BlockStats{Blocks: 10, Fastest: alone[0], LowerQuartile: alone[0], Median: alone[1],
				UpperQuartile: alone[2], Slowest: alone[2], SlowestBlock: 2}, r.BlockStats())
		}
	}
	shared := reportOf(t, warp.Config{Device: small(t, 32, 1), Resident: 3}, 10, 64, unequal)
	assert.Equal(t, 10, shared.BlockStats().Blocks)
	assert.LessOrEqual(t, shared.BlockStats().Slowest, shared.Cycles)
	assert.Zero(t, reportOf(t, warp.Config{ValuesOnly: true}, 10, 64, unequal).BlockStats())
}

// What is written as JSON is read back with every table, and writes the same.
func TestReportJSON(t *testing.T) {
	racy := func(w *warp.Warp) {
		s := warp.Shared[int32](w, 4)
		zero := warp.Alloc[int32](w)
		warp.Set(zero, 0)
		warp.Store(s, zero, w.LaneID())
		mixed(w)
	}
	for name, c := range map[string]warp.Config{
		"plain": {}, "lines": {Sites: true}, "values": {ValuesOnly: true},
		"faults": {Sanitize: true, Faults: warp.Collect, Sites: true}, "schedule": {Seed: 3, Sites: true},
	} {
		r := reportOf(t, c, 3, 100, racy)
		text, err := json.Marshal(r)
		require.NoError(t, err, name)
		var back warp.Report
		require.NoError(t, json.Unmarshal(text, &back), name)
		assert.Equal(t, r.Ops(), back.Ops(), name)
		assert.Equal(t, r.Reasons(), back.Reasons(), name)
		assert.Equal(t, r.Lines(), back.Lines(), name)
		assert.Equal(t, r.Blocks(), back.Blocks(), name)
		assert.Equal(t, r.Launches(), back.Launches(), name)
		assert.Equal(t, r.Faults, back.Faults, name)
		assert.Equal(t, r.Schedule, back.Schedule, name)
		assert.Equal(t, r.Evidence(), back.Evidence(), name)
		assert.Equal(t, r.String(), back.String(), name)
		again, err := json.Marshal(&back)
		require.NoError(t, err)
		assert.Equal(t, string(text), string(again), name)

		var sum warp.Report // of one that was read and one that was run
		require.NoError(t, sum.Add(&back))
		require.NoError(t, sum.Add(r))
		assert.Equal(t, 2*r.Instructions, sum.Instructions)
		assert.Equal(t, r.Evidence(), sum.Evidence(), name)
	}
}

func TestReportJSONRefuses(t *testing.T) {
	good, err := json.Marshal(reportOf(t, warp.Config{}, 1, 32, mixed))
	require.NoError(t, err)
	for _, c := range []struct{ old, new, want string }{
		{`"format":1`, `"format":2`, "format 2, and this version reads 1 to 1"},
		{`"format":1`, `"format":0`, "format 0"},
		{`"operation":"fadd"`, `"operation":"fsad"`, `no operation "fsad"`},
		{`"reason":"issued"`, `"reason":"lazy"`, `no reason "lazy"`},
		{`"measured":[`, `"guessed":[`, "evidence"},
		{`"device":"h200"`, `"device":7`, "cannot unmarshal"},
	} {
		require.Contains(t, string(good), c.old)
		r := warp.Report{Device: "as it was"}
		err := json.Unmarshal([]byte(strings.Replace(string(good), c.old, c.new, 1)), &r)
		require.ErrorContains(t, err, c.want)
		assert.Equal(t, warp.Report{Device: "as it was"}, r)
	}
	for _, bad := range []string{`{"kind":"none such"}`, `{"kind":"deadlock","severity":"mild"}`, `{"kind":"deadlock","severity":"error","laneMask":"0xg"}`} {
		f := warp.Fault{Detail: "as it was"}
		require.Error(t, json.Unmarshal([]byte(bad), &f))
		assert.Equal(t, warp.Fault{Detail: "as it was"}, f)
	}
}

// The columns of the tables add up to the report's totals.
func TestReportCSV(t *testing.T) {
	r := reportOf(t, warp.Config{Sites: true}, 3, 100, mixed)
	assert.Equal(t, r.Instructions, sumCSV(t, r.Ops(), "instructions"))
	assert.EqualValues(t, total(r), sumCSV(t, r.Reasons(), "warpCycles"))
	assert.Equal(t, r.Instructions, sumCSV(t, r.Lines(), "instructions"))
	assert.Equal(t, r.ThreadInstructions, sumCSV(t, r.Lines(), "threadInstructions"))
	assert.EqualValues(t, r.Waits().Of(timing.Dependency), sumCSV(t, r.Lines(), "dependency"))
	assert.EqualValues(t, 3, sumCSV(t, r.Blocks(), "blocks"))
	assert.EqualValues(t, r.Cycles, sumCSV(t, r.Launches(), "cycles"))
	var bad *warp.ConfigError
	require.ErrorAs(t, warp.WriteCSV(nil, r.Ops()), &bad)
}

// sumCSV adds up a column of a table as it is written.
func sumCSV[R warp.OpRow | warp.ReasonRow | warp.LineRow | warp.BlockRow | warp.LaunchRow](t *testing.T, table []R, column string) (n int64) {
	var b bytes.Buffer
	require.NoError(t, warp.WriteCSV(&b, table))
	rows, err := csv.NewReader(&b).ReadAll()
	require.NoError(t, err)
	at := slices.Index(rows[0], column)
	require.GreaterOrEqual(t, at, 0, "%v", rows[0])
	for _, row := range rows[1:] {
		x, err := strconv.ParseInt(row[at], 10, 64)
		require.NoError(t, err)
		n += x
	}
	return n
}

// A person finds in the text what the run took and where, with the words of the
// source.
func TestReportText(t *testing.T) {
	r := reportOf(t, warp.Config{Sites: true}, 3, 100, mixed)
	text := r.String()
	for _, want := range []string{
		"h200: 3 blocks of 100 threads\n", "us at 1980 MHz", "lanes active on average", "occupancy", "median",
		"passes and turns beyond", "measured", "dependency", "sts", "stats_test.go:", "warp.Store(s, at, v)", "mostly by",
	} {
		assert.Contains(t, text, want)
	}
	assert.NotContains(t, text, "faults")
	assert.NotPanics(t, func() { _ = (&warp.Report{}).String() })
	assert.Contains(t, reportOf(t, warp.Config{ValuesOnly: true}, 1, 32, mixed).String(), "32 lanes")
}

// A kernel of barriers only rests on the numbers of barriers, and on no others.
func TestEvidenceOfBarriers(t *testing.T) {
	r := reportOf(t, warp.Config{}, 1, 64, func(w *warp.Warp) { w.SyncBlock() })
	require.Equal(t, []isa.Op{isa.BarSync}, func() (ops []isa.Op) {
		for _, o := range r.Ops() {
			ops = append(ops, o.Op)
		}
		return ops
	}())
	all := lookup(t, "h200").Summary()
	some := r.Evidence()
	assert.Positive(t, some.Total())
	assert.Less(t, some.Total(), all.Total()/4)
	assert.Zero(t, some.Unsourced())
}
