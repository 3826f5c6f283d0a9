package timing

import "example.com/warpsim/warp/isa"

// tell tells observers and totals by site of an instruction. What the warp's
// cycles have grown by since the last one are those of this one.
func (m *Multiprocessor) tell(s *sub, w *warp, in *isa.Instr, t Cycle) {
	e := &m.event
	c := &e.Waits.by
	for i := range c {
		n := w.cycles[i]
		c[i], w.told[i] = n-w.told[i], n
	}
	e.Site = 0
	if w.next < len(w.sites) {
		e.Site = w.sites[w.next]
		if m.config.Sites {
			m.addSite(e.Site, in, c)
		}
	}
	if m.config.Observer != nil || m.config.Events != nil {
		e.Cycle, e.Block, e.Warp, e.SubPartition, e.Index = t-m.base, int(w.block), int(w.index), s.index, w.issued
		e.Multiprocessor, e.Instr, e.WaitedFor = 0, *in, isa.NoReg
		if m.config.Observer != nil && c[Dependency]|c[Memory]|c[PortBusy]|c[BankConflict] != 0 {
			e.WaitedFor = m.last(w, in)
		}
	}
	w.issued++
}

// publish tells the observers of the instruction that tell has noted, now that its
// times are known. ready is 0 if there is no result, or its time is not known.
func (m *Multiprocessor) publish(start, free, ready Cycle) {
	e := &m.event
	if m.config.Events != nil {
		m.happened(e)
	}
	if m.config.Observer == nil {
		return
	}
	e.Flying = m.flights.open
	e.Start, e.Free, e.Ready = start-m.base, free-m.base, 0
	if ready > 0 {
		e.Ready = ready - m.base
	}
	m.config.Observer(e)
}

// happened tells of what an instruction that is issued means besides.
func (m *Multiprocessor) happened(e *Issue) {
	kind := Arrived
	switch info := &m.ops[e.Instr.Op]; {
	case info.kind == branch && e.Instr.Aux == isa.BranchDivergent:
		kind = Diverged
	case e.Instr.Op == isa.Reconverge:
		kind = Reconverged
	case info.kind != arrive && info.kind != wait && info.kind != reduce:
		return
	}
	m.happening = Event{kind, e.Cycle, e.Block, e.Warp, 0, e.Index, e.Instr}
	m.config.Events(&m.happening)
}

// later tells of what happens to a warp at a time of its own, if anybody listens.
func (m *Multiprocessor) later(kind EventKind, w *warp, index int64, at Cycle, in isa.Instr) {
	if m.config.Events == nil {
		return
	}
	m.happening = Event{kind, at - m.base, int(w.block), int(w.index), 0, index, in}
	m.config.Events(&m.happening)
}

// readyAt is when the result of an instruction of known latency is there, 0 if it
// has none.
func readyAt(in *isa.Instr, t Cycle) Cycle {
	if in.Dst|in.Dst2 == isa.NoReg {
		return 0
	}
	return t
}

func (m *Multiprocessor) addSite(site uint32, in *isa.Instr, c *perReason) {
	for int(site) >= len(m.sites) {
		m.sites = append(m.sites, SiteTotals{})
	}
	x := &m.sites[site]
	if !in.Implied() {
		x.Count++
		x.Lanes += int64(in.Active)
	}
	x.Cycles.by.add(c)
}

// last returns the operand that came last.
func (m *Multiprocessor) last(w *warp, in *isa.Instr) isa.Reg {
	info := &m.ops[in.Op]
	bypass := &m.bypass[info.reader&(readers-1)]
	latest, which := Cycle(0), isa.NoReg
	dst, data := in.Rows()
	for _, x := range [...]struct {
		r isa.Reg
		n int
	}{{in.A, rowsOf(in.A)}, {in.B, max(rowsOf(in.B), data)}, {in.C, rowsOf(in.C)}} {
		for k := range isa.Reg(x.n) {
			r := m.register(w, x.r+k)
			if t := r.ready + Cycle(bypass[uint8(r.origin)]); t > latest {
				latest, which = t, (x.r+k)&^pairs
			}
		}
	}
	if in.Guard != 0 {
		g := firstGuard + isa.Reg(in.Guard)
		r := m.register(w, g)
		if t := r.ready + Cycle(m.bypass[issueStage][uint8(r.origin)]); t > latest {
			latest, which = t, g
		}
	}
	for k := range isa.Reg(max(rowsOf(in.Dst), dst)) {
		r := m.register(w, in.Dst+k)
		if t := r.ready + Cycle(info.overwrite)&m.fixed[uint8(r.origin)]; t > latest {
			latest, which = t, (in.Dst+k)&^pairs
		}
	}
	return which
}
