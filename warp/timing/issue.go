package timing

import "example.com/warpsim/warp/isa"

const (
	pairs   = isa.Reg(1 << 15)
	regMask = regSpace - 1
	// firstGuard is the register before predicate 0: adding Instr.Guard gives
	// the predicate.
	firstGuard isa.Reg = isa.MaxRows
)

// operands finds out when the operands of the warp's next instruction are
// ready, and the register that comes last.
func (m *Multiprocessor) operands(w *warp, in *isa.Instr, info *opInfo) {
	bypass := &m.table.bypass
	reader := info.reader & (readers - 1)
	dep, reg := Cycle(0), isa.NoReg

	// Register 0 is none and always ready.
	x := w.regs[in.A&regMask]
	if t := Cycle(x>>8) + Cycle(bypass[uint8(x)][reader]); t > dep {
		dep, reg = t, in.A
	}
	x = w.regs[in.B&regMask]
	if t := Cycle(x>>8) + Cycle(bypass[uint8(x)][reader]); t > dep {
		dep, reg = t, in.B
	}
	x = w.regs[in.C&regMask]
	if t := Cycle(x>>8) + Cycle(bypass[uint8(x)][reader]); t > dep {
		dep, reg = t, in.C
	}
	if in.Guard != 0 {
		g := firstGuard + isa.Reg(in.Guard)
		x = w.regs[g&regMask]
		if t := Cycle(x>>8) + Cycle(bypass[uint8(x)][issueStage]); t > dep {
			dep, reg = t, g
		}
	}
	x = w.regs[in.Dst&regMask]
	if t := Cycle(x>>8) + info.overwrite&m.table.fixed[uint8(x)]; t > dep {
		dep, reg = t, in.Dst
	}
	if in.Dst2 != isa.NoReg {
		x = w.regs[in.Dst2&regMask]
		if t := Cycle(x>>8) + info.overwrite&m.table.fixed[uint8(x)]; t > dep {
			dep, reg = t, in.Dst2
		}
	}
	if info.settle > 0 && w.settled+info.settle > dep {
		dep, reg = w.settled+info.settle, isa.NoReg
	}
	w.dep, w.depReg = dep, reg
	if (in.A|in.B|in.C|in.Dst)&pairs != 0 || info.wordLatency != 0 {
		m.moreOperands(w, in, info)
	}
}

// moreOperands adds the further rows of pairs and of memory instructions with
// more than 4 bytes a lane.
func (m *Multiprocessor) moreOperands(w *warp, in *isa.Instr, info *opInfo) {
	reader := info.reader & (readers - 1)
	n := rows(in)
	for _, r := range [...]struct {
		reg  isa.Reg
		rows int
	}{{in.A, rowsOf(in.A)}, {in.B, max(rowsOf(in.B), n.b)}, {in.C, rowsOf(in.C)}} {
		for k := 1; k < r.rows; k++ {
			g := r.reg + isa.Reg(k)
			x := w.regs[g&regMask]
			if t := Cycle(x>>8) + Cycle(m.table.bypass[uint8(x)][reader]); t > w.dep {
				w.dep, w.depReg = t, g&^pairs
			}
		}
	}
	for k := 1; k < max(rowsOf(in.Dst), n.dst); k++ {
		g := in.Dst + isa.Reg(k)
		x := w.regs[g&regMask]
		if t := Cycle(x>>8) + info.overwrite&m.table.fixed[uint8(x)]; t > w.dep {
			w.dep, w.depReg = t, g&^pairs
		}
	}
}

func rowsOf(r isa.Reg) int {
	if r.IsPair() {
		return 2
	}
	return 1
}

// rows returns how many rows a memory instruction writes from Dst on and reads
// from B on.
func rows(in *isa.Instr) (n struct{ dst, b int }) {
	n.dst, n.b = 1, 1
	k := (in.MemBytes() + 3) / 4
	switch in.Op {
	case isa.LoadShared, isa.LoadGlobal, isa.LoadConst:
		n.dst = k
	case isa.StoreShared, isa.StoreGlobal, isa.ReduceGlobal:
		n.b = k
	case isa.AtomicShared, isa.AtomicGlobal:
		n.dst, n.b = k, k
	}
	return n
}

