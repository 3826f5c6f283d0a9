package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// A result is a figure with what the model says.
type result struct {
	figure
	simulated float64
	missing   bool // no kernel measures it
}

func (r *result) error() float64 { return (r.simulated - r.value) / r.value }

// grid reports whether the figure is of a grid of several launches, of which only
// the order is compared.
func (r *result) grid() bool { return strings.HasPrefix(r.quantity, "grid.") }

func measureAll(figures []figure) ([]result, error) {
	var out []result
	for _, f := range figures {
		v, err := measure(&f)
		missing := errors.Is(err, errNoKernel)
		if err != nil && !missing {
			return nil, fmt.Errorf("%s, %s, %s: %w", f.chip, f.quantity, f.condition, err)
		}
		out = append(out, result{f, v, missing})
	}
	return out, nil
}

// print writes the figures by profile, the worst first, then the order of grids,
// and what is missing.
func print(out io.Writer, results []result) {
	var profiles []string
	for _, r := range results {
		if !slices.Contains(profiles, r.profile.Name) {
			profiles = append(profiles, r.profile.Name)
		}
	}
	var missing []string
	for _, name := range profiles {
		var rows []result
		for _, r := range results {
			switch {
			case r.profile.Name != name || r.grid():
			case r.missing:
				missing = append(missing, r.chip+" "+r.quantity)
			default:
				rows = append(rows, r)
			}
		}
		if len(rows) == 0 {
			continue
		}
		slices.SortStableFunc(rows, func(a, b result) int {
			switch x, y := math.Abs(a.error()), math.Abs(b.error()); {
			case x > y:
				return -1
			case x < y:
				return 1
			}
			return 0
		})
		fmt.Fprintf(out, "%s\n%-15s %-27s %10s %10s %9s  %s\n", name, "chip", "quantity", "published", "simulated", "error", "condition")
		var errs []float64
		for _, r := range rows {
			errs = append(errs, math.Abs(r.error()))
			fmt.Fprintf(out, "%-15s %-27s %10.4g %10.4g %+8.1f%%  %s; %s\n", r.chip, r.quantity, r.value, r.simulated, 100*r.error(), r.unit, r.condition)
		}
		near := 0
		for _, e := range errs {
			if e <= 0.10 {
				near++
			}
		}
		fmt.Fprintf(out, "%s: median %.1f%%, within 10 %%: %d of %d figures\n\n", name, 100*errs[len(errs)/2], near, len(errs))
	}
	orders(out, results)
	if len(missing) > 0 {
		slices.Sort(missing)
		fmt.Fprintf(out, "not measured: %d figures: %s\n", len(missing), strings.Join(slices.Compact(missing), ", "))
	}
}

// writeJSON writes every figure as it is published, with what the model says, null for
// one that no kernel here measures.
func writeJSON(out io.Writer, results []result) error {
	type row struct {
		Device    string   `json:"device"`
		Chip      string   `json:"chip"`
		Quantity  string   `json:"quantity"`
		Condition string   `json:"condition"`
		Unit      string   `json:"unit"`
		Source    string   `json:"source"`
		Published float64  `json:"published"`
		Simulated *float64 `json:"simulated"`
	}
	rows := []row{}
	for i := range results {
		r := &results[i]
		rows = append(rows, row{r.profile.Name, r.chip, r.quantity, r.condition, r.unit, r.source, r.value, &r.simulated})
		if r.missing {
			rows[i].Simulated = nil
		}
	}
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(rows)
}

// orders prints, by chip, how many pairs of kernels that do the same job on the same
// number of items come out in the published order.
func orders(out io.Writer, results []result) {
	type job struct {
		chip, quantity string
		n              int
	}
	groups := map[job][]result{}
	var jobs []job
	for _, r := range results {
		if !r.grid() || r.missing {
			continue
		}
		n, _ := r.items()
		j := job{r.chip, r.quantity, n}
		if groups[j] == nil {
			jobs = append(jobs, j)
		}
		groups[j] = append(groups[j], r)
	}
	for _, j := range jobs {
		right, pairs := 0, 0
		g := groups[j]
		for a := range g {
			for b := range a {
				x, y := &g[a], &g[b]
				if math.Abs(x.value-y.value) <= 0.05*max(x.value, y.value) {
					continue
				}
				pairs++
				if (x.value < y.value) == (x.simulated < y.simulated) {
					right++
				}
			}
		}
		fmt.Fprintf(out, "order of %s, %d items, %s: %d of %d pairs that differ by more than 5 %%\n", j.quantity, j.n, j.chip, right, pairs)
		for _, r := range g {
			name, _, _ := strings.Cut(r.condition, ",")
			fmt.Fprintf(out, "  %-35s %10.2f us %10.2f simulated\n", name, r.value, r.simulated)
		}
	}
}
