package report

import (
	"testing"

	"example.com/warpsim/bench/sweep/flow"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCrossing(t *testing.T) {
	at := func(cycles ...int64) []flow.Sum {
		var list []flow.Sum
		for i, c := range cycles {
			list = append(list, flow.Sum{At: float64(10 * (i + 1)), Cycles: 2 * c, Runs: 2})
		}
		return list
	}
	for _, c := range []struct {
		a, b []flow.Sum
		from any
		of   int64
	}{
		{at(1, 2, 3), at(2, 2, 2), 20.0, 3},
		{at(1, 2, 3), at(1, 2, 3), 10.0, 3},
		{at(1, 2, 3), at(2, 3, 4), nil, 3},
		{at(3, 1, 3), at(2, 2, 2), 30.0, 3}, // the last time counts
		{at(3, 3, 1), at(2, 2, 2), nil, 3},
		{at(1, 2, 3), append(at(2, 2), flow.Sum{At: 30, Failed: 2}), 20.0, 2},
		{at(1), nil, nil, 0},
	} {
		from, of := crossing(c.a, c.b)
		assert.Equal(t, c.from, from)
		assert.Equal(t, c.of, of)
	}
}

func TestSensitivity(t *testing.T) {
	got := sensitivity(nil, []curve{
		{flow.CurveKey{Along: "size", Kernel: "a"}, []flow.Sum{{At: 1, Cycles: 1, Runs: 1}, {At: 2, Cycles: 1, Runs: 1}}},
		{flow.CurveKey{Along: "banks", Kernel: "a"}, []flow.Sum{{At: 8, Cycles: 400, Runs: 4}, {At: 16, Cycles: 120, Runs: 1, Failed: 3}, {At: 32, Cycles: 50, Runs: 1}}},
		{flow.CurveKey{Along: "banks", Kernel: "b"}, []flow.Sum{{At: 8, Failed: 4}, {At: 16, Cycles: 9, Runs: 1}}}, // nothing to compare
	})
	require.Len(t, got, 1)
	w := got[0]
	assert.Equal(t, []float64{8, 32, 100, 50, 50, 120}, []float64{w.low.At, w.high.At, w.cyclesLow, w.cyclesHigh, w.least, w.most})
	assert.Equal(t, -0.5, w.elasticity, "half the cycles for four times the banks")
	assert.InDelta(t, 1.4, w.swing(), 1e-12)
	assert.EqualValues(t, 6, w.runs)
	assert.EqualValues(t, 3, w.failed)
}
