package view

import (
	"fmt"
	"io"

	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/view/internal/picture"
)

// A Chart is points over two axes: cycles of algorithms over sizes or devices,
// simulated against measured times, a roofline.
type Chart struct {
	Title string
	X, Y  string // what the axes count, with the unit
	// LogX and LogY make the axes logarithmic: points that are not positive are left
	// out then, and infinite ones and NaN always.
	LogX, LogY bool
	Diagonal   bool // draws the line on which X and Y are equal
	Series     []Series
}

// A Series is points of one name: as many as X and Y both have.
type Series struct {
	Name   string
	X, Y   []float64
	Joined bool     // by a line
	Labels []string // beside the points, where there is room; nil is none
}

// WriteSVG writes the chart as SVG. Series are told apart by marks and dashes, not by
// colour.
func (c *Chart) WriteSVG(w io.Writer) error {
	if c == nil {
		c = new(Chart)
	}
	p := picture.Chart{Title: c.Title, X: c.X, Y: c.Y, LogX: c.LogX, LogY: c.LogY, Diagonal: c.Diagonal}
	for _, s := range c.Series {
		p.Series = append(p.Series, picture.Series(s))
	}
	return written(w, func() error { return p.Write(w) })
}

// Roofline returns a chart of how much the runs computed for each byte of main memory,
// against what the device can: operations of lanes a cycle over bytes, with one point
// for all runs together. Selects, conversions and moves are no operations. The roof is as high as the arithmetic pipes of all
// multiprocessors are wide, and its slope is the rate of main memory, if the profile
// has them. A run that moved no byte of main memory, or computed nothing, has no point.
func (r *Recording) Roofline() Chart {
	t, report := r.kept(), r.Report()
	p := t.Device
	c := Chart{Title: r.title() + ": roofline", X: "operations of lanes for each byte of main memory", Y: "operations of lanes a cycle", LogX: true, LogY: true}
	var done float64
	for i := range t.Rows {
		if row := &t.Rows[i]; computes(row.Op) {
			done += float64(row.Lanes)
		}
	}
	bytes := float64(report.Memory.MainReadSectors+report.Memory.MainWriteSectors) * float64(p.Memory.SectorBytes)
	intensity := done / bytes
	peak, rate := float64(peakOf(p)), mainRate(p)
	if rate > 0 && peak > 0 {
		ridge := peak / rate
		low, high := ridge/1000, ridge*100
		if bytes > 0 && done > 0 {
			low, high = min(low, intensity/4), max(high, intensity*4)
		}
		c.Series = append(c.Series, Series{Name: fmt.Sprintf("%s: %.0f operations, %.0f bytes a cycle", p.Name, peak, rate),
			X: []float64{low, ridge, high}, Y: []float64{low * rate, peak, peak}, Joined: true})
	}
	if bytes > 0 && done > 0 && report.Cycles > 0 {
		c.Series = append(c.Series, Series{Name: "this run", X: []float64{intensity}, Y: []float64{done / float64(report.Cycles)},
			Labels: []string{fmt.Sprintf("%.3g a byte, %.3g a cycle", intensity, done/float64(report.Cycles))}})
	}
	return c
}

// computes reports whether an operation is arithmetic on numbers, atomics among them.
func computes(op isa.Op) bool {
	switch op {
	case isa.AtomicShared, isa.AtomicSharedLoop, isa.AtomicGlobal, isa.ReduceGlobal:
		return true
	}
	return op >= isa.IAdd && op <= isa.Special && op != isa.Select && op != isa.Convert
}

// peakOf returns how many lanes of arithmetic the device takes a cycle in its widest
// pipe.
func peakOf(p *device.Profile) int {
	most := 0
	for name, op := range p.Timing.Ops {
		if o, ok := isa.ParseOp(name); ok && o.Computes() && computes(o) {
			most = max(most, p.Timing.Pipes[op.Pipe].Lanes)
		}
	}
	return most * p.Timing.SubPartitions * p.Limits.Multiprocessors
}

// mainRate returns how many bytes a cycle main memory moves, 0 if the profile does not
// say.
func mainRate(p *device.Profile) float64 {
	g := p.Timing.Global
	switch {
	case g == nil:
		return 0
	case g.Main != nil && g.Main.ReadCycles > 0:
		return float64(g.Main.Channels) / g.Main.ReadCycles * float64(p.Memory.SectorBytes)
	case g.DRAM.SectorCycles > 0:
		return float64(p.Limits.Multiprocessors) / g.DRAM.SectorCycles * float64(p.Memory.SectorBytes)
	}
	return 0
}
