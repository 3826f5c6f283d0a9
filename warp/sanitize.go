package warp

import (
	"math/bits"

	"example.com/warpsim/crossbar"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp/isa"
)

// A sanitizer watches the memory of one running block: which thread accessed
// what last, and which accesses are ordered. Time is a count of the group's watch
// that rises with everything that orders accesses; an access is stamped with it.
// Two accesses are ordered if an event between them says so:
//
//   - a barrier that all live warps wait at orders everything that the block did
//     before it: floor;
//   - a SyncWarp of all live lanes orders what the warp did: warpClock.floor;
//   - a SyncWarp of some lanes orders these: warpClock.lanes;
//   - a named barrier that some warps wait at orders what the warps that arrived
//     did before: warpClock.known;
//   - a fence before an atomic, of one thread, and an atomic on the same element
//     followed by a fence, of another one in any block, order what the one did
//     before what the other does after: see acquired. Fences for the block do so
//     in the block.
//
// Collectives order execution, but the languages do not say that they order
// memory: see warpClock.met. A lane that has exited has nothing more to do, so a
// collective that comes after orders its accesses.
//
// Times go on from block to block and from run to run, so that the stamps of an
// earlier one lie before the start of the present one and nothing is ever cleared.
type sanitizer struct {
	*watch
	block    *block
	id       uint32 // of the block in the grid
	volatile bool   // the access under way is a volatile load
	fresh    bool   // it sees what all others have stored

	begun, floor uint32
	warps        []warpClock
	bars         []barrierClock
	fences       []uint32 // by thread, its last fence before the last barrier of the block; nil: none
	fenced       bool     // some thread has had a fence since
	viewed       bool     // some thread has a view
	lastFence    uint32   // of some thread, not one for the block alone; 0: none
	found        [numConflicts]conflict

	shared []region // by declaration

	explore *explorer
}

// A warpClock is what one warp knows of the order of accesses.
type warpClock struct {
	floor   uint32   // its own accesses before this time are ordered
	met     uint32   // its lanes have met at a collective since accesses before this time
	calls   int64    // collectives up to its last access
	known   []uint32 // by warp: accesses before this time are ordered before what comes now
	lint    lintState
	tree    warpTree
	partial bool     // lanes says more than floor
	lanes   []uint32 // by lane and lane: accesses of the second before this time are ordered

	threads []threadClock // by lane, nil: no fence and no flag so far
	synced  []uint32      // by lane, its last fence before the last SyncWarp with it; nil: none
	near    []uint32      // the same of fences for the block and for all
	fenced  bool          // some lane has had a fence since
}

// A threadClock is what a thread knows by fences and atomics.
type threadClock struct {
	fence uint32 // its last fence, 0: none
	mark  *mark  // what was ordered before it at that fence
	// The same with fences for the block.
	nearFence uint32
	near      *mark
	views
}

// views are what a thread has acquired by fences and atomics.
type views struct {
	view    *acquired // for all accesses
	inBlock *acquired // for those of the block
	pending *acquired // what goes into view at the next fence, and into inBlock at one for the block
	passed  *acquired // what threads of the block pass on: goes into view at either
}

// join adds what others have acquired.
func (v *views) join(o *views) {
	v.view, v.inBlock = v.view.join(o.view), v.inBlock.join(o.inBlock)
	v.pending, v.passed = v.pending.join(o.pending), v.passed.join(o.passed)
}

// A barrierClock is what the warps that have arrived at a barrier knew.
type barrierClock struct {
	times []uint32 // by warp, 0: not arrived
	views
}

// beginSanitize makes the sanitizer fit for the block that starts.
func (b *block) beginSanitize() {
	c := &b.group.run.engine.config
	if !c.Sanitize && c.Seed == 0 {
		return
	}
	s := b.san
	if s == nil {
		s = &sanitizer{watch: b.group.watching(), block: b}
		b.san = s
	}
	s.id = uint32(b.index)
	s.begin()
	s.explore = b.group.explorer
}

