package warp

import (
	"context"
	"sync"

	"example.com/warpsim/warp/internal/order"
)

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
	totals totals  // of all groups of blocks that this one has been in this run

	// Of the group of blocks that it is at present.
	begun    int           // warps that have begun, the first ones
	running  int           // warps that are not done
	awaiting int           // warps in stateAwaitsTurn
	full     bool          // some warp is in stateFull
	quota    int64         // instructions of a warp at which its block lets the others catch up
	locating bool          // warps that wait are asked where
	ahead    bool          // an earlier group may still fail, and then this one has not run
	undo     *undoLog      // what it has overwritten while it was ahead, nil: nothing so far
	turn     turnState     // of what depends on the order of blocks
	log      *reductionLog // nil: nothing has been deferred
	counted                // of the warps that are done
	err      error
	faults   faultList
	watch    *watch    // nil: memory has not been watched so far
	explorer *explorer // nil: the engine's own order
	changes  int64     // see Front.Changed

	coroutines []*coroutine
	started    int          // how many of them, from the first on, exist in this run
	idle       []*coroutine // of these, those that run no kernel

	places sitesKnown
	known  knownRecords
	order  *order.Scheduler // nil: instructions stay as they are written
	// records are those of the present blocks, by slot; not if the run is
	// ValuesOnly.
	records []*blockRecords
}

// prepare makes the group fit for a run.
func (g *group) prepare(r *run) error {
	g.run = r
	p := r.engine.profile
	g.beginWatch()
	if e := r.engine; g.order == nil && r.clock != nil && e.config.Order == AsCompiled && e.table != nil {
		g.order = order.New(e.table, p.Limits.RegistersPerLane)
	}
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
	return nil
}

// runBlocks runs the blocks of group i.
func (g *group) runBlocks(ctx context.Context, r *run, i int) error {
	g.index, g.used = i, min(r.perGroup, r.blocks-i*r.perGroup)
	live := g.warps[:g.used*r.warps]
	g.begun, g.running, g.awaiting = 0, len(live), 0
	g.full, g.locating, g.turn = false, false, turnAhead
	g.quota = bufferRecords
	g.ctx, g.err, g.faults = ctx, nil, faultList{}
	g.counted.reset()
	g.beginExplore()
	g.beginBlocks()
	var err error
	switch {
	case r.drive != nil:
		err = g.drive(live)
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
	if !g.ahead { // or else when its turn comes
		g.totals.count(&g.counted)
	}
	return nil
}

// beginBlocks makes the blocks of the group, and their warps, ready to run.
func (g *group) beginBlocks() {
	r := g.run
	c := &r.engine.config
	if r.clock != nil {
		g.records = r.clock.room(g.records, g.used, r.warps)
	}
	for slot, b := range g.blocks[:g.used] {
		b.begin(g, g.index*r.perGroup+slot, g.warps[slot*r.warps:(slot+1)*r.warps])
		for id, w := range b.warps {
			w.run, w.group = r, g
			w.watch(c)
			w.rest()
			w.stream.begin(c.Sites)
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
	w.state, w.endedAt = stateDone, w.block.releases
	g := w.group
	g.running--
	for op := range w.counts {
		g.counts[op] += w.counts[op]
	}
	g.conflicts += w.conflicts
	g.totals.shared = max(g.totals.shared, w.sharedUsed)
	w.countLanes()
	g.lanes += w.laneSteps
	g.booked.add(booked{w.lanewise, w.booked})
	w.block.warpDone()
}

// fail ends the group with a fault.
func (g *group) fail(f *Fault) {
	if g.err == nil {
		f.Count = 1
		g.err = f
	}
}

// settle puts away the records of a group all of whose warps are done.
func (g *group) settle(live []*Warp) error {
	if g.run.clock == nil {
		return nil
	}
	if err := g.advance(live, true); err != nil {
		return err
	}
	g.run.clock.supply(g)
	return nil
}

// end makes the group ready for another run. What a kernel defers runs here, and
// may end the goroutine.
func (g *group) end() {
	defer func() {
		if g.log != nil {
			g.log.clear()
		}
		g.totals.reset()
		g.places.forget()
		g.faults, g.turn = faultList{}, turnAhead
		g.run, g.ctx = nil, nil
	}()
	g.stopAll()
}

// A pool keeps used things for the next run: a group of blocks' worth of simulated
// hardware, a log.
type pool[T any] struct {
	mu   sync.Mutex
	idle []*T
}

// take returns a used thing, a zero one if there is none.
func (p *pool[T]) take() *T {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.idle)
	if n == 0 {
		return new(T)
	}
	x := p.idle[n-1]
	p.idle = p.idle[:n-1]
	return x
}

func (p *pool[T]) giveBack(x *T) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, x)
}
