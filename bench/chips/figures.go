package main

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.com/warpsim/warp/device"
)

//go:embed testdata/published.csv
var publishedCSV []byte

// A figure is one published number.
type figure struct {
	chip, quantity, unit, condition, source string
	value                                   float64
	profile                                 *device.Profile
	swept                                   map[sweepKey]float64 // GB a second of what chips of this profile share
}

// A chipProfile says which profile a measured chip is held against, and what it
// has instead.
type chipProfile struct {
	name            string
	multiprocessors int // 0: as the profile
	clockMHz        int // 0: as the profile
}

var profileOf = map[string]chipProfile{
	"V100":            {"v100", 0, 0},
	"V100-PCIE-16GB":  {"v100", 0, 0},
	"A100":            {"a100", 0, 0},
	"A100-PCIE-40GB":  {"a100", 0, 0},
	"A100-PCIE-80GB":  {"a100", 0, 0},
	"A100-SXM4-40GB":  {"a100", 0, 0},
	"A100-SXM4-80GB":  {"a100", 0, 0},
	"MI50 (gfx906)":   {"mi50", 0, 0},
	"MI100":           {"mi100", 0, 0},
	"MI210":           {"mi250x", 104, 0},
	"MI300X":          {"mi300x", 0, 0},
	"MI308X":          {"mi300x", 80, 0},
	"gfx942 (MI308X)": {"mi300x", 80, 0},
	"MI300 (gfx942)":  {"mi300x", 0, 0},
	"RX 6900 XT":      {"rx6900xt", 0, 0},
	"RX 7900 XT":      {"rx7900xt", 0, 0},
	"P100":            {"p100", 0, 0},
	"RTX 2070 SUPER":  {"t4", 40, 1800},
	"RTX 2080 Ti":     {"t4", 68, 1545},
	"RTX 3080":        {"rtx3080", 0, 0},
	"RTX 3070 Ti":     {"rtx3080", 48, 0},
	"RTX 3060 Ti":     {"rtx3080", 38, 0},
	"RTX 3060":        {"rtx3080", 28, 0},
	"A40":             {"rtx3080", 84, 1740},
	"RTX 4090":        {"rtx4090", 0, 0},
	"L40":             {"rtx4090", 142, 2490},
	"H100-SXM5-80GB":  {"h100", 0, 0},
	"H100-PCIe":       {"h100", 114, 1755},
	"H100-NVL":        {"h100", 0, 1785},
	"H200":            {"h200", 0, 0},
	"B300":            {"b200", 0, 0},
}

// published reads the figures.
func published() ([]figure, error) {
	rows, err := csv.NewReader(bytes.NewReader(publishedCSV)).ReadAll()
	if err != nil {
		return nil, err
	}
	profiles := map[string]*device.Profile{}
	swept := map[chipProfile]map[sweepKey]float64{}
	var out []figure
	for _, r := range rows[1:] {
		v, err := strconv.ParseFloat(r[2], 64)
		if err != nil {
			return nil, fmt.Errorf("published.csv: %s, %s: %w", r[0], r[1], err)
		}
		f := figure{chip: r[0], quantity: r[1], value: v, unit: r[3], condition: r[4], source: r[5]}
		if profiles[f.chip] == nil {
			if profiles[f.chip], err = profileFor(f.chip); err != nil {
				return nil, err
			}
		}
		f.profile = profiles[f.chip]
		c := profileOf[f.chip]
		if swept[c] == nil {
			swept[c] = map[sweepKey]float64{}
		}
		f.swept = swept[c]
		out = append(out, f)
	}
	return out, nil
}

func profileFor(chip string) (*device.Profile, error) {
	c, ok := profileOf[chip]
	if !ok {
		return nil, fmt.Errorf("published.csv: no profile for %q", chip)
	}
	p, err := device.Lookup(c.name)
	if err != nil || c.multiprocessors == 0 && c.clockMHz == 0 {
		return p, err
	}
	limits := fmt.Sprintf(`{"multiprocessors": %d, "clockMHz": %d, "status": "published", "source": "of the chip measured"}`,
		cmp.Or(c.multiprocessors, p.Limits.Multiprocessors), cmp.Or(c.clockMHz, p.Limits.ClockMHz))
	return device.With(p, fmt.Sprintf(`{"name": %q, "limits": %s}`, c.name, limits))
}

// choose returns the figures of a profile, of quantities that begin so, and of
// grids of up to most items; for atomics and fences, of up to mostThreads threads.
func choose(all []figure, chip, quantity string, most, mostThreads int) ([]figure, error) {
	var names, quantities []string
	var out []figure
	for _, f := range all {
		names, quantities = append(names, f.profile.Name), append(quantities, f.quantity)
		if chip != "" && f.profile.Name != chip || !strings.HasPrefix(f.quantity, quantity) {
			continue
		}
		if n, ok := f.items(); ok && n > most {
			continue
		}
		if f.threads() > mostThreads {
			continue
		}
		out = append(out, f)
	}
	if len(out) == 0 {
		slices.Sort(names)
		slices.Sort(quantities)
		return nil, fmt.Errorf("no such figure; there are profiles %s and quantities %s",
			strings.Join(slices.Compact(names), ", "), strings.Join(slices.Compact(quantities), ", "))
	}
	return out, nil
}

// items returns how many items the grid of a figure has.
func (f *figure) items() (n int, ok bool) {
	return f.number("n = ", "")
}

// threads returns how many threads meet in an atomic or a fence, 0 for other
// figures.
func (f *figure) threads() int {
	if !strings.HasPrefix(f.quantity, "atomic.") && !strings.HasPrefix(f.quantity, "fence.") {
		return 0
	}
	grid, _ := f.numberBefore(" blocks of ")
	threads, _ := f.numberBefore(" threads")
	return grid * threads
}

// secondOfThree reports whether the figure is of a cache between that of the
// multiprocessor, which is then called L0, and the last one: profiles have none.
func (f *figure) secondOfThree() bool { return f.chip == "RX 6900 XT" }

// number returns the number that stands between two texts of the condition: behind
// before, up to after or, if that is empty, as far as there are digits.
func (f *figure) number(before, after string) (n int, ok bool) {
	_, rest, found := strings.Cut(f.condition, before)
	if !found {
		return 0, false
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	if after != "" {
		end = strings.Index(rest, after)
	}
	if end < 0 {
		end = len(rest)
	}
	n, err := strconv.Atoi(rest[:end])
	return n, err == nil
}

// numberBefore returns the number before a text of the condition.
func (f *figure) numberBefore(text string) (n int, ok bool) {
	before, _, found := strings.Cut(f.condition, text)
	if !found {
		return 0, false
	}
	i := strings.LastIndexFunc(before, func(r rune) bool { return r < '0' || r > '9' })
	n, err := strconv.Atoi(before[i+1:])
	return n, err == nil
}
