package timing

import "example.com/warpsim/warp/isa"

// A device has more warps than a host's caches hold, and each is looked at for a few
// instructions at a time. Fetched one thing after the other, as an instruction needs
// them, the parts of a warp would take most of the time. So those of all warps that
// are about to go on are read beforehand, in loops in which no read depends on the
// one before: then they come many at a time. Nothing changes by that.

// A Completion says when an access has its result, or is through; or, with Sent, when a
// store or reduction has left the multiprocessor: the place of its block does not wait
// for it any more, but it is still to be completed, with the same Token, for the sake of
// fences. That may be long after its block has ended. With Holds the place waits for it all
// the same, and only its warp does not: from then on it is Finished, if it has ended.
type Completion struct {
	ID    AccessID
	At    Cycle
	Token int // of the access
	Sent  bool
	Holds bool // Sent only
}

// CompleteAll is Complete for several accesses. It returns the error of the first that
// has one, and completes the others. What was sent may have been so before Now.
func (m *Multiprocessor) CompleteAll(list []Completion) (err error) {
	m.soon = m.soon[:0]
	for i := range list {
		x := list[i].ID
		if x.Block >= 0 && x.Block < len(m.blocks) && x.Warp >= 0 && x.Warp < len(m.blocks[x.Block].warps) {
			m.soon = append(m.soon, m.blocks[x.Block].warps[x.Warp])
		}
	}
	m.look()
	for i := range list {
		if e := m.takeIn(&list[i]); e != nil && err == nil {
			err = e
		}
	}
	return err
}

// takeIn takes in one completion.
func (m *Multiprocessor) takeIn(c *Completion) error {
	x := c.ID
	if c.Sent {
		return m.sent(x, c.At, c.Holds)
	}
	if f := &m.flights; c.Token >= 0 && c.Token < len(f.list) && f.list[c.Token].orphan {
		f.list[c.Token].orphan = false
		f.unused = append(f.unused, int32(c.Token))
		f.open--
		return nil
	}
	return m.Complete(x.Block, x.Warp, x.Index, c.At)
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
