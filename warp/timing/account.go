package timing

import "example.com/warpsim/warp/isa"

// tell tells observers and totals by site of an instruction. What the warp's
// cycles have grown by since the last one are those of this one.
func (m *Multiprocessor) tell(s *sub, w *warp, in *isa.Instr, t Cycle) {
	c := w.cycles
	for i, old := range w.told {
		c[i] -= old
	}
	w.told = w.cycles
	site := uint32(0)
	if w.next < len(w.sites) {
		site = w.sites[w.next]
		if m.config.Sites {
			m.addSite(site, in, &c)
		}
	}
	if m.config.Observer != nil {
		m.event = Issue{
			Cycle: t - m.base, Block: int(w.block), Warp: int(w.index), SubPartition: s.index,
			Index: w.issued, Site: site, Instr: *in, Waits: Cycles{c},
		}
		if c[Dependency]+c[Memory]+c[PortBusy]+c[BankConflict] > 0 {
			m.event.WaitedFor = m.last(w, in)
		}
	}
	w.issued++
}

// publish tells the observer of the instruction that tell has noted, now that its
// times are known. ready is 0 if there is no result, or its time is not known.
func (m *Multiprocessor) publish(start, free, ready Cycle) {
	if m.config.Observer == nil {
		return
	}
	e := &m.event
	e.Flying = m.flights.open
	e.Start, e.Free, e.Ready = start-m.base, free-m.base, 0
	if ready > 0 {
		e.Ready = ready - m.base
	}
	m.config.Observer(e)
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
	x.Count++
	x.Lanes += int64(in.Active)
	x.Cycles.by.add(c)
}

// last returns the operand that came last.
func (m *Multiprocessor) last(w *warp, in *isa.Instr) isa.Reg {
	info := &m.ops[in.Op]
	latest, which := Cycle(0), isa.NoReg
	look := func(g isa.Reg, reader uint8) {
		r := m.register(w, g)
		if t := r.ready + Cycle(m.bypass[reader&(readers-1)][uint8(r.origin)]); t > latest {
			latest, which = t, g&^pairs
		}
	}
	dst, data := in.Rows()
	for k := range max(rowsOf(in.A), 1) {
		look(in.A+isa.Reg(k), info.reader)
	}
	for k := range max(rowsOf(in.B), data) {
		look(in.B+isa.Reg(k), info.reader)
	}
	for k := range rowsOf(in.C) {
		look(in.C+isa.Reg(k), info.reader)
	}
	if in.Guard != 0 {
		look(firstGuard+isa.Reg(in.Guard), issueStage)
	}
	for k := range max(rowsOf(in.Dst), dst) {
		r := m.register(w, in.Dst+isa.Reg(k))
		if t := r.ready + Cycle(info.overwrite)&m.fixed[uint8(r.origin)]; t > latest {
			latest, which = t, (in.Dst+isa.Reg(k))&^pairs
		}
	}
	return which
}
