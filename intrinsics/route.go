package intrinsics

import (
	"unsafe"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
)

// The ways between lanes beside shuffles, which AMD's compilers offer as
// __builtin_amdgcn functions. They have no member masks and are for the lanes
// that are converged. A device without one is a fault of kind warp.Unsupported;
// types are those of Shfl, each 32-bit word being one instruction.

// RowMove returns the value that v has in the lane that a row control names, old
// in a lane that is not written: one that has no source, or no active one, and is
// not filled with zero, or one in a row or bank that to leaves out
// (__builtin_amdgcn_update_dpp). Control and write are parts of the instruction:
// lanes that pass different ones are a fault of kind warp.Unsupported. See
// warp.RowMove.
func RowMove[T any](t *Thread, old, v T, c crossbar.RowControl, to crossbar.RowWrite) T {
	p := cell[T](t)
	*p = v
	t.ask(rowMove[T]{}, keyRowMove.sized(unsafe.Sizeof(v)), converged, lane.Mask{}, 0, packRowMove(c, to))
	if t.s.yes.Has(t.lane) {
		return *p
	}
	return old
}

// packRowMove puts what a row move is told into one number, which fits an int of
// 32 bits: controls have less than 14.
func packRowMove(c crossbar.RowControl, to crossbar.RowWrite) int {
	n := uint32(min(c, 1<<14-1)) | uint32(to.Rows)<<14 | uint32(to.Banks)<<22
	if to.ZeroFill {
		n |= 1 << 30
	}
	if to.FetchInactive {
		n |= 1 << 31
	}
	return int(n)
}

func unpackRowMove(width int) (crossbar.RowControl, crossbar.RowWrite) {
	n := uint32(width)
	return crossbar.RowControl(n & (1<<14 - 1)), crossbar.RowWrite{Rows: uint8(n >> 14), Banks: uint8(n >> 22),
		ZeroFill: n>>30&1 != 0, FetchInactive: n>>31 != 0}
}

// Permute sends v to the lane that address names, in bytes: 4 times the lane,
// modulo the warp (__builtin_amdgcn_ds_permute). It returns what the caller got:
// from the highest of several lanes, 0 from none. See warp.Permute.
func Permute[T any](t *Thread, v T, address int) T { return permuted(t, keyPermute, v, int32(address)) }

// PermuteBack returns the value that v has in the lane that address names, in
// bytes (__builtin_amdgcn_ds_bpermute). See warp.PermuteBack.
func PermuteBack[T any](t *Thread, v T, address int) T {
	return permuted(t, keyPermuteBack, v, int32(address))
}

func permuted[T any](t *Thread, k key, v T, address int32) T {
	p := cell[T](t)
	*p = v
	t.ask(route[T]{}, k.sized(unsafe.Sizeof(v)), converged, lane.Mask{}, address, 0)
	return *p
}

// Swizzle returns the value that v has in the lane that a pattern names within
// groups of 32 (__builtin_amdgcn_ds_swizzle). The pattern is part of the
// instruction, as RowMove's control is. See warp.Swizzle.
func Swizzle[T any](t *Thread, v T, pattern uint16) T {
	p := cell[T](t)
	*p = v
	t.ask(route[T]{}, keySwizzle.sized(unsafe.Sizeof(v)), converged, lane.Mask{}, 0, int(pattern))
	return *p
}

// ReadLane returns the value that v has in one lane, the same for all that call
// (__builtin_amdgcn_readlane): lanes that pass different ones are a fault of kind
// warp.Unsupported. See warp.ReadLane. Of a lane that does not call, the value is
// the one it passed last to a function of this package.
func ReadLane[T any](t *Thread, v T, from int) T {
	p := cell[T](t)
	*p = v
	t.ask(route[T]{}, keyReadLane.sized(unsafe.Sizeof(v)), converged, lane.Mask{}, 0, from)
	return *p
}

// ReadFirstLane returns the value that v has in the lowest lane that calls
// (__builtin_amdgcn_readfirstlane).
func ReadFirstLane[T any](t *Thread, v T) T {
	p := cell[T](t)
	*p = v
	t.ask(route[T]{}, keyReadFirstLane.sized(unsafe.Sizeof(v)), converged, lane.Mask{}, 0, 0)
	return *p
}

type rowMove[T any] struct{}

func (rowMove[T]) issue(s *scheduler, lead *Thread) {
	r := result[T](s)
	v := value(s, r)
	c, to := unpackRowMove(lead.width)
	s.checkSame(lead, "row move", "controls", "branch on the control")
	warp.RowMove(r, v, c, to)
	var along crossbar.Route
	if along.RowMove(c, s.w.Width()) == nil {
		moved, zeroed := to.Lanes(&along, s.w.Active())
		s.yes = moved.Or(zeroed)
	}
	deliver(s, r)
}

// route is the ways that give every lane a value.
type route[T any] struct{}

func (route[T]) issue(s *scheduler, lead *Thread) {
	r := result[T](s)
	v := value(s, r)
	switch lead.key & keyBase {
	case keyPermute:
		s.idx.Define(s.w.Active())
		warp.Permute(r, v, s.idx)
	case keyPermuteBack:
		s.idx.Define(s.w.Active())
		warp.PermuteBack(r, v, s.idx)
	case keySwizzle:
		s.checkSame(lead, "swizzle", "patterns", "branch on the pattern")
		warp.Swizzle(r, v, uint16(lead.width))
	case keyReadLane:
		s.checkSame(lead, "read of a lane", "lanes", "use Shfl")
		warp.ReadLane(r, v, lead.width)
	case keySwapHalves:
		warp.SwapHalves(r, v)
	default:
		warp.ReadFirstLane(r, v)
	}
	deliver(s, r)
}
