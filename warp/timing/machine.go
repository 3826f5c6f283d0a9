package timing

import (
	"fmt"

	"example.com/warpsim/warp/isa"
)

// A Multiprocessor plays the instruction streams of resident blocks against the
// clock. It is not safe for concurrent use.
//
// The host starts blocks, feeds their warps and calls Run until it is done:
//
//	b, _ := m.StartBlock(warps)
//	for w := range warps {
//		m.Feed(b, w, records[w], nil, nil)
//		m.End(b, w)
//	}
//	status, err := m.Run(timing.Never)
//
// The result does not depend on how the records are cut into slices, nor on
// when they are fed.
type Multiprocessor struct {
	*table `frozen:"-"`
	config Config `frozen:"-"`
	told   bool   // every instruction has to be told of
	greedy bool
	second Cycle // no sub-partition but the one at work has an event before
	stop   bool  // something happened that Run has to look at
	due    int   // instructions until the next checkpoint
	quiet  Cycle // nothing happens before, unless the host does something; 0: not known

	// now is on a clock that Reset does not put back, so that ready times of
	// the past stay in the past. base is cycle 0 of the current run.
	now, base Cycle
	err       error   `frozen:"-"`
	warps     []*warp // by slot
	subs      []sub
	blocks    []block
	live      int // resident blocks
	active    int // their warps that have not ended
	turn      int // sub-partition that comes first among those of the same cycle
	ending    []ending

	ports     [maxPorts]port
	levelFree [3]Cycle // in fractions of a cycle

	totals Totals
	byOp   [256]OpTotals // by any byte, so that indexing needs no check
	sites  []SiteTotals
	event  Issue
	// happening is the event that is told of.
	happening Event `frozen:"-"`

	// places is where a register lies in a warp's, names the reverse, and room for
	// how many there is room.
	places [regSpace]uint16
	names  []isa.Reg
	room   int

	soon   []*warp `frozen:"-"` // see look
	looked Cycle   `frozen:"-"`

	recall recall `frozen:"-"` // it only saves work

	memory  MemoryPort `frozen:"-"` // nil: fixed latencies
	flights flights
	// fenceFree is when the fences with stores before them are through.
	fenceFree Cycle
	horizon   Cycle // no global access is issued from then on, see RunLocal
	vacated   []int // numbers of blocks that may be used again
	fetched   []fetch
	answer    answer
	held      int  // warps
	refused   bool // some pipe waits for Resume
	served    int  // the sub-partition whose access the memory took last
}

// A sub is a sub-partition.
type sub struct {
	next  Cycle // when the chosen warp issues
	stale bool  // a warp has changed since it was chosen
	floor Cycle // the cycle after the last issue
	pick  int   // local number of the chosen warp
	last  int   // local number of the warp that issued last
	index int

	heads []head // by local number
	coded bool   // has had a warp that follows control codes
	warps []*warp

	// open is when the next instruction may read, by the banks that it needs,
	// and late the first cycle of the last late reads, by operand and bank.
	open [1 << maxBanks]Cycle
	late [2][maxBanks]Cycle
	// lateLast is the latest of those.
	lateLast Cycle

	landings    []landing // by time; those before landed are of the past
	landed      int
	lastLanding Cycle

	fetched [2][]fetch // to registers, and to the uniform datapath

	free [16]Cycle // when each pipe takes the next instruction
	busy [16]Cycle // when each pipe has nothing more to do
	// clash is how much of that the conflicts of the last instruction are.
	clash [16]Cycle
}

// A head is the next instruction of a warp, as the scheduler sees it.
type head struct {
	ready Cycle // when it can be issued as far as the warp itself is concerned
	pipe  uint8 // pipe and banks that it needs to be free, see need
	reads uint8 // how many of its operands lie in each bank
}

// can returns when a head can be issued.
func (s *sub) can(h *head, floor Cycle) Cycle {
	return max(h.ready, s.free[h.pipe&15], s.open[h.pipe>>gateShift&3], floor)
}

// put says when the warp can issue, in a pipe that stands for no instruction.
func (w *warp) put(ready Cycle, pipe uint8) { w.sub.heads[w.local] = head{ready: ready, pipe: pipe} }

// unknown is the ready time of a warp whose next instruction is not known: it
// comes before all that are, since it might.
const unknown Cycle = -1

// regSpace is a power of two above isa.NumRegs, so that indexing needs no check.
const (
	regBits  = 11
	regSpace = 1 << regBits
)

type warpState uint8

