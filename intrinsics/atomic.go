package intrinsics

import (
	"unsafe"

	"example.com/warpsim/warp"
)

// AtomicAdd adds v to element i of a, which no other access comes between, and
// returns what it was. Lanes of one instruction go in ascending order, blocks in
// the order of their numbers; devices define no order. Sums wrap. Faults are
// those of Array.Load; operations that the type does not have are of kind
// warp.Unsupported.
func AtomicAdd[T Scalar](t *Thread, a *Array[T], i int, v T) T {
	return atomic(t, keyAtomicAdd, a, i, v)
}

// AtomicSub subtracts v from element i of a and returns what it was, see
// AtomicAdd.
func AtomicSub[T Scalar](t *Thread, a *Array[T], i int, v T) T {
	return atomic(t, keyAtomicAdd, a, i, -v)
}

// AtomicMin sets element i of a to the lesser of itself and v and returns what it
// was, see AtomicAdd.
func AtomicMin[T Scalar](t *Thread, a *Array[T], i int, v T) T {
	return atomic(t, keyAtomicMin, a, i, v)
}

// AtomicMax sets element i of a to the greater of itself and v and returns what
// it was, see AtomicAdd.
func AtomicMax[T Scalar](t *Thread, a *Array[T], i int, v T) T {
	return atomic(t, keyAtomicMax, a, i, v)
}

// AtomicExch sets element i of a to v and returns what it was, see AtomicAdd.
func AtomicExch[T Scalar](t *Thread, a *Array[T], i int, v T) T {
	return atomic(t, keyAtomicExch, a, i, v)
}

// AtomicAnd clears the bits of element i of a that v does not have and returns
// what it was, see AtomicAdd.
func AtomicAnd[T Integer](t *Thread, a *Array[T], i int, v T) T {
	return atomic(t, keyAtomicAnd, a, i, v)
}

// AtomicOr sets the bits of v in element i of a and returns what it was, see
// AtomicAdd.
func AtomicOr[T Integer](t *Thread, a *Array[T], i int, v T) T {
	return atomic(t, keyAtomicOr, a, i, v)
}

// AtomicXor flips the bits of v in element i of a and returns what it was, see
// AtomicAdd.
func AtomicXor[T Integer](t *Thread, a *Array[T], i int, v T) T {
	return atomic(t, keyAtomicXor, a, i, v)
}

// RedAdd is AtomicAdd without a result, which is a cheaper instruction on global
// memory: what a compiler makes of an atomic whose result is not used.
func RedAdd[T Scalar](t *Thread, a *Array[T], i int, v T) {
	atomic(t, keyAtomicAdd|keyNoResult, a, i, v)
}

func atomic[T Scalar](t *Thread, k key, a *Array[T], i int, v T) T {
	p := cell[T](t)
	*p = v
	t.askOf(atomically[T]{}, k, index(i), unsafe.Pointer(a), a.id)
	return *p
}

type atomically[T Scalar] struct{}

func (atomically[T]) issue(s *scheduler, lead *Thread) {
	r := result[T](s)
	v := value(s, r)
	warp.Define(s.idx, s.w.Active())
	op := warp.AtomicOp(lead.key&keyBase - keyAtomicAdd)
	m := (*Array[T])(lead.ptr).mem
	if lead.key&keyNoResult != 0 {
		warp.Reduce(op, m, s.idx, v)
	} else {
		warp.Atomic(op, r, m, s.idx, v)
	}
}

// AtomicCAS sets element i of a to v if it equals want, and returns what it was,
// see AtomicAdd.
func AtomicCAS[T Scalar](t *Thread, a *Array[T], i int, want, v T) T {
	p := cell[T](t)
	*p = v
	*(*T)(unsafe.Pointer(&t.big)) = want
	t.askOf(compareAndSwap[T]{}, keyAtomicCAS, index(i), unsafe.Pointer(a), a.id)
	return *p
}

type compareAndSwap[T Scalar] struct{}

func (compareAndSwap[T]) issue(s *scheduler, lead *Thread) {
	r := result[T](s)
	v := value(s, r)
	m := s.w.Active()
	warp.Define(s.idx, m)
	want := warp.Alloc[T](s.w)
	lanes := want.Lanes()
	for l := range m.Lanes() {
		lanes[l] = *(*T)(unsafe.Pointer(&s.threads[l].big))
	}
	warp.Define(want, m)
	warp.CompareAndSwap(r, (*Array[T])(lead.ptr).mem, s.idx, want, v)
	s.w.Release(s.mark)
}
