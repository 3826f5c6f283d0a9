package order

import "example.com/warpsim/warp/isa"

// Arrays are the arrays of global memory whose addresses a warp has in registers, by
// what isa.Reg.Place calls them; none at the warp's start.
type Arrays [4]uint64

// has reports whether an array is among them, and adds it.
func (a *Arrays) has(array int) bool {
	word, bit := &a[array/64%len(a)], uint64(1)<<(array%64)
	had := *word&bit != 0
	*word |= bit
	return had
}

// Hash returns a number that differs, as a rule, for different arrays: 0 for none.
func (a *Arrays) Hash() (h uint64) {
	for _, x := range a {
		h = (h ^ x) * 0x9e3779b97f4a7c15
	}
	return h
}

// Where addresses are: rows that neither kernels have nor are spare.
const (
	addressRow = isa.MaxRows - 2
	baseRows   = 32
)

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

// addresses copies records to s.full, with what a compiled kernel does before it
// accesses global memory: it loads the address of the array, a parameter, when it first
// needs it, and adds the scaled index to it; offsets stand in the access. As an address
// is computed like anything else, one array and index need it once in a window. The
// records that are added have isa.AuxAddress; s.whence has the place of each.
func (s *Scheduler) addresses(recs []isa.Instr, known *Arrays) {
	s.full, s.whence = s.full[:0], s.whence[:0]
	for i := range recs {
		in := &recs[i]
		if addressed(in) {
			array, _, _ := in.C.Place()
			if b := base(array); !known.has(array) {
				s.put(isa.Instr{Op: isa.LoadConst, Dst: b, Active: in.Active, Guard: in.Guard, Aux: isa.AuxAddress}, i)
			}
			s.put(isa.Instr{Op: isa.IMul, Dst: isa.Row(addressRow), A: in.A, B: base(array), Active: in.Active, Aux: isa.AuxAddress}, i)
			s.put(*in, i)
			s.full[len(s.full)-1].A = isa.Row(addressRow)
			continue
		}
		s.put(*in, i)
	}
}

func (s *Scheduler) put(in isa.Instr, place int) {
	s.full, s.whence = append(s.full, in), append(s.whence, int32(place))
}
