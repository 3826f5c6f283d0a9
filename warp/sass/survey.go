package sass

import (
	"encoding/binary"
	"math"
	"unsafe"
)

// Accesses of full warps that nobody watches or times, which most are in a run for
// values: their addresses are looked at as a whole, and only worked out one by one
// if they lie scattered. Whatever is unusual about one (undefined lanes, odd
// addresses, one beyond the end) is left to the other code, which says what is wrong.

// A pattern is how the addresses of a warp lie.
type pattern uint8

const (
	unknown   pattern = iota
	oneForAll         // all the same
	inARow            // each lane's behind those of the lane before
	scattered
)

// surveys is how many bases a machine keeps in mind.
const surveys = 4

// A survey is what is known of the addresses of an access of a full warp.
type survey struct {
	by          int32 // the first op with these addresses, but for their offset; -1: none
	imm         int64
	least, most uint64
	or          uint64 // bits that some have, for what they are multiples of
	pattern     pattern
	beyond      int32 // passes that their bank conflicts take; -1: not known
	off         row   // how much higher than the least each is, of scattered ones
}

// leaders finds the ops whose addresses are, but for a constant, those of one before
// it in a straight line.
func (p *Program) leaders() {
	target := make([]bool, len(p.ops)+1)
	for i := range p.ops {
		if o := &p.ops[i]; o.class == controls || p.f.Code[i].Op == "BSSY" {
			target[o.target] = true
		}
	}
	var last [surveys]int // the ops of the groups under way, most recent first
	forget := func(k int) {
		copy(last[k:], last[k+1:])
		last[surveys-1] = -1
	}
	reset := func() {
		for k := range last {
			last[k] = -1
		}
	}
	reset()
	slot := uint8(0)
	for i := range p.ops {
		o := &p.ops[i]
		o.leader = o.index
		if target[i] || o.class == controls {
			reset()
		}
		if o.survey {
			o.slot = slot
			for k, at := range last {
				if at < 0 || o.guard != predTrue {
					break
				}
				if l := &p.ops[at]; l.a == o.a && l.ah == o.ah && l.b == o.b && l.bh == o.bh && l.table == o.table && l.bytes == o.bytes {
					o.leader, o.slot = l.leader, l.slot
					forget(k)
					break
				}
			}
			if o.leader == o.index {
				slot = (slot + 1) % surveys
			}
			if o.guard == predTrue {
				copy(last[1:], last[:])
				last[0] = i
			}
		}
		for k := 0; k < surveys; k++ {
			for last[k] >= 0 && p.ops[last[k]].movedBy(o) {
				forget(k)
			}
		}
	}
}

// movedBy reports whether an op writes what the addresses of this one are made of.
func (o *op) movedBy(by *op) bool {
	for _, w := range by.writes {
		if w == o.a.row || w == o.ah.row || w == o.b.row || w == o.bh.row {
			return true
		}
	}
	return false
}

// forget drops what is known.
func (m *machine) forget() {
	for i := range m.known {
		m.known[i].by = -1
	}
}

// look brings what is known up to date with an op, and returns by how much its
// addresses are higher than those that are known. It reports whether the pattern is
// one that the quick code takes.
func (m *machine) look(o *op) (shift uint64, ok bool) {
	s := &m.known[o.slot]
	if o.leader != o.index && s.by == o.leader {
		return uint64(o.imm - s.imm), true
	}
	s.by = -1
	low := &m.file[o.a.row]
	start := uint64(o.imm)
	if o.flags&flagWideAddress != 0 {
		high := &m.file[o.ah.row]
		if !same(high) {
			return 0, false
		}
		start += uint64(high[0]) << 32
	}
	if o.b.row != rowZero {
		start += uint64(m.file[o.b.row][0])
		if o.flags&flagWideUniform != 0 {
			start += uint64(m.file[o.bh.row][0]) << 32
		}
	}
	s.imm, s.beyond = o.imm, -1
	lie := lieOf(low, uint32(start), uint32(o.bytes), &s.off)
	s.least, s.most, s.or = start+uint64(lie.least), start+uint64(lie.most), uint64(lie.or)
	switch {
	case lie.least == lie.most:
		s.pattern = oneForAll
	case lie.gaps == 0 && lie.least == low[0]:
		s.pattern = inARow
	default:
		s.pattern = scattered
	}
	s.by = o.leader
	return 0, true
}

// A lie is how the words of a row lie to each other.
type lie struct {
	least, most uint32
	or          uint32 // bits that some have once a number is added to all
	gaps        uint32 // 0: each is n more than the one before
}

// lieOf looks at a row, and notes how much higher than the least each of its words is.
func lieOf(a *row, add, n uint32, off *row) (l lie) {
	if vectors {
		vectorLie(a, add, n, off, &l)
		return l
	}
	l.least, l.most = a[0], a[0]
	for i, x := range a {
		l.least, l.most = min(l.least, x), max(l.most, x)
		l.or |= x + add
		l.gaps |= x ^ (a[0] + uint32(i)*n)
	}
	for i, x := range a {
		off[i] = x - l.least
	}
	return l
}