const (
	vacant warpState = iota
	running
	starved
	waiting // at a barrier, nothing more to issue in its shadow
	ended
	blocked // on a result from memory whose time is not known
	held    // starved, and the host has said that others may go on
)

// A warp is a warp slot. Its parts lie in the order of how often they are looked at,
// by lines of 64 bytes: with all multiprocessors of a device at work, what issuing an
// instruction takes is mostly to fetch these.
type warp struct {
	recs []isa.Instr
	next int   // the next one of them
	at   Cycle // up to where waiting has been accounted for
	// odd: the next instruction cannot just be issued: there is none, or it
	// may only issue in the shadow of a barrier.
	odd bool
	// pending: a barrier that the warp has reached is not complete.
	pending     bool
	turned      bool // stored to shared memory or passed a barrier since the last load
	last        bool // no more records will come
	state       warpState
	gapPipe     uint8
	coded       bool // the instruction at issue has a control code
	barrier     uint8
	code        isa.Reg // which control code
	barrierCode isa.Reg // of the barrier that it waits at, 0: none
	local       int32   // its number in the sub-partition
	sub         *sub    `frozen:"-"` // follows from the slot

	regs    []result // see Multiprocessor.places
	prev    Cycle    // issue of the instruction before
	pace    Cycle    // earliest issue as far as the instruction before is concerned
	release Cycle    // of the barrier before
	drain   Cycle    // when the last result of variable latency arrives
	settled Cycle    // when the last result of known latency is ready

	gap                Cycle // earliest next instruction in gapPipe
	shadow             Cycle // end of the barrier's shadow
	rank               Cycle // since when it has its turn, see chooseCoded
	slot, block, index int32
	dst                isa.Reg    // of the barrier that it waits at
	stays              bool       // the instruction before did not yield, by its control code
	lines              []isa.Line // of the global accesses to come

	cycles perReason
	more   []stream // fed, but not reached
	since  Cycle    // arrival at the barrier

	chain  *warp // next warp that waits at the same barrier
	sites  []uint32
	before int64 // records in front of recs
	issued int64 // counted for observers
	boards [scoreboards]board
	told   perReason // cycles at the last instruction that was told of
	flying [2]int32  // first and last of its accesses under way, by number and one more
	// through is when the last of its stores was that have come back, posted how many
	// have not; at a fence, fenced says that the warp waits for them, and fence since
	// when and how much longer.
	through Cycle
	// left is when the last of its stores had left the multiprocessor, as far as it has been
	// said, or come back.
	left    Cycle
	fence   fenceCost
	posted  int32
	fenced  bool
	reached int64    // which instruction is the barrier that it waits at
	fetched Cycle    // when it has fetched the result of its last reduction at one
	_       [16]byte // to whole lines
}

type stream struct {
	recs  []isa.Instr
	sites []uint32
	lines []isa.Line
}

// A result is what a register waits for.
type result struct {
	ready Cycle
	// origin is the op that wrote it, how much of its latency was due to the
	// port << 8 and how much to conflicts << 36.
	origin uint64
}

type block struct {
	warps    []*warp
	start    Cycle
	end      Cycle
	running  int // warps that have not ended
	lastExit Cycle
	barriers []barrier
	flying   int   // accesses that have not come back
	through  Cycle // when the last of those that nobody waits for was through
	resident bool
	cycles   perReason
}

type barrier struct {
	arrived, expected int
	complete          Cycle // end of the last arrival
	first, last       *warp
}

// New returns a multiprocessor with the costs of a table. A nil table and an
// unknown scheduler are an *Error.
func New(t *Table, c Config) (*Multiprocessor, error) {
	if t == nil {
		return nil, field("table", isa.Invalid, "nil: make one with Compile")
	}
	if c.Scheduler > GreedyThenOldest {
		return nil, field("Config.Scheduler", isa.Invalid, "%d is no scheduler", c.Scheduler)
	}
	// The clock starts late enough for registers never written to be of the past.
	m := &Multiprocessor{table: &t.table, config: c, memory: c.Memory, subs: make([]sub, t.subCount), now: 4 * limit}
	m.room, m.names = firstPlaces, append(make([]isa.Reg, 0, firstPlaces), isa.NoReg)
	for i := range m.subs {
		m.subs[i].landings = make([]landing, 0, landingRoom)
	}
	m.told = c.Sites || c.Observer != nil || c.Events != nil
	m.greedy = c.Scheduler == GreedyThenOldest
	m.Reset()
	return m, nil
}

