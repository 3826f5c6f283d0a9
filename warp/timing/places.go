package timing

import "example.com/warpsim/warp/isa"

// Records can name two thousand registers, and kernels use a few dozen. Those that
// have been written get a place each, the same in all warps, so that what warps wait
// for lies close together: with all multiprocessors of a device at work, it is memory
// that takes the simulator's time. Place 0 is that of registers that nothing has
// written: they are always ready.

// firstPlaces is how many places there is room for at first.
const firstPlaces = 32

// register returns what a register of a warp waits for. It must not be written to.
func (m *Multiprocessor) register(w *warp, r isa.Reg) *result { return &w.regs[m.places[r&regMask]] }

// setRegister says what a register of a warp, which is not NoReg, waits for.
func (m *Multiprocessor) setRegister(w *warp, r isa.Reg, x result) {
	p := m.places[r&regMask]
	if p == 0 {
		p = m.newPlace(r & regMask)
	}
	w.regs[p] = x
}

// newPlace gives a register its place.
func (m *Multiprocessor) newPlace(r isa.Reg) uint16 {
	p := len(m.names)
	if p == m.room {
		m.room *= 2
		m.makeRegisters()
	}
	m.names = append(m.names, r)
	m.places[r] = uint16(p)
	return uint16(p)
}

// makeRegisters gives all warps room for as many registers as there are to be, one
// warp behind the other.
func (m *Multiprocessor) makeRegisters() {
	all := make([]result, len(m.warps)*m.room)
	for _, w := range m.warps {
		old := w.regs
		w.regs, all = all[:m.room:m.room], all[m.room:]
		copy(w.regs, old)
	}
}
