package timing

import "example.com/warpsim/warp/isa"

// issue issues the warp's next instruction at cycle t. It does itself what most
// instructions need, without calls, and leaves the others to issueAny. It returns
// the sub-partition's next event.
func (m *Multiprocessor) issue(s *sub, w *warp, t Cycle) Cycle {
	recs, next := w.recs, w.next
	in := &recs[next]
	info := &m.ops[in.Op]
	pipe := info.pipe & 15
	start := max(t, s.busy[pipe])
	next++
	if !info.quick || in.Guard&isa.Coded != 0 || next >= len(recs) || in.Dst2|in.Dst&pairs != 0 || info.variable &&
		(in.Guard != 0 && in.Active == 0 ||
			info.scaled && (in.Count > 1 || info.byOperand && in.B != isa.NoReg || in.Aux&wide != 0) ||
			info.portCycles == 1 && !m.ports[info.port&(maxPorts-1)].quick(start, t)) {
		m.issueAny(s, w, in, info, t)
		return s.next
	}
	// Look up the next one early: it does not depend on anything here.
	in2 := &recs[next]
	info2 := &m.ops[in2.Op]
	if t > w.at {
		at := w.at
		if free := min(s.free[pipe], t); free > at {
			clash := min(s.clash[pipe], free-at)
			w.cycles[PipeBusy] += free - at - clash
			w.cycles[BankConflict] += clash
			at = free
		}
		w.cycles[NotSelected] += t - at
	}
	w.cycles[Issued]++
	if m.told {
		m.tell(s, w, in, t)
	}
	o := &m.byOp[in.Op]
	o.Count++
	o.Cycles += t - w.prev
	w.prev, w.at, w.next = t, t+1, next
	if info.next > 1 {
		w.pace = t + Cycle(info.next)
	}
	s.floor = t + 1
	s.last = s.pick
	if m.bankCount > 0 {
		m.read(s, in, info, t)
	}
	s.busy[pipe] = start + Cycle(info.interval)
	s.free[pipe] = start + Cycle(info.interval) - Cycle(info.queue)
	ready := start + Cycle(info.latency)
	origin := uint64(in.Op)
	told := ready
	if info.variable {
		if info.kind == shared {
			if w.turned {
				ready += Cycle(info.turnaround)
			}
			w.turned = in.Dst == isa.NoReg
		}
		told = ready
		if info.gap > 0 {
			w.gap, w.gapPipe = t+Cycle(info.gap), info.pipe
		}
		s.clash[pipe] = 0
		origin |= uint64(start-t) << 8
		if in.Dst != isa.NoReg {
			if info.lead > 0 {
				ready = m.land(s, w, in, ready, Cycle(info.lead))
			}
			w.drain = max(w.drain, ready)
		}
	} else if in.Dst != isa.NoReg {
		w.settled = max(w.settled, ready)
		if ready <= s.lastLanding {
			m.collide(s, w, in, ready)
		}
	}
	if m.told {
		m.publish(start, start+Cycle(info.interval), readyAt(in, told))
	}
	if in.Dst&regMask != isa.NoReg {
		m.setRegister(w, in.Dst, result{ready, origin})
	}
	m.ready(w, in2, info2)
	if len(s.heads) > 1 {
		m.choose(s)
		return s.next
	}
	// Alone in its sub-partition.
	s.next, s.pick = s.can(&s.heads[0], t+1), 0
	return s.next
}

// wide is set in Instr.Aux of memory instructions with more than 4 bytes a lane.
const wide = 8 | 16

