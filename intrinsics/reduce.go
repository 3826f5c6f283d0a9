package intrinsics

import (
	"unsafe"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
)

// ReduceAddSync returns the sum of v over the lanes that take part: those that
// mask names and that have not exited. Sums wrap.
//
// A device without a hardware reduction of the type ends the kernel with a fault
// of kind warp.Unsupported; where masks are the active lanes (HIP), the function
// is part of the language all the same and comes to a tree of shuffles.
func ReduceAddSync[M MaskType, T warp.Integer](t *Thread, mask M, v T) T {
	return reduce(t, keyReduceAdd, lanesOf(t, mask), v)
}

// ReduceMinSync returns the least v of the lanes that take part, see
// ReduceAddSync.
func ReduceMinSync[M MaskType, T warp.Integer](t *Thread, mask M, v T) T {
	return reduce(t, keyReduceMin, lanesOf(t, mask), v)
}

// ReduceMaxSync returns the greatest v of the lanes that take part, see
// ReduceAddSync.
func ReduceMaxSync[M MaskType, T warp.Integer](t *Thread, mask M, v T) T {
	return reduce(t, keyReduceMax, lanesOf(t, mask), v)
}

// ReduceAndSync returns the bits that are set in v in all lanes that take part,
// see ReduceAddSync.
func ReduceAndSync[M MaskType, T warp.Integer](t *Thread, mask M, v T) T {
	return reduce(t, keyReduceAnd, lanesOf(t, mask), v)
}

// ReduceOrSync returns the bits that are set in v in some lane that takes part,
// see ReduceAddSync.
func ReduceOrSync[M MaskType, T warp.Integer](t *Thread, mask M, v T) T {
	return reduce(t, keyReduceOr, lanesOf(t, mask), v)
}

// ReduceXorSync returns the exclusive or of v over the lanes that take part, see
// ReduceAddSync.
func ReduceXorSync[M MaskType, T warp.Integer](t *Thread, mask M, v T) T {
	return reduce(t, keyReduceXor, lanesOf(t, mask), v)
}

func reduce[T warp.Integer](t *Thread, k key, m lane.Mask, v T) T {
	p := cell[T](t)
	*p = v
	t.ask(reduction[T]{}, k.sized(unsafe.Sizeof(v)), masked, m, 0, 0)
	return *p
}

type reduction[T warp.Integer] struct{}

func (reduction[T]) issue(s *scheduler, lead *Thread) {
	r := result[T](s)
	v := value(s, r)
	op := warp.ReduxOp(lead.key&keyBase - keyReduceAdd)
	if s.lockstep && !warp.HasRedux[T](s.w, op) {
		s.onlyMembers()
		tree(s, op, r, v)
		s.spoil(v.Row())
	} else if s.maskless {
		warp.Redux(op, r, v)
	} else {
		warp.Redux(op, r, v, s.members)
	}
	deliver(s, r)
}

// tree reduces v over the active lanes into r as devices without hardware for it do: a
// tree of shuffles among the ranks of the lanes, and a broadcast.
func tree[T warp.Integer](s *scheduler, op warp.ReduxOp, r, v warp.Reg[T]) {
	defer s.w.Release(s.mark)
	m := s.w.Active()
	other, from, has := warp.Alloc[T](s.w), warp.Alloc[int32](s.w), s.w.Pred()
	source := from.Lanes()
	n := m.Count()
	for d := 1; d < n; d *= 2 {
		var with lane.Mask
		rank := 0
		for l := range m.Lanes() {
			source[l] = int32(l)
			if rank%(2*d) == 0 && rank+d < n {
				source[l] = int32(m.Nth(rank + d))
				with = with.With(l)
			}
			rank++
		}
		from.Define(m)
		has.Define(with, m)
		warp.Shfl(other, v, warp.Shuffle{PerLane: from})
		s.w.Where(has, func() { combine(op, v, other) })
	}
	warp.ShflIdx(r, v, m.First())
}

// combine sets r to r op x.
func combine[T warp.Integer](op warp.ReduxOp, r, x warp.Reg[T]) {
	switch op {
	case warp.ReduxAdd:
		warp.Add(r, r, x)
	case warp.ReduxMin:
		warp.Min(r, r, x)
	case warp.ReduxMax:
		warp.Max(r, r, x)
	case warp.ReduxAnd:
		warp.And(r, r, x)
	case warp.ReduxOr:
		warp.Or(r, r, x)
	default:
		warp.Xor(r, r, x)
	}
}
