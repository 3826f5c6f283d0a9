package warp

import (
	"encoding/json"
	"fmt"
	"slices"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/memory"
	"example.com/warpsim/warp/timing"
)

// reportFormat is the number of the form in which reports are written. A reader
// refuses greater ones.
const reportFormat = 1

// reportUnits says, in the file, what its numbers count.
var reportUnits = map[string]string{
	"cycles":             "cycles of the multiprocessor's clock",
	"warpCycles":         "cycles, added up over warps",
	"instructions":       "instructions of warps",
	"threadInstructions": "active lanes, added up over instructions",
	"conflictPasses":     "passes through shared memory and turns of atomics beyond those without conflict",
	"bookedInstructions": "instructions that kernels per lane have booked for Go between their calls",
	"clock":              "MHz",
	"shared":             "bytes a block",
}

type jsonReport struct {
	Format             int               `json:"format"`
	Units              map[string]string `json:"units"`
	Device             string            `json:"device"`
	Lanes              int               `json:"lanes"`
	Clock              int               `json:"clock"`
	Instructions       int64             `json:"instructions"`
	ThreadInstructions int64             `json:"threadInstructions"`
	Cycles             timing.Cycle      `json:"cycles"`
	ConflictPasses     int64             `json:"conflictPasses"`
	PerLane            bool              `json:"perLane,omitempty"`
	Booked             int64             `json:"bookedInstructions,omitempty"`
	Memory             memory.Counts     `json:"memory"`
	Launches           []jsonLaunch      `json:"launches"`
	Reasons            []jsonReason      `json:"reasons"`
	Operations         []jsonOp          `json:"operations"`
	Lines              []jsonLine        `json:"lines,omitempty"`
	Blocks             []jsonBlocks      `json:"blocks,omitempty"`
	Faults             []*Fault          `json:"faults,omitempty"`
	Schedule           []jsonStep        `json:"schedule,omitempty"`
	// Evidence has the paths of the profile's numbers by how they are known.
	Evidence map[string][]string `json:"evidence,omitempty"`
}

type jsonLaunch struct {
	Blocks       device.Dim   `json:"blocks"`
	Threads      device.Dim   `json:"threads"`
	Shared       int          `json:"shared"`
	Declared     int          `json:"declaredShared"`
	Resident     int          `json:"residentBlocks"`
	Warps        int          `json:"warpsPerBlock"`
	MostWarps    int          `json:"warpsPerMultiprocessor"`
	Instructions int64        `json:"instructions"`
	Cycles       timing.Cycle `json:"cycles"`
	Bound        *jsonBound   `json:"bound,omitempty"`
}

type jsonBound struct {
	What   string  `json:"what"`
	Share  float64 `json:"share"`
	Detail string  `json:"detail,omitempty"`
}

type jsonReason struct {
	Reason string       `json:"reason"`
	Cycles timing.Cycle `json:"warpCycles"`
}

type jsonOp struct {
	Op           string       `json:"operation"`
	Instructions int64        `json:"instructions"`
	Cycles       timing.Cycle `json:"warpCycles"`
}

type jsonSite struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Func string `json:"func,omitempty"`
}

type jsonLine struct {
	jsonSite
	Instructions       int64        `json:"instructions"`
	ThreadInstructions int64        `json:"threadInstructions"`
	Reasons            []jsonReason `json:"reasons"`
}

type jsonBlocks struct {
	Launch int          `json:"launch"`
	Cycles timing.Cycle `json:"cycles"`
	Blocks int          `json:"blocks"`
	First  int          `json:"first"`
}

type jsonStep struct {
	Block    int      `json:"block"`
	Warp     int      `json:"warp"`
	Accesses int      `json:"accesses"`
	Until    string   `json:"until"`
	Lanes    string   `json:"lanes,omitempty"`
	Site     jsonSite `json:"site,omitzero"`
}

// jsonBoundOf is nil for a bound that is not known.
func jsonBoundOf(b Bound) *jsonBound {
	if b.What == "" {
		return nil
	}
	return &jsonBound{b.What, b.Share, b.Detail}
}

func (b *jsonBound) bound() Bound {
	if b == nil {
		return Bound{}
	}
	return Bound{b.What, b.Share, b.Detail}
}

// unsourced stands for numbers whose source is not known.
const unsourced = "unsourced"

func jsonReasons(c *timing.Cycles) []jsonReason {
	rows := []jsonReason{}
	for r, n := range c.All() {
		rows = append(rows, jsonReason{r.String(), n})
	}
	return rows
}