// begin forgets what the threads of the block know.
func (s *sanitizer) begin() {
	now := s.tick()
	s.begun, s.floor = now, now
	s.fences, s.fenced, s.viewed, s.volatile, s.lastFence = nil, false, false, false, 0
	n := s.block.group.run.warps
	for len(s.warps) < n {
		s.warps = append(s.warps, warpClock{})
	}
	for i := range s.warps[:n] {
		c := &s.warps[i]
		c.floor, c.partial, c.met, c.calls, c.lint = now, false, 0, 0, lintState{}
		c.threads, c.synced, c.near, c.fenced = nil, nil, nil, false
		clear(c.known)
		c.tree.begin()
	}
	for len(s.bars) < len(s.block.bars) {
		s.bars = append(s.bars, barrierClock{})
	}
	for i := range s.bars {
		clear(s.bars[i].times)
		s.bars[i].views = views{}
	}
}

// orderedIn reports whether an access of thread o of the block at time t comes
// before what thread c does now, leaving aside what fences and atomics order.
func (s *sanitizer) orderedIn(c, o, t uint32) bool {
	if t < s.floor || o == c {
		return true
	}
	wc, wo := c>>s.shift, o>>s.shift
	clock := &s.warps[wc]
	if wc == wo {
		lanes := uint32(1) << s.shift
		if t < clock.floor || t < clock.met && !s.block.warps[wc].live.Has(int(o&(lanes-1))) {
			return true
		}
		return clock.partial && t < clock.lanes[(c&(lanes-1))*lanes+o&(lanes-1)]
	}
	return len(clock.known) > 0 && t < clock.known[wo]
}

// ordered reports whether an access of thread o of block b at time t comes before
// what thread c does now. pending says that what c has seen without a fence
// counts, too: a volatile load, and a store, are not done ahead of the atomic that
// they depend on. Devices' own examples take a ticket and then read so.
func (s *sanitizer) ordered(c, b, o, t uint32, pending bool) bool {
	if b == s.id && s.orderedIn(c, o, t) {
		return true
	}
	if !s.viewed {
		return false
	}
	if k := s.warps[c>>s.shift].threads; k != nil {
		k, near := &k[c&(1<<s.shift-1)], b == s.id
		return k.view.covers(s.watch, b, o, t, near) || near && k.inBlock.covers(s.watch, b, o, t, near) ||
			pending && (k.pending.covers(s.watch, b, o, t, near) || k.passed.covers(s.watch, b, o, t, near))
	}
	return false
}

// syncWarp orders the accesses of the lanes of a mask.
func (s *sanitizer) syncWarp(w *Warp, mask lane.Mask) {
	c := &s.warps[w.id]
	now := s.tick()
	if c.threads != nil {
		c.syncThreads(mask)
	}
	if mask.Contains(w.live) {
		c.floor, c.partial = now, false
		if w.run.warps == 1 {
			s.floor = now
		}
		return
	}
	lanes := w.lanes
	if c.lanes == nil {
		c.lanes = make([]uint32, lanes*lanes)
	} else if !c.partial {
		clear(c.lanes)
	}
	c.partial = true
	first := mask.First()
	if first < 0 {
		return
	}
	row := c.lanes[first*lanes : (first+1)*lanes]
	for l := range mask.Lanes() {
		if l != first {
			for i, t := range c.lanes[l*lanes : (l+1)*lanes] {
				row[i] = max(row[i], t)
			}
		}
	}
	for l := range mask.Lanes() {
		row[l] = now
	}
	for l := range mask.Lanes() {
		copy(c.lanes[l*lanes:(l+1)*lanes], row)
	}
}

// arrive notes that a warp has come to a barrier, before it is complete. fresh
// says that it is the first.
func (s *sanitizer) arrive(w *Warp, id int, fresh bool) {
	b := &s.bars[id]
	n := w.run.warps
	if len(b.times) < n {
		b.times = append(b.times, make([]uint32, n-len(b.times))...)
	}
	if fresh {
		clear(b.times)
		b.views = views{}
	}
	c := &s.warps[w.id]
	raise(b.times, c.known)
	b.times[w.id] = s.tick()
	for i := range c.threads {
		b.join(&c.threads[i].views)
	}
}

