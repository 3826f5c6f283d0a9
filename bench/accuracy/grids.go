package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"example.com/warpsim/bench/internal/gridkernels"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/memory"
)

// A gridRow is one recorded grid: what it took when the launch before it had
// touched the same data (warm), or when the second level had been overwritten
// in between (cold).
type gridRow struct {
	gridkernels.Case
	cold   bool
	spanNS float64 // from the first block's begin to the last block's end
	block  float64 // median cycles of a block
	spread float64 // how far two recordings differed, as a part
}

// The two sets of grids: the model was made with the first.
const (
	firstGrids  = "grids.csv"
	secondGrids = "grids2.csv"
)

// gridRows reads a file of grids, two rows a line.
func gridRows(file string) ([]gridRow, error) {
	lines, err := readCSV(file, 12)
	if err != nil {
		return nil, err
	}
	var rows []gridRow
	for _, f := range lines {
		num := make([]float64, len(f))
		for i, s := range f[1:] {
			if num[i+1], err = strconv.ParseFloat(s, 64); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", file, f[0], err)
			}
		}
		c := gridkernels.Case{Kernel: f[0], N: int(num[1]), Blocks: int(num[2]), Threads: int(num[3])}
		rows = append(rows,
			gridRow{c, false, num[5], num[6], num[11]},
			gridRow{c, true, num[7], num[8], num[11]})
	}
	return rows, nil
}

// A gridResult is a row with what the model says.
type gridResult struct {
	gridRow
	simNS, simBlock float64
}

func (r *gridResult) error() float64      { return (r.simNS - r.spanNS) / r.spanNS }
func (r *gridResult) blockError() float64 { return (r.simBlock - r.block) / r.block }

// long reports whether the row counts in the summary: shorter ones are within a
// few steps of the chip's timer.
func (r *gridResult) long() bool { return r.spanNS > 1000 }

// close reports whether the result is within 25 %, or twice what two recordings
// differed by; of short rows within 15 % or two steps of the timer.
func (r *gridResult) close() bool {
	if !r.long() {
		return math.Abs(r.simNS-r.spanNS) <= max(0.15*r.spanNS, 64)
	}
	return math.Abs(r.error()) <= max(0.25, 2*r.spread)
}

func (r *gridResult) state() string {
	if r.cold {
		return "cold"
	}
	return "warm"
}

// runGrids measures the rows of a file, of a kernel, of a number of threads and of up to
// most items, if those are given, and prints them. listings runs the code that the
// chip ran.
func runGrids(out io.Writer, p *device.Profile, file, kernel string, threads, most int, svg string, listings bool) error {
	rows, err := gridRows(file)
	if err != nil {
		return err
	}
	var kernels []string
	for _, r := range rows {
		if !slices.Contains(kernels, r.Kernel) {
			kernels = append(kernels, r.Kernel)
		}
	}
	rows = slices.DeleteFunc(rows, func(r gridRow) bool {
		return kernel != "" && r.Kernel != kernel || threads != 0 && r.Threads != threads || most != 0 && r.Items() > most
	})
	if len(rows) == 0 {
		slices.Sort(kernels)
		return fmt.Errorf("no such row; there are kernels %s", strings.Join(kernels, ", "))
	}
	var results []gridResult
	if listings {
		results, err = measureListings(p, file, rows)
	} else {
		results, err = measureGrids(p, rows)
	}
	if err != nil {
		return err
	}
	reportGrids(out, results)
	if svg == "" {
		return nil
	}
	var points []result
	for _, r := range results {
		points = append(points, result{row: row{kernel: r.Kernel + " " + r.state(), kind: "grid", threads: r.Threads, hardware: r.spanNS}, simulated: r.simNS})
	}
	return draw(svg, p.Title, points)
}

// measureGrids runs every row as the kernel that a user would write.
func measureGrids(p *device.Profile, rows []gridRow) ([]gridResult, error) {
	most := 1
	for _, r := range rows {
		most = max(most, r.Items())
	}
	in, err := gridkernels.NewInputs(most)
	if err != nil {
		return nil, err
	}
	var out []gridResult
	for _, r := range rows {
		g, err := runGrid(p, in, r)
		if err != nil {
			return nil, err
		}
		out = append(out, g)
	}
	return out, nil
}

func runGrid(p *device.Profile, in *gridkernels.Inputs, r gridRow) (gridResult, error) {
	c := warp.Config{Device: p, Memory: memory.Warm}
	if r.cold {
		c.Memory = memory.Cold
	}
	s := newSpans(r.Blocks)
	c.Observer = s.observer()
	e, err := warp.New(c)
	if err != nil {
		return gridResult{}, err
	}
	g, err := in.Prepare(e, r.Case)
	if err != nil {
		return gridResult{}, err
	}
	var times [2]warp.Mem[uint64] // begins and ends
	for i := range times {
		if times[i], err = warp.Global(e, make([]uint64, r.Blocks*spanWords)); err != nil {
			return gridResult{}, err
		}
	}
	g.Reset()
	_, err = e.Run(context.Background(), g.Launch, timed(g.Kernel, times[0], times[1]))
	if err != nil {
		return gridResult{}, fmt.Errorf("%s, n %d, %d blocks of %d: %w", r.Kernel, r.N, r.Blocks, r.Threads, err)
	}
	out := gridResult{gridRow: r}
	out.simNS, out.simBlock = s.times(p)
	return out, nil
}

