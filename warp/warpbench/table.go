package warpbench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
)

// A Result is what a case costs on a device, or why the device cannot run it
// ([warp.Unsupported]).
type Result struct {
	Cost
	Err error
}

// A Row is what one case costs on each device of a Table, in the same order.
type Row struct {
	Name    string
	Results []Result
}

// A Table puts cases, one to a row, and devices, one to a column, side by side.
type Table struct {
	Devices []*device.Profile
	Rows    []Row
}

// Compare measures each case on each device. A case that a device cannot run
// ([warp.Unsupported]) is kept with the reason; any other error ends the comparison.
func Compare(ctx context.Context, devices []*device.Profile, cases ...Case) (*Table, error) {
	t := &Table{Devices: devices}
	for _, c := range cases {
		t.Rows = append(t.Rows, Row{c.Name, make([]Result, len(devices))})
	}
	for i, d := range devices {
		e, err := warp.New(warp.Config{Device: d, Workers: 1})
		if err != nil {
			return nil, err
		}
		for k, c := range cases {
			cost, err := Measure(ctx, e, c.Program)
			if err != nil && !errors.Is(err, warp.Unsupported) {
				return nil, fmt.Errorf("%s on %s: %w", c.Name, d.Name, err)
			}
			t.Rows[k].Results[i] = Result{cost, err}
		}
	}
	return t, nil
}

// String returns the table for people: cycles of one application by case and device (with
// its lanes to a warp), "-" where the device cannot run the case, and "*" at the fewest of
// a device.
func (t *Table) String() string {
	if t == nil {
		return ""
	}
	wide := len("cycles")
	for _, r := range t.Rows {
		wide = max(wide, len(r.Name))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-*s", wide, "cycles")
	heads := make([]string, len(t.Devices))
	for i, d := range t.Devices {
		if d == nil {
			d = &device.Profile{Name: "?"}
		}
		heads[i] = fmt.Sprintf("  %10s", fmt.Sprintf("%s (%d)", d.Name, d.Lanes))
		b.WriteString(heads[i])
	}
	b.WriteString("\n")
	for _, r := range t.Rows {
		line := fmt.Sprintf("%-*s", wide, r.Name)
		for i := range t.Devices {
			cell := "- "
			if i < len(r.Results) && r.Results[i].Err == nil {
				mark := " "
				if r.Results[i].Cycles == t.fewest(i) {
					mark = "*"
				}
				cell = fmt.Sprintf("%.1f%s", r.Results[i].Cycles, mark)
			}
			line += fmt.Sprintf("%*s", len(heads[i]), cell)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// fewest is the fewest cycles on a device.
func (t *Table) fewest(device int) float64 {
	least := math.Inf(1)
	for _, r := range t.Rows {
		if device < len(r.Results) && r.Results[device].Err == nil {
			least = min(least, r.Results[device].Cycles)
		}
	}
	return least
}
