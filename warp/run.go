package warp

import (
	"context"
	"fmt"
	"math/bits"
	"runtime"
	"sync"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp/memory"
)

// A run is one launch while it executes. Its blocks are cut into groups of
// consecutive blocks that share a multiprocessor; groups are independent and
// may run on several processors, but what depends on the order of blocks
// (atomics, volatile loads) waits until all earlier groups are done, so that
// the outcome is that of running the groups one after another.
type run struct {
	engine                 *Engine
	launch                 Launch
	kernel                 Kernel
	threads, warps, blocks int
	drive                  func([]*Warp) error // see Engine.Drive
	resident               int                 // blocks that share a multiprocessor
	perGroup, groups       int
	sharedLimit            int
	registers              int // of a thread
	sectorShift, lineShift int

	_         apart // every instruction reads what is above
	mu        sync.Mutex
	turn      sync.Cond             // signals that finished changed
	finished  int                   // groups done, counted from the first without a gap
	done      map[int]*outcome      // of further ones, and of those behind one that has failed
	ordered   int                   // groups that have computed all values, counted likewise
	valueSet  map[int]*reductionLog // of further ones, what is still to be done in their turn
	queued    int                   // logs in valueSet
	applying  bool                  // a worker does what is to be done, that of group ordered first
	failed    bool
	err       error
	errGroup  int
	faults    faultList // of the groups up to finished
	undoBytes int       // of old values in done
	sites     []Site    // index 0 is the unknown site
	unknown   [1]Site   // where sites begin
	totals    totals
	next      int // the next group to hand out
	blocksOK  int // that are done, in the order of groups
	told      int // of them, what Progress has been told
	schedule  []ScheduleStep
	clock     *clock // nil: ValuesOnly
	workers   int    // that are at work
	waiting   int    // of them, those that wait for the timing model to catch up
}

// apart keeps what workers write from the cache lines, which processors fetch in
// pairs, of what they read.
type apart [128]byte

func newRun(e *Engine, l Launch, k Kernel, drive func([]*Warp) error) *run {
	r := &run{
		engine: e, launch: l, kernel: k, drive: drive,
		threads: l.Threads.Count(), blocks: l.Blocks.Count(),
		errGroup: -1, sharedLimit: e.profile.Limits.SharedPerBlock,
	}
	r.registers = l.Registers
	if r.registers == 0 {
		r.registers = e.profile.RegistersFor(r.threads)
	}
	r.turn.L = &r.mu
	r.sectorShift = bits.TrailingZeros(uint(e.profile.Memory.SectorBytes))
	r.lineShift = bits.TrailingZeros(uint(memory.LineBytes(&e.profile.Memory)))
	r.sites = r.unknown[:]
	r.warps = (r.threads + e.profile.Lanes - 1) / e.profile.Lanes
	r.resident = r.residency()
	if r.perGroup = r.resident; drive != nil {
		r.perGroup = r.blocks // all are there at once
	}
	r.groups = (r.blocks + r.perGroup - 1) / r.perGroup
	return r
}

// residency is how many blocks share a multiprocessor: as many as the limits
// allow, but no more than it takes to spread the grid over all of them.
func (r *run) residency() int {
	p := r.engine.profile
	o, _ := p.Occupancy(r.launch.demand()) // Run has asked it already
	n := o.Blocks
	if c := r.engine.config.Resident; c > 0 {
		n = min(n, c)
	}
	if r.engine.config.Seed == 0 { // other schedules mix as many blocks as they can
		n = min(n, (r.blocks+p.Limits.Multiprocessors-1)/p.Limits.Multiprocessors)
	}
	n = min(n, r.blocks)
	return max(n, 1)
}

// tooManyRegisters says why a thread cannot have that many registers.
func (r *run) tooManyRegisters(n int) error {
	p := r.engine.profile
	l := &p.Limits
	switch {
	case r.launch.Registers > 0:
		return fmt.Errorf("register %d of a thread, and the launch gives it %d (Launch.Registers)", n, r.launch.Registers)
	case r.registers < l.RegistersPerLane:
		return fmt.Errorf("register %d of a thread, and %d threads of %s can have %d each of the %d of a multiprocessor (limits.registersPerMultiprocessor)",
			n, r.threads, p.Name, r.registers, l.RegistersPerMultiprocessor)
	}
	return fmt.Errorf("register %d of a thread, and %s has %d (limits.registersPerLane)", n, p.Name, l.RegistersPerLane)
}