// reportGrids prints the rows, the worst first, and the summaries; the last
// line is that of the rows over a microsecond.
func reportGrids(out io.Writer, results []gridResult) {
	if rows, ok := out.(*jsonRows); ok {
		rows.addGrids(results)
		return
	}
	sorted := slices.Clone(results)
	sort.SliceStable(sorted, func(i, j int) bool { return math.Abs(sorted[i].error()) > math.Abs(sorted[j].error()) })
	fmt.Fprintf(out, "%-29s %9s %7s %8s %-5s %11s %11s %9s  %10s %10s %9s\n",
		"kernel", "n", "blocks", "threads", "state", "chip us", "simulated", "error", "block", "simulated", "error")
	var all, short tally
	var blocks tally
	for _, r := range sorted {
		mark := ""
		if !r.close() {
			mark = " *"
		}
		fmt.Fprintf(out, "%-29s %9d %7d %8d %-5s %11.3f %11.3f %+8.2f%%%2s %10.0f %10.0f %+8.2f%%\n", r.Kernel, r.N, r.Blocks, r.Threads, r.state(),
			r.spanNS/1e3, r.simNS/1e3, 100*r.error(), mark, r.block, r.simBlock, 100*r.blockError())
		if r.long() {
			all.add(r.error(), r.close())
		} else {
			short.add(r.error(), r.close())
		}
		blocks.add(r.blockError(), math.Abs(r.blockError()) <= 0.25)
	}
	byKernel(out, results)
	for _, cold := range []bool{false, true} {
		right, n := order(results, cold)
		if n > 0 {
			fmt.Fprintf(out, "order, %s: %d of %d pairs that do the same job, %.1f %%\n", (&gridResult{gridRow: gridRow{cold: cold}}).state(), right, n, 100*float64(right)/float64(n))
		}
	}
	fmt.Fprintf(out, "blocks: %s\n", blocks.String())
	fmt.Fprintf(out, "rows up to 1 us: %s; within 15 %% or 64 ns: %d of %d\n", short.String(), short.near, short.n)
	fmt.Fprintf(out, "within 25 %% or twice the spread of two recordings: %d of %d; the others are marked *\n", all.near, all.n)
	fmt.Fprintln(out, all.String())
}

// A tally sums up errors.
type tally struct {
	n, near    int
	sum, worst float64
}

func (t *tally) add(e float64, near bool) {
	t.n++
	t.sum += math.Abs(e)
	t.worst = max(t.worst, math.Abs(e))
	if near {
		t.near++
	}
}

func (t *tally) String() string {
	return fmt.Sprintf("mean %.2f%% worst %.2f%% rows %d", 100*t.sum/float64(max(t.n, 1)), 100*t.worst, t.n)
}

// byKernel prints a line a kernel.
func byKernel(out io.Writer, results []gridResult) {
	tallies := map[string]*tally{}
	for _, r := range results {
		if !r.long() {
			continue
		}
		k := r.Kernel + " " + r.state()
		if tallies[k] == nil {
			tallies[k] = &tally{}
		}
		tallies[k].add(r.error(), r.close())
	}
	for _, k := range slices.Sorted(func(yield func(string) bool) {
		for k := range tallies {
			if !yield(k) {
				return
			}
		}
	}) {
		fmt.Fprintf(out, "%-36s %s\n", k, tallies[k])
	}
}

// job names what a kernel does, so that kernels of one job can be compared: for
// one job and size a user may choose among them.
func job(c gridkernels.Case) string {
	switch {
	case c.Kernel == "reduce_partials_f32":
		return c.Kernel // does not end in one number
	case strings.HasPrefix(c.Kernel, "reduce_"):
		return "reduce"
	case strings.HasPrefix(c.Kernel, "transpose_"):
		return "transpose"
	case strings.HasPrefix(c.Kernel, "histogram_"):
		return "histogram"
	case strings.HasPrefix(c.Kernel, "saxpy_"):
		return "saxpy"
	case strings.HasPrefix(c.Kernel, "count_"):
		return "count"
	case strings.HasPrefix(c.Kernel, "compact_"):
		return "compact"
	}
	return c.Kernel
}

// order counts the pairs of rows that do the same job on the same items and
// differ by more than 5 % on the chip, and those that come out in its order.
func order(results []gridResult, cold bool) (right, n int) {
	for i, a := range results {
		for _, b := range results[i+1:] {
			if a.cold != cold || b.cold != cold || a.N != b.N || job(a.Case) != job(b.Case) {
				continue
			}
			if max(a.spanNS, b.spanNS) <= 1.05*min(a.spanNS, b.spanNS) {
				continue
			}
			n++
			if (a.spanNS < b.spanNS) == (a.simNS < b.simNS) && a.simNS != b.simNS {
				right++
			}
		}
	}
	return right, n
}
