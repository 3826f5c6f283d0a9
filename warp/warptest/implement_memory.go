package warptest

import (
	"fmt"
	"math/rand/v2"

	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"
)

// A Memory is a global memory behind several multiprocessors that TestMemory is to check.
type Memory interface {
	// Port returns what a multiprocessor asks, by number from 0.
	Port(multiprocessor int) timing.MemoryPort
	// Advance does what falls on cycles before to, and returns the first cycle from then
	// on in which there is anything to do, timing.Never if nothing is unless somebody
	// asks. It calls complete once for each access that was answered with timing.Later,
	// and resume where one was refused with Accepted set to timing.Never. No multiprocessor
	// has gone further than to the cycle of the last call, and none goes beyond to, or the
	// cycle that it returned, before the next.
	Advance(to timing.Cycle, complete func(multiprocessor int, c timing.Completion), resume func(multiprocessor int, at timing.Cycle)) (next timing.Cycle)
}

// patience is how many cycles TestMemory waits for an answer.
const patience = 1 << 20

// TestMemory holds a memory to what timing.MemoryPort asks of one, with loads, stores and
// atomics of several blocks on one, two and three multiprocessors: each access that it takes
// is answered once, not before it was asked nor in the past; what it refuses it takes some
// time; it keeps nothing that is valid during the call only; and cycles are the same in
// every run, whether Advance is called in each cycle or from event to event, once or more.
// It returns the first that is not so, a *MismatchError or what the timing model has
// returned. make returns a new memory behind so many multiprocessors; a nil make, and a nil
// Memory, are errors.
func TestMemory(make func(multiprocessors int) Memory) error {
	if make == nil {
		return fmt.Errorf("warptest: TestMemory: nil: give a function that makes a memory")
	}
	p, err := device.Lookup("h200")
	if err != nil {
		return err
	}
	table, err := timing.Compile(&p.Timing, p.Lanes)
	if err != nil {
		return err
	}
	for seed := range uint64(12) {
		n := 1 + int(seed%3)
		var ends [3][][]timing.Cycle
		for way, hops := range []bool{false, false, true} {
			m := make(n)
			if m == nil {
				return fmt.Errorf("warptest: TestMemory: no memory behind %d multiprocessors", n)
			}
			b := &memoryBench{memory: m, hops: hops, spoil: isa.MakeLine(uint64(way)*977+seed, uint8(1+way), 0, 0, 0)}
			if ends[way], err = b.run(table, n, seed); err != nil {
				return err
			}
		}
		for i, what := range []string{"run again", "with Advance from event to event"} {
			if err := differs(fmt.Sprintf("%d multiprocessors, program %d, %s: ends of blocks", n, seed, what), fmt.Sprint(ends[0]), fmt.Sprint(ends[i+1])); err != nil {
				return err
			}
		}
	}
	return nil
}

// A memoryBench drives a memory and looks at what it does.
type memoryBench struct {
	memory Memory
	hops   bool
	spoil  isa.Line // what is left in the place of lines after a call
	mps    []*timing.Multiprocessor
	open   []map[timing.AccessID]timing.Cycle // what has been answered with Later, and when
	since  []map[timing.AccessID]timing.Cycle // what has been refused, from when on
	now    timing.Cycle                       // up to where Advance was told to go
	err    error
}

// benchPort asks the memory for one multiprocessor.
type benchPort struct {
	*memoryBench
	mp    int
	port  timing.MemoryPort
	lines []isa.Line
	asked timing.Access
}

func (b *memoryBench) fail(mp int, id timing.AccessID, want, got string, args ...any) {
	if b.err == nil {
		what := fmt.Sprintf("multiprocessor %d, block %d, warp %d, instruction %d", mp, id.Block, id.Warp, id.Index)
		b.err = &MismatchError{what, -1, want, fmt.Sprintf(got, args...)}
	}
}

// Access implements timing.MemoryPort: with a copy that is worthless afterwards.
func (p *benchPort) Access(a *timing.Access) timing.Cycle {
	p.lines = append(p.lines[:0], a.Lines...)
	p.asked = *a
	p.asked.Lines = p.lines
	ready := p.port.Access(&p.asked)
	a.Accepted = p.asked.Accepted
	for i := range p.lines {
		p.lines[i] = p.spoil
	}
	p.asked = timing.Access{Op: isa.NumOps, Lines: p.lines}
	switch {
	case ready == timing.Refused:
		if from, ok := p.since[p.mp][a.ID]; !ok {
			p.since[p.mp][a.ID] = a.At
		} else if a.At-from > patience {
			p.fail(p.mp, a.ID, "taken some time", "refused since cycle %d", from)
		}
		return ready
	case ready == timing.Later:
		p.open[p.mp][a.ID] = a.At
	case ready < a.At:
		p.fail(p.mp, a.ID, "an answer at cycle "+fmt.Sprint(a.At)+" or later", "%d", ready)
		ready = a.At
	case ready > a.At+patience:
		p.fail(p.mp, a.ID, fmt.Sprintf("an answer within %d cycles", patience), "%d cycles", ready-a.At)
	}
	delete(p.since[p.mp], a.ID)
	return ready
}

