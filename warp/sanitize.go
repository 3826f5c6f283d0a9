package warp

import (
	"math/bits"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp/isa"
)

// A sanitizer watches the memory of one running block: which thread accessed
// what last, and which accesses are ordered by barriers. Time is a count that
// rises with everything that orders accesses; an access is stamped with it. Two
// accesses are ordered if an event between them says so:
//
//   - a barrier that all live warps wait at orders everything before it: floor;
//   - a SyncWarp of all live lanes orders what the warp did: warpClock.floor;
//   - a SyncWarp of some lanes orders these: warpClock.lanes;
//   - a named barrier that some warps wait at, and a fence before an atomic
//     that is followed by an atomic and a fence elsewhere, order what the one
//     side did before what the other does after: warpClock.known.
//
// Collectives order execution, but the languages do not say that they order
// memory: see warpClock.met. A lane that has exited has nothing more to do, so a
// collective that comes after orders its accesses.
//
// Times go on from block to block, so that the stamps of an earlier block lie
// before the start of the present one and nothing is ever cleared.
type sanitizer struct {
	block       *block
	check       bool // Config.Sanitize
	independent bool // lanes of one warp are not ordered by themselves
	sites       bool // source lines of accesses are recorded
	volatile    bool // the access under way is a volatile load
	shift       uint8

	now, start, floor uint32
	warps             []warpClock
	bars              []barrierClock
	flags             map[flagKey][]uint32 // what atomics published, by warp
	found             [numConflicts]conflict

	shared     []region // by declaration
	global     map[uint64]*region
	last       *region // of global memory
	pages      []*page
	pagesUsed  int
	pagesLimit int
	pageTurn   int // the next page to take away when there are no more

	explore *explorer
}

// A warpClock is what one warp knows of the order of accesses.
type warpClock struct {
	floor   uint32   // its own accesses before this time are ordered
	met     uint32   // its lanes have met at a collective since accesses before this time
	calls   int64    // collectives up to its last access
	fenced  uint32   // its accesses before this time came before a fence
	known   []uint32 // by warp: accesses before this time are ordered before what comes now
	pending []uint32 // what a fence will make known
	lint    lintState
	partial bool     // lanes says more than floor
	lanes   []uint32 // by lane and lane: accesses of the second before this time are ordered
}

// A barrierClock is what the warps that have arrived at a barrier knew.
type barrierClock struct {
	times []uint32 // by warp, 0: not arrived
}

// maxTime is when the times start again, which loses what is between the last
// barrier and now.
const maxTime = 1<<32 - 1<<16

// beginSanitize makes the sanitizer fit for the block that starts.
func (b *block) beginSanitize() {
	c := &b.group.run.engine.config
	if !c.Sanitize && c.Seed == 0 {
		return
	}
	s := b.san
	if s == nil {
		p := b.group.run.engine.profile
		s = &sanitizer{
			block: b, check: c.Sanitize, sites: c.Sites,
			independent: p.Rules.IndependentThreads,
			shift:       uint8(bits.TrailingZeros(uint(p.Lanes))),
			global:      map[uint64]*region{},
		}
		b.san = s
	}
	if s.now >= maxTime {
		s.restart()
	}
	s.now++
	s.start, s.floor = s.now, s.now
	n := b.group.run.warps
	for len(s.warps) < n {
		s.warps = append(s.warps, warpClock{})
	}
	for i := range s.warps[:n] {
		c := &s.warps[i]
		c.floor, c.fenced, c.partial = s.now, 0, false
		c.met, c.calls, c.lint = 0, 0, lintState{}
		clear(c.known)
		clear(c.pending)
	}
	for len(s.bars) < len(b.bars) {
		s.bars = append(s.bars, barrierClock{})
	}
	for i := range s.bars {
		clear(s.bars[i].times)
	}
	clear(s.flags)
	s.pagesUsed, s.volatile = 0, false
	s.pagesLimit = max(16, maxPages/b.group.run.perGroup)
	s.explore = b.group.explorer
}

// tick makes what follows later than what was.
func (s *sanitizer) tick() uint32 {
	if s.now >= maxTime {
		s.restart()
	}
	s.now++
	return s.now
}

