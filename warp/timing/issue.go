package timing

import "example.com/warpsim/warp/isa"

const (
	pairs   = isa.Reg(1 << 15)
	regMask = regSpace - 1
	// firstGuard is the register before predicate 0: adding Instr.Guard gives
	// the predicate.
	firstGuard isa.Reg = isa.MaxRows
)

// operands finds out when the operands of the warp's next instruction are ready
// and which of them comes last: time << regBits | register.
func (m *Multiprocessor) operands(w *warp, in *isa.Instr, info *opInfo) Cycle {
	bypass := &m.table.bypass
	reader := info.reader & (readers - 1)

	// Register 0 is none and always ready.
	a, b, c := Cycle(in.A&regMask), Cycle(in.B&regMask), Cycle(in.C&regMask)
	x := w.regs[a]
	dep := (Cycle(x>>8)+Cycle(bypass[uint8(x)][reader]))<<regBits | a
	x = w.regs[b]
	dep = max(dep, (Cycle(x>>8)+Cycle(bypass[uint8(x)][reader]))<<regBits|b)
	x = w.regs[c]
	dep = max(dep, (Cycle(x>>8)+Cycle(bypass[uint8(x)][reader]))<<regBits|c)
	d := Cycle(in.Dst & regMask)
	x = w.regs[d]
	dep = max(dep, (Cycle(x>>8)+Cycle(info.overwrite)&m.table.fixed[uint8(x)])<<regBits|d)
	if in.Guard != 0 {
		g := Cycle((firstGuard + isa.Reg(in.Guard)) & regMask)
		x = w.regs[g]
		dep = max(dep, (Cycle(x>>8)+Cycle(bypass[uint8(x)][issueStage]))<<regBits|g)
	}
	if in.Dst2 != isa.NoReg {
		d := Cycle(in.Dst2 & regMask)
		x = w.regs[d]
		dep = max(dep, (Cycle(x>>8)+Cycle(info.overwrite)&m.table.fixed[uint8(x)])<<regBits|d)
	}
	if info.settle > 0 {
		dep = max(dep, (w.settled+Cycle(info.settle))<<regBits)
	}
	if (in.A|in.B|in.C|in.Dst)&pairs != 0 || info.blocked {
		dep = m.moreOperands(w, in, info, dep)
	}
	return dep
}

// moreOperands adds the further rows of pairs and of memory instructions with
// more than 4 bytes a lane.
func (m *Multiprocessor) moreOperands(w *warp, in *isa.Instr, info *opInfo, dep Cycle) Cycle {
	reader := info.reader & (readers - 1)
	dst, data := rows(in)
	read := func(r isa.Reg, n int) {
		for k := 1; k < n; k++ {
			g := Cycle((r + isa.Reg(k)) & regMask)
			x := w.regs[g]
			dep = max(dep, (Cycle(x>>8)+Cycle(m.table.bypass[uint8(x)][reader]))<<regBits|g)
		}
	}
	read(in.A, rowsOf(in.A))
	read(in.B, max(rowsOf(in.B), data))
	read(in.C, rowsOf(in.C))
	for k := 1; k < max(rowsOf(in.Dst), dst); k++ {
		g := Cycle((in.Dst + isa.Reg(k)) & regMask)
		x := w.regs[g]
		dep = max(dep, (Cycle(x>>8)+Cycle(info.overwrite)&m.table.fixed[uint8(x)])<<regBits|g)
	}
	return dep
}

func rowsOf(r isa.Reg) int {
	if r.IsPair() {
		return 2
	}
	return 1
}

// rows returns how many rows a memory instruction writes from Dst on and reads
// from B on.
func rows(in *isa.Instr) (dst, data int) {
	switch in.Op {
	case isa.LoadShared, isa.LoadGlobal, isa.LoadConst:
		return max(1, (in.MemBytes()+3)/4), 1
	case isa.StoreShared, isa.StoreGlobal, isa.ReduceGlobal:
		return 1, max(1, (in.MemBytes()+3)/4)
	case isa.AtomicShared, isa.AtomicGlobal:
		n := max(1, (in.MemBytes()+3)/4)
		return n, n
	}
	return 1, 1
}

