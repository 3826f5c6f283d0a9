package warp

import (
	"cmp"
	"slices"

	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/memory"
	"example.com/warpsim/warp/timing"
)

// A Report says what a run cost. All figures are exact results of the
// simulation: the same on every machine.
//
// The tables, by operation, reason, source line, block and launch, are methods
// that return rows: [Report.Ops], [Report.Reasons], [Report.Lines],
// [Report.Blocks] and [Report.Launches]. [Report.Add] adds up the reports of
// several launches. A Report prints itself, and can be written and read as JSON;
// [WriteCSV] writes its tables.
type Report struct {
	Device string
	Launch Launch // the first, if several were added up

	// Instructions counts warp instructions, ThreadInstructions the lanes that
	// were active, added up over them.
	Instructions       int64
	ThreadInstructions int64

	// Cycles is the time from the start of the first block to the end of the
	// last. Up to Resident blocks share a multiprocessor. 0 if the run was
	// ValuesOnly. Launches that were added up follow each other.
	Cycles   timing.Cycle
	Resident int // of the first launch
	// Memory counts what went on in global memory.
	Memory memory.Counts

	// ConflictPasses counts the passes through shared memory, and the turns of
	// conflicting atomics, beyond those of an access of the same lanes without
	// conflict.
	ConflictPasses int64

	// PerLane says that kernels ran whose threads are scalar Go (package intrinsics).
	// Go between their calls of the library costs nothing; Booked is how many of the
	// Instructions stand for it: arithmetic of functions that compute and book, and of
	// intrinsics.Thread.Work. With too few of them Cycles are too few.
	PerLane bool
	Booked  int64

	// Faults are the faults of the run, the one that ended it among them: one
	// entry a kind and source line, which tells of the first that happened, in
	// the order of block, warp and place.
	Faults []Fault

	// Schedule is which warp ran when, if Config.Seed chose it: the first steps
	// of a long one.
	Schedule []ScheduleStep

	lanes    int // of a warp
	clockMHz int
	ops      [isa.NumOps]timing.OpTotals
	waits    timing.Cycles
	sites    []Site // by number, 0 unknown
	bySite   []timing.SiteTotals
	blocks   []BlockRow
	launches []LaunchRow
	profile  *device.Profile // nil: numbers is what was read
	numbers  map[string]device.Status
	one      [1]LaunchRow // where launches begin
}

// An OpRow is the totals of one operation.
type OpRow struct {
	Op           isa.Op
	Instructions int64
	// Cycles is how long warps were held up by it: the time from the issue of
	// the instruction before to the issue of this one.
	Cycles timing.Cycle
}

// A ReasonRow is what warps spent on one reason.
type ReasonRow struct {
	Reason timing.Reason
	Cycles timing.Cycle // of all warps
	Share  float64      // of the cycles of all warps
}

// A LineRow is the totals of one line of the kernel's source.
type LineRow struct {
	Site               Site
	Instructions       int64
	ThreadInstructions int64         // active lanes, added up over them
	Cycles             timing.Cycles // of all warps, by reason
}

func (l *LineRow) add(o *LineRow) {
	l.Instructions += o.Instructions
	l.ThreadInstructions += o.ThreadInstructions
	l.Cycles.Add(&o.Cycles)
}

// A BlockRow is the blocks of a launch that took one and the same time.
type BlockRow struct {
	Launch int // in Launches
	Cycles timing.Cycle
	Blocks int // how many
	First  int // the first of them, by its number in the grid
}

// A LaunchRow is one launch.
type LaunchRow struct {
	Launch       Launch
	Shared       int // bytes of shared memory that a block declared
	Resident     int // blocks that share a multiprocessor
	Warps        int // of a block
	MostWarps    int // that a multiprocessor has room for
	Instructions int64
	Cycles       timing.Cycle
	Bound        Bound
}

// Occupancy is which part of the warps that a multiprocessor has room for the
// launch puts there.
func (l LaunchRow) Occupancy() float64 {
	if l.MostWarps == 0 {
		return 0
	}
	return float64(l.Resident*l.Warps) / float64(l.MostWarps)
}

// fill completes a report.
func (r *run) fill(p *Report) {
	t := &r.totals
	profile := r.engine.profile
	p.lanes, p.clockMHz, p.profile = profile.Lanes, profile.Limits.ClockMHz, profile
	if c := r.clock; c != nil && c.begun {
		t.time, t.bySite = c.grid.Totals(), c.grid.Sites()
		p.Cycles, p.Memory = c.grid.Cycles(), c.grid.Memory()
		for _, b := range c.grid.Blocks() {
			t.blocks.add(b.Cycles, 1, b.Block)
		}
	}
	p.Instructions, p.ThreadInstructions = t.instructions, t.lanes
	for op, n := range t.byOp {
		p.ops[op] = timing.OpTotals{Count: n, Cycles: t.time.Op(isa.Op(op)).Cycles}
	}
	p.waits = t.time.Cycles
	p.ConflictPasses = t.conflicts
	p.PerLane, p.Booked = t.booked.perLane, t.booked.instructions
	p.Resident = r.resident
	p.Schedule = r.schedule
	p.Faults = r.faults.list
	sortFaults(p.Faults)
	if len(r.sites) > 1 {
		if r.engine.config.Observer == nil {
			r.orderSites()
		}
		p.sites, p.bySite = r.sites, t.bySite
	}
	p.blocks = t.blocks.rows()
	p.one[0] = LaunchRow{r.launch, t.shared, r.resident, r.warps, profile.Limits.WarpsPerMultiprocessor, p.Instructions, p.Cycles, Bound{}}
	if c := r.clock; c != nil && c.begun && r.err == nil {
		p.one[0].Bound = r.bound()
	}
	p.launches = p.one[:]
}

