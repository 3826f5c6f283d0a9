package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"sort"

	"example.com/warpsim/bench/accuracy/sass"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/timing"
)

// A set is a file of recorded figures with the code that was measured.
type set struct {
	programs  programs
	rows      []row
	names     []string
	scheduler timing.Scheduler
}

// A source says where a set lies.
type source struct {
	code string
	rows func() ([]row, error)
}

var (
	kernelSet  = source{"kernels.sass.gz", kernelRows}
	latencySet = source{"latency.sass.gz", latencyRows}
	furtherSet = source{"further.sass.gz", furtherRows}
)

func load(from source) (*set, error) {
	p, err := loadPrograms(from.code)
	if err != nil {
		return nil, err
	}
	rows, err := from.rows()
	if err != nil {
		return nil, err
	}
	s := &set{programs: p, rows: rows}
	for _, r := range rows {
		if !slices.Contains(s.names, r.kernel) {
			s.names = append(s.names, r.kernel)
		}
	}
	return s, nil
}

// keep drops the rows of other kernels and sizes.
func (s *set) keep(name string, threads int) {
	s.rows = slices.DeleteFunc(s.rows, func(r row) bool {
		return name != "" && r.kernel != name || threads != 0 && r.threads != threads
	})
}

// code returns the two programs whose difference is the row's figure, the bits
// of their argument, and how many steps one repeat is.
func (s *set) code(r row) (few, many *sass.Program, seed uint32, steps float64, err error) {
	name, a, b := r.kernel, 2, 8
	seed, steps = 1, 1
	switch r.kind {
	case "latency":
		name, seed = stepCode(r.kind, r.kernel)
		a, b = 32, 96
	case "interval":
		name, seed = stepCode(r.kind, r.kernel)
		a, b, steps = 8, 24, 8
	case "further":
		name, seed = furtherCode(r.kind, r.kernel)
		a, b = 32, 96
	case "loop":
		name, seed = furtherCode(r.kind, r.kernel)
		a, b = 1, 1
	case "share":
		name, seed = furtherCode(r.kind, r.kernel)
		a, b = 8, 40
	}
	few, many = s.programs[name][a], s.programs[name][b]
	if few == nil || many == nil {
		return nil, nil, 0, 0, fmt.Errorf("no code of %s", name)
	}
	return few, many, seed, steps, nil
}

// A result is a row with what the model says.
type result struct {
	row
	simulated float64
}

// error returns the relative error.
func (r *result) error() float64 { return (r.simulated - r.hardware) / r.hardware }

// close reports whether the result is within one cycle or 3 percent, 5 percent
// for intervals.
func (r *result) close() bool {
	part := 0.03
	if r.kind == "interval" {
		part = 0.05
	}
	return math.Abs(r.simulated-r.hardware) <= max(1, part*r.hardware)
}

// measure runs every row. Rows of code that cannot be played are left out.
func (s *set) measure(t *device.Timing) ([]result, error) {
	var out []result
	for _, r := range s.rows {
		few, many, seed, steps, err := s.code(r)
		if err != nil {
			return nil, err
		}
		m, err := measure(t, few, many, r.threads, seed, s.scheduler)
		if err != nil {
			return nil, err
		}
		out = append(out, result{row: r, simulated: m.block / steps})
	}
	return out, nil
}

func report(out io.Writer, results []result) {
	sorted := slices.Clone(results)
	sort.SliceStable(sorted, func(i, j int) bool { return math.Abs(sorted[i].error()) > math.Abs(sorted[j].error()) })
	var sum, worst float64
	within := 0
	fmt.Fprintf(out, "%-34s %-8s %7s %10s %10s %9s\n", "kernel", "kind", "threads", "hardware", "simulated", "error")
	for _, r := range sorted {
		e := math.Abs(r.error())
		sum += e
		worst = max(worst, e)
		mark := ""
		if r.close() {
			within++
		} else {
			mark = " *"
		}
		fmt.Fprintf(out, "%-34s %-8s %7d %10.2f %10.2f %+8.2f%%%s\n", r.kernel, r.kind, r.threads, r.hardware, r.simulated, 100*r.error(), mark)
	}
	n := float64(len(results))
	fmt.Fprintf(out, "within one cycle or 3 %% (intervals 5 %%): %d of %d, %.1f %%; the others are marked *\n", within, len(results), 100*float64(within)/n)
	fmt.Fprintf(out, "mean %.2f%% worst %.2f%% kernels %d\n", 100*sum/n, 100*worst, len(results))
}

// explain prints what warp 0 issued between its last two clock readings, and
// what it waited for.
func (s *set) explain(out io.Writer, t *device.Timing, r row, repeat int) error {
	few, many, seed, _, err := s.code(r)
	if err != nil {
		return err
	}
	p := few
	if repeat == many.Repeat {
		p = many
	}
	l, err := newLaunch(p, r.threads, seed, 32)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s, %d threads, %d times: warp 0\n%6s %5s  %-46s %s\n", r.kernel, r.threads, p.Repeat, "cycle", "wait", "instruction", "waited for")
	var start timing.Cycle = -1
	var total timing.Cycles
	_, err = l.run(t, s.scheduler, func(i *timing.Issue) {
		if i.Warp != 0 {
			return
		}
		if start < 0 {
			start = i.Cycle
			i.Waits = timing.Cycles{timing.Issued: 1}
		}
		total.Add(&i.Waits)
		why := ""
		for k := timing.Control; k < timing.NumReasons; k++ {
			if n := i.Waits[k]; n > 0 {
				why += fmt.Sprintf("%s %d  ", k, n)
			}
		}
		if i.Waits[timing.Dependency]+i.Waits[timing.Memory]+i.Waits[timing.PortBusy]+i.Waits[timing.BankConflict] > 0 && i.WaitedFor != 0 {
			why += "on " + i.WaitedFor.String()
		}
		fmt.Fprintf(out, "%6d %5d  %-46s %s\n", i.Cycle-start, i.Waits.Total()-1, p.Code[i.Site].Text, why)
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "in all %d:", total.Total()-1)
	for k := range timing.NumReasons {
		if total[k] > 0 {
			fmt.Fprintf(out, " %s %d", k, total[k])
		}
	}
	fmt.Fprintln(out)
	return nil
}
