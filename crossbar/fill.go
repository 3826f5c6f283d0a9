package crossbar

import (
	"encoding/binary"
	"math/bits"

	"example.com/warpsim/lane"
)

// The sources of eight lanes are worked out at once, a byte each in a word.
// Lane numbers and operands are below 128, so that bit 7 of every byte is free
// to catch a borrow.
const (
	everyByte  = 0x0101010101010101
	highBits   = everyByte << 7
	firstLanes = 0x0706050403020100
)

// fill writes out the sources of a route in closed form.
func (r *Route) fill() {
	for k := 0; k < r.lanes; k += 8 {
		binary.LittleEndian.PutUint64(r.sources[k&(lane.MaxLanes-8):], r.eight(k))
	}
	r.filled = true
}

// eight returns the sources of lanes k to k+7 of a route in closed form, lane k
// in the lowest byte.
func (r *Route) eight(k int) uint64 {
	own := uint64(firstLanes) + uint64(k)*everyByte
	inSegment, d := uint64(r.width-1)*everyByte, uint64(r.delta)*everyByte
	switch r.form {
	case upward:
		return own - d&bytes(((own&inSegment|highBits)-d)>>7)
	case downward:
		if r.delta >= r.width {
			return own
		}
		limit := uint64(r.width-1-r.delta)*everyByte | highBits
		return own + d&bytes((limit-own&inSegment)>>7)
	case crosswise:
		return own ^ d
	case crossEarly:
		return own ^ d&bytes(own>>(bits.Len8(r.delta)-1))
	}
	return own&^inSegment | d
}

// bytes returns a word with a byte of ones for every byte of w that is odd.
func bytes(w uint64) uint64 { return w & everyByte * 0xff }
