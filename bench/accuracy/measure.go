package main

import (
	"fmt"

	"example.com/warpsim/bench/accuracy/sass"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"
)

// A launch is one kernel with a number of threads, ready to be timed.
type launch struct {
	program *sass.Program
	threads int
	records [][]isa.Instr // by warp
	sites   [][]uint32
}

func newLaunch(p *sass.Program, threads int, seed, turns uint32) (*launch, error) {
	warps := (threads + 31) / 32
	l := &launch{program: p, threads: threads, records: make([][]isa.Instr, warps), sites: make([][]uint32, warps)}
	for w := range warps {
		err := p.Play(sass.Env{Threads: threads, Seed: seed, Turns: turns}, w, func(rec isa.Instr, index int) {
			l.records[w] = append(l.records[w], rec)
			l.sites[w] = append(l.sites[w], uint32(index))
		})
		if err != nil {
			return nil, err
		}
	}
	return l, nil
}

// A reading is what the clocks of a run say: from the first reading of the
// first warp to its second, and from the first reading of any warp to the last
// of all.
type reading struct{ first, block timing.Cycle }

// run times a launch. The kernels read the clock before and after the repeated
// body, three times over; the last pair counts, as on the chip. see, which may
// be nil, is told of every instruction between a warp's last pair.
func (l *launch) run(t *device.Timing, scheduler timing.Scheduler, see func(*timing.Issue)) (reading, error) {
	type clocks struct {
		n    int
		a, b timing.Cycle
	}
	seen := make([]clocks, len(l.records))
	total := make([]int, len(l.records))
	for w, recs := range l.records {
		for _, r := range recs {
			if r.Op == isa.ReadClock {
				total[w]++
			}
		}
	}
	m, err := timing.New(t, timing.Config{Scheduler: scheduler, Observer: func(i *timing.Issue) {
		c := &seen[i.Warp]
		if see != nil && c.n >= total[i.Warp]-2 && c.n < total[i.Warp] {
			if c.n == total[i.Warp]-1 || i.Instr.Op == isa.ReadClock {
				see(i)
			}
		}
		if i.Instr.Op == isa.ReadClock {
			c.n++
			c.a, c.b = c.b, i.Cycle
		}
	}})
	if err != nil {
		return reading{}, err
	}
	id, err := m.StartBlock(len(l.records))
	if err != nil {
		return reading{}, err
	}
	for w := range l.records {
		m.Feed(id, w, l.records[w], l.sites[w])
		m.End(id, w)
	}
	for {
		st, err := m.Run(timing.Never)
		if err != nil {
			return reading{}, err
		}
		if st.State == timing.Done {
			break
		}
	}
	lo, hi := seen[0].a, seen[0].b
	if seen[0].n < 2 {
		return reading{}, fmt.Errorf("%s reads no clock", l.program.Name)
	}
	for _, c := range seen {
		if c.n < 2 {
			continue // not all warps work
		}
		lo, hi = min(lo, c.a), max(hi, c.b)
	}
	return reading{first: seen[0].b - seen[0].a, block: hi - lo}, nil
}

// A slope is cycles for one application of a kernel's body: the difference of
// two repeat counts, so that what surrounds it cancels out.
type slope struct{ first, block float64 }

func measure(t *device.Timing, c code, threads int, scheduler timing.Scheduler) (slope, error) {
	var r [2]reading
	for i, p := range []*sass.Program{c.few, c.many} {
		l, err := newLaunch(p, threads, c.seed, c.turns[i])
		if err != nil {
			return slope{}, err
		}
		if r[i], err = l.run(t, scheduler, nil); err != nil {
			return slope{}, fmt.Errorf("%s at %d threads: %w", p.Name, threads, err)
		}
	}
	return slope{float64(r[1].first-r[0].first) / c.steps, float64(r[1].block-r[0].block) / c.steps}, nil
}
