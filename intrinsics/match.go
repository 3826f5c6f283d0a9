package intrinsics

import (
	"unsafe"

	"example.com/warpsim/warp"
)

// A Scalar is any integer or float type of 8 to 64 bits.
type Scalar = warp.Number

// MatchAnySync returns the lanes that take part and hold the same value as the
// caller, see AllSync. Floats are the same if their bits are.
func MatchAnySync[M MaskType, T Scalar](t *Thread, mask M, v T) M {
	*cell[T](t) = v
	t.ask(matchAny[T]{}, keyMatchAny.sized(unsafe.Sizeof(v)), masked, lanesOf(t, mask), 0, 0)
	return maskOf[M](t, t.s.masks[t.lane])
}

// MatchAllSync returns the lanes that take part and true, if all of them hold
// the same value, and an empty set and false if not. See MatchAnySync.
func MatchAllSync[M MaskType, T Scalar](t *Thread, mask M, v T) (M, bool) {
	*cell[T](t) = v
	t.ask(matchAll[T]{}, keyMatchAll.sized(unsafe.Sizeof(v)), masked, lanesOf(t, mask), 0, 0)
	return maskOf[M](t, t.s.result), t.s.yes.Has(t.lane)
}

// MatchAny is MatchAnySync without a member mask, for the lanes that are
// converged.
func MatchAny[T Scalar](t *Thread, v T) Mask {
	*cell[T](t) = v
	t.ask(matchAny[T]{}, keyMatchAny.sized(unsafe.Sizeof(v))|keyMaskless, converged, Mask{}, 0, 0)
	return t.s.masks[t.lane]
}

// MatchAll is MatchAllSync without a member mask, for the lanes that are
// converged.
func MatchAll[T Scalar](t *Thread, v T) (Mask, bool) {
	*cell[T](t) = v
	t.ask(matchAll[T]{}, keyMatchAll.sized(unsafe.Sizeof(v))|keyMaskless, converged, Mask{}, 0, 0)
	return t.s.result, t.s.yes.Has(t.lane)
}

type matchAny[T Scalar] struct{}

func (matchAny[T]) issue(s *scheduler, lead *Thread) {
	var zero T
	r := value(s, result[T](s))
	switch unsafe.Sizeof(zero) {
	case 1:
		anyOf(s, warp.View[uint8](r))
	case 2:
		anyOf(s, warp.View[uint16](r))
	case 4:
		anyOf(s, warp.View[uint32](r))
	default:
		anyOf(s, warp.View[uint64](r))
	}
}

func anyOf[U warp.Integer](s *scheduler, r warp.Reg[U]) {
	if s.maskless {
		warp.MatchAny(s.match, r)
	} else {
		warp.MatchAnySync(s.members, s.match, r)
	}
}

type matchAll[T Scalar] struct{}

func (matchAll[T]) issue(s *scheduler, lead *Thread) {
	var zero T
	r := value(s, result[T](s))
	switch unsafe.Sizeof(zero) {
	case 1:
		allOf(s, warp.View[uint8](r))
	case 2:
		allOf(s, warp.View[uint16](r))
	case 4:
		allOf(s, warp.View[uint32](r))
	default:
		allOf(s, warp.View[uint64](r))
	}
}

func allOf[U warp.Integer](s *scheduler, r warp.Reg[U]) {
	if s.maskless {
		warp.MatchAll(s.set, s.pr, r)
	} else {
		warp.MatchAllSync(s.members, s.set, s.pr, r)
	}
	s.result, s.yes = s.set.Mask(), s.pr.Mask()
}