func (b *memoryBench) complete(mp int, c timing.Completion) {
	if mp < 0 || mp >= len(b.mps) {
		b.fail(mp, c.ID, fmt.Sprintf("a multiprocessor below %d", len(b.mps)), "%d", mp)
		return
	}
	at, ok := b.open[mp][c.ID]
	switch {
	case !ok:
		b.fail(mp, c.ID, "one answer to each access that was answered with Later", "an answer for cycle %d to one that is not under way", c.At)
	case c.At < at:
		b.fail(mp, c.ID, fmt.Sprintf("an answer at cycle %d or later", at), "%d", c.At)
	default:
		delete(b.open[mp], c.ID)
		if err := b.mps[mp].Complete(c.ID.Block, c.ID.Warp, c.ID.Index, c.At); err != nil && b.err == nil {
			b.err = err
		}
	}
}

func (b *memoryBench) resume(mp int, at timing.Cycle) {
	if mp < 0 || mp >= len(b.mps) {
		b.fail(mp, timing.AccessID{}, fmt.Sprintf("a multiprocessor below %d", len(b.mps)), "%d", mp)
		return
	}
	b.mps[mp].Resume(at)
}

// run runs a program of so many multiprocessors and returns when each of their blocks
// ended, and its place was free.
func (b *memoryBench) run(table *timing.Table, n int, seed uint64) ([][]timing.Cycle, error) {
	ends, left := make([][]timing.Cycle, n), 0
	r := rand.New(rand.NewPCG(seed, 5))
	for mp := range n {
		port := b.memory.Port(mp)
		if port == nil {
			return nil, fmt.Errorf("warptest: TestMemory: no port %d of %d", mp, n)
		}
		m, err := timing.New(table, timing.Config{Memory: &benchPort{memoryBench: b, mp: mp, port: port}})
		if err != nil {
			return nil, err
		}
		b.mps = append(b.mps, m)
		b.open, b.since = append(b.open, map[timing.AccessID]timing.Cycle{}), append(b.since, map[timing.AccessID]timing.Cycle{})
		for range 1 + r.IntN(2) {
			warps := 1 + r.IntN(6)
			block, err := m.StartBlock(warps)
			if err != nil {
				return nil, err
			}
			left++
			for w := range warps {
				recs, lines := accesses(r)
				m.Feed(block, w, recs, nil, lines)
				m.End(block, w)
			}
		}
	}
	answered := timing.Cycle(0) // when something has happened for the last time
	for left > 0 {
		to := b.now + 1
		if b.hops {
			to = min(b.advance(b.now)+1, b.now+patience/4)
			for _, m := range b.mps {
				to = min(to, max(b.now, m.NextEvent())+1)
			}
		}
		b.advance(to)
		for mp, m := range b.mps {
			before := m.Totals().Instructions
			for b.err == nil {
				st, err := m.Run(to)
				if err != nil {
					return nil, err
				}
				if st.State != timing.BlockEnded {
					break
				}
				_, end := m.Block(st.Block)
				ends[mp] = append(ends[mp], end, m.Free(st.Block))
				left--
			}
			if m.Totals().Instructions > before {
				answered = to
			}
		}
		if b.now = to; b.err != nil {
			return nil, b.err
		}
		if left > 0 && b.now-answered > patience {
			return nil, b.stuck()
		}
	}
	for range 2 { // nothing comes behind the end
		b.now += patience
		b.advance(b.now)
	}
	return ends, b.err
}

// advance lets the memory go on, and returns what it says of the next cycle.
func (b *memoryBench) advance(to timing.Cycle) timing.Cycle {
	next := b.memory.Advance(to, b.complete, b.resume)
	if next < to && b.err == nil {
		b.err = &MismatchError{"what Advance returns", -1, fmt.Sprintf("a cycle from %d on", to), fmt.Sprint(next)}
	}
	return max(next, to)
}

// stuck says what the memory has not answered.
func (b *memoryBench) stuck() error {
	want, ids := "an answer", b.open
	for range 2 {
		for mp, open := range ids {
			for id, at := range open {
				b.fail(mp, id, want, "none since cycle %d", at)
				return b.err
			}
		}
		want, ids = "asked again, at Accepted or by resume", b.since
	}
	return &MismatchError{"all multiprocessors", -1, "an end", fmt.Sprintf("none at cycle %d", b.now)}
}

// accesses returns a program of loads, stores and atomics, some of which wait for others.
func accesses(r *rand.Rand) (recs []isa.Instr, lines []isa.Line) {
	ops := []isa.Op{isa.LoadGlobal, isa.LoadGlobal, isa.LoadGlobal, isa.StoreGlobal, isa.AtomicGlobal, isa.ReduceGlobal}
	for range 4 + r.IntN(24) {
		in := isa.Instr{Op: ops[r.IntN(len(ops))], Active: 32, A: isa.RowPair(20), Aux: isa.MemAux(4, r.IntN(2)), Count: uint16(1 + r.IntN(8))}
		switch in.Op {
		case isa.LoadGlobal, isa.AtomicGlobal:
			in.Dst = isa.Row(r.IntN(8))
		}
		if in.Op != isa.LoadGlobal {
			in.B = isa.Row(r.IntN(8))
		}
		recs = append(recs, in)
		n := 1 + r.IntN(4)
		for range n {
			sectors := uint8(1 + r.IntN(15))
			lines = append(lines, isa.MakeLine(uint64(r.IntN(64)), sectors, 1, 1, 0))
		}
		lines[len(lines)-1] = lines[len(lines)-1].End()
		if r.IntN(3) == 0 {
			recs = append(recs, isa.Instr{Op: isa.FAdd, Active: 32, Dst: isa.Row(9), A: isa.Row(r.IntN(8)), B: isa.Row(9)})
		}
	}
	return recs, lines
}
