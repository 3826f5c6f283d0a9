package picture

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"example.com/warpsim/warp/timing"
	"example.com/warpsim/warp/view/internal/tape"
)

// Rows of a timeline, and how wide it is.
const (
	maxTimelineWarps = 32
	maxTimelinePipes = 24
	timelineWidth    = 1200.0
)

// fills are those of the reasons.
var fills = [...]string{
	timing.Issued: "#000", timing.Control: hatch(4), timing.Barrier: hatch(1), timing.Dependency: hatch(0), timing.Memory: hatch(2),
	timing.BankConflict: hatch(6), timing.PortBusy: hatch(5), timing.PipeBusy: hatch(3), timing.NotSelected: hatch(7),
	timing.Drained: "#eee", timing.Finished: "#ccc",
}

type warpRow struct {
	launch, block, warp int
	mp                  int
	issues              []*tape.Issue
}

// Timeline draws when the warps of a multiprocessor issued and what they waited for,
// and when its pipes were taken.
func Timeline(w io.Writer, t *tape.Tape, title string) error {
	c := &Canvas{}
	c.styled(8, 20, 14, start, `font-weight="bold"`, title)
	rows, cutRows := warpRows(t)
	if len(rows) == 0 {
		c.text(8, 44, 11, start, "No instruction was kept with its time.")
		return c.write(w, title)
	}
	last := timing.Cycle(0)
	for i := range rows {
		for _, x := range rows[i].issues {
			last = max(last, x.Cycle+timing.Cycle(max(x.Free, 1)))
		}
	}
	const left = 200.0
	scale := timelineWidth / float64(max(last, 1))
	y := legend(c, rows, t, 34)
	axis(c, left, y, scale, last)
	y += 22
	for i := range rows {
		r := &rows[i]
		c.text(left-8, y+11, 10, end, fmt.Sprintf("block %d warp %d", r.block, r.warp))
		timelineRow(c, t, r, left, y, scale)
		y += 18
	}
	if cutRows > 0 {
		c.text(left, y+12, 10, start, fmt.Sprintf("and %d warps more", cutRows))
		y += 18
	}
	y += 10
	for _, p := range pipeRows(t, rows) {
		c.text(left-8, y+10, 9, end, p.name)
		columns := map[int]bool{}
		for _, i := range p.issues {
			from := left + float64(i.Cycle+timing.Cycle(i.Start))*scale
			width := max(float64(i.Free-i.Start)*scale, 0.4)
			k := int(from * 2)
			if width < 0.5 && columns[k] {
				continue
			}
			columns[k] = true
			c.rect(from, y, width, 12, "#000", fmt.Sprintf("%s, cycles %d to %d", i.Op, i.Cycle+timing.Cycle(i.Start), i.Cycle+timing.Cycle(i.Free)))
		}
		c.line(left, y+13, left+timelineWidth, y+13, `stroke="#bbb" stroke-width="0.5"`)
		y += 16
	}
	if t.LostIssues > 0 {
		c.text(left, y+12, 10, start, fmt.Sprintf("%d instructions more were not kept", t.LostIssues))
	}
	return c.write(w, title)
}

// timelineRow draws one warp.
func timelineRow(c *Canvas, t *tape.Tape, r *warpRow, left, y, scale float64) {
	column := -1
	for _, i := range r.issues {
		at := i.Cycle
		waits := t.WaitsOf(i)
		for _, w := range waits {
			at -= w.Cycles
		}
		for _, w := range waits {
			if width := float64(w.Cycles) * scale; width >= 0.7 {
				c.rect(left+float64(at)*scale, y, width, 14, fills[w.Reason], fmt.Sprintf("%s for %d cycles before %s, %s", w.Reason, w.Cycles, i.Op, t.Sites[i.Site]))
			}
			at += w.Cycles
		}
		x := left + float64(i.Cycle)*scale
		if k := int(x * 2); k != column { // one mark in half a pixel
			column = k
			c.rect(x, y-1, max(scale, 0.8), 16, "#000", fmt.Sprintf("%s at cycle %d, %s", i.Op, i.Cycle, t.Sites[i.Site]))
		}
	}
}

