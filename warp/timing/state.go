package timing

import (
	"math/bits"

	"example.com/warpsim/warp/isa"
)

// A snapshot writes down the state of a machine, or restores it, as numbers
// that do not depend on the present: times count from it, and a time so long
// gone that nothing asks for it any more reads like every other such time. Two
// machines with equal snapshots go on in the same way if they issue the same
// records. One walk serves both directions, so that they cannot differ.
type snapshot struct {
	words []Cycle
	at    int // the next word, on the way back
	now   Cycle
	load  bool
}

// always is a floor below every time.
const always Cycle = -Never

// time is a time of which nothing before floor matters.
func (s *snapshot) time(t *Cycle, floor Cycle) {
	if s.load {
		*t = s.absolute(s.next())
		return
	}
	s.words = append(s.words, s.relative(max(*t, floor)))
}

func (s *snapshot) relative(t Cycle) Cycle {
	if t >= Never {
		return Never
	}
	return t - s.now
}

func (s *snapshot) absolute(t Cycle) Cycle {
	if t >= Never {
		return Never
	}
	return t + s.now
}

// number is any number that stays what it is.
func (s *snapshot) number(n int) int { return int(s.count(Cycle(n))) }

// count is a number of cycles, or of fractions of them.
func (s *snapshot) count(n Cycle) Cycle {
	if s.load {
		return s.next()
	}
	s.words = append(s.words, n)
	return n
}

func (s *snapshot) next() Cycle {
	s.at++
	return s.words[s.at-1]
}

func (s *snapshot) hash() uint64 {
	h := uint64(len(s.words))
	for _, w := range s.words {
		h = bits.RotateLeft64((h^uint64(w))*0x9e3779b97f4a7c15, 29)
	}
	return h
}

// possible reports whether the machine can be written down: each warp has a next
// instruction or is at its end, and no port is taken for longer than it can
// remember cycle by cycle.
func (m *Multiprocessor) possible() bool {
	for i := range m.ports[:len(m.portNames)] {
		if p := &m.ports[i]; max(p.last, p.tail)-m.now >= portReach {
			return false
		}
	}
	for _, w := range m.warps {
		if w.state == starved || w.state == held {
			return false
		}
	}
	return len(m.ending) == 0 && m.flights.open == 0 && !m.refused
}

// machine is all of a machine that its future depends on. Positions in the
// records are not part of it, nor is what only adds up.
func (s *snapshot) machine(m *Multiprocessor) {
	m.turn = s.number(m.turn)
	for i := range m.levelFree {
		m.levelFree[i] = s.count(max(m.levelFree[i]-s.now*fraction, 0)) + s.now*fraction
	}
	for i := range m.ports[:len(m.portNames)] {
		s.port(&m.ports[i])
	}
	for i, live := len(m.blocks)-1, m.live; live > 0; i-- {
		if b := &m.blocks[i]; b.resident {
			s.block(m, b)
			live--
		}
	}
	for i := range m.subs {
		s.sub(&m.subs[i], len(m.pipeNames))
	}
	for _, w := range m.warps {
		s.warp(m, w)
	}
}

func (s *snapshot) port(p *port) {
	// Nobody asks for earlier cycles than now.
	s.time(&p.tail, s.now)
	s.time(&p.last, s.now)
	if s.load {
		*p = port{base: s.now &^ 63, last: p.last, tail: p.tail}
	}
	for from := max(s.now, p.tail); from < p.last; from += 64 {
		if s.load {
			p.put(from, uint64(s.next()))
		} else {
			s.words = append(s.words, Cycle(p.get(from)))
		}
	}
}

// get returns which of the 64 cycles from on are taken.
func (p *port) get(from Cycle) uint64 {
	i, bit := from>>6, uint(from&63)
	x := p.taken[i&(portWords-1)] >> bit
	if bit > 0 && (i+1)<<6 < p.base+portSpan {
		x |= p.taken[(i+1)&(portWords-1)] << (64 - bit)
	}
	return x
}

// put is the reverse of get.
func (p *port) put(from Cycle, x uint64) {
	i, bit := from>>6, uint(from&63)
	p.taken[i&(portWords-1)] |= x << bit
	if bit > 0 && (i+1)<<6 < p.base+portSpan {
		p.taken[(i+1)&(portWords-1)] |= x >> (64 - bit)
	}
}

func (s *snapshot) block(m *Multiprocessor, b *block) {
	b.running = s.number(b.running)
	// Exits and arrivals of the past are earlier than whatever completes a
	// barrier or ends the block.
	s.time(&b.lastExit, s.now)
	s.time(&b.end, s.now)
	b.barriers = b.barriers[:s.number(len(b.barriers))]
	for i := range b.barriers {
		x := &b.barriers[i]
		x.arrived, x.expected = s.number(x.arrived), s.number(x.expected)
		s.time(&x.complete, s.now)
		s.waiting(m, x)
	}
}

// waiting is the list of warps that wait at a barrier, by slot and ended by -1.
func (s *snapshot) waiting(m *Multiprocessor, b *barrier) {
	if !s.load {
		for w := b.first; w != nil; w = w.chain {
			s.words = append(s.words, Cycle(w.slot))
		}
		s.words = append(s.words, -1)
		return
	}
	b.first, b.last = nil, nil
	for slot := s.next(); slot >= 0; slot = s.next() {
		w := m.warps[slot]
		w.chain = nil
		if b.last == nil {
			b.first = w
		} else {
			b.last.chain = w
		}
		b.last = w
	}
}