// span returns the bytes that an access reaches from its lowest address on, and
// that address; false if something about it is unusual.
func (m *machine) span(o *op, shift uint64) (least, n uint64, ok bool) {
	s := &m.known[o.slot]
	size := uint64(o.bytes)
	return s.least + shift, s.most - s.least + size, (s.or|shift)&(size-1) == 0
}

// window returns the memory that an access lies in: from its lowest address on.
func (m *machine) window(o *op, least, n uint64) []byte {
	if space(o.table) == shared {
		if end := least + n; end >= least && end <= uint64(len(m.mem)) {
			return m.mem[least:end:end]
		}
		return nil
	}
	if n > math.MaxInt32 {
		return nil
	}
	r := m.find(least, int(n))
	if r == nil {
		return nil
	}
	return r.data[least-r.base:][:n:n]
}

// conflictsKnown books the bank conflicts of a scattered access to shared memory.
func (m *machine) conflictsKnown(o *op) {
	s := &m.known[o.slot]
	if s.pattern != scattered {
		return
	}
	if s.beyond >= 0 { // a shift turns the banks, and no two meet that did not
		m.f.Conflicts(int(s.beyond))
		return
	}
	banks := &m.w.Device().Shared
	if s.beyond = 0; s.most-s.least+uint64(o.bytes) <= uint64(banks.Count*banks.Bytes) {
		return // no bank has two words of these
	}
	for i, x := range s.off {
		m.addr[i] = s.least + uint64(x)
	}
	x := &m.access
	x.Lanes, x.Bytes, x.Run = mask(everybody), int(o.bytes), false
	_, beyond := m.f.SharedPasses(x)
	s.beyond = int32(beyond)
}

// quickLoad is a load if nothing about it is unusual.
func (m *machine) quickLoad(o *op) bool {
	if o.leader == o.index {
		m.known[o.slot].by = -1
	}
	if o.more || !m.clean(o) {
		return false
	}
	shift, ok := m.look(o)
	if !ok {
		return false
	}
	least, n, ok := m.span(o, shift)
	if !ok {
		return false
	}
	if space(o.table) == global {
		m.f.OrderAccess()
	}
	from := m.window(o, least, n)
	if from == nil {
		return false
	}
	d := int(o.d)
	words := int(o.words)
	switch m.known[o.slot].pattern {
	case oneForAll:
		for k := range words {
			broadcastRow(&m.file[d+k], binary.LittleEndian.Uint32(from[4*k:]))
		}
	case inARow:
		if words == 1 {
			loadWords(m.file[d][:], from)
			break
		}
		m.gather(d, words, from, &m.known[o.slot].off)
	default:
		m.gather(d, words, from, &m.known[o.slot].off)
		if space(o.table) == shared {
			m.conflictsKnown(o)
		}
	}
	clear(m.undef[d : d+int(o.words)])
	m.f.Put(&o.rec, mask(everybody))
	return true
}

// gather takes so many words of each lane, which lie off bytes from the first of a
// window of memory, to rows behind each other.
func (m *machine) gather(d, words int, from []byte, off *row) {
	p := unsafe.Pointer(unsafe.SliceData(from))
	switch {
	case vectors && words == 4:
		vectorGather4(&m.file[d], p, off)
	case vectors:
		for k := range words {
			vectorGather(&m.file[d+k], unsafe.Add(p, 4*k), off)
		}
	default:
		for k := range words {
			r := &m.file[d+k]
			for l, x := range off {
				r[l&31] = *(*uint32)(unsafe.Add(p, int(x)+4*k))
			}
		}
	}
}

// quickStore is a store if nothing about it is unusual.
func (m *machine) quickStore(o *op) bool {
	if o.leader == o.index {
		m.known[o.slot].by = -1
	}
	if o.more || !m.clean(o) {
		return false
	}
	shift, ok := m.look(o)
	if !ok {
		return false
	}
	least, n, ok := m.span(o, shift)
	if !ok || m.known[o.slot].pattern == oneForAll {
		return false
	}
	if space(o.table) == global {
		m.f.OrderAccess()
	}
	to := m.window(o, least, n)
	if to == nil {
		return false
	}
	if space(o.table) == global {
		if m.known[o.slot].pattern == scattered {
			return false
		}
		m.f.Overwrites(to)
	}
	words := int(o.words)
	if m.known[o.slot].pattern == inARow && words == 1 {
		storeWords(to, m.word(o, 0)[:])
		m.f.Put(&o.rec, mask(everybody))
		return true
	}
	p := unsafe.Pointer(unsafe.SliceData(to))
	off := &m.known[o.slot].off
	for k := range words {
		q := unsafe.Add(p, 4*k)
		for l, x := range m.word(o, k) {
			*(*uint32)(unsafe.Add(q, int(off[l]))) = x
		}
	}
	if space(o.table) == shared {
		m.conflictsKnown(o)
	}
	m.f.Put(&o.rec, mask(everybody))
	return true
}
