package intrinsics

import (
	"fmt"
	"unsafe"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
)

// The permutations of rows and exchanges of AMD's vector unit: see RowMove for what
// they have in common with the other ways between lanes, and device.Rules.PermLanes
// for which a device has. What does not differ from lane to lane in the instruction
// (selectors, flags, the lane written) must be the same for all that call: else it is
// a fault of kind warp.Unsupported.

// PermuteRow returns the value that v has in the lane of the caller's row of 16 that
// its nibble of selectors names (__builtin_amdgcn_permlane16), or of the other row of
// its pair with across (permlanex16). It returns old if that lane does not call and f
// does not say otherwise. See warp.PermuteRow.
func PermuteRow[T any](t *Thread, old, v T, selectors uint64, across bool, f crossbar.RowFetch) T {
	t.word = selectors
	return permutedRow(t, keyPermuteRow, old, v, 0, across, f)
}

// PermuteRowLanes is PermuteRow with the caller's own selector, of which the low four
// bits count (__builtin_amdgcn_permlane16_var, permlanex16_var). See
// warp.PermuteRowLanes.
func PermuteRowLanes[T any](t *Thread, old, v T, selector int, across bool, f crossbar.RowFetch) T {
	return permutedRow(t, keyPermuteRowLanes, old, v, int32(selector), across, f)
}

func permutedRow[T any](t *Thread, k key, old, v T, selector int32, across bool, f crossbar.RowFetch) T {
	p := cell[T](t)
	*p = v
	t.ask(permuteRow[T]{}, k.sized(unsafe.Sizeof(v)), converged, lane.Mask{}, selector, packFetch(across, f))
	if t.s.yes.Has(t.lane) {
		return *p
	}
	return old
}

// packFetch puts what a permutation is told beside its selectors into one number.
func packFetch(across bool, f crossbar.RowFetch) int {
	n := 0
	for i, b := range [...]bool{across, f.ZeroFill, f.FetchInactive} {
		if b {
			n |= 1 << i
		}
	}
	return n
}

func unpackFetch(n int) (across bool, f crossbar.RowFetch) {
	return n&1 != 0, crossbar.RowFetch{ZeroFill: n>>1&1 != 0, FetchInactive: n>>2&1 != 0}
}

// SwapHalves returns the value that v has in the same lane of the other half of a
// warp of 64 (__builtin_amdgcn_permlane64): of a lane that does not call, the one it
// passed last to a function of this package. On a warp of 32 it returns v.
func SwapHalves[T any](t *Thread, v T) T {
	p := cell[T](t)
	*p = v
	t.ask(route[T]{}, keySwapHalves.sized(unsafe.Sizeof(v)), converged, lane.Mask{}, 0, 0)
	return *p
}

// ExchangeRows swaps the odd rows of 16 lanes of a with the even rows of b and
// returns both (__builtin_amdgcn_permlane16_swap). Values have at most 32 bytes. See
// warp.ExchangeRows.
func ExchangeRows[T any](t *Thread, a, b T, f crossbar.RowFetch) (T, T) {
	return exchanged(t, keyExchangeRows, a, b, f)
}

// ExchangeHalves swaps the upper half of a with the lower half of b and returns both
// (__builtin_amdgcn_permlane32_swap). Values have at most 32 bytes. See
// warp.ExchangeHalves.
func ExchangeHalves[T any](t *Thread, a, b T, f crossbar.RowFetch) (T, T) {
	return exchanged(t, keyExchangeHalves, a, b, f)
}

func exchanged[T any](t *Thread, k key, a, b T, f crossbar.RowFetch) (T, T) {
	p, q := cell[T](t), second[T](t)
	*p, *q = a, b
	t.ask(exchange[T]{}, k.sized(unsafe.Sizeof(a)), converged, lane.Mask{}, 0, packFetch(false, f))
	return *p, *q
}

// WriteLane returns value in one lane, and old in all others
// (__builtin_amdgcn_writelane). Nothing comes of it if that lane does not call.
// Values have at most 32 bytes. See warp.WriteLane.
func WriteLane[T any](t *Thread, old T, to int, value T) T {
	p, q := cell[T](t), second[T](t)
	*p, *q = old, value
	t.ask(writeLane[T]{}, keyWriteLane.sized(unsafe.Sizeof(old)), converged, lane.Mask{}, 0, to)
	return *p
}

