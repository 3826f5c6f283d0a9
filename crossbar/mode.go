package crossbar

import "fmt"

// A Mode says how a shuffle derives the source lane from its operand.
type Mode uint8

const (
	// Idx reads the lane that the operand names, counted from the start of
	// the reader's segment and wrapping at its width.
	Idx Mode = iota
	// Up reads the lane that lies operand lanes below; lanes with no such
	// lane in their segment keep their own value.
	Up
	// Down reads the lane that lies operand lanes above; lanes with no such
	// lane in their segment keep their own value.
	Down
	// Xor reads the lane whose number is the reader's number xor the
	// operand. A source in an earlier segment is read, one in a later
	// segment is not: the lane keeps its own value.
	Xor
	// NumModes is how many there are.
	NumModes
)

var modeNames = [NumModes]string{"idx", "up", "down", "xor"}

// String returns "idx", "up", "down" or "xor".
func (m Mode) String() string {
	if m < NumModes {
		return modeNames[m]
	}
	return fmt.Sprintf("mode(%d)", uint8(m))
}

// ParseMode returns the mode of a name as String writes it, or of "bfly", the
// instruction set's name for xor, and whether there is one.
func ParseMode(name string) (Mode, bool) {
	for i, n := range modeNames {
		if n == name {
			return Mode(i), true
		}
	}
	return Xor, name == "bfly"
}

// source returns the lane that lane l reads with the operand x, cut to its
// bits, and whether that is in range.
func (f fields) source(mode Mode, l, x int) (from int, ok bool) {
	limit := l&f.segment | f.clamp&^f.segment
	switch mode {
	case Up:
		return l - x, l-x >= limit
	case Down:
		return l + x, l+x <= limit
	case Xor:
		return l ^ x, l^x <= limit
	}
	from = l&f.segment | x&^f.segment
	return from, from <= limit
}

// uncutSource follows the published formulas in wrapping 32-bit arithmetic: the
// lane that comes out, which the permutation underneath reduces to the warp,
// and whether it is not the fall-back on the own value.
func uncutSource(mode Mode, self, x, width int32) (from int32, ok bool) {
	switch mode {
	case Up:
		return self - x, self-x >= self&^(width-1)
	case Down:
		return self + x, self&(width-1)+x < width
	case Xor:
		return self ^ x, self^x < (self+width)&^(width-1)
	}
	return x&(width-1) + self&^(width-1), true
}

// uniform fills the route for a legal width and an operand d from 0 to 127.
func (r *Route) uniform(mode Mode, lanes, width, d int) {
	f := broadcast
	switch mode {
	case Up:
		f = upward
	case Down:
		f = downward
	case Xor:
		if f = crosswise; d >= width {
			f = crossEarly
		}
	default:
		d &= width - 1
	}
	r.lanes, r.form, r.width, r.delta, r.filled = lanes, f, uint8(width), uint8(d), false
}
