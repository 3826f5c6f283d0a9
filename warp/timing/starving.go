package timing

// Starving reports whether a warp has used up the records it was fed, so that
// its host may reuse them. It is true for a warp that has ended, and for one
// that does not exist.
func (m *Multiprocessor) Starving(block, warp int) bool {
	if block < 0 || block >= len(m.blocks) || warp < 0 || warp >= len(m.blocks[block].warps) || !m.blocks[block].resident {
		return true
	}
	w := m.blocks[block].warps[warp]
	return w.state == starved || int(w.block) != block
}