// issue issues the warp's next instruction at cycle t.
func (m *Multiprocessor) issue(s *sub, w *warp, t Cycle) {
	if w.shadowed && t >= w.shadow {
		m.missed(s, w)
		return
	}
	in := &w.recs[0]
	op := in.Op % isa.NumOps // has been checked; spares the bounds checks
	info := &m.table.ops[op]
	pipe := info.pipe & 15

	if m.told {
		m.tell(s, w, in, t)
	} else {
		w.cycles[Issued]++
		if t > w.prev+1 {
			m.account(&w.cycles, s, w, pipe, t)
		}
	}
	o := &m.totals.ByOp[op]
	o.Count++
	o.Cycles += t - w.prev
	w.prev = t
	w.pace = t + Cycle(info.next)
	s.floor = t + 1
	s.last = s.pick

	latency, interval, cycles := Cycle(info.latency), Cycle(info.interval), Cycle(info.portCycles)
	calm, conflict := interval, Cycle(0) // without conflicts; their part of the latency
	if info.scaled {
		latency, interval, cycles, calm, conflict = m.scale(w, in, info, latency, interval, cycles)
	}
	start := max(t, s.busy[pipe])
	if info.variable {
		if info.gap > 0 {
			w.gap, w.gapPipe = t+Cycle(info.gap), info.pipe
		}
		s.bare = t + Cycle(info.slots)
		if in.Active == 0 && in.Guard != 0 && info.kind < arrive {
			cycles, interval, calm = 0, 1, 1 // goes its way, but no lane takes part
		}
		if cycles > 0 {
			start = m.ports[info.port&(maxPorts-1)].reserve(start, cycles, t)
		}
	}
	s.busy[pipe] = start + interval
	s.free[pipe] = start + interval - Cycle(info.queue)
	s.calm[pipe] = start + calm - Cycle(info.queue)
	ready := start + latency
	if info.special {
		switch info.kind {
		case global:
			ready = m.access(in, start, latency)
		case branch:
			w.pace = t + m.table.branches[min(in.Aux, isa.BranchDivergent)]
		case arrive, wait, reduce:
			m.arrive(w, in, info, t)
			m.advance(w)
			m.choose(s)
			return
		}
	}
	if (in.Dst|in.Dst2)&regMask != 0 {
		x := uint64(ready)<<8 | uint64(op)
		w.regs[in.Dst&regMask] = x
		w.regs[in.Dst2&regMask] = x
		w.regs[isa.NoReg] = 0
		w.drain = max(w.drain, ready)
		if info.variable {
			q := delays{uint32(start - t), uint32(conflict)}
			w.queue[in.Dst&regMask] = q
			w.queue[in.Dst2&regMask] = q
		} else {
			w.settled = max(w.settled, ready)
		}
		if in.Dst&pairs != 0 || info.blocked {
			dst, _ := rows(in)
			for k := 1; k < max(rowsOf(in.Dst), dst); k++ {
				r := (in.Dst + isa.Reg(k)) & regMask
				w.regs[r] = x
				w.queue[r] = w.queue[in.Dst&regMask]
			}
		}
	}
	m.advance(w)
	m.choose(s)
}

// scale is what the record adds to the costs of its op.
func (m *Multiprocessor) scale(w *warp, in *isa.Instr, info *opInfo, latency, interval, port Cycle) (_, _, _, calm, conflict Cycle) {
	sc := &m.table.scales[in.Op%isa.NumOps]
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
	calm = interval
	interval = max(interval, sc.countCycles*n)
	port = max(port, sc.countPorts*n)
	if info.kind != shared {
		return latency, interval, port, interval, 0
	}
	if w.turned {
		latency += sc.turnaround
	}
	w.turned = in.Dst == isa.NoReg
	extra := max(0, n-words) // wide words need their passes
	m.totals.ConflictPasses += int64(extra)
	return latency, interval, port, calm, sc.countLatency * extra
}

// missed is a warp that would have issued in the shadow of a barrier had not
// others come first.
func (m *Multiprocessor) missed(s *sub, w *warp) {
	w.shadowed = false
	if w.pending {
		w.state = waiting
		s.ready[w.local] = Never
	} else {
		s.ready[w.local] = max(s.ready[w.local], w.release)
	}
	m.choose(s)
}

// access is one instruction on global memory: it waits for the way from the
// level that serves it and occupies that for each of its sectors.
func (m *Multiprocessor) access(in *isa.Instr, start, extra Cycle) Cycle {
	i := min(in.MemLevel(), len(m.levelFree)-1)
	l := &m.table.levels[i]
	begin := max(start*fraction, m.levelFree[i])
	sectors := Cycle(max(in.Count, 1))
	m.levelFree[i] = begin + sectors*l.sector
	return (begin+(sectors-1)*l.sector)/fraction + l.latency + extra
}