// restart begins to count time again.
func (s *sanitizer) restart() {
	for i := range s.shared {
		clear(s.shared[i].cells)
	}
	for _, p := range s.pages {
		clear(p.cells[:])
	}
	s.now = 1
	s.start, s.floor = 1, 1
	for i := range s.warps {
		s.warps[i].floor, s.warps[i].fenced, s.warps[i].partial, s.warps[i].met = 1, 0, false, 0
		clear(s.warps[i].known)
		clear(s.warps[i].pending)
	}
	for i := range s.bars {
		clear(s.bars[i].times)
	}
	clear(s.flags)
}

// ordered reports whether an access of thread o at time t comes before what
// thread c does now.
func (s *sanitizer) ordered(c, o uint32, t uint32) bool {
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

// syncWarp orders the accesses of the lanes of a mask.
func (s *sanitizer) syncWarp(w *Warp, mask lane.Mask) {
	c := &s.warps[w.id]
	now := s.tick()
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
	}
	join(b.times, s.warps[w.id].known)
	b.times[w.id] = s.tick()
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
	if waiting >= s.block.liveWarps {
		s.floor = now
		return
	}
	for _, w := range bar.waiting {
		s.acquire(w.id, b.times, now)
	}
	if last != nil {
		s.acquire(last.id, b.times, now)
	}
}

// acquire makes times known to a warp whose lanes have all waited.
func (s *sanitizer) acquire(warp int, times []uint32, now uint32) {
	c := &s.warps[warp]
	c.floor, c.partial = now, false
	c.known = s.sized(c.known)
	join(c.known, times)
}

// sized returns a vector of one time a warp, v if it is long enough.
func (s *sanitizer) sized(v []uint32) []uint32 {
	if n := len(s.block.warps); len(v) < n {
		v = append(v, make([]uint32, n-len(v))...)
	}
	return v
}

// join raises the times of a to those of b.
func join(a, b []uint32) {
	for i, t := range b[:min(len(a), len(b))] {
		a[i] = max(a[i], t)
	}
}

// A flagKey is an element that atomics work on.
type flagKey struct {
	array  uint64
	shared bool
	index  int
}

// published reports whether thread c has seen an atomic that came after a fence
// after an access of thread o at time t. Code that takes a ticket and then
// reads with volatile loads has no fence of its own, and devices' own examples
// are written so.
func (s *sanitizer) published(c, o uint32, t uint32) bool {
	p := s.warps[c>>s.shift].pending
	return len(p) > 0 && t < p[o>>s.shift]
}

// fence orders the warp's accesses before it before its atomics after it, and
// the atomics of others that it has seen before its accesses after it.
func (s *sanitizer) fence(w *Warp) {
	c := &s.warps[w.id]
	c.fenced = s.tick()
	if len(c.pending) > 0 {
		c.known = s.sized(c.known)
		join(c.known, c.pending)
	}
}

// publish notes what others may learn from an atomic on an element, and what the
// warp learns from those of others.
func (s *sanitizer) publish(w *Warp, key flagKey, read, write bool) {
	seen := s.flags[key]
	c := &s.warps[w.id]
	if read && seen != nil {
		c.pending = s.sized(c.pending)
		join(c.pending, seen)
	}
	if !write || c.fenced == 0 {
		return
	}
	if s.flags == nil {
		s.flags = map[flagKey][]uint32{}
	}
	seen = s.sized(seen)
	join(seen, c.known)
	seen[w.id] = max(seen[w.id], c.fenced)
	s.flags[key] = seen
}

// noteCollectives finds out whether the warp has had a collective since its last
// access.
func (s *sanitizer) noteCollectives(w *Warp) {
	n := int64(0)
	for _, op := range [...]isa.Op{isa.ShflIdx, isa.ShflUp, isa.ShflDown, isa.ShflXor,
		isa.Vote, isa.Ballot, isa.MatchAny, isa.MatchAll, isa.Redux, isa.Elect} {
		n += w.counts[op]
	}
	if c := &s.warps[w.id]; n != c.calls {
		c.calls, c.met = n, s.tick()
	}
}
