package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"sort"
	"strings"

	"example.com/warpsim/warp"
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
	codedSet   = source{"kernels_words.sass.gz", kernelRows}
	secondSet  = source{"kernels2_words.sass.gz", secondRows}
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

// nothing is the error of a set of which no row is left.
func (s *set) nothing() error {
	return fmt.Errorf("no row of that name and number of threads; there are %s", strings.Join(s.names, ", "))
}

// A code is the two programs whose difference is a row's figure.
type code struct {
	few, many *program
	seed      int       // their argument, of the type that they compute with
	turns     [2]uint32 // a second argument
	steps     float64   // by how many steps they differ
}

// launch returns the first or second of the two runs.
func (c *code) launch(i, threads int) launch {
	p := c.few
	if i > 0 {
		p = c.many
	}
	l := launch{p, threads, [2]uint32{uint32(c.seed), c.turns[i]}}
	switch p.argumentType() {
	case warp.Float32:
		l.args[0] = math.Float32bits(float32(c.seed))
	case warp.Float64:
		b := math.Float64bits(float64(c.seed))
		l.args = [2]uint32{uint32(b), uint32(b >> 32)}
	}
	return l
}

func (s *set) code(r row) (code, error) {
	name, a, b := r.kernel, 0, 0
	c := code{seed: 1}
	scale := 1
	switch r.kind {
	case "kernel", "kernel2": // the fewest and the most applications that there are
		counts := slices.Sorted(maps.Keys(s.programs[name]))
		if n := len(counts); n > 0 {
			a, b = counts[0], counts[n-1]
		}
		if a == b {
			return code{}, fmt.Errorf("%s is in %d listings; a slope is of two, with other numbers of applications", name, len(counts))
		}
	case "latency":
		name, c.seed = stepCode(r.kind, r.kernel)
		a, b = 32, 96
	case "interval":
		name, c.seed = stepCode(r.kind, r.kernel)
		a, b, scale = 8, 24, 8
	case "further":
		name, c.seed = furtherCode(r.kind, r.kernel)
		a, b = 32, 96
	case "loop": // one program, 32 and 96 turns
		name, c.seed = furtherCode(r.kind, r.kernel)
		a, b, scale = 1, 1, 64
		c.turns = [2]uint32{32, 96}
	case "share":
		name, c.seed = furtherCode(r.kind, r.kernel)
		a, b = 8, 40
	case "slots":
		name, c.seed = furtherCode(r.kind, r.kernel)
		a, b = 8, 40
		if n, one := strings.CutSuffix(name, "/one"); one {
			name, c.turns = n, [2]uint32{1, 1}
		}
	}
	c.few, c.many = s.programs[name][a], s.programs[name][b]
	c.steps = float64(max(1, b-a) * scale)
	for _, n := range []int{a, b} {
		if p, ok := s.programs[name][n]; !ok {
			return code{}, fmt.Errorf("no code of %s", name)
		} else if p == nil {
			return code{}, fmt.Errorf("%s: lines of its listing of %d applications could not be decoded", name, n)
		}
	}
	return c, nil
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

// measure runs every row.
func (s *set) measure(p *device.Profile) ([]result, error) {
	b, err := newBench(p, s.scheduler)
	if err != nil {
		return nil, err
	}
	var out []result
	for _, r := range s.rows {
		cycles, err := s.cycles(b, r)
		if err != nil {
			return nil, err
		}
		out = append(out, result{row: r, simulated: cycles})
	}
	return out, nil
}

// cycles runs one row.
func (s *set) cycles(b *bench, r row) (float64, error) {
	if isChase(r) {
		return b.chase(r)
	}
	c, err := s.code(r)
	if err != nil {
		return 0, err
	}
	m, err := b.measure(c, r.threads)
	return m.block, err
}

func report(out io.Writer, results []result) {
	if rows, ok := out.(*jsonRows); ok {
		rows.add(results)
		return
	}
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
