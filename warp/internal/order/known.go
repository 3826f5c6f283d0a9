package order

import "example.com/warpsim/warp/isa"

// Known is what a compiler knows of a warp at one place of a kernel: which arrays of
// global memory have their addresses in registers, which rows hold one value in all lanes
// whatever the data, and whether no more than one thread of a block is there. The zero
// Known is that of a warp's start.
type Known struct {
	arrays  [4]uint64 // by what isa.Reg.Place calls them
	uniform rows
	threads rows   // with the number of a thread in its block
	single  uint64 // predicates that hold in one thread of a block
	lanes   uint8  // the most that have been active
	inside  uint8  // how many branches deep one thread is alone
}

// rows is a set of the rows that most kernels have; others are in none.
type rows [8]uint64

func (s *rows) has(r isa.Reg) bool {
	i := int(number(r) - isa.Row(0))
	return isRow(r) && i/64 < len(s) && s[i/64]>>(i%64)&1 != 0
}

func (s *rows) set(r isa.Reg, in bool) {
	i := int(number(r) - isa.Row(0))
	if i/64 >= len(s) {
		return
	}
	s[i/64] &^= 1 << (i % 64)
	if in {
		s[i/64] |= 1 << (i % 64)
	}
}

// has reports whether the address of an array is there, and adds it.
func (k *Known) has(array int) bool {
	word, bit := &k.arrays[array/64%len(k.arrays)], uint64(1)<<(array%64)
	had := *word&bit != 0
	*word |= bit
	return had
}

// same reports whether a register holds one value in all lanes.
func (k *Known) same(r isa.Reg) bool { return r.IsPlace() || r.IsUniform() || k.uniform.has(r) }

// holds reports whether a predicate holds in one thread of a block.
func (k *Known) holds(p isa.Reg) bool {
	return p.IsPredicate() && k.single>>(p-isa.Predicate(0))&1 != 0
}

// alone reports whether no more than one thread of a block executes a record.
func (k *Known) alone(in *isa.Instr) bool {
	return k.inside > 0 || in.Guard != 0 && k.holds(isa.Predicate(int(in.Guard)-1))
}

// follow notes what a record leaves in registers, and where branches lead.
func (k *Known) follow(in *isa.Instr) {
	k.lanes = max(k.lanes, in.Active)
	switch dst := in.Dst; {
	case in.Op == isa.PushSync:
		if k.inside > 0 {
			k.inside++
		}
	case in.Op == isa.Reconverge:
		if k.inside > 0 {
			k.inside--
		}
	case in.Op == isa.Branch:
		if k.inside == 0 && k.holds(in.A) {
			k.inside = 1
		}
	case dst.IsPredicate():
		// The number of a thread compared with a constant: most likely for being equal, as
		// else no more than one lane would hardly be there.
		k.single &^= 1 << (dst - isa.Predicate(0))
		if in.Op == isa.ICmp && in.Guard == 0 && k.threads.has(in.A) && (in.B == isa.NoReg || in.B.IsPlace()) {
			k.single |= 1 << (dst - isa.Predicate(0))
		}
	case isRow(dst):
		n, _ := in.Rows()
		n = wide(dst, n)
		same := n == 1 && k.makesSame(in)
		for i := range isa.Reg(n) {
			k.uniform.set(number(dst)+i, same)
			k.threads.set(number(dst)+i, in.Op == isa.ReadSpecial && in.Aux == isa.SpecialThread)
		}
	}
}

// makesSame reports whether a record leaves one value in all lanes: constants are, what is
// loaded from one place, what the whole warp makes, and what integer arithmetic makes of
// such. What only some lanes do parts a row. (Compilers know it of shuffles from one lane,
// too; but a record does not say whether it is one of each segment.)
func (k *Known) makesSame(in *isa.Instr) bool {
	if in.Guard != 0 || in.Active != k.lanes {
		return false
	}
	switch in.Op {
	case isa.Mov, isa.IAdd, isa.IMul, isa.IMinMax, isa.Shift, isa.UniformToReg:
		for _, r := range [...]isa.Reg{in.A, in.B, in.C} {
			if r != isa.NoReg && !k.same(r) {
				return false
			}
		}
		return true
	case isa.LoadGlobal, isa.LoadShared:
		return in.MemLevel() == isa.LevelL1 && in.A != isa.NoReg && k.same(in.A)
	case isa.Popc: // of a mask: of a row it may be a lane's rank
		return in.A.IsUniform()
	}
	return false
}

// Hash returns a number that differs, as a rule, for what differs.
func (k *Known) Hash() uint64 {
	h := k.single ^ uint64(k.lanes)<<56 ^ uint64(k.inside)<<48
	for _, x := range k.arrays {
		h = (h ^ x) * 0x9e3779b97f4a7c15
	}
	for i, x := range k.uniform {
		h = (h ^ x) * 0xbf58476d1ce4e5b9
		h = (h ^ k.threads[i]) * 0x9e3779b97f4a7c15
	}
	return h
}
