package crossbar

import (
	"fmt"
	"strings"

	"example.com/warpsim/lane"
)

const (
	rowLanes  = 16
	bankLanes = 4
)

// A RowControl is the nine-bit control code with which an arithmetic
// instruction takes an operand from other lanes (DPP). The functions below and
// the constants make the codes; [Route.RowMove] refuses all others.
//
// A row is 16 lanes, a bank 4. "Left" is towards lower lanes.
type RowControl uint16

// The controls without a parameter. Those of the whole warp, and the
// broadcasts, exist on older devices only; the device profile tells.
const (
	WaveShiftLeft   RowControl = 0x130 // lane+1; the last lane of the warp has no source
	WaveRotateLeft  RowControl = 0x134 // lane+1, the last lane reads lane 0
	WaveShiftRight  RowControl = 0x138 // lane-1; lane 0 has no source
	WaveRotateRight RowControl = 0x13c // lane-1, lane 0 reads the last lane
	RowMirror       RowControl = 0x140 // the row in reverse
	RowHalfMirror   RowControl = 0x141 // each half of the row in reverse
	RowBroadcast15  RowControl = 0x142 // the last lane of the row before; the first row has no source
	RowBroadcast31  RowControl = 0x143 // lane 31; lanes 0 to 31 have no source
)

// QuadPermute makes lanes 0 to 3 of every four read lanes a, b, c and d of
// their four; only the low two bits of each count.
func QuadPermute(a, b, c, d int) RowControl {
	return RowControl(a&3 | b&3<<2 | c&3<<4 | d&3<<6)
}

// RowShiftLeft reads lane+n of the row, n from 1 to 15; the last n lanes have no
// source. Other n, here and below, give a code that is refused.
func RowShiftLeft(n int) RowControl { return rowCode(0x100, n, 1) }

// RowShiftRight reads lane-n of the row, n from 1 to 15; the first n lanes have
// no source.
func RowShiftRight(n int) RowControl { return rowCode(0x110, n, 1) }

// RowRotateRight reads lane-n of the row, wrapping in it, n from 1 to 15.
func RowRotateRight(n int) RowControl { return rowCode(0x120, n, 1) }

// RowShare makes all lanes of a row read its lane n, 0 to 15.
func RowShare(n int) RowControl { return rowCode(0x150, n, 0) }

// RowXor reads lane xor n of the row, n from 0 to 15.
func RowXor(n int) RowControl { return rowCode(0x160, n, 0) }

const noControl RowControl = 0x1ff

func rowCode(base RowControl, n, least int) RowControl {
	if n < least || n > 15 {
		return noControl
	}
	return base + RowControl(n)
}

// String returns the control in the assembler's words.
func (c RowControl) String() string {
	n := int(c & 15)
	switch {
	case c < 0x100:
		return fmt.Sprintf("quad_perm:[%d,%d,%d,%d]", c&3, c>>2&3, c>>4&3, c>>6&3)
	case c > 0x100 && c < 0x110:
		return fmt.Sprintf("row_shl:%d", n)
	case c > 0x110 && c < 0x120:
		return fmt.Sprintf("row_shr:%d", n)
	case c > 0x120 && c < 0x130:
		return fmt.Sprintf("row_ror:%d", n)
	case c == WaveShiftLeft:
		return "wave_shl:1"
	case c == WaveRotateLeft:
		return "wave_rol:1"
	case c == WaveShiftRight:
		return "wave_shr:1"
	case c == WaveRotateRight:
		return "wave_ror:1"
	case c == RowMirror:
		return "row_mirror"
	case c == RowHalfMirror:
		return "row_half_mirror"
	case c == RowBroadcast15:
		return "row_bcast:15"
	case c == RowBroadcast31:
		return "row_bcast:31"
	case c >= 0x150 && c < 0x160:
		return fmt.Sprintf("row_share:%d", n)
	case c >= 0x160 && c < 0x170:
		return fmt.Sprintf("row_xmask:%d", n)
	}
	return fmt.Sprintf("control(%#x)", uint16(c))
}

