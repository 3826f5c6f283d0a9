// Package report makes tables and the page out of what a sweep has run.
package report

import (
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"slices"

	"example.com/warpsim/bench/sweep/flow"
	"example.com/warpsim/bench/sweep/page"
	"example.com/warpsim/bench/sweep/plan"
	"example.com/warpsim/bench/sweep/result"
)

// A Summary is what a program prints at the end.
type Summary struct {
	Points, Failed int64
	FirstError     string
	// Best are the rows of the table best, in its order.
	Best []result.Row
}

// Write writes all tables of a finished sweep, and its page.
func Write(s *plan.Sweep, store *result.Store) (Summary, error) {
	var sum Summary
	var numbers []string
	for _, n := range s.Numbers {
		numbers = append(numbers, n.Name)
	}
	columns := result.RowColumns(numbers)
	err := result.WriteTable(store.Dir, "rows", columns, func(yield func([]any, error) bool) {
		for r, err := range store.Rows {
			if err != nil {
				yield(nil, err)
				return
			}
			sum.Points++
			if r.Error != "" {
				sum.Failed++
				if sum.FirstError == "" {
					sum.FirstError = r.Error
				}
			}
			if !yield(r.Cells(), nil) {
				return
			}
		}
	})
	if err != nil {
		return sum, err
	}
	if sum.Best, err = keyed(store, flow.Best, columns); err != nil {
		return sum, err
	}
	if _, err := keyed(store, flow.Pareto, columns); err != nil {
		return sum, err
	}
	curves, err := readCurves(s, store)
	if err != nil {
		return sum, err
	}
	table := func(name string, columns []result.Column, rows [][]any) error {
		return result.WriteTable(store.Dir, name, columns, func(yield func([]any, error) bool) {
			for _, r := range rows {
				if !yield(r, nil) {
					return
				}
			}
		})
	}
	swings := sensitivity(s, curves)
	err = errors.Join(
		table("curves", curveColumns, curveRows(curves)),
		table("sensitivity", swingColumns, swingRows(swings)))
	if err != nil {
		return sum, err
	}
	if s.Crossover != nil {
		columns, rows := crossover(s, curves)
		if err := table("crossover", columns, rows); err != nil {
			return sum, err
		}
	}
	p := draw(s, curves, swings)
	p.Points, p.Failed = sum.Points, sum.Failed
	return sum, store.WritePage(p.Write)
}

