// Package tape keeps what happened in runs: totals of every source line and
// operation, the first instructions with their times, the first steps of some
// blocks with the values of all lanes.
package tape

import (
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/grid"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"
	"example.com/warpsim/warp/view/internal/origin"
)

// A Tape is what was kept. Times count from the start of the first launch; those
// that came later follow each other.
type Tape struct {
	Device   *device.Profile // never nil
	Launches []Launch
	Sites    []warp.Site   // by number, 0 unknown
	Rows     []Row         // totals, by the first time that they were issued
	Rest     timing.Cycles // of warps behind their last instruction

	Issues []Issue
	Waits  []Wait // of Issues
	Steps  []Step
	// LostIssues and LostSteps are how many there was no room for.
	LostIssues, LostSteps int64
	// Loose says that some kernel keeps its values in Go variables, so that they
	// could not be followed from one instruction to the next.
	Loose bool

	limits Limits
	sink   Sink

	at     timing.Cycle // when the present launch began
	local  []uint32     // numbers by those of the present run
	bySite map[warp.Site]uint32
	rows   [][]int32                  // by site and op, place in Rows plus one
	stepOf map[warpKey][]int32        // place in Steps by index
	track  map[[2]int]*origin.Tracker // by block
}

// Limits bound a Tape.
type Limits struct {
	Issues, Steps int
	Blocks        []int // whose steps are kept
}

// A Sink is told of every issue and the end of every launch, as they happen.
type Sink interface {
	Issue(t *Tape, i *Issue, waits []Wait)
	End(t *Tape, l *Launch)
}

// A Launch is one run.
type Launch struct {
	Report *warp.Report
	Err    error
	Start  timing.Cycle
	Blocks []grid.Block
	Lanes  int
}

// A Row is the totals of an operation at a source line.
type Row struct {
	Site         uint32
	Op           isa.Op
	Instructions int64
	Lanes        int64 // active, added up over them
	Conflicts    int64
	Cycles       timing.Cycles
}

// An Issue is one instruction as it was issued.
type Issue struct {
	Cycle              timing.Cycle
	Start, Free, Ready int32 // after Cycle; Ready 0: none, or not known
	Block, Warp        int32
	Site               uint32
	Index              int32 // in its warp
	Flying             int32 // instructions that wait for global memory
	Multiprocessor     uint16
	Sub                uint8
	Op                 isa.Op
	Active             uint8
	waits              uint8 // how many
	Launch             uint16
	from               uint32 // in Waits
}

// A Wait is cycles before an issue, by reason, in the order of reasons.
type Wait struct {
	Reason timing.Reason
	Cycles timing.Cycle
}

// WaitsOf returns what went before an issue of the tape.
func (t *Tape) WaitsOf(i *Issue) []Wait { return t.Waits[i.from : i.from+uint32(i.waits)] }

// First returns the multiprocessor that timelines show: the one of block 0, or of the
// first instruction if none of block 0 was kept.
func (t *Tape) First() int {
	for i := range t.Issues {
		if t.Issues[i].Block == 0 {
			return int(t.Issues[i].Multiprocessor)
		}
	}
	if len(t.Issues) == 0 {
		return 0
	}
	return int(t.Issues[0].Multiprocessor)
}

// A Step is one instruction of a warp with what all lanes held after it.
type Step struct {
	Launch, Block, Warp int
	Index               int64
	Instr               isa.Instr
	Active              lane.Mask
	Site                uint32
	Conflicts           int

	Kind    warp.Kind
	Values  []uint64  // of the first result; nil: it has none that is a row
	Undef   lane.Mask // lanes of it without a defined value
	Set     lane.Mask // of a predicate or a uniform register
	Sources []uint8   // of a move between lanes
	// Addresses are those of an access of Bytes a lane, Lanes who made it.
	Addresses []uint64
	Bytes     int
	Lanes     lane.Mask
	// Origins names for each lane the threads that the result came from; nil if
	// it has none, or they could not be followed.
	Origins []origin.ID
	Changed bool // the result is another than before, in values or origins

	Cycle  timing.Cycle // when it was issued, -1: not known
	Waited timing.Cycle // before
	Reason timing.Reason
}

type warpKey struct{ launch, block, warp int }

