package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"example.com/warpsim/bench/internal/gridkernels"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/memory"
	"example.com/warpsim/warp/sass"
)

// A sampledLaunch is a launch under the profiler: where it found warps, by line.
type sampledLaunch struct {
	gridkernels.Case
	lines []sampledLine
	total int
}

type sampledLine struct {
	address     int
	instruction string
	executed    bool
	samples     int
}

// sampledLaunches returns the recorded launches, those with the most samples first. A
// sample on a line that was never executed belongs to the EXIT before it.
func sampledLaunches() ([]*sampledLaunch, error) {
	const file = "lines.csv.gz"
	data, err := testdata.ReadFile("testdata/" + file)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	rows, err := csv.NewReader(z).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	var all []*sampledLaunch
	for _, r := range rows[1:] {
		number := func(name string, base int) int {
			v, e := strconv.ParseInt(r[column[name]], base, 64)
			if e != nil && err == nil {
				err = fmt.Errorf("%s: %s: %w", file, name, e)
			}
			return int(v)
		}
		l := sampledLine{number("address", 16), r[column["instruction"]], number("executed", 10) > 0, number("samples", 10)}
		if l.address == 0 {
			all = append(all, &sampledLaunch{Case: gridkernels.Case{Kernel: r[column["kernel"]], N: number("n", 10), Blocks: number("blocks", 10), Threads: number("threads", 10)}})
		}
		if err != nil {
			return nil, err
		}
		s := all[len(all)-1]
		s.total += l.samples
		if !l.executed && l.samples > 0 {
			for i := len(s.lines) - 1; i >= 0; i-- {
				if s.lines[i].executed && strings.Contains(s.lines[i].instruction, "EXIT") {
					s.lines[i].samples += l.samples
					l.samples = 0
					break
				}
			}
		}
		s.lines = append(s.lines, l)
	}
	slices.SortStableFunc(all, func(a, b *sampledLaunch) int { return cmp.Compare(b.total, a.total) })
	return all, nil
}

// A waitsResult is how well the model knows where the warps of a launch wait.
type waitsResult struct {
	*sampledLaunch
	overlap float64         // over lines, of the smaller of the sampled and the simulated share
	top     int             // the line with the most samples
	rank    int             // of it in the model, from 1
	ours    int             // the line where the model's warps wait longest
	cycles  map[int]float64 // of the model's warps, added up, by address
}

// waitsOf runs a launch by its listing as it was sampled: see profileOf.
func waitsOf(p *device.Profile, list *sass.Listing, s *sampledLaunch) (*waitsResult, error) {
	report, err := profiled(warp.Config{Device: p, Memory: memory.Warm, Sites: true}, list, s.Case, warmLaunch)
	if err != nil {
		return nil, err
	}
	cycles := map[int]float64{} // by address
	total := 0.0
	for _, row := range report.Lines() {
		n := float64(row.Cycles.Total())
		cycles[row.Site.Line] += n
		total += n
	}
	r := &waitsResult{sampledLaunch: s, rank: 1, cycles: cycles}
	for i, line := range s.lines {
		r.overlap += min(float64(line.samples)/float64(s.total), cycles[line.address]/total)
		if line.samples > s.lines[r.top].samples {
			r.top = i
		}
		if cycles[line.address] > cycles[s.lines[r.ours].address] {
			r.ours = i
		}
	}
	for _, line := range s.lines {
		if cycles[line.address] > cycles[s.lines[r.top].address] {
			r.rank++
		}
	}
	return r, nil
}

// waitLaunches is how many launches are looked at, those with the most samples.
const waitLaunches = 20

// runWaits holds where warps wait against the profiler's samples, of a kernel and of
// up to most items, if those are given; each line of them.
func runWaits(out io.Writer, p *device.Profile, kernel string, most int, each bool) error {
	all, err := sampledLaunches()
	if err != nil {
		return err
	}
	list, err := gridListing(firstGrids)
	if err != nil {
		return err
	}
	if kernel == "" && most == 0 {
		all = all[:min(waitLaunches, len(all))]
	}
	all = slices.DeleteFunc(all, func(s *sampledLaunch) bool {
		return kernel != "" && s.Kernel != kernel || most != 0 && s.Items() > most
	})
	if len(all) == 0 {
		return fmt.Errorf("no such launch was recorded")
	}
	if each {
		return eachLine(out, p, list, all)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "kernel\titems\tblocks\tsamples\toverlap\trank\tthe line with the most samples\tthe model's")
	sum, found := 0.0, 0
	for _, s := range all {
		r, err := waitsOf(p, list, s)
		if err != nil {
			return fmt.Errorf("%s, n %d: %w", s.Kernel, s.N, err)
		}
		sum += r.overlap
		if r.rank <= 3 {
			found++
		}
		top, ours := s.lines[r.top], s.lines[r.ours]
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%.2f\t%d\t%04x %s\t%04x %s\n", s.Kernel, s.Items(), s.Blocks, s.total, r.overlap, r.rank, top.address, top.instruction, ours.address, ours.instruction)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "\n%d launches: shares of lines overlap by %.3f on average; the line with the most samples is among the model's first three in %d\n", len(all), sum/float64(len(all)), found)
	return nil
}

// eachLine prints how long a warp stays at each line: the chip's by its share of the
// samples, of what the profiler's stalls add up to, and the model's.
func eachLine(out io.Writer, p *device.Profile, list *sass.Listing, all []*sampledLaunch) error {
	rows, err := profileRows()
	if err != nil {
		return err
	}
	stays := map[gridkernels.Case]float64{}
	for _, r := range rows {
		stays[r.Case] = r.stays
	}
	for _, s := range all {
		r, err := waitsOf(p, list, s)
		if err != nil {
			return err
		}
		warps := float64(s.Blocks * s.Threads / p.Lanes)
		chip, model := stays[s.Case], 0.0
		for _, c := range r.cycles {
			model += c / warps
		}
		fmt.Fprintf(out, "%s, n %d, %d blocks of %d: a warp stays %.0f cycles on the chip, %.0f in the model\n", s.Kernel, s.N, s.Blocks, s.Threads, chip, model)
		for _, l := range s.lines {
			a, b := chip*float64(l.samples)/float64(s.total), r.cycles[l.address]/warps
			if a+b > 0.5 {
				fmt.Fprintf(out, "  %04x %7.0f %7.0f  %s\n", l.address, a, b, l.instruction)
			}
		}
	}
	return nil
}
