package order

import (
	"math/bits"

	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"
)

// ops is a power of two not below the number of ops.
const ops = 64

var _ [ops - isa.User0]struct{} // those of hosts are encoded, and stay as they come

// costs are those of the table that scheduling asks for again and again.
type costs struct {
	distance [ops][ops]int32 // from an op to a reader, Invalid: to one that it guards
	alone    [ops]int32      // until another one of the op can read the result
	pipe     [ops]uint8
	slot     [ops]int32 // how long an op keeps others of its warp out of its pipe
}

func newCosts(t *timing.Table) *costs {
	c := &costs{}
	for op := range isa.User0 {
		pipe, cycles := t.Slot(op)
		c.pipe[op], c.slot[op] = uint8(pipe), int32(cycles)
		c.alone[op] = int32(t.Distance(op, op, false))
		for to := range isa.User0 {
			c.distance[op][to] = int32(t.Distance(op, to, to == isa.Invalid))
		}
	}
	return c
}

// soon is a power of two: so many cycles ahead instructions are kept by the cycle in
// which they are ready.
const soon = 512

// list is what scheduling needs beside the graph: the instructions that wait for no
// other one.
type list struct {
	now    int32
	later  [soon]int32       // those that will be ready in a cycle: the first, see node.next
	filled [soon / 64]uint64 // which cycles have some
	open   [timing.Pipes]heap
	busy   [timing.Pipes]int32 // from when on each pipe takes another one
	some   uint32              // pipes with open ones
}

// A heap has instructions that are ready, the one with the longest way first, and of
// equals the one that was written first.
type heap []uint64

func (h *heap) push(x uint64) {
	a := append(*h, x)
	k := len(a) - 1
	for k > 0 {
		up := (k - 1) / 2
		if a[up] >= x {
			break
		}
		a[k] = a[up]
		k = up
	}
	a[k] = x
	*h = a
}

// pop removes the first one.
func (h *heap) pop() {
	a := *h
	n := len(a) - 1
	x := a[n]
	a = a[:n]
	*h = a
	for k := 0; ; {
		down := 2*k + 1
		if down >= n {
			if n > 0 {
				a[k] = x
			}
			return
		}
		if r := down + 1; r < n && a[r] > a[down] {
			down = r
		}
		if x >= a[down] {
			a[k] = x
			return
		}
		a[k] = a[down]
		k = down
	}
}

// schedule puts the instructions of the graph into order: always the one with the
// longest way of those that can go now, or else of those that can go first.
func (s *Scheduler) schedule() {
	v := &s.values
	for i := len(v.nodes) - 1; i >= 0; i-- {
		n := &v.nodes[i]
		n.way = 1
		if in := &v.instrs[i]; in.Dst != isa.NoReg {
			n.way = s.costs.alone[in.Op&(ops-1)]
		}
		for e := n.edges; e != none; e = v.edges[e].next {
			n.way = max(n.way, v.nodes[v.edges[e].to].way+v.edges[e].distance)
		}
	}
	s.now, s.busy = 0, [timing.Pipes]int32{}
	for i := range v.nodes {
		if v.nodes[i].waits == 0 {
			s.ready(int32(i))
		}
	}
	for {
		best, pipe := uint64(0), 0
		for m := s.some; m != 0; m &= m - 1 {
			p := bits.TrailingZeros32(m) % timing.Pipes
			if s.busy[p] <= s.now {
				if x := s.open[p][0]; x > best {
					best, pipe = x, p
				}
			}
		}
		if best == 0 {
			if !s.skip() {
				return
			}
			continue
		}
		if s.open[pipe].pop(); len(s.open[pipe]) == 0 {
			s.some &^= 1 << pipe
		}
		s.issue(int32(^uint32(best)), pipe)
	}
}

// issue lets an instruction be the next one.
func (s *Scheduler) issue(i int32, pipe int) {
	v := &s.values
	n := &v.nodes[i]
	s.result, s.places = append(s.result, v.instrs[i]), append(s.places, n.place)
	s.busy[pipe] = s.now + s.costs.slot[v.instrs[i].Op&(ops-1)]
	for e := n.edges; e != none; {
		x := &v.edges[e]
		to := &v.nodes[x.to]
		to.ready = max(to.ready, s.now+x.distance)
		if to.waits--; to.waits == 0 {
			s.ready(x.to)
		}
		e = x.next
	}
	s.now++
	if k := uint32(s.now) % soon; s.filled[k/64]>>(k%64)&1 != 0 {
		s.arrive(k)
	}
}

// ready notes that an instruction waits for no other one. One that is left out is
// over at once.
func (s *Scheduler) ready(i int32) {
	v := &s.values
	n := &v.nodes[i]
	n.waits = none
	switch {
	case n.left:
		for e := n.edges; e != none; e = v.edges[e].next {
			to := &v.nodes[v.edges[e].to]
			to.ready = max(to.ready, n.ready)
			if to.waits--; to.waits == 0 {
				s.ready(v.edges[e].to)
			}
		}
	case n.ready <= s.now:
		s.enter(i, n)
	default:
		k := uint32(min(n.ready, s.now+soon-1)) % soon
		n.next = none
		if bit := uint64(1) << (k % 64); s.filled[k/64]&bit == 0 {
			s.filled[k/64] |= bit
		} else {
			n.next = s.later[k]
		}
		s.later[k] = i
	}
}

// enter lets an instruction be issued from now on.
func (s *Scheduler) enter(i int32, n *node) {
	p := s.costs.pipe[s.instrs[i].Op&(ops-1)]
	s.open[p].push(uint64(n.way)<<32 | uint64(^uint32(i)))
	s.some |= 1 << p
}

// arrive takes the instructions that are ready in the present cycle.
func (s *Scheduler) arrive(k uint32) {
	s.filled[k/64] &^= 1 << (k % 64)
	for i := s.later[k]; i != none; {
		n := &s.nodes[i]
		next := n.next
		if n.ready <= s.now {
			s.enter(i, n)
		} else {
			s.ready(i) // it was too far ahead
		}
		i = next
	}
}

// skip lets the cycles pass in which nothing can be issued. It reports false if
// nothing is left.
func (s *Scheduler) skip() bool {
	t := int32(1 << 30)
	for m := s.some; m != 0; m &= m - 1 {
		t = min(t, s.busy[bits.TrailingZeros32(m)%timing.Pipes])
	}
	from := uint32(s.now+1) % soon
	k := from / 64
	word := s.filled[k] &^ (1<<(from%64) - 1)
	for range len(s.filled) + 1 {
		if word != 0 {
			at := k*64 + uint32(bits.TrailingZeros64(word))
			t = min(t, s.now+1+int32((at-from)%soon))
			break
		}
		k = (k + 1) % uint32(len(s.filled))
		word = s.filled[k]
	}
	if t == 1<<30 {
		return false
	}
	s.now = t
	if k := uint32(t) % soon; s.filled[k/64]>>(k%64)&1 != 0 {
		s.arrive(k)
	}
	return true
}
