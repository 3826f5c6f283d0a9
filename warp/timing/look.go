package timing

import "example.com/warpsim/warp/isa"

// A device has more warps than a host's caches hold, and each is looked at for a few
// instructions at a time. Fetched one thing after the other, as an instruction needs
// them, the parts of a warp would take most of the time. So those of all warps that
// are about to go on are read beforehand, in loops in which no read depends on the
// one before: then they come many at a time. Nothing changes by that.

// A Completion says when an access has its result.
type Completion struct {
	Token int
	At    Cycle
}

// CompleteAll is Complete for several accesses.
func (m *Multiprocessor) CompleteAll(list []Completion) {
	m.soon = m.soon[:0]
	for i := range list {
		if t := list[i].Token; t >= 0 && t < len(m.flights.list) && m.flights.list[t].w != nil {
			m.soon = append(m.soon, m.flights.list[t].w)
		}
	}
	m.look()
	for i := range list {
		m.Complete(list[i].Token, list[i].At)
	}
}

// lookAhead looks at the warps that may issue before a time.
func (m *Multiprocessor) lookAhead(end Cycle) {
	m.soon = m.soon[:0]
	for i := range m.subs {
		s := &m.subs[i]
		for j := range s.heads {
			if s.heads[j].ready < end {
				m.soon = append(m.soon, s.warps[j])
			}
		}
	}
	m.look()
}

// look reads a word of each line of the host's cache that issuing from the warps to
// come needs.
func (m *Multiprocessor) look() {
	seen := Cycle(0)
	for _, w := range m.soon {
		seen += w.at + w.prev + w.gap + w.cycles[0] + w.cycles[8]
	}
	for _, w := range m.soon {
		for p := 0; p < len(m.names); p += 4 {
			seen += w.regs[p].ready
		}
		if len(w.lines) > 0 {
			seen += Cycle(w.lines[0] & 1)
		}
		if w.next < len(w.recs) {
			seen += Cycle(w.recs[w.next].Op & isa.Nop)
		}
	}
	m.looked = seen
}

// worthLooking is how many cycles Run has to have before it that looking at what
// comes is worth it.
const worthLooking = 64
