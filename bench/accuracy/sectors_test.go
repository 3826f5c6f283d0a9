package main

import (
	"bytes"
	"context"
	"math"
	"slices"
	"strconv"
	"testing"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/memory"
	"example.com/warpsim/warp/sass"
	"example.com/warpsim/warp/timing"

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
	data, err := testdata.ReadFile("testdata/sectors.sass.gz")
	require.NoError(t, err)
	list, err := parseListing(bytes.NewReader(data))
	require.NoError(t, err)
	p, err := device.Lookup("h200")
	require.NoError(t, err)
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
		name := map[string]string{"load": "touch<0>", "store": "touch<1>"}[f[0]]
		ours := touched(t, p, list, name, blocks, threads, kilobytes, sectors, lanes)
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
func touched(t *testing.T, p *device.Profile, list *sass.Listing, name string, blocks, threads, kilobytes, sectors, lanes int) float64 {
	t.Helper()
	first, last := make([]timing.Cycle, blocks), make([]timing.Cycle, blocks)
	e, err := warp.New(warp.Config{Device: p, Memory: memory.Warm, Observer: &warp.Observer{Issued: func(i *timing.Issue) {
		if i.Instr.Op != isa.ReadClock {
			return
		}
		if i.Warp == 0 && first[i.Block] == 0 {
			first[i.Block] = i.Cycle
		}
		if i.Warp == 0 || name == "touch<1>" {
			last[i.Block] = max(last[i.Block], i.Cycle)
		}
	}}})
	require.NoError(t, err)
	f, err := list.Find(name)
	require.NoError(t, err)
	program, err := f.Program()
	require.NoError(t, err)
	m := &arrays{e: e}
	memory, out, sink := array(m, make([]byte, kilobytes<<10)), array(m, make([]int64, 2*1056)), array(m, make([]uint32, 16))
	require.NoError(t, m.err)
	_, err = sass.Run(context.Background(), e, program, sass.Launch{
		Blocks: warp.X(blocks), Threads: warp.X(threads),
		Args: []sass.Arg{memory, sass.Value(int32(kilobytes * 8)), sass.Value(int32(sectors)), sass.Value(int32(lanes)), out, sink},
	})
	require.NoError(t, err)
	took := make([]float64, blocks)
	for i := range took {
		took[i] = float64(last[i] - first[i])
	}
	slices.Sort(took)
	return took[blocks/2]
}
