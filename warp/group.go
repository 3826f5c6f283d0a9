package warp

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"
)

// bufferRecords is how many instructions a warp runs before the other warps of
// its group get their turn. It is part of the semantics of racy kernels.
const bufferRecords = 4096

// A group is the blocks that share a multiprocessor, and the simulated hardware
// for them. Groups are reused from run to run, so that a warm engine allocates
// nothing for instructions.
type group struct {
	run    *run
	ctx    context.Context // of the run
	index  int             // of the group in the run
	used   int             // blocks
	blocks []*block
	warps  []*Warp // of all blocks, block by block
	mp     *timing.Multiprocessor
	totals totals // of all groups of blocks that this one has been in this run

	// Of the group of blocks that it is at present.
	begun     int           // warps that have begun, the first ones
	running   int           // warps that are not done
	awaiting  int           // warps in stateAwaitsTurn
	full      bool          // some warp is in stateFull
	quota     int64         // instructions of a warp at which its block lets the others catch up
	locating  bool          // warps that wait are asked where
	timed     bool          // timing has begun before all warps were done
	inTurn    bool          // all earlier groups had their values when it began, and none had failed
	turn      turnState     // of what depends on the order of blocks
	log       *reductionLog // nil: nothing has been deferred
	counts    [maxOps]int64 // instructions of the warps that are done
	conflicts int64         // likewise, see Warp
	err       error
	faults    faultList
	lines     lineCache
	explorer  *explorer // nil: the engine's own order

	coroutines []*coroutine
	started    int          // how many of them, from the first on, exist in this run
	idle       []*coroutine // of these, those that run no kernel

	siteOf map[uintptr]Site // by program counter, for warmSite
	known  [4]*timedGroup   // most recent first, nil: none
}

// timedGroup remembers the records of a group whose time is known: a group with
// equal records takes equal time, so a regular grid, or a launch that is made
// again, pays for timing once.
type timedGroup struct {
	blocks, warps int // of the group, of a block
	records       []isa.Instr
	lengths       []int // records of each warp
	cycles        timing.Cycle
	time          timing.Totals
}

// maxRemembered bounds the records of a timedGroup.
const maxRemembered = 1 << 18

// prepare makes the group fit for a run.
func (g *group) prepare(r *run) error {
	g.run = r
	p := r.engine.profile
	for len(g.warps) < r.perGroup*r.warps {
		w := new(Warp)
		if err := w.init(p, bufferRecords); err != nil {
			return err
		}
		g.warps = append(g.warps, w)
	}
	for len(g.blocks) < r.perGroup {
		g.blocks = append(g.blocks, newBlock(p))
	}
	if r.engine.config.ValuesOnly || g.mp != nil {
		return nil
	}
	c := timing.Config{Lanes: p.Lanes, Scheduler: r.engine.config.Scheduler, Sites: r.engine.config.Sites}
	if o := r.engine.config.Observer; o != nil && o.Issued != nil {
		c.Observer = func(i *timing.Issue) {
			i.Block = g.blocks[i.Block].index
			o.Issued(i)
		}
	}
	mp, err := timing.New(&p.Timing, c)
	g.mp = mp
	return err
}

// runBlocks runs the blocks of group i.
func (g *group) runBlocks(ctx context.Context, r *run, i int) error {
	g.index, g.used = i, min(r.perGroup, r.blocks-i*r.perGroup)
	live := g.warps[:g.used*r.warps]
	g.begun, g.running, g.awaiting = 0, len(live), 0
	g.full, g.locating, g.timed, g.turn = false, false, false, turnAhead
	g.quota = bufferRecords
	g.ctx, g.err, g.faults, g.conflicts = ctx, nil, faultList{}, 0
	clear(g.counts[:])
	g.beginExplore()
	g.lines.reset(&r.engine.profile.Memory, r.engine.config.Memory)
	g.beginBlocks()
	var err error
	switch {
	case len(live) == 1:
		live[0].call() // it has nobody to give control to
		live[0].done()
	case g.explorer != nil:
		err = g.roundsExplored(live)
	default:
		err = g.rounds(live)
	}
	if err != nil {
		return err
	}
	if g.err != nil {
		return g.err
	}
	if err := g.settle(live); err != nil {
		return err
	}
	t := &g.totals
	for op := range t.byOp {
		t.byOp[op] += g.counts[op]
		t.instructions += g.counts[op]
	}
	t.conflicts += g.conflicts
	return nil
}

