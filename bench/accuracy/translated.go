package main

import (
	"context"
	"fmt"
	"slices"

	"example.com/warpsim/bench/internal/blockkernels"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"
)

// A stopwatch reads the clock of a kernel that calls Clock, in time.
type stopwatch struct {
	seen []clocks
}

func (s *stopwatch) issued(i *timing.Issue) {
	if i.Instr.Op != isa.ReadClock {
		return
	}
	for i.Warp >= len(s.seen) {
		s.seen = append(s.seen, clocks{})
	}
	c := &s.seen[i.Warp]
	c.n++
	c.a, c.b = c.b, i.Cycle
}

// block is from the first reading of any warp to the last of all.
func (s *stopwatch) block() timing.Cycle {
	lo, hi := s.seen[0].a, s.seen[0].b
	for _, c := range s.seen {
		lo, hi = min(lo, c.a), max(hi, c.b)
	}
	return hi - lo
}

// translated runs every row of the recorded kernels that has a translation.
func translated(p *device.Profile, scheduler timing.Scheduler, order warp.Order, name string, threads int, all map[string]blockkernels.Translation) ([]result, error) {
	var watch stopwatch
	e, err := warp.New(warp.Config{Device: p, Scheduler: scheduler, Memory: warp.MemoryWarm, Order: order,
		Observer: &warp.Observer{Issued: watch.issued}})
	if err != nil {
		return nil, err
	}
	rows, err := translatedRows()
	if err != nil {
		return nil, err
	}
	var out []result
	for _, r := range rows {
		t := all[r.kernel]
		if t == nil || name != "" && r.kernel != name || threads != 0 && r.threads != threads {
			continue
		}
		few, many := 2, 8
		if r.kind == "kernel2" {
			many = 6
		}
		var cycles [2]timing.Cycle
		for i, n := range [...]int{few, many} {
			k, err := t(e, n)
			if err != nil {
				return nil, err
			}
			watch.seen = watch.seen[:0]
			if _, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(r.threads)}, k); err != nil {
				return nil, fmt.Errorf("%s at %d threads: %w", r.kernel, r.threads, err)
			}
			cycles[i] = watch.block()
		}
		out = append(out, result{row: r, simulated: float64(cycles[1]-cycles[0]) / float64(many-few)})
	}
	return out, nil
}

// translatedRows are the rows of both recorded sets.
func translatedRows() ([]row, error) {
	first, err := kernelsOf("kernels.csv")
	if err != nil {
		return nil, err
	}
	second, err := kernelsOf("kernels2.csv")
	for i := range second {
		second[i].kind = "kernel2"
	}
	return slices.Concat(first, second), err
}
