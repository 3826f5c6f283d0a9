package timing

import "example.com/warpsim/warp/isa"

// What a MemoryPort may answer instead of a time.
const (
	// Later: it is not known yet when the access will be complete.
	Later = Never
	// Refused: not now. The access has not been taken and is asked for again.
	Refused = Never + 1
)

// A MemoryPort serves the accesses to global memory of one multiprocessor. Access is
// called as the load/store unit hands an instruction on, once for each that touches
// anything, in the order of issue. It answers in one of three ways:
//
//   - with the cycle, a.At at the earliest, from which the result can be read, or at
//     which an access without a result is through;
//   - Later, and then calls Multiprocessor.Complete, once, between two calls of Run.
//     The place of a block is not free before all its accesses are complete, or sent
//     (see Completion);
//   - Refused: the access has not been taken, and the pipe of that sub-partition hands
//     nothing on meanwhile. It is asked for again, or another warp's before it, at
//     a.Accepted, at the next cycle if that is not later than a.At, and after
//     Multiprocessor.Resume if it is Never.
//
// An answer before a.At is an *AccessError, which the present Run returns. Answers
// change when things happen and never what a kernel computes: that has been done when
// its records are fed.
type MemoryPort interface {
	Access(a *Access) Cycle
}

// An AccessID says which access one is: instruction Index, from 0, of a warp of a block.
type AccessID struct {
	Block, Warp int
	Index       int64
}

// An Access is one instruction on global memory.
type Access struct {
	ID    AccessID
	Op    isa.Op
	Lines []isa.Line // at least one; only valid during the call
	Bytes int        // a lane
	Lanes int        // that take part
	Past  bool       // goes past the first level
	Float bool       // an atomic on floating-point numbers
	At    Cycle      // from the start of the run
	// Token is a small number that no other access under way has: an index for tables
	// of the memory's.
	Token int
	// Accepted is from when on the unit of this sub-partition can hand on the
	// next one; the Memory may set it later than At.
	Accepted Cycle
}

// flights are the accesses that have not come back, by token.
type flights struct {
	list    []flight
	unused  []int32
	open    int
	request Access `frozen:"-"`
}

type flight struct {
	index int64 // in its warp's program
	next  int32 // of the warp's accesses under way, by number and one more
	n     int32 // registers from dst on
	dst   isa.Reg
	dst2  isa.Reg // likewise a second one
	op    isa.Op
	// board is the scoreboard that waits for it, scoreboards or more if none does.
	board  uint8
	posted bool // nobody waits for it but the place of the block
	sent   bool // not even that, see Completion
	gone   bool // it has left the multiprocessor
	orphan bool // its block has ended
}

// A board is a scoreboard that waits for accesses whose time is not known.
type board struct {
	flying int
	latest Cycle // of those that have come back meanwhile
}

func (f *flights) reset() {
	f.list, f.unused, f.open = f.list[:0], f.unused[:0], 0
}

// An answer is what the memory has said of the access that is about to be issued.
type answer struct {
	asked bool
	ready Cycle
}

// ask asks the memory for the access of an instruction that is about to be issued, and
// reports whether it has taken it.
func (m *Multiprocessor) ask(s *sub, w *warp, in *isa.Instr, info *opInfo, t Cycle) bool {
	m.recall.lose()
	m.answer = answer{}
	n := 0
	if in.Count > 0 {
		for n < len(w.lines) && !w.lines[n].Last() {
			n++
		}
	}
	if in.Count == 0 || n == len(w.lines) {
		return true // nothing is touched
	}
	pipe := info.pipe & 15
	start := max(t, s.busy[pipe])
	if cycles := m.portTime(w, in, info); cycles > 0 {
		p := m.ports[info.port&(maxPorts-1)] // to look only
		start = p.reserve(start, cycles, t)
	}
	f := &m.flights
	a := &f.request
	*a = Access{
		ID: AccessID{int(w.block), int(w.index), w.before + int64(w.next)},
		Op: in.Op, Lines: w.lines[:n+1], Bytes: in.MemBytes(), Lanes: int(in.Active), Past: in.MemLevel() > isa.LevelL1,
		Float: in.Aux&isa.AuxFloat != 0, At: start - m.base, Accepted: start - m.base, Token: len(f.list),
	}
	if k := len(f.unused); k > 0 {
		a.Token = int(f.unused[k-1])
	}
	ready := m.memory.Access(a)
	if ready == Refused {
		again := max(t+1, a.Accepted+m.base)
		if a.Accepted >= Never {
			again, m.refused = Never, true
		} else {
			again += m.behind(s.index, pipe)
		}
		s.free[pipe] = max(s.free[pipe], again)
		return false
	}
	if ready < a.At {
		m.err = &AccessError{AccessInPast, a.ID, ready, a.At}
		m.stop = true
		return false
	}
	w.lines = w.lines[n+1:]
	m.answer = answer{true, ready}
	m.served = s.index
	return true
}

