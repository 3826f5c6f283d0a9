package memory_test

import (
	"testing"

	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/memory"
	"example.com/warpsim/warp/timing"
	"github.com/stretchr/testify/require"
)

// simple returns a device whose memory is easy to count: 100 cycles there and 100
// back, 30 in the first level, 300 more behind the second.
func simple(t *testing.T) *device.Profile {
	t.Helper()
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	p.Limits.Multiprocessors = 2
	p.Timing.Global = &device.GlobalTiming{
		L1:      device.LevelTiming{Latency: 30},
		L2:      device.LevelTiming{Latency: 200},
		DRAM:    device.LevelTiming{Latency: 500},
		First:   &device.FirstTiming{Bytes: 4 * 128, Ways: 2, AccessCycles: 2, LineCycles: 1, PipeCycles: 2},
		Way:     &device.WayTiming{RequestCycles: 1, StoreCycles: 1, PartialCycles: 1, AtomicCycles: 1, ReturnCycles: 1, Groups: 1, Posted: 64, Queue: 64},
		Second:  &device.SecondTiming{Bytes: 1 << 16, Ways: 16, Parts: 1, Slices: 4, SectorCycles: 1},
		Main:    &device.MainTiming{Channels: 4, ReadCycles: 2, WriteCycles: 2},
		Atomics: &device.AtomicTiming{SectorCycles: 1, IntegerCycles: 3, FloatCycles: 7, ScatteredCycles: 4, DenseCycles: 4, ReturnLatency: 10},
	}
	return p
}

// A device is a memory with multiprocessors that play records by windows.
type host struct {
	t   *testing.T
	sys *memory.System
	mps []*timing.Multiprocessor
}

func newHost(t *testing.T, p *device.Profile) *host {
	t.Helper()
	h := &host{t: t}
	var err error
	h.sys, err = memory.New(p, p.Limits.Multiprocessors)
	require.NoError(t, err)
	table, err := timing.Compile(&p.Timing, p.Lanes)
	require.NoError(t, err)
	for i := range p.Limits.Multiprocessors {
		m, err := timing.New(table, timing.Config{Memory: h.sys.Front(i)})
		require.NoError(t, err)
		h.mps = append(h.mps, m)
	}
	return h
}

// program is the records of one warp, with the lines of its accesses.
type program struct {
	recs  []isa.Instr
	lines []isa.Line
}

func (p *program) add(op isa.Op, dst isa.Reg, aux uint8, lines ...isa.Line) {
	n := 0
	for i, l := range lines {
		n++
		if i == len(lines)-1 {
			l = l.End()
		}
		p.lines = append(p.lines, l)
	}
	in := isa.Instr{Op: op, Active: 32, Dst: dst, Aux: aux, Count: uint16(n)}
	if dst == isa.NoReg {
		in.B = isa.Row(40)
	}
	p.recs = append(p.recs, in)
}

// load is a load of whole lines, 4 bytes a lane.
func (p *program) load(dst int, lines ...uint64) {
	var all []isa.Line
	for _, l := range lines {
		all = append(all, isa.MakeLine(l, 15, 0, 0, 0))
	}
	p.add(isa.LoadGlobal, isa.Row(dst), isa.MemAux(4, isa.LevelL1), all...)
}

// use waits for a register.
func (p *program) use(src int) {
	p.recs = append(p.recs, isa.Instr{Op: isa.Mov, Active: 32, Dst: isa.Row(50), A: isa.Row(src)})
}

// run plays one block a multiprocessor and returns how long each took.
func (h *host) run(state memory.State, high uint64, programs ...program) []timing.Cycle {
	h.t.Helper()
	took := make([]timing.Cycle, len(programs))
	h.play(state, high, programs, took)
	return took
}

// play allocates nothing of its own.
func (h *host) play(state memory.State, high uint64, programs []program, took []timing.Cycle) {
	h.sys.Reset(state, 0, high)
	for i := range programs {
		m, p := h.mps[i], &programs[i]
		m.Reset()
		b, err := m.StartBlock(1)
		if err != nil {
			h.t.Fatal(err)
		}
		m.Feed(b, 0, p.recs, nil, p.lines)
		m.End(b, 0)
	}
	w := h.sys.Window()
	left := len(programs)
	for at := timing.Cycle(0); left > 0; at += w {
		if at > 1e7 {
			h.t.Fatal("it never ends")
		}
		for i := range programs {
			f := h.sys.Front(i)
			f.Deliver(h.mps[i])
			for {
				s, err := h.mps[i].Run(at + w)
				if err != nil {
					h.t.Fatal(err)
				}
				if s.State != timing.BlockEnded {
					break
				}
				_, took[i] = h.mps[i].Block(s.Block)
				left--
			}
			f.Close(at + w)
		}
		h.sys.Exchange(at)
	}
}

