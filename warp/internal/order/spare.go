package order

import "example.com/warpsim/warp/isa"

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

// spares are registers for further values: those that the window does not name.
type spares struct {
	queue [queues]queue
	lines [queues]line

	predicates, uniforms uint64 // those that the window names
	rows                 [Live*2/64 + 1]uint64
	first                isa.Reg // the first row that no kernel has
}

// A line is the registers of a queue that nothing has had so far: number of them
// from first on, step apart.
type line struct {
	first        isa.Reg
	number, step int
}

// A queue has first those of a line, and then those that have become free, in the
// order in which they did.
type queue struct {
	fresh int // of the line that have been taken
	freed []spare
	taken int // of freed
}

// A spare is a register for further values, and the value that it held last.
type spare struct {
	name isa.Reg
	last int32
}

// newSpares returns the spare registers of kernels with so many rows.
func newSpares(rows int) spares {
	s := spares{first: min(isa.Row(rows), isa.Predicate(0))}
	if n := min(Live, isa.MaxRows-2-rows) / 2; n > 0 {
		s.lines[evenRows] = line{isa.Row(rows), n, 2}
		s.lines[oddRows] = line{isa.Row(rows + 1), n, 2}
		if n := min(Live, isa.MaxRows-2-rows-Live) / groupRows; n > 0 {
			s.lines[rowGroups] = line{isa.Row(rows + Live), n, groupRows}
		}
	}
	// Kernels take them from 0 on, and the engine its own from the end.
	s.lines[predicates] = line{isa.Predicate(isa.MaxPredicates / 3), isa.MaxPredicates / 2, 1}
	s.lines[uniforms] = line{isa.Uniform(isa.MaxUniform / 3), isa.MaxUniform / 2, 1}
	return s
}

// begin makes the registers ready for another window.
func (s *spares) begin() {
	for q := range s.queue {
		x := &s.queue[q]
		x.fresh, x.freed, x.taken = 0, x.freed[:0], 0
	}
	s.predicates, s.uniforms, s.rows = 0, 0, [len(s.rows)]uint64{}
}

// named notes that the window names a register, or a place or none.
func (s *spares) named(r isa.Reg) {
	if r = number(r); r >= s.first {
		s.note(r)
	}
}

func (s *spares) note(r isa.Reg) {
	switch k := int(r - s.first); {
	case r.IsPredicate():
		s.predicates |= 1 << (r - isa.Predicate(0))
	case r.IsUniform():
		s.uniforms |= 1 << (r - isa.Uniform(0))
	case k < 64*len(s.rows):
		s.rows[k/64] |= 1 << (k % 64)
	}
}

// has reports whether the window names a register of a line.
func (s *spares) has(q int, r isa.Reg) bool {
	switch q {
	case predicates:
		return s.predicates>>(r-isa.Predicate(0))&1 != 0
	case uniforms:
		return s.uniforms>>(r-isa.Uniform(0))&1 != 0
	}
	k := int(r - s.first)
	return s.rows[k/64]>>(k%64)&1 != 0
}

// take returns the register that has been free for longest.
func (v *values) take(q int) (spare, bool) {
	s := &v.spare
	x, l := &s.queue[q], &s.lines[q]
	for x.fresh < l.number {
		r := l.first + isa.Reg(x.fresh*l.step)
		if x.fresh++; !s.has(q, r) {
			return spare{r, none}, true
		}
	}
	for x.taken < len(x.freed) {
		f := x.freed[x.taken]
		x.taken++
		y := &v.vals[f.last]
		if y.spare = false; y.refs == 0 {
			return f, true
		}
		// It is in use again, and comes back here when it is free.
	}
	return spare{}, false
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
		q := &v.spare.queue[queueOf(x.name, size)]
		q.freed = append(q.freed, spare{x.name, b.value})
	}
}

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
