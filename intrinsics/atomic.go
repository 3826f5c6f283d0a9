package intrinsics

import (
	"unsafe"

	"example.com/warpsim/warp"
	"golang.org/x/exp/constraints"
)

// AtomicAdd adds v to element i of a, which no other access comes between, and
// returns what it was. Lanes of one instruction go in ascending order, blocks in
// the order of their numbers; devices define no order. Sums wrap. Faults are
// those of Array.Load; operations that the type does not have are of kind
// warp.Unsupported.
func AtomicAdd[T warp.Number](t *Thread, a *Array[T], i int, v T) T {
	return atomic(t, keyAtomicAdd, a, i, v)
}

// AtomicSub subtracts v from element i of a and returns what it was, see
// AtomicAdd.
func AtomicSub[T warp.Number](t *Thread, a *Array[T], i int, v T) T {
	return atomic(t, keyAtomicAdd, a, i, -v)
}

// AtomicMin sets element i of a to the lesser of itself and v and returns what it
// was, see AtomicAdd.
func AtomicMin[T warp.Number](t *Thread, a *Array[T], i int, v T) T {
	return atomic(t, keyAtomicMin, a, i, v)
}

// AtomicMax sets element i of a to the greater of itself and v and returns what
// it was, see AtomicAdd.
func AtomicMax[T warp.Number](t *Thread, a *Array[T], i int, v T) T {
	return atomic(t, keyAtomicMax, a, i, v)
}

// AtomicExch sets element i of a to v and returns what it was, see AtomicAdd.
func AtomicExch[T warp.Number](t *Thread, a *Array[T], i int, v T) T {
	return atomic(t, keyAtomicExch, a, i, v)
}

// AtomicAnd clears the bits of element i of a that v does not have and returns
// what it was, see AtomicAdd.
func AtomicAnd[T warp.Integer](t *Thread, a *Array[T], i int, v T) T {
	return atomic(t, keyAtomicAnd, a, i, v)
}

// AtomicOr sets the bits of v in element i of a and returns what it was, see
// AtomicAdd.
func AtomicOr[T warp.Integer](t *Thread, a *Array[T], i int, v T) T {
	return atomic(t, keyAtomicOr, a, i, v)
}

// AtomicXor flips the bits of v in element i of a and returns what it was, see
// AtomicAdd.
func AtomicXor[T warp.Integer](t *Thread, a *Array[T], i int, v T) T {
	return atomic(t, keyAtomicXor, a, i, v)
}

// AtomicInc adds 1 to element i of a, but sets it to 0 if it was limit or more,
// and returns what it was, see AtomicAdd.
func AtomicInc[T constraints.Unsigned](t *Thread, a *Array[T], i int, limit T) T {
	return atomic(t, keyAtomicInc, a, i, limit)
}

// AtomicDec takes 1 from element i of a, but sets it to limit if it was 0 or more
// than limit, and returns what it was, see AtomicAdd.
func AtomicDec[T constraints.Unsigned](t *Thread, a *Array[T], i int, limit T) T {
	return atomic(t, keyAtomicDec, a, i, limit)
}

// RedAdd is AtomicAdd without a result, which is a cheaper instruction on global
// memory: what a compiler makes of an atomic whose result is not used.
func RedAdd[T warp.Number](t *Thread, a *Array[T], i int, v T) {
	atomic(t, keyAtomicAdd|keyNoResult, a, i, v)
}

func atomic[T warp.Number](t *Thread, k key, a *Array[T], i int, v T) T {
	p := cell[T](t)
	*p = v
	t.askOf(atomically[T]{}, k, index(i), unsafe.Pointer(a), a.id)
	return *p
}

type atomically[T warp.Number] struct{}

func (atomically[T]) issue(s *scheduler, lead *Thread) {
	r := result[T](s)
	v := value(s, r)
	idx := s.index(r.Row(), v.Row())
	op := warp.AtomicOp(lead.key&keyBase - keyAtomicAdd)
	m := (*Array[T])(lead.ptr).mem
	if lead.key&keyNoResult != 0 {
		warp.AtomicReduce(op, m, idx, v)
		s.w.Front().Changed()
	} else {
		warp.Atomic(op, r, m, idx, v)
		noteChange(s, m, r)
		deliver(s, r)
	}
}

// noteChange tells the warp of an atomic that has changed memory: some element is
// no longer what old has of it.
func noteChange[T warp.Number](s *scheduler, m warp.Mem[T], old warp.Reg[T]) {
	data, was := m.Data(), old.Lanes()
	for l := range s.w.Active().Lanes() {
		if i := int(s.args[l]); uint(i) < uint(len(data)) && data[i] != was[l] {
			s.w.Front().Changed()
			return
		}
	}
}

// AtomicCAS sets element i of a to v if it equals want, and returns what it was,
// see AtomicAdd.
func AtomicCAS[T warp.Number](t *Thread, a *Array[T], i int, want, v T) T {
	p := cell[T](t)
	*p = v
	*(*T)(unsafe.Pointer(&t.big)) = want
	t.askOf(compareAndSwap[T]{}, keyAtomicCAS, index(i), unsafe.Pointer(a), a.id)
	return *p
}

type compareAndSwap[T warp.Number] struct{}

func (compareAndSwap[T]) issue(s *scheduler, lead *Thread) {
	r := result[T](s)
	v := value(s, r)
	m := s.w.Active()
	idx := s.index(r.Row(), v.Row())
	want := warp.Alloc[T](s.w)
	lanes := want.Lanes()
	for l := range m.Lanes() {
		lanes[l] = *(*T)(unsafe.Pointer(&s.threads[l].big))
	}
	want.Define(m)
	warp.CompareAndSwap(r, (*Array[T])(lead.ptr).mem, idx, want, v)
	noteChange(s, (*Array[T])(lead.ptr).mem, r)
	deliver(s, r)
	s.w.Release(s.mark)
}
