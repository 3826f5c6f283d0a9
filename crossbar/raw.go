package crossbar

import "example.com/warpsim/lane"

// RawOperand returns the c operand that the languages' shuffle functions build
// from a width: the segment mask above, the clamp lane below it. For CutToWarp
// the segment field starts at bit 8 and the clamp is the last lane of the warp,
// for CutTo7 it starts at bit 7 and the clamp is width-1; the clamp of Up is 0.
// It does not check the width: an illegal one gives the fields that the
// functions' arithmetic gives. Uncut has no raw form; it is taken as CutToWarp.
func RawOperand(rule Rule, mode Mode, lanes, width int) uint32 {
	var c uint32
	if rule == CutTo7 {
		c = (^uint32(width-1) & 0x7f) << 7
	} else {
		c = uint32(lanes-width) << 8
	}
	switch {
	case mode == Up:
		return c
	case rule == CutTo7:
		return c | uint32(width-1)&0x7f
	}
	return c | uint32(lanes-1)
}

// Raw fills the route of a shuffle in the form of the instruction set, with the
// operands b (lane, delta or mask) and c (clamp and segment fields) of every
// lane. The fields have log2(lanes) bits and the segment field starts at bit 8
// for CutToWarp; they have 7 bits and it starts at bit 7 for CutTo7. Uncut has
// no raw form; it is taken as CutToWarp. Any bits are allowed, contiguous or
// not. Lanes beyond the end of b or c have 0 there.
//
// The segment field has a bit set for every bit of the lane number that the
// source must share, and the clamp says how far the other bits may reach. A
// source that the warp does not have counts as out of range.
func (r *Route) Raw(rule Rule, mode Mode, lanes int, b, c []uint32) {
	lanes = r.begin(lanes)
	var in [2]uint64
	for l := range lanes {
		var x, cc uint32
		if l < len(b) {
			x = b[l]
		}
		if l < len(c) {
			cc = c[l]
		}
		f := rule.fields(lanes, cc)
		from, ok := f.source(mode, l, int(x)&f.bits)
		r.set(l, from, ok && from < lanes, &in)
	}
	r.inRange = lane.Mask{Lo: in[0], Hi: in[1]}
}

// fields are the parts of a raw c operand.
type fields struct {
	bits           int // that every field, and the other operand, has
	clamp, segment int
}

func (r Rule) fields(lanes int, c uint32) fields {
	bits := int(r.operandBits(lanes))
	return fields{bits, int(c) & bits, int(c>>r.segmentShift()) & bits}
}

// set notes the source of lane l, which is l itself unless it is in range.
func (r *Route) set(l, from int, ok bool, in *[2]uint64) {
	if ok {
		in[l>>6&1] |= 1 << (uint(l) & 63)
	} else {
		from = l
	}
	r.sources[l&(lane.MaxLanes-1)] = uint8(from)
}
