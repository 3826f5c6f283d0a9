package timing

import "example.com/warpsim/warp/isa"

// account says where the cycles between the warp's last instruction and t went.
func (m *Multiprocessor) account(c *Cycles, s *sub, w *warp, pipe uint8, t Cycle) {
	at := w.prev + 1
	if w.pace > at {
		if at = c.take(Control, at, min(w.pace, t)); at == t {
			return
		}
	}
	if w.release > at {
		if at = c.take(Barrier, at, min(w.release, t)); at == t {
			return
		}
	}
	if dep := min(w.dep>>regBits, t); dep > at {
		reg := w.dep & regMask
		op := uint8(w.regs[reg]) % uint8(isa.NumOps)
		r := Dependency
		if m.table.ops[op].kind == global {
			r = Memory
		}
		if m.table.fixed[op] == 0 && w.queue[reg] != (delays{}) {
			q := w.queue[reg]
			at = c.take(BankConflict, at, min(dep, at+Cycle(q.conflict)))
			at = c.take(PortBusy, at, min(dep, at+Cycle(q.port)))
		}
		if at = c.take(r, at, dep); at == t {
			return
		}
	}
	at = c.take(PipeBusy, at, min(s.calm[pipe], t))
	at = c.take(BankConflict, at, min(s.free[pipe], t))
	if w.gapPipe == pipe {
		at = c.take(PipeBusy, at, min(w.gap, t))
	}
	c.take(NotSelected, at, t)
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

// tell is account for observers and totals by site.
func (m *Multiprocessor) tell(s *sub, w *warp, in *isa.Instr, t Cycle) {
	var c Cycles
	c[Issued] = 1
	if t > w.prev+1 {
		m.account(&c, s, w, m.table.ops[in.Op].pipe&15, t)
	}
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
		if w.dep>>regBits > w.prev+1 {
			m.event.WaitedFor = isa.Reg(w.dep & regMask)
		}
		m.config.Observer(&m.event)
	}
	w.issued++
}

func (m *Multiprocessor) addSite(site uint32, c *Cycles) {
	for int(site) >= len(m.sites) {
		m.sites = append(m.sites, SiteTotals{})
	}
	x := &m.sites[site]
	x.Count++
	x.Cycles.Add(c)
}