// latency is how long a warp waits for the last of its registers: a load that is
// issued in cycle 0 and its reader.
func (h *host) latency(state memory.State, high uint64, fill func(*program)) timing.Cycle {
	var p program
	fill(&p)
	return h.run(state, high, p)[0]
}

func TestLatencyByLevel(t *testing.T) {
	h := newHost(t, simple(t))
	one := func(p *program) { p.load(1, 8); p.use(1) }
	warm := h.latency(memory.Warm, 1<<15, one)
	cold := h.latency(memory.Cold, 0, one)
	// The memory behind takes 300 cycles more, and nothing else differs.
	require.Equal(t, timing.Cycle(300), cold-warm)
	// Four sectors come back one behind the other.
	sector := h.latency(memory.Warm, 1<<15, func(p *program) {
		p.add(isa.LoadGlobal, isa.Row(1), isa.MemAux(4, isa.LevelL1), isa.MakeLine(8, 1, 0, 0, 0))
		p.use(1)
	})
	require.Equal(t, timing.Cycle(3), warm-sector)
	// A second load of the line, behind the first, is in the first level: 30 cycles,
	// the issue of its reader and of the load between them.
	again := h.latency(memory.Warm, 1<<15, func(p *program) { p.load(1, 8); p.use(1); p.load(2, 8); p.use(2) })
	hit := again - warm
	require.GreaterOrEqual(t, hit, timing.Cycle(30))
	require.Less(t, hit, timing.Cycle(50))
	// One that is on its way is waited for, and asked for once.
	h.latency(memory.Warm, 1<<15, func(p *program) { p.load(1, 8); p.load(2, 8); p.use(1); p.use(2) })
	require.EqualValues(t, 4, h.sys.Counts().ReadSectors)
	require.EqualValues(t, 8, h.sys.Counts().LoadSectors)
	require.EqualValues(t, 4, h.sys.Counts().LoadHits)
}

func TestFirstLevelGivesUpTheOldest(t *testing.T) {
	h := newHost(t, simple(t))
	// Four lines in two sets of two ways, of which 0, 4 and 8 share one.
	read := func(lines ...uint64) int64 {
		h.latency(memory.Warm, 1<<15, func(p *program) {
			for _, l := range lines {
				p.load(1, l)
				p.use(1)
			}
		})
		return h.sys.Counts().ReadSectors / 4
	}
	require.EqualValues(t, 1, read(0, 0, 0))
	require.EqualValues(t, 2, read(0, 4, 0, 4))
	require.EqualValues(t, 3, read(0, 4, 0, 8, 0), "4 went, not 0")
	require.EqualValues(t, 4, read(0, 4, 0, 8, 4))
	require.EqualValues(t, 3, read(0, 4, 1, 0, 4), "1 lies in the other set")
}

func TestStatesOfTheSecondLevel(t *testing.T) {
	h := newHost(t, simple(t))
	one := func(p *program) { p.load(1, 8); p.use(1) }
	h.latency(memory.Cold, 0, one)
	c := h.sys.Counts()
	require.EqualValues(t, 4, c.MainReadSectors)
	require.EqualValues(t, 0, c.HitSectors)
	require.EqualValues(t, 4, c.MainWriteSectors, "what was there is written back first")
	h.latency(memory.Kept, 0, one)
	c = h.sys.Counts()
	require.EqualValues(t, 0, c.MainReadSectors)
	require.EqualValues(t, 4, c.HitSectors)
	h.latency(memory.Warm, 4*128, one) // lines 0 to 3
	require.EqualValues(t, 4, h.sys.Counts().MainReadSectors)
}

func TestCapacityIsNotAllOrNothing(t *testing.T) {
	h := newHost(t, simple(t))
	// The second level has 32 sets of 16 lines, and 520 lines are read in turn: 8 sets
	// have one line too many, and lose each before it comes by again; 24 keep theirs.
	const lines, turns = 520, 3
	h.latency(memory.Cold, 0, func(p *program) {
		for range turns {
			for l := range uint64(lines) {
				p.load(1, l)
			}
		}
		p.use(1)
	})
	c := h.sys.Counts()
	require.EqualValues(t, 4*lines*turns, c.ReadSectors)
	require.EqualValues(t, 4*24*16*(turns-1), c.HitSectors)
	require.Equal(t, c.ReadSectors, c.HitSectors+c.MainReadSectors)
}

