package main

import (
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.com/warpsim/bench/internal/gridkernels"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/memory"
	"example.com/warpsim/warp/sass"
)

// A counter is a figure of the profiler that the model counts, too: exactly, or about.
type counter struct {
	name  string
	exact bool
	of    func(*memory.Counts) int64
}

// A sector that belongs to the other part of the second level than the multiprocessor is
// counted in either, reductions and atomics are one unit's, and DRAM goes by bytes.
var counters = []counter{
	{"l1_load_requests", true, func(c *memory.Counts) int64 { return c.LoadRequests }},
	{"l1_load_sectors", true, func(c *memory.Counts) int64 { return c.LoadSectors }},
	{"l1_store_sectors", true, func(c *memory.Counts) int64 { return c.StoreSectors }},
	{"l1_load_hits", false, func(c *memory.Counts) int64 { return c.LoadHits }},
	{"l2_read_sectors", false, func(c *memory.Counts) int64 { return c.ReadSectors + c.CrossedReadSectors }},
	{"l2_write_sectors", false, func(c *memory.Counts) int64 { return c.WriteSectors + c.CrossedWriteSectors }},
	{"l2_atomic_sectors", false, func(c *memory.Counts) int64 { return c.AtomicSectors + c.CrossedAtomicSectors }},
	{"dram_read_bytes", false, func(c *memory.Counts) int64 { return sectorBytes * c.MainReadSectors }},
	{"dram_write_bytes", false, func(c *memory.Counts) int64 { return sectorBytes * c.MainWriteSectors }},
}

// sectorBytes is what the profiler's sectors have, warpLanes what its warps have.
const (
	sectorBytes = 32
	warpLanes   = 32
)

// A profileRow is a launch under the profiler.
type profileRow struct {
	gridkernels.Case
	counts []int64 // of counters
	waits  waitShares
	bytes  int64   // that all loads and stores ask for
	stays  float64 // cycles for which a warp issues and waits, on average
}

func profileRows() ([]profileRow, error) {
	const file = "profile.csv"
	data, err := testdata.ReadFile("testdata/" + file)
	if err != nil {
		return nil, err
	}
	r := csv.NewReader(strings.NewReader(string(data)))
	r.Comment = '#'
	lines, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var rows []profileRow
	for _, l := range lines[1:] {
		f := map[string]float64{}
		for i, name := range lines[0][1:] {
			if f[name], err = strconv.ParseFloat(l[i+1], 64); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", file, l[0], err)
			}
		}
		f["l2_atomic_sectors"] += f["l2_reduction_sectors"]
		row := profileRow{Case: gridkernels.Case{Kernel: l[0], N: int(f["n"]), Blocks: int(f["blocks"]), Threads: int(f["threads"])}}
		for _, c := range counters {
			row.counts = append(row.counts, int64(f[c.name]))
		}
		for name, w := range chipWaits {
			row.waits[w] += f[name]
		}
		row.waits.scale()
		for name, cycles := range f {
			if strings.HasPrefix(name, "stall_") {
				row.stays += cycles * f["instructions"] / float64(row.Blocks*row.Threads/warpLanes)
			}
		}
		row.bytes = sectorBytes * int64(f["l1_load_sectors"]+f["l1_store_sectors"])
		rows = append(rows, row)
	}
	return rows, nil
}

// A profileResult is a row with what the model counts.
type profileResult struct {
	profileRow
	simCounts []int64
	simWaits  waitShares
}

// profileOf runs a launch as it ran under the profiler, by its listing, twice, as that
// did: what it counts with nothing in the second level but what the kernel writes, as
// the profiler puts that back before, and what warps wait for with all of it there.
func profileOf(p *device.Profile, list *sass.Listing, row profileRow) (*profileResult, error) {
	counted, err := profiled(warp.Config{Device: p, Memory: memory.Warm}, list, row.Case, profiledLaunch)
	if err != nil {
		return nil, err
	}
	out := &profileResult{profileRow: row}
	for _, c := range counters {
		out.simCounts = append(out.simCounts, c.of(&counted.Memory))
	}
	waited, err := profiled(warp.Config{Device: p, Memory: memory.Warm, Sites: true}, list, row.Case, warmLaunch)
	if err != nil {
		return nil, err
	}
	out.simWaits = modelWaits(waited)
	return out, nil
}

// profiled runs a case by its listing.
func profiled(c warp.Config, list *sass.Listing, of gridkernels.Case, launch func(*warp.Engine, gridkernels.Case, int) (sass.Launch, error)) (*warp.Report, error) {
	e, err := warp.New(c)
	if err != nil {
		return nil, err
	}
	name, cols := columns(of.Kernel)
	f, err := list.Find(name)
	if err != nil {
		return nil, err
	}
	program, err := f.Program()
	if err != nil {
		return nil, err
	}
	l, err := launch(e, of, cols)
	if err != nil {
		return nil, err
	}
	return sass.Run(context.Background(), e, program, l)
}

