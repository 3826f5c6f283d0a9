package intrinsics

import (
	"slices"
	"unsafe"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
)

// Go values carry no dependences. What an instruction waits for is found out by the
// values: each of the last results is in a register of its own, and what has the
// values of one of them in all lanes that take part is that result. So loads and
// chains that have nothing to do with each other do not wait for each other.

// How many results are kept in mind, by their size in bytes; in launches that give a
// thread fewer registers than manyRegisters, fewRecent of each.
const (
	recent4       = 16
	recent8       = 4
	manyRegisters = 64
	fewRecent     = 2
)

// recent are the registers of the last results of one size.
type recent[T uint32 | uint64] struct {
	slots []slot[T]
	next  int // where the next result goes
	last  int // where the latest is
	lanes []T // values of threads, put together
}

// A slot is one of them.
type slot[T uint32 | uint64] struct {
	reg   warp.Reg[T]
	known bool // its lanes have the values of the threads
}

// begin takes n registers of a warp that starts.
func (q *recent[T]) begin(w *warp.Warp, n int) {
	q.slots = slices.Grow(q.slots[:0], n)[:n]
	for i := range q.slots {
		q.slots[i] = slot[T]{reg: warp.Alloc[T](w)}
	}
	q.next, q.last = 1, 0
	q.lanes = slices.Grow(q.lanes[:0], w.Width())[:w.Width()]
}

// find returns the slot of the latest result that has the values v in the lanes of m,
// -1 if there is none.
func (q *recent[T]) find(v []T, m lane.Mask) int {
	first, all := m.First(), m.Count() == len(v)
	for k := range q.slots {
		i := (q.last - k + len(q.slots)) % len(q.slots)
		x := &q.slots[i]
		if !x.known {
			continue
		}
		if l := x.reg.Lanes(); l[first] == v[first] && same(l, v, m, all) {
			return i
		}
	}
	return -1
}

func same[T uint32 | uint64](a, b []T, m lane.Mask, all bool) bool {
	if all {
		return slices.Equal(a, b)
	}
	for l := range m.Lanes() {
		if a[l] != b[l] {
			return false
		}
	}
	return true
}

// copyLanes copies the lanes of m.
func copyLanes[T uint32 | uint64](to, from []T, m lane.Mask) {
	if m.Count() == len(to) {
		copy(to, from)
		return
	}
	for l := range m.Lanes() {
		to[l] = from[l]
	}
}

// spoil forgets what a register holds, which an instruction has changed in place.
func (q *recent[T]) spoil(row int) {
	for i := range q.slots {
		if q.slots[i].reg.Row() == row {
			q.slots[i].known = false
		}
	}
}

// spoil forgets what a register of any size holds.
func (s *scheduler) spoil(row int) {
	s.v4.spoil(row)
	s.v8.spoil(row)
}

// put notes that the latest result is in the slot for the next one.
func (q *recent[T]) put(s *scheduler, known bool) {
	x := &q.slots[q.next]
	x.known = known
	q.last = q.next
	q.next = (q.next + 1) % len(q.slots)
	s.latest = named(x.reg)
	s.pend(s.latest)
}

// named returns a register as instruction records name it.
func named[T uint32 | uint64](r warp.Reg[T]) isa.Reg {
	if sizeOf[T]() == 8 {
		return isa.RowPair(r.Row())
	}
	return isa.Row(r.Row())
}

// operand returns the register that has the values in the cells of the active lanes.
// If no recent result has them, Go has made them without booking anything: of the
// latest result, into its register, and whatever else was waiting to be used.
func operand[T uint32 | uint64](s *scheduler, q *recent[T], cells warp.Reg[T]) warp.Reg[T] {
	m := s.w.Active()
	at := q.find(cells.Lanes(), m)
	if at < 0 {
		at = q.last
		copyLanes(q.slots[at].reg.Lanes(), cells.Lanes(), m)
		q.slots[at].known = true
		s.pending = s.pending[:0]
	}
	r := q.slots[at].reg
	s.used(named(r))
	return r
}

// received hands the result that is in the slot for the next one to the threads, which
// look in the cells.
func received[T uint32 | uint64](s *scheduler, q *recent[T], cells warp.Reg[T]) {
	copyLanes(cells.Lanes(), q.slots[q.next].reg.Lanes(), s.w.Active())
	q.put(s, true)
}

// index returns the register of the addresses of the present access: that of a result
// if they are one in all lanes, so that the access waits for it. It is none of
// the registers in rows, which the access uses as something else.
func (s *scheduler) index(rows ...int) warp.Reg[int32] {
	m := s.w.Active()
	s.idx.Define(m)
	at := s.v4.find(unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(s.args))), len(s.args)), m)
	if at < 0 || slices.Contains(rows, s.v4.slots[at].reg.Row()) {
		return s.idx
	}
	r := warp.View[int32](s.v4.slots[at].reg)
	r.Define(m)
	s.used(named(s.v4.slots[at].reg))
	return r
}

// told notes that the latest result is what the last instruction has made, no row.
func (s *scheduler) told() {
	if r := s.w.Front().Result(); r != isa.NoReg {
		s.latest = r
		s.pend(r)
	}
}

// takeGuard returns the predicate of the last vote if nothing has been booked since: Go
// has come from there by a branch, or chooses by it.
func (s *scheduler) takeGuard() isa.Reg {
	g := s.guard
	s.guard = isa.NoReg
	return g
}

// maxPending is how many results can wait to be used.
const maxPending = 8

// pend notes a result that nothing has read so far.
func (s *scheduler) pend(r isa.Reg) {
	s.used(r)
	if len(s.pending) == maxPending {
		s.pending = slices.Delete(s.pending, 0, 1)
	}
	s.pending = append(s.pending, r)
}

// used notes that a result has been read.
func (s *scheduler) used(r isa.Reg) {
	if i := slices.Index(s.pending, r); i >= 0 {
		s.pending = slices.Delete(s.pending, i, i+1)
	}
}

// takePending returns a result that has not been read, the oldest first, or none.
func (s *scheduler) takePending() isa.Reg {
	if len(s.pending) == 0 {
		return isa.NoReg
	}
	r := s.pending[0]
	s.pending = slices.Delete(s.pending, 0, 1)
	return r
}
