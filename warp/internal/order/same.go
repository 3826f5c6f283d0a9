package order

import "example.com/warpsim/warp/isa"

// sames remembers what has been computed in a window, so that it is not computed
// again: a compiler keeps what it has, and moves what does not change out of loops.
type sames [1 << sameBits]same

const sameBits = 10

type same struct {
	epoch int32
	key   sameKey
	value int32
}

// A sameKey is what the result of an instruction depends on.
type sameKey struct {
	op, aux, active uint8
	a, b, c         int64 // values and how often they have been changed, or constants
}

// found reports whether the result of record n is there already; then the register
// holds it. A move only gives another name.
func (s *Scheduler) found(n int32, rec *isa.Instr, sources *[3]int64) bool {
	v := &s.values
	dst := number(rec.Dst)
	base, size := v.group(dst)
	b := v.at(base)
	if size > 1 || rec.Dst.IsPair() || b.parted {
		return false
	}
	key := sameKey{op: uint8(rec.Op), aux: rec.Aux, active: rec.Active}
	for _, o := range [...]struct {
		r  isa.Reg
		to *int64
	}{{rec.A, &key.a}, {rec.B, &key.b}, {rec.C, &key.c}} {
		switch {
		case o.r == isa.NoReg:
		case o.r.IsPlace():
			*o.to = -int64(o.r)
		default:
			if _, size := v.group(number(o.r)); size > 1 {
				return false
			}
			*o.to = v.held(number(o.r))
		}
	}
	*sources = [3]int64{key.a, key.b, key.c}
	move := rec.Op == isa.Mov && rec.A != isa.NoReg && !rec.A.IsPlace()
	h := uint64(key.a)*0x9e3779b97f4a7c15 ^ uint64(key.b)*0xbf58476d1ce4e5b9 ^ uint64(key.c)*0x94d049bb133111eb ^ uint64(key.op)<<56 ^ uint64(key.aux)<<48
	h *= 0x9e3779b97f4a7c15
	e := &v.sames[h>>(64-sameBits)]
	val := none
	if move {
		val = v.current(number(rec.A))
	} else if e.epoch == v.epoch && e.key == key {
		val = e.value
	}
	if val != none && n != b.final && s.keeps(val) {
		v.drop(b)
		x := &v.vals[val]
		x.refs++
		b.value = val
		v.at(dst).writer = x.first
		return true
	}
	if !move {
		*e = same{v.epoch, key, int32(len(v.vals))} // which add makes next
	}
	return false
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
func (s *Scheduler) fused(n int32, rec *isa.Instr, sources *[3]int64) bool {
	v := &s.values
	dst := number(rec.Dst)
	b := v.at(dst)
	if n == b.final || !rec.C.IsPredicate() {
		return false
	}
	one, other := s.alone(sources[0]), s.alone(sources[1])
	if one == none || other == none || one == other {
		return false
	}
	x, y := v.vals[one].first, v.vals[other].first
	var from [3]int32
	for k, h := range v.nodes[x].sources {
		if from[k] = none; h > 0 {
			from[k] = int32(h>>20) - 1
			if val := &v.vals[from[k]]; val.lost || int64(val.changes) != h>>4&0xffff {
				return false
			}
		}
	}
	p := v.current(rec.C)
	if w := v.at(rec.C).writer; w != none && v.nodes[w].early+int32(s.distance(w, rec.C, rec.Op, true)) > max(v.nodes[x].early, v.nodes[y].early)+1 {
		return false
	}
	i := int32(len(v.nodes))
	in := v.nodes[x].rec
	in.Guard = uint8(v.vals[p].name-isa.Predicate(0)) + 1
	in.Dst = v.vals[other].name
	v.nodes = append(v.nodes, node{rec: in, place: v.nodes[x].place, edges: none})
	v.nodes[x].left = true
	s.read(i, rec.C, 1, true)
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
	val := int32(held>>20) - 1
	if held <= 0 {
		return none
	}
	x := &s.vals[val]
	if x.first == none || x.refs != 1 || x.lost || x.changes > 0 || x.name == x.base {
		return none
	}
	d, in := &s.defs[x.rec], &s.nodes[x.first]
	if d.uses != 1 || !d.gone || in.left || in.rec.Aux == 0 || !in.rec.Op.Computes() || in.rec.Guard != 0 || in.rec.Op == isa.Select {
		return none
	}
	return val
}