// Kind returns the name of the pattern without its parameter, such as "row_shl",
// by which profiles of devices say which controls there are.
func (c RowControl) Kind() string {
	name, _, _ := strings.Cut(c.String(), ":")
	return name
}

// source returns the lane that lane l reads, or -1 if it has no source, and
// whether the control exists.
func (c RowControl) source(l, lanes int) (from int, known bool) {
	row, i, n := l&^(rowLanes-1), l&(rowLanes-1), int(c&15)
	inRow := func(k int) int {
		if k < 0 || k >= rowLanes {
			return -1
		}
		return row | k
	}
	switch {
	case c < 0x100:
		return l&^3 | int(c>>(2*(l&3)))&3, true
	case c > 0x100 && c < 0x110:
		return inRow(i + n), true
	case c > 0x110 && c < 0x120:
		return inRow(i - n), true
	case c > 0x120 && c < 0x130:
		return inRow((i - n) & (rowLanes - 1)), true
	case c == WaveShiftLeft && l == lanes-1:
		return -1, true
	case c == WaveShiftLeft || c == WaveRotateLeft:
		return (l + 1) & (lanes - 1), true
	case c == WaveShiftRight || c == WaveRotateRight && l > 0:
		return l - 1, true
	case c == WaveRotateRight:
		return lanes - 1, true
	case c == RowMirror:
		return row | 15 - i, true
	case c == RowHalfMirror:
		return l ^ 7, true
	case c == RowBroadcast15:
		return row - 1, true
	case c == RowBroadcast31 && l < 32:
		return -1, true
	case c == RowBroadcast31:
		return 31, true
	case c >= 0x150 && c < 0x160:
		return row | n, true
	case c >= 0x160 && c < 0x170:
		return l ^ n, true
	}
	return -1, false
}

// RowMove fills the route of a row control: InRange is the lanes that have a
// source, the others are their own. A code that names no control, or a warp of
// other than 16, 32 or 64 lanes, gives a *PatternError.
func (r *Route) RowMove(c RowControl, lanes int) error {
	if lanes != 16 && lanes != 32 && lanes != 64 {
		return &PatternError{"row move", uint16(c), lanes, "exists for 16, 32 and 64 lanes"}
	}
	if _, known := c.source(0, lanes); !known {
		return &PatternError{"row move", uint16(c), lanes, "unassigned code"}
	}
	r.begin(lanes)
	var in [2]uint64
	for l := range lanes {
		from, _ := c.source(l, lanes)
		r.set(l, from, from >= 0, &in)
	}
	r.inRange = lane.Mask{Lo: in[0], Hi: in[1]}
	return nil
}

// A RowWrite says which lanes a row move writes. The zero value writes none;
// most code uses all rows and banks.
type RowWrite struct {
	// Rows and Banks enable the row of 16 lanes, and the bank of 4 lanes in
	// each row, whose bit is set: 0xf for all.
	Rows, Banks uint8
	// ZeroFill makes a lane without an active source get 0 (bound_ctrl);
	// otherwise it keeps its old value.
	ZeroFill bool
	// FetchInactive reads sources that are not active as well.
	FetchInactive bool
}

// Lanes splits the active lanes of a move along r: those that get their
// source's value, and those that get 0. All others keep what they have, which is
// every lane of a nil route.
func (w RowWrite) Lanes(r *Route, active lane.Mask) (moved, zeroed lane.Mask) {
	if r == nil {
		return lane.Mask{}, lane.Mask{}
	}
	var enabled lane.Mask
	for l := range r.Lanes() {
		if w.Rows>>(l/rowLanes&3)&1 != 0 && w.Banks>>(l/bankLanes&3)&1 != 0 {
			enabled = enabled.With(l)
		}
	}
	enabled = enabled.And(active)
	moved = enabled.And(r.InRange())
	if !w.FetchInactive {
		moved = moved.AndNot(r.Outside(active))
	}
	if w.ZeroFill {
		zeroed = enabled.AndNot(moved)
	}
	return moved, zeroed
}
