package record_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/memory"
	"example.com/warpsim/warp/record"
	"example.com/warpsim/warp/sass"
	"example.com/warpsim/warp/timing"

	"github.com/stretchr/testify/require"
)

// chained is a listing that loads, adds and stores again and again.
func chained() string {
	lines := []string{"S2R R0, SR_TID.X", "LDC.64 R2, c[0x0][0x210]", "IMAD.WIDE R2, R0, 0x4, R2"}
	for i := range 30 {
		lines = append(lines, fmt.Sprintf("LDG.E R4, desc[UR4][R2.64+%#x]", 256*i), "IADD3 R5, R4, R0, RZ",
			fmt.Sprintf("STG.E desc[UR4][R2.64+%#x], R5", 256*i))
		if i%5 == 0 {
			lines = append(lines, "BAR.SYNC.DEFER_BLOCKING 0x0")
		}
	}
	lines = append(lines, "EXIT")
	for i, l := range lines {
		lines[i] = fmt.Sprintf("/*%04x*/ %s ;", 16*i, l)
	}
	return "\t\tFunction : chained\n" + strings.Join(lines, "\n")
}

// A launch of a listing that has been recorded is brought to an end from bytes alone: the
// file, and snapshots of multiprocessor and memory at any window.
func TestListingsGoOnFromBytes(t *testing.T) {
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	var file bytes.Buffer
	w, err := record.NewWriter(&file, record.Header{Device: p.Name, Lanes: p.Lanes, Note: "a listing"})
	require.NoError(t, err)
	eng, err := warp.New(warp.Config{Device: p, Observer: &warp.Observer{Records: w.Record}})
	require.NoError(t, err)
	l, err := sass.Parse(strings.NewReader(chained()))
	require.NoError(t, err)
	program, err := l.Functions[0].Program()
	require.NoError(t, err)
	data, err := warp.Global(eng, make([]int32, 64*40))
	require.NoError(t, err)
	report, err := sass.Run(context.Background(), eng, program, sass.Launch{Blocks: warp.X(1), Threads: warp.X(64), Args: []sass.Arg{sass.Buffer(data)}})
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.Equal(t, int32(5), data.Data()[64*3+5])

	table, err := timing.Compile(&p.Timing, p.Lanes)
	require.NoError(t, err)
	type state struct {
		memory *memory.System
		gpu    *timing.Multiprocessor
		at     timing.Cycle
	}
	fresh := func() *state {
		s := &state{}
		s.memory, err = memory.New(p, 1)
		require.NoError(t, err)
		s.memory.Reset(memory.Cold, 0, 0)
		s.gpu, err = timing.New(table, timing.Config{Memory: s.memory.Front(0)})
		require.NoError(t, err)
		return s
	}
	window := func(s *state) bool {
		require.NoError(t, s.memory.Front(0).Deliver(s.gpu))
		st, err := s.gpu.Run(s.at + s.memory.Window())
		require.NoError(t, err)
		s.memory.Front(0).Close(s.at + s.memory.Window())
		s.memory.Exchange(s.at)
		s.at += s.memory.Window()
		return st.State == timing.BlockEnded
	}
	first := fresh()
	streams, err := record.Load(&file)
	require.NoError(t, err)
	block, err := first.gpu.StartBlock(streams.Header.Shape.Warps)
	require.NoError(t, err)
	for warp := range streams.Header.Shape.Warps {
		for last := false; !last; {
			c, end := streams.Next(0, warp)
			first.gpu.Feed(block, warp, c.Recs, c.Sites, c.Lines)
			last = end
		}
		first.gpu.End(block, warp)
	}
	var ends []timing.Cycle
	var copies []*state
	for n, done := 0, false; !done; n++ {
		if n%3 == 0 {
			gpu, err := first.gpu.Snapshot()
			require.NoError(t, err)
			system, err := first.memory.Snapshot()
			require.NoError(t, err)
			c := fresh()
			require.NoError(t, c.memory.Restore(system))
			c.gpu, err = timing.Restore(table, timing.Config{Memory: c.memory.Front(0)}, gpu)
			require.NoError(t, err)
			c.at = first.at
			copies = append(copies, c)
		}
		done = window(first)
	}
	require.Greater(t, len(copies), 5)
	for _, s := range append(copies, first) {
		for s != first && !window(s) {
		}
		_, end := s.gpu.Block(block)
		ends = append(ends, end)
		require.Equal(t, ends[0], end)
		require.Equal(t, report.Instructions, s.gpu.Totals().Instructions)
		require.Equal(t, first.gpu.BlockCycles(block), s.gpu.BlockCycles(block))
	}
}