// beginBlocks makes the blocks of the group, and their warps, ready to run.
func (g *group) beginBlocks() {
	r := g.run
	c := &r.engine.config
	for slot, b := range g.blocks[:g.used] {
		b.begin(g, g.index*r.perGroup+slot, g.warps[slot*r.warps:(slot+1)*r.warps])
		for id, w := range b.warps {
			w.run, w.group = r, g
			w.watched = c.Sites || c.Observer != nil && c.Observer.Instr != nil
			w.rest()
			w.reclaim()
			if c.Sites && w.sites == nil {
				w.sites = make([]uint32, len(w.buf))
			}
			w.begin(b, id, r.liveLanes(id))
		}
	}
}

// nextWarp returns the next warp that has not begun, nil if all have.
func (g *group) nextWarp() *Warp {
	if g.begun == g.used*g.run.warps {
		return nil
	}
	g.begun++
	return g.warps[g.begun-1]
}

// done books a warp whose kernel has returned.
func (w *Warp) done() {
	w.state = stateDone
	g := w.group
	g.running--
	for op := range w.counts {
		g.counts[op] += w.counts[op]
	}
	g.conflicts += w.conflicts
	w.block.warpDone()
}

// rounds lets every block go as far as it can, again and again in the same order,
// until all warps are done.
func (g *group) rounds(live []*Warp) error {
	for {
		progress := false
		for _, b := range g.blocks[:g.used] {
			if b.goOn() {
				progress = true
			}
			if g.err != nil {
				return g.err
			}
		}
		if g.running == 0 {
			return nil
		}
		if !progress && slices.ContainsFunc(live, (*Warp).isReady) {
			g.quota += bufferRecords
			continue
		}
		// A warp that fills its buffer may spin on what one of those stores that
		// wait for the group's turn: they go on then, too.
		if g.awaiting > 0 && (g.full || !progress) {
			g.beginTurn()
			g.ready(live, stateAwaitsTurn)
			g.awaiting = 0
			progress = true
		}
		if !progress {
			return g.deadlock(live)
		}
		if err := g.empty(live); err != nil {
			return err
		}
	}
}

// goOn lets the warps of the block run in turn until none can, one has filled its
// buffer, or the block is ahead of others. It reports whether any ran.
func (b *block) goOn() (progress bool) {
	g := b.group
	for !b.ahead() {
		again, full := false, false
		for _, w := range b.warps {
			if w.isReady() {
				again = true
				w.resume()
				if g.err != nil {
					return true
				}
			}
			full = full || w.state == stateFull
		}
		progress = progress || again
		if !again || full {
			break
		}
	}
	return progress
}

// ahead reports whether a warp of the block has run the group's quota of
// instructions, so that records do not pile up until others come to as many. All
// warps of the block must have begun, as warps begin in order.
func (b *block) ahead() bool {
	g := b.group
	return g.begun >= (b.slot+1)*len(b.warps) && slices.ContainsFunc(b.warps, func(w *Warp) bool {
		return w.state != stateDone && w.total+int64(w.n) >= g.quota
	})
}

func (w *Warp) isReady() bool { return w.state == stateReady }

// empty takes the records of full buffers, if there are any.
func (g *group) empty(live []*Warp) error {
	if !g.full {
		return nil
	}
	g.full = false
	g.ready(live, stateFull)
	return g.advance(live, false)
}

// ready makes all warps in a state ready.
func (g *group) ready(live []*Warp, from warpState) {
	for _, w := range live {
		if w.state == from {
			w.state = stateReady
		}
	}
}

// errAborted ends a group because an earlier one has failed, whose error is that
// of the run.
var errAborted = errors.New("warp: an earlier block has failed")

// deadlock raises the fault of a group in which every warp waits.
func (g *group) deadlock(live []*Warp) error {
	var who []string
	var first *Warp
	g.locating = true
	for _, w := range live {
		if w.state == stateAtBarrier {
			if w.co != nil {
				w.resume()
			} else {
				w.waitSite = w.callSite()
			}
			if first == nil {
				first = w
			}
			if len(who) < 8 {
				who = append(who, fmt.Sprintf("block %d warp %d at barrier %d (%s)", w.block.index, w.id, w.waitBarrier, w.waitSite))
			} else if len(who) == 8 {
				who = append(who, "...")
			}
		}
	}
	f := Fault{Kind: Deadlock, Severity: SeverityError, Block: first.block.index, Warp: first.id,
		Width: first.lanes, Lanes: first.live, Site: first.waitSite,
		Detail: strings.Join(who, ", "),
		Advice: "every warp that a barrier counts must reach it"}
	g.note(f)
	f.Count = 1
	return &f
}