// legend draws the reasons that occur and returns where it ends.
func legend(c *Canvas, rows []warpRow, t *tape.Tape, y float64) float64 {
	var used [len(fills)]bool
	used[timing.Issued] = true
	for i := range rows {
		for _, x := range rows[i].issues {
			for _, w := range t.WaitsOf(x) {
				used[w.Reason] = true
			}
		}
	}
	x := 8.0
	for r, on := range used {
		if !on {
			continue
		}
		name := timing.Reason(r).String()
		if r > 0 {
			name = "waits: " + name
		}
		if x+textWidth(name, 10)+40 > 1380 {
			x, y = 8, y+18
		}
		c.framed(x, y, 16, 11, fills[r], "")
		c.text(x+20, y+9, 10, start, name)
		x += textWidth(name, 10) + 40
	}
	return y + 26
}

// axis draws the cycles.
func axis(c *Canvas, left, y, scale float64, last timing.Cycle) {
	step := tick(float64(last) / 10)
	c.text(left-8, y+10, 10, end, "cycle")
	for at := 0.0; at <= float64(last); at += step {
		x := left + at*scale
		c.text(x, y+10, 10, middle, fmt.Sprintf("%.0f", at))
		c.line(x, y+13, x, y+18, `stroke="#000" stroke-width="0.8"`)
	}
	c.line(left, y+18, left+timelineWidth, y+18, `stroke="#000" stroke-width="0.8"`)
}

// tick returns a round number not far above x, at least 1.
func tick(x float64) float64 {
	x = max(x, 1)
	p := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range []float64{1, 2, 5, 10} {
		if m*p >= x {
			return m * p
		}
	}
	return 10 * p
}

// warpRows returns the first warps of the first multiprocessor, and how many were left
// out.
func warpRows(t *tape.Tape) ([]warpRow, int) {
	var rows []warpRow
	at := map[[3]int]int{}
	left := map[[3]int]bool{}
	mp := t.First()
	for i := range t.Issues {
		x := &t.Issues[i]
		if int(x.Multiprocessor) != mp {
			continue
		}
		k := [3]int{int(x.Launch), int(x.Block), int(x.Warp)}
		n, known := at[k]
		if !known {
			if len(rows) == maxTimelineWarps {
				left[k] = true
				continue
			}
			n = len(rows)
			at[k] = n
			rows = append(rows, warpRow{launch: k[0], block: k[1], warp: k[2], mp: int(x.Multiprocessor)})
		}
		rows[n].issues = append(rows[n].issues, x)
	}
	slices.SortFunc(rows, func(a, b warpRow) int {
		return slices.Compare([]int{a.launch, a.block, a.warp}, []int{b.launch, b.block, b.warp})
	})
	return rows, len(left)
}

type pipeRow struct {
	name   string
	issues []*tape.Issue
}

// pipeRows returns the pipes that the issues of a timeline take.
func pipeRows(t *tape.Tape, rows []warpRow) []pipeRow {
	var pipes []pipeRow
	at := map[string]int{}
	for i := range rows {
		for _, x := range rows[i].issues {
			p := t.Device.Timing.Ops[x.Op.String()].Pipe
			if p == "" {
				continue
			}
			name := fmt.Sprintf("partition %d %s", x.Sub, p)
			k, known := at[name]
			if !known {
				k = len(pipes)
				at[name] = k
				pipes = append(pipes, pipeRow{name: name})
			}
			pipes[k].issues = append(pipes[k].issues, x)
		}
	}
	slices.SortFunc(pipes, func(a, b pipeRow) int { return strings.Compare(a.name, b.name) })
	return pipes[:min(len(pipes), maxTimelinePipes)]
}