// issueAny issues any instruction.
func (m *Multiprocessor) issueAny(s *sub, w *warp, in *isa.Instr, info *opInfo, t Cycle) {
	w.coded = in.Guard&isa.Coded != 0
	if w.coded {
		x := in.Uncoded()
		w.code, in = in.Dst2, &x
	}
	pipe := info.pipe & 15
	if t >= m.horizon && info.kind == global {
		m.stop = true // see RunLocal
		return
	}
	late := Cycle(0) // by which a constant is
	if in.Count > 0 && m.memory != nil && (in.Op == isa.LoadConst || in.Op == isa.UniformMov) {
		if late = m.constant(s, in, t); late > 0 && in.Op == isa.UniformMov {
			// Nothing would hold its reader up.
			w.pace = t + late
			m.head(w)
			m.choose(s)
			return
		}
	}
	if info.kind == global && m.memory != nil && !m.ask(s, w, in, info, t) {
		// It has had its turn: those that have waited for longer go first.
		if s.last == s.pick {
			w.stays, w.rank, s.last = false, t, -1
		}
		m.choose(s)
		return
	}
	if t > w.at {
		at := w.at
		if free := min(s.free[pipe], t); free > at {
			clash := min(s.clash[pipe], free-at)
			w.cycles[PipeBusy] += free - at - clash
			w.cycles[BankConflict] += clash
			at = free
		}
		w.cycles[NotSelected] += t - at
	}
	w.cycles[Issued]++
	if m.told {
		m.tell(s, w, in, t)
	}
	o := &m.byOp[in.Op]
	o.Count++
	o.Cycles += t - w.prev
	w.prev, w.at = t, t+1
	w.pace = t + Cycle(info.next)
	if w.coded {
		n := w.code & 15
		w.pace = t + max(1, Cycle(n))
		w.stays = !yields(n, info)
	}
	s.floor = t + 1
	s.last = s.pick
	if m.bankCount > 0 {
		m.read(s, in, info, t)
	}

	latency, interval := Cycle(info.latency), Cycle(info.interval)
	start := max(t, s.busy[pipe])
	if !info.variable {
		if info.scaled && in.Count > 1 {
			interval = max(interval, m.scales[in.Op].countCycles*Cycle(in.Count))
		}
		s.busy[pipe] = start + interval
		s.free[pipe] = start + interval - Cycle(info.queue)
		if m.told {
			m.publish(start, start+interval, readyAt(in, start+latency))
		}
		if info.special {
			m.special(s, w, in, info, start, latency)
			return
		}
		if w.coded {
			m.signal(w, start+latency, start+Cycle(info.release), uint64(in.Op))
		}
		if in.Dst|in.Dst2 != isa.NoReg {
			ready := start + latency
			w.settled = max(w.settled, ready)
			m.write(w, in, info, result{ready, uint64(in.Op)})
			if ready <= s.lastLanding {
				m.collide(s, w, in, ready)
			}
		}
	} else {
		var conflict, clash Cycle // in the latency, in the interval
		cycles := Cycle(info.portCycles)
		if info.scaled && (in.Count > 1 || info.byOperand && in.B != isa.NoReg || in.Aux&wide != 0) {
			latency, interval, cycles, clash, conflict = m.scale(in, info, latency, interval, cycles)
		}
		if info.kind == shared {
			if w.turned {
				latency += Cycle(info.turnaround)
			}
			w.turned = in.Dst == isa.NoReg
		}
		if info.gap > 0 {
			w.gap, w.gapPipe = t+Cycle(info.gap), info.pipe
		}
		latency += late
		if in.Active == 0 && in.Guard != 0 && info.kind < arrive {
			// It goes its way, but no lane takes part. What follows a schedule shows
			// that it takes a pass as any other.
			latency, cycles, interval, conflict, clash = Cycle(info.latency), 0, 1, 0, 0
			if w.coded {
				cycles, interval = Cycle(info.portCycles), Cycle(info.interval)
			}
		}
		if cycles > 0 {
			start = m.ports[info.port&(maxPorts-1)].reserve(start, cycles, t)
		}
		s.busy[pipe] = start + interval
		s.free[pipe] = start + interval - Cycle(info.queue)
		s.clash[pipe] = clash
		if m.told {
			ready := Cycle(0)
			if info.kind != global {
				ready = readyAt(in, start+latency)
			}
			m.publish(start, start+interval, ready)
		}
		if info.special {
			m.special(s, w, in, info, start, latency)
			return
		}
		if info.predicate > 0 && in.Aux == 1 && w.coded {
			latency += Cycle(info.predicate)
		}
		if w.coded && in.Dst|in.Dst2 == isa.NoReg {
			m.signal(w, start+latency, start+Cycle(info.release), uint64(in.Op))
		}
		if in.Dst|in.Dst2 != isa.NoReg {
			ready := start + latency
			if info.lead > 0 {
				ready = m.land(s, w, in, ready, Cycle(info.lead))
			}
			w.drain = max(w.drain, ready)
			origin := uint64(in.Op) | uint64(start-t)<<8 | uint64(conflict)<<36
			if w.coded {
				m.signal(w, ready, start+Cycle(info.release), origin)
			}
			m.write(w, in, info, result{ready, origin})
		}
	}
	m.advance(w)
	m.choose(s)
}

