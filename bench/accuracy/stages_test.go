package main

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/memory"
	"example.com/warpsim/warp/sass"
	"example.com/warpsim/warp/timing"
)

// A stagesRow is a kernel with clock readings between its stages, and the cycles of each
// stage on the chip, of the median block.
type stagesRow struct {
	kernel          string
	blocks, threads int
	cold            bool
	stages          []float64
}

// stagesRows reads the rows of enter.csv or stages.csv.
func stagesRows(t *testing.T, file string) []stagesRow {
	data, err := testdata.ReadFile("testdata/" + file)
	require.NoError(t, err)
	number := func(s string) float64 {
		x, err := strconv.ParseFloat(s, 64)
		require.NoError(t, err)
		return x
	}
	var rows []stagesRow
	for line := range strings.Lines(string(data)) {
		f := strings.Split(strings.TrimSpace(line), ",")
		if strings.HasPrefix(line, "#") || f[0] == "kernel" {
			continue
		}
		r := stagesRow{kernel: f[0], blocks: int(number(f[1])), threads: int(number(f[2])), cold: f[3] == "cold"}
		for _, s := range f[4 : len(f)-1] { // the last is the sum
			r.stages = append(r.stages, number(s))
		}
		rows = append(rows, r)
	}
	return rows
}

// play runs the listing of a row, whose first clock readings are of no stage, and returns
// the cycles of its stages.
func (r *stagesRow) play(t *testing.T, listing string, others int) []float64 {
	state := memory.Warm
	if r.cold {
		state = memory.Cold
	}
	all := clocksOf(t, listing, r.kernel, state, r.blocks, r.threads, func(m *arrays) []sass.Arg {
		const n = 1 << 22
		x, y := m.x(n), m.y(n)
		spans, out := array(m, make([]byte, spanBytes*r.blocks)), array(m, make([]byte, 12*8*r.blocks))
		args := []sass.Arg{x, y, sass.Value(int32(r.threads * r.blocks)), spans, out}
		if strings.HasPrefix(r.kernel, "stage_") {
			args = slices.Delete(args, 3, 4)
		}
		return args
	})
	got := make([]float64, len(r.stages))
	for k := range got {
		var v []timing.Cycle
		for _, of := range all {
			c := of.by(0)
			require.Greater(t, len(c), others+k+1)
			v = append(v, c[others+k+1]-c[others+k])
		}
		slices.Sort(v)
		got[k] = float64(v[len(v)/2])
	}
	return got
}

// A clock is when a warp read one.
type clock struct {
	warp int
	at   timing.Cycle
}

type readings []clock

// by are the readings of one warp.
func (c readings) by(warp int) (at []timing.Cycle) {
	for _, x := range c {
		if x.warp == warp {
			at = append(at, x.at)
		}
	}
	return at
}

// clocksOf runs a kernel of a listing of testdata on an H200, and returns the clock readings
// of each block.
func clocksOf(t *testing.T, listing, kernel string, state memory.State, blocks, threads int, args func(*arrays) []sass.Arg) []readings {
	t.Helper()
	data, err := testdata.ReadFile("testdata/" + listing)
	require.NoError(t, err)
	list, err := parseListing(bytes.NewReader(data))
	require.NoError(t, err)
	f, err := list.Find(kernel)
	require.NoError(t, err)
	program, err := f.Program()
	require.NoError(t, err)
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	all := make([]readings, blocks)
	e, err := warp.New(warp.Config{Device: p, Memory: state, Observer: &warp.Observer{Issued: func(i *timing.Issue) {
		if i.Instr.Op == isa.ReadClock {
			all[i.Block] = append(all[i.Block], clock{i.Warp, i.Cycle})
		}
	}}})
	require.NoError(t, err)
	m := &arrays{e: e}
	l := sass.Launch{Blocks: warp.X(blocks), Threads: warp.X(threads), Args: args(m)}
	require.NoError(t, m.err)
	_, err = sass.Run(context.Background(), e, program, l)
	require.NoError(t, err)
	return all
}

// TestStagesOfCopies: how long a block takes to its index, which is a special register and
// a constant, and to the result of its load.
func TestStagesOfCopies(t *testing.T) {
	rows := 0
	for _, r := range stagesRows(t, "enter.csv") {
		// Blocks of up to four warps have first touches of constants in their index; of one
		// block, one line decides; 1,024 wait for each other.
		if r.kernel != "enter_copy" || r.cold || r.threads < 256 || r.blocks == 1 || r.blocks > 512 {
			continue
		}
		rows++
		got := r.play(t, "enter.sass.gz", 2)
		assert.InDelta(t, r.stages[0], got[0], 3, "index of %d blocks of %d", r.blocks, r.threads)
		assert.InEpsilon(t, r.stages[1], got[1], 0.05, "load of %d blocks of %d", r.blocks, r.threads)
	}
	assert.Equal(t, 5, rows)
}
