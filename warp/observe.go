package warp

import (
	"example.com/warpsim/lane"
	"example.com/warpsim/warp/grid"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"
)

// An Observer is told what happens while a kernel runs. A nil field costs
// nothing. A run with an observer uses one processor, so the calls never overlap.
type Observer struct {
	// Instr is called for every instruction, after it has taken effect: in
	// program order of each warp, and before any time is known.
	Instr func(InstrEvent)
	// Issued is called for every instruction when the timing model issues it, in
	// the order of time on each multiprocessor; not if the run is ValuesOnly. Its
	// Block is the number in the grid, its cycles count from the start of the
	// grid. The Issue is overwritten by the next
	// call. If it does not return, the run ends with a ConfigError that says so.
	// Every group of blocks is timed, as none is taken for one before.
	Issued func(*timing.Issue)
	// Event is called for what else happens in time: accesses that are complete, warps
	// that arrive at barriers and go on, lanes that part and meet. For it holds what is
	// said of Issued.
	Event func(*timing.Event)
	// Fault is called for each fault when it is noted, which is valid during the call: for
	// the first of a kind, line and member mask among the blocks that run together, as
	// those that follow only add to its Count.
	Fault func(*Fault)
	// Records is called with the records of each warp as the timing model takes them, in
	// its order: what is written down is timed again to the same cycles, see package
	// record. Not if the run is ValuesOnly.
	Records func(*RecordsEvent)
	// Ended is called at the end of each run, before Run returns.
	Ended func(EndEvent)
}

// Observers returns an observer that tells all of those given, in their order; nil ones
// are left out. It is nil if none is left.
func Observers(all ...*Observer) *Observer {
	var o *Observer
	for _, x := range all {
		switch {
		case x == nil:
		case o == nil:
			o = x
		default:
			o = &Observer{
				Instr: inTurn(o.Instr, x.Instr), Issued: inTurn(o.Issued, x.Issued), Event: inTurn(o.Event, x.Event),
				Fault: inTurn(o.Fault, x.Fault), Records: inTurn(o.Records, x.Records), Ended: inTurn(o.Ended, x.Ended),
			}
		}
	}
	return o
}

// inTurn returns a function that calls two, or the one that is not nil.
func inTurn[T any](first, then func(T)) func(T) {
	switch {
	case first == nil:
		return then
	case then == nil:
		return first
	}
	return func(x T) { first(x); then(x) }
}

// An InstrEvent is one instruction as an Observer sees it.
type InstrEvent struct {
	Warp   *Warp     // only valid during the call
	Index  int64     // of the instruction in its warp, from 0
	Instr  isa.Instr // the record that the timing model gets
	Active lane.Mask // the lanes that executed it
	Site   uint32    // number of the source site, see Report.Sites; 0 if not recorded
	// Sources has, for a move between lanes, the lane that each lane reads, itself
	// where it found none in range. It is nil for other instructions, and valid
	// during the call.
	Sources *[lane.MaxLanes]uint8
	// Access has the address of each lane for an instruction on memory that some
	// lane executed. It is nil for other instructions, and valid during the call.
	Access *Access
	// Conflicts are the passes through shared memory, and turns of conflicting
	// atomics, beyond those without conflict: their sum is Report.ConflictPasses.
	Conflicts int
}

// A RecordsEvent is what the timing model takes of a warp at a time, as an Observer sees
// it. It and its slices are valid during the call.
type RecordsEvent struct {
	Shape       grid.Shape // of the launch
	Block, Warp int        // the block's number in the grid
	Chunk       grid.Chunk
	Last        bool // the warp has no more
}

// An EndEvent is the end of a run as an Observer sees it.
type EndEvent struct {
	Report *Report // what Run returns, and must not be changed
	Err    error
	Blocks []grid.Block // in the order in which they ended; valid during the call
}

// seen is what an observer is told of the instruction that is about to be recorded,
// beside the record.
type seen struct {
	access    Access
	at        [lane.MaxLanes]uint64
	accessed  bool
	conflicts int64                 // those of the warp so far
	sources   *[lane.MaxLanes]uint8 // see Front.NoteSources
}

// note keeps the addresses of an access of n bytes a lane, done bytes into each
// element.
func (x *seen) note(w *Warp, s *accessShape, done, n int) {
	for l, k := range s.at {
		x.at[l&(lane.MaxLanes-1)] = s.addr + uint64(int64(k)*int64(s.bytes)) + uint64(done)
	}
	x.access = Access{Lanes: w.active, Bytes: n, At: &x.at}
	x.accessed = true
}