func sortFaults(faults []Fault) {
	slices.SortStableFunc(faults, func(a, b Fault) int {
		return cmp.Or(a.Block-b.Block, a.Warp-b.Warp, a.Site.compare(b.Site), int(a.Kind)-int(b.Kind))
	})
}

// Count returns how many instructions of an op were executed.
func (p *Report) Count(op isa.Op) int64 {
	if op >= isa.NumOps {
		return 0
	}
	return p.ops[op].Count
}

// Ops returns the operations that were executed, in the order of their numbers, and
// those that only stand for addresses (see Config.Order), with 0 instructions.
func (p *Report) Ops() []OpRow {
	var rows []OpRow
	for op, o := range p.ops {
		if o.Count > 0 || o.Cycles > 0 {
			rows = append(rows, OpRow{isa.Op(op), o.Count, o.Cycles})
		}
	}
	return rows
}

// Waits returns what the cycles of all warps went into, by reason. Their sum is
// the sum over all blocks of warps times the cycles for which the block had its place,
// which are those of Blocks and what its stores and reductions took longer.
func (p *Report) Waits() timing.Cycles { return p.waits }

// Reasons returns what the cycles of all warps went into, the reasons with none
// left out.
func (p *Report) Reasons() []ReasonRow {
	var rows []ReasonRow
	all := p.waits.Total()
	for reason, n := range p.waits.All() {
		rows = append(rows, ReasonRow{reason, n, float64(n) / float64(all)})
	}
	return rows
}

// Lines returns the lines of the kernel's source, if Config.Sites asked for them,
// in the order of file and line; with an observer, in that of their first
// instruction. Waiting behind a warp's last instruction has no line. A run that
// was ValuesOnly counts nothing by line.
func (p *Report) Lines() []LineRow {
	var rows []LineRow
	for i, s := range p.sites {
		if i == 0 {
			continue
		}
		row := LineRow{Site: s}
		if i < len(p.bySite) {
			t := &p.bySite[i]
			row.Instructions, row.ThreadInstructions, row.Cycles = t.Count, t.Lanes, t.Cycles
		}
		rows = append(rows, row)
	}
	return rows
}

// Site returns the place that an InstrEvent or a timing.Issue of the run names by
// number: the zero Site for 0 and for numbers that the run has not given.
func (p *Report) Site(number uint32) Site {
	if int64(number) >= int64(len(p.sites)) {
		return Site{}
	}
	return p.sites[number]
}

// Blocks returns the blocks by their time, the fastest first.
func (p *Report) Blocks() []BlockRow { return slices.Clone(p.blocks) }

// BlockStats are the times of blocks, each from its start to its end. Quartiles
// are times that blocks took: at least a quarter took no longer than
// LowerQuartile, half no longer than Median.
type BlockStats struct {
	Blocks                                                 int
	Fastest, LowerQuartile, Median, UpperQuartile, Slowest timing.Cycle
	SlowestLaunch, SlowestBlock                            int // the first of the slowest
}

// BlockStats sums up Blocks; it is zero if the run was ValuesOnly.
func (p *Report) BlockStats() BlockStats {
	var s BlockStats
	if len(p.blocks) == 0 {
		return s
	}
	for _, b := range p.blocks {
		s.Blocks += b.Blocks
	}
	at := func(quarter int) timing.Cycle {
		left := (s.Blocks*quarter + 3) / 4
		for _, b := range p.blocks {
			if left -= b.Blocks; left <= 0 {
				return b.Cycles
			}
		}
		return p.blocks[len(p.blocks)-1].Cycles
	}
	s.Fastest, s.LowerQuartile, s.Median, s.UpperQuartile = p.blocks[0].Cycles, at(1), at(2), at(3)
	s.Slowest = p.blocks[len(p.blocks)-1].Cycles
	for _, b := range p.blocks {
		if b.Cycles == s.Slowest {
			s.SlowestLaunch, s.SlowestBlock = b.Launch, b.First
			break
		}
	}
	return s
}

// Launches returns the launches that were added up.
func (p *Report) Launches() []LaunchRow { return slices.Clone(p.launches) }

// ActiveLanes returns how many lanes of a warp were active on average when it
// executed an instruction, and how many a warp has.
func (p *Report) ActiveLanes() (mean float64, of int) {
	if p.Instructions == 0 {
		return 0, p.lanes
	}
	return float64(p.ThreadInstructions) / float64(p.Instructions), p.lanes
}

// Occupancy returns which part of the warps that a multiprocessor has room for
// were there: of several launches, the mean over their cycles.
func (p *Report) Occupancy() float64 {
	var sum, weights float64
	for _, l := range p.launches {
		weight := float64(max(l.Cycles, 1))
		sum += l.Occupancy() * weight
		weights += weight
	}
	if weights == 0 {
		return 0
	}
	return sum / weights
}

// Seconds returns the time that the cycles take at the device's clock.
func (p *Report) Seconds() float64 {
	if p.clockMHz == 0 {
		return 0
	}
	return float64(p.Cycles) / (float64(p.clockMHz) * 1e6)
}
