package timing

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
	n := w.fed - int64(len(w.recs)-w.next)
	for _, s := range w.more {
		n -= int64(len(s.recs))
	}
	return n
}