// fail ends the group with a fault.
func (g *group) fail(f *Fault) {
	if g.err == nil {
		f.Count = 1
		g.err = f
	}
}

// drain empties the buffer of the only warp of a group.
func (g *group) drain(w *Warp) {
	if err := g.advance(g.warps[:1], false); err != nil {
		if g.err == nil {
			g.err = err
		}
		panic(abort{})
	}
}

// settle finds the time of a group all of whose warps are done.
func (g *group) settle(live []*Warp) error {
	if g.run.engine.config.ValuesOnly {
		return nil
	}
	if !g.timed && g.recall(live) {
		return nil
	}
	g.run.valuesDone(g) // later groups need not wait for what follows
	fresh := !g.timed
	for _, w := range live {
		w.kept = w.n
	}
	if err := g.advance(live, true); err != nil {
		return err
	}
	g.tookTime(g.mp.Now(), g.mp.Totals())
	g.totals.addSites(g.mp.Sites())
	if fresh {
		g.remember(live)
	}
	return nil
}

// tookTime books the time of the group. Groups go round robin over all
// multiprocessors and follow each other there.
func (g *group) tookTime(c timing.Cycle, t *timing.Totals) {
	g.totals.time.Add(t)
	g.totals.addTime(g.index%g.run.engine.profile.Limits.Multiprocessors, c)
}

// advance gives the timing model what the warps have recorded, as far as it
// can go. With end set, the warps have no more. A context that is done ends the
// group here.
func (g *group) advance(live []*Warp, end bool) error {
	if err := g.ctx.Err(); err != nil {
		return err
	}
	if g.run.abandons(g.index) {
		return errAborted
	}
	if g.run.engine.config.ValuesOnly {
		for _, w := range live {
			w.total += int64(w.n)
			w.n = 0
		}
		return nil
	}
	if !g.timed {
		g.timed = true
		g.mp.Reset()
		for range g.used {
			if _, err := g.mp.StartBlock(g.run.warps); err != nil {
				return err
			}
		}
	}
	for {
		s, err := g.mp.Run(timing.Never)
		if err != nil {
			return err
		}
		if s.State == timing.BlockEnded {
			continue
		}
		if s.State != timing.Starved {
			break
		}
		w := live[s.Block*g.run.warps+s.Warp]
		if recs, sites := w.takeRecords(); recs != nil {
			g.mp.Feed(s.Block, s.Warp, recs, sites)
		} else if end || w.state == stateDone {
			g.mp.End(s.Block, s.Warp)
		} else {
			break
		}
	}
	for _, w := range live {
		w.recycle(g.mp)
	}
	return nil
}

// A chunk is a full record buffer that the timing model has not had yet.
type chunk struct {
	recs  []isa.Instr
	sites []uint32
}

// takeRecords returns records that the timing model has not had, nil if there
// are none.
func (w *Warp) takeRecords() ([]isa.Instr, []uint32) {
	if len(w.chunks) > 0 {
		c := w.chunks[0]
		w.chunks = w.chunks[:copy(w.chunks, w.chunks[1:])]
		return c.recs, c.sites
	}
	if w.fed == w.n {
		return nil, nil
	}
	recs := w.buf[w.fed:w.n]
	var sites []uint32
	if w.sites != nil {
		sites = w.sites[w.fed:w.n]
	}
	w.fed = w.n
	return recs, sites
}

// A lentBuffer is a record buffer that the timing model still reads.
type lentBuffer struct {
	recs []isa.Instr
	end  int64 // place in the warp's program of the record after its last
}

// recycle makes room in the record buffer: in place if the timing model is
// through with it, in another one if this warp is ahead of the others.
func (w *Warp) recycle(mp *timing.Multiprocessor) {
	done := mp.Issued(w.block.slot, w.id)
	free := 0
	for free < len(w.lent) && w.lent[free].end <= done {
		w.spare = append(w.spare, w.lent[free].recs)
		free++
	}
	w.lent = w.lent[:copy(w.lent, w.lent[free:])]
	if len(w.chunks) == 0 && w.fed == w.n && w.total+int64(w.n) <= done {
		w.total += int64(w.n)
		w.n, w.fed = 0, 0
		return
	}
	if w.n < len(w.buf) {
		return
	}
	if w.fed < w.n {
		c := chunk{recs: w.buf[w.fed:w.n]}
		if w.sites != nil {
			c.sites = w.sites[w.fed:w.n]
		}
		w.chunks = append(w.chunks, c)
	}
	w.total += int64(w.n)
	w.lent = append(w.lent, lentBuffer{w.buf, w.total})
	if n := len(w.spare); n > 0 {
		w.buf, w.spare = w.spare[n-1], w.spare[:n-1]
	} else {
		w.buf = make([]isa.Instr, len(w.buf))
	}
	if w.sites != nil {
		w.sites = make([]uint32, len(w.buf))
	}
	w.n, w.fed = 0, 0
}

