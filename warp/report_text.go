package warp

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/timing"
)

// maxTextRows bounds the lines of a table in the text of a report.
const maxTextRows = 20

// String returns the report as text for people, in several lines with a newline
// at the end: what the run took, and what its cycles went into by reason, by
// operation and by source line, the greatest first. The text of a source line is
// read from its file, and left out if that cannot be read. Long tables are cut;
// the rows that String leaves out are in Ops and Lines.
func (p *Report) String() string {
	var b strings.Builder
	p.writeSummary(&b)
	p.writeReasons(&b)
	p.writeOps(&b)
	p.writeLines(&b)
	for i := range p.Faults {
		if i == 0 {
			fmt.Fprintf(&b, "\nfaults: %d\n", len(p.Faults))
		}
		fmt.Fprintf(&b, "  %s\n", p.Faults[i].Error())
	}
	return b.String()
}

func (p *Report) writeSummary(b *strings.Builder) {
	fmt.Fprintf(b, "%s: %s blocks of %s threads", p.Device, p.Launch.Blocks, p.Launch.Threads)
	if n := len(p.launches); n > 1 {
		fmt.Fprintf(b, ", and %d launches more", n-1)
	}
	b.WriteString("\n")
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	if s := p.Seconds(); p.Cycles > 0 {
		fmt.Fprintf(t, "  cycles\t%s", digits(int64(p.Cycles)))
		if s > 0 {
			fmt.Fprintf(t, ", %.3g us at %d MHz", s*1e6, p.clockMHz)
		}
		fmt.Fprintln(t)
	}
	mean, of := p.ActiveLanes()
	fmt.Fprintf(t, "  instructions\t%s, %.1f of %d lanes active on average\n", digits(p.Instructions), mean, of)
	if p.PerLane {
		fmt.Fprintf(t, "  booked\t%s of these; Go in kernels per lane that books nothing is free\n", digits(p.Booked))
	}
	if len(p.launches) > 0 {
		fmt.Fprintf(t, "  occupancy\t%.1f %%, %d blocks share a multiprocessor\n", 100*p.Occupancy(), p.Resident)
	}
	if s := p.BlockStats(); s.Blocks > 1 {
		fmt.Fprintf(t, "  blocks\t%s to %s cycles, half of them %s to %s, median %s, the slowest is block %d",
			digits(int64(s.Fastest)), digits(int64(s.Slowest)), digits(int64(s.LowerQuartile)), digits(int64(s.UpperQuartile)),
			digits(int64(s.Median)), s.SlowestBlock)
		if len(p.launches) > 1 {
			fmt.Fprintf(t, " of launch %d", s.SlowestLaunch)
		}
		fmt.Fprintln(t)
	}
	if b := p.Bound(); b.What != "" {
		fmt.Fprintf(t, "  bound by\t%s\n", b)
	}
	fmt.Fprintf(t, "  conflicts\t%s passes and turns beyond those without conflict\n", digits(p.ConflictPasses))
	fmt.Fprintf(t, "  evidence\t%s\n", p.Evidence())
	numbers := p.evidence()
	var guessed []string
	for _, path := range slices.Sorted(maps.Keys(numbers)) {
		if s := numbers[path]; s == device.Estimated || s == 0 {
			guessed = append(guessed, path)
		}
	}
	if n := len(guessed); n > 0 {
		more := ""
		if n > maxTextRows {
			guessed, more = guessed[:maxTextRows], fmt.Sprintf(" and %d more", n-maxTextRows)
		}
		fmt.Fprintf(t, "  estimated\t%s%s\n", strings.Join(guessed, ", "), more)
	}
	t.Flush()
}

func (p *Report) writeReasons(b *strings.Builder) {
	rows := p.Reasons()
	if len(rows) == 0 {
		return
	}
	slices.SortStableFunc(rows, func(x, y ReasonRow) int { return cmp.Compare(y.Cycles, x.Cycles) })
	t := table(b, "what the warps did", "cycles of all warps", "")
	for _, r := range rows {
		fmt.Fprintf(t, "  %s\t%s\t%5.1f %%\t\n", r.Reason, digits(int64(r.Cycles)), 100*r.Share)
	}
	t.Flush()
}

func (p *Report) writeOps(b *strings.Builder) {
	rows := p.Ops()
	if len(rows) == 0 {
		return
	}
	slices.SortStableFunc(rows, func(x, y OpRow) int {
		return cmp.Or(cmp.Compare(y.Cycles, x.Cycles), cmp.Compare(y.Instructions, x.Instructions))
	})
	t := table(b, "operation", "instructions", "held up warps")
	for i, r := range rows {
		if i == maxTextRows {
			fmt.Fprintf(t, "  and %d more\t\t\t\n", len(rows)-i)
			break
		}
		fmt.Fprintf(t, "  %s\t%s\t%s\t\n", r.Op, digits(r.Instructions), digits(int64(r.Cycles)))
	}
	t.Flush()
}

func (p *Report) writeLines(b *strings.Builder) {
	var rows []LineRow
	for _, r := range p.Lines() {
		if n := len(rows) - 1; n >= 0 && rows[n].Site.File == r.Site.File && rows[n].Site.Line == r.Site.Line {
			rows[n].add(&r) // functions of one line
		} else if r.Instructions > 0 {
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 {
		return
	}
	slices.SortStableFunc(rows, func(x, y LineRow) int { return cmp.Compare(y.Cycles.Total(), x.Cycles.Total()) })
	left := max(0, len(rows)-maxTextRows)
	rows = rows[:len(rows)-left]
	sources := map[string][]string{}
	t := table(b, "source line", "instructions", "lanes", "held up warps", "mostly by", "  text")
	for _, r := range rows {
		fmt.Fprintf(t, "  %s\t%s\t%.1f\t%s\t%s\t  %s\n", r.Site, digits(r.Instructions), float64(r.ThreadInstructions)/float64(r.Instructions),
			digits(int64(r.Cycles.Total())), mostly(&r.Cycles), lineText(sources, r.Site))
	}
	if left > 0 {
		fmt.Fprintf(t, "  and %d more\t\t\t\t\t\n", left)
	}
	t.Flush()
}

// table begins a table with its first line.
func table(b *strings.Builder, heads ...string) *tabwriter.Writer {
	b.WriteString("\n")
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	for i, h := range heads {
		if i == 0 {
			h = "  " + h
		}
		end := "\t"
		if strings.HasPrefix(h, "  text") {
			end = ""
		}
		fmt.Fprint(t, h+end)
	}
	fmt.Fprintln(t)
	return t
}

// mostly returns the reason with the most cycles, issuing left aside.
func mostly(c *timing.Cycles) string {
	most, name := timing.Cycle(0), "-"
	for r, n := range c.All() {
		if r != timing.Issued && n > most {
			most, name = n, r.String()
		}
	}
	return name
}

// lineText returns a source line as it stands in its file, "" if there is none.
func lineText(sources map[string][]string, s Site) string {
	lines, read := sources[s.File]
	if !read {
		if text, err := os.ReadFile(s.File); err == nil {
			lines = strings.Split(string(text), "\n")
		}
		sources[s.File] = lines
	}
	if s.Line < 1 || s.Line > len(lines) {
		return ""
	}
	return strings.TrimSpace(lines[s.Line-1])
}

// digits returns a number with its thousands apart.
func digits(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
