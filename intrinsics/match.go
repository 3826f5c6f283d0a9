package intrinsics

import (
	"unsafe"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
)

// MatchAnySync returns the lanes that take part and hold the same value as the
// caller, see AllSync. Floats are the same if their bits are; in HIP, whose header
// compares values, -0 is the same as +0, and with a NaN, which is not the same as
// itself, the loop of that header does not end: a fault of kind warp.Deadlock.
func MatchAnySync[M MaskType, T warp.Number](t *Thread, mask M, v T) M {
	*cell[T](t) = v
	t.ask(matchAny[T]{}, keyMatchAny.sized(unsafe.Sizeof(v)), masked, lanesOf(t, mask), 0, 0)
	return maskOf[M](t, t.s.masks[t.lane])
}

// MatchAllSync returns the lanes that take part and true, if all of them hold
// the same value, and an empty set and false if not. See MatchAnySync.
func MatchAllSync[M MaskType, T warp.Number](t *Thread, mask M, v T) (M, bool) {
	*cell[T](t) = v
	t.ask(matchAll[T]{}, keyMatchAll.sized(unsafe.Sizeof(v)), masked, lanesOf(t, mask), 0, 0)
	return maskOf[M](t, t.s.result), t.s.yes.Has(t.lane)
}

// MatchAny is MatchAnySync without a member mask, for the lanes that are
// converged.
func MatchAny[T warp.Number](t *Thread, v T) Mask {
	*cell[T](t) = v
	t.ask(matchAny[T]{}, keyMatchAny.sized(unsafe.Sizeof(v))|keyMaskless, converged, Mask{}, 0, 0)
	return t.s.masks[t.lane]
}

// MatchAll is MatchAllSync without a member mask, for the lanes that are
// converged.
func MatchAll[T warp.Number](t *Thread, v T) (Mask, bool) {
	*cell[T](t) = v
	t.ask(matchAll[T]{}, keyMatchAll.sized(unsafe.Sizeof(v))|keyMaskless, converged, Mask{}, 0, 0)
	return t.s.result, t.s.yes.Has(t.lane)
}

type matchAny[T warp.Number] struct{}

func (matchAny[T]) issue(s *scheduler, lead *Thread) {
	var zero T
	r := source(s, result[T](s))
	s.matchValues(floatsOf(r), r.Row())
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
		warp.MatchAny(s.match, r, s.members)
	}
	s.told()
}

type matchAll[T warp.Number] struct{}

func (matchAll[T]) issue(s *scheduler, lead *Thread) {
	var zero T
	r := source(s, result[T](s))
	s.matchValues(floatsOf(r), r.Row())
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
		warp.MatchAll(s.set, s.pr, r, s.members)
	}
	s.told()
	s.result, s.yes = s.set.Mask(), s.pr.Mask()
}

// floats are the lanes of a register of floats, one of the two or none.
type floats struct {
	narrow []float32
	wide   []float64
}

func floatsOf[T any](r warp.Reg[T]) (f floats) {
	switch any(*new(T)).(type) {
	case float32:
		f.narrow = warp.View[float32](r).Lanes()
	case float64:
		f.wide = warp.View[float64](r).Lanes()
	}
	return f
}

// matchValues prepares floats for a match by bits on devices whose language matches
// values: -0 becomes +0, and a NaN is a fault. They are in the register at row.
func (s *scheduler) matchValues(f floats, row int) {
	if s.w.Device().Language != "HIP" || f.narrow == nil && f.wide == nil {
		return
	}
	s.spoil(row)
	var bad lane.Mask
	for l := range s.w.Active().Lanes() {
		if f.narrow != nil {
			f.narrow[l] += 0 // of -0 that is +0
			if f.narrow[l] != f.narrow[l] {
				bad = bad.With(l)
			}
		} else {
			f.wide[l] += 0
			if f.wide[l] != f.wide[l] {
				bad = bad.With(l)
			}
		}
	}
	if !bad.Empty() {
		s.w.Fail(warp.Fault{Kind: warp.Deadlock, Lanes: bad, Detail: "a match of NaN, which is not the same as itself: the loop of HIP's header does not end",
			Advice: "match the bits of floats (math.Float32bits), or keep NaN out"}, nil)
	}
}
