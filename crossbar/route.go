package crossbar

import (
	"math/bits"

	"example.com/warpsim/lane"
)

// A Route is where every lane of a warp gets its value from. Its methods fill
// it; the zero Route has no lanes. A Route is large: keep one and pass it by
// pointer.
//
// Filling it for a shuffle of one operand only notes the operand; the sources
// of the lanes are worked out when something asks for them.
type Route struct {
	lanes int

	// What the route does in closed form, so that blocks of lanes can move
	// at once.
	form         form
	width, delta uint8

	filled  bool      // sources is up to date; always so if form is irregular
	inRange lane.Mask // of an irregular route
	sources [lane.MaxLanes]uint8
}

// A form is a closed description of a route.
type form uint8

const (
	irregular  form = iota // only sources and inRange know
	upward                 // lane-delta within the segment of width lanes, else own
	downward               // lane+delta within the segment, else own
	crosswise              // lane^delta, delta below width
	crossEarly             // lane^delta if that is in an earlier segment, else own
	broadcast              // lane delta of the segment
)

// Lanes returns the number of lanes the route was filled for.
func (r *Route) Lanes() int { return r.lanes }

// Source returns the lane that lane l reads. A lane that is not in range is its
// own source. It returns l for a lane that the route does not have.
func (r *Route) Source(l int) int {
	if uint(l) >= uint(r.lanes) {
		return l
	}
	return int(r.Sources()[l&(lane.MaxLanes-1)])
}

// Sources returns the source lane of every lane, valid until the route is
// filled again. Entries from Lanes on mean nothing.
func (r *Route) Sources() *[lane.MaxLanes]uint8 {
	if !r.filled {
		r.fill()
	}
	return &r.sources
}

// begin makes the route an irregular one of that many lanes, held to what there
// is room for.
func (r *Route) begin(lanes int) int {
	lanes = max(0, min(lanes, lane.MaxLanes))
	r.lanes, r.form, r.filled = lanes, irregular, true
	return lanes
}

// Shuffle fills the route with that of a shuffle whose operand is the same in
// every lane: the lane number of Idx, the delta of Up and Down, the lane mask of
// Xor, as the 32 bits in the register.
//
// It cannot fail. A width that [Validate] refuses gives what the device's own
// arithmetic gives for it, which is recorded for CutToWarp on 32 lanes; the
// languages call it undefined, so check first. Lanes must be a power of two up
// to 128.
func (r *Route) Shuffle(rule Rule, mode Mode, lanes, width int, operand int32) {
	legal := uint(lanes-1) < lane.MaxLanes && lanes&(lanes-1) == 0 &&
		uint(width-1) < uint(lanes) && width&(width-1) == 0
	d := uint(uint32(operand))
	switch {
	case rule != Uncut:
		d &= uint(rule.operandBits(lanes))
	case mode == Idx:
		d &= uint(width - 1)
	case d >= uint(lanes):
		legal = false // out of the range where the rules agree
	}
	if !legal {
		r.lanewise(rule, mode, lanes, width, operand, nil)
		return
	}
	r.uniform(mode, lanes, width, int(d))
}

// ShuffleLanes fills the route with that of a shuffle with an operand per lane.
// Lanes beyond the end of operands have operand 0. For the rest it is as
// Shuffle.
func (r *Route) ShuffleLanes(rule Rule, mode Mode, lanes, width int, operands []int32) {
	r.lanewise(rule, mode, lanes, width, 0, operands)
}

// InRange returns the predicate of the instruction: the lanes that found a
// source in range. For the shuffles it is the second result of the instruction
// set's form. With Uncut, whose formulas have no such result, it is the lanes
// that did not fall back on their own value.
func (r *Route) InRange() lane.Mask {
	width, d := uint(r.width), uint(r.delta)
	all := firstN(uint(r.lanes))
	switch r.form {
	case irregular:
		return r.inRange
	case upward:
		return segments(width, firstN(width).AndNot(firstN(d))).And(all)
	case downward:
		return segments(width, firstN(width-min(width, d))).And(all)
	case crossEarly:
		// The source is in an earlier segment if the lane has the highest
		// bit of d, in a later one, or nowhere, if it lacks it.
		top := uint(1) << (bits.Len(d) - 1)
		return segments(2*top, firstN(2*top).AndNot(firstN(top))).And(all)
	}
	return all
}

// firstN is lane.FirstN for 0 to 128, without its branches.
func firstN(n uint) lane.Mask {
	return lane.Mask{Lo: 1<<n - 1, Hi: 1<<(max(n, 64)-64) - 1}
}

// repeat[k] has every bit set that is a multiple of 1<<k: a pattern of 1<<k
// bits times it fills a word.
var repeat = [8]uint64{^uint64(0), 0x5555555555555555, 0x1111111111111111, 0x0101010101010101, 0x0001000100010001, 0x0000000100000001, 1, 1}

// segments repeats the pattern of the first segment in all of 128 lanes.
func segments(width uint, first lane.Mask) lane.Mask {
	if width > 64 {
		return first
	}
	w := first.Lo * repeat[bits.TrailingZeros(width)&7]
	return lane.Mask{Lo: w, Hi: w}
}