// issue issues the warp's next instruction at cycle t.
func (m *Multiprocessor) issue(s *sub, w *warp, t Cycle) {
	if t >= w.shadow && (w.pending || t < w.release) {
		// It would have issued in the shadow of a barrier, but others came
		// first.
		m.block(s, w)
		return
	}
	in := &w.recs[0]
	info := &m.table.ops[in.Op]
	pipe := info.pipe & 15

	if !m.told && t == w.prev+1 {
		w.cycles[Issued]++
	} else {
		m.account(s, w, in, t)
	}
	o := &m.totals.ByOp[in.Op]
	o.Count++
	o.Cycles += t - w.prev
	m.totals.Instructions++
	w.issued++
	w.prev = t
	w.pace = t + info.next
	s.floor = t + 1
	s.last = s.pick

	latency, interval, port := info.latency, info.interval, info.portCycles
	var conflict Cycle // part of the latency
	calm := interval   // without conflicts
	if info.scaled {
		words := Cycle(1)
		if info.wordLatency|info.wordBeats != 0 {
			words = max(1, Cycle(in.MemBytes()+3)/4)
		}
		n := Cycle(max(in.Count, 1))
		latency += info.countLatency*(n-1) + info.wordLatency*(words-1)
		interval += info.wordBeats * (words - 1)
		if in.B != isa.NoReg {
			latency += info.operandLatency
			interval += info.operandBeats
		}
		calm = interval
		interval = max(interval, info.countCycles*n)
		port = max(port, info.countPorts*n)
		if info.kind == shared {
			if w.turned {
				latency += info.turnaround
			}
			w.turned = in.Dst == isa.NoReg
			// Wide words need their passes.
			extra := max(0, n-words)
			conflict = info.countLatency * extra
			m.totals.ConflictPasses += int64(extra)
		} else {
			calm = interval
		}
	}
	start := max(t, s.busy[pipe])
	if info.gap > 0 {
		w.gap, w.gapPipe = t+info.gap, info.pipe
	}
	if in.Active == 0 && in.Guard != 0 && info.kind < arrive {
		port, interval = 0, 1
	}
	if port > 0 {
		start = m.ports[info.port&(maxPorts-1)].reserve(start, port, t)
	}
	s.busy[pipe] = start + interval
	s.free[pipe] = start + interval - info.queue
	s.plain[pipe] = start + calm - info.queue
	if info.slots > 1 {
		for i := range m.table.pipes {
			if !m.table.bare[i] {
				s.free[i] = max(s.free[i], t+info.slots)
			}
		}
	}
	ready := start + latency
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
	if in.Dst != isa.NoReg {
		x := uint64(ready)<<8 | uint64(in.Op)
		w.regs[in.Dst&regMask] = x
		w.drain = max(w.drain, ready)
		if info.variable {
			w.queue[in.Dst&regMask] = delays{uint32(start - t), uint32(conflict)}
		} else {
			w.settled = max(w.settled, ready)
		}
		if in.Dst2 != isa.NoReg {
			w.regs[in.Dst2&regMask] = x
			w.queue[in.Dst2&regMask] = delays{}
		}
		if in.Dst&pairs != 0 || info.wordLatency != 0 {
			for k := 1; k < max(rowsOf(in.Dst), rows(in).dst); k++ {
				r := (in.Dst + isa.Reg(k)) & regMask
				w.regs[r] = x
				w.queue[r] = w.queue[in.Dst&regMask]
			}
		}
	} else if in.Dst2 != isa.NoReg {
		w.regs[in.Dst2&regMask] = uint64(ready)<<8 | uint64(in.Op)
		w.queue[in.Dst2&regMask] = delays{}
		w.drain = max(w.drain, ready)
	}
	m.advance(w)
	m.choose(s)
}

// block holds a warp until the barrier that it has reached is complete.
func (m *Multiprocessor) block(s *sub, w *warp) {
	if w.pending {
		w.state = waiting
		s.ready[w.local] = Never
	} else {
		s.ready[w.local] = w.release
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

// account says where the cycles since the warp's last instruction went.
func (m *Multiprocessor) account(s *sub, w *warp, in *isa.Instr, t Cycle) {
	var c Cycles
	at := w.prev + 1
	c[Issued] = 1
	at = c.take(Control, at, min(w.pace, t))
	at = c.take(Barrier, at, min(w.release, t))
	if d := min(w.dep, t) - at; d > 0 {
		op := isa.Op(w.regs[w.depReg&regMask] & 0xff)
		if m.table.ops[op].variable {
			q := w.queue[w.depReg&regMask]
			at = c.take(BankConflict, at, at+min(d, Cycle(q.conflict)))
			at = c.take(PortBusy, at, min(w.dep, t, at+Cycle(q.port)))
		}
		r := Dependency
		if m.table.ops[op].kind == global {
			r = Memory
		}
		at = c.take(r, at, min(w.dep, t))
	}
	pipe := m.table.ops[in.Op].pipe & 15
	at = c.take(PipeBusy, at, min(s.plain[pipe], t))
	at = c.take(BankConflict, at, min(s.free[pipe], t))
	c.take(NotSelected, at, t)
	w.cycles.Add(&c)

	site := uint32(0)
	if len(w.sites) > 0 {
		site = w.sites[0]
		if m.config.Sites {
			m.addSite(site, &c)
		}
	}
	if m.config.Observer != nil {
		m.event = Issue{
			Cycle: t - m.base, Block: int(w.block), Warp: int(w.index), SubPartition: s.index,
			Index: w.issued, Site: site, Instr: *in, Waits: c,
		}
		if w.dep > w.prev+1 {
			m.event.WaitedFor = w.depReg
		}
		m.config.Observer(&m.event)
	}
}

func (m *Multiprocessor) addSite(site uint32, c *Cycles) {
	for int(site) >= len(m.sites) {
		m.sites = append(m.sites, SiteTotals{})
	}
	x := &m.sites[site]
	x.Count++
	x.Cycles.Add(c)
}

// take gives the cycles between from and to to the reason, and returns where
// that got to.
func (c *Cycles) take(r Reason, from, to Cycle) Cycle {
	if to <= from {
		return from
	}
	c[r] += to - from
	return to
}