// MarshalJSON returns the report as an object with the names of devices,
// operations and reasons, the tables as lists of rows, and an object "units" that
// says what the numbers count. "format" is 1; later versions of this library read
// it too.
func (p *Report) MarshalJSON() ([]byte, error) {
	o := jsonReport{
		Format: reportFormat, Units: reportUnits, Device: p.Device, Lanes: p.lanes, Clock: p.clockMHz,
		Instructions: p.Instructions, ThreadInstructions: p.ThreadInstructions,
		Cycles: p.Cycles, ConflictPasses: p.ConflictPasses, PerLane: p.PerLane, Booked: p.Booked, Memory: p.Memory, Reasons: jsonReasons(&p.waits),
	}
	for _, l := range p.launches {
		o.Launches = append(o.Launches, jsonLaunch{l.Launch.Blocks, l.Launch.Threads, l.Launch.Shared,
			l.Shared, l.Resident, l.Warps, l.MostWarps, l.Instructions, l.Cycles, jsonBoundOf(l.Bound)})
	}
	for _, r := range p.Ops() {
		o.Operations = append(o.Operations, jsonOp{r.Op.String(), r.Instructions, r.Cycles})
	}
	for _, l := range p.Lines() {
		o.Lines = append(o.Lines, jsonLine{jsonSite(l.Site), l.Instructions, l.ThreadInstructions, jsonReasons(&l.Cycles)})
	}
	for _, b := range p.blocks {
		o.Blocks = append(o.Blocks, jsonBlocks(b))
	}
	for i := range p.Faults {
		o.Faults = append(o.Faults, &p.Faults[i])
	}
	for _, s := range p.Schedule {
		step := jsonStep{s.Block, s.Warp, s.Accesses, s.Until, "", jsonSite(s.Site)}
		if !s.Lanes.Empty() {
			step.Lanes = "0x" + s.Lanes.Hex(p.lanes)
		}
		o.Schedule = append(o.Schedule, step)
	}
	o.Evidence = map[string][]string{}
	for path, status := range p.evidence() {
		name := unsourced
		if status != 0 {
			name = status.String()
		}
		o.Evidence[name] = append(o.Evidence[name], path)
	}
	for _, paths := range o.Evidence {
		slices.Sort(paths)
	}
	return json.Marshal(o)
}

// UnmarshalJSON reads what MarshalJSON has written. What is not a report, a format
// that this version does not know, and names of operations or reasons that it does
// not have are errors; p is unchanged then.
func (p *Report) UnmarshalJSON(data []byte) error {
	var o jsonReport
	if err := json.Unmarshal(data, &o); err != nil {
		return fmt.Errorf("warp: report: %w", err)
	}
	if o.Format < 1 || o.Format > reportFormat {
		return fmt.Errorf("warp: report: format %d, and this version reads 1 to %d", o.Format, reportFormat)
	}
	r := Report{
		Device: o.Device, Instructions: o.Instructions, ThreadInstructions: o.ThreadInstructions,
		Cycles: o.Cycles, ConflictPasses: o.ConflictPasses, PerLane: o.PerLane, Booked: o.Booked, Memory: o.Memory, lanes: o.Lanes, clockMHz: o.Clock,
	}
	for i, l := range o.Launches {
		launch := Launch{Blocks: l.Blocks, Threads: l.Threads, Shared: l.Shared}
		if i == 0 {
			r.Launch, r.Resident = launch, l.Resident
		}
		r.launches = append(r.launches, LaunchRow{launch, l.Declared, l.Resident, l.Warps, l.MostWarps, l.Instructions, l.Cycles, l.Bound.bound()})
	}
	var err error
	if r.waits, err = readReasons(o.Reasons); err != nil {
		return err
	}
	for _, x := range o.Operations {
		op, ok := isa.ParseOp(x.Op)
		if !ok {
			return fmt.Errorf("warp: report: no operation %q", x.Op)
		}
		r.ops[op] = timing.OpTotals{Count: x.Instructions, Cycles: x.Cycles}
	}
	for i, l := range o.Lines {
		if i == 0 {
			r.sites, r.bySite = []Site{{}}, make([]timing.SiteTotals, 1)
		}
		c, err := readReasons(l.Reasons)
		if err != nil {
			return err
		}
		r.sites = append(r.sites, Site(l.jsonSite))
		r.bySite = append(r.bySite, timing.SiteTotals{Count: l.Instructions, Lanes: l.ThreadInstructions, Cycles: c})
	}
	for _, b := range o.Blocks {
		r.blocks = append(r.blocks, BlockRow(b))
	}
	for _, f := range o.Faults {
		r.Faults = append(r.Faults, *f)
	}
	for _, s := range o.Schedule {
		step := ScheduleStep{Block: s.Block, Warp: s.Warp, Accesses: s.Accesses, Until: s.Until, Site: Site(s.Site)}
		if s.Lanes != "" {
			if step.Lanes, err = lane.ParseMask(s.Lanes, lane.MaxLanes); err != nil {
				return fmt.Errorf("warp: report: %w", err)
			}
		}
		r.Schedule = append(r.Schedule, step)
	}
	r.numbers = map[string]device.Status{}
	for name, paths := range o.Evidence {
		var status device.Status
		if name != unsourced {
			if err := status.UnmarshalText([]byte(name)); err != nil {
				return fmt.Errorf("warp: report: evidence: %w", err)
			}
		}
		for _, path := range paths {
			r.numbers[path] = status
		}
	}
	*p = r
	return nil
}

func readReasons(rows []jsonReason) (timing.Cycles, error) {
	var c timing.Cycles
	for _, x := range rows {
		r, ok := timing.ParseReason(x.Reason)
		if !ok {
			return c, fmt.Errorf("warp: report: no reason %q", x.Reason)
		}
		c.Count(r, x.Cycles)
	}
	return c, nil
}
