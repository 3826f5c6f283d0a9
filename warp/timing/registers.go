package timing

import "example.com/warpsim/warp/isa"

// A sub-partition keeps its registers in banks: row r lies in bank r modulo their
// number. A bank reads one row of a warp a cycle and writes one.
//
// An instruction reads when it is issued, a row of each bank a cycle, and holds
// the next one that reads from that bank up. Some read late (opInfo.late): one
// operand after the other, each in the first of two cycles if its bank has nothing
// else to read then, or else in the second, before anything else.
//
// Results of known latency are written when they are ready. Results that come back
// through a unit shared by all (opInfo.lead) land one after the other, in the order
// of issue, and wait for a cycle in which nothing of known latency is written to
// their bank.

// maxBanks is a power of two.
const maxBanks = 2

// landingRoom is more than what is on its way at a time, as a rule.
const landingRoom = 256

// A landing is a result on its way to a bank.
type landing struct {
	at   Cycle // when it is written
	lead Cycle // readers may be issued that much later
	w    *warp
	reg  isa.Reg
	rows int32
}

// The entries of table.banks: a bit for the bank, where gates have it, and a one
// in the bank's count.
const (
	gateShift  = 4
	allBanks   = (1<<maxBanks - 1) << gateShift
	countShift = 8
)

// need is what an instruction needs of the banks: a bit for each that it waits
// for, and from countShift on how many of its operands lie in each.
func (m *Multiprocessor) need(in *isa.Instr) uint16 {
	a, b, c := m.banks[in.A&regMask], m.banks[in.B&regMask], m.banks[in.C&regMask]
	bits := (a | b | c) & allBanks
	n := a
	if in.B != in.A {
		n += b
	}
	if in.C != in.A && in.C != in.B {
		n += c
	}
	return bits | n&^(1<<countShift-1)
}

// needAny is need for instructions with pairs too.
func (m *Multiprocessor) needAny(in *isa.Instr) uint16 {
	n := m.need(in)
	if (in.A|in.B|in.C)&pairs != 0 {
		for _, r := range [...]isa.Reg{in.A, in.B, in.C} {
			if r.IsPair() {
				x := m.banks[(r+1)&regMask]
				n = n + x&^(1<<countShift-1) | x&allBanks
			}
		}
	}
	return n
}

// queue says when a warp can issue its next instruction, as far as the warp is
// concerned, and what that needs.
func (w *warp) queue(info *opInfo, ready Cycle, need uint16) {
	w.sub.heads[w.local] = head{ready, info.pipe | uint8(need)&info.early, uint8(need >> countShift)}
}

// read books what the chosen warp reads with an instruction issued at t.
func (m *Multiprocessor) read(s *sub, in *isa.Instr, info *opInfo, t Cycle) {
	n := s.heads[s.pick].reads
	if n == 0 {
		return
	}
	if info.early == 0 {
		m.readLate(s, in, info, t+Cycle(info.late))
		return
	}
	one, two := t+Cycle(n&15), t+Cycle(n>>4)
	if s.lateLast >= t {
		if one > t && (s.late[0][0] == t || s.late[1][0] == t) {
			one++
		}
		if two > t && (s.late[0][1] == t || s.late[1][1] == t) {
			two++
		}
	}
	s.open[1], s.open[2] = max(s.open[1], one), max(s.open[2], two)
	s.open[3] = max(s.open[1], s.open[2])
}

// readLate books the operands of an instruction that reads them one by one: data
// before addresses.
func (m *Multiprocessor) readLate(s *sub, in *isa.Instr, info *opInfo, t Cycle) {
	first, second := in.A, in.B
	if info.kind == shared {
		first, second = second, first
	}
	m.readAt(s, 0, first, t)
	if second != isa.NoReg {
		m.readAt(s, 1, second, t+2)
	}
}

// readAt books the late read of operand k in one of two cycles.
func (m *Multiprocessor) readAt(s *sub, k int, r isa.Reg, t Cycle) {
	bank := m.banks[r&regMask] & allBanks >> gateShift
	if bank == 0 {
		return
	}
	if open := &s.open[bank&3]; *open > t {
		*open = max(*open, t+1) + 1
		s.open[3] = max(s.open[3], *open)
	} else {
		s.late[k][bank>>1&1] = t
		s.lateLast = max(s.lateLast, t)
	}
}

// forget forgets what has landed before a cycle, or in it: nothing meets that any more.
func (s *sub) forget(now Cycle) {
	for s.landed < len(s.landings) && s.landings[s.landed].at <= now {
		s.landed++
	}
}

// land lets a result come back that readers are to have at ready, and returns when
// they have it.
func (m *Multiprocessor) land(s *sub, w *warp, in *isa.Instr, ready, lead Cycle) Cycle {
	at := ready - lead
	s.forget(m.now)
	if n := len(s.landings); n > s.landed {
		at = max(at, s.landings[n-1].at+1)
	}
	if s.landed == len(s.landings) {
		s.landings, s.landed = s.landings[:0], 0
	} else if s.landed >= 64 {
		s.landings = s.landings[:copy(s.landings, s.landings[s.landed:])]
		s.landed = 0
	}
	dst, _ := in.Rows()
	s.landings = append(s.landings, landing{at, lead, w, in.Dst & regMask, int32(max(dst, rowsOf(in.Dst)))})
	s.lastLanding = at
	return at + lead
}

// collide holds up what would land in the bank of a result of known latency while
// that is written, and what comes behind it. issuing is the warp at work, whose
// next instruction has not been looked at yet.
func (m *Multiprocessor) collide(s *sub, issuing *warp, in *isa.Instr, at Cycle) {
	bank := m.banks[in.Dst&regMask]
	if bank == 0 {
		return
	}
	s.forget(m.now)
	i := s.landed
	for i < len(s.landings) && s.landings[i].at < at {
		i++
	}
	if i == len(s.landings) {
		return
	}
	if l := &s.landings[i]; l.at != at || rowsOf(in.Dst) == 1 && l.rows == 1 && m.banks[l.reg] != bank {
		return
	}
	for ; i < len(s.landings) && s.landings[i].at <= at; i++ {
		at++
		m.delay(s, issuing, &s.landings[i], at)
	}
	s.lastLanding = s.landings[len(s.landings)-1].at
}

// delay lets a result land later than it was to.
func (m *Multiprocessor) delay(s *sub, issuing *warp, l *landing, at Cycle) {
	old := l.at + l.lead
	l.at = at
	w := l.w
	if w.state != running && w.state != waiting && w.state != starved && w.state != held {
		return
	}
	held := false
	for k := range isa.Reg(l.rows) {
		if r := m.register(w, l.reg+k); r.ready == old {
			r.ready = at + l.lead
			held = true
		}
	}
	for i := range scoreboards {
		if r := m.register(w, firstScoreboard+isa.Reg(i)); r.ready == old {
			r.ready = at + l.lead
			held = true
		}
	}
	if !held {
		return
	}
	w.drain = max(w.drain, at+l.lead)
	if w != issuing && w.state != starved && w.next < len(w.recs) {
		m.head(w)
	}
}
