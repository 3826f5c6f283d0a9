package sass

import (
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
)

// value returns an operand in a lane.
func (m *machine) value(o operand, l int) uint32 {
	var v uint32
	switch {
	case o.kind == reg && o.n >= 0:
		v = m.regs[o.n].Lanes()[l]
	case o.kind == ureg && o.n >= 0:
		v = uint32(m.uregs[o.n].Mask().Lo)
	case o.kind == imm:
		v = o.val
	case o.kind == constant && int(o.val/4) < len(m.params):
		v = m.params[o.val/4]
	}
	if o.inv {
		v = ^v
	}
	if o.neg {
		v = -v
	}
	return v
}

// mask returns the lanes in which a predicate holds.
func (m *machine) mask(o operand) lane.Mask {
	v := lane.FirstN(lanes)
	switch {
	case o.kind == pred && o.n >= 0:
		v = m.preds[o.n].Mask()
	case o.kind == upred && !m.upreds[o.n]:
		v = lane.Mask{}
	}
	if o.inv {
		v = v.Not(lanes)
	}
	return v
}

func (m *machine) holds(o operand, l int) bool { return m.mask(o).Has(l) }

// set gives a register a value in each of some lanes; a uniform one that of the
// first lane.
func (m *machine) set(o operand, to lane.Mask, f func(l int) uint32) {
	switch {
	case o.n < 0:
	case o.kind == ureg:
		warp.DefineMask(m.uregs[o.n], lane.Mask{Lo: uint64(f(0))})
	case o.kind == reg:
		var out [lanes]uint32 // f may read what is written
		for l := range to.Lanes() {
			out[l] = f(l)
		}
		for l := range to.Lanes() {
			m.regs[o.n].Lanes()[l] = out[l]
		}
	}
}

// setWide is set for a pair of registers.
func (m *machine) setWide(o operand, to lane.Mask, f func(l int) uint64) {
	var out [lanes]uint64
	for l := range to.Lanes() {
		out[l] = f(l)
	}
	high := o
	high.n++
	m.set(o, to, func(l int) uint32 { return uint32(out[l]) })
	m.set(high, to, func(l int) uint32 { return uint32(out[l] >> 32) })
}

func (m *machine) setPred(o operand, to lane.Mask, f func(l int) bool) {
	if o.kind != pred || o.n < 0 {
		return
	}
	var v lane.Mask
	for l := range to.Lanes() {
		if f(l) {
			v = v.With(l)
		}
	}
	warp.DefinePred(m.preds[o.n], v, to)
}
