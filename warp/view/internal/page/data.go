package page

import (
	"cmp"
	"fmt"
	"slices"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/timing"
	"example.com/warpsim/warp/view/internal/source"
	"example.com/warpsim/warp/view/internal/steps"
	"example.com/warpsim/warp/view/internal/tape"
)

// What the script of the page reads: one run.
type run struct {
	Title   string      `json:"title"`
	Device  string      `json:"device"`
	Lanes   int         `json:"lanes"`
	Facts   [][2]string `json:"facts"`
	Bound   string      `json:"bound"`
	Reasons []reason    `json:"reasons"` // the greatest first
	Names   []string    `json:"names"`   // of reasons, by number
	Faults  []fault     `json:"faults"`
	Sites   []site      `json:"sites"`
	Files   []file      `json:"files"`
	Sets    []string    `json:"sets"` // of threads, by number; 0 is none
	Warps   []warpSteps `json:"warps"`
	Lost    int64       `json:"lost"` // steps that were not kept
	Rows    []timeRow   `json:"rows"`
	Ops     []string    `json:"ops"`
	Loose   bool        `json:"loose"`
}

type reason struct {
	Name   string  `json:"name"`
	Cycles int64   `json:"cycles"`
	Share  float64 `json:"share"`
}

type fault struct {
	Text string `json:"text"`
	Warp int    `json:"warp"` // in Warps, -1: its steps were not kept
	Step int    `json:"step"`
}

type site struct {
	Place string `json:"place"`
	Text  string `json:"text"`
	File  int    `json:"file"` // in Files
	Line  int    `json:"line"`
}

type file struct {
	Name  string `json:"name"`
	Lines []line `json:"lines"`
}

type line struct {
	Number       int     `json:"n"`
	Text         string  `json:"t"`
	Gap          bool    `json:"g,omitempty"`
	Cycles       int64   `json:"c,omitempty"`
	Share        float64 `json:"s,omitempty"`
	Instructions int64   `json:"i,omitempty"`
	Mean         float64 `json:"l,omitempty"`
	Conflicts    int64   `json:"x,omitempty"`
	Mostly       string  `json:"m,omitempty"`
}

type warpSteps struct {
	Name  string `json:"name"`
	Steps []step `json:"steps"`
}

// A step's lanes are strings of a character a lane where that does: a active, u
// undefined, - not active; 1 and 0 for predicates and sets of lanes.
type step struct {
	Index     int64    `json:"i"`
	Text      string   `json:"op"`
	Site      int      `json:"at"`
	State     string   `json:"st"`
	Set       string   `json:"p,omitempty"`
	Mask      string   `json:"mask"`
	Values    []string `json:"v,omitempty"`
	Origins   []int    `json:"o,omitempty"`
	Sources   []int    `json:"f,omitempty"`
	Before    int      `json:"b"` // the step that wrote what a move reads, -1: none
	Addresses []uint64 `json:"a,omitempty"`
	Conflicts int      `json:"x,omitempty"`
	Cycle     int64    `json:"c"`
	Waited    int64    `json:"w,omitempty"`
	Reason    string   `json:"r,omitempty"`
}

// A timeRow is the instructions of a warp: cycle, op, site, and then pairs of reasons
// and cycles that it waited.
type timeRow struct {
	Name   string    `json:"name"`
	Warp   int       `json:"warp"` // in Warps, -1: none
	Issues [][]int64 `json:"q"`
}

// Bounds of the timeline of a page.
const (
	maxRows   = 64
	maxIssues = 40_000
)

// build makes the data of a run.
func build(t *tape.Tape, report *warp.Report, title string) *run {
	r := &run{
		Reasons: []reason{}, Faults: []fault{}, Files: []file{}, Warps: []warpSteps{}, Rows: []timeRow{}, Ops: []string{}, // none is no null
		Title: title, Device: report.Device, Lanes: t.Device.Lanes, Lost: t.LostSteps, Loose: t.Loose,
	}
	r.facts(t, report)
	for _, x := range timing.Reasons() {
		r.Names = append(r.Names, x.String())
	}
	r.source(t)
	r.steps(t)
	r.faults(t, report)
	r.timeline(t)
	return r
}

