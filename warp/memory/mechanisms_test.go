package memory_test

import (
	"testing"

	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/memory"
	"example.com/warpsim/warp/timing"
	"github.com/stretchr/testify/require"
)

// accesses hands loads of lines that are there to the first level, all at one time, and
// returns when each is ready.
func accesses(t *testing.T, f *memory.Front, n int, lines []isa.Line, bytes int) []timing.Cycle {
	t.Helper()
	var ready []timing.Cycle
	for range n {
		ready = append(ready, f.Access(&timing.Access{Op: isa.LoadGlobal, Lines: lines, Bytes: bytes, At: 100_000}))
	}
	return ready
}

// TestTagAndDataBanks: with two banks of tags, by the lowest bit of the line, four lines
// take as many cycles as the fuller bank has, or as one bank of the data has words.
func TestTagAndDataBanks(t *testing.T) {
	p := simple(t)
	p.Timing.Global.First.TagBanks = []int{1}
	p.Timing.Global.First.AccessCycles = 1
	p.Timing.Global.First.Bytes, p.Timing.Global.First.Ways = 64*128, 64
	for _, c := range []struct {
		lines  []uint64
		passes int
		bytes  int
		want   timing.Cycle
	}{
		{[]uint64{0}, 1, 4, 1},
		{[]uint64{0}, 4, 16, 4},
		{[]uint64{0, 1}, 1, 4, 1},
		{[]uint64{0, 2}, 1, 4, 2},
		{[]uint64{0, 1, 2, 3}, 1, 4, 2},
		{[]uint64{0, 1, 2, 3}, 4, 4, 4},
		{[]uint64{0, 2, 4, 6}, 3, 4, 4},
	} {
		h := newHost(t, p)
		var warm program
		for i, l := range c.lines {
			warm.load(1+i, l)
		}
		for i := range c.lines {
			warm.use(1 + i)
		}
		h.run(memory.Warm, 1<<12, warm)
		var lines []isa.Line
		for i, l := range c.lines {
			x := isa.MakeLine(l, 15, 0, 0, 0)
			if i == 0 {
				x = x.WithPasses(c.passes)
			}
			lines = append(lines, x)
		}
		got := accesses(t, h.sys.Front(0), 3, lines, c.bytes)
		require.Equal(t, c.want, got[2]-got[1], "%+v", c)
	}
}

// TestSectorsWrittenInPart: a store that does not write all bytes sends a mask, too.
func TestSectorsWrittenInPart(t *testing.T) {
	took := func(n, partial int) timing.Cycle {
		p := simple(t)
		p.Timing.Global.Way.Posted = 4096
		h := newHost(t, p)
		var s program
		for i := range n {
			s.add(isa.StoreGlobal, isa.NoReg, isa.MemAux(4, isa.LevelL1), isa.MakeLine(uint64(i), 15, 0, 0, 0).WithPartial(partial))
		}
		h.run(memory.Warm, 1<<16, s)
		return h.mps[0].Free(0)
	}
	require.Equal(t, timing.Cycle(10*4), took(20, 0)-took(10, 0), "four whole sectors each")
	require.Equal(t, timing.Cycle(10*5), took(20, 1)-took(10, 1), "one of them in part")
	require.Equal(t, timing.Cycle(10*5), took(20, 4)-took(10, 4), "one mask for all of them")
}

// TestHalves: behind two parts, a line of the other one comes later than one of the own,
// and both together take what the profile says.
func TestHalves(t *testing.T) {
	p := simple(t)
	p.Timing.Global.Second.Parts, p.Timing.Global.Second.HomeBytes = 2, 4096
	p.Timing.Global.Second.FarLatency = 60
	seen := map[timing.Cycle]int{}
	for page := range uint64(64) {
		var s program
		s.load(1, page*32)
		s.use(1)
		seen[newHost(t, p).run(memory.Cold, 0, s)[0]]++
	}
	require.Len(t, seen, 2)
	var near, far timing.Cycle
	for c := range seen {
		if far = max(far, c); near == 0 || c < near {
			near = c
		}
		require.Greater(t, seen[c], 16, "halves of about one size")
	}
	require.Equal(t, timing.Cycle(60), far-near)
	// Alone, 500 cycles are the middle of the two.
	var alone program
	alone.load(1, 0)
	alone.use(1)
	one := newHost(t, simple(t)).run(memory.Cold, 0, alone)[0]
	require.Equal(t, one-30, near)
}

func fenced(t *testing.T) *device.Profile {
	p := simple(t)
	p.Timing.Global.Fence = &device.FenceTiming{DeviceLatency: 150, DeviceAfter: 50, SystemLatency: 900, SystemAfter: 700}
	return p
}

// TestFences: a fence takes so long at least, and longer if a store is under way; the
// fences of two warps of one multiprocessor behind their stores follow each other.
func TestFences(t *testing.T) {
	fence := func(scope uint8, stores int) program {
		var s program
		for i := range stores {
			s.add(isa.StoreGlobal, isa.NoReg, isa.MemAux(4, isa.LevelL1), isa.MakeLine(uint64(i), 1, 0, 0, 0))
		}
		s.recs = append(s.recs, isa.Instr{Op: isa.Fence, Active: 32, Aux: scope})
		s.recs = append(s.recs, isa.Instr{Op: isa.Mov, Active: 32, Dst: isa.Row(50), A: isa.Row(1)})
		return s
	}
	p := simple(t)
	took := func(s program) timing.Cycle { return newHost(t, p).run(memory.Warm, 1<<12, s)[0] }
	free := took(fence(isa.FenceDevice, 0))
	p = fenced(t)
	require.Equal(t, free+150-9, took(fence(isa.FenceDevice, 0)), "9 cycles are those of any fence")
	require.Equal(t, free, took(fence(isa.FenceBlock, 0)))
	require.Equal(t, free+900-9, took(fence(isa.FenceSystem, 0)))
	// The store is through after 200 cycles and one of sending, the fence 50 later.
	require.InDelta(t, float64(took(fence(isa.FenceDevice, 1))), float64(free+200+50-9), 8)
}

