package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"example.com/warpsim/bench/internal/blockkernels"
	"example.com/warpsim/warp"
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

// An application runs so many applications of a kernel's body and returns what they took.
type application func(threads, applications int) (timing.Cycle, error)

// wideKernels are timed as on the chip, by clock readings.
func wideKernels(c warp.Config, all map[string]blockkernels.Translation) (map[string]application, error) {
	var watch stopwatch
	c.Observer = &warp.Observer{Issued: watch.issued}
	e, err := warp.New(c)
	if err != nil {
		return nil, err
	}
	out := map[string]application{}
	for name, t := range all {
		out[name] = func(threads, n int) (timing.Cycle, error) {
			k, err := t(e, n)
			if err != nil {
				return 0, err
			}
			watch.seen = watch.seen[:0]
			if _, err := e.Run(context.Background(), warp.Launch{Blocks: warp.X(1), Threads: warp.X(threads)}, k); err != nil {
				return 0, err
			}
			return watch.block(), nil
		}
	}
	return out, nil
}

// laneKernels are timed as whole launches; all but the applications cancels out.
func laneKernels(c warp.Config, all map[string]blockkernels.Launched) (map[string]application, error) {
	e, err := warp.New(c)
	if err != nil {
		return nil, err
	}
	out := map[string]application{}
	for name, run := range all {
		out[name] = func(threads, n int) (timing.Cycle, error) {
			r, err := run(e, threads, n)
			if err != nil {
				return 0, err
			}
			return r.Cycles, nil
		}
	}
	return out, nil
}

// translated runs every row of the recorded kernels that has a translation.
func translated(all map[string]application, name string, threads int) ([]result, error) {
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
			if cycles[i], err = t(r.threads, n); err != nil {
				return nil, fmt.Errorf("%s at %d threads: %w", r.kernel, r.threads, err)
			}
		}
		out = append(out, result{row: r, simulated: float64(cycles[1]-cycles[0]) / float64(many-few)})
	}
	return out, nil
}

// runTranslated runs all translations.
func runTranslated(out io.Writer, c warp.Config, name string, threads int) error {
	some := false
	for _, sort := range []struct {
		title string
		make  func() (map[string]application, error)
	}{
		{"", func() (map[string]application, error) { return wideKernels(c, blockkernels.Wide) }},
		{"\na library's algorithms, by the kernels of this one that do the same:\n", func() (map[string]application, error) { return wideKernels(c, blockkernels.Library) }},
		{"\nper lane:\n", func() (map[string]application, error) { return laneKernels(c, blockkernels.PerLane) }},
	} {
		kernels, err := sort.make()
		if err != nil {
			return err
		}
		results, err := translated(kernels, name, threads)
		if err != nil {
			return err
		}
		if len(results) > 0 {
			some = true
			fmt.Fprint(out, sort.title)
			report(out, results)
		}
	}
	if !some {
		return fmt.Errorf("no row of that name and number of threads has a translation")
	}
	return nil
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
