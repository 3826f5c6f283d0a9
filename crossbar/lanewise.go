package crossbar

import "example.com/warpsim/lane"

// lanewise fills the route lane by lane, from operands, or from one operand if
// operands is nil.
func (r *Route) lanewise(rule Rule, mode Mode, lanes, width int, operand int32, operands []int32) {
	lanes = r.begin(lanes)
	f := rule.fields(lanes, RawOperand(rule, mode, lanes, width))
	var in [2]uint64
	for l := range lanes {
		x := operand
		if operands != nil {
			x = 0
			if l < len(operands) {
				x = operands[l]
			}
		}
		if rule == Uncut {
			from, ok := uncutSource(mode, int32(l), x, int32(width))
			r.set(l, int(from)&(lanes-1), ok, &in)
			continue
		}
		from, ok := f.source(mode, l, int(x)&f.bits)
		r.set(l, from, ok && from < lanes, &in)
	}
	r.inRange = lane.Mask{Lo: in[0], Hi: in[1]}
}