// reclaim takes back all buffers when the warp starts on another block.
func (w *Warp) reclaim() {
	for _, l := range w.lent {
		w.spare = append(w.spare, l.recs)
	}
	w.lent = w.lent[:0]
	w.chunks, w.fed = w.chunks[:0], 0
}

// recall looks for a group with equal records, and books its time if there is one.
func (g *group) recall(live []*Warp) bool {
	if o := g.run.engine.config.Observer; g.run.engine.config.Sites || o != nil && o.Issued != nil {
		return false
	}
	for i, k := range g.known {
		if k != nil && k.equal(g, live) {
			g.tookTime(k.cycles, &k.time)
			g.known[0], g.known[i] = k, g.known[0]
			return true
		}
	}
	return false
}

func (k *timedGroup) equal(g *group, live []*Warp) bool {
	if k.blocks != g.used || k.warps != g.run.warps {
		return false
	}
	at := 0
	for i, w := range live {
		if w.n != k.lengths[i] || !isa.Equal(w.buf[:w.n], k.records[at:at+w.n]) {
			return false
		}
		at += w.n
	}
	return true
}

// remember keeps a group's records and time in place of those recalled least
// recently.
func (g *group) remember(live []*Warp) {
	n := 0
	for _, w := range live {
		n += w.kept
	}
	if n > maxRemembered {
		return
	}
	k := g.known[len(g.known)-1]
	if k == nil {
		k = new(timedGroup)
	}
	copy(g.known[1:], g.known[:])
	k.records, k.lengths = k.records[:0], k.lengths[:0]
	for _, w := range live {
		k.records = append(k.records, w.buf[:w.kept]...)
		k.lengths = append(k.lengths, w.kept)
	}
	k.blocks, k.warps = g.used, g.run.warps
	k.cycles, k.time = g.mp.Now(), *g.mp.Totals()
	g.known[0] = k
}

// end makes the group ready for another run. What a kernel defers runs here, and
// may end the goroutine.
func (g *group) end() {
	defer func() {
		if g.log != nil {
			g.log.clear()
		}
		g.totals.reset()
		g.faults, g.turn = faultList{}, turnAhead
		g.run, g.ctx = nil, nil
	}()
	g.stopAll()
}

// wake and rest note that the warp's kernel runs, or does not. While it does
// not, every instruction takes the slow path, which finds that out.
func (w *Warp) wake() {
	w.running = true
	if !w.watched {
		w.room = len(w.buf)
	}
	w.setPlain()
}

func (w *Warp) rest() {
	w.running, w.room = false, 0
	w.setPlain()
}

// call runs the kernel and turns what it panics with into a fault.
func (w *Warp) call() {
	returned := false
	w.wake()
	defer func() {
		w.rest()
		if !returned { // recover alone takes half of the small stack that a run's goroutines start with
			w.ended(recover())
		}
	}()
	w.run.kernel(w)
	returned = true
}

// ended notes why a kernel did not return: what it panicked with, nil if its
// goroutine was ended. The deferred function that recovered calls it.
func (w *Warp) ended(p any) {
	if _, ours := p.(abort); ours {
		return
	}
	f := Fault{Kind: KernelPanic, Severity: SeverityError, Block: w.block.index, Warp: w.id,
		Width: w.lanes, Lanes: w.active, Site: callSite(), Detail: fmt.Sprint(p),
		Advice: "the kernel's own Go code panicked at this line"}
	if p == nil {
		f.Detail = "the kernel called runtime.Goexit"
		f.Advice = "do not end a test from inside a kernel (FailNow, Fatal, require); use Error or assert"
	}
	if err, ok := p.(error); ok {
		f.cause = err
	}
	if _, ok := p.(runtime.Error); ok && panickedInEngine() {
		f.Kind = WrongWarp
		f.Detail = "an operand was never allocated, or is nil: " + f.Detail
		f.Advice = "allocate registers, predicates and arrays in the kernel that uses them"
	}
	w.group.note(f)
	w.group.fail(&f)
}
