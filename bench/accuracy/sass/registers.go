package sass

import (
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
)

// registers returns an instruction with the registers of a line: destinations and
// then sources in the order in which they are written, each once.
func registers(in *Instr, op isa.Op) warp.Instruction {
	i := warp.Instruction{Op: op}
	dsts := 1
	switch in.op {
	case "ISETP", "FSETP", "DSETP", "PLOP3", "UISETP":
		dsts = 2
	case "LOP3", "IADD3", "LEA":
		for dsts < len(in.args) && in.args[dsts-1].kind == pred {
			dsts++
		}
		if dsts == 1 && len(in.args) > 1 && in.args[1].kind == pred { // carry
			dsts = 2
		}
	}
	put := func(r isa.Reg, slots ...*isa.Reg) {
		for _, s := range slots {
			if r == isa.NoReg || *s == r {
				return
			}
			if *s == isa.NoReg {
				*s = r
				return
			}
		}
	}
	for k, o := range in.args {
		if k < dsts {
			put(regOf(o), &i.Dst, &i.Dst2)
		} else {
			put(regOf(o), &i.A, &i.B, &i.C)
		}
	}
	if in.op == "P2R" { // all predicates of the mask
		for k := range 7 {
			if in.args[3].val>>k&1 != 0 {
				put(isa.Predicate(k), &i.A, &i.B, &i.C)
			}
		}
	}
	if wide(in) && !i.Dst.IsUniform() && i.Dst != isa.NoReg {
		i.Dst = isa.RowPair(i.Dst.Index() - 1)
	}
	return i
}

// wide reports whether a line's result is a pair of rows.
func wide(in *Instr) bool {
	switch in.op {
	case "LDC":
		return in.has("64")
	case "IMAD":
		return in.has("WIDE")
	case "CS2R":
		return !in.has("32")
	case "I2F":
		return in.has("F64")
	}
	return false
}
