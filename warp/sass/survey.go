package sass

import (
	"encoding/binary"
	"math"
	"math/bits"
	"unsafe"

	"example.com/warpsim/warp"
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

// look returns what is known of the addresses of an op, brought up to date, and by how
// much its own are higher. It reports whether the pattern is one that the quick code
// takes.
func (m *machine) look(o *op) (s *survey, shift uint64, ok bool) {
	s = &m.known[o.slot]
	if m.exec != everybody {
		s = &m.known[surveys] // not kept
	} else if o.leader != o.index && s.by == o.leader {
		return s, uint64(o.imm - s.imm), true
	}
	s.by = -1
	low := m.among(&m.file[o.a.row], 0)
	start := uint64(o.imm)
	if o.flags&flagWideAddress != 0 {
		high := m.among(&m.file[o.ah.row], 1)
		if !same(high) {
			return s, 0, false
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
	if m.exec == everybody {
		s.by = o.leader
	}
	return s, 0, true
}

// among returns a row in which lanes that take no part have what the first has that does;
// k numbers the rows that are in use together.
func (m *machine) among(a *row, k int) *row {
	if m.exec == everybody {
		return a
	}
	t := &m.changed[k]
	first := a[bits.TrailingZeros32(m.exec)&31]
	if vectors {
		vectorAmong(t, a, first, m.exec)
		return t
	}
	for i, x := range a {
		t[i] = first ^ (first^x)&-(m.exec>>i&1)
	}
	return t
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

// reach returns the memory that an access covers, from its lowest address on, nil if
// something about it is unusual.
func (m *machine) reach(o *op, s *survey, shift uint64) []byte {
	size := uint64(o.bytes)
	least, n := s.least+shift, s.most-s.least+size
	if (s.or|shift)&(size-1) != 0 {
		return nil
	}
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
func (m *machine) conflictsKnown(o *op, s *survey) {
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
	x.Kind, x.Lanes, x.Bytes, x.Run = warp.LoadAccess, mask(m.exec), int(o.bytes), false
	_, beyond := m.f.SharedPasses(x)
	s.beyond = int32(beyond)
}

// quickly returns what is known of the addresses of an access, and the memory that it
// covers; nil if something about it is unusual.
func (m *machine) quickly(o *op) (s *survey, at []byte) {
	if o.leader == o.index {
		m.known[o.slot].by = -1
	}
	if o.more || m.loose(o)&m.exec != 0 {
		return nil, nil
	}
	s, shift, ok := m.look(o)
	if !ok {
		return nil, nil
	}
	if at = m.reach(o, s, shift); at == nil {
		return nil, nil
	}
	return s, at
}

// quickLoad is a load if nothing about it is unusual.
func (m *machine) quickLoad(o *op) bool {
	s, from := m.quickly(o)
	if s == nil {
		return false
	}
	if space(o.table) == global {
		m.f.OrderAccess()
	}
	words := int(o.words)
	to := m.file[o.d:][:words]
	if m.exec != everybody {
		to = m.tmp[:words]
	}
	switch {
	case o.bytes < 4:
		m.gatherParts(&to[0], o, from, &s.off)
	case s.pattern == oneForAll:
		for k := range to {
			broadcastRow(&to[k], binary.LittleEndian.Uint32(from[4*k:]))
		}
	case s.pattern == inARow && words == 1:
		loadWords(to[0][:], from)
	default:
		gather(to, from, &s.off)
	}
	if space(o.table) == shared {
		m.conflictsKnown(o, s)
	}
	if m.exec != everybody {
		for k := range to {
			m.blend(&m.file[int(o.d)+k], &to[k])
			m.undef[int(o.d)+k] &^= m.exec
		}
	} else {
		clear(m.undef[o.d:][:words])
	}
	m.f.Put(&o.rec, mask(m.exec))
	return true
}

// gather takes words of each lane, which lie off bytes from the first of a window of
// memory, to rows behind each other.
func gather(to []row, from []byte, off *row) {
	p := unsafe.Pointer(unsafe.SliceData(from))
	switch {
	case vectors && len(to) == 4:
		vectorGather4((*[4]row)(to), p, off)
	case vectors:
		for k := range to {
			vectorGather(&to[k], unsafe.Add(p, 4*k), off)
		}
	default:
		for k := range to {
			r := &to[k]
			for l, x := range off {
				r[l&31] = *(*uint32)(unsafe.Add(p, int(x)+4*k))
			}
		}
	}
}

// gatherParts is gather for loads of less than a word.
func (m *machine) gatherParts(d *row, o *op, from []byte, off *row) {
	p := unsafe.Pointer(unsafe.SliceData(from))
	signed := o.flags&flagSignExtend != 0
	if o.bytes == 1 {
		for l, x := range off {
			v := uint32(*(*uint8)(unsafe.Add(p, int(x))))
			if signed {
				v = uint32(int32(int8(v)))
			}
			d[l] = v
		}
		return
	}
	for l, x := range off {
		v := uint32(*(*uint16)(unsafe.Add(p, int(x))))
		if signed {
			v = uint32(int32(int16(v)))
		}
		d[l] = v
	}
}

// quickStore is a store if nothing about it is unusual.
func (m *machine) quickStore(o *op) bool {
	s, to := m.quickly(o)
	if s == nil {
		return false
	}
	size := int(o.bytes)
	if space(o.table) == global {
		m.f.OrderAccess()
		if s.pattern == inARow && m.exec == everybody {
			m.f.Overwrites(to)
		} else {
			for x := m.exec; x != 0; x &= x - 1 {
				m.f.Overwrites(to[s.off[bits.TrailingZeros32(x)&31]:][:size])
			}
		}
	}
	p := unsafe.Pointer(unsafe.SliceData(to))
	switch {
	case size < 4:
		v := m.word(o, 0)
		for x := m.exec; x != 0; x &= x - 1 {
			l := bits.TrailingZeros32(x) & 31
			if q := unsafe.Add(p, int(s.off[l])); size == 1 {
				*(*uint8)(q) = uint8(v[l])
			} else {
				*(*uint16)(q) = uint16(v[l])
			}
		}
	case s.pattern == inARow && size == 4 && m.exec == everybody:
		storeWords(to, m.word(o, 0)[:])
	default:
		for k := range int(o.words) {
			q, v := unsafe.Add(p, 4*k), m.word(o, k)
			if m.exec == everybody {
				for l, x := range v {
					*(*uint32)(unsafe.Add(q, int(s.off[l]))) = x
				}
				continue
			}
			for x := m.exec; x != 0; x &= x - 1 {
				l := bits.TrailingZeros32(x) & 31
				*(*uint32)(unsafe.Add(q, int(s.off[l]))) = v[l]
			}
		}
	}
	if space(o.table) == shared {
		m.conflictsKnown(o, s)
	}
	m.f.Put(&o.rec, mask(m.exec))
	return true
}

// quickAtomic is an atomic of words in global memory if nothing about it is unusual.
func (m *machine) quickAtomic(o *op) bool {
	s, at := m.quickly(o)
	if s == nil {
		return false
	}
	m.f.OrderBlocks()
	p := unsafe.Pointer(unsafe.SliceData(at))
	d, v := &m.file[o.d], m.word(o, 0)
	what, kind := o.sub>>4, o.table2
	add := what == atomAdd && kind <= atomS32
	for x := m.exec; x != 0; x &= x - 1 {
		l := bits.TrailingZeros32(x) & 31
		q := (*uint32)(unsafe.Add(p, int(s.off[l])))
		old := *q
		if add {
			*q = old + v[l]
		} else {
			*q = combine32(what, kind, old, v[l])
		}
		d[l] = old
	}
	for _, at := range o.sets {
		m.undef[at] &^= m.exec
	}
	m.f.Put(&o.rec, mask(m.exec))
	return true
}
