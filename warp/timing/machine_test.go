package timing_test

import (
	"errors"
	"maps"
	"testing"

	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// run plays a block of streams and returns its length.
func run(t testing.TB, m *timing.Multiprocessor, recs ...[]isa.Instr) timing.Cycle {
	t.Helper()
	b, err := m.StartBlock(len(recs))
	require.NoError(t, err)
	for w, r := range recs {
		m.Feed(b, w, r, nil, nil)
		m.End(b, w)
	}
	for {
		st, err := m.Run(timing.Never)
		require.NoError(t, err)
		if st.State == timing.Done {
			start, end := m.Block(b)
			return end - start
		}
	}
}

func TestMissingNumbersAreNamed(t *testing.T) {
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	p = p.Clone()
	delete(p.Timing.Ops, "match.any")
	table, err := timing.Compile(&p.Timing, 0)
	require.NoError(t, err)
	m, err := timing.New(table, timing.Config{})
	require.NoError(t, err)
	b, err := m.StartBlock(1)
	require.NoError(t, err)
	m.Feed(b, 0, []isa.Instr{op(isa.FAdd, r1, r1), op(isa.MatchAny, r2, r1)}, nil, nil)
	m.End(b, 0)
	_, err = m.Run(timing.Never)
	var e *timing.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, "timing.ops.match.any", e.Field)
	assert.Equal(t, isa.MatchAny, e.Op)
	_, again := m.Run(timing.Never)
	assert.Equal(t, err, again, "an error stays")

	m.Reset()
	assert.Equal(t, timing.Cycle(4), run(t, m, []isa.Instr{op(isa.FAdd, r1, r1)}), "but not beyond Reset")
}

func TestNewRefusesNonsense(t *testing.T) {
	for _, c := range []struct {
		field  string
		change func(*device.Timing)
	}{
		{"timing.lanes", func(t *device.Timing) { t.Lanes = 0 }},
		{"timing.subPartitions", func(t *device.Timing) { t.SubPartitions = 0 }},
		{"timing.subPartitions", func(t *device.Timing) { t.SubPartitions = 1000 }},
		{"timing.guardDelay", func(t *device.Timing) { t.GuardDelay = -1 }},
		{"timing.pipes.alu.lanes", func(t *device.Timing) { t.Pipes["alu"] = device.Pipe{} }},
		{"timing.ops.imul.pipe", func(t *device.Timing) { delete(t.Pipes, "fma") }},
		{"timing.ops.iadd.latency", func(t *device.Timing) { t.Ops["iadd"] = device.OpTiming{Pipe: "alu", Latency: -1} }},
		{"timing.ops.iadd.portCycles", func(t *device.Timing) { t.Ops["iadd"] = device.OpTiming{Pipe: "alu", Latency: 4, PortCycles: 1} }},
		{"timing.ops.nonsense", func(t *device.Timing) { t.Ops["nonsense"] = device.OpTiming{Pipe: "alu", Latency: 4} }},
		{"timing.barrier", func(t *device.Timing) { t.Barrier = nil }},
		{"timing.barrier.port", func(t *device.Timing) { t.Barrier.Port = "" }},
		{"timing.barrier.resultLatency", func(t *device.Timing) { t.Barrier.ResultLatency = 1 }},
		{"timing.branch", func(t *device.Timing) { t.Branch = nil }},
		{"timing.branch.taken", func(t *device.Timing) { t.Branch.Taken = 0 }},
		{"timing.global", func(t *device.Timing) { t.Global = nil }},
		{"timing.global.l2.latency", func(t *device.Timing) { t.Global.L2.Latency = 0 }},
		{"timing.global.dram.sectorCycles", func(t *device.Timing) { t.Global.DRAM.SectorCycles = -1 }},
	} {
		p, err := device.Lookup("h200")
		require.NoError(t, err)
		p = p.Clone()
		c.change(&p.Timing)
		_, err = timing.Compile(&p.Timing, 0)
		var e *timing.Error
		if assert.ErrorAs(t, err, &e, c.field) {
			assert.Equal(t, c.field, e.Field)
		}
	}
	_, err := timing.Compile(nil, 0)
	assert.Error(t, err)
	_, err = timing.Compile(h200(t), 129)
	assert.ErrorContains(t, err, "129 lanes")
	_, err = timing.New(nil, timing.Config{})
	assert.ErrorContains(t, err, "make one with Compile")
	table, err := timing.Compile(h200(t), 0)
	require.NoError(t, err)
	_, err = timing.New(table, timing.Config{Scheduler: 9})
	assert.ErrorContains(t, err, "Config.Scheduler")
}

