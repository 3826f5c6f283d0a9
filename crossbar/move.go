package crossbar

import (
	"encoding/binary"
	"math/bits"

	"example.com/warpsim/lane"
)

// Move carries a row of values along a route: lane l of dst gets what lane
// r.Source(l) of src holds, for every lane l that is in active; the others keep
// what dst holds. It moves whole values of any type; a device moves them as
// [lane.Words] words.
//
// dst and src may be the same row, otherwise they must not overlap. Lanes that
// either row or the route lacks are left alone, and so is a lane whose source
// lies beyond the end of src; a nil route moves nothing. Whether a source takes part, and what a lane gets
// if not, is for the caller: see [Route.Outside].
func Move[T any](dst, src []T, r *Route, active lane.Mask) {
	if r == nil {
		return
	}
	n := r.lanes
	if len(dst) < n || len(src) < n || n == 0 || !active.Contains(firstN(uint(n))) {
		gatherActive(dst, src, r, active)
		return
	}
	dst, src = dst[:n], src[:n]
	d, width := int(r.delta), int(r.width)
	switch r.form {
	case upward:
		if width == n {
			moveUp(dst, src, d)
			return
		}
	case downward:
		if width == n {
			moveDown(dst, src, d)
			return
		}
	case crosswise:
		switch {
		case n < 8: // too few lanes for blocks
		case d < 8:
			moveXor8(dst, src, d)
			return
		case d == 8:
			moveXor16(dst, src)
			return
		case d == 16:
			moveXor32(dst, src)
			return
		case d&(d-1) == 0:
			moveXorBlocks(dst, src, d)
			return
		}
	case broadcast:
		moveIdx(dst, src, width, d)
		return
	}
	gather(dst, src, r)
}

func moveUp[T any](dst, src []T, d int) {
	d = min(d, len(src))
	if same(dst, src) {
		copy(dst[d:], src)
		return
	}
	copy(dst[d:], src)
	copy(dst[:d], src)
}

func moveDown[T any](dst, src []T, d int) {
	d = min(d, len(src))
	if same(dst, src) {
		copy(dst, src[d:])
		return
	}
	copy(dst, src[d:])
	copy(dst[len(dst)-d:], src[len(src)-d:])
}

func same[T any](dst, src []T) bool { return &dst[0] == &src[0] }

// moveXor8 exchanges lanes within blocks of eight, d below 8. All eight are
// read before any is written, so that it works in place.
func moveXor8[T any](dst, src []T, d int) {
	switch d {
	case 1:
		for len(src) >= 8 && len(dst) >= 8 {
			s, t := (*[8]T)(src), (*[8]T)(dst)
			t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7] = s[1], s[0], s[3], s[2], s[5], s[4], s[7], s[6]
			src, dst = src[8:], dst[8:]
		}
	case 2:
		for len(src) >= 8 && len(dst) >= 8 {
			s, t := (*[8]T)(src), (*[8]T)(dst)
			t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7] = s[2], s[3], s[0], s[1], s[6], s[7], s[4], s[5]
			src, dst = src[8:], dst[8:]
		}
	case 4:
		for len(src) >= 8 && len(dst) >= 8 {
			s, t := (*[8]T)(src), (*[8]T)(dst)
			t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7] = s[4], s[5], s[6], s[7], s[0], s[1], s[2], s[3]
			src, dst = src[8:], dst[8:]
		}
	default:
		for len(src) >= 8 && len(dst) >= 8 {
			s, t := (*[8]T)(src), (*[8]T)(dst)
			t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7] = s[d&7], s[(1^d)&7], s[(2^d)&7], s[(3^d)&7], s[(4^d)&7], s[(5^d)&7], s[(6^d)&7], s[(7^d)&7]
			src, dst = src[8:], dst[8:]
		}
	}
}

// moveXor16 exchanges neighbouring blocks of 8 lanes, which are too short for
// calls to copy. Four of each are read before any is written.
func moveXor16[T any](dst, src []T) {
	for len(src) >= 16 && len(dst) >= 16 {
		s, t := (*[16]T)(src), (*[16]T)(dst)
		t[0], t[1], t[2], t[3], t[8], t[9], t[10], t[11] = s[8], s[9], s[10], s[11], s[0], s[1], s[2], s[3]
		t[4], t[5], t[6], t[7], t[12], t[13], t[14], t[15] = s[12], s[13], s[14], s[15], s[4], s[5], s[6], s[7]
		src, dst = src[16:], dst[16:]
	}
}

