package crossbar

// MoveWhole carries a row of values along the route of a shuffle in which the
// whole warp takes part as one segment, with one operand d from 0 to
// len(src)-1, which every rule reads alike. It equals Shuffle and Move without
// the detour over a Route. The rows must be equally long; they may be the same,
// otherwise they must not overlap.
func MoveWhole[T any](dst, src []T, mode Mode, d int) {
	if len(dst) != len(src) || uint(d) >= uint(len(src)) {
		return
	}
	switch mode {
	case Up:
		copy(dst[d:], src)
		if d > 0 && !same(dst, src) {
			copy(dst[:d], src)
		}
	case Down:
		copy(dst, src[d:])
		if d > 0 && !same(dst, src) {
			copy(dst[len(dst)-d:], src[len(src)-d:])
		}
	case Xor:
		switch {
		case len(src) < 8:
			var t [8]T
			copy(t[:], src)
			for i := range dst {
				dst[i] = t[(i^d)&7]
			}
		case d < 8:
			moveXor8(dst, src, d)
		case d&(d-1) == 0:
			moveXorBlocks(dst, src, d)
		default:
			moveXorBlocks(dst, src, d&^7&-(d&^7))
			for rest := d &^ 7 & (d&^7 - 1); rest != 0; rest &= rest - 1 {
				moveXorBlocks(dst, dst, rest&-rest)
			}
			if d&7 != 0 {
				moveXor8(dst, dst, d&7)
			}
		}
	case Idx:
		moveIdx(dst, src, len(src), d)
	}
}
