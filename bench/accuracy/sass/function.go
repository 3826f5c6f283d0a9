package sass

import (
	"math"
	"strings"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
)

// opOf is the class of the lines that compute here.
var opOf = map[string]isa.Op{
	"IADD3": isa.IAdd, "LEA": isa.IAdd, "IMAD": isa.IMul, "VIADD": isa.IMul, "HFMA2": isa.HFma,
	"LOP3": isa.Logic, "PLOP3": isa.Logic, "P2R": isa.Logic, "R2P": isa.Logic, "PRMT": isa.Logic,
	"SHF": isa.Shift, "ISETP": isa.ICmp, "FSEL": isa.Select, "FADD": isa.FAdd, "I2F": isa.Convert,
	"LDC": isa.LoadConst, "S2R": isa.ReadSpecial, "S2UR": isa.ReadSpecialUniform, "CS2R": isa.ReadClock,
	"ULDC": isa.UniformMov, "UMOV": isa.UniformMov,
	"ULEA": isa.UniformALU, "USHF": isa.UniformALU, "UIADD3": isa.UniformALU, "UISETP": isa.UniformALU,
}

// A compute sets the results of a line in the lanes that take part.
type compute func(m *machine, to lane.Mask)

// each returns the function of a line with one 32-bit result.
func each(in *Instr, f func(m *machine, l int) uint32) compute {
	return func(m *machine, to lane.Mask) {
		m.set(in.arg(0), to, func(l int) uint32 { return f(m, l) })
	}
}

// function returns what a line computes that the engine does not, nil if it is
// unknown.
func function(in *Instr) compute {
	a := in.arg
	switch in.op {
	case "UMOV", "VIADD", "UIADD3", "IADD3", "FADD":
		return sum(in)
	case "LDC", "ULDC":
		return func(m *machine, to lane.Mask) {
			next := operand{kind: constant, val: a(1).val + 4}
			value := func(l int) uint64 { return uint64(m.value(next, l))<<32 | uint64(m.value(a(1), l)) }
			switch {
			case !in.has("64"):
				m.set(a(0), to, func(l int) uint32 { return uint32(value(l)) })
			case a(0).kind == ureg: // whole in the first, for instructions on 64 bits
				high := a(0)
				high.n++
				warp.DefineMask(m.uregs[a(0).n], lane.Mask{Lo: value(0)})
				m.set(high, to, func(l int) uint32 { return uint32(value(l) >> 32) })
			default:
				m.setWide(a(0), to, value)
			}
		}
	case "CS2R":
		return func(m *machine, to lane.Mask) {
			if wide(in) {
				m.setWide(a(0), to, func(int) uint64 { return 0 })
			} else {
				m.set(a(0), to, func(int) uint32 { return 0 })
			}
		}
	case "S2R", "S2UR":
		return each(in, func(m *machine, l int) uint32 { return special(m, in, l) })
	case "I2F":
		return func(m *machine, to lane.Mask) {
			m.setWide(a(0), to, func(l int) uint64 { return math.Float64bits(float64(m.value(a(1), l))) })
		}
	case "IMAD":
		return product(in)
	case "LEA", "ULEA":
		return scaled(in)
	case "SHF", "USHF":
		return each(in, func(m *machine, l int) uint32 {
			return funnel(in, m.value(a(1), l), m.value(a(2), l), m.value(a(3), l))
		})
	case "LOP3":
		return logic(in)
	case "PLOP3":
		return func(m *machine, to lane.Mask) {
			m.setPred(a(0), to, func(l int) bool {
				i := 0
				for _, o := range in.args[2:5] {
					i <<= 1
					if m.holds(o, l) {
						i |= 1
					}
				}
				return a(5).val>>i&1 != 0
			})
		}
	case "ISETP", "UISETP":
		return compareWith(in)
	case "FSEL":
		return each(in, func(m *machine, l int) uint32 {
			o := a(2)
			if m.holds(a(3), l) {
				o = a(1)
			}
			sign := uint32(0)
			if o.neg {
				sign = 1 << 31
			}
			o.neg = false
			return m.value(o, l) ^ sign
		})
	case "PRMT":
		return each(in, func(m *machine, l int) uint32 {
			from := uint64(m.value(a(3), l))<<32 | uint64(m.value(a(1), l))
			var v uint32
			for k := range 4 {
				v |= uint32(from>>(8*(a(2).val>>(4*k)&7))) & 0xff << (8 * k)
			}
			return v
		})
	case "P2R":
		return each(in, func(m *machine, l int) uint32 {
			var v uint32
			for k := range 7 {
				if m.preds[k].Mask().Has(l) {
					v |= 1 << k
				}
			}
			return v & a(3).val
		})
	case "R2P":
		return func(m *machine, to lane.Mask) {
			for k := range 7 {
				if a(2).val>>k&1 != 0 {
					m.setPred(operand{kind: pred, n: k}, to, func(l int) bool { return m.value(a(1), l)>>k&1 != 0 })
				}
			}
		}
	case "HFMA2":
		return func(m *machine, to lane.Mask) { halfFMA(m, in, to) }
	}
	return nil
}

// special is the value of a special register. There is one block, and no clock.
func special(m *machine, in *Instr, l int) uint32 {
	switch name := in.Text; {
	case strings.Contains(name, "TID.X"):
		return uint32(m.w.ID()*lanes + l)
	case strings.Contains(name, "LANEID"):
		return uint32(l)
	case strings.Contains(name, "LTMASK"):
		return 1<<l - 1
	}
	return 0
}
