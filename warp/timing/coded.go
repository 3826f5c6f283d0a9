package timing

import (
	"math/bits"

	"example.com/warpsim/warp/isa"
)

// Records with a control code follow a compiler's schedule: what protects a result
// is the stall count of the instructions between, which nothing checks, or a
// scoreboard. Registers decide only what they do on the chip, too: which banks are
// read.
//
// Stall counts are a clock of the warp that hangs on the instruction before, even if
// that waited for a scoreboard, so that such a wait does not swallow them.

// firstScoreboard is where the scoreboards of a warp lie, behind its registers.
const (
	firstScoreboard = isa.NumRegs
	scoreboards     = 6
)

// readyCoded is ready for a record with a control code.
func (m *Multiprocessor) readyCoded(w *warp, in *isa.Instr, info *opInfo) {
	var dep Cycle
	var origin uint64
	_, _, _, wait := in.Control()
	for ; wait != 0; wait &= wait - 1 {
		r := m.register(w, firstScoreboard+isa.Reg(bits.TrailingZeros8(wait)))
		if r.ready > dep {
			dep, origin = r.ready, r.origin
		}
	}
	free := max(w.at, w.pace)
	m.place(w, in, info, dep, origin)
	w.sub.coded = true
	if !w.stays || dep > free {
		w.rank = w.sub.heads[w.local].ready
	}
}

// yields reports whether the control code of an instruction asks for another warp.
// The compiler's rule: those cycles are owed to a result of known latency, or they
// are many.
func yields(stall isa.Reg, info *opInfo) bool {
	return stall >= 12 || stall >= 3 && !info.variable && info.kind < branch
}

// chooseCoded is choose for warps that follow control codes: first come, first
// served, but a warp that has neither yielded nor waited for a scoreboard since
// keeps its turn, and of those with equal rights the youngest goes first.
func (m *Multiprocessor) chooseCoded(s *sub, floor Cycle) {
	next, rank, pick := Never, Never, 0
	if i := s.last; m.stays && uint(i) < uint(len(s.heads)) && s.heads[i].ready <= s.floor {
		next, rank, pick = s.can(&s.heads[i], floor), unknown-1, i
	}
	for i := len(s.heads) - 1; i >= 0; i-- {
		h := &s.heads[i]
		if h.ready > next {
			continue
		}
		r := s.warps[i].rank
		if h.ready == unknown {
			r = unknown
		}
		if t := s.can(h, floor); t < next || t == next && r < rank {
			next, rank, pick = t, r, i
		}
	}
	s.next, s.pick = next, pick
}

// signal takes the scoreboards of a coded instruction: write until its result is
// there, read until its sources have been read. w.code is its control code.
func (m *Multiprocessor) signal(w *warp, ready, read Cycle, origin uint64) {
	for _, s := range [...]struct {
		number isa.Reg
		until  Cycle
		origin uint64
	}{{w.code >> 4 & 7, ready, origin}, {w.code >> 7 & 7, read, origin & 0xff}} {
		if s.number >= scoreboards {
			continue
		}
		d := firstScoreboard + s.number
		if s.until > m.register(w, d).ready {
			m.setRegister(w, d, result{s.until, s.origin})
		}
	}
}
