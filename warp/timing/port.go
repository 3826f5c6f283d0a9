package timing

import "math/bits"

// A port is a unit that all sub-partitions share. It serves one pass a cycle;
// each cycle goes to whoever asks for it first.
type port struct {
	taken [portWords]uint64 // a bit per cycle from base on, as a ring
	base  Cycle             // multiple of 64
}

const (
	portWords = 32 // covers what can queue; beyond it passes wait in line
	portSpan  = portWords * 64
)

// reserve takes the first n free cycles from start on and returns the cycle
// before the last of them would have been, had they followed each other: start
// plus what the request is held up by others. now is the present: nobody asks
// for earlier cycles any more.
func (p *port) reserve(start, n, now Cycle) Cycle {
	p.advance(now)
	c := start
	left := n
	for {
		if c-now >= portSpan-64 {
			// Further ahead than the ring reaches wherever it starts: in line,
			// unrecorded.
			return c + left - n
		}
		i := (c >> 6) & (portWords - 1)
		bit := uint(c & 63)
		free := ^p.taken[i] >> bit
		if free == 0 {
			c += Cycle(64 - bit)
			continue
		}
		c += Cycle(bits.TrailingZeros64(free))
		p.taken[i] |= 1 << uint(c&63)
		if left--; left == 0 {
			return c + 1 - n
		}
		c++
	}
}

// advance forgets cycles before now.
func (p *port) advance(now Cycle) {
	for now >= p.base+64 {
		if now >= p.base+portSpan {
			p.taken = [portWords]uint64{}
			p.base = now &^ 63
			return
		}
		p.taken[(p.base>>6)&(portWords-1)] = 0
		p.base += 64
	}
}