// stall is the distance that the instruction at issue asks for, 0 if it has no code.
func (w *warp) stall() Cycle {
	if !w.coded {
		return 0
	}
	return Cycle(w.code & 15)
}

// write is a result for the registers that an instruction writes.
func (m *Multiprocessor) write(w *warp, in *isa.Instr, info *opInfo, x result) {
	d := in.Dst & regMask
	if d != isa.NoReg {
		m.setRegister(w, d, x)
	}
	if in.Dst2 != isa.NoReg || in.Dst&pairs != 0 || info.awkward {
		m.writeRows(w, in, info, x)
	}
}

func (m *Multiprocessor) writeRows(w *warp, in *isa.Instr, info *opInfo, x result) {
	if d := in.Dst2 & regMask; d != isa.NoReg {
		second := x
		if info.predicate > 0 {
			second.ready += Cycle(info.predicate)
			w.drain = max(w.drain, second.ready)
		}
		m.setRegister(w, d, second)
	}
	if in.Dst == isa.NoReg {
		return
	}
	dst, _ := in.Rows()
	for k := 1; k < max(rowsOf(in.Dst), dst); k++ {
		if d := (in.Dst + isa.Reg(k)) & regMask; d != isa.NoReg {
			m.setRegister(w, d, x)
		}
	}
}

// special is the rest of what issuing memory instructions, branches and
// barriers does.
func (m *Multiprocessor) special(s *sub, w *warp, in *isa.Instr, info *opInfo, start, latency Cycle) {
	switch info.kind {
	case global:
		var ready Cycle
		if m.memory != nil {
			ready = m.request(s, w, in, info, start)
		} else {
			ready = m.access(in, start, latency)
		}
		if at := m.through(ready); at < Never {
			m.later(Completed, w, w.before+int64(w.next), at, isa.Instr{Op: in.Op, Dst: in.Dst})
		}
		if ready < Never {
			w.drain = max(w.drain, ready)
		}
		if w.coded {
			m.signal(w, ready, start+Cycle(info.release), uint64(in.Op))
		}
		m.write(w, in, info, result{ready, uint64(in.Op)})
	case fence:
		m.fence(w, in)
	case branch:
		w.pace = max(w.prev+m.branches[min(in.Aux, isa.BranchDivergent)], w.prev+w.stall())
	case arrive, wait, reduce:
		m.arrive(w, in, info, w.prev)
	}
	m.advance(w)
	m.choose(s)
}

// scale is what the record adds to the costs of its op.
func (m *Multiprocessor) scale(in *isa.Instr, info *opInfo, latency, interval, port Cycle) (_, _, _, clash, conflict Cycle) {
	sc := &m.scales[in.Op]
	words := Cycle(1)
	if info.kind == shared || info.kind == global {
		words = max(1, Cycle(in.MemBytes()+3)/4)
	}
	n := Cycle(max(in.Count, 1))
	latency += sc.countLatency*(n-1) + sc.wordLatency*(words-1)
	interval += sc.wordBeats * (words - 1)
	if in.B != isa.NoReg {
		latency += sc.operandLatency
		interval += sc.operandBeats
	}
	calm := interval
	interval = max(interval, sc.countCycles*n)
	port = max(port, sc.countPorts*n)
	if info.kind != shared {
		return latency, interval, port, 0, 0
	}
	extra := max(0, n-words) // wide words need their passes
	return latency, interval, port, interval - calm, sc.countLatency * extra
}

// access is one instruction on global memory: it waits for the way from the
// level that serves it and occupies that for each of its sectors.
func (m *Multiprocessor) access(in *isa.Instr, start, extra Cycle) Cycle {
	i := min(in.MemLevel(), len(m.levelFree)-1)
	l := &m.levels[i]
	begin := max(start*fraction, m.levelFree[i])
	sectors := Cycle(max(in.Count, 1))
	m.levelFree[i] = begin + sectors*l.sector
	return (begin+(sectors-1)*l.sector)/fraction + l.latency + extra
}
