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
	nodes []node
	edges []edge
	sames sames

	epoch  int32
	reg    [regs]regState
	groups []isa.Reg // those of several registers that are written in parts
	joins  bool      // some registers are used together
	vals   []value
	users  []user
	free   [queues][]spare // registers for further values, in the order in which they became free
	taken  [queues]int

	defs []def // by record

	loads, stores     []int32 // accesses since all were kept apart
	barrier, volatile int32   // the instruction that did, and the last volatile access
}

// A node is an instruction of the window, with the registers that it gets.
type node struct {
	rec     isa.Instr
	place   uint16
	left    bool     // out, as another one does its work
	early   int32    // when it could be issued if it only waited for operands
	sources [3]int64 // what they hold, if it is pure
	edges   int32    // first of those that leave it
	waits   int32    // instructions that it waits for and that have not been issued
	ready   int32    // when its operands are
	way     int32    // longest way to the end of the window
	address int64    // what its address register holds
}

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
	parts  uint8 // registers of the group that have been written, while others have not
	joined bool  // to the register behind it, as both are used as one
	parted bool  // some instruction writes it under a guard
	broken bool  // of a group that is not always written as a whole
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

// A spare is a register for further values, and the value that it held last.
type spare struct {
	name isa.Reg
	last int32
}

// The queues of spare registers: rows by parity, groups of rows, and the others.
const (
	evenRows = iota
	oddRows
	rowGroups
	predicates
	uniforms
	queues
)

// groupRows is how many rows a group can have that is renamed.
const groupRows = 4

// queueOf returns the queue that has other registers for a group.
func queueOf(base isa.Reg, size int) int {
	switch {
	case base.IsPredicate():
		return predicates
	case base.IsUniform():
		return uniforms
	case size > 1:
		return rowGroups
	}
	return int(base-isa.Row(0)) & 1
}

// isRow reports whether r is a row.
func isRow(r isa.Reg) bool {
	return r != isa.NoReg && !r.IsPlace() && !r.IsPredicate() && !r.IsUniform()
}

// at returns the state of a register in this window.
func (v *values) at(r isa.Reg) *regState {
	x := &v.reg[r&(regs-1)]
	if x.epoch != v.epoch {
		*x = regState{epoch: v.epoch, final: none, value: none, writer: none, users: none, own: none, def: none}
	}
	return x
}

// operands calls f for each register that an instruction reads, and then for each
// that it writes: the first of them, and how many.
func operands(in *isa.Instr, f func(r *isa.Reg, n int, write bool)) {
	dst, data := in.Rows()
	if in.A != isa.NoReg && !in.A.IsPlace() {
		f(&in.A, wide(in.A, 1), false)
	}
	if in.B != isa.NoReg && !in.B.IsPlace() {
		f(&in.B, wide(in.B, data), false)
	}
	if in.C != isa.NoReg && !in.C.IsPlace() {
		f(&in.C, wide(in.C, 1), false)
	}
	if in.Dst != isa.NoReg {
		f(&in.Dst, wide(in.Dst, dst), true)
	}
	if in.Dst2 != isa.NoReg {
		f(&in.Dst2, wide(in.Dst2, 1), true)
	}
}

// wide returns how many registers an operand is.
func wide(r isa.Reg, n int) int {
	if r.IsPair() {
		return max(2, n)
	}
	return n
}

// number is the register without what says that it is a pair.
func number(r isa.Reg) isa.Reg { return isa.Reg(r.Index()) }

// group returns the first register of the group of r, and how many there are.
func (v *values) group(r isa.Reg) (isa.Reg, int) {
	if !v.joins {
		return r, 1
	}
	first := r
	for first > 1 && v.at(first-1).joined {
		first--
	}
	n := 1
	for v.at(first + isa.Reg(n) - 1).joined {
		n++
	}
	return first, n
}

// build makes the graph of s.recs.
func (s *Scheduler) build() {
	v := &s.values
	v.epoch++
	v.nodes, v.edges, v.vals, v.users, v.groups = v.nodes[:0], v.edges[:0], v.vals[:0], v.users[:0], v.groups[:0]
	v.loads, v.stores, v.barrier, v.volatile = v.loads[:0], v.stores[:0], none, none
	s.survey()
	s.spares()
	for i := range v.recs {
		s.add(int32(i))
	}
}