func TestEveryDeviceHasATable(t *testing.T) {
	for _, name := range device.Names() {
		p, err := device.Lookup(name)
		require.NoError(t, err)
		if p.Timing.Lanes == 0 {
			continue // values only
		}
		_, err = timing.Compile(&p.Timing, p.Lanes)
		assert.NoError(t, err, name)
	}
}

func TestDeadlockNamesWhoWaits(t *testing.T) {
	m := machine(t, timing.Config{})
	bar := func(id, n int) isa.Instr {
		return isa.Instr{Op: isa.BarSync, Active: 32, Aux: uint8(id), Count: uint16(n)}
	}
	b, err := m.StartBlock(3)
	require.NoError(t, err)
	m.Feed(b, 0, []isa.Instr{bar(1, 2)}, nil, nil)
	m.Feed(b, 1, []isa.Instr{bar(2, 2)}, nil, nil)
	for w := range 3 {
		m.End(b, w)
	}
	_, err = m.Run(timing.Never)
	var e *timing.DeadlockError
	require.ErrorAs(t, err, &e)
	assert.Equal(t, []timing.WaitingWarp{
		{Block: b, Warp: 0, Barrier: 1, Arrived: 1, Expected: 2},
		{Block: b, Warp: 1, Barrier: 2, Arrived: 1, Expected: 2},
	}, e.Waiting)
	assert.ErrorContains(t, err, "block 0 warp 1 at barrier 2")
}

func TestWarpsThatEndAreNotWaitedFor(t *testing.T) {
	m := machine(t, timing.Config{})
	bar := isa.Instr{Op: isa.BarSync, Active: 32}
	// The other warp ends at cycle 100: empty instructions, one a cycle.
	idle := repeat([]isa.Instr{{Op: isa.Nop, Active: 32}}, 100)
	assert.Equal(t, timing.Cycle(100+12+1), run(t, m, []isa.Instr{bar, {Op: isa.Exit}}, idle))
}

func TestNamedBarriersCountTheirWarps(t *testing.T) {
	m := machine(t, timing.Config{})
	two := isa.Instr{Op: isa.BarSync, Active: 32, Aux: 3, Count: 2}
	late := append(repeat([]isa.Instr{{Op: isa.Nop, Active: 32}}, 50), isa.Instr{Op: isa.BarArrive, Active: 32, Aux: 3, Count: 2})
	other := repeat([]isa.Instr{{Op: isa.Nop, Active: 32}}, 10)
	// One waits, one only arrives, at cycle 50: 2 to count it, 12 to release.
	assert.Equal(t, timing.Cycle(50+2+12+1), run(t, m, []isa.Instr{two, {Op: isa.Exit}}, late, other))
}

func TestMistakesOfTheHostAreErrors(t *testing.T) {
	for name, mistake := range map[string]func(m *timing.Multiprocessor, b int){
		"Feed: block 7 is not resident":           func(m *timing.Multiprocessor, b int) { m.Feed(7, 0, nil, nil, nil) },
		"Feed: block 0 has no warp 9":             func(m *timing.Multiprocessor, b int) { m.Feed(b, 9, nil, nil, nil) },
		"Feed: warp 0 of block 0 has ended":       func(m *timing.Multiprocessor, b int) { m.End(b, 0); m.Feed(b, 0, make([]isa.Instr, 1), nil, nil) },
		"End: warp 0 of block 0 has ended before": func(m *timing.Multiprocessor, b int) { m.End(b, 0); m.End(b, 0) },
		"Feed: 2 records but 1 sites":             func(m *timing.Multiprocessor, b int) { m.Feed(b, 0, make([]isa.Instr, 2), make([]uint32, 1), nil) },
	} {
		m := machine(t, timing.Config{})
		b, err := m.StartBlock(2)
		require.NoError(t, err)
		mistake(m, b)
		_, err = m.Run(timing.Never)
		assert.ErrorContains(t, err, name)
	}
	_, err := machine(t, timing.Config{}).StartBlock(0)
	assert.Error(t, err)
}

