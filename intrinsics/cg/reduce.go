package cg

import (
	"fmt"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
)

// An Op combines two values. It must be associative; the order in which values
// are combined is said at each function.
type Op[T any] struct {
	f  func(a, b T) T
	hw func(t *intrinsics.Thread, m lane.Mask, v T) (T, bool) // the hardware's reduction, nil if it has none
}

// Func is an operation of one's own.
func Func[T any](f func(a, b T) T) Op[T] { return Op[T]{f: f} }

// Plus adds.
func Plus[T warp.Number]() Op[T] {
	return Op[T]{func(a, b T) T { return a + b }, hardware[T](
		intrinsics.ReduceAddSync[lane.Mask, int32], intrinsics.ReduceAddSync[lane.Mask, uint32])}
}

// Less takes the lesser of two.
func Less[T warp.Number]() Op[T] {
	return Op[T]{func(a, b T) T { return min(a, b) }, hardware[T](
		intrinsics.ReduceMinSync[lane.Mask, int32], intrinsics.ReduceMinSync[lane.Mask, uint32])}
}

// Greater takes the greater of two.
func Greater[T warp.Number]() Op[T] {
	return Op[T]{func(a, b T) T { return max(a, b) }, hardware[T](
		intrinsics.ReduceMaxSync[lane.Mask, int32], intrinsics.ReduceMaxSync[lane.Mask, uint32])}
}

// BitAnd keeps the bits that both have.
func BitAnd[T warp.Integer]() Op[T] {
	return Op[T]{func(a, b T) T { return a & b }, hardware[T](
		intrinsics.ReduceAndSync[lane.Mask, int32], intrinsics.ReduceAndSync[lane.Mask, uint32])}
}

// BitOr keeps the bits that either has.
func BitOr[T warp.Integer]() Op[T] {
	return Op[T]{func(a, b T) T { return a | b }, hardware[T](
		intrinsics.ReduceOrSync[lane.Mask, int32], intrinsics.ReduceOrSync[lane.Mask, uint32])}
}

// BitXor keeps the bits that one of them has.
func BitXor[T warp.Integer]() Op[T] {
	return Op[T]{func(a, b T) T { return a ^ b }, hardware[T](
		intrinsics.ReduceXorSync[lane.Mask, int32], intrinsics.ReduceXorSync[lane.Mask, uint32])}
}

// hardware returns how the device reduces values of type T in hardware, which
// it does for 32-bit integers if at all.
func hardware[T any](
	signed func(*intrinsics.Thread, lane.Mask, int32) int32,
	unsigned func(*intrinsics.Thread, lane.Mask, uint32) uint32,
) func(*intrinsics.Thread, lane.Mask, T) (T, bool) {
	return func(t *intrinsics.Thread, m lane.Mask, v T) (T, bool) {
		if !t.HasReduce() {
			return v, false
		}
		switch p := any(&v).(type) {
		case *int32:
			*p = signed(t, m, *p)
		case *uint32:
			*p = unsigned(t, m, *p)
		default:
			return v, false
		}
		return v, true
	}
}

// Reduce combines v over the lanes of the group and returns the result in all of
// them. Lanes that have exited, or do not exist, must not be in the group.
//
// 32-bit integers with one of the ready operations are reduced in hardware where
// the device has it. Otherwise a tile is reduced by a butterfly, ShflXor from
// half the tile down to 1, each lane combining its own value with the other's;
// another group by a tree, ShflDown from the greatest power of two below its
// size down to 1, and a broadcast of rank 0.
func Reduce[T any](g Group, v T, op Op[T]) T {
	v = reduce(g, v, op)
	g.whole("Reduce")
	return v
}

// whole faults a collective of a tile some of whose lanes have left the kernel
// without coming to it: member masks leave those out, groups do not.
func (g Group) whole(call string) {
	if gone := g.mask.And(g.t.Gone()); g.tile > 0 && !gone.Empty() {
		g.t.Fail(warp.Fault{Kind: warp.MaskAbsent, Mask: g.mask,
			Detail: fmt.Sprintf("%s of a tile, and its lanes %s have left the kernel", call, gone.Ranges()),
			Advice: "let all lanes of the tile reach the call, or make a group of those that do"})
	}
}

func reduce[T any](g Group, v T, op Op[T]) T {
	if op.hw != nil && !g.t.Lockstep() {
		if r, ok := op.hw(g.t, g.mask, v); ok {
			return r
		}
	}
	if g.tile > 0 {
		for d := g.tile / 2; d > 0; d /= 2 {
			v = op.f(v, ShflXor(g, v, d))
		}
		return v
	}
	d := 1
	for d*2 < g.size {
		d *= 2
	}
	for ; d > 0; d /= 2 {
		x := ShflDown(g, v, d)
		if g.rank+d < g.size && g.rank < d {
			v = op.f(v, x)
		}
	}
	return Shfl(g, v, 0)
}

// InclusiveScan returns v combined over the ranks up to the caller's own, by
// ShflUp from 1 up, the lower ranks' value on the left.
func InclusiveScan[T any](g Group, v T, op Op[T]) T {
	for d := 1; d < g.size; d *= 2 {
		x := ShflUp(g, v, d)
		if g.rank >= d {
			v = op.f(x, v)
		}
	}
	return v
}

// ExclusiveScan returns v combined over the ranks below the caller's own: the
// inclusive scan, moved up by one rank. Rank 0 gets the zero value.
func ExclusiveScan[T any](g Group, v T, op Op[T]) T {
	v = ShflUp(g, InclusiveScan(g, v, op), 1)
	if g.rank == 0 {
		var zero T
		return zero
	}
	return v
}
