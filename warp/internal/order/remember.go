package order

import "example.com/warpsim/warp/isa"

const (
	// slots is how many windows can be remembered, a power of two, and tries how many
	// of them are looked at for one.
	slots = 1024
	tries = 4
	// most records of remembered windows, before and after. With more, all are
	// forgotten.
	mostRemembered = 1 << 15
)

// memory has windows that have been ordered, one behind the other.
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

// find returns the slot of a window, and whether it is there.
func (m *memory) find(h uint64, recs []isa.Instr) (*slot, bool) {
	var free *slot
	for k := range uint64(tries) {
		x := &m.slots[(h>>32+k)%slots]
		if x.age != m.age {
			if free == nil {
				free = x
			}
			continue
		}
		if x.hash == h && isa.Equal(m.recs[x.at:x.at+int32(x.n)], recs) {
			return x, true
		}
	}
	if free == nil {
		free = &m.slots[h>>32%slots]
	}
	return free, false
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