func TestStarvedNamesTheWarp(t *testing.T) {
	m := machine(t, timing.Config{})
	b, err := m.StartBlock(2)
	require.NoError(t, err)
	m.Feed(b, 1, []isa.Instr{op(isa.FAdd, r1, r1)}, nil, nil)
	m.End(b, 1)
	st, err := m.Run(timing.Never)
	require.NoError(t, err)
	assert.Equal(t, timing.Status{State: timing.Starved, Block: b, Warp: 0}, st)
	m.End(b, 0)
	st, err = m.Run(timing.Never)
	require.NoError(t, err)
	assert.Equal(t, timing.Status{State: timing.BlockEnded, Block: b, Now: 4}, st)
}

func TestBlocksFollowEachOther(t *testing.T) {
	m := machine(t, timing.Config{})
	chain := repeat([]isa.Instr{op(isa.FAdd, r1, r1)}, 10)
	alone := run(t, m, chain)
	// Registers of a block that has ended do not hold up the next one in its
	// slot; two on different sub-partitions do not meet.
	assert.Equal(t, alone, run(t, m, chain))
	assert.Equal(t, alone, run(t, m, chain, chain, chain, chain))
	assert.Equal(t, 3*alone, m.Now())
	assert.Equal(t, int64(60), m.Totals().Instructions)
	start, end := m.Block(1)
	assert.Equal(t, []timing.Cycle{alone, 2 * alone}, []timing.Cycle{start, end})
	start, end = m.Block(9)
	assert.Equal(t, []timing.Cycle{-1, -1}, []timing.Cycle{start, end})
}

func TestSchedulers(t *testing.T) {
	order := func(s timing.Scheduler, stay bool) (warps []int) {
		p := *h200(t)
		p.Stay = stay
		table, err := timing.Compile(&p, 0)
		require.NoError(t, err)
		m, err := timing.New(table, timing.Config{Scheduler: s, Observer: func(i *timing.Issue) { warps = append(warps, i.Warp) }})
		require.NoError(t, err)
		// Warps 0 and 4 share a sub-partition.
		two := []isa.Instr{op(isa.FAdd, r1, r2), op(isa.FMul, r3, r2)}
		run(t, m, two, nil, nil, nil, two)
		return warps
	}
	assert.Equal(t, []int{0, 4, 0, 4}, order(timing.LooseRoundRobin, false))
	assert.Equal(t, []int{0, 0, 4, 4}, order(timing.LooseRoundRobin, true), "warp 0 can go on at once")
	assert.Equal(t, []int{0, 0, 4, 4}, order(timing.GreedyThenOldest, false))
}

func TestReasons(t *testing.T) {
	for _, c := range []struct {
		name string
		recs [][]isa.Instr
		want map[timing.Reason]timing.Cycle // of warp 0
	}{
		{"dependency", [][]isa.Instr{{op(isa.FAdd, r1, r1), op(isa.FAdd, r1, r1)}},
			map[timing.Reason]timing.Cycle{timing.Issued: 2, timing.Dependency: 3, timing.Drained: 3}},
		{"memory", [][]isa.Instr{{{Op: isa.LoadGlobal, Active: 32, Dst: r1, A: isa.RowPair(2), Aux: isa.MemAux(4, isa.LevelL2), Count: 1}, op(isa.FAdd, r2, r1)}},
			map[timing.Reason]timing.Cycle{timing.Issued: 2, timing.Memory: 274, timing.Drained: 3}},
		{"bank conflict", [][]isa.Instr{{mem(isa.LoadShared, r1, r3, 0, 4, 8), op(isa.FAdd, r2, r1)}},
			map[timing.Reason]timing.Cycle{timing.Issued: 2, timing.BankConflict: 14, timing.Dependency: 22, timing.Drained: 3}},
		{"pipe", [][]isa.Instr{{op(isa.DAdd, isa.RowPair(2), isa.RowPair(4)), op(isa.DAdd, isa.RowPair(6), isa.RowPair(4))}},
			map[timing.Reason]timing.Cycle{timing.Issued: 2, timing.PipeBusy: 1, timing.Drained: 7}},
		{"control", [][]isa.Instr{{{Op: isa.Branch, Active: 32, Aux: isa.BranchNotTaken}, {Op: isa.Nop}}},
			map[timing.Reason]timing.Cycle{timing.Issued: 2, timing.Control: 4}},
		{"barrier", [][]isa.Instr{{{Op: isa.BarSync, Active: 32}, {Op: isa.Exit}}},
			map[timing.Reason]timing.Cycle{timing.Issued: 2, timing.Barrier: 13}},
		{"finished", [][]isa.Instr{{{Op: isa.Nop}}, repeat([]isa.Instr{{Op: isa.Nop}}, 9)},
			map[timing.Reason]timing.Cycle{timing.Issued: 1, timing.Finished: 8}},
	} {
		m := machine(t, timing.Config{})
		run(t, m, c.recs...)
		assert.Equal(t, c.want, maps.Collect(m.WarpCycles(0, 0).All()), c.name)
	}
}

