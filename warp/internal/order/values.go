package order

import "example.com/warpsim/warp/isa"

// none is no instruction, value or edge.
const none = int32(-1)

// regs is a power of two above isa.NumRegs.
const regs = 2048

// values is what the instructions of a window make and read: the graph of what
// depends on what.
type values struct {
	recs  []isa.Instr // of the window
	place []uint16    // where each stood

	nodes   []node
	instrs  []isa.Instr // of the nodes, with the registers that they get
	sources []sources   // likewise
	edges   []edge
	sames   sames

	epoch  int32
	reg    [regs]regState
	groups []isa.Reg // those of several registers that are written in parts
	joins  bool      // some registers are used together
	picks  bool      // there is a select
	vals   []value
	users  []user
	spare  spares

	defs []def // by record, if picks

	loads, stores     []access // since all were kept apart
	barrier, volatile int32    // the instruction that did, and the last volatile access
	constant          int32    // the last instruction without a result: it makes a constant for what follows
}

// A node is an instruction of the window.
type node struct {
	edges int32 // first of those that leave it
	waits int32 // instructions that it waits for and that have not been issued
	ready int32 // when its operands are
	way   int32 // longest way to the end of the window
	early int32 // when it could be issued if it only waited for operands
	next  int32 // in a list of those that are ready at one time
	place uint16
	left  bool // out, as another one does its work
	pure  bool // it depends on its sources only, which are known
}

// sources are what the operands of a pure instruction hold.
type sources [3]int64

type edge struct{ to, next, distance int32 }

// regState is what is known of a register in the present window, or of a group of
// them by the first one.
type regState struct {
	epoch  int32
	final  int32 // the last instruction that gives it a new value
	value  int32 // the present one
	writer int32 // the last instruction that wrote it
	users  int32 // of its values under its own name
	begun  int32 // the instruction that began to write it in parts
	own    int32 // the value in the register of that name
	def    int32 // the record that wrote it last

	base   isa.Reg // of its group, if size is known
	size   int16   // 0: not known so far
	parts  uint8   // registers of the group that have been written, while others have not
	joined bool    // to the register behind it, as both are used as one
	parted bool    // some instruction writes it under a guard
	broken bool    // of a group that is not always written as a whole
}

// A value is what a register, or a group of joined ones, holds from one time that
// it is written as a whole to the next.
type value struct {
	base    isa.Reg // the first register that the kernel named
	name    isa.Reg // the first one that it gets
	users   int32   // instructions that read or write it, since it was last changed in place
	first   int32   // the instruction that wrote it first, none: one before the window
	rec     int32   // and which record of the window that was
	last    int32   // the instruction that changed it last
	refs    int32   // registers that hold it
	changes int32   // how often it was changed in place
	lost    bool    // another one has its register
	spare   bool    // in the queue of those
}

// A user is an instruction that reads or writes a value.
type user struct{ node, next int32 }

// A def is a result of a record, of one register.
type def struct {
	uses int32 // reads of it
	gone bool  // it is overwritten in the window
}

// isRow reports whether r is a row.
func isRow(r isa.Reg) bool {
	return r != isa.NoReg && !r.IsPlace() && !r.IsPredicate() && !r.IsUniform()
}

// names reports whether an operand is a register.
func names(r isa.Reg) bool { return r != isa.NoReg && !r.IsPlace() }

// wide returns how many registers an operand is.
func wide(r isa.Reg, n int) int {
	if r.IsPair() {
		return max(2, n)
	}
	return n
}

// pair is the bit of a register that says that it is one.
const pair = isa.Reg(1 << 15)

// number is the register without what says that it is a pair.
func number(r isa.Reg) isa.Reg { return r &^ pair }

// at returns the state of a register in this window.
func (v *values) at(r isa.Reg) *regState {
	x := &v.reg[r&(regs-1)]
	if x.epoch != v.epoch {
		v.begin(x)
	}
	return x
}

//go:noinline
func (v *values) begin(x *regState) {
	*x = regState{epoch: v.epoch, final: none, value: none, writer: none, users: none, own: none, def: none}
}

// group returns the first register of the group of r, and how many there are.
func (v *values) group(r isa.Reg) (isa.Reg, int) {
	if !v.joins {
		return r, 1
	}
	x := v.at(r)
	if x.size == 0 {
		first := r
		for first > 1 && v.at(first-1).joined {
			first--
		}
		n := 1
		for v.at(first + isa.Reg(n) - 1).joined {
			n++
		}
		x.base, x.size = first, int16(n)
	}
	return x.base, int(x.size)
}