// moveXor32 does the same with blocks of 16 lanes.
func moveXor32[T any](dst, src []T) {
	for len(src) >= 32 && len(dst) >= 32 {
		s, t := (*[32]T)(src), (*[32]T)(dst)
		t[0], t[1], t[2], t[3], t[16], t[17], t[18], t[19] = s[16], s[17], s[18], s[19], s[0], s[1], s[2], s[3]
		t[4], t[5], t[6], t[7], t[20], t[21], t[22], t[23] = s[20], s[21], s[22], s[23], s[4], s[5], s[6], s[7]
		t[8], t[9], t[10], t[11], t[24], t[25], t[26], t[27] = s[24], s[25], s[26], s[27], s[8], s[9], s[10], s[11]
		t[12], t[13], t[14], t[15], t[28], t[29], t[30], t[31] = s[28], s[29], s[30], s[31], s[12], s[13], s[14], s[15]
		src, dst = src[32:], dst[32:]
	}
}

// moveXorBlocks exchanges neighbouring blocks of d lanes, d a power of two from
// 32 on.
func moveXorBlocks[T any](dst, src []T, d int) {
	if !same(dst, src) {
		for i := 0; i < len(src); i += 2 * d {
			copy(dst[i:i+d], src[i+d:i+2*d])
			copy(dst[i+d:i+2*d], src[i:i+d])
		}
		return
	}
	for i := 0; i < len(src); i += 2 * d {
		a, b := dst[i:i+d], dst[i+d:i+2*d]
		for k := range a {
			a[k], b[k] = b[k], a[k]
		}
	}
}

// moveIdx gives every lane of a segment the value of its lane at.
func moveIdx[T any](dst, src []T, width, at int) {
	for b := 0; b < len(src); b += width {
		v, seg := src[b+at], dst[b:b+width]
		for ; len(seg) >= 8; seg = seg[8:] {
			t := (*[8]T)(seg)
			t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7] = v, v, v, v, v, v, v, v
		}
		for i := range seg {
			seg[i] = v
		}
	}
}

// gather moves all lanes by their sources.
func gather[T any](dst, src []T, r *Route) {
	if same(dst, src) {
		var t [lane.MaxLanes]T
		src = t[:copy(t[:], src)]
	}
	switch len(src) {
	case 32:
		s := (*[32]T)(src)
		for k := 0; k < 32; k += 8 {
			t, w := (*[8]T)(dst[k:k+8]), r.word(k)
			t[0], t[1], t[2], t[3] = s[w&31], s[w>>8&31], s[w>>16&31], s[w>>24&31]
			t[4], t[5], t[6], t[7] = s[w>>32&31], s[w>>40&31], s[w>>48&31], s[w>>56&31]
		}
	case 64:
		s := (*[64]T)(src)
		for k := 0; k < 64; k += 8 {
			t, w := (*[8]T)(dst[k:k+8]), r.word(k)
			t[0], t[1], t[2], t[3] = s[w&63], s[w>>8&63], s[w>>16&63], s[w>>24&63]
			t[4], t[5], t[6], t[7] = s[w>>32&63], s[w>>40&63], s[w>>48&63], s[w>>56&63]
		}
	case 128:
		s := (*[128]T)(src)
		for k := 0; k < 128; k += 8 {
			t, w := (*[8]T)(dst[k:k+8]), r.word(k)
			t[0], t[1], t[2], t[3] = s[w&127], s[w>>8&127], s[w>>16&127], s[w>>24&127]
			t[4], t[5], t[6], t[7] = s[w>>32&127], s[w>>40&127], s[w>>48&127], s[w>>56&127]
		}
	default:
		from := r.Sources()
		for i := range dst {
			if k := int(from[i&127]); k < len(src) {
				dst[i] = src[k]
			}
		}
	}
}

// word returns the sources of lanes k to k+7, without filling the route.
func (r *Route) word(k int) uint64 {
	if r.filled {
		return binary.LittleEndian.Uint64(r.sources[k&(lane.MaxLanes-8):])
	}
	return r.eight(k)
}

// gatherActive moves the lanes of active that both rows have.
func gatherActive[T any](dst, src []T, r *Route, active lane.Mask) {
	n := min(len(dst), len(src), r.lanes)
	if n == 0 {
		return
	}
	if same(dst, src) {
		var t [lane.MaxLanes]T
		src = t[:copy(t[:], src)]
	}
	from := r.Sources()
	move := func(l int) {
		if k := int(from[l&127]); l < n && k < len(src) {
			dst[l] = src[k]
		}
	}
	for w := active.Lo; w != 0; w &= w - 1 {
		move(bits.TrailingZeros64(w))
	}
	for w := active.Hi; w != 0; w &= w - 1 {
		move(64 + bits.TrailingZeros64(w))
	}
}