// behind is how many sub-partitions that wait with a pipe ask before one does after a
// refusal: they take turns, from behind the one that was served last.
func (m *Multiprocessor) behind(sub int, pipe uint8) (n Cycle) {
	for i := m.nextSub(m.served); i != sub; i = m.nextSub(i) {
		if m.subs[i].free[pipe] > m.now {
			n++
		}
	}
	return n
}

func (m *Multiprocessor) nextSub(i int) int { return (i + 1) % len(m.subs) }

// portTime is for how long an access takes its port.
func (m *Multiprocessor) portTime(w *warp, in *isa.Instr, info *opInfo) Cycle {
	cycles := Cycle(info.portCycles)
	switch {
	case !info.variable:
		return 0
	case in.Active == 0 && in.Guard != 0:
		if !w.coded {
			return 0
		}
	case info.scaled && (in.Count > 1 || info.byOperand && in.B != isa.NoReg || in.Aux&wide != 0):
		_, _, cycles, _, _ = m.scale(in, info, 0, 0, cycles)
	}
	return cycles
}

// request books the access that ask has asked for, and returns when its result is
// ready.
func (m *Multiprocessor) request(s *sub, w *warp, in *isa.Instr, info *opInfo, start Cycle) Cycle {
	if !m.answer.asked {
		return start + m.levels[0].latency // nothing is touched
	}
	f := &m.flights
	a := &f.request
	if t := a.Accepted + m.base; t > s.busy[info.pipe&15] {
		s.busy[info.pipe&15] = t
		s.free[info.pipe&15] = t - Cycle(info.queue)
	}
	b := &m.blocks[w.block]
	waits := in.Op == isa.LoadGlobal || in.Op == isa.AtomicGlobal
	if ready := m.answer.ready; ready < Later {
		if !waits {
			b.through = max(b.through, ready+m.base)
			w.through = max(w.through, ready+m.base)
			w.left = max(w.left, ready+m.base)
			return start
		}
		return ready + m.base
	}
	if k := len(f.unused); k > 0 {
		f.unused = f.unused[:k-1]
	} else {
		f.list = append(f.list, flight{})
	}
	dst, _ := in.Rows()
	x := &f.list[a.Token]
	*x = flight{index: a.ID.Index, dst: in.Dst & regMask, dst2: in.Dst2 & regMask, op: in.Op, n: int32(max(dst, rowsOf(in.Dst))), board: scoreboards, posted: !waits}
	number := int32(a.Token) + 1
	if w.flying[1] == 0 {
		w.flying[0] = number
	} else {
		f.list[w.flying[1]-1].next = number
	}
	w.flying[1] = number
	f.open++
	b.flying++
	if !waits {
		w.posted++
	}
	m.stop = m.horizon < Never // see RunLocal
	if k := w.code >> 4 & 7; waits && w.coded && k < scoreboards {
		x.board = uint8(k)
		w.boards[k].flying++
		return Never
	}
	if in.Dst == isa.NoReg || !waits {
		return start // nobody waits but the place of the block
	}
	return Never
}

// through is when the access that has just been issued is complete, of which ready is
// what readers wait for: Never if that is not known.
func (m *Multiprocessor) through(ready Cycle) Cycle {
	if m.memory == nil || !m.answer.asked {
		return ready
	}
	return min(m.answer.ready+m.base, Never)
}