// TestAtomicsOnOneWord: they take turns at the second level, by type.
func TestAtomicsOnOneWord(t *testing.T) {
	h := newHost(t, simple(t))
	const n = 40
	atomics := func(aux uint8, lanes int, word func(i int) int) program {
		var p program
		for i := range n {
			p.add(isa.AtomicGlobal, isa.Row(1+i%30), isa.MemAux(4, isa.LevelL2)|aux, isa.MakeLine(8, 1, lanes, lanes, word(i)))
		}
		p.use(1 + (n-1)%30)
		return p
	}
	same := func(int) int { return 3 }
	h.run(memory.Warm, 1<<15, atomics(0, 1, same))
	require.EqualValues(t, 3*256*n, h.sys.Counts().ChainTicks, "integers: 3 cycles each")
	h.run(memory.Warm, 1<<15, atomics(isa.AuxFloat, 1, same))
	require.EqualValues(t, 7*256*n, h.sys.Counts().ChainTicks, "floats: 7 cycles each")
	h.run(memory.Warm, 1<<15, atomics(isa.AuxFloat, 4, same))
	require.EqualValues(t, 4*7*256*n, h.sys.Counts().ChainTicks, "each lane takes its turn")
	require.EqualValues(t, 8, h.sys.Counts().ChainLine)
	require.Equal(t, 3, h.sys.Counts().ChainWord)
	// Two multiprocessors meet on the word: it takes them twice as long.
	h.run(memory.Warm, 1<<15, atomics(0, 1, same), atomics(0, 1, same))
	require.EqualValues(t, 2*3*256*n, h.sys.Counts().ChainTicks)
}

// TestStoresAreThrottled: with room for two lines of stores under way, the third waits until
// the first is through.
func TestStoresAreThrottled(t *testing.T) {
	p := simple(t)
	store := func(n int) program {
		var s program
		for i := range n {
			s.add(isa.StoreGlobal, isa.NoReg, isa.MemAux(4, isa.LevelL1), isa.MakeLine(uint64(i), 15, 0, 0, 0))
		}
		return s
	}
	free := func(n, posted int) timing.Cycle {
		p.Timing.Global.Way.Posted = 4 * posted // sectors
		h := newHost(t, p)
		h.run(memory.Warm, 1<<15, store(n))
		// The place of the block is free when the last store is through.
		return h.mps[0].Free(0)
	}
	require.Equal(t, free(2, 2), free(2, 16))
	// Each pair more takes the way there and back once more.
	require.Equal(t, timing.Cycle(200), free(4, 2)-free(2, 2))
	require.Equal(t, timing.Cycle(200), free(6, 2)-free(4, 2))
	// With room enough they follow each other every four cycles.
	require.Equal(t, timing.Cycle(8), free(4, 16)-free(2, 16))
}

func TestOrderOfPlayingDoesNotMatter(t *testing.T) {
	p := simple(t)
	stream := func(from uint64) program {
		var s program
		for i := range uint64(200) {
			s.load(1+int(i%8), from+i*3%128)
		}
		s.use(1)
		return s
	}
	a, b := stream(0), stream(64)
	first := newHost(t, p)
	want := first.run(memory.Cold, 0, a, b)
	counts := first.sys.Counts()
	again := newHost(t, p)
	again.run(memory.Warm, 1<<12, b, a) // leaves nothing behind
	require.Equal(t, want, again.run(memory.Cold, 0, a, b))
	require.Equal(t, counts, again.sys.Counts())
}

// TestNoAllocations: in the steady state the memory takes none of the host's.
func TestNoAllocations(t *testing.T) {
	h := newHost(t, simple(t))
	var s program
	for i := range uint64(2000) {
		s.load(1+int(i%8), i*5%1024)
		if i%16 == 0 {
			s.add(isa.StoreGlobal, isa.NoReg, isa.MemAux(4, isa.LevelL1), isa.MakeLine(i, 15, 0, 0, 0))
		}
	}
	programs, took := []program{s, s}, make([]timing.Cycle, 2)
	run := func() { h.play(memory.Cold, 0, programs, took) }
	run()
	run()
	require.Zero(t, testing.AllocsPerRun(3, run))
}

func TestBadArguments(t *testing.T) {
	_, err := memory.New(nil, 1)
	require.Error(t, err)
	p := simple(t)
	_, err = memory.New(p, 3)
	require.ErrorContains(t, err, "3 multiprocessors")
	p.Timing.Global = nil
	_, err = memory.New(p, 1)
	var e *timing.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, "timing.global", e.Field)
	var none memory.System
	none.Reset(memory.Cold, 0, 0)
	none.Exchange(0)
	require.Nil(t, none.Front(0))
}