// watch says whether each instruction of the warp is looked at.
func (w *Warp) watch(c *Config) {
	told := c.Observer != nil && c.Observer.Instr != nil
	w.watched = c.Sites || told
	switch {
	case !told:
		w.seen = nil
	case w.seen == nil:
		w.seen = new(seen)
	default:
		w.seen.accessed, w.seen.sources, w.seen.conflicts = false, nil, 0
	}
}

// hook tells the observer and the recorder of source sites about the record just
// appended.
func (w *Warp) hook() {
	site := uint32(0)
	if w.sites != nil {
		site = w.siteNumber()
		w.sites[w.n-1] = site
	}
	if w.seen == nil {
		return
	}
	ev := InstrEvent{
		Warp: w, Index: w.made() - 1, Instr: w.buf[w.n-1],
		Active: w.active, Site: site,
	}
	x := w.seen
	if x.accessed {
		x.accessed, ev.Access = false, &x.access
		x.access.Kind = accessKindOf(ev.Instr.Op)
	}
	ev.Conflicts, x.conflicts = int(w.conflicts-x.conflicts), w.conflicts
	if op := ev.Instr.Op; op >= isa.ShflIdx && op <= isa.WriteLane {
		if w.registers == nil {
			ev.Sources = w.route.Sources()
		} else {
			ev.Sources, x.sources = x.sources, nil
		}
	}
	w.run.engine.config.Observer.Instr(ev)
}

func accessKindOf(op isa.Op) AccessKind {
	switch op {
	case isa.LoadShared, isa.LoadGlobal:
		return LoadAccess
	case isa.StoreShared, isa.StoreGlobal:
		return StoreAccess
	}
	return AtomicAccess
}

// ended tells the observer of the end of the run.
func (r *run) ended(p *Report, err error) {
	o := r.engine.config.Observer
	if o == nil || o.Ended == nil {
		return
	}
	ev := EndEvent{Report: p, Err: err}
	if c := r.clock; c != nil && c.begun {
		ev.Blocks = c.grid.Blocks()
	}
	o.Ended(ev)
}

// What follows is for observers, who know registers by record only.

// Place returns the place that an InstrEvent names by number.
func (f Front) Place(site uint32) Site {
	r := f.w.run
	r.mu.Lock()
	defer r.mu.Unlock()
	if int64(site) >= int64(len(r.sites)) {
		return Site{}
	}
	return r.sites[site]
}

// Undefined returns the lanes in which a register that an instruction record names
// has no defined value: of a pair, those of either row. Uniform registers have
// none. Of fronts that keep registers of their own it says nothing.
func (f Front) Undefined(r isa.Reg) lane.Mask {
	w := f.w
	if w.registers != nil || !r.IsPredicate() && !r.IsUniform() && r != isa.NoReg && r.Index()-1 >= w.file.Rows() {
		return lane.Mask{}
	}
	return w.undefinedIn(r)
}

// Set returns the lanes in which a predicate holds, or the set of lanes that a
// uniform register holds; the empty set for other registers.
func (f Front) Set(r isa.Reg) lane.Mask {
	w := f.w
	switch {
	case w.registers != nil:
	case r.IsPredicate():
		return w.preds[w.predOf(r).id]
	case r.IsUniform():
		return w.uniform[w.maskOf(r).id]
	}
	return lane.Mask{}
}

// Kind returns what a row of the register file holds, as its kernel allocated it:
// Words for other registers, and for those of fronts that do not say.
func (f Front) Kind(r isa.Reg) Kind {
	i := r.Index() - 1
	if f.w.registers != nil || r.IsPredicate() || r.IsUniform() || i < 0 || i >= len(f.w.cells) || f.w.cells[i].w == nil {
		return Words
	}
	return f.w.cells[i].kind
}

// Traceable reports whether registers change by instructions alone, so that an
// observer can follow values from one to the next: not so in kernels per lane,
// whose values are Go variables.
func (f Front) Traceable() bool { return f.w.locator == nil || f.w.registers != nil }

// SetRegisters makes words the registers that observers read, for fronts that keep
// registers of their own: see Words. nil takes it away; so does the end of the
// kernel.
func (f Front) SetRegisters(words func(r isa.Reg) []uint32) { f.w.registers = words }

// Observed reports whether an Observer is told of instructions, and NoteSources is
// of use.
func (f Front) Observed() bool { return f.w.seen != nil }

// NoteSources says which lane each lane reads in the move between lanes that comes
// next, for fronts that have called SetRegisters. The array must stay as it is until
// that has been put.
func (f Front) NoteSources(s *[lane.MaxLanes]uint8) {
	if f.w.seen != nil {
		f.w.seen.sources = s
	}
}
