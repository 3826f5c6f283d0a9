package intrinsics

import (
	"math"
	"unsafe"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
)

// ShflSync returns the value that v has in lane from of the caller's segment. A
// segment is width lanes, the whole warp if width is left out; only its first
// value counts. What becomes of a lane number outside the segment is a rule of
// the device: NVIDIA, AMD and Moore Threads take it modulo width.
//
// The lanes that mask names and that have not exited take part, see the package
// documentation. Reading a lane that does not take part is a fault of kind
// warp.ReadInactive, a warning. If the device does not say what it gives, the value
// is undefined: a variable of Go cannot be, so that getting it is a use, a fault of
// kind warp.UndefinedUse, and the variable is 0. Where the lanes that get it drop
// it, say so by a branch or a width, or run with warp.Mimic.
//
// T is any integer, float or bool type, or a struct or array of such, of up to
// 64 bytes; each 32-bit word is one instruction.
func ShflSync[M MaskType, T any](t *Thread, mask M, v T, from int, width ...int) T {
	p := cell[T](t)
	*p = v
	t.ask(shuffle[T]{}, keyShfl.sized(unsafe.Sizeof(v)), masked, lanesOf(t, mask), operand32(from), widthOf(width, segment[M](t)))
	return *p
}

// ShflUpSync returns the value that v has delta lanes below the caller's; lanes
// that have no such lane in their segment get their own. See ShflSync.
func ShflUpSync[M MaskType, T any](t *Thread, mask M, v T, delta int, width ...int) T {
	p := cell[T](t)
	*p = v
	t.ask(shuffle[T]{}, shuffleKey(crossbar.Up).sized(unsafe.Sizeof(v)), masked, lanesOf(t, mask), operand32(delta), widthOf(width, segment[M](t)))
	return *p
}

// ShflDownSync returns the value that v has delta lanes above the caller's;
// lanes that have no such lane in their segment get their own. See ShflSync.
func ShflDownSync[M MaskType, T any](t *Thread, mask M, v T, delta int, width ...int) T {
	p := cell[T](t)
	*p = v
	t.ask(shuffle[T]{}, shuffleKey(crossbar.Down).sized(unsafe.Sizeof(v)), masked, lanesOf(t, mask), operand32(delta), widthOf(width, segment[M](t)))
	return *p
}

// ShflXorSync returns the value that v has in the lane whose number is the
// caller's xor laneMask; a lane in a later segment is not reached, and gives the
// caller's own value. See ShflSync.
func ShflXorSync[M MaskType, T any](t *Thread, mask M, v T, laneMask int, width ...int) T {
	p := cell[T](t)
	*p = v
	t.ask(shuffle[T]{}, shuffleKey(crossbar.Xor).sized(unsafe.Sizeof(v)), masked, lanesOf(t, mask), operand32(laneMask), widthOf(width, segment[M](t)))
	return *p
}

// Shfl is ShflSync without a member mask, for the lanes that are converged: the
// form of HIP, and of CUDA before Volta.
func Shfl[T any](t *Thread, v T, from int, width ...int) T {
	p := cell[T](t)
	*p = v
	t.ask(shuffle[T]{}, (keyShfl | keyMaskless).sized(unsafe.Sizeof(v)), converged, lane.Mask{}, operand32(from), widthOf(width, 0))
	return *p
}

// ShflUp is ShflUpSync without a member mask, see Shfl.
func ShflUp[T any](t *Thread, v T, delta int, width ...int) T {
	p := cell[T](t)
	*p = v
	t.ask(shuffle[T]{}, (shuffleKey(crossbar.Up) | keyMaskless).sized(unsafe.Sizeof(v)), converged, lane.Mask{}, operand32(delta), widthOf(width, 0))
	return *p
}

// ShflDown is ShflDownSync without a member mask, see Shfl.
func ShflDown[T any](t *Thread, v T, delta int, width ...int) T {
	p := cell[T](t)
	*p = v
	t.ask(shuffle[T]{}, (shuffleKey(crossbar.Down) | keyMaskless).sized(unsafe.Sizeof(v)), converged, lane.Mask{}, operand32(delta), widthOf(width, 0))
	return *p
}

// ShflXor is ShflXorSync without a member mask, see Shfl.
func ShflXor[T any](t *Thread, v T, laneMask int, width ...int) T {
	p := cell[T](t)
	*p = v
	t.ask(shuffle[T]{}, (shuffleKey(crossbar.Xor) | keyMaskless).sized(unsafe.Sizeof(v)), converged, lane.Mask{}, operand32(laneMask), widthOf(width, 0))
	return *p
}

// ShflPredSync is the shuffle of the given mode with both results of the
// hardware instruction: the value, and whether the source lane was in range
// (and not replaced by the caller's own).
func ShflPredSync[M MaskType, T any](t *Thread, mode crossbar.Mode, mask M, v T, operand int, width ...int) (T, bool) {
	p := cell[T](t)
	*p = v
	k := shuffleKey(mode%crossbar.NumModes) | keyInRange
	t.ask(shuffle[T]{}, k.sized(unsafe.Sizeof(v)), masked, lanesOf(t, mask), operand32(operand), widthOf(width, segment[M](t)))
	return *p, t.s.yes.Has(t.lane)
}

// operand32 returns n held to 32 bits, as the engine holds the operands of its
// shuffles: what does not fit is outside of every segment, array and device, and
// stays that.
func operand32(n int) int32 { return int32(min(max(n, math.MinInt32), math.MaxInt32)) }

// widthOf returns the first of the widths given. 0 stands for the warp where
// nothing is given, so that a width of 0 must become another illegal one.
func widthOf(given []int, otherwise int) int {
	if len(given) == 0 {
		return otherwise
	}
	if given[0] == 0 {
		return math.MinInt32
	}
	return given[0]
}

type shuffle[T any] struct{}

func (shuffle[T]) issue(s *scheduler, lead *Thread) {
	r := result[T](s)
	v := value(s, r)
	q := warp.Shuffle{Mode: crossbar.Mode(lead.key & keyBase), Width: lead.width}
	q.Operand, q.PerLane = s.operand()
	s.checkSame(lead, "shuffle", "widths", "pass one width, or cut the warp with member masks")
	if lead.key&keyInRange != 0 {
		q.InRange = s.pr
	}
	if s.maskless {
		warp.Shfl(r, v, q)
	} else {
		warp.Shfl(r, v, q, s.members)
	}
	if lead.key&keyInRange != 0 {
		s.yes = s.pr.Mask()
	}
	deliver(s, r)
}

// checkSame faults lanes of one instruction that pass different values of what is
// part of it: the width of a shuffle.
func (s *scheduler) checkSame(lead *Thread, what, values, advice string) {
	if s.alike {
		return
	}
	for l := range s.w.Active().Lanes() {
		if s.threads[l].width != lead.width {
			s.w.Fail(warp.Fault{Kind: warp.Unsupported, Lanes: s.w.Active(),
				Detail: "lanes of one " + what + " pass different " + values, Advice: advice}, nil)
			return
		}
	}
}
