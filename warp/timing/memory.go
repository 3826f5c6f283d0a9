package timing

import "example.com/warpsim/warp/isa"

// Later is what a MemoryPort answers if it does not know yet when an access will be
// complete.
const Later = Never

// A MemoryPort serves the accesses to global memory of one multiprocessor. Access is
// called as the load/store unit hands an instruction on, in the order of time.
// It returns when the result is ready for a reader, or for one without a result
// when it is through, or Later, and then calls Multiprocessor.Complete with the
// token of the access between two calls of Run. It may set a.Accepted. The place
// of a block is not free before all its accesses are complete.
type MemoryPort interface {
	Access(a *Access) Cycle
}

// An Access is one instruction on global memory.
type Access struct {
	Op    isa.Op
	Lines []isa.Line // at least one; only valid during the call
	Bytes int        // a lane
	Past  bool       // goes past the first level
	Float bool       // an atomic on floating-point numbers
	At    Cycle      // from the start of the run
	Token int        // for Complete
	// Accepted is from when on the unit of this sub-partition can hand on the
	// next one; the Memory may set it later than At.
	Accepted Cycle
}

// flights are the accesses that have not come back, by token.
type flights struct {
	list    []flight
	unused  []int
	open    int
	request Access
}

type flight struct {
	w   *warp
	dst isa.Reg
	op  isa.Op
	n   int32 // registers from dst on
	// board is the scoreboard that waits for it, scoreboards or more if none does.
	board  uint8
	posted bool // nobody waits for it but the place of the block
}

// A board is a scoreboard that waits for accesses whose time is not known.
type board struct {
	flying int
	latest Cycle // of those that have come back meanwhile
}

func (f *flights) reset() {
	f.list, f.unused, f.open = f.list[:0], f.unused[:0], 0
}

// request asks the memory for one access.
func (m *Multiprocessor) request(s *sub, w *warp, in *isa.Instr, info *opInfo, start Cycle) Cycle {
	m.recall.lose()
	f := &m.flights
	n := 0
	if in.Count > 0 {
		for n < len(w.lines) && !w.lines[n].Last() {
			n++
		}
	}
	if in.Count == 0 || n == len(w.lines) {
		return start + m.levels[0].latency // nothing is touched
	}
	a := &f.request
	*a = Access{Op: in.Op, Lines: w.lines[:n+1], Bytes: in.MemBytes(), Past: in.MemLevel() > isa.LevelL1, Float: in.Aux&isa.AuxFloat != 0, At: start - m.base, Accepted: start - m.base}
	w.lines = w.lines[n+1:]
	b := &m.blocks[w.block]
	waits := in.Op == isa.LoadGlobal || in.Op == isa.AtomicGlobal
	if k := len(f.unused); k > 0 {
		a.Token, f.unused = f.unused[k-1], f.unused[:k-1]
	} else {
		a.Token = len(f.list)
		f.list = append(f.list, flight{})
	}
	dst, _ := in.Rows()
	f.list[a.Token] = flight{w, in.Dst & regMask, in.Op, int32(max(dst, rowsOf(in.Dst))), scoreboards, !waits}
	ready := m.memory.Access(a)
	if t := a.Accepted + m.base; t > s.busy[info.pipe&15] {
		s.busy[info.pipe&15] = t
		s.free[info.pipe&15] = t - Cycle(info.queue)
	}
	if ready < Later {
		f.unused = append(f.unused, a.Token)
		if !waits {
			b.through = max(b.through, ready+m.base)
			return start
		}
		return ready + m.base
	}
	f.open++
	b.flying++
	m.stop = m.horizon < Never // see RunLocal
	if k := w.code >> 4 & 7; waits && w.coded && k < scoreboards {
		f.list[a.Token].board = uint8(k)
		w.boards[k].flying++
		return Never
	}
	if in.Dst == isa.NoReg {
		return start // nobody waits but the place of the block
	}
	return Never
}

// Complete says when the access with the token has its result. Nothing may have
// happened after that yet. A token that no access under way has is ignored.
func (m *Multiprocessor) Complete(token int, ready Cycle) {
	f := &m.flights
	if token < 0 || token >= len(f.list) || f.list[token].w == nil {
		return
	}
	m.quiet = 0
	x := &f.list[token]
	w := x.w
	x.w = nil
	f.unused = append(f.unused, token)
	f.open--
	ready += m.base
	b := &m.blocks[w.block]
	b.flying--
	if x.posted {
		b.through = max(b.through, ready)
		if b.running == 0 && b.flying == 0 {
			m.leaveBlock(int(w.block))
		}
		return
	}
	w.drain = max(w.drain, ready)
	if x.dst != isa.NoReg {
		for k := range isa.Reg(x.n) {
			if d := (x.dst + k) & regMask; d != isa.NoReg {
				m.setRegister(w, d, result{ready, uint64(x.op)})
			}
		}
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
}

// leaveBlock ends a block all of whose warps have ended, and whose accesses are
// through.
func (m *Multiprocessor) leaveBlock(id int) {
	b := &m.blocks[id]
	for _, w := range b.warps {
		b.end = max(b.end, w.drain)
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
