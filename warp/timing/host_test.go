package timing_test

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/memory"
	"example.com/warpsim/warp/timing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A host is a memory of random latency that refuses at random, behind some
// multiprocessors. What it does follows from what it is asked, and when.
type host struct {
	t       testing.TB
	seed    uint64
	mps     []*timing.Multiprocessor
	queue   []hostEvent
	asked   []map[timing.AccessID]int  // how often, by multiprocessor
	taken   []map[timing.AccessID]bool // which were not refused
	lines   []int                      // that were touched
	refused int
}

type hostEvent struct {
	at     timing.Cycle
	mp     int
	resume bool
	id     timing.AccessID
}

type hostPort struct {
	*host
	mp int
}

func newHost(t testing.TB, seed uint64, n int, c timing.Config) *host {
	h := &host{t: t, seed: seed}
	for i := range n {
		c.Memory = hostPort{h, i}
		h.mps = append(h.mps, machine(t, c))
		h.asked, h.taken, h.lines = append(h.asked, map[timing.AccessID]int{}), append(h.taken, map[timing.AccessID]bool{}), append(h.lines, 0)
	}
	return h
}

func (p hostPort) Access(a *timing.Access) timing.Cycle {
	require.False(p.t, p.taken[p.mp][a.ID], "asked again for what was taken")
	n := p.asked[p.mp][a.ID]
	p.asked[p.mp][a.ID]++
	r := rand.New(rand.NewPCG(p.seed, uint64(a.ID.Block)<<40|uint64(a.ID.Warp)<<32|uint64(a.ID.Index)<<8|uint64(n)))
	if n < 3 && r.IntN(4) == 0 {
		p.refused++
		switch r.IntN(3) {
		case 0:
			a.Accepted = a.At + timing.Cycle(r.IntN(300))
		case 1:
			a.Accepted = timing.Never
			p.queue = append(p.queue, hostEvent{a.At + 1 + timing.Cycle(r.IntN(500)), p.mp, true, a.ID})
		}
		return timing.Refused
	}
	p.taken[p.mp][a.ID] = true
	for _, l := range a.Lines {
		p.lines[p.mp] += bits.OnesCount8(l.Sectors())
	}
	a.Accepted += timing.Cycle(r.IntN(10))
	at := a.At + timing.Cycle(r.IntN(900))
	if r.IntN(2) == 0 {
		return at
	}
	p.queue = append(p.queue, hostEvent{at, p.mp, false, a.ID})
	return timing.Later
}

// next is when the host does something next.
func (h *host) next() timing.Cycle {
	at := timing.Never
	for _, e := range h.queue {
		at = min(at, e.at)
	}
	return at
}

// deliver does what falls on a cycle.
func (h *host) deliver(now timing.Cycle) {
	rest := h.queue[:0]
	for _, e := range h.queue {
		switch m := h.mps[e.mp]; {
		case e.at > now:
			rest = append(rest, e)
		case e.resume:
			m.Resume(e.at)
		default:
			require.NoError(h.t, m.Complete(e.id.Block, e.id.Warp, e.id.Index, e.at))
		}
	}
	h.queue = rest
}

// touching returns lines for the records of a warp.
func touching(r *rand.Rand, recs []isa.Instr) (lines []isa.Line, sectors int) {
	for i := range recs {
		if in := &recs[i]; in.TouchesLines() {
			n := 1 + r.IntN(3)
			for range n {
				l := isa.MakeLine(uint64(r.IntN(50)), 1+uint8(r.IntN(15)), 1, 1, 0)
				sectors += bits.OnesCount8(l.Sectors())
				lines = append(lines, l)
			}
			lines[len(lines)-1] = lines[len(lines)-1].End()
		}
	}
	return lines, sectors
}

// play runs blocks, one on each multiprocessor, in steps that step chooses.
func (h *host) play(blocks [][][]isa.Instr, step func(h *host, now timing.Cycle) timing.Cycle) (out []outcome, sectors []int) {
	r := rand.New(rand.NewPCG(h.seed, 77))
	for i, m := range h.mps {
		sum := 0
		b, err := m.StartBlock(len(blocks[i]))
		require.NoError(h.t, err)
		for w, recs := range blocks[i] {
			lines, n := touching(r, recs)
			sum += n
			m.Feed(b, w, recs, nil, lines)
			m.End(b, w)
		}
		sectors = append(sectors, sum)
	}
	for now := timing.Cycle(0); ; {
		h.deliver(now)
		to := step(h, now)
		done := len(h.queue) == 0
		for _, m := range h.mps {
			for {
				st, err := m.Run(to)
				require.NoError(h.t, err)
				require.NotEqual(h.t, timing.Waiting, st.State, "there was a limit")
				if st.State != timing.BlockEnded {
					done = done && st.State == timing.Done
					break
				}
			}
		}
		if now = to; done && len(h.queue) == 0 {
			break
		}
	}
	for _, m := range h.mps {
		_, end := m.Block(0)
		out = append(out, outcome{[]timing.Cycle{end}, []timing.Cycles{m.BlockCycles(0)}, *m.Totals()})
	}
	return out, sectors
}

