package order

import "example.com/warpsim/warp/isa"

// sames remembers what has been computed in a window, so that it is not computed
// again: a compiler keeps what it has, and moves what does not change out of loops.
type sames [1 << sameBits]same

const sameBits = 10

// A same is a value that some instruction has made.
type same struct{ epoch, value int32 }

// found reports whether the result of record n is there already; then the register
// holds it. A move only gives another name. Otherwise it reports whether instruction i
// will be pure, and notes what it is made of.
func (s *Scheduler) found(n, i int32, rec *isa.Instr) (done, pure bool) {
	v := &s.values
	dst := number(rec.Dst)
	base, size := v.group(dst)
	b := v.at(base)
	if size > 1 || rec.Dst.IsPair() || b.parted {
		return false, false
	}
	var key sources
	for k, r := range [...]isa.Reg{rec.A, rec.B, rec.C} {
		switch {
		case r == isa.NoReg:
		case r.IsPlace():
			key[k] = -int64(r)
		default:
			if _, size := v.group(number(r)); size > 1 {
				return false, false
			}
			key[k] = v.held(number(r))
		}
	}
	v.sources[i] = key
	move := rec.Op == isa.Mov && names(rec.A)
	h := uint64(key[0])*0x9e3779b97f4a7c15 ^ uint64(key[1])*0xbf58476d1ce4e5b9 ^ uint64(key[2])*0x94d049bb133111eb ^ uint64(rec.Op)<<56 ^ uint64(rec.Aux)<<48
	h *= 0x9e3779b97f4a7c15
	e := &v.sames[h>>(64-sameBits)]
	val := none
	if move {
		val = v.current(number(rec.A))
	} else if e.epoch == v.epoch && v.made(e.value, rec, &key) {
		val = e.value
	}
	if val != none && n != b.final && s.keeps(val) {
		v.drop(b)
		x := &v.vals[val]
		x.refs++
		b.value = val
		v.at(dst).writer = x.first
		return true, false
	}
	if !move {
		*e = same{v.epoch, int32(len(v.vals))} // which add makes next
	}
	return false, true
}

// made reports whether a value was made as a record makes its own.
func (v *values) made(val int32, rec *isa.Instr, key *sources) bool {
	if int(val) >= len(v.vals) || v.vals[val].first == none {
		return false
	}
	k := v.vals[val].first
	in := &v.instrs[k]
	return v.nodes[k].pure && in.Op == rec.Op && in.Aux == rec.Aux && in.Active == rec.Active && v.sources[k] == *key
}

// keeps reports whether a value stays where it is as long as some register holds it.
func (s *Scheduler) keeps(val int32) bool {
	x := &s.vals[val]
	b := s.at(x.base)
	if x.lost || b.parted || b.broken || x.changes > 0 {
		return false
	}
	if _, size := s.group(x.base); size > 1 {
		return false
	}
	if x.name != x.base {
		return true
	}
	// In the kernel's own register: if that is not written again.
	return b.final == none || x.first != none && s.place[b.final] == s.nodes[x.first].place
}

// fused makes one instruction of a select and one of the two whose results it chooses
// from, if both do nothing else: the second of them overwrites the first under a
// guard, as compilers do if the predicate is there in time.
func (s *Scheduler) fused(n int32, held *sources, rec *isa.Instr) bool {
	v := &s.values
	dst := number(rec.Dst)
	b := v.at(dst)
	if n == b.final || !rec.C.IsPredicate() {
		return false
	}
	one, other := s.alone(held[0]), s.alone(held[1])
	if one == none || other == none || one == other {
		return false
	}
	x, y := v.vals[one].first, v.vals[other].first
	var from [3]int32
	for k, h := range v.sources[x] {
		if from[k] = none; h > 0 {
			from[k] = int32(h>>heldValue) - 1
			if val := &v.vals[from[k]]; val.lost || int64(val.changes) != h>>heldChanges&0xffff {
				return false
			}
		}
	}
	p := v.current(rec.C)
	if w := v.at(rec.C).writer; w != none && v.nodes[w].early+s.distance(w, rec.C, rec.Op, true) > max(v.nodes[x].early, v.nodes[y].early)+1 {
		return false
	}
	i := int32(len(v.nodes))
	in := v.instrs[x]
	in.Guard = uint8(v.vals[p].name-isa.Predicate(0)) + 1
	in.Dst = v.vals[other].name
	v.nodes = append(v.nodes, node{edges: none, place: v.nodes[x].place})
	v.instrs = append(v.instrs, in)
	v.nodes[x].left = true
	s.read(i, in.Op, rec.C, 1, true)
	for _, val := range from {
		if val == none {
			continue
		}
		if w := v.vals[val].last; w != none {
			v.await(w, i, s.distance(w, v.vals[val].base, in.Op, false))
		}
		v.use(val, i)
	}
	v.linkUsers(v.vals[other].users, i)
	v.drop(b)
	z := &v.vals[other]
	z.users = none
	z.changes++
	z.refs++
	z.last = i
	b.value = other
	v.at(dst).writer = i
	v.use(other, i)
	return true
}

// alone returns the value that held names if it is the result of one pure instruction
// that nobody reads but the one that comes next, and none otherwise.
func (s *Scheduler) alone(held int64) int32 {
	val := int32(held>>heldValue) - 1
	if held <= 0 {
		return none
	}
	x := &s.vals[val]
	if x.first == none || x.refs != 1 || x.lost || x.changes > 0 || x.name == x.base {
		return none
	}
	d, in := &s.defs[x.rec], &s.instrs[x.first]
	if d.uses != 1 || !d.gone || s.nodes[x.first].left || !s.nodes[x.first].pure || in.Op == isa.Select {
		return none
	}
	return val
}