// least is how much of a launch's bytes a count of sectors or bytes of the lower levels
// has to be, to be held against the model's: constants, code and what the profiler wrote
// before are below that.
const least = 0.01

// held reports whether count i of a launch is held against the model's.
func (r *profileResult) held(i int) bool {
	n := r.counts[i]
	if counters[i].name[:1] == "l" {
		n *= sectorBytes
	}
	return counters[i].exact || float64(max(n, r.simBytes(i))) >= least*float64(r.bytes)
}

func (r *profileResult) simBytes(i int) int64 {
	if counters[i].name[:1] == "l" {
		return r.simCounts[i] * sectorBytes
	}
	return r.simCounts[i]
}

// error is how far count i is off.
func (r *profileResult) error(i int) float64 {
	return float64(r.simCounts[i]-r.counts[i]) / float64(max(r.counts[i], 1))
}

// close reports whether count i is the chip's: exactly, or within 10 %.
func (r *profileResult) close(i int) bool {
	if counters[i].exact {
		return r.simCounts[i] == r.counts[i]
	}
	return !r.held(i) || math.Abs(r.error(i)) <= 0.1
}

// worst is the count that is furthest off.
func (r *profileResult) worst() (at int) {
	for i := range counters {
		if r.held(i) && (!r.held(at) || math.Abs(r.error(i)) > math.Abs(r.error(at))) {
			at = i
		}
	}
	return at
}

// sameWait reports whether warps wait most for what the chip's wait most for.
func (r *profileResult) sameWait() bool { return r.waits.largest() == r.simWaits.largest() }

// runProfile holds what launches count and wait for against the profiler, of a kernel,
// of a number of threads and of up to most items, if those are given.
func runProfile(out io.Writer, p *device.Profile, kernel string, threads, most int) error {
	rows, err := profileRows()
	if err != nil {
		return err
	}
	rows = slices.DeleteFunc(rows, func(r profileRow) bool {
		return kernel != "" && r.Kernel != kernel || threads != 0 && r.Threads != threads || most != 0 && r.Items() > most
	})
	if len(rows) == 0 {
		return fmt.Errorf("no such launch was recorded")
	}
	list, err := gridListing(firstGrids)
	if err != nil {
		return err
	}
	var results []*profileResult
	for _, r := range rows {
		x, err := profileOf(p, list, r)
		if err != nil {
			return fmt.Errorf("%s, n %d, %d blocks: %w", r.Kernel, r.N, r.Blocks, err)
		}
		results = append(results, x)
	}
	reportProfile(out, results)
	return nil
}

// reportProfile prints the launches, the one whose counts are worst first, and how many
// of them agree.
func reportProfile(out io.Writer, results []*profileResult) {
	if rows, ok := out.(*jsonRows); ok {
		rows.addProfile(results)
		return
	}
	sorted := slices.Clone(results)
	slices.SortStableFunc(sorted, func(a, b *profileResult) int {
		return cmp.Compare(math.Abs(b.error(b.worst())), math.Abs(a.error(a.worst())))
	})
	fmt.Fprintf(out, "%-28s %9s %6s  %-17s %11s %11s %9s   %-13s %-13s\n", "kernel", "n", "blocks", "worst count", "chip", "simulated", "error", "chip waits", "simulated")
	for _, r := range sorted {
		i := r.worst()
		off, other := "", ""
		if !r.close(i) {
			off = "*"
		}
		a, b := r.waits.largest(), r.simWaits.largest()
		if a != b {
			other = " *"
		}
		fmt.Fprintf(out, "%-28s %9d %6d  %-17s %11d %11d %+8.2f%%%1s  %-8s%4.0f%% %-8s%4.0f%%%s\n", r.Kernel, r.N, r.Blocks, counters[i].name,
			r.counts[i], r.simCounts[i], 100*r.error(i), off, a, 100*r.waits[a], b, 100*r.simWaits[b], other)
	}
	fmt.Fprintln(out)
	for i, c := range counters {
		n, near, within := 0, 0, "within 10 %"
		if c.exact {
			within = "exactly"
		}
		for _, r := range results {
			if r.held(i) {
				n++
				if r.close(i) {
					near++
				}
			}
		}
		fmt.Fprintf(out, "%-17s %s: %d of %d\n", c.name, within, near, n)
	}
	same, others, sameOthers := 0, 0, 0
	for _, r := range results {
		other := r.waits.largest() != waitMemory
		if other {
			others++
		}
		if r.sameWait() {
			same++
			if other {
				sameOthers++
			}
		}
	}
	fmt.Fprintf(out, "counts and waits that are not the chip's are marked *\n")
	fmt.Fprintf(out, "the largest wait is the chip's in %d of %d launches, %.1f %%; where it is not that for memory in %d of %d\n", same, len(results), 100*float64(same)/float64(len(results)), sameOthers, others)
}
