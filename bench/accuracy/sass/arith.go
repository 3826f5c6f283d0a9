package sass

import (
	"math"

	"example.com/warpsim/lane"
)

// sum adds up the sources of a line, with the carry of an extended addition, and
// may leave a carry.
func sum(in *Instr) compute {
	if in.op == "FADD" {
		return each(in, func(m *machine, l int) uint32 {
			x, y := in.arg(1), in.arg(2)
			return math.Float32bits(m.float(x, l) + m.float(y, l))
		})
	}
	carry := in.arg(1).kind == pred
	from := in.args[1:]
	if carry {
		from = in.args[2:]
	}
	return func(m *machine, to lane.Mask) {
		var high lane.Mask
		m.set(in.arg(0), to, func(l int) uint32 {
			var s uint64
			for _, o := range from {
				switch {
				case o.kind != pred:
					s += uint64(m.value(o, l))
				case in.has("X") && m.holds(o, l):
					s++
				}
			}
			if s>>32 != 0 {
				high = high.With(l)
			}
			return uint32(s)
		})
		if carry {
			m.setPred(in.arg(1), to, high.Has)
		}
	}
}

// float returns a floating-point operand.
func (m *machine) float(o operand, l int) float32 {
	if o.kind == imm {
		return float32(o.float())
	}
	v := o
	v.neg = false
	x := math.Float32frombits(m.value(v, l))
	if o.neg {
		return -x
	}
	return x
}

// product is IMAD beyond 32 bits and with a carry.
func product(in *Instr) compute {
	a := in.arg
	if !in.has("WIDE") {
		return each(in, func(m *machine, l int) uint32 {
			v := m.value(a(1), l)*m.value(a(2), l) + m.value(a(3), l)
			if in.has("X") && m.holds(a(4), l) {
				v++
			}
			return v
		})
	}
	high := a(3)
	if high.n >= 0 {
		high.n++
	}
	return func(m *machine, to lane.Mask) {
		m.setWide(a(0), to, func(l int) uint64 {
			return uint64(m.value(a(1), l))*uint64(m.value(a(2), l)) + uint64(m.value(high, l))<<32 + uint64(m.value(a(3), l))
		})
	}
}

// scaled is LEA: a value shifted left and added to another, or the high part of
// that.
func scaled(in *Instr) compute {
	from, carry := in.args[1:], in.arg(1).kind == pred
	if carry {
		from = in.args[2:]
	}
	return func(m *machine, to lane.Mask) {
		var high lane.Mask
		m.set(in.arg(0), to, func(l int) uint32 {
			x, y := uint64(m.value(from[0], l)), uint64(m.value(from[1], l))
			n := m.value(from[len(from)-1], l) & 31
			if !in.has("HI") {
				s := x<<n&math.MaxUint32 + y
				if s>>32 != 0 {
					high = high.With(l)
				}
				return uint32(s)
			}
			n = from[3].val & 31
			s := (uint64(m.value(from[2], l))<<32|x)<<n>>32 + y
			if in.has("X") && m.holds(from[4], l) {
				s++
			}
			return uint32(s)
		})
		if carry {
			m.setPred(in.arg(1), to, high.Has)
		}
	}
}

// funnel is SHF: the high or low word of two words shifted.
func funnel(in *Instr, lo, n, hi uint32) uint32 {
	if in.has("W") {
		n &= 31
	}
	n = min(n, 32)
	both := uint64(hi)<<32 | uint64(lo)
	switch {
	case in.has("L") && in.has("HI"):
		return uint32(both << n >> 32)
	case in.has("L"):
		return uint32(uint64(lo) << n)
	case in.has("S32"):
		return uint32(int64(int32(hi)) >> n)
	case in.has("HI"):
		return uint32(uint64(hi) >> n)
	}
	return uint32(both >> n)
}

// logic is LOP3: three values by a truth table, and whether that is not zero.
func logic(in *Instr) compute {
	i, p := 0, operand{}
	if in.arg(0).kind == pred {
		p, i = in.arg(0), 1
	}
	table := in.arg(i + 4).val
	return func(m *machine, to lane.Mask) {
		f := func(l int) uint32 {
			var v uint32
			for b := range 8 {
				if table>>b&1 == 0 {
					continue
				}
				t := ^uint32(0)
				for k := range 3 {
					x := m.value(in.arg(i+1+k), l)
					if b>>(2-k)&1 == 0 {
						x = ^x
					}
					t &= x
				}
				v |= t
			}
			return v
		}
		m.setPred(p, to, func(l int) bool { return f(l) != 0 })
		m.set(in.arg(i), to, f)
	}
}

// compareWith is ISETP combined with another predicate, and of the high words of
// longer values.
func compareWith(in *Instr) compute {
	a := in.arg
	return func(m *machine, to lane.Mask) {
		f := func(l int) bool {
			x, y := m.value(a(2), l), m.value(a(3), l)
			order := int(0)
			switch {
			case x == y:
			case in.has("U32") && x < y, !in.has("U32") && int32(x) < int32(y):
				order = -1
			default:
				order = 1
			}
			r := [...]bool{order == 0, order != 0, order < 0, order <= 0, order > 0, order >= 0}[compares[in.mods[0]]]
			with := m.holds(a(4), l)
			if in.has("EX") {
				low := m.holds(a(5), l)
				if in.mods[0] == "NE" {
					r = r || low
				} else {
					r = r && low
				}
			}
			if in.has("OR") {
				return r || with
			}
			return r && with
		}
		if a(0).kind == upred {
			m.upreds[a(0).n] = f(0)
			return
		}
		m.setPred(a(0), to, f)
	}
}

// halfFMA is HFMA2: a product and a sum on each of two 16-bit floats, or two
// constants.
func halfFMA(m *machine, in *Instr, to lane.Mask) {
	a := in.arg
	if len(in.args) == 5 { // R, -RZ, RZ, high, low
		v := halfBits(a(3).float())<<16 | halfBits(a(4).float())
		m.set(a(0), to, func(int) uint32 { return v })
		return
	}
	m.set(a(0), to, func(l int) uint32 {
		var v uint32
		for k := 0; k < 32; k += 16 {
			x, y, z := halfOf(m.value(a(1), l)>>k), halfOf(m.value(a(2), l)>>k), halfOf(m.value(a(3), l)>>k)
			v |= halfBits(math.FMA(x, y, z)) << k
		}
		return v
	})
}

// halfOf returns the value of a 16-bit float.
func halfOf(h uint32) float64 {
	sign, e, f := h>>15&1, int(h>>10&31), float64(h&0x3ff)
	v := math.Ldexp(f, -24)
	switch {
	case e == 31 && f != 0:
		return math.NaN()
	case e == 31:
		v = math.Inf(1)
	case e > 0:
		v = math.Ldexp(f+1024, e-25)
	}
	if sign != 0 {
		return -v
	}
	return v
}

// halfBits returns the nearest 16-bit float, ties to even.
func halfBits(x float64) uint32 {
	sign := uint32(math.Float64bits(x)>>63) << 15
	x = math.Abs(x)
	switch {
	case x != x:
		return 0x7fff
	case x >= 65520:
		return sign | 0x7c00
	case x < 0x1p-14:
		return sign | uint32(math.RoundToEven(x*0x1p24))
	}
	f, e := math.Frexp(x) // 0.5 to 1
	return sign | uint32(int(math.RoundToEven(f*2048))-1024+(e+14)<<10)
}