// Resume lets the memory be asked again by pipes that wait since it has refused an
// access with Accepted set to Never: from a cycle on, now if that is past.
func (m *Multiprocessor) Resume(at Cycle) {
	if !m.refused {
		return
	}
	m.refused, m.quiet = false, 0
	m.recall.lose()
	at = max(at+m.base, m.now)
	var before [len(sub{}.free)]Cycle // those that wait ask one after the other
	for k, i := 0, m.nextSub(m.served); k < len(m.subs); k, i = k+1, m.nextSub(i) {
		s := &m.subs[i]
		for p := range s.free {
			if s.free[p] >= Never {
				s.free[p], s.stale = at+before[p], true
				before[p]++
			}
		}
	}
}

// Complete says when the access of instruction index of a warp has its result, or is
// through. It is an *AccessError, and changes nothing, if no such access is under way or
// if time has gone past that cycle.
func (m *Multiprocessor) Complete(block, warp int, index int64, at Cycle) error {
	id := AccessID{block, warp, index}
	if block < 0 || block >= len(m.blocks) || !m.blocks[block].resident || warp < 0 || warp >= len(m.blocks[block].warps) {
		return &AccessError{AccessUnknown, id, at, m.Now()}
	}
	b := &m.blocks[block]
	w := b.warps[warp]
	f := &m.flights
	before, number := m.underWay(w, index)
	if number == 0 {
		return m.unknown(w, id, at)
	}
	ready := at + m.base
	if ready < m.now {
		return &AccessError{AccessInPast, id, at, m.Now()}
	}
	m.quiet = 0
	x := &f.list[number-1]
	if before == 0 {
		w.flying[0] = x.next
	} else {
		f.list[before-1].next = x.next
	}
	if w.flying[1] == number {
		w.flying[1] = before
	}
	f.unused = append(f.unused, number-1)
	f.open--
	if !x.sent {
		b.flying--
	}
	m.later(Completed, w, index, ready, isa.Instr{Op: x.op, Dst: x.dst})
	if x.posted {
		if !x.sent {
			b.through = max(b.through, ready)
		}
		w.through = max(w.through, ready)
		if !x.gone {
			w.left = max(w.left, ready)
		}
		if w.posted--; w.posted == 0 && w.fenced {
			w.fenced, w.release = false, 0
			m.fenceFree = max(m.fenceFree, w.through) + w.fence.after
			w.at = w.cycles.take(Memory, w.at, max(w.fence.latency, m.fenceFree))
			switch {
			case w.state == blocked && w.recs == nil: // see leave
				m.leave(w)
				return nil
			case w.state == blocked:
				m.head(w)
				w.sub.stale = true
			}
		}
		if b.running == 0 && b.flying == 0 {
			m.leaveBlock(int(w.block))
		}
		return nil
	}
	w.drain = max(w.drain, ready)
	if x.dst != isa.NoReg {
		for k := range isa.Reg(x.n) {
			if d := (x.dst + k) & regMask; d != isa.NoReg {
				m.setRegister(w, d, result{ready, uint64(x.op)})
			}
		}
	}
	if x.dst2 != isa.NoReg {
		m.setRegister(w, x.dst2, result{ready + Cycle(m.ops[x.op].predicate), uint64(x.op)})
	}
	if x.board < scoreboards {
		k := &w.boards[x.board]
		k.flying--
		if k.latest = max(k.latest, ready); k.flying == 0 {
			m.setRegister(w, firstScoreboard+isa.Reg(x.board), result{k.latest, uint64(x.op)})
			k.latest = 0
		}
	}
	switch {
	case w.state == blocked:
		m.head(w)
		w.sub.stale = true
	case b.running == 0 && b.flying == 0:
		m.leaveBlock(int(w.block))
	}
	return nil
}