func ticks(h *host, now timing.Cycle) timing.Cycle { return now + 1 }

// hops goes to the next cycle in which anything happens. Multiprocessors do not feel
// each other but through the host, which answers at the earliest at the next cycle.
func hops(h *host, now timing.Cycle) timing.Cycle {
	at := h.next()
	for _, m := range h.mps {
		at = min(at, m.NextEvent()+1)
	}
	return min(max(at, now+1), now+5000)
}

// A memory of random latency that refuses at random changes cycles, but neither what is
// issued nor what is touched; every access is taken once and answered once; and how the
// machines are driven changes nothing.
func TestHostMemory(t *testing.T) {
	seeds := uint64(60)
	if testing.Short() {
		seeds = 12
	}
	refused := 0
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 8))
		n := 1 + r.IntN(3)
		var blocks [][][]isa.Instr
		for range n {
			blocks = append(blocks, randomBlock(r, 1+r.IntN(9)))
		}
		c := timing.Config{Scheduler: timing.Scheduler(seed % 2)}
		h := newHost(t, seed, n, c)
		want, sectors := h.play(blocks, ticks)
		refused += h.refused
		require.Equal(t, sectors, h.lines)
		other := newHost(t, seed, n, c)
		got, _ := other.play(blocks, hops)
		require.Empty(t, cmp.Diff(want, got, counters), "seed %d", seed)
		for i := range n {
			plain := machine(t, c)
			free := drive(t, plain, blocks[i:i+1], toTheEnd(plain), whole)
			require.Equal(t, free.Totals.Instructions, want[i].Totals.Instructions)
		}
	}
	require.Positive(t, refused)
}

// loads is a block of one warp with so many loads, and an addition that waits for them.
func loads(t testing.TB, m *timing.Multiprocessor, n int) {
	b, err := m.StartBlock(1)
	require.NoError(t, err)
	var recs []isa.Instr
	var lines []isa.Line
	for i := range n {
		recs = append(recs, isa.Instr{Op: isa.LoadGlobal, Active: 32, Dst: isa.Row(1 + i), A: isa.RowPair(20), Aux: isa.MemAux(4, isa.LevelL1), Count: 1})
		lines = append(lines, isa.MakeLine(uint64(i), 1, 0, 0, 0).End())
	}
	recs = append(recs, op(isa.FAdd, isa.Row(1), isa.Row(1), isa.Row(n)))
	m.Feed(b, 0, recs, nil, lines)
	m.End(b, 0)
}

func TestWrongAnswersAreErrors(t *testing.T) {
	m := machine(t, timing.Config{Memory: answers(func(a *timing.Access) timing.Cycle { return timing.Later })})
	loads(t, m, 2)
	st, err := m.Run(timing.Never)
	require.NoError(t, err)
	require.Equal(t, timing.Waiting, st.State)
	require.NoError(t, m.Complete(0, 0, 0, 1000))
	for _, c := range []struct {
		problem     timing.AccessProblem
		block, warp int
		index       int64
		at          timing.Cycle
	}{
		{timing.AccessAnswered, 0, 0, 0, 1000}, {timing.AccessUnknown, 0, 0, 2, 1000}, {timing.AccessUnknown, 0, 0, -1, 1000},
		{timing.AccessUnknown, 1, 0, 1, 1000}, {timing.AccessUnknown, -1, 0, 1, 1000}, {timing.AccessUnknown, 0, 1, 1, 1000}, {timing.AccessInPast, 0, 0, 1, 0},
	} {
		err := m.Complete(c.block, c.warp, c.index, c.at)
		require.ErrorIs(t, err, c.problem)
		var e *timing.AccessError
		require.ErrorAs(t, err, &e)
		require.Equal(t, timing.AccessID{Block: c.block, Warp: c.warp, Index: c.index}, e.ID)
	}
	require.NoError(t, m.CompleteAll([]timing.Completion{{ID: timing.AccessID{Index: 1}, At: 700}}))
	st, err = m.Run(timing.Never)
	require.NoError(t, err)
	require.Equal(t, timing.Status{State: timing.BlockEnded, Now: 1004}, st)
	require.ErrorIs(t, m.Complete(0, 0, 1, 2000), timing.AccessUnknown, "the block has ended")

	m = machine(t, timing.Config{Memory: answers(func(a *timing.Access) timing.Cycle { return a.At - 1 })})
	loads(t, m, 1)
	_, err = m.Run(timing.Never)
	require.ErrorIs(t, err, timing.AccessInPast)
}

