package crossbar

import (
	"math/bits"

	"example.com/warpsim/lane"
)

// MoveMask carries one bit per lane along the route: lane l is in the result if
// m holds its source. Lanes the route does not have are in no result.
func (r *Route) MoveMask(m lane.Mask) lane.Mask {
	if m.Empty() {
		return m
	}
	d := uint(r.delta)
	var moved lane.Mask
	switch r.form {
	case upward:
		moved = shiftLeft(m, d)
	case downward:
		moved = shiftRight(m, d)
	case crosswise, crossEarly:
		moved = butterfly(m, d)
	case broadcast:
		moved = spread(m, uint(r.width), d)
	default:
		return r.moveMaskLanes(m)
	}
	in := r.InRange()
	return moved.And(in).Or(m.AndNot(in)).And(firstN(uint(r.lanes)))
}

func (r *Route) moveMaskLanes(m lane.Mask) lane.Mask {
	var out [2]uint64
	words := [2]uint64{m.Lo, m.Hi}
	for l := range r.lanes {
		from := r.sources[l&127]
		out[l>>6&1] |= words[from>>6&1] >> (from & 63) & 1 << (uint(l) & 63)
	}
	return lane.Mask{Lo: out[0], Hi: out[1]}
}

// Outside returns the lanes of active whose source is not in active: those that
// read a lane which does not take part. What they get is the device's affair:
// undefined, or zero where it says so.
func (r *Route) Outside(active lane.Mask) lane.Mask {
	all := firstN(uint(r.lanes))
	active = active.And(all)
	if active == all {
		return lane.Mask{}
	}
	return active.AndNot(r.MoveMask(active))
}

func shiftLeft(m lane.Mask, k uint) lane.Mask {
	if k >= 64 {
		return lane.Mask{Hi: m.Lo << (k - 64)}
	}
	return lane.Mask{Lo: m.Lo << k, Hi: m.Hi<<k | m.Lo>>(64-k)}
}

func shiftRight(m lane.Mask, k uint) lane.Mask {
	if k >= 64 {
		return lane.Mask{Lo: m.Hi >> (k - 64)}
	}
	return lane.Mask{Lo: m.Lo>>k | m.Hi<<(64-k), Hi: m.Hi >> k}
}

// butterfly moves bit l of m to bit l^d, by swapping neighbouring blocks for
// every bit of d.
func butterfly(m lane.Mask, d uint) lane.Mask {
	for k := range uint(6) {
		if d>>k&1 != 0 {
			n, low := uint(1)<<k, repeat[k+1]*(1<<(1<<k)-1)
			m.Lo = m.Lo&low<<n | m.Lo>>n&low
			m.Hi = m.Hi&low<<n | m.Hi>>n&low
		}
	}
	if d&64 != 0 {
		m.Lo, m.Hi = m.Hi, m.Lo
	}
	return m
}

// spread gives all lanes of a segment the bit of its lane at.
func spread(m lane.Mask, width, at uint) lane.Mask {
	m = shiftRight(m, at)
	if width == 128 {
		w := -(m.Lo & 1)
		return lane.Mask{Lo: w, Hi: w}
	}
	first := repeat[bits.TrailingZeros(width)&7]
	fill := ^uint64(0) >> (64 - width)
	return lane.Mask{Lo: m.Lo & first * fill, Hi: m.Hi & first * fill}
}