func (r *run) facts(t *tape.Tape, p *warp.Report) {
	fact := func(name, format string, args ...any) {
		r.Facts = append(r.Facts, [2]string{name, fmt.Sprintf(format, args...)})
	}
	fact("device", "%s, %d lanes", cmp.Or(p.Device, "none"), t.Device.Lanes)
	fact("launch", "%s blocks of %s threads", p.Launch.Blocks, p.Launch.Threads)
	if n := len(t.Launches); n > 1 {
		fact("launches", "%d", n)
	}
	fact("cycles", "%d", p.Cycles)
	if s := p.Seconds(); s > 0 {
		fact("time", "%.3g us", s*1e6)
	}
	mean, _ := p.ActiveLanes()
	fact("instructions", "%d, %.1f lanes active", p.Instructions, mean)
	fact("conflicts", "%d passes", p.ConflictPasses)
	fact("occupancy", "%.0f %%", 100*p.Occupancy())
	for _, x := range p.Reasons() {
		r.Reasons = append(r.Reasons, reason{x.Reason.String(), int64(x.Cycles), x.Share})
	}
	slices.SortStableFunc(r.Reasons, func(a, b reason) int { return cmp.Compare(b.Cycles, a.Cycles) })
	r.Bound = bound(r.Reasons, t)
	if b := p.Bound(); b.What != "" {
		r.Bound = fmt.Sprintf("Bound by %s. %s", b, r.Bound)
	}
}

// bound says in a sentence what most of the cycles of warps went into, and where.
func bound(reasons []reason, t *tape.Tape) string {
	i := slices.IndexFunc(reasons, func(r reason) bool {
		return r.Name != timing.Issued.String() && r.Name != timing.Finished.String()
	})
	if i < 0 {
		return "Nothing was waited for."
	}
	top := reasons[i]
	s := fmt.Sprintf("%.0f %% of the cycles of warps went into: %s", 100*top.Share, top.Name)
	which, _ := timing.ParseReason(top.Name)
	most, at := timing.Cycle(0), uint32(0)
	for k := range t.Rows {
		if n := t.Rows[k].Cycles.Of(which); n > most {
			most, at = n, t.Rows[k].Site
		}
	}
	if at != 0 {
		s += fmt.Sprintf(", most of them at %s", t.Sites[at])
	}
	return s + "."
}

func (r *run) source(t *tape.Tape) {
	all := timing.Cycle(0)
	for i := range t.Rows {
		all += t.Rows[i].Cycles.Total()
	}
	all += t.Rest.Total()
	fileOf := map[string]int{}
	for _, f := range source.Files(t) {
		out := file{Name: source.Short(f.Name)}
		for i := range f.Lines {
			l := &f.Lines[i]
			x := line{Number: l.Number, Text: l.Text, Gap: l.Gap, Cycles: int64(l.Cycles.Total()), Instructions: l.Instructions,
				Mean: l.Mean(), Conflicts: l.Conflicts, Mostly: l.Mostly()}
			if all > 0 {
				x.Share = float64(x.Cycles) / float64(all)
			}
			out.Lines = append(out.Lines, x)
		}
		fileOf[f.Name] = len(r.Files)
		r.Files = append(r.Files, out)
	}
	for _, s := range t.Sites {
		x := site{Place: s.String(), File: -1, Line: s.Line}
		if i, ok := fileOf[s.File]; ok {
			x.File = i
			k, found := slices.BinarySearchFunc(r.Files[i].Lines, s.Line, func(l line, n int) int { return l.Number - n })
			if found {
				x.Text = r.Files[i].Lines[k].Text
			}
		}
		r.Sites = append(r.Sites, x)
	}
}

func (r *run) steps(t *tape.Tape) {
	numbers := map[string]int{"": 0}
	r.Sets = []string{""}
	set := func(list []int) int {
		text := steps.List(list)
		n, known := numbers[text]
		if !known {
			n = len(r.Sets)
			numbers[text] = n
			r.Sets = append(r.Sets, text)
		}
		return n
	}
	for _, x := range steps.Warps(t) {
		w := warpSteps{Name: warpName(t, x.Launch, x.Block, x.Warp)}
		written := map[string]int{} // the step that wrote a register last
		for k, s := range x.Steps {
			o := stepOf(t, s, set)
			o.Before = -1
			if b, ok := written[s.Instr.A.String()]; ok && s.Sources != nil {
				o.Before = b
			}
			if s.Values != nil {
				written[s.Instr.Uncoded().Dst.String()] = k
			}
			w.Steps = append(w.Steps, o)
		}
		r.Warps = append(r.Warps, w)
	}
}

