package memprobe

import (
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/grid"
)

// A Probe is a launch.
type Probe struct {
	Blocks, Threads int
	Shared          int // bytes a block
	// body returns what adds the next records of a warp, and reports whether there are
	// more.
	body func(block, warp int) func(r *Records) (more bool)
}

// Shape is the probe as a grid.Grid takes it, with as many places as a multiprocessor has.
func (p *Probe) Shape(d *device.Profile) grid.Shape {
	l := &d.Limits
	places := min(l.ThreadsPerMultiprocessor/p.Threads, l.BlocksPerMultiprocessor)
	if shared := p.Shared + l.SharedReserved; shared > 0 {
		places = min(places, l.SharedPerMultiprocessor/shared)
	}
	return grid.Shape{Blocks: p.Blocks, Warps: (p.Threads + d.Lanes - 1) / d.Lanes, Places: places, Shared: p.Shared}
}

// A source implements grid.Source: each warp reads its clock twice, does what it has to,
// meets the others of its block at a barrier and reads the clock twice again.
type source struct {
	probe  *Probe
	device *device.Profile
	warps  map[[2]int]*state
}

type state struct {
	next  func(*Records) bool
	began bool
	r     *Records
}

// Source returns the records of the probe on a device.
func (p *Probe) Source(d *device.Profile) grid.Source {
	return &source{p, d, map[[2]int]*state{}}
}

// Next implements grid.Source.
func (s *source) Next(block, warp int) (c grid.Chunk, last bool) {
	x := s.warps[[2]int{block, warp}]
	if x == nil {
		x = &state{next: s.probe.body(block, warp), r: newRecords(s.device)}
		s.warps[[2]int{block, warp}] = x
	}
	x.r.reset()
	if !x.began {
		x.began = true
		x.r.clock()
		x.r.steps(timer)
		x.r.clock()
	}
	if !x.next(x.r) {
		x.r.barrier()
		x.r.clock()
		x.r.steps(timer)
		x.r.clock()
		last = true
	}
	return grid.Chunk{Recs: x.r.recs, Lines: x.r.lines}, last
}

// timer is how many steps lie between a reading of the timer and one of the clock.
const timer = 6

// Ended implements grid.Source.
func (s *source) Ended(block int) {
	for w := range (s.probe.Threads + s.device.Lanes - 1) / s.device.Lanes {
		delete(s.warps, [2]int{block, w})
	}
}

// once is a warp's body of one piece.
func once(f func(r *Records)) func(*Records) bool {
	return func(r *Records) bool { f(r); return false }
}

// turns is a body of n turns.
func turns(n int, f func(r *Records, turn int)) func(*Records) bool {
	i := 0
	return func(r *Records) bool {
		if i < n {
			f(r, i)
			i++
		}
		return i < n
	}
}