// execute runs all groups and returns the first error in the order of groups.
func (r *run) execute(ctx context.Context) error {
	workers := max(1, min(r.processors(), r.groups))
	if err := ctx.Err(); err != nil {
		return err
	}
	// Never on the caller's goroutine: a kernel that ends its goroutine
	// (runtime.Goexit, a test's FailNow) ends one of these.
	var wg sync.WaitGroup
	r.workers = workers
	for range workers {
		wg.Go(func() { r.work(ctx) })
	}
	wg.Wait()
	r.undo()
	if r.clock != nil && r.err == nil {
		wg.Go(func() { r.err = r.clock.rest(ctx) })
		wg.Wait()
		if r.err == nil {
			r.err = r.clock.failure
		}
	}
	return r.err
}

// processors is how many processors the run may use.
func (r *run) processors() int {
	c := &r.engine.config
	switch n := c.Workers; {
	case c.Observer != nil || c.Seed != 0 || c.Space != nil:
		return 1
	case c.Sanitize:
		return 1 // who comes first must not depend on who is faster
	case n > 0:
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// work runs groups until none is left.
func (r *run) work(ctx context.Context) {
	g := r.engine.groups.take()
	i, at := 0, inEngine
	defer func() {
		if at != inOrder {
			r.finish(i, g.unfinished(at, recover()), g)
		}
		r.mu.Lock()
		r.totals.add(&g.totals)
		r.workers--
		r.turn.Broadcast()
		r.mu.Unlock()
		defer r.engine.groups.giveBack(g)
		g.end()
	}()
	err := g.prepare(r)
	if err != nil {
		r.finish(0, err, g)
		at = inOrder
		return
	}
	i, ok := r.take(ctx, g)
	for ok {
		at = inEngine
		if err = ctx.Err(); err == nil {
			err = g.runBlocks(ctx, r, i)
		}
		r.finish(i, err, g)
		at = inProgress
		r.progress()
		at = inEngine
		i, ok = r.take(ctx, g)
	}
	at = inOrder
}

// take hands out the next group.
func (r *run) take(ctx context.Context, g *group) (i int, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.catchUp(ctx)
	if r.next >= r.groups || r.failed {
		return 0, false
	}
	i = r.next
	r.next++
	g.ahead = r.ordered < i
	return i, true
}

// progress tells the host how far the run is.
func (r *run) progress() {
	p := r.engine.config.Progress
	if p == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.blocksOK > r.told { // in the order of groups, or else it may be in vain
		r.told = r.blocksOK
		p(r.blocksOK, r.blocks)
	}
}

// Where a worker is, for when its goroutine is ended in the midst of it.
const (
	inOrder = iota
	inEngine
	inProgress
)

// unfinished is the error of a group whose goroutine was ended: by the kernel,
// which has left its fault, or by a panic with p elsewhere.
func (g *group) unfinished(at int, p any) error {
	if p == nil {
		p = "runtime.Goexit was called"
	}
	switch {
	case at == inProgress:
		return &ConfigError{"Config.Progress", "a function that does not return", fmt.Sprint(p)}
	case g.err != nil:
		return g.err
	case g.run != nil && g.run.clock != nil && g.run.clock.failure != nil:
		return g.run.clock.failure
	}
	return fmt.Errorf("warp: the engine failed, which is a mistake of this library: %v", p)
}

// finish books a group that has ended.
func (r *run) finish(i int, err error, g *group) {
	if err != nil {
		r.flush(g)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		r.failed = true
		if r.errGroup < 0 || i < r.errGroup {
			r.err, r.errGroup = err, i
		}
	} else {
		r.handOver(g)
	}
	if x := g.explorer; x != nil {
		r.schedule = append(r.schedule, x.steps[:min(len(x.steps), maxSteps-len(r.schedule))]...)
		x.steps = nil
	}
	if g.ahead && err == nil && g.undo != nil && r.undoBytes+g.undo.bytes() > maxUndoRun {
		r.awaitLocked(i)
	}
	r.valued(i, nil)
	if i == r.finished && !r.failedBefore(i) { // most groups come in order
		r.faults.merge(&g.faults)
		g.faults = faultList{}
		if g.ahead && err == nil {
			r.totals.count(&g.counted)
		}
		if err == nil {
			r.blocksOK += g.used
		}
		g.inTime()
		r.finished++
	} else {
		if r.done == nil {
			r.done = map[int]*outcome{}
		}
		r.done[i] = r.outcomeOf(g, err)
	}
	// In the order of groups, and none that a failed one came before, so that
	// nothing depends on who was faster.
	for !r.failedBefore(r.finished) {
		o := r.done[r.finished]
		if o == nil {
			break
		}
		r.book(o)
		delete(r.done, r.finished)
		r.finished++
	}
	r.turn.Broadcast()
}

// liveLanes returns the lanes that warp id of a block has.
func (r *run) liveLanes(id int) lane.Mask {
	return lane.FirstN(min(r.threads-id*r.engine.profile.Lanes, r.engine.profile.Lanes))
}
