package timing

import "math/bits"

// A port is a unit that all sub-partitions share. It serves one pass a cycle;
// each cycle goes to whoever asks for it first. Long services take it as a
// whole, after all that has been asked for before.
type port struct {
	taken [portWords]uint64 // a bit per cycle from base on, as a ring
	base  Cycle             // multiple of 64
	last  Cycle             // the cycle after the last one taken
	tail  Cycle             // no cycle before is free
	// beyond: a request came near the end of the ring, or went beyond it.
	beyond bool
}

const (
	portWords = 32 // the ring covers what can queue for short services
	portSpan  = portWords * 64
	// portReach is what the ring covers from now on wherever now lies in its word.
	portReach = portSpan - 64
	// shortest is where long services begin.
	shortest = 128
)

// reserve takes the first n free cycles from start on and returns the cycle
// before the last of them would have been, had they followed each other: start
// plus what the request is held up by others. now is the present: nobody asks
// for earlier cycles any more.
func (p *port) reserve(start, n, now Cycle) Cycle {
	if now >= p.base+64 {
		p.advance(now)
	}
	c := max(start, p.tail)
	if n >= shortest {
		return p.whole(c, n) - n
	}
	for left := n; ; c++ {
		if c-p.base >= portSpan {
			p.beyond = true
			return p.whole(c, left) - n
		}
		i := (c >> 6) & (portWords - 1)
		bit := uint(c & 63)
		free := ^p.taken[i] >> bit
		if free == 0 {
			c |= 63
			continue
		}
		c += Cycle(bits.TrailingZeros64(free))
		p.taken[i] |= 1 << uint(c&63)
		if left--; left == 0 {
			p.last = max(p.last, c+1)
			p.beyond = p.beyond || c-now >= portReach
			return c + 1 - n
		}
	}
}

// quick takes one cycle if it is free and in the ring.
func (p *port) quick(c, now Cycle) bool {
	if now >= p.base+64 || c < p.tail || c-now >= portReach {
		return false
	}
	i, bit := (c>>6)&(portWords-1), uint64(1)<<uint(c&63)
	if p.taken[i]&bit != 0 {
		return false
	}
	p.taken[i] |= bit
	p.last = max(p.last, c+1)
	return true
}

// whole takes n cycles in one piece, after all that are taken, and returns
// their end.
func (p *port) whole(c, n Cycle) Cycle {
	p.tail = max(c, p.last) + n
	p.last = p.tail
	return p.tail
}

// advance forgets cycles before now.
func (p *port) advance(now Cycle) {
	if now >= p.base+portSpan {
		p.taken = [portWords]uint64{}
		p.base = now &^ 63
		return
	}
	for now >= p.base+64 {
		p.taken[(p.base>>6)&(portWords-1)] = 0
		p.base += 64
	}
}