// An operand is some registers of a record.
type operand struct {
	first isa.Reg
	n     int
	write bool
}

// operands writes the operands of a record to list: what it reads, and then what it
// writes.
func operands(in *isa.Instr, list *[5]operand) int {
	k := 0
	add := func(r isa.Reg, n int, write bool) {
		list[k] = operand{number(r), wide(r, n), write}
		k++
	}
	dst, data := in.Rows()
	if names(in.A) {
		add(in.A, 1, false)
	}
	if names(in.B) {
		add(in.B, data, false)
	}
	if names(in.C) {
		add(in.C, 1, false)
	}
	if in.Dst != isa.NoReg {
		add(in.Dst, dst, true)
	}
	if in.Dst2 != isa.NoReg {
		add(in.Dst2, 1, true)
	}
	return k
}

// survey finds out which registers are used together, and which instruction gives
// each a new value for the last time.
func (s *Scheduler) survey() {
	v := &s.values
	v.joins = false
	for i := range v.recs {
		in := &v.recs[i]
		if (in.Dst|in.Dst2)&pair == 0 && !(in.Op >= isa.LoadShared && in.MemBytes() > 4) &&
			!(names(in.A) && in.A.IsPair()) && !(names(in.B) && in.B.IsPair()) && !(names(in.C) && in.C.IsPair()) {
			continue
		}
		var list [5]operand
		for _, o := range list[:operands(in, &list)] {
			for k := range o.n - 1 {
				v.at(o.first + isa.Reg(k)).joined = true
				v.joins = true
			}
		}
	}
	if v.joins || v.picks {
		s.surveyClosely()
		return
	}
	for i := range v.recs {
		in := &v.recs[i]
		v.spare.named(in.A)
		v.spare.named(in.B)
		v.spare.named(in.C)
		for _, r := range [...]isa.Reg{in.Dst, in.Dst2} {
			if r == isa.NoReg {
				continue
			}
			v.spare.named(r)
			if x := v.at(r); in.Guard != 0 {
				x.parted = true
			} else {
				x.final = int32(i)
			}
		}
	}
}

// surveyClosely is survey where registers are used together, or results may turn out
// not to be needed.
func (s *Scheduler) surveyClosely() {
	v := &s.values
	v.defs = v.defs[:0]
	for i := range v.recs {
		in := &v.recs[i]
		v.defs = append(v.defs, def{})
		var list [5]operand
		for _, o := range list[:operands(in, &list)] {
			for k := range o.n {
				v.spare.named(o.first + isa.Reg(k))
			}
			v.count(int32(i), in, o)
		}
	}
	for i := range v.recs {
		if g := v.recs[i].Guard; g != 0 {
			v.defs[i].uses++ // of what it leaves, not to be looked into
		}
	}
	for _, g := range v.groups {
		b := v.at(g)
		b.broken = b.broken || b.parts != 0
		b.parts = 0
	}
}

// count notes an operand of record i.
func (v *values) count(i int32, in *isa.Instr, o operand) {
	base, size := v.group(o.first)
	b := v.at(base)
	write := o.write
	if write && in.Guard != 0 {
		b.parted, write = true, false
	}
	if b.def != none {
		d := &v.defs[b.def]
		if write && size == 1 {
			d.gone = true
		} else {
			d.uses++
		}
	}
	if write {
		b.def = i
	}
	switch {
	case size == 1 || o.n == size || !write:
		b.broken = b.broken || b.parts != 0
	case v.part(b, base, size, o.first, o.n):
		v.groups = append(v.groups, base)
	default:
		return // more of what has begun
	}
	if write {
		b.final = i
	}
}

// part notes that n registers of a group are written, from r on. It reports whether
// they are the first since the group was a whole.
func (v *values) part(b *regState, base isa.Reg, size int, r isa.Reg, n int) (first bool) {
	if size > groupRows {
		b.broken = true
		return b.final == none
	}
	bits := uint8(1<<n-1) << (r - base)
	first = b.parts == 0
	b.broken = b.broken || b.parts&bits != 0
	if b.parts |= bits; b.parts == 1<<size-1 {
		b.parts = 0
	}
	return first
}