func (s *snapshot) sub(x *sub, pipes int) {
	s.time(&x.floor, s.now)
	s.banks(x)
	s.time(&x.next, always)
	x.pick, x.last = s.number(x.pick), s.number(x.last)
	x.coded = s.number(bit(x.coded, 0)) != 0
	for i := range x.fetched { // what is recorded fetches nothing
		for _, f := range x.fetched[i] {
			s.number(int(f.line))
		}
		s.number(-1)
	}
	// A warp that waits since before now is told until when the pipe was taken.
	since := s.now
	for _, w := range x.warps {
		if w.state == running || w.state == waiting {
			since = min(since, w.at)
		}
	}
	taken := 0
	for p := range pipes {
		if x.free[p] > since || x.busy[p] > s.now {
			taken |= 1 << p
		}
	}
	taken = s.number(taken)
	if s.load {
		x.free, x.busy, x.clash = [16]Cycle{}, [16]Cycle{}, [16]Cycle{}
	}
	for ; taken != 0; taken &= taken - 1 {
		p := bits.TrailingZeros(uint(taken))
		s.time(&x.free[p], since)
		s.time(&x.busy[p], s.now)
		clash := x.clash[p]
		if x.free[p] <= since {
			clash = 0
		}
		x.clash[p] = s.count(clash)
	}
}

// banks is what is going on at the ports of the registers.
func (s *snapshot) banks(x *sub) {
	for b := range maxBanks {
		s.time(&x.open[1<<b], s.now)
		s.time(&x.late[0][b], s.now-1)
		s.time(&x.late[1][b], s.now-1)
	}
	x.open[3] = max(x.open[1], x.open[2])
	x.lateLast = max(x.late[0][0], x.late[0][1], x.late[1][0], x.late[1][1])
	if !s.load {
		x.forget(s.now)
		s.words = append(s.words, Cycle(len(x.landings)-x.landed))
		for i := range x.landings[x.landed:] {
			l := &x.landings[x.landed+i]
			s.words = append(s.words, s.relative(l.at), l.lead, Cycle(l.w.local), Cycle(l.reg)<<8|Cycle(l.rows))
		}
		return
	}
	x.landings, x.landed, x.lastLanding = x.landings[:0], 0, 0
	for n := s.next(); n > 0; n-- {
		l := landing{at: s.absolute(s.next()), lead: s.next(), w: x.warps[s.next()]}
		v := s.next()
		l.reg, l.rows = isa.Reg(v>>8), int32(v&0xff)
		x.landings = append(x.landings, l)
		x.lastLanding = l.at
	}
}

func bit(b bool, i int) int {
	if b {
		return 1 << i
	}
	return 0
}

func (s *snapshot) warp(m *Multiprocessor, w *warp) {
	flags := s.number(int(w.state) | bit(w.odd, 3) | bit(w.pending, 4) | bit(w.turned, 5) | bit(w.next < len(w.recs), 6))
	w.state = warpState(flags & 7)
	if w.state == vacant {
		return
	}
	w.odd, w.pending, w.turned = flags&(1<<3) != 0, flags&(1<<4) != 0, flags&(1<<5) != 0
	s.number(len(m.blocks) - int(w.block)) // which block, of those that are resident
	s.number(int(w.index))
	s.time(&w.at, always)
	s.time(&w.drain, w.at)
	if w.state == ended {
		return
	}
	h := &w.sub.heads[w.local]
	s.time(&h.ready, always)
	need := s.number(int(h.pipe) | int(h.reads)<<8)
	h.pipe, h.reads = uint8(need), uint8(need>>8)
	if w.sub.coded {
		s.time(&w.rank, always)
		w.stays = s.number(bit(w.stays, 0)) != 0
	}
	s.time(&w.prev, always)
	s.time(&w.pace, w.at)
	s.time(&w.release, w.at)
	s.time(&w.fetched, w.at)
	s.time(&w.shadow, w.at)
	s.time(&w.settled, w.at-m.reach)
	s.time(&w.gap, w.at)
	if w.gap > w.at {
		w.gapPipe = uint8(s.number(int(w.gapPipe)))
	}
	if w.pending {
		s.time(&w.since, always)
		w.barrier, w.dst = uint8(s.number(int(w.barrier))), isa.Reg(s.number(int(w.dst)))
		w.barrierCode = isa.Reg(s.number(int(w.barrierCode)))
	}
	if s.load {
		s.putRegisters(m, w)
	} else {
		s.takeRegisters(m, w, w.at-m.reach)
	}
}

// takeRegisters writes down the registers that something may still wait for: the
// time and the number of each, its origin, and 0 behind the last.
func (s *snapshot) takeRegisters(m *Multiprocessor, w *warp, past Cycle) {
	for i, d := range m.names {
		if r := &w.regs[i]; r.ready > past {
			s.words = append(s.words, s.relative(r.ready)*regSpace+Cycle(d), Cycle(r.origin))
		}
	}
	s.words = append(s.words, 0)
}

func (s *snapshot) putRegisters(m *Multiprocessor, w *warp) {
	clear(w.regs)
	for x := s.next(); x != 0; x = s.next() {
		d := x & regMask
		t := x >> regBits
		m.setRegister(w, isa.Reg(d), result{s.absolute(t), uint64(s.next())})
	}
}