// keyed writes the table of rows that the pipeline chose for each key.
func keyed(store *result.Store, name string, columns []result.Column) ([]result.Row, error) {
	type line struct {
		key  []any
		rows []result.Row
	}
	var lines []line
	err := store.ReadSummary(name, func(text []byte) error {
		var l flow.Line
		var key []any
		if err := json.Unmarshal(text, &l); err != nil {
			return err
		}
		lines = append(lines, line{nil, l.Rows})
		err := json.Unmarshal(l.Key, &key)
		lines[len(lines)-1].key = key
		return err
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(lines, func(a, b line) int { return slices.CompareFunc(a.key, b.key, compareCells) })
	var rows []result.Row
	for _, l := range lines {
		rows = append(rows, l.rows...)
	}
	return rows, result.WriteTable(store.Dir, name, columns, func(yield func([]any, error) bool) {
		for i := range rows {
			if !yield(rows[i].Cells(), nil) {
				return
			}
		}
	})
}

func compareCells(a, b any) int {
	if x, ok := a.(float64); ok {
		y, _ := b.(float64)
		return cmp.Compare(x, y)
	}
	x, _ := a.(string)
	y, _ := b.(string)
	return cmp.Compare(x, y)
}

// A curve is how mean cycles go along a number or the size.
type curve struct {
	flow.CurveKey
	sums []flow.Sum
}

func readCurves(s *plan.Sweep, store *result.Store) ([]curve, error) {
	var list []curve
	err := store.ReadSummary(flow.Curves, func(text []byte) error {
		var l flow.Line
		var c curve
		if err := json.Unmarshal(text, &l); err != nil {
			return err
		}
		c.sums = l.Sums
		err := json.Unmarshal(l.Key, &c.CurveKey)
		list = append(list, c)
		return err
	})
	devices := make([]string, len(s.Devices))
	for i, d := range s.Devices {
		devices[i] = d.Name
	}
	fields := s.Fields()
	slices.SortFunc(list, func(a, b curve) int {
		return cmp.Or(cmp.Compare(slices.Index(fields, a.Along), slices.Index(fields, b.Along)),
			cmp.Compare(slices.Index(devices, a.Device), slices.Index(devices, b.Device)),
			cmp.Compare(slices.Index(s.Kernels, a.Kernel), slices.Index(s.Kernels, b.Kernel)),
			cmp.Compare(a.Type, b.Type), cmp.Compare(a.Size, b.Size), slices.Compare(a.Values, b.Values))
	})
	return list, err
}

// mean returns mean cycles, nil if no point had any.
func mean(s flow.Sum) any {
	if s.Runs == 0 {
		return nil
	}
	return float64(s.Cycles) / float64(s.Runs)
}

var curveColumns = []result.Column{{Name: "along"}, {Name: "device"}, {Name: "kernel"}, {Name: "type"}, {Name: "size", Kind: result.Whole},
	{Name: "at", Kind: result.Real}, {Name: "mean_cycles", Kind: result.Real}, {Name: "runs", Kind: result.Whole}, {Name: "failed", Kind: result.Whole}}

// curveRows are the curves that add up all other numbers.
func curveRows(curves []curve) [][]any {
	var rows [][]any
	for _, c := range curves {
		if c.Values != nil {
			continue
		}
		var size any
		if c.Along != "size" {
			size = c.Size
		}
		for _, p := range c.sums {
			rows = append(rows, []any{c.Along, c.Device, c.Kernel, c.Type, size, p.At, mean(p), p.Runs, p.Failed})
		}
	}
	return rows
}

// A swing is how much a number moves the cycles of a kernel.
type swing struct {
	curve
	low, high             flow.Sum // at the least and the greatest value that ran
	least, most           float64  // mean cycles over all values
	elasticity            any
	runs, failed          int64
	cyclesLow, cyclesHigh float64
}

var swingColumns = []result.Column{{Name: "device"}, {Name: "kernel"}, {Name: "type"}, {Name: "size", Kind: result.Whole}, {Name: "number"},
	{Name: "low", Kind: result.Real}, {Name: "high", Kind: result.Real}, {Name: "cycles_low", Kind: result.Real}, {Name: "cycles_high", Kind: result.Real},
	{Name: "least", Kind: result.Real}, {Name: "most", Kind: result.Real}, {Name: "swing", Kind: result.Real}, {Name: "elasticity", Kind: result.Real},
	{Name: "runs", Kind: result.Whole}, {Name: "failed", Kind: result.Whole}}

func sensitivity(s *plan.Sweep, curves []curve) []swing {
	var list []swing
	for _, c := range curves {
		if c.Along == "size" || c.Values != nil {
			continue
		}
		w := swing{curve: c}
		var ran []flow.Sum
		for _, p := range c.sums {
			w.runs, w.failed = w.runs+p.Runs, w.failed+p.Failed
			if p.Runs > 0 {
				ran = append(ran, p)
			}
		}
		if len(ran) < 2 {
			continue
		}
		w.low, w.high = ran[0], ran[len(ran)-1]
		w.least = math.Inf(1)
		for _, p := range ran {
			m := mean(p).(float64)
			w.least, w.most = min(w.least, m), max(w.most, m)
		}
		w.cyclesLow, w.cyclesHigh = mean(w.low).(float64), mean(w.high).(float64)
		if w.low.At > 0 && w.cyclesLow > 0 && w.cyclesHigh > 0 {
			w.elasticity = round(math.Log(w.cyclesHigh/w.cyclesLow) / math.Log(w.high.At/w.low.At))
		}
		list = append(list, w)
	}
	return list
}

// round leaves out the last digits of a logarithm, in which machines may differ.
func round(v float64) float64 { return math.Round(v*1e9) / 1e9 }

func (w *swing) swing() float64 {
	if w.least == 0 {
		return 0
	}
	return w.most/w.least - 1
}

func swingRows(list []swing) [][]any {
	var rows [][]any
	for _, w := range list {
		rows = append(rows, []any{w.Device, w.Kernel, w.Type, w.Size, w.Along, w.low.At, w.high.At, w.cyclesLow, w.cyclesHigh,
			w.least, w.most, w.swing(), w.elasticity, w.runs, w.failed})
	}
	return rows
}

// crossover finds, for each combination of everything else, from which value on the
// second kernel takes no more cycles than the first.
func crossover(s *plan.Sweep, curves []curve) ([]result.Column, [][]any) {
	c := s.Crossover
	columns := []result.Column{{Name: "device"}, {Name: "type"}, {Name: "size", Kind: result.Whole}}
	var others []string
	if !s.Each {
		for _, n := range s.Numbers {
			if n.Name != c.Along {
				others = append(others, n.Name)
				columns = append(columns, result.Column{Name: n.Name, Kind: result.Real})
			}
		}
	}
	columns = append(columns, result.Column{Name: "first"}, result.Column{Name: "second"}, result.Column{Name: "along"},
		result.Column{Name: "from", Kind: result.Real}, result.Column{Name: "of", Kind: result.Whole})
	second := map[string]curve{}
	key := func(c curve) string {
		c.CurveKey.Kernel = ""
		text, _ := json.Marshal(c.CurveKey) // texts and finite numbers
		return string(text)
	}
	wanted := func(x curve) bool { return x.Along == c.Along && len(x.Values) == len(others) }
	for _, x := range curves {
		if wanted(x) && x.Kernel == c.Between[1] {
			second[key(x)] = x
		}
	}
	var rows [][]any
	for _, a := range curves {
		b, there := second[key(a)]
		if !there || !wanted(a) || a.Kernel != c.Between[0] {
			continue
		}
		from, of := crossing(a.sums, b.sums)
		cells := []any{a.Device, a.Type, nil}
		if c.Along != "size" {
			cells[2] = a.Size
		}
		for _, v := range a.Values {
			cells = append(cells, v)
		}
		rows = append(rows, append(cells, c.Between[0], c.Between[1], c.Along, from, of))
	}
	return columns, rows
}

// crossing returns the least value from which on b is at most a wherever both ran,
// nil for none, and at how many values both ran.
func crossing(a, b []flow.Sum) (from any, of int64) {
	for _, x := range a {
		i, there := slices.BinarySearchFunc(b, x.At, func(s flow.Sum, at float64) int { return cmp.Compare(s.At, at) })
		if !there || x.Runs == 0 || b[i].Runs == 0 {
			continue
		}
		of++
		switch fewer := mean(b[i]).(float64) <= mean(x).(float64); {
		case !fewer:
			from = nil
		case from == nil:
			from = x.At
		}
	}
	return from, of
}

// draw chooses what the page shows.
func draw(s *plan.Sweep, curves []curve, swings []swing) *page.Page {
	p := &page.Page{Title: cmp.Or(s.Title, "Sweep")}
	largest := slices.Max(s.Sizes)
	type at struct{ device, typ string }
	lines := map[at]*page.Lines{}
	winners := map[string]*page.Winners{}
	for _, c := range curves {
		if c.Along != "size" || c.Values != nil {
			continue
		}
		k := at{c.Device, c.Type}
		if lines[k] == nil {
			lines[k] = &page.Lines{Title: c.Device + ", " + c.Type, X: "size", Y: "cycles"}
			p.Lines = append(p.Lines, lines[k])
		}
		if winners[c.Type] == nil {
			winners[c.Type] = &page.Winners{Title: "fewest cycles, " + c.Type}
			p.Winners = append(p.Winners, winners[c.Type])
		}
		series := page.Series{Name: c.Kernel}
		for _, m := range c.sums {
			if m.Runs > 0 {
				series.Points = append(series.Points, [2]float64{m.At, mean(m).(float64)})
				winners[c.Type].Add(c.Device, m.At, c.Kernel, mean(m).(float64))
			}
		}
		lines[k].Series = append(lines[k].Series, series)
	}
	tornados := map[string]*page.Tornado{}
	for _, w := range swings {
		if w.Size != largest {
			continue
		}
		title := w.Device + ", " + w.Kernel + ", " + w.Type
		if tornados[title] == nil {
			tornados[title] = &page.Tornado{Title: title, Unit: "cycles"}
			p.Tornados = append(p.Tornados, tornados[title])
		}
		tornados[title].Bars = append(tornados[title].Bars, page.Bar{Name: w.Along, Low: w.low.At, High: w.high.At, AtLow: w.cyclesLow, AtHigh: w.cyclesHigh, Least: w.least, Most: w.most})
	}
	if len(s.Numbers) >= 2 && !s.Each {
		heats(s, curves, largest, p)
	}
	return p
}

// heats draws mean cycles over the first two numbers.
func heats(s *plan.Sweep, curves []curve, largest int64, p *page.Page) {
	x, y := s.Numbers[0], s.Numbers[1]
	maps := map[string]*page.Heat{}
	sums := map[string]map[[2]float64]flow.Sum{}
	for _, c := range curves {
		if c.Along != x.Name || len(c.Values) == 0 || c.Size != largest {
			continue
		}
		title := c.Device + ", " + c.Kernel + ", " + c.Type
		if maps[title] == nil {
			maps[title] = &page.Heat{Title: title, X: x.Name, Y: y.Name, Columns: x.Values, Rows: y.Values}
			sums[title] = map[[2]float64]flow.Sum{}
			p.Heats = append(p.Heats, maps[title])
		}
		for _, m := range c.sums {
			cell := [2]float64{m.At, c.Values[0]}
			sum := sums[title][cell]
			sum.Cycles, sum.Runs = sum.Cycles+m.Cycles, sum.Runs+m.Runs
			sums[title][cell] = sum
		}
	}
	for title, h := range maps {
		h.At = func(x, y float64) (float64, bool) {
			v, ok := mean(sums[title][[2]float64{x, y}]).(float64)
			return v, ok
		}
	}
}
