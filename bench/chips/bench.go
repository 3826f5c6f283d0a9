package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/memory"
)

// errNoKernel is of a figure that no kernel here measures.
var errNoKernel = errors.New("no kernel for it")

// measure returns what the model says of a figure, in its unit.
func measure(f *figure) (float64, error) {
	kind, of, _ := strings.Cut(f.quantity, ".")
	switch kind {
	case "latency":
		return latency(f, of)
	case "bandwidth":
		return bandwidth(f, of)
	case "shared_read", "lds_read":
		return sharedRead(f)
	case "l1_load":
		return firstLevelLoad(f)
	case "atomic":
		return atomics(f, of)
	case "fence":
		return fence(f)
	case "interval":
		return interval(f, of)
	case "grid":
		return gridTime(f, of)
	}
	return 0, errNoKernel
}

// A setup makes the arrays of a kernel that does its work n times, and returns it;
// of one that does it -n times on other data, if n is negative.
type setup func(e *warp.Engine) (func(n int) warp.Kernel, error)

// A trial is how a kernel is run to be measured.
type trial struct {
	profile  *device.Profile
	memory   memory.State
	order    warp.Order // AsWritten for what stands for machine code: chases by pointers
	resident int        // blocks of a multiprocessor, 0: as many as fit
	launch   func(n int) warp.Launch
	before   int // MemoryKept: the work is done so many times first, on other data
	few      int // the work is done so many times, and
	many     int // so many, which gives the slope
}

// oneBlock launches one block of so many threads, whatever the work.
func oneBlock(threads int) func(int) warp.Launch { return blocks(1, threads) }

// blocks launches so many blocks.
func blocks(n, threads int) func(int) warp.Launch {
	return func(int) warp.Launch { return warp.Launch{Blocks: warp.X(n), Threads: warp.X(threads)} }
}

// slope returns the cycles that each time of the work takes.
func (t *trial) slope(s setup) (float64, error) {
	var d [2]float64
	for i, n := range []int{t.few, t.many} {
		e, err := warp.New(warp.Config{Device: t.profile, Memory: t.memory, Order: t.order, Resident: t.resident, Faults: warp.Off})
		if err != nil {
			return 0, err
		}
		kernel, err := s(e)
		if err != nil {
			return 0, err
		}
		if t.before > 0 {
			if _, err := e.Run(context.Background(), t.launch(t.before), kernel(-t.before)); err != nil {
				return 0, fmt.Errorf("%s: %w", t.profile.Name, err)
			}
		}
		r, err := e.Run(context.Background(), t.launch(n), kernel(n))
		if err != nil {
			return 0, fmt.Errorf("%s: %w", t.profile.Name, err)
		}
		d[i] = float64(r.Cycles)
	}
	return (d[1] - d[0]) / float64(t.many-t.few), nil
}

// perSecond turns bytes a cycle into GB a second.
func perSecond(p *device.Profile, bytesPerCycle float64) float64 {
	return bytesPerCycle * float64(p.Limits.ClockMHz) / 1e3
}

// inUnit turns GB a second into a figure's unit.
func (f *figure) inUnit(gb float64) float64 {
	if f.unit == "GiB/s" {
		return gb * 1e9 / (1 << 30)
	}
	return gb
}
