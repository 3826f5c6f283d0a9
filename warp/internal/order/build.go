package order

import "example.com/warpsim/warp/isa"

// build makes the graph of s.recs.
func (s *Scheduler) build() {
	v := &s.values
	v.epoch++
	v.nodes, v.instrs, v.sources, v.edges = v.nodes[:0], v.instrs[:0], v.sources[:0], v.edges[:0]
	v.vals, v.users, v.groups = v.vals[:0], v.users[:0], v.groups[:0]
	v.loads, v.stores, v.barrier, v.volatile, v.constant = v.loads[:0], v.stores[:0], none, none, none
	v.spare.begin()
	s.survey()
	for i := range v.recs {
		s.add(int32(i))
	}
}

// add adds an instruction to the graph and gives it its registers.
func (s *Scheduler) add(n int32) {
	v := &s.values
	rec := v.recs[n]
	i := int32(len(v.nodes))
	v.sources = append(v.sources, sources{})
	pure := false
	if rec.Aux != 0 && rec.Guard == 0 && rec.Op.Computes() && rec.Dst2 == isa.NoReg {
		var done bool
		if done, pure = s.found(n, i, &rec); done || pure && rec.Op == isa.Select && s.fused(n, &v.sources[i], &rec) {
			v.sources = v.sources[:len(v.nodes)]
			return
		}
	}
	v.nodes = append(v.nodes, node{edges: none, place: v.place[n], pure: pure})
	v.instrs = append(v.instrs, rec)
	guarded := rec.Guard != 0
	if guarded {
		name := s.read(i, rec.Op, isa.Predicate(int(rec.Guard)-1), 1, true)
		rec.Guard = uint8(name-isa.Predicate(0)) + 1
	}
	dst, data := 1, 1
	if rec.Op >= isa.LoadShared {
		dst, data = rec.Rows()
	}
	address := int64(0)
	named := rec // what it reads and writes, before any of it is renamed
	if r := named.A; names(r) {
		if rec.Op >= isa.LoadShared {
			address = v.held(number(r))
		}
		rec.A = s.read(i, rec.Op, number(r), wide(r, 1), false) | r&pair
	}
	if r := named.B; names(r) {
		rec.B = s.read(i, rec.Op, number(r), wide(r, data), false) | r&pair
	}
	if r := named.C; names(r) {
		rec.C = s.read(i, rec.Op, number(r), wide(r, 1), false) | r&pair
	}
	if r := named.Dst; r != isa.NoReg {
		rec.Dst = s.write(i, n, rec.Op, rec.A, number(r), wide(r, dst), guarded) | r&pair
	}
	if r := named.Dst2; r != isa.NoReg {
		rec.Dst2 = s.write(i, n, rec.Op, rec.A, number(r), wide(r, 1), guarded) | r&pair
	}
	v.instrs[i] = rec
	v.link(v.constant, i, 1)
	if rec.Dst == isa.NoReg && (rec.Op.Computes() || rec.Op == isa.UniformMov) {
		v.constant = i
	}
	if rec.Op >= isa.LoadShared {
		s.access(i, &rec, address)
	}
}

// link lets instruction to wait for instruction from.
func (v *values) link(from, to, distance int32) {
	if from == to || from == none {
		return
	}
	n := &v.nodes[from]
	v.edges = append(v.edges, edge{to, n.edges, distance})
	n.edges = int32(len(v.edges) - 1)
	v.nodes[to].waits++
}

// await is link for a result that instruction to reads.
func (v *values) await(from, to, distance int32) {
	v.link(from, to, distance)
	v.nodes[to].early = max(v.nodes[to].early, v.nodes[from].early+distance)
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
	if x.name == x.base {
		b := v.at(x.base)
		v.users = append(v.users, user{i, b.users})
		b.users = int32(len(v.users) - 1)
	}
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
	return int64(val+1)<<heldValue | int64(v.vals[val].changes)<<heldChanges | int64(r-base)
}

// Where the parts of what held returns begin.
const (
	heldValue   = 32
	heldChanges = 16
)

// read lets an instruction of op wait for the n registers from r on, and returns what
// the first is called.
func (s *Scheduler) read(i int32, op isa.Op, r isa.Reg, n int, guards bool) isa.Reg {
	v := &s.values
	base, _ := v.group(r)
	val := v.current(base)
	for k := range n {
		if w := v.at(r + isa.Reg(k)).writer; w != none {
			v.await(w, i, s.distance(w, r, op, guards))
		}
	}
	v.use(val, i)
	return v.vals[val].name + (r - base)
}

// distance is from the result of instruction w in r to a reader.
func (s *Scheduler) distance(w int32, r isa.Reg, to isa.Op, guards bool) int32 {
	op := s.instrs[w].Op
	if guards {
		to = isa.Invalid
	}
	d := s.costs.distance[op&(ops-1)][to&(ops-1)]
	if r.IsPredicate() && op.IsShuffle() {
		d += int32(s.table.Later(op))
	}
	return d
}

// write gives the n registers from r on a new value, or changes the present one, and
// returns what the first is called. Instruction i is of op, with the first operand a,
// and record rec of the window.
func (s *Scheduler) write(i, rec int32, op isa.Op, a, r isa.Reg, n int, guarded bool) isa.Reg {
	v := &s.values
	base, size := v.group(r)
	b := v.at(base)
	switch {
	case guarded || b.broken: // in place, behind all that reads and writes it now
		val := v.current(base)
		for k := range n {
			if w := v.at(r + isa.Reg(k)).writer; w != none && s.table.Variable(s.instrs[w].Op) {
				v.link(w, i, s.distance(w, r, op, false))
			}
		}
		x := &v.vals[val]
		v.linkUsers(x.users, i)
		x.users = none
		x.changes++
	case n == size:
		s.renew(i, rec, op, a, base, size)
	default:
		if v.part(b, base, size, r, n) {
			s.renew(i, rec, op, a, base, size)
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
func (s *Scheduler) renew(i, rec int32, op isa.Op, a, base isa.Reg, size int) {
	v := &s.values
	b := v.at(base)
	q := queueOf(base, size)
	if q <= oddRows && op < isa.LoadShared && isRow(a) {
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