// underWay returns which of a warp's accesses under way is that of an instruction, by number
// and one more, and the one before; 0 for none.
func (m *Multiprocessor) underWay(w *warp, index int64) (before, number int32) {
	number = w.flying[0]
	for number > 0 && m.flights.list[number-1].index != index {
		before, number = number, m.flights.list[number-1].next
	}
	return before, number
}

// unknown is the error of an answer to an access that is not under way.
func (m *Multiprocessor) unknown(w *warp, id AccessID, at Cycle) error {
	kind := AccessUnknown
	if id.Index >= 0 && id.Index < w.before+int64(w.next) {
		kind = AccessAnswered
	}
	return &AccessError{kind, id, at, m.Now()}
}

// sent notes that a store or reduction has left the multiprocessor, and whether the place of
// its block waits for it all the same.
func (m *Multiprocessor) sent(id AccessID, at Cycle, holds bool) error {
	if id.Block < 0 || id.Block >= len(m.blocks) || !m.blocks[id.Block].resident || id.Warp < 0 || id.Warp >= len(m.blocks[id.Block].warps) {
		return &AccessError{AccessUnknown, id, at, m.Now()}
	}
	b := &m.blocks[id.Block]
	w := b.warps[id.Warp]
	_, number := m.underWay(w, id.Index)
	if number == 0 {
		return m.unknown(w, id, at)
	}
	x := &m.flights.list[number-1]
	if !x.posted || x.gone {
		return &AccessError{AccessAnswered, id, at, m.Now()}
	}
	m.quiet = 0
	x.gone = true
	w.left = max(w.left, at+m.base)
	if holds {
		return nil
	}
	x.sent = true
	b.flying--
	b.through = max(b.through, at+m.base)
	if b.running == 0 && b.flying == 0 {
		m.leaveBlock(id.Block)
	}
	return nil
}

// fence holds the warp until what it has stored is through, and a request has gone
// there and back.
func (m *Multiprocessor) fence(w *warp, in *isa.Instr) {
	c := m.fences[min(in.Aux, isa.FenceSystem)]
	if m.memory == nil || c == (fenceCost{}) {
		return
	}
	m.recall.lose()
	if w.posted > 0 {
		w.fence, w.fenced = fenceCost{w.prev + c.latency, c.after}, true
		w.release = Never // see place
		return
	}
	w.at = w.cycles.take(Memory, w.at, w.prev+c.latency)
}

// leaveBlock ends a block all of whose warps have ended, and whose accesses are
// through.
func (m *Multiprocessor) leaveBlock(id int) {
	b := &m.blocks[id]
	for _, w := range b.warps {
		b.end = max(b.end, w.drain)
		for number := w.flying[0]; number > 0; number = m.flights.list[number-1].next {
			m.flights.list[number-1].orphan = true
		}
		w.flying = [2]int32{}
	}
	m.ending = append(m.ending, ending{max(b.end, b.through), id})
}

// Free returns when the place of a block that has ended became free: at its end,
// or when the last of its stores and reductions was through.
func (m *Multiprocessor) Free(id int) Cycle {
	if id < 0 || id >= len(m.blocks) {
		return 0
	}
	b := &m.blocks[id]
	return max(b.end, b.through) - m.base
}

// await lets the warp wait for a result whose time is not known.
func (w *warp) await() {
	w.state, w.odd = blocked, false
	w.put(Never, absent)
}

// Flying returns how many accesses have not come back.
func (m *Multiprocessor) Flying() int { return m.flights.open }

// RunLocal is Run, but stops before an access to global memory is issued at or
// after the horizon: up to there what happens on other multiprocessors cannot be
// felt, provided that no access is under way.
func (m *Multiprocessor) RunLocal(limit, horizon Cycle) (Status, error) {
	m.horizon = horizon + m.base
	st, err := m.Run(limit)
	m.horizon = Never
	return st, err
}

// Skip moves the time on to a cycle before which nothing happens.
func (m *Multiprocessor) Skip(to Cycle) { m.now = max(m.now, to+m.base) }

// Release lets StartBlock use the number of a block that has ended for another
// one: what Block and BlockCycles tell of it is lost.
func (m *Multiprocessor) Release(block int) { m.vacated = append(m.vacated, block) }
