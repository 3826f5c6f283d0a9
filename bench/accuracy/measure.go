package main

import (
	"context"
	"fmt"

	"example.com/warpsim/bench/accuracy/sass"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/timing"
)

// A bench runs programs as wide kernels on an engine and reads its clock.
type bench struct {
	engine *warp.Engine
	out    warp.Mem[uint32]
	issued func(*timing.Issue) // of the present run
}

func newBench(p *device.Profile, scheduler timing.Scheduler) (*bench, error) {
	if p.Lanes != 32 {
		return nil, fmt.Errorf("the listings are of warps of 32 lanes, and %s has %d", p.Name, p.Lanes)
	}
	b := &bench{}
	e, err := warp.New(warp.Config{Device: p, Scheduler: scheduler, Memory: warp.MemoryWarm,
		Observer: &warp.Observer{Issued: func(i *timing.Issue) { b.issued(i) }}})
	if err != nil {
		return nil, err
	}
	b.engine = e
	if b.out, err = warp.Global(e, make([]uint32, sass.OutWords)); err != nil {
		return nil, err
	}
	return b, nil
}

// A launch is one program with a number of threads and arguments.
type launch struct {
	program *sass.Program
	threads int
	args    [2]uint32
}

// A reading is what the clocks of a run say: from the first reading of the
// first warp to its second, and from the first reading of any warp to the last
// of all.
type reading struct{ first, block timing.Cycle }

// clocks are the last two clock readings of a warp.
type clocks struct {
	n    int // readings so far
	a, b timing.Cycle
}

// run runs a launch. The kernels read the clock before and after the repeated
// body, three times over; the last pair counts, as on the chip. see, which may
// be nil, is told of every instruction and its index in the program.
func (b *bench) run(l launch, see func(i *timing.Issue, index int)) (reading, error) {
	seen := make([]clocks, (l.threads+31)/32)
	traces := make([][]int32, len(seen)) // of each warp: indices in the program
	b.issued = func(i *timing.Issue) {
		index := int(traces[i.Warp][i.Index])
		if see != nil {
			see(i, index)
		}
		if l.program.Code[index].ReadsClock() {
			c := &seen[i.Warp]
			c.n++
			c.a, c.b = c.b, i.Cycle
		}
	}
	clear(b.out.Data())
	kernel := l.program.Kernel(sass.Env{Args: l.args, Out: b.out, Trace: func(warp, index int) {
		traces[warp] = append(traces[warp], int32(index))
	}})
	shape := warp.Launch{Blocks: warp.X(1), Threads: warp.X(l.threads), Shared: sass.SharedBytes}
	if _, err := b.engine.Run(context.Background(), shape, kernel); err != nil {
		return reading{}, fmt.Errorf("%s at %d threads: %w", l.program.Name, l.threads, err)
	}
	if seen[0].n < 2 {
		return reading{}, fmt.Errorf("%s reads no clock", l.program.Name)
	}
	lo, hi := seen[0].a, seen[0].b
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

func (b *bench) measure(c code, threads int) (slope, error) {
	var r [2]reading
	for i := range r {
		var err error
		if r[i], err = b.run(c.launch(i, threads), nil); err != nil {
			return slope{}, err
		}
	}
	return slope{float64(r[1].first-r[0].first) / c.steps, float64(r[1].block-r[0].block) / c.steps}, nil
}
