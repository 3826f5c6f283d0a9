package order

import "example.com/warpsim/warp/isa"

// Where addresses are: rows that neither kernels have nor are spare.
const (
	addressRow = isa.MaxRows - 2
	baseRows   = 32
)

// parameters is a byte of bank 0 of the constants in a line that has parameters of a kernel
// and not the launch's shape; which line that is makes no difference to its time.
const parameters = 0x210

// base returns the row with the address of an array. Two arrays may have one, rarely.
func base(array int) isa.Reg { return isa.Row(addressRow - 1 - array%baseRows) }

// addressed reports whether an access finds its place by the address of an array.
func addressed(in *isa.Instr) bool {
	switch in.Op {
	case isa.LoadGlobal, isa.StoreGlobal, isa.AtomicGlobal, isa.ReduceGlobal:
		return in.C.IsPlace() && (in.A == isa.NoReg || isRow(number(in.A)) && !in.A.IsPair())
	}
	return false
}

// expand copies records to s.full, with what a compiled kernel does before it
// accesses global memory: it loads the address of the array, a parameter, when it first
// needs it, and adds the scaled index to it; offsets stand in the access. If a guard stands
// before that access, the load waits for it, as the code of a compiler mostly leaves
// through a branch there, but it loads for all lanes: others need the address as well. As an
// address is computed like anything else, one array and index need it once in a window.
// Atomics that it combines over the warp become what it makes of them. The records that are
// added have isa.AuxAdded; s.whence has the place of each.
func (s *Scheduler) expand(recs []isa.Instr, known *Known) {
	s.full, s.whence = s.full[:0], s.whence[:0]
	for i := range recs {
		in := &recs[i]
		if !addressed(in) {
			s.put(*in, i)
			known.follow(in)
			continue
		}
		array, _, _ := in.C.Place()
		if b := base(array); !known.has(array) {
			s.put(isa.Instr{Op: isa.LoadConst, Dst: b, Active: in.Active, Guard: in.Guard, Aux: isa.AuxAdded, Count: isa.ConstantLine(0, parameters)}, i)
		}
		s.put(isa.Instr{Op: isa.IMul, Dst: isa.Row(addressRow), A: in.A, B: base(array), Active: in.Active, Aux: isa.AuxAdded}, i)
		to := *in
		to.A = isa.Row(addressRow)
		if c := known.combination(in); c != separate {
			s.combine(&to, c, i)
		} else {
			s.put(to, i)
		}
		known.follow(in)
	}
}

func (s *Scheduler) put(in isa.Instr, place int) {
	s.full, s.whence = append(s.full, in), append(s.whence, int32(place))
}