// survey finds out which registers are used together, and which instruction gives
// each a new value for the last time.
func (s *Scheduler) survey() {
	v := &s.values
	v.joins = false
	v.defs = v.defs[:0]
	for range v.recs {
		v.defs = append(v.defs, def{})
	}
	for i := range v.recs {
		operands(&v.recs[i], func(r *isa.Reg, n int, write bool) {
			v.at(number(*r))
			for k := range n - 1 {
				v.at(number(*r) + isa.Reg(k)).joined = true
				v.joins = true
			}
		})
	}
	for i := range v.recs {
		in := &v.recs[i]
		operands(in, func(r *isa.Reg, n int, write bool) {
			first := number(*r)
			base, size := v.group(first)
			b := v.at(base)
			parted := write && in.Guard != 0
			if b.parted = b.parted || parted; parted {
				write = false
			}
			v.define(b, int32(i), size, write)
			switch {
			case size == 1 || n == size || !write:
				b.broken = b.broken || b.parts != 0
			case v.part(b, base, size, first, n):
				v.groups = append(v.groups, base)
			default:
				return // more of what has begun
			}
			if write {
				b.final = int32(i)
			}
		})
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

// define counts what becomes of the results of records.
func (v *values) define(b *regState, i int32, size int, write bool) {
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

// spares fills the queues of registers for further values with those that the window
// does not name.
func (s *Scheduler) spares() {
	v := &s.values
	for q := range v.free {
		v.free[q], v.taken[q] = v.free[q][:0], 0
	}
	fill := func(q int, first isa.Reg, n, step int) {
		for r := first; n > 0; r, n = r+isa.Reg(step), n-1 {
			if v.reg[r].epoch != v.epoch {
				v.free[q] = append(v.free[q], spare{r, none})
			}
		}
	}
	if n := min(Live, isa.MaxRows-2-s.first) / 2; n > 0 {
		fill(evenRows, isa.Row(s.first), n, 2)
		fill(oddRows, isa.Row(s.first+1), n, 2)
		if n := min(Live, isa.MaxRows-2-s.first-Live) / groupRows; n > 0 {
			fill(rowGroups, isa.Row(s.first+Live), n, groupRows)
		}
	}
	// Kernels take them from 0 on, and the engine its own from the end.
	fill(predicates, isa.Predicate(isa.MaxPredicates/3), isa.MaxPredicates/2, 1)
	fill(uniforms, isa.Uniform(isa.MaxUniform/3), isa.MaxUniform/2, 1)
}

// link lets instruction to wait for instruction from.
func (v *values) link(from, to int32, distance int) {
	if from == to || from == none {
		return
	}
	n := &v.nodes[from]
	v.edges = append(v.edges, edge{to, n.edges, int32(distance)})
	n.edges = int32(len(v.edges) - 1)
	v.nodes[to].waits++
}

// await is link for a result that instruction to reads.
func (v *values) await(from, to int32, distance int) {
	v.link(from, to, distance)
	v.nodes[to].early = max(v.nodes[to].early, v.nodes[from].early+int32(distance))
}

// linkUsers lets an instruction wait until users have been issued.
func (v *values) linkUsers(users, to int32) {
	for u := users; u != none; u = v.users[u].next {
		v.link(v.users[u].node, to, 1)
	}
}

// use notes that an instruction reads or writes a value.
func (v *values) use(val, i int32) {
	x := &v.vals[val]
	v.users = append(v.users, user{i, x.users})
	x.users = int32(len(v.users) - 1)
	if b := v.at(x.base); x.name == x.base {
		v.users = append(v.users, user{i, b.users})
		b.users = int32(len(v.users) - 1)
	}
}

// add adds an instruction to the graph and gives it its registers.
func (s *Scheduler) add(n int32) {
	v := &s.values
	rec := v.recs[n]
	var sources [3]int64
	if rec.Aux != 0 && rec.Guard == 0 && rec.Op.Computes() && rec.Dst2 == isa.NoReg {
		if s.found(n, &rec, &sources) || rec.Op == isa.Select && s.fused(n, &rec, &sources) {
			return
		}
	}
	i := int32(len(v.nodes))
	v.nodes = append(v.nodes, node{rec: rec, place: v.place[n], edges: none, sources: sources})
	guarded := rec.Guard != 0
	if guarded {
		name := s.read(i, isa.Predicate(int(rec.Guard)-1), 1, true)
		rec.Guard = uint8(name-isa.Predicate(0)) + 1
	}
	operands(&rec, func(r *isa.Reg, k int, write bool) {
		first, pair := number(*r), *r&^number(*r)
		if write {
			*r = s.write(i, n, &rec, first, k, guarded) | pair
		} else {
			if r == &rec.A {
				v.nodes[i].address = v.held(first)
			}
			*r = s.read(i, first, k, false) | pair
		}
	})
	v.nodes[i].rec = rec
	s.access(i)
}

// current returns the value that a group of registers holds.
func (v *values) current(base isa.Reg) int32 {
	b := v.at(base)
	if b.value == none {
		v.vals = append(v.vals, value{base: base, name: base, users: none, first: none, last: none, refs: 1})
		b.value = int32(len(v.vals) - 1)
		b.own = b.value
	}
	return b.value
}

// held names what a register holds.
func (v *values) held(r isa.Reg) int64 {
	base, _ := v.group(r)
	val := v.current(base)
	return int64(val+1)<<20 | int64(v.vals[val].changes)<<4 | int64(r-base)
}

// read lets an instruction wait for the n registers from r on, and returns what the
// first is called.
func (s *Scheduler) read(i int32, r isa.Reg, n int, guards bool) isa.Reg {
	v := &s.values
	base, _ := v.group(r)
	val := v.current(base)
	for k := range n {
		if w := v.at(r + isa.Reg(k)).writer; w != none {
			v.await(w, i, s.distance(w, r, v.nodes[i].rec.Op, guards))
		}
	}
	v.use(val, i)
	return v.vals[val].name + (r - base)
}

// distance is from the result of instruction w in r to a reader.
func (s *Scheduler) distance(w int32, r isa.Reg, to isa.Op, guards bool) int {
	op := s.nodes[w].rec.Op
	d := s.table.Distance(op, to, guards)
	if r.IsPredicate() && op >= isa.ShflIdx && op <= isa.ShflXor {
		d += s.table.Later(op)
	}
	return d
}

// write gives the n registers from r on a new value, or changes the present one, and
// returns what the first is called. Instruction i is in, record rec of the window.
func (s *Scheduler) write(i, rec int32, in *isa.Instr, r isa.Reg, n int, guarded bool) isa.Reg {
	v := &s.values
	base, size := v.group(r)
	b := v.at(base)
	switch {
	case guarded || b.broken: // in place, behind all that reads and writes it now
		val := v.current(base)
		for k := range n {
			if w := v.at(r + isa.Reg(k)).writer; w != none && s.table.Variable(v.nodes[w].rec.Op) {
				v.link(w, i, s.distance(w, r, v.nodes[i].rec.Op, false))
			}
		}
		x := &v.vals[val]
		v.linkUsers(x.users, i)
		x.users = none
		x.changes++
	case n == size:
		s.renew(i, rec, in, base, size)
	default:
		if v.part(b, base, size, r, n) {
			s.renew(i, rec, in, base, size)
			b.begun = i
		}
		v.link(b.begun, i, 1) // which waited until the register was free
	}
	for k := range n {
		v.at(r + isa.Reg(k)).writer = i
	}
	v.vals[b.value].last = i
	v.use(b.value, i)
	return v.vals[b.value].name + (r - base)
}

// renew begins a new value of a group of registers: in another register, but for the
// last one, which is in that which the kernel named.
func (s *Scheduler) renew(i, rec int32, in *isa.Instr, base isa.Reg, size int) {
	v := &s.values
	b := v.at(base)
	q := queueOf(base, size)
	if a := in.A; q <= oddRows && in.Op < isa.LoadShared && isRow(a) {
		// Not in the bank of what it is made of, as it will be read together with
		// that, or with what is made of that.
		q = 1 - queueOf(number(a), 1)
	}
	v.drop(b)
	x := value{base: base, name: base, users: none, first: i, rec: rec, last: i, refs: 1}
	if rec != b.final && size <= groupRows {
		if f, ok := v.take(q); ok {
			x.name = f.name
			if f.last != none {
				v.vals[f.last].lost = true
				v.linkUsers(v.vals[f.last].users, i)
			}
		}
	}
	if x.name == base {
		v.linkUsers(b.users, i)
		b.users = none
		if b.own != none {
			v.vals[b.own].lost = true
		}
		b.own = int32(len(v.vals))
	}
	v.vals = append(v.vals, x)
	b.value = int32(len(v.vals) - 1)
}

// drop lets a group of registers hold nothing.
func (v *values) drop(b *regState) {
	if b.value == none {
		return
	}
	x := &v.vals[b.value]
	if x.refs--; x.refs == 0 && x.name != x.base && !x.spare {
		x.spare = true
		_, size := v.group(x.base)
		q := queueOf(x.name, size)
		v.free[q] = append(v.free[q], spare{x.name, b.value})
	}
}

// take returns the register that has been free for longest.
func (v *values) take(q int) (spare, bool) {
	for v.taken[q] < len(v.free[q]) {
		f := v.free[q][v.taken[q]]
		v.taken[q]++
		if f.last == none {
			return f, true
		}
		x := &v.vals[f.last]
		if x.spare = false; x.refs == 0 {
			return f, true
		}
		// It is in use again, and comes back here when it is free.
	}
	return spare{}, false
}
