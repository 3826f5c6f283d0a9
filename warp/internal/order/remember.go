package order

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"example.com/warpsim/warp/isa"
)

const (
	// slots is how many windows can be remembered, a power of two, and tries how many
	// of them are looked at for one.
	slots = 1024
	tries = 4
	// most records of remembered windows, before and after. With more, all are
	// forgotten.
	mostRemembered = 1 << 15
)

// memory has windows that have been ordered, one behind the other. A window that has the
// shape of one of them, as those of other warps and of other turns do, gets its order.
type memory struct {
	slots [slots]slot
	age   uint32 // of those that count
	recs  []isa.Instr
	from  []uint16 // of each in recs the place in its window that it came from
}

// A slot is one window: n records from at on, and m in order behind them.
type slot struct {
	hash uint64
	age  uint32
	at   int32
	n, m uint16
}

// find returns the slot of a window, whether it is there, and if so, whether it is the same
// in all that is in records.
func (m *memory) find(h uint64, recs []isa.Instr) (x *slot, ok, same bool) {
	var free *slot
	for k := range uint64(tries) {
		x := &m.slots[(h>>32+k)%slots]
		if x.age != m.age {
			if free == nil {
				free = x
			}
			continue
		}
		if x.hash == h && int(x.n) == len(recs) {
			known := m.recs[x.at : x.at+int32(x.n)]
			if isa.Equal(known, recs) {
				return x, true, true
			}
			if alikeInShape(known, recs) {
				return x, true, false
			}
		}
	}
	if free == nil {
		free = &m.slots[h>>32%slots]
	}
	return free, false, false
}

// The shape of a window is what its order depends on: its records, but for how many
// lanes are active, of which only counts for which records it is as many, and for what
// they count, as passes and sectors, where that is no kind of branch.

// words returns the bytes of records, of which each has recordBytes.
func words(recs []isa.Instr) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(recs))), len(recs)*recordBytes)
}

// Where a record has what is not of its shape.
const (
	recordBytes = int(unsafe.Sizeof(isa.Instr{}))
	activeShift = 8 * unsafe.Offsetof(isa.Instr{}.Active)
	noCount     = 1<<(8*(unsafe.Offsetof(isa.Instr{}.Count)-8)) - 1
)

var _ [recordBytes - 16]struct{}
var _ [16 - recordBytes]struct{}

// shaped returns the two words of the record that b begins with, as far as they are of the
// shape of a window whose first record has so many active lanes.
func shaped(b []byte, op isa.Op, active uint8) (uint64, uint64) {
	first, second := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
	if op != isa.Branch {
		second &= noCount
	}
	return first ^ uint64(active)<<activeShift, second
}

// hashShape returns a number that is the same for windows of the same shape, and hardly
// ever for others.
func hashShape(recs []isa.Instr) uint64 {
	h := uint64(len(recs)) * 0x9e3779b97f4a7c15
	b := words(recs)
	for i := range recs {
		x, y := shaped(b[:16], recs[i].Op, recs[0].Active)
		h = bits.RotateLeft64((h^x)*0x9e3779b97f4a7c15, 27)
		h = bits.RotateLeft64((h^y)*0xbf58476d1ce4e5b9, 31)
		b = b[16:]
	}
	return h ^ h>>32*0x9e3779b97f4a7c15
}

// alikeInShape reports whether two windows of one length have the same shape.
func alikeInShape(known, recs []isa.Instr) bool {
	a, b := words(known), words(recs)
	for i := range recs {
		x, y := shaped(a[16*i:], known[i].Op, known[0].Active)
		u, v := shaped(b[16*i:], recs[i].Op, recs[0].Active)
		if x != u || y != v {
			return false
		}
	}
	return true
}

// keep remembers a window, in its slot.
func (m *memory) keep(x *slot, h uint64, recs, out []isa.Instr, from []uint16) {
	if len(m.recs)+len(recs)+len(out) > mostRemembered {
		m.recs, m.from = m.recs[:0], m.from[:0]
		m.age++
	}
	*x = slot{hash: h, age: m.age, at: int32(len(m.recs)), n: uint16(len(recs)), m: uint16(len(out))}
	m.recs = append(append(m.recs, recs...), out...)
	for range recs {
		m.from = append(m.from, 0)
	}
	m.from = append(m.from, from...)
}

// window returns a window in order.
func (m *memory) window(x *slot) ([]isa.Instr, []uint16) {
	from, to := x.at+int32(x.n), x.at+int32(x.n)+int32(x.m)
	return m.recs[from:to], m.from[from:to]
}
