package timing

import "example.com/warpsim/warp/isa"

// Issued returns how many records a warp has issued, at least: as many of those
// it was fed are done with, and their memory may be reused. For a warp of a block
// that has ended, or that does not exist, it is the largest number there is.
func (m *Multiprocessor) Issued(block, warp int) int64 {
	if block < 0 || block >= len(m.blocks) || warp < 0 || warp >= len(m.blocks[block].warps) || !m.blocks[block].resident {
		return 1<<63 - 1
	}
	w := m.blocks[block].warps[warp]
	if int(w.block) != block {
		return 1<<63 - 1
	}
	if r := &m.recall; r.open && w.next > r.begins[w.slot].next {
		r.lose() // it would read these records again, at its end
	}
	return w.before + int64(w.next)
}

// Hold says that a starved warp has no records for now, and lets the time of the others
// go on. When it is fed it goes on at once; what it has waited by then is counted as
// Unfed. A warp that is not starved is an *Error, which comes back from the next Run.
func (m *Multiprocessor) Hold(block, warp int) {
	w := m.warp("Hold", block, warp)
	switch {
	case w == nil:
	case w.state != starved:
		m.err = field("Hold", isa.Invalid, "warp %d of block %d has records, or has ended: hold one that Run says is starved", warp, block)
	default:
		w.state, w.odd = held, false
		w.put(Never, absent)
		w.sub.stale = true
		m.held++
		m.recall.lose()
	}
}

// take ends the wait of a warp that was held.
func (m *Multiprocessor) take(w *warp) {
	if w.state != held {
		return
	}
	m.held--
	w.at = w.cycles.take(Unfed, w.at, m.now)
}
