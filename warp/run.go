package warp

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"
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
	perGroup, groups       int
	sharedLimit            int

	_        apart // every instruction reads what is above
	mu       sync.Mutex
	turn     sync.Cond             // signals that finished changed
	finished int                   // groups done, counted from the first without a gap
	doneSet  map[int]bool          // further ones
	ordered  int                   // groups that have computed all values, counted likewise
	valueSet map[int]*reductionLog // of further ones, what is still to be done in their turn
	queued   int                   // logs in valueSet
	applying bool                  // a worker does what is to be done, that of group ordered first
	failed   bool
	err      error
	errGroup int
	faults   faultList         // of the groups up to finished
	pending  map[int]faultList // of groups that are done before their turn
	sites    []Site            // index 0 is the unknown site
	unknown  [1]Site           // where sites begin
	siteOfPC map[uintptr]uint32
	totals   totals
	next     int // the next group to hand out
	blocksOK int
	schedule []ScheduleStep
}

// apart keeps what workers write from the cache lines, which processors fetch in
// pairs, of what they read.
type apart [128]byte

func newRun(e *Engine, l Launch, k Kernel) *run {
	r := &run{
		engine: e, launch: l, kernel: k,
		threads: l.Threads.Count(), blocks: l.Blocks.Count(),
		errGroup: -1, sharedLimit: e.profile.Limits.SharedPerBlock,
	}
	r.turn.L = &r.mu
	r.sites = r.unknown[:]
	r.warps = (r.threads + e.profile.Lanes - 1) / e.profile.Lanes
	r.perGroup = r.residency()
	r.groups = (r.blocks + r.perGroup - 1) / r.perGroup
	return r
}

// residency is how many blocks share a multiprocessor: as many as the limits
// allow, but no more than it takes to spread the grid over all of them.
func (r *run) residency() int {
	lim := &r.engine.profile.Limits
	n := lim.BlocksPerMultiprocessor
	n = min(n, lim.WarpsPerMultiprocessor/r.warps, lim.ThreadsPerMultiprocessor/(r.warps*r.engine.profile.Lanes))
	if s := r.launch.Shared + lim.SharedReserved; s > 0 {
		n = min(n, lim.SharedPerMultiprocessor/s)
	}
	if c := r.engine.config.Resident; c > 0 {
		n = min(n, c)
	}
	if r.engine.config.Seed == 0 { // other schedules mix as many blocks as they can
		n = min(n, (r.blocks+lim.Multiprocessors-1)/lim.Multiprocessors)
	}
	n = min(n, r.blocks)
	return max(n, 1)
}

// execute runs all groups and returns the first error in the order of groups.
func (r *run) execute(ctx context.Context) error {
	workers := r.engine.config.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	if r.engine.config.Observer != nil || r.engine.config.Seed != 0 {
		workers = 1
	}
	workers = max(1, min(workers, r.groups))
	if err := ctx.Err(); err != nil {
		return err
	}
	// Never on the caller's goroutine: a kernel that ends its goroutine
	// (runtime.Goexit, a test's FailNow) ends one of these.
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() { r.work(ctx) })
	}
	wg.Wait()
	return r.err
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
	i, ok := r.take(g)
	for ok {
		at = inEngine
		if err = ctx.Err(); err == nil {
			err = g.runBlocks(ctx, r, i)
		}
		next, more := r.finish(i, err, g)
		at = inProgress
		r.progress()
		i, ok = next, more
	}
	at = inOrder
}

// take hands out the next group.
func (r *run) take(g *group) (i int, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.takeLocked(g)
}

func (r *run) takeLocked(g *group) (i int, ok bool) {
	if r.next >= r.groups || r.failed {
		return 0, false
	}
	i = r.next
	r.next++
	g.inTurn = r.ordered >= i
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
	p(r.blocksOK, r.blocks)
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
	}
	return fmt.Errorf("warp: the engine failed, which is a mistake of this library: %v", p)
}

// finish books a group that has ended, and hands out the next one: the lock and
// what it guards come from another processor's cache each time.
func (r *run) finish(i int, err error, g *group) (next int, ok bool) {
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
		r.blocksOK += g.used
	}
	if x := g.explorer; x != nil {
		r.schedule = append(r.schedule, x.steps[:min(len(x.steps), maxSteps-len(r.schedule))]...)
		x.steps = nil
	}
	if len(g.faults.list) > 0 {
		if r.pending == nil {
			r.pending = map[int]faultList{}
		}
		r.pending[i] = g.faults
		g.faults = faultList{}
	}
	r.valued(i, nil)
	if i != r.finished { // most groups come in order
		if r.doneSet == nil {
			r.doneSet = map[int]bool{}
		}
		r.doneSet[i] = true
	}
	for i == r.finished || r.doneSet[r.finished] {
		// In the order of groups, and none that a failed one came before, so
		// that the list does not depend on who was faster.
		if f, ok := r.pending[r.finished]; ok && (r.errGroup < 0 || r.finished <= r.errGroup) {
			r.faults.merge(&f)
		}
		delete(r.pending, r.finished)
		delete(r.doneSet, r.finished)
		r.finished++
	}
	r.turn.Broadcast()
	return r.takeLocked(g)
}

// final reports whether nothing sensible can follow a fault of this kind.
func (k FaultKind) final() bool {
	switch k {
	case Deadlock, OutOfBounds, Unsupported, RegisterFile, SharedMemory, WrongWarp, BadInstruction, KernelPanic, BarrierMismatch:
		return true
	}
	return false
}

// totals is what groups add up.
type totals struct {
	instructions int64
	conflicts    int64
	byOp         [isa.NumOps]int64
	time         timing.Totals
	bySite       []timing.SiteTotals
	perSM        []timing.Cycle // cycles by multiprocessor
}

// reset clears t in place: a composite literal would take a kilobyte of the
// small stack that a run's goroutines start with.
func (t *totals) reset() {
	t.instructions, t.conflicts = 0, 0
	clear(t.byOp[:])
	t.time = timing.Totals{}
	t.bySite, t.perSM = t.bySite[:0], t.perSM[:0]
}

func (t *totals) add(o *totals) {
	t.instructions += o.instructions
	t.conflicts += o.conflicts
	for i := range t.byOp { // not a copy: a run's goroutines start on small stacks
		t.byOp[i] += o.byOp[i]
	}
	t.time.Add(&o.time)
	t.addSites(o.bySite)
	for sm, c := range o.perSM {
		t.addTime(sm, c)
	}
}

func (t *totals) addSites(sites []timing.SiteTotals) {
	for len(t.bySite) < len(sites) {
		t.bySite = append(t.bySite, timing.SiteTotals{})
	}
	for i := range sites {
		t.bySite[i].Count += sites[i].Count
		t.bySite[i].Cycles.Add(&sites[i].Cycles)
	}
}

// addTime gives a group's time to the multiprocessor that runs it.
func (t *totals) addTime(sm int, c timing.Cycle) {
	for len(t.perSM) <= sm {
		t.perSM = append(t.perSM, 0)
	}
	t.perSM[sm] += c
}

// liveLanes returns the lanes that warp id of a block has.
func (r *run) liveLanes(id int) lane.Mask {
	return lane.FirstN(min(r.threads-id*r.engine.profile.Lanes, r.engine.profile.Lanes))
}
