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
	"time"

	"example.com/warpsim/bench/internal/memprobe"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/grid"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/memory"
	"example.com/warpsim/warp/timing"
)

// A memoryRow is a figure of memory.csv or footprint.csv.
type memoryRow struct {
	what, how string
	value     float64
	unit      string
	number    map[string]int // "threads" of "threads=128"
	words     []string       // what has no number
}

func (r *memoryRow) has(word string) bool { return slices.Contains(r.words, word) }

// memoryRows reads both files, without what lies outside of the device and rows of 0.
func memoryRows() ([]memoryRow, error) {
	var rows []memoryRow
	for _, file := range []string{"memory.csv", "footprint.csv"} {
		lines, err := readCSV(file, 4)
		if err != nil {
			return nil, err
		}
		for _, f := range lines {
			how, at := f[1], 2
			if file == "footprint.csv" {
				how, at = how+";footprint="+f[2], 3
			}
			v, err := strconv.ParseFloat(f[at], 64)
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", file, f[0], err)
			}
			r := memoryRow{what: f[0], how: how, value: v, unit: strings.Join(f[at+1:], ","), number: map[string]int{}}
			for word := range strings.SplitSeq(how, ";") {
				name, n, ok := strings.Cut(word, "=")
				if x, err := strconv.Atoi(strings.TrimSuffix(n, " words")); ok && err == nil {
					r.number[name] = x
				} else {
					r.words = append(r.words, word)
				}
			}
			if v != 0 && r.what != "launch" && r.what != "sm_clock" {
				rows = append(rows, r)
			}
		}
	}
	return rows, nil
}

// A prober runs probes on a device.
type prober struct {
	p        *device.Profile
	table    *timing.Table
	g        *grid.Grid
	readings [][]timing.Cycle // of warp 0, by block
	kept     map[string][]float64
}

func newProber(p *device.Profile) (*prober, error) {
	table, err := timing.Compile(&p.Timing, p.Lanes)
	if err != nil {
		return nil, err
	}
	x := &prober{p: p, table: table, kept: map[string][]float64{}}
	x.g, err = grid.New(p, table, grid.Config{Observer: func(i *timing.Issue) {
		if i.Instr.Op == isa.ReadClock && i.Warp == 0 {
			x.readings[i.Block] = append(x.readings[i.Block], i.Cycle)
		}
	}})
	return x, err
}

// play runs a probe, with the second level as said.
func (x *prober) play(probe *memprobe.Probe, state memory.State, low, high uint64) error {
	x.readings = make([][]timing.Cycle, probe.Blocks)
	s := probe.Shape(x.p)
	s.Memory, s.Low, s.High = state, low, high
	x.g.Begin(s, probe.Source(x.p))
	done, err := x.g.Advance(context.Background(), probe.Blocks, 2)
	if err == nil && !done {
		err = fmt.Errorf("the grid stands still: %s", x.g)
	}
	return err
}

// span is the time from the first timer to the last in nanoseconds, cycles the median of
// the blocks from reading number from to the last clock reading.
func (x *prober) times(from int) (ns, cycles float64) {
	begin, end := timing.Never, timing.Cycle(0)
	var all []float64
	for _, r := range x.readings {
		begin, end = min(begin, r[0]), max(end, r[len(r)-1])
		all = append(all, float64(r[len(r)-2]-r[from]))
	}
	return float64(end-begin) / x.ghz(), middle(all)
}

func (x *prober) ghz() float64 { return float64(x.p.Limits.ClockMHz) / 1e3 }

// middle is the upper median, as the recording programs take it.
func middle(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}

// runMemory measures the rows whose name begins with prefix and prints them, the worst
// first.
func runMemory(out io.Writer, p *device.Profile, prefix string) error {
	rows, err := memoryRows()
	if err != nil {
		return err
	}
	x, err := newProber(p)
	if err != nil {
		return err
	}
	var results []memoryResult
	names := map[string]bool{}
	took := map[string]time.Duration{}
	for _, r := range rows {
		names[r.what] = true
		if !strings.HasPrefix(r.what, prefix) {
			continue
		}
		start := time.Now()
		v, err := x.measure(&r)
		took[r.what] += time.Since(start)
		if err != nil {
			return fmt.Errorf("%s, %s: %w", r.what, r.how, err)
		}
		results = append(results, memoryResult{r, v})
	}
	if len(results) == 0 {
		return fmt.Errorf("no such row; there are %s", strings.Join(slices.Sorted(func(yield func(string) bool) {
			for n := range names {
				if !yield(n) {
					return
				}
			}
		}), ", "))
	}
	reportMemory(out, results)
	return nil
}

type memoryResult struct {
	memoryRow
	simulated float64
}

func (r *memoryResult) error() float64 { return (r.simulated - r.value) / r.value }

// close reports whether the row is within 10 %, or two steps of the chip's timer.
func (r *memoryResult) close() bool {
	if r.what == "dispatch_order" || r.what == "dispatch_span" && math.Abs(r.simulated-r.value) <= 64 {
		return math.Abs(r.simulated-r.value) <= 64
	}
	return math.Abs(r.error()) <= 0.1
}

func reportMemory(out io.Writer, results []memoryResult) {
	sorted := slices.Clone(results)
	sort.SliceStable(sorted, func(i, j int) bool { return math.Abs(sorted[i].error()) > math.Abs(sorted[j].error()) })
	tallies := map[string]*tally{}
	var names []string
	var all tally
	for _, r := range sorted {
		mark := ""
		if !r.close() {
			mark = " *"
		}
		if r.what != "dispatch_order" || mark != "" {
			fmt.Fprintf(out, "%-18s %-70s %11.5g %11.5g %+8.2f%% %s%s\n", r.what, r.how, r.value, r.simulated, 100*r.error(), r.unit, mark)
		}
		if tallies[r.what] == nil {
			tallies[r.what] = &tally{}
			names = append(names, r.what)
		}
		tallies[r.what].add(r.error(), r.close())
		all.add(r.error(), r.close())
	}
	slices.Sort(names)
	for _, n := range names {
		t := tallies[n]
		fmt.Fprintf(out, "%-20s within 10 %%: %3d of %3d; %s\n", n, t.near, t.n, t)
	}
	fmt.Fprintf(out, "within 10 %% (order and spans of dispatch: 64 ns): %d of %d, %.1f %%; the others are marked *\n", all.near, all.n, 100*float64(all.near)/float64(all.n))
	fmt.Fprintln(out, all.String())
}
