package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/warpsim/crossbar"
)

// The cooperative groups do not document their order of additions. The
// recordings settle it: each of their algorithms has the bits of one tree in
// every row, and other likely trees miss some.
func TestRecordingsTellTreesApart(t *testing.T) {
	f, err := recordings.Open("testdata/h200/float_trees.csv.gz")
	require.NoError(t, err)
	defer f.Close()
	table, err := readTable("float_trees.csv.gz", f)
	require.NoError(t, err)

	missed := func(recorded string, tree func(row []float64)) int {
		n := 0
		for i := range table.rows {
			rec := &record{table: table, row: &table.rows[i]}
			if rec.text("type") != "f64" || rec.text("algorithm") != recorded {
				continue
			}
			row := fromBits(rec.hexes("input_bits_of_lane_0_to_31", 64))
			tree(row)
			if floats(toBits(row), 64) != floats(rec.hexes("output_bits_of_lane_0_to_31", 64), 64) {
				n++
			}
		}
		return n
	}
	var r crossbar.Route
	run := func(algorithm string) func([]float64) {
		return func(row []float64) { require.NoError(t, runTree(&r, algorithm, row)) }
	}
	serial := func(row []float64) {
		for l := 1; l < len(row); l++ {
			row[l] += row[l-1]
		}
	}
	everywhere := func(tree func([]float64)) func([]float64) {
		return func(row []float64) {
			tree(row)
			for l := range row {
				row[l] = row[0]
			}
		}
	}
	require.Zero(t, missed(groupReduce, run(treeXorFall)))
	require.Zero(t, missed(groupReduce, everywhere(run(treeDown))), "down tree and broadcast: the same additions")
	require.Positive(t, missed(groupReduce, run(treeXorRise)))
	require.Zero(t, missed(groupScan, run(treeScan)))
	require.Positive(t, missed(groupScan, serial))
	require.Zero(t, missed(groupScanExcl, run(groupScanExcl)))
	require.Positive(t, missed(groupScanExcl, func(row []float64) {
		in := append([]float64{}, row...)
		run(treeScan)(row)
		for l := range row {
			row[l] -= in[l]
		}
	}), "the inclusive scan less the own value")
}