// New returns an empty tape. sink may be nil.
func New(p *device.Profile, l Limits, sink Sink) *Tape {
	if p == nil {
		p = &device.Profile{}
	}
	t := &Tape{Device: p, limits: l, sink: sink, Sites: make([]warp.Site, 1), bySite: map[warp.Site]uint32{}, stepOf: map[warpKey][]int32{}}
	return t
}

// Observer returns what writes the tape. Runs must not overlap.
func (t *Tape) Observer() *warp.Observer {
	return &warp.Observer{Instr: t.instr, Issued: t.issued, Ended: t.ended}
}

// Tracker returns what followed the values of a block of the last launch.
func (t *Tape) Tracker(launch, block int) *origin.Tracker { return t.track[[2]int{launch, block}] }

// number returns the number of a place of the present run.
func (t *Tape) number(site uint32, w *warp.Warp) uint32 {
	for int(site) >= len(t.local) {
		t.local = append(t.local, 0)
	}
	n := t.local[site]
	if n == 0 && site != 0 && w != nil {
		place := w.Front().Place(site)
		var known bool
		if n, known = t.bySite[place]; !known {
			n = uint32(len(t.Sites))
			t.Sites = append(t.Sites, place)
			t.bySite[place] = n
		}
		t.local[site] = n
	}
	return n
}

func (t *Tape) row(site uint32, op isa.Op) *Row {
	for int(site) >= len(t.rows) {
		t.rows = append(t.rows, nil)
	}
	if t.rows[site] == nil {
		t.rows[site] = make([]int32, isa.NumOps)
	}
	i := &t.rows[site][op]
	if *i == 0 {
		t.Rows = append(t.Rows, Row{Site: site, Op: op})
		*i = int32(len(t.Rows))
	}
	return &t.Rows[*i-1]
}

func (t *Tape) issued(e *timing.Issue) {
	site := t.number(e.Site, nil)
	r := t.row(site, e.Instr.Op)
	r.Cycles.Add(&e.Waits)
	keep := len(t.Issues) < t.limits.Issues
	if !keep {
		t.LostIssues++
	}
	if !keep && t.sink == nil && len(t.stepOf) == 0 {
		return
	}
	i := Issue{
		Cycle: t.at + e.Cycle, Start: int32(e.Start - e.Cycle), Free: int32(e.Free - e.Cycle),
		Block: int32(e.Block), Warp: int32(e.Warp), Site: site, Index: int32(e.Index), Flying: int32(e.Flying), Multiprocessor: uint16(e.Multiprocessor),
		Sub: uint8(e.SubPartition), Op: e.Instr.Op, Active: e.Instr.Active, Launch: uint16(len(t.Launches)), from: uint32(len(t.Waits)),
	}
	if e.Ready > 0 {
		i.Ready = int32(e.Ready - e.Cycle)
	}
	for reason, n := range e.Waits.All() {
		if reason != timing.Issued {
			t.Waits = append(t.Waits, Wait{reason, n})
			i.waits++
		}
	}
	if t.sink != nil {
		t.sink.Issue(t, &i, t.Waits[i.from:])
	}
	if steps := t.stepOf[warpKey{len(t.Launches), e.Block, e.Warp}]; e.Index < int64(len(steps)) {
		s := &t.Steps[steps[e.Index]]
		s.Cycle = i.Cycle
		s.Reason, s.Waited = e.WaitReason()
	}
	if keep {
		t.Issues = append(t.Issues, i)
	} else {
		t.Waits = t.Waits[:i.from]
	}
}

func (t *Tape) ended(e warp.EndEvent) {
	l := Launch{Report: e.Report, Err: e.Err, Start: t.at}
	_, l.Lanes = e.Report.ActiveLanes()
	l.Blocks = append(l.Blocks, e.Blocks...)
	waits := e.Report.Waits()
	for _, r := range []timing.Reason{timing.Drained, timing.Finished} {
		t.Rest.Count(r, waits.Of(r))
	}
	t.Launches = append(t.Launches, l)
	if t.sink != nil {
		t.sink.End(t, &t.Launches[len(t.Launches)-1])
	}
	t.at += e.Report.Cycles
	clear(t.local)
}
