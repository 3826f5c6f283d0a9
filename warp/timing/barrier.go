package timing

import (
	"math/bits"

	"example.com/warpsim/warp/isa"
)

// want returns how many warps a barrier waits for.
func (b *barrier) want(of *block) int {
	if b.expected > 0 {
		return b.expected
	}
	return of.running
}

// arrive is a warp at a barrier.
func (m *Multiprocessor) arrive(w *warp, in *isa.Instr, info *opInfo, t Cycle) {
	b := &m.blocks[w.block]
	for len(b.barriers) <= int(in.Aux) {
		b.barriers = append(b.barriers, barrier{})
	}
	bar := &b.barriers[in.Aux]
	// The unit takes what a warp asks of it in order: it fetches a result first.
	bar.complete = max(bar.complete, m.unit(max(t, w.fetched), Cycle(m.barriers.ArriveCycles)))
	bar.arrived++
	bar.expected = int(in.Count)
	w.turned = true
	if info.kind != arrive {
		w.pending = true
		w.shadow = t + Cycle(m.barriers.Shadow)
		w.since, w.barrier, w.chain, w.dst = t, in.Aux, nil, isa.NoReg
		w.reached = w.before + int64(w.next)
		w.barrierCode = isa.NoReg
		if info.kind == reduce {
			w.dst = in.Dst & regMask
			if w.dst != isa.NoReg {
				m.setRegister(w, w.dst, result{Never, uint64(in.Op)})
			}
			if w.coded {
				w.barrierCode = w.code
				m.signal(w, Never, t, uint64(in.Op))
			}
		}
		if bar.last == nil {
			bar.first = w
		} else {
			bar.last.chain = w
		}
		bar.last = w
	}
	m.complete(b, bar)
}

// complete releases the warps of a barrier if the last one has arrived.
func (m *Multiprocessor) complete(b *block, bar *barrier) {
	if bar.arrived == 0 || bar.arrived < bar.want(b) {
		return
	}
	done := bar.complete
	if bar.expected == 0 {
		done = max(done, b.lastExit) // the exit of a warp may have been the last
	}
	release := done + Cycle(m.barriers.ReleaseLatency)
	w := bar.first
	*bar = barrier{}
	woken := uint64(0) // sub-partitions that have a warp which waited
	for w != nil {
		next := w.chain
		w.chain = nil
		if w.state == waiting {
			woken |= 1 << w.sub.index
		}
		m.free(w, release)
		w = next
	}
	for ; woken != 0; woken &= woken - 1 {
		m.choose(&m.subs[bits.TrailingZeros64(woken)])
		m.second = 0 // its next event has changed
	}
}

// free lets a warp go on after a barrier.
func (m *Multiprocessor) free(w *warp, release Cycle) {
	w.pending = false
	w.release = release
	m.later(Released, w, w.reached, release, isa.Instr{Op: isa.BarSync, Aux: w.barrier, Dst: w.dst})
	if w.dst != isa.NoReg {
		cycles := Cycle(m.barriers.ResultCycles)
		start := m.unit(release, cycles) - cycles
		ready := start + Cycle(m.barriers.ResultLatency)
		if w.dst.IsPredicate() {
			ready += Cycle(m.barriers.PredicateLatency)
		}
		m.setRegister(w, w.dst, result{ready, uint64(isa.BarRed) | uint64(start-release)<<8})
		if n := w.barrierCode >> 4 & 7; w.barrierCode != 0 && n < scoreboards {
			m.setRegister(w, firstScoreboard+n, result{ready, uint64(isa.BarRed)})
		}
		w.drain = max(w.drain, ready)
		w.fetched, w.dst = start+Cycle(m.barriers.FetchLatency), isa.NoReg
	}
	if w.state != waiting {
		return
	}
	if w.next < len(w.recs) {
		m.head(w)
	} else {
		m.leave(w)
	}
}

// unit takes n cycles of the barrier unit from t on and returns their end.
func (m *Multiprocessor) unit(t, n Cycle) Cycle {
	if n == 0 {
		return t
	}
	return m.ports[m.barrierPort&(maxPorts-1)].reserve(t, n, m.now) + n
}
