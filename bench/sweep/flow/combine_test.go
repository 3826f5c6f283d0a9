package flow

import (
	"math/rand/v2"
	"testing"

	"example.com/warpsim/bench/sweep/result"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every way to combine gives the same for any order and any grouping, and a front has
// exactly the rows that no other beats.
func TestCombiningDoesNotDependOnOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		rows := make([]result.Row, 1+r.IntN(30))
		for i := range rows {
			rows[i] = result.Row{Point: int64(i), Cycles: int64(r.IntN(12)), Cost: float64(r.IntN(12)), Instructions: int64(r.IntN(3))}
		}
		var front []result.Row
		best := rows[0]
		for _, a := range rows {
			beaten := false
			for _, b := range rows {
				equal := a.Cycles == b.Cycles && a.Cost == b.Cost
				beaten = beaten || b.Cycles <= a.Cycles && b.Cost <= a.Cost && (!equal || b.Point < a.Point)
			}
			if !beaten {
				front = append(front, a)
			}
			if a.Cycles < best.Cycles || a.Cycles == best.Cycles && a.Instructions < best.Instructions {
				best = a
			}
		}
		for range 5 {
			r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
			cut := r.IntN(len(rows) + 1)
			p, b, s := &paretoFn{}, &bestFn{Least: "cycles"}, &sumFn{}
			fronts, bests, sums := []Rows{{}, {}}, []Rows{{}, {}}, []Sums{{}, {}}
			for i, row := range rows {
				half := 0
				if i >= cut {
					half = 1
				}
				fronts[half], bests[half] = p.AddInput(fronts[half], row), b.AddInput(bests[half], row)
				sums[half] = s.AddInput(sums[half], Sample{At: row.Cost, Cycles: row.Cycles, Failed: row.Instructions == 0})
			}
			assert.ElementsMatch(t, front, p.MergeAccumulators(fronts[0], fronts[1]).List)
			assert.Equal(t, []result.Row{best}, b.MergeAccumulators(bests[0], bests[1]).List)
			var cycles, runs, failed int64
			for _, x := range s.MergeAccumulators(sums[0], sums[1]).List {
				cycles, runs, failed = cycles+x.Cycles, runs+x.Runs, failed+x.Failed
			}
			var want int64
			for _, row := range rows {
				if row.Instructions != 0 {
					want += row.Cycles
				}
			}
			assert.Equal(t, want, cycles)
			require.EqualValues(t, len(rows), runs+failed)
		}
	}
}
