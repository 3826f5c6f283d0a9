package timing

import "example.com/warpsim/warp/isa"

const (
	pairs   = isa.Reg(1 << 15)
	regMask = regSpace - 1
	// firstGuard is the register before predicate 0: adding Instr.Guard gives
	// the predicate.
	firstGuard isa.Reg = isa.MaxRows
)

// head finds out when the warp's next instruction can be issued, and accounts
// for the waiting until then.
func (m *Multiprocessor) head(w *warp) {
	in := &w.recs[w.next]
	m.ready(w, in, &m.ops[in.Op])
}

// ready is head for an instruction that has been looked up.
func (m *Multiprocessor) ready(w *warp, in *isa.Instr, info *opInfo) {
	if info.kind == missing {
		m.refuse(in.Op)
		return
	}

	if in.Guard&isa.Coded != 0 {
		m.readyCoded(w, in, info)
		return
	}
	// Register 0 is none and always ready.
	bypass := &m.bypass[info.reader&(readers-1)]
	r := &w.regs[m.places[in.A&regMask]]
	dep, origin := r.ready+Cycle(bypass[uint8(r.origin)]), r.origin
	if in.B != isa.NoReg {
		r = &w.regs[m.places[in.B&regMask]]
		if t := r.ready + Cycle(bypass[uint8(r.origin)]); t > dep {
			dep, origin = t, r.origin
		}
	}
	if in.C != isa.NoReg {
		r = &w.regs[m.places[in.C&regMask]]
		if t := r.ready + Cycle(bypass[uint8(r.origin)]); t > dep {
			dep, origin = t, r.origin
		}
	}
	r = &w.regs[m.places[in.Dst&regMask]]
	if t := r.ready + Cycle(info.overwrite)&m.fixed[uint8(r.origin)]; t > dep {
		dep, origin = t, r.origin
	}
	if in.Guard != 0 {
		r = &w.regs[m.places[(firstGuard+isa.Reg(in.Guard))&regMask]]
		if t := r.ready + Cycle(m.bypass[issueStage][uint8(r.origin)]); t > dep {
			dep, origin = t, r.origin
		}
	}
	at := w.at
	if in.Dst2|(in.A|in.B|in.C|in.Dst)&pairs != 0 || info.awkward && (in.Aux&wide != 0 || info.settle > 0) || w.pending || w.release > at {
		m.readyAny(w, in, info, dep, origin)
		return
	}
	if w.pace > at {
		w.cycles[Control] += w.pace - at
		at = w.pace
	}
	if dep > at {
		if dep >= Never {
			w.at = at
			w.await()
			return
		}
		if origin > 0xff {
			m.readyLate(w, in, info, at, dep, origin)
			return
		}
		w.cycles[m.reason[uint8(origin)]] += dep - at
		at = dep
	}
	if info.gap > 0 && w.gapPipe == info.pipe && w.gap > at {
		w.cycles[PipeBusy] += w.gap - at
		at = w.gap
	}
	w.at = at
	w.state, w.odd = running, false
	w.queue(info, at, m.need(in))
}

// refuse stops the run at an op that the profile has no number for.
func (m *Multiprocessor) refuse(op isa.Op) {
	m.err = field("timing.ops."+op.String(), op, "the device has no such instruction, or its profile no number for it")
	m.stop = true
}

// readyLate is the rest of ready if the port or conflicts had to do with the
// wait.
func (m *Multiprocessor) readyLate(w *warp, in *isa.Instr, info *opInfo, at, dep Cycle, origin uint64) {
	at = m.late(&w.cycles, at, dep, origin)
	at = w.cycles.take(m.reason[uint8(origin)], at, dep)
	if info.gap > 0 && w.gapPipe == info.pipe {
		at = w.cycles.take(PipeBusy, at, w.gap)
	}
	w.at = at
	w.state, w.odd = running, false
	w.queue(info, at, m.need(in))
}

// readyAny is the rest of ready for instructions with many operands, and behind
// barriers.
func (m *Multiprocessor) readyAny(w *warp, in *isa.Instr, info *opInfo, dep Cycle, origin uint64) {
	dep, origin = m.moreOperands(w, in, info, dep, origin)
	m.place(w, in, info, dep, origin)
}

// place is the rest of readyAny, once it is known when the operands are ready.
func (m *Multiprocessor) place(w *warp, in *isa.Instr, info *opInfo, dep Cycle, origin uint64) {
	t := max(w.at, w.pace, dep)
	if info.gap > 0 && w.gapPipe == info.pipe {
		t = max(t, w.gap)
	}
	if (dep >= Never || w.fenced) && !w.pending {
		w.await()
		return
	}
	w.state, w.odd = running, false
	// An instruction in the shadow does not wait for the barrier, whether that is
	// known to be complete or not.
	shadowed := !info.blocked && max(t, m.now) < w.shadow
	switch {
	case !w.pending && t >= w.release:
	case shadowed:
		w.odd = true // before the barrier blocks
	case w.pending:
		w.state = waiting
		t = Never
	default:
		t = max(t, w.release)
	}
	if t < Never {
		at := w.cycles.take(Control, w.at, min(w.pace, t))
		if !shadowed {
			at = w.cycles.take(Barrier, at, min(w.release, t))
		}
		if dep > at {
			if origin > 0xff {
				at = m.late(&w.cycles, at, dep, origin)
			}
			at = w.cycles.take(m.reason[uint8(origin)], at, dep)
		}
		w.at = w.cycles.take(PipeBusy, at, t)
	}
	w.queue(info, t, m.needAny(in))
}

// late accounts for the part of a wait that a result was late because of its
// port or of conflicts.
func (m *Multiprocessor) late(c *perReason, at, dep Cycle, origin uint64) Cycle {
	at = c.take(BankConflict, at, min(dep, at+Cycle(origin>>36)))
	return c.take(PortBusy, at, min(dep, at+Cycle(origin>>8&(1<<28-1))))
}

// take gives the cycles between from and to to the reason, and returns where
// that got to.
func (c *perReason) take(r Reason, from, to Cycle) Cycle {
	if to <= from {
		return from
	}
	c[r] += to - from
	return to
}

// moreOperands looks at what few instructions have: a second destination, the
// further rows of pairs and of memory instructions with more than 4 bytes a
// lane, and results that have to settle.
func (m *Multiprocessor) moreOperands(w *warp, in *isa.Instr, info *opInfo, dep Cycle, origin uint64) (Cycle, uint64) {
	bypass := &m.bypass[info.reader&(readers-1)]
	dst, data := in.Rows()
	read := func(g isa.Reg, n int) {
		for k := 1; k < n; k++ {
			r := m.register(w, g+isa.Reg(k))
			if t := r.ready + Cycle(bypass[uint8(r.origin)]); t > dep {
				dep, origin = t, r.origin
			}
		}
	}
	write := func(g isa.Reg) {
		r := m.register(w, g)
		if t := r.ready + Cycle(info.overwrite)&m.fixed[uint8(r.origin)]; t > dep {
			dep, origin = t, r.origin
		}
	}
	read(in.A, rowsOf(in.A))
	read(in.B, max(rowsOf(in.B), data))
	read(in.C, rowsOf(in.C))
	for k := 1; k < max(rowsOf(in.Dst), dst); k++ {
		write(in.Dst + isa.Reg(k))
	}
	write(in.Dst2)
	if t := w.settled + Cycle(info.settle); info.settle > 0 && t > dep {
		dep, origin = t, 0
	}
	return dep, origin
}

func rowsOf(r isa.Reg) int {
	if r.IsPair() {
		return 2
	}
	return 1
}