// TestTurning: a channel that reads and writes in turn loses time at each turn, one that
// only writes does not.
func TestTurning(t *testing.T) {
	p := simple(t)
	p.Timing.Global.Main.Channels = 1
	busy := func(turn float64) (mixed, written int64) {
		p.Timing.Global.Main.TurnCycles, p.Timing.Global.Main.WriteSectors = turn, 8
		h := newHost(t, p)
		var loads, stores program
		for i := range uint64(32) {
			loads.load(1+int(i%8), i)
			stores.add(isa.StoreGlobal, isa.NoReg, isa.MemAux(4, isa.LevelL1), isa.MakeLine(i, 15, 0, 0, 0))
		}
		loads.use(1)
		h.run(memory.Cold, 0, loads) // each line makes a dirty one of others go
		c := h.sys.Counts()
		require.EqualValues(t, 32*4, c.MainReadSectors)
		require.EqualValues(t, 32*4, c.MainWriteSectors)
		mixed = c.MainTicks
		h.run(memory.Cold, 0, stores)
		return mixed, h.sys.Counts().MainTicks
	}
	mixed, written := busy(0)
	turned, still := busy(10)
	require.Equal(t, written, still)
	turns := (turned - mixed) / (10 * 256)
	require.Positive(t, turns)
	require.LessOrEqual(t, turns, int64(32))
}

// TestFullQueueHoldsStores: stores that push out dirty lines are through when the channel,
// which takes 10 cycles for each of the 128 sectors before the last, has room for theirs;
// if any number may wait there, the channel is not felt.
func TestFullQueueHoldsStores(t *testing.T) {
	took := func(queue int) timing.Cycle {
		p := fenced(t)
		p.Timing.Global.Main.Channels, p.Timing.Global.Main.WriteCycles = 1, 10
		p.Timing.Global.Main.QueueSectors = queue
		var s program
		for i := range uint64(33) {
			s.add(isa.StoreGlobal, isa.NoReg, isa.MemAux(4, isa.LevelL1), isa.MakeLine(i, 15, 0, 0, 0))
		}
		s.recs = append(s.recs, isa.Instr{Op: isa.Fence, Active: 32, Aux: isa.FenceDevice})
		s.use(1)
		return newHost(t, p).run(memory.Cold, 0, s)[0]
	}
	free := took(0)
	require.Less(t, free, timing.Cycle(1000))
	require.Greater(t, took(8), timing.Cycle(128*10-8*10+200))
	require.InDelta(t, float64(took(8)-took(40)), 320, 40)
	require.Equal(t, free, took(1000))
}

// TestRefresh: of lines in different banks, read alone, one in ten finds its bank in the
// midst of being refreshed and comes up to 100 cycles later; the profile's latency is the
// mean.
func TestRefresh(t *testing.T) {
	took := func(p *device.Profile, line uint64) timing.Cycle {
		var s program
		s.load(1, line)
		s.use(1)
		return newHost(t, p).run(memory.Cold, 0, s)[0]
	}
	p := simple(t)
	plain := took(p, 0)
	p.Timing.Global.Main.RefreshCycles, p.Timing.Global.Main.RefreshEvery = 100, 1000
	const lines = 400
	late, sum, least, most := 0, timing.Cycle(0), timing.Never, timing.Cycle(0)
	for line := range uint64(lines) {
		c := took(p, line)
		sum += c
		least, most = min(least, c), max(most, c)
	}
	for line := range uint64(lines) {
		if took(p, line) > least {
			late++
		}
	}
	require.Equal(t, plain-5, least, "100 cycles in 1,000 are 5 on average")
	require.InDelta(t, lines/10, late, 15)
	require.LessOrEqual(t, most-least, timing.Cycle(100))
	require.Greater(t, most-least, timing.Cycle(80))
	require.InDelta(t, float64(plain), float64(sum)/lines, 2.5)
}

// TestSentStoresFreeThePlace: the place of a block is free once its stores have been sent,
// 200 cycles before they are through. A fence waits for the latter.
func TestSentStoresFreeThePlace(t *testing.T) {
	free := func(fence bool) timing.Cycle {
		var s program
		s.add(isa.StoreGlobal, isa.NoReg, isa.MemAux(4, isa.LevelL1), isa.MakeLine(3, 15, 0, 0, 0))
		if fence {
			s.recs = append(s.recs, isa.Instr{Op: isa.Fence, Active: 32, Aux: isa.FenceDevice})
			s.use(1)
		}
		h := newHost(t, fenced(t))
		h.run(memory.Warm, 1<<12, s)
		return h.mps[0].Free(0)
	}
	require.Less(t, free(false), timing.Cycle(40))
	require.Greater(t, free(true), timing.Cycle(200))
}
