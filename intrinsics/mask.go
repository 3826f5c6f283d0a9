package intrinsics

import (
	"unsafe"

	"example.com/warpsim/lane"
)

// A Mask names lanes of the thread's warp, whatever its width: the portable
// form of a member mask. Masks of 32 and 64 bits name what the device's language
// says, see MaskType.
type Mask = lane.Mask

// A MaskType is what collectives take for a member mask and give back for a set
// of lanes.
//
//   - A Mask names lanes of the warp on every device.
//   - An integer is the language's own mask: bit i names lane i of the warp, or,
//     on a device whose language has masks of 32 bits for warps of 128 lanes
//     (device.MaskOfGroup), lane i of the caller's own group of 32. Bits beyond
//     the language's mask type and beyond the warp are dropped. An integer of
//     fewer bits than the language's masks have is a fault of kind
//     warp.MaskTooNarrow, wherever lanes of the warp, or the language itself (HIP),
//     need the bits.
type MaskType interface {
	~int32 | ~uint32 | ~int64 | ~uint64 | ~int | ~uint | lane.Mask
}

// FullMask is the mask that kernels for warps of 32 lanes pass to name all of
// them: CUDA's and MUSA's 0xffffffff.
const FullMask uint32 = 0xffffffff

// AllLanes returns the mask of all lanes of the thread's warp that exist, on a
// device of any width: the lanes of its threads, which are fewer than WarpSize in
// the last warp of a block that is no multiple of it. It is the portable mask
// of a call that all threads reach: where a mask must be the active lanes (HIP), one
// that names lanes without threads is a fault of kind warp.MaskNotActive.
func (t *Thread) AllLanes() Mask { return t.s.all }

// lanesOf returns the lanes of the warp that a mask names.
func lanesOf[M MaskType](t *Thread, m M) lane.Mask {
	s := t.s
	switch unsafe.Sizeof(m) {
	case 16:
		return *(*lane.Mask)(unsafe.Pointer(&m))
	case 8:
		if s.cuts(64) {
			t.narrow, s.narrow = 64, true
		}
		return t.named(*(*uint64)(unsafe.Pointer(&m)))
	}
	if s.cuts(32) || s.maskBits > 32 && s.lockstep {
		t.narrow, s.narrow = 32, true
	}
	return t.named(uint64(*(*uint32)(unsafe.Pointer(&m))))
}

// cuts reports whether so many bits are too few for the lanes of the warp that the
// language's masks name.
func (s *scheduler) cuts(bits int) bool { return s.maskBits > bits && len(s.threads) > bits }

// setOf returns a set of lanes that no mask was passed for, in the caller's type, which
// must be wide enough.
func setOf[M MaskType](t *Thread, m lane.Mask) M {
	var r M
	if bits := 8 * int(unsafe.Sizeof(r)); t.s.cuts(bits) {
		t.narrow, t.s.narrow = uint8(bits), true
		t.ask(cutSet{}, keyLaneMask, free, lane.Mask{}, 0, 0)
	}
	return maskOf[M](t, m)
}

// A cutSet is asked for to fault a type that is too narrow for a set of lanes.
type cutSet struct{}

func (cutSet) issue(*scheduler, *Thread) {}

// named returns the lanes that the bits of a mask of the language name.
func (t *Thread) named(bits uint64) lane.Mask {
	s := t.s
	if s.maskBits < 64 {
		bits &= 1<<uint(s.maskBits) - 1
	}
	if s.groupBits == 0 {
		return lane.Bits(bits).And(lane.FirstN(len(s.threads)))
	}
	first := t.lane &^ (s.groupBits - 1)
	if first >= 64 {
		return lane.Mask{Hi: bits << uint(first-64)}
	}
	m := lane.Mask{Lo: bits << uint(first)}
	if first > 0 {
		m.Hi = bits >> uint(64-first)
	}
	return m
}

// maskOf returns the lanes of m as the caller's mask type writes them.
func maskOf[M MaskType](t *Thread, m lane.Mask) (r M) {
	bits := m.Lo
	switch unsafe.Sizeof(r) {
	case 16:
		*(*lane.Mask)(unsafe.Pointer(&r)) = m
		return r
	case 4:
		if t.s.groupBits > 0 {
			bits = t.ownGroup(m)
		}
		*(*uint32)(unsafe.Pointer(&r)) = uint32(bits)
		return r
	}
	if t.s.groupBits > 0 {
		bits = t.ownGroup(m)
	}
	*(*uint64)(unsafe.Pointer(&r)) = bits
	return r
}

// ownGroup returns the bits of m in the thread's own group of lanes.
func (t *Thread) ownGroup(m lane.Mask) uint64 {
	n := t.s.groupBits
	first := t.lane &^ (n - 1)
	bits := m.Lo >> uint(first)
	if first >= 64 {
		bits = m.Hi >> uint(first-64)
	}
	return bits & (1<<uint(n) - 1)
}

// segment returns the width of a shuffle whose caller gives none: the warp, or
// what a mask of type M can name if that is less.
func segment[M MaskType](t *Thread) int {
	var m M
	if t.s.groupBits > 0 && unsafe.Sizeof(m) != 16 {
		return t.s.groupBits
	}
	return 0
}

// The lane masks of the calling thread, as the special registers of the same
// names have them. A type that has no room for all lanes is a fault of kind
// warp.MaskTooNarrow, as in a mask that is passed.

// LaneMaskEq returns the mask of the thread's own lane.
func LaneMaskEq[M MaskType](t *Thread) M { return setOf[M](t, lane.Bit(t.lane)) }

// LaneMaskLt returns the mask of the lanes below the thread's own.
func LaneMaskLt[M MaskType](t *Thread) M { return setOf[M](t, lane.Below(t.lane)) }

// LaneMaskLe returns the mask of the thread's own lane and those below.
func LaneMaskLe[M MaskType](t *Thread) M { return setOf[M](t, lane.FirstN(t.lane+1)) }

// LaneMaskGt returns the mask of the lanes above the thread's own.
func LaneMaskGt[M MaskType](t *Thread) M { return setOf[M](t, lane.Above(t.lane, t.WarpSize())) }

// LaneMaskGe returns the mask of the thread's own lane and those above.
func LaneMaskGe[M MaskType](t *Thread) M {
	return setOf[M](t, lane.Range(t.lane, t.WarpSize()))
}