// second returns the place of a second value of the thread's.
func second[T any](t *Thread) *T {
	var zero T
	half := len(t.big) / 2
	if size := unsafe.Sizeof(zero); size > unsafe.Sizeof(t.big)/2 {
		panic(&lane.TypeError{Type: fmt.Sprintf("two values of %d bytes", size), Reason: "two registers have up to 32 each"})
	}
	return (*T)(unsafe.Pointer(&t.big[half]))
}

type permuteRow[T any] struct{}

func (permuteRow[T]) issue(s *scheduler, lead *Thread) {
	r := result[T](s)
	v := value(s, r)
	across, f := unpackFetch(lead.width)
	s.checkSame(lead, "permutation of rows", "flags", "branch on the flags")
	var along crossbar.Route
	var err error
	if lead.key&keyBase == keyPermuteRowLanes {
		s.idx.Define(s.w.Active())
		warp.PermuteRowLanes(r, v, s.idx, across, f)
		lanes := s.idx.Lanes()
		err = along.PermuteRowLanes(s.w.Width(), unsafe.Slice((*uint32)(unsafe.Pointer(&lanes[0])), len(lanes)), across)
	} else {
		for l := range s.w.Active().Lanes() {
			if s.threads[l].word != lead.word {
				s.w.Fail(warp.Fault{Kind: warp.Unsupported, Lanes: s.w.Active(),
					Detail: "lanes of one permutation of rows pass different selectors", Advice: "branch on the selectors, or use PermuteRowLanes"}, nil)
				break
			}
		}
		warp.PermuteRow(r, v, lead.word, across, f)
		err = along.PermuteRow(s.w.Width(), lead.word, across)
	}
	if err == nil {
		moved, zeroed := f.Lanes(&along, s.w.Active())
		s.yes = moved.Or(zeroed)
	}
	deliver(s, r)
}

type exchange[T any] struct{}

func (exchange[T]) issue(s *scheduler, lead *Thread) {
	r := result[T](s)
	v := value(s, r)
	_, f := unpackFetch(lead.width)
	s.checkSame(lead, "exchange", "flags", "branch on the flags")
	m := s.w.Mark()
	b := warp.Alloc[T](s.w)
	for l := range min(len(b.Lanes()), len(s.threads)) {
		b.Lanes()[l] = *second[T](&s.threads[l])
	}
	b.Define(s.w.Active())
	if lead.key&keyBase == keyExchangeRows {
		warp.ExchangeRows(v, b, f)
	} else {
		warp.ExchangeHalves(v, b, f)
	}
	if v.Row() != r.Row() {
		warp.Mov(r, v)
		s.spoil(v.Row())
	}
	s.checkDefined(b.Undefined())
	for l := range s.w.Active().Lanes() {
		*second[T](&s.threads[l]) = b.Lanes()[l]
	}
	s.w.Release(m)
	deliver(s, r)
}

type writeLane[T any] struct{}

func (writeLane[T]) issue(s *scheduler, lead *Thread) {
	r := result[T](s)
	v := value(s, r)
	s.checkSame(lead, "write of a lane", "lanes", "branch on the lane")
	to := second[T](lead)
	bytes := func(p *T) string { return unsafe.String((*byte)(unsafe.Pointer(p)), unsafe.Sizeof(*p)) }
	for l := range s.w.Active().Lanes() {
		if bytes(second[T](&s.threads[l])) != bytes(to) {
			s.w.Fail(warp.Fault{Kind: warp.Unsupported, Lanes: s.w.Active(),
				Detail: "lanes of one write of a lane pass different values", Advice: "pass one value, such as one of ReadFirstLane"}, nil)
			break
		}
	}
	warp.WriteLane(v, lead.width, *to)
	if v.Row() != r.Row() {
		warp.Mov(r, v)
		s.spoil(v.Row())
	}
	deliver(s, r)
}