// Reset goes back to cycle 0 with no resident block, all totals zero and all
// pipes free. It keeps the memory, so that a run that has been made before
// allocates nothing.
func (m *Multiprocessor) Reset() {
	for _, w := range m.warps {
		m.now = max(m.now, w.drain)
		w.vacate()
	}
	m.base, m.quiet = m.now, 0
	m.err, m.stop, m.live, m.active, m.turn = nil, false, 0, 0, 0
	m.due = m.recall.reset()
	for i := range m.subs {
		s := &m.subs[i]
		s.next, s.floor, s.pick, s.last, s.index = Never, m.now, 0, -1, i
		s.stale, s.coded = false, false
		for j := range s.heads {
			s.heads[j] = head{ready: Never, pipe: absent}
		}
		s.free, s.busy, s.clash = [16]Cycle{}, [16]Cycle{}, [16]Cycle{}
		s.open, s.late, s.lateLast = [1 << maxBanks]Cycle{}, [2][maxBanks]Cycle{}, 0
		s.landings, s.landed, s.lastLanding = s.landings[:0], 0, 0
		s.fetched[0], s.fetched[1] = s.fetched[0][:0], s.fetched[1][:0]
	}
	m.blocks, m.ending, m.vacated = m.blocks[:0], m.ending[:0], m.vacated[:0]
	m.fetched = m.fetched[:0]
	m.flights.reset()
	m.horizon, m.held, m.refused, m.served = Never, 0, false, 0
	m.fenceFree = 0
	m.ports, m.levelFree = [maxPorts]port{}, [3]Cycle{}
	m.totals, m.byOp = Totals{}, [256]OpTotals{}
	clear(m.sites)
}

// vacate frees the slot.
func (w *warp) vacate() {
	clear(w.regs)
	w.state, w.pending, w.last = vacant, false, false
	w.boards = [scoreboards]board{}
	w.recs, w.next, w.sites, w.lines, w.chain, w.dst = nil, 0, nil, nil, nil, isa.NoReg
	clear(w.more)
	w.more = w.more[:0]
}

// StartBlock makes a block of that many warps resident now and returns its
// number. Its warps take the lowest free slots; slot modulo sub-partitions
// decides where a warp lives. It is an error if warps is less than 1, or if New has not
// made the multiprocessor.
func (m *Multiprocessor) StartBlock(warps int) (int, error) {
	if len(m.subs) == 0 {
		return 0, field("StartBlock", isa.Invalid, "a multiprocessor without sub-partitions: make it with New")
	}
	if warps < 1 || warps > 1<<16 {
		return 0, field("StartBlock", isa.Invalid, "a block of %d warps", warps)
	}
	id := len(m.blocks)
	if n := len(m.vacated); n > 0 {
		id, m.vacated = m.vacated[n-1], m.vacated[:n-1]
	} else if id < cap(m.blocks) {
		m.blocks = m.blocks[:id+1]
	} else {
		m.blocks = append(m.blocks, block{})
	}
	b := &m.blocks[id]
	*b = block{warps: b.warps[:0], barriers: b.barriers[:0], start: m.now, running: warps, resident: true}
	slot := 0
	for i := range warps {
		for slot < len(m.warps) && m.warps[slot].state != vacant {
			slot++
		}
		if slot == len(m.warps) {
			m.addSlots(warps - i)
		}
		w := m.warps[slot]
		w.state, w.block, w.index = starved, int32(id), int32(i)
		w.before, w.flying = 0, [2]int32{}
		w.prev, w.at, w.pace, w.drain = m.now-1, m.now, m.now, m.now
		w.release, w.fetched, w.shadow, w.gap, w.issued, w.turned, w.odd = 0, 0, 0, 0, 0, false, true
		w.settled = m.now - limit // long ago
		w.rank, w.stays = m.now, false
		w.through, w.left, w.posted, w.fenced = 0, 0, 0, false
		w.cycles, w.told = perReason{}, perReason{}
		b.warps = append(b.warps, w)
		w.put(unknown, idle)
		w.sub.stale = true
	}
	m.live++
	m.active += warps
	m.quiet = 0
	m.recall.lose()
	return id, nil
}

func (m *Multiprocessor) addSlots(n int) {
	slots := make([]warp, n)
	for i := range slots {
		w := &slots[i]
		k := len(m.warps)
		s := &m.subs[k%len(m.subs)]
		w.slot, w.sub, w.local = int32(k), s, int32(len(s.heads))
		m.warps = append(m.warps, w)
		s.heads = append(s.heads, head{ready: Never, pipe: absent})
		s.warps = append(s.warps, w)
	}
	m.makeRegisters()
}

