package grid

import (
	"cmp"
	"slices"

	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/timing"
)

// A dispatcher hands out the blocks of a grid. At first every multiprocessor
// gets as many as it has places, one each in turn; after that a block begins in
// the place of one that has ended.
type dispatcher struct {
	timing  device.DispatchTiming
	order   []int
	base    []timing.Cycle // by multiprocessor: when its first block begins
	places  int
	given   int // places filled in the first round
	freed   []place
	head    int     // of freed: those before have been filled
	unit    float64 // when the next place can be filled again
	refills int64
}

// A place is room for a block on a multiprocessor, free from a cycle on.
type place struct {
	at timing.Cycle
	mp int
}

// maxMultiprocessors is more than any profile has.
const maxMultiprocessors = 1 << 16

// newDispatcher returns one for so many multiprocessors, from 1 to 65,536; others
// count as the nearest of these. d may be nil: then nothing takes time.
func newDispatcher(d *device.DispatchTiming, multiprocessors int) *dispatcher {
	x := &dispatcher{}
	if d != nil {
		x.timing = *d
	}
	multiprocessors = min(max(multiprocessors, 1), maxMultiprocessors)
	has := make([]bool, multiprocessors)
	add := func(mp int) {
		if mp >= 0 && mp < multiprocessors && !has[mp] {
			has[mp] = true
			x.order = append(x.order, mp)
		}
	}
	for _, mp := range x.timing.Order {
		add(mp)
	}
	for mp := range multiprocessors {
		add(mp)
	}
	x.base = make([]timing.Cycle, multiprocessors)
	return x
}

// reset begins a grid on multiprocessors with so many places each.
func (d *dispatcher) reset(places int) {
	d.places, d.given, d.freed, d.head, d.unit, d.refills = max(1, places), 0, d.freed[:0], 0, 0, 0
	// The two of a pair begin half the spread apart, pairs at any time in the
	// other half.
	half := timing.Cycle(d.timing.Spread / 2)
	for mp := range d.base {
		if mp < len(d.timing.Begins) {
			d.base[mp] = timing.Cycle(d.timing.Begins[mp])
			continue
		}
		pair := timing.Cycle(mp / 2)
		d.base[mp] = pair*37%64*half/64 + timing.Cycle(mp%2)*half
	}
}

// next returns where the next block begins, and when; false if there is no place
// now.
func (d *dispatcher) next() (mp int, at timing.Cycle, ok bool) {
	if d.given < len(d.order)*d.places {
		mp = d.order[d.given%len(d.order)]
		at = d.base[mp] + timing.Cycle(d.given/len(d.order)*d.timing.StartCycles)
		d.given++
		return mp, at, true
	}
	if d.head == len(d.freed) {
		return 0, 0, false
	}
	p := d.freed[d.head]
	if d.head++; d.head == len(d.freed) {
		d.freed, d.head = d.freed[:0], 0
	}
	d.unit = max(d.unit, float64(p.at)+float64(d.timing.RefillLatency)) + d.timing.RefillCycles
	d.refills++
	return p.mp, timing.Cycle(d.unit), true
}

// waiting reports whether there is a place for another block.
func (d *dispatcher) waiting() bool { return d.given < len(d.order)*d.places || d.head < len(d.freed) }

// ended notes that a block has ended on a multiprocessor. The places of one call
// of Sort are filled in the order of time.
func (d *dispatcher) ended(mp int, at timing.Cycle) { d.freed = append(d.freed, place{at, mp}) }

// sort puts the free places in the order of time.
func (d *dispatcher) sort() {
	d.freed = d.freed[:copy(d.freed, d.freed[d.head:])]
	d.head = 0
	slices.SortStableFunc(d.freed, func(a, b place) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.mp, b.mp)) })
}

// use is which part of the cycles since the first block the dispatcher held blocks
// up: to start those of the first round, and to fill places again.
func (d *dispatcher) use(first, cycles, lastBegin timing.Cycle) float64 {
	if d.refills == 0 {
		return float64(max(0, lastBegin-first)) / float64(cycles)
	}
	return float64(d.refills) * d.timing.RefillCycles / float64(cycles)
}
