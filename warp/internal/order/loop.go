package order

import "example.com/warpsim/warp/isa"

// counted reports whether records begin with a whole turn of a loop that goes on as
// long as p holds, and a compiler would unroll it: p compares a register that each
// turn changes once, and by a constant, with something that no turn changes.
func counted(recs []isa.Instr, p isa.Reg) bool {
	n := 0
	for ; n < len(recs) && !turn(&recs[n]); n++ {
		if wall(&recs[n]) {
			return false
		}
	}
	if n == len(recs) || recs[n].A != p || !p.IsPredicate() {
		return false
	}
	for k := n - 1; k >= 0; k-- {
		in := &recs[k]
		if in.Dst2 == p {
			return false
		}
		if in.Dst == p {
			one, other := in.A, in.B
			return in.Op == isa.ICmp && in.Guard == 0 &&
				(counter(recs[:n], one) && writes(recs[:n], other) == 0 || counter(recs[:n], other) && writes(recs[:n], one) == 0)
		}
	}
	return false
}

// counter reports whether the records of a turn change a row once, by a constant.
func counter(recs []isa.Instr, r isa.Reg) bool {
	if !isRow(r) || r.IsPair() || writes(recs, r) != 1 {
		return false
	}
	for i := range recs {
		if in := &recs[i]; in.Dst == r {
			return (in.Op == isa.IAdd || in.Op == isa.IMul || in.Op == isa.Shift) && in.Guard == 0 && in.A == r && !names(in.B)
		}
	}
	return false
}

// writes counts the records that write an operand, which may be none or a constant.
func writes(recs []isa.Instr, r isa.Reg) int {
	if !names(r) {
		return 0
	}
	count := 0
	for i := range recs {
		dst, _ := recs[i].Rows()
		if d := recs[i].Dst; d != isa.NoReg {
			if d = number(d); d <= number(r) && number(r) < d+isa.Reg(wide(recs[i].Dst, dst)) {
				count++
			}
		}
		if recs[i].Dst2 == r {
			count++
		}
	}
	return count
}
