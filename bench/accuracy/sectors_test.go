package main

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"example.com/warpsim/warp/memory"
	"example.com/warpsim/warp/sass"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Loads and stores of one, two and four sectors of a line by all multiprocessors and by
// one, whose lines lie anywhere in 16 MB, take what the chip takes: what comes back of a
// line takes the ways as long for one sector as for two, and a store that does not write
// its sectors wholly sends a mask, whatever their number.
func TestSectorsOfALine(t *testing.T) {
	if testing.Short() {
		t.Skip("8 million sectors")
	}
	rows, err := readCSV("sectors.csv", 9)
	require.NoError(t, err)
	n, sum := 0, 0.0
	for _, f := range rows {
		var v [6]int
		for i := range v[1:] {
			v[i+1], err = strconv.Atoi(f[i+1])
			require.NoError(t, err)
		}
		blocks, threads, kilobytes, sectors, lanes := v[1], v[2], v[3], v[4], v[5]
		if lanes != 1 || kilobytes != 16384 || blocks != 132 && blocks != 1 || threads == 32 || blocks == 132 && threads == 256 {
			continue
		}
		chip, err := strconv.ParseFloat(f[7], 64)
		require.NoError(t, err)
		ours := touched(t, f[0] == "store", blocks, threads, kilobytes, sectors, lanes)
		off := ours/chip - 1
		assert.InDelta(t, 0, off, 0.15, "%v: %.0f cycles", f, ours)
		n++
		sum += math.Abs(off)
	}
	assert.Equal(t, 18, n)
	assert.Less(t, sum/float64(n), 0.07)
}

// touched is the median of the cycles of a block between the first and the last clock of
// warp 0, and of stores the last one of all warps: on the chip, where only those of warp 0
// were recorded, it ends when all is stored; here warps whose stores had to wait take turns
// from where they stood, and the first ones end earlier.
func touched(t *testing.T, store bool, blocks, threads, kilobytes, sectors, lanes int) float64 {
	t.Helper()
	name := "touch<0>"
	if store {
		name = "touch<1>"
	}
	took := make([]float64, blocks)
	for i, c := range clocksOf(t, "sectors.sass.gz", name, memory.Warm, blocks, threads, func(m *arrays) []sass.Arg {
		to, out, sink := array(m, make([]byte, kilobytes<<10)), array(m, make([]int64, 2*1056)), array(m, make([]uint32, 16))
		return []sass.Arg{to, sass.Value(int32(kilobytes * 8)), sass.Value(int32(sectors)), sass.Value(int32(lanes)), out, sink}
	}) {
		own := c.by(0)
		last := own[len(own)-1]
		if store {
			last = c[len(c)-1].at
		}
		took[i] = float64(last - own[0])
	}
	slices.Sort(took)
	return took[blocks/2]
}