// warp returns the warp that a call of the host names, nil after a mistake. What the
// host says of it may change what happens next.
func (m *Multiprocessor) warp(call string, block, index int) *warp {
	m.quiet = 0
	if m.err != nil {
		return nil
	}
	if block < 0 || block >= len(m.blocks) || !m.blocks[block].resident {
		m.err = field(call, isa.Invalid, "block %d is not resident", block)
		return nil
	}
	b := &m.blocks[block]
	if index < 0 || index >= len(b.warps) {
		m.err = field(call, isa.Invalid, "block %d has no warp %d", block, index)
		return nil
	}
	return b.warps[index]
}

// Feed gives a warp its next records; with totals by site a site for each of them
// (nil: none); and, for Config.Memory, the lines of global memory that they touch,
// those of each access behind those of the one before. The slices are borrowed
// until the warp starves, the block ends or Reset. Mistakes, such as a warp that
// has ended, come back from the next Run.
func (m *Multiprocessor) Feed(block, warp int, recs []isa.Instr, sites []uint32, lines []isa.Line) {
	w := m.warp("Feed", block, warp)
	switch {
	case w == nil:
	case w.last:
		m.err = field("Feed", isa.Invalid, "warp %d of block %d has ended", warp, block)
	case sites != nil && len(sites) != len(recs):
		m.err = field("Feed", isa.Invalid, "%d records but %d sites", len(recs), len(sites))
	case len(recs) == 0:
	case w.state == starved || w.state == held:
		m.take(w)
		w.recs, w.next, w.sites, w.lines = recs, 0, sites, lines
		m.recall.lose()
		m.head(w)
		w.sub.stale = true
	default:
		w.more = append(w.more, stream{recs, sites, lines})
	}
}

// End says that a warp has no more records than those it was fed.
func (m *Multiprocessor) End(block, warp int) {
	w := m.warp("End", block, warp)
	if w == nil {
		return
	}
	if w.last {
		m.err = field("End", isa.Invalid, "warp %d of block %d has ended before", warp, block)
		return
	}
	w.last = true
	if w.state == starved || w.state == held {
		m.take(w)
		m.leave(w)
		w.sub.stale = true
	}
}

// Now returns the time reached: everything before it has happened.
func (m *Multiprocessor) Now() Cycle { return m.now - m.base }

// Totals returns what all blocks since the last Reset add up to. Warps of
// blocks that have not ended are in it with their instructions, but not with
// their cycles.
func (m *Multiprocessor) Totals() *Totals {
	m.totals.Instructions = 0
	for i := range m.totals.byOp {
		m.totals.byOp[i] = m.byOp[i]
		m.totals.Instructions += m.byOp[i].Count
	}
	return &m.totals
}

// Sites returns the totals by source site, empty unless Config.Sites. The
// slice is the model's own. Waiting behind a warp's last instruction (Drained,
// Finished, Barrier) has no site.
func (m *Multiprocessor) Sites() []SiteTotals { return m.sites }

// Block returns the first cycle of a block and, once it has ended, the first
// cycle after it; until then end is -1. Numbers of blocks count from 0 since
// the last Reset; for others both are -1.
func (m *Multiprocessor) Block(id int) (start, end Cycle) {
	if id < 0 || id >= len(m.blocks) {
		return -1, -1
	}
	b := &m.blocks[id]
	if b.resident {
		return b.start - m.base, -1
	}
	return b.start - m.base, b.end - m.base
}

// BlockCycles returns the cycles of an ended block's warps by reason: they add
// up to the block's length times its warps. Zero while it is resident.
func (m *Multiprocessor) BlockCycles(id int) Cycles {
	if id < 0 || id >= len(m.blocks) || m.blocks[id].resident {
		return Cycles{}
	}
	return Cycles{m.blocks[id].cycles}
}

// WarpCycles returns the cycles of one warp of a resident or of the last ended
// block by reason. For a block that has ended they add up to its length. It
// returns zero for warps whose slot another block has taken since.
func (m *Multiprocessor) WarpCycles(block, index int) Cycles {
	if block < 0 || block >= len(m.blocks) || index < 0 || index >= len(m.blocks[block].warps) {
		return Cycles{}
	}
	w := m.blocks[block].warps[index]
	if int(w.block) != block || int(w.index) != index {
		return Cycles{}
	}
	return Cycles{w.cycles}
}

// String says where the machine stands.
func (m *Multiprocessor) String() string {
	return fmt.Sprintf("cycle %d, %d blocks resident", m.Now(), m.live)
}