func TestSitesAddUp(t *testing.T) {
	m := machine(t, timing.Config{Sites: true})
	b, err := m.StartBlock(1)
	require.NoError(t, err)
	m.Feed(b, 0, []isa.Instr{shfl(isa.ShflDown, r2, r1), op(isa.FAdd, r1, r1, r2), op(isa.FAdd, r1, r1, r2)}, []uint32{5, 2, 5}, nil)
	m.End(b, 0)
	for {
		st, err := m.Run(timing.Never)
		require.NoError(t, err)
		if st.State == timing.Done {
			break
		}
	}
	sites := m.Sites()
	require.Len(t, sites, 6)
	assert.Equal(t, int64(2), sites[5].Count)
	assert.Equal(t, timing.Cycle(1+4), sites[5].Cycles.Total(), "the shuffle, then the second add")
	assert.Equal(t, timing.Cycle(24), sites[2].Cycles.Total(), "the add that waited for the shuffle")
	assert.Zero(t, sites[0])
}

func TestWideWarpsTakeMorePasses(t *testing.T) {
	length := func(lanes int) timing.Cycle {
		table, err := timing.Compile(h200(t), lanes)
		require.NoError(t, err)
		m, err := timing.New(table, timing.Config{})
		require.NoError(t, err)
		return run(t, m, repeat([]isa.Instr{op(isa.Logic, r1, r2)}, 100))
	}
	// The ALU has 16 lanes: 2, 4 and 8 cycles an instruction; never fewer than
	// the latency was measured for.
	assert.Equal(t, []timing.Cycle{99*2 + 4, 99*4 + 6, 99*8 + 10}, []timing.Cycle{length(32), length(64), length(128)})
	assert.Equal(t, timing.Cycle(99+4), length(8))
}

func TestPredicatedOffMemoryTakesNoPass(t *testing.T) {
	on := mem(isa.StoreShared, 0, r3, r1, 4, 32)
	off := on
	off.Guard, off.Active = 1, 0
	m := machine(t, timing.Config{})
	assert.Equal(t, timing.Cycle(31*4+1), run(t, m, repeat([]isa.Instr{off}, 32)), "the gap between two of a warp")
	assert.Less(t, timing.Cycle(31*64-64), run(t, m, repeat([]isa.Instr{on}, 32)), "two cycles a pass, but for the queue")
}

func TestBarriersHoldWarpsThatEnd(t *testing.T) {
	m := machine(t, timing.Config{})
	// The last record is the barrier: released at 10 + 2 + 12.
	bar := isa.Instr{Op: isa.BarSync, Active: 32}
	late := append(repeat([]isa.Instr{{Op: isa.Nop, Active: 32}}, 10), bar)
	assert.Equal(t, timing.Cycle(24), run(t, m, []isa.Instr{bar}, late))
	c := m.WarpCycles(0, 0)
	assert.Equal(t, timing.Cycle(23), c.Of(timing.Barrier))
}

func TestRunsAllocateNothing(t *testing.T) {
	for _, mix := range mixes {
		m := machine(t, timing.Config{})
		recs := repeat(mix.step, 200)
		once := func() {
			m.Reset()
			play(t, m, 8, recs)
		}
		once()
		assert.Zero(t, testing.AllocsPerRun(20, once), mix.name)
	}
}

func TestErrorsReadWell(t *testing.T) {
	err := error(&timing.Error{Field: "timing.ops.redux", Op: isa.Redux, Reason: "missing"})
	assert.Equal(t, "timing: timing.ops.redux: missing (needed by redux)", err.Error())
	assert.False(t, errors.Is(err, errors.ErrUnsupported))
	assert.Equal(t, "bank conflict", timing.BankConflict.String())
	assert.Equal(t, "reason(99)", timing.Reason(99).String())
	assert.Equal(t, "starved", timing.Starved.String())
	assert.Equal(t, "greedy then oldest", timing.GreedyThenOldest.String())
}