func warpName(t *tape.Tape, launch, block, warp int) string {
	name := fmt.Sprintf("block %d warp %d", block, warp)
	if len(t.Launches) > 1 {
		name = fmt.Sprintf("launch %d %s", launch, name)
	}
	return name
}

func stepOf(t *tape.Tape, s *tape.Step, set func([]int) int) step {
	lanes := t.Device.Lanes
	in := s.Instr.Uncoded()
	o := step{Index: s.Index, Text: in.String(), Site: int(s.Site), Conflicts: s.Conflicts,
		Cycle: int64(s.Cycle), Waited: int64(s.Waited), Mask: "0x" + s.Active.Hex(lanes)}
	if s.Waited > 0 {
		o.Reason = s.Reason.String()
	}
	state := make([]byte, lanes)
	bits := make([]byte, lanes)
	for l := range lanes {
		state[l], bits[l] = 'a', '0'
		switch {
		case !s.Active.Has(l):
			state[l] = '-'
		case s.Undef.Has(l):
			state[l] = 'u'
		}
		if s.Set.Has(l) {
			bits[l] = '1'
		}
	}
	o.State = string(state)
	if in.Dst.IsPredicate() || in.Dst.IsUniform() {
		o.Set = string(bits)
	}
	for l := range s.Values {
		o.Values = append(o.Values, steps.Value(s, l))
		if s.Origins != nil {
			o.Origins = append(o.Origins, set(steps.Set(t, s, l)))
		}
	}
	for _, from := range s.Sources {
		o.Sources = append(o.Sources, int(from))
	}
	o.Addresses = s.Addresses
	return o
}

// faults links each fault to the step at which it was found: the last one at its line
// among those of its warp, or the last one of all if it ended the kernel.
func (r *run) faults(t *tape.Tape, p *warp.Report) {
	warps := steps.Warps(t)
	add := func(f *warp.Fault) {
		out := fault{Text: f.Error(), Warp: -1}
		for i, x := range warps {
			if x.Block != f.Block || x.Warp != f.Warp {
				continue
			}
			out.Warp, out.Step = i, len(x.Steps)-1
			for k, s := range x.Steps {
				if t.Sites[s.Site] == f.Site {
					out.Step = k
					break
				}
			}
		}
		r.Faults = append(r.Faults, out)
	}
	for i := range p.Faults {
		add(&p.Faults[i])
	}
}

func (r *run) timeline(t *tape.Tape) {
	ops := map[string]int64{}
	at := map[[3]int]int{}
	kept := map[[3]int]int{}
	for i, x := range steps.Warps(t) {
		kept[[3]int{x.Launch, x.Block, x.Warp}] = i
	}
	mp := t.First()
	for n := range t.Issues {
		i := &t.Issues[n]
		if int(i.Multiprocessor) != mp || n >= maxIssues {
			continue
		}
		k := [3]int{int(i.Launch), int(i.Block), int(i.Warp)}
		row, known := at[k]
		if !known {
			if len(r.Rows) == maxRows {
				continue
			}
			row = len(r.Rows)
			at[k] = row
			w, ok := kept[k]
			if !ok {
				w = -1
			}
			r.Rows = append(r.Rows, timeRow{Name: warpName(t, k[0], k[1], k[2]), Warp: w})
		}
		name := i.Op.String()
		op, known := ops[name]
		if !known {
			op = int64(len(r.Ops))
			ops[name] = op
			r.Ops = append(r.Ops, name)
		}
		q := []int64{int64(i.Cycle), op, int64(i.Site), int64(i.Index)}
		for _, w := range t.WaitsOf(i) {
			q = append(q, int64(w.Reason), int64(w.Cycles))
		}
		r.Rows[row].Issues = append(r.Rows[row].Issues, q)
	}
}