// A multiprocessor whose memory refuses waits for Resume, and that is no deadlock.
func TestRefusedUntilResumed(t *testing.T) {
	full := true
	m := machine(t, timing.Config{Memory: answers(func(a *timing.Access) timing.Cycle {
		if full {
			a.Accepted = timing.Never
			return timing.Refused
		}
		return a.At + 100
	})})
	loads(t, m, 1)
	st, err := m.Run(500)
	require.NoError(t, err)
	require.Equal(t, timing.Status{State: timing.Limit, Now: 500}, st)
	st, err = m.Run(timing.Never)
	require.NoError(t, err)
	require.Equal(t, timing.Status{State: timing.Waiting, Now: 500}, st)
	full = false
	m.Resume(600)
	st, err = m.Run(timing.Never)
	require.NoError(t, err)
	require.Equal(t, timing.Status{State: timing.BlockEnded, Now: 704}, st)
	c := m.WarpCycles(0, 0)
	require.Equal(t, timing.Cycle(704), c.Total())
}

// A warp without records holds up nobody else once the host says so, and knows what it
// waited for.
func TestHeldWarpsLetOthersGoOn(t *testing.T) {
	m := machine(t, timing.Config{})
	chain := repeat([]isa.Instr{op(isa.FAdd, r1, r1)}, 100)
	b, err := m.StartBlock(2)
	require.NoError(t, err)
	m.Feed(b, 1, chain, nil, nil)
	st, err := m.Run(200)
	require.NoError(t, err)
	require.Equal(t, timing.Starved, st.State)
	m.Hold(b, st.Warp)
	st, err = m.Run(200)
	require.NoError(t, err)
	require.Equal(t, timing.Status{State: timing.Limit, Now: 200}, st)
	m.Feed(b, 0, chain, nil, nil)
	m.End(b, 0)
	m.End(b, 1)
	st, err = m.Run(timing.Never)
	require.NoError(t, err)
	require.Equal(t, timing.Status{State: timing.BlockEnded, Now: 600}, st, "100 additions of 4 cycles from cycle 200 on")
	c := m.WarpCycles(b, 0)
	assert.Equal(t, timing.Cycle(200), c.Of(timing.Unfed))
	assert.Equal(t, timing.Cycle(600), c.Total())

	m.Reset()
	b, err = m.StartBlock(1)
	require.NoError(t, err)
	_, err = m.Run(timing.Never)
	require.NoError(t, err)
	m.Hold(b, 0)
	st, err = m.Run(timing.Never)
	require.NoError(t, err)
	require.Equal(t, timing.Waiting, st.State)
	m.Hold(b, 0)
	_, err = m.Run(timing.Never)
	require.ErrorContains(t, err, "Hold: warp 0 of block 0 has records, or has ended")
}

// mimic is a host that serves by the profile's own model.
type mimic struct {
	front *memory.Front
	ids   []timing.AccessID
}

func (x *mimic) Access(a *timing.Access) timing.Cycle {
	x.ids = append(x.ids, a.ID)
	return x.front.Access(a)
}

// A host that does what the device's memory does gets the same cycles.
func TestHostThatMimicsTheDevice(t *testing.T) {
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(1, 9))
	block := randomBlock(r, 8)
	for w := range block {
		block[w] = append(block[w], slices.Clone(block[(w+1)%8])...)
	}
	var ends [2]outcome
	for k := range ends {
		s, err := memory.New(p, 1)
		require.NoError(t, err)
		s.Reset(memory.Cold, 0, 0)
		host := &mimic{front: s.Front(0)}
		c := timing.Config{Memory: s.Front(0)}
		if k == 1 {
			c.Memory = host
		}
		m := machine(t, c)
		b, err := m.StartBlock(len(block))
		require.NoError(t, err)
		r := rand.New(rand.NewPCG(2, 9))
		for w, recs := range block {
			lines, _ := touching(r, recs)
			m.Feed(b, w, recs, nil, lines)
			m.End(b, w)
		}
		for at := timing.Cycle(0); ; at += s.Window() {
			require.NoError(t, s.Front(0).Deliver(m))
			st, err := m.Run(at + s.Window())
			require.NoError(t, err)
			if st.State == timing.BlockEnded {
				break
			}
			s.Front(0).Close(at + s.Window())
			s.Exchange(at)
		}
		_, end := m.Block(b)
		ends[k] = outcome{[]timing.Cycle{end}, []timing.Cycles{m.BlockCycles(b)}, *m.Totals()}
		if k == 1 {
			require.NotEmpty(t, host.ids)
		}
	}
	require.Empty(t, cmp.Diff(ends[0], ends[1], counters))
}