// complete orders what the warps that have arrived at a barrier did before what
// those that wait there, and last if it is not nil, do from now on.
func (s *sanitizer) complete(id int, last *Warp) {
	bar, b := &s.block.bars[id], &s.bars[id]
	waiting := len(bar.waiting)
	if last != nil {
		waiting++
	}
	now := s.tick()
	// Warps that have ended are not missed at the block's barrier. At one of a
	// number of threads they may have arrived, and gone on.
	all := waiting >= len(s.block.warps) || bar.want == 0 && waiting >= s.block.liveWarps
	if all {
		s.floor = now
		s.keepFences()
	}
	for _, w := range bar.waiting {
		s.acquire(w.id, b, now, all)
	}
	if last != nil {
		s.acquire(last.id, b, now, all)
	}
}

// acquire makes what is known at a barrier known to a warp whose lanes have all
// waited.
func (s *sanitizer) acquire(warp int, b *barrierClock, now uint32, all bool) {
	c := &s.warps[warp]
	if b.views != (views{}) {
		for i := range s.threadsOf(c) {
			c.threads[i].join(&b.views)
		}
	}
	if all {
		return
	}
	c.floor, c.partial = now, false
	if n := len(s.block.warps); len(c.known) < n {
		c.known = append(c.known, make([]uint32, n-len(c.known))...)
	}
	raise(c.known, b.times)
}

// raise raises the times of a to those of b.
func raise(a, b []uint32) {
	for i, t := range b[:min(len(a), len(b))] {
		a[i] = max(a[i], t)
	}
}

// noteCollectives finds out whether the warp has had a collective since its last
// access.
func (s *sanitizer) noteCollectives(w *Warp) {
	n := w.collectives()
	if c := &s.warps[w.id]; n != c.calls {
		c.calls, c.met = n, s.tick()
	}
}

// collectives returns how many collectives the warp has issued.
func (w *Warp) collectives() (n int64) {
	for mode := range crossbar.NumModes {
		n += w.counts[shuffleOp(mode)]
	}
	for _, op := range [...]isa.Op{isa.Vote, isa.Ballot, isa.MatchAny, isa.MatchAll, isa.Redux, isa.Elect} {
		n += w.counts[op]
	}
	return n
}

// A watch is what the blocks of a run that one worker runs have in common: the
// time, and the accesses to global memory. All blocks of a run that is watched
// have the same worker.
type watch struct {
	engine      *Engine
	check       bool // Config.Sanitize
	independent bool // lanes of one warp are not ordered by themselves
	sites       bool // source lines of accesses are recorded
	shift       uint8

	now   uint32
	start uint32 // accesses to global memory before this time are ordered
	flags map[flagKey]*flag
	kept  int // entries in flags

	global globalShadow
	late   *lateStores               // nil: Config.Seed is not set
	unset  map[uint64]*unsetElements // by address of the array, nil: it starts defined
}

// maxTime is when the times of a worker start again with the next run, in which
// there is then no need for more.
const maxTime = 1 << 31

// watching returns the group's watch.
func (g *group) watching() *watch {
	if g.watch == nil {
		e := g.run.engine
		g.watch = &watch{
			engine: e, check: e.config.Sanitize, sites: e.config.Sites,
			independent: e.profile.Rules.IndependentThreads,
			shift:       uint8(bits.TrailingZeros(uint(e.profile.Lanes))),
		}
		g.watch.begin()
	}
	return g.watch
}

// beginWatch makes what the group has watched before fit for another run.
func (g *group) beginWatch() {
	switch {
	case g.watch == nil:
	case g.watch.now >= maxTime:
		g.watch = nil
		for _, b := range g.blocks {
			b.san = nil
		}
	default:
		g.watch.begin()
	}
}

// begin forgets what was before a run: its end orders everything.
func (x *watch) begin() {
	x.now++
	x.forget()
	x.unset = nil
	if seed := x.engine.config.Seed; seed != 0 {
		x.late = newLateStores(seed)
	}
}

// forget takes all accesses so far as ordered.
func (x *watch) forget() {
	x.start = x.now
	x.flags, x.kept = nil, 0
}

// tick makes what follows later than what was.
func (x *watch) tick() uint32 {
	if x.now++; x.now == 1<<32-1 {
		x.check, x.now = false, maxTime // a run of hours: it is no longer watched
	}
	return x.now
}
