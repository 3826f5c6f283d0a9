package warp

import "example.com/warpsim/lane"

// A flagKey is an element that atomics work on: where it lies, and the block for
// shared memory, whose place other blocks use after it.
type flagKey struct {
	at    uintptr
	block int // -1: global memory
}

// A flag is what atomics on one element have published.
type flag struct {
	entries map[uint32][]entry   // by block, in the order of time
	last    uint32               // time of the last one
	view    *acquired            // what all those that published had acquired
	whole   *acquired            // what an acquirer gets now, nil: not yet made
	passed  map[uint32]*acquired // by block, what those of it that published had acquired
}

// An entry is one thread's atomic after a fence.
type entry struct {
	at         uint32 // time of the atomic
	upTo       uint32 // and of the last one that says the same: a lane may spin
	lane       uint16
	mark       *mark    // nil: the thread itself has had no fence
	fences     []uint32 // of all threads of the block before its last barrier
	synced     []uint32 // of all lanes of the warp before its last SyncWarp
	near       *mark    // as mark, and nearSynced as synced, for fences of the block too
	nearSynced []uint32
	warp       uint32
}

// A mark is what was ordered before a fence.
type mark struct {
	time  uint32   // of the thread's own accesses, those before this time
	floor uint32   // of the block's
	warp  uint32   // of the warp's
	row   []uint32 // by lane of the warp, nil: no more than warp says
	known []uint32 // by warp of the block, nil: no more than floor says
	view  *acquired
}

// covers reports whether an access of thread o of the entry's block at time t is
// ordered before the entry, for one that acquires it: near, in the same block.
func (e *entry) covers(x *watch, o, t uint32, near bool) bool {
	warp, l := o>>x.shift, o&(1<<x.shift-1)
	own := warp == e.warp && (!x.independent || l == uint32(e.lane))
	m, synced := e.mark, e.synced
	if near {
		m, synced = e.near, e.nearSynced
	}
	if own && t >= e.at && t <= e.upTo || int(o) < len(e.fences) && t < e.fences[o] || warp == e.warp && synced != nil && t < synced[l] {
		return true
	}
	if m == nil {
		return false
	}
	return t < m.floor || own && t < m.time || m.known != nil && t < m.known[warp] ||
		warp == e.warp && (t < m.warp || m.row != nil && t < m.row[l])
}

// An acquired is what a thread has acquired: of each flag, the entries before a time.
// It never changes. nil is nothing.
type acquired struct {
	all   uint32 // everything before this time
	flags map[*flag]uint32
}

// maxView bounds the flags of a view. One that would have more takes everything so
// far as acquired.
const maxView = 4096

// covers reports whether the view has an access of thread o of block b at time t;
// near says that it is the view of a thread of b.
func (v *acquired) covers(x *watch, b, o, t uint32, near bool) bool {
	if v == nil {
		return false
	}
	if t < v.all {
		return true
	}
	for f, before := range v.flags {
		entries := f.entries[b]
		for i := len(entries) - 1; i >= 0; i-- {
			if e := &entries[i]; e.at < before && e.covers(x, o, t, near) {
				return true
			}
		}
	}
	return false
}

// join returns what both views have.
func (v *acquired) join(o *acquired) *acquired {
	switch {
	case o == nil || v == o || v.has(o):
		return v
	case v == nil || o.has(v):
		return o
	}
	j := &acquired{all: max(v.all, o.all), flags: make(map[*flag]uint32, len(v.flags)+len(o.flags))}
	for f, t := range v.flags {
		j.flags[f] = t
	}
	for f, t := range o.flags {
		j.flags[f] = max(j.flags[f], t)
	}
	if len(j.flags) > maxView {
		for _, t := range j.flags {
			j.all = max(j.all, t)
		}
		j.flags = nil
	}
	return j
}

// has reports whether o has nothing that v lacks.
func (v *acquired) has(o *acquired) bool {
	if v == nil || o.all > v.all || len(o.flags) > len(v.flags) {
		return false
	}
	for f, t := range o.flags {
		if v.flags[f] < t {
			return false
		}
	}
	return true
}

// seen returns what one that sees the flag now acquires.
func (f *flag) seen() *acquired {
	if f.whole == nil {
		f.whole = f.view.join(&acquired{flags: map[*flag]uint32{f: f.last + 1}})
	}
	return f.whole
}

// threadsOf returns the clocks of a warp's threads.
func (s *sanitizer) threadsOf(c *warpClock) []threadClock {
	if c.threads == nil {
		c.threads = make([]threadClock, 1<<s.shift)
		s.viewed = true
	}
	return c.threads
}

// fence orders the accesses of the active lanes before it before their atomics
// after it, and the atomics of others that they have seen before their accesses
// after it: for all threads, or for those of the block.
func (s *sanitizer) fence(w *Warp, all bool) {
	if s.explore != nil {
		s.explore.pause(w) // what others do between an atomic and a fence may matter
	}
	c := &s.warps[w.id]
	s.threadsOf(c)
	lanes := s.together(w)
	now := s.tick()
	s.fenced, c.fenced = true, true
	if s.late != nil {
		s.fenceLate(w, lanes, now, all)
	}
	var last *mark
	for l := range lanes.Lanes() {
		t := &c.threads[l]
		t.view = t.view.join(t.passed)
		t.inBlock = t.inBlock.join(t.pending)
		t.nearFence = now
		if all {
			t.view = t.view.join(t.pending)
			t.fence = now
		}
		if last == nil || c.partial || last.view != t.view {
			last = &mark{time: now, floor: s.floor, warp: c.floor, view: t.view}
			if c.partial {
				last.row = append(last.row, c.lanes[l*w.lanes:(l+1)*w.lanes]...)
			}
			if len(c.known) > 0 {
				last.known = append(last.known, c.known...)
			}
		}
		if t.near = last; all {
			t.mark = last
		}
	}
}

// together returns the lanes that what the active lanes do counts for: all if they
// go in step.
func (s *sanitizer) together(w *Warp) lane.Mask {
	if s.independent {
		return w.active
	}
	return w.live
}

// publish notes what others may learn from an atomic of a lane on an element, and
// what the lane learns from those of others.
func (s *sanitizer) publish(w *Warp, l int, key flagKey, write bool) {
	f := s.flags[key]
	c := &s.warps[w.id]
	if f != nil {
		got := views{pending: f.seen(), passed: f.passed[s.id]}
		if s.threadsOf(c); s.independent {
			c.threads[l].join(&got)
		} else {
			for i := range c.threads {
				c.threads[i].join(&got)
			}
		}
	}
	if !write {
		return
	}
	e := entry{lane: uint16(l), warp: uint32(w.id), fences: s.fences, synced: c.synced, nearSynced: c.near}
	if c.threads != nil {
		e.mark, e.near = c.threads[l].mark, c.threads[l].near
	}
	if e.near == nil && e.fences == nil && e.nearSynced == nil {
		return
	}
	if f == nil {
		f = &flag{entries: map[uint32][]entry{}, passed: map[uint32]*acquired{}}
		if s.flags == nil {
			s.flags = map[flagKey]*flag{}
		}
		s.flags[key] = f
	}
	e.at = s.tick()
	e.upTo = e.at
	list := f.entries[s.id]
	if n := len(list); n > 0 && list[n-1].same(&e) {
		list[n-1].upTo = e.at
	} else {
		f.entries[s.id] = append(list, e)
		s.kept++
	}
	if e.mark != nil {
		f.view = f.view.join(e.mark.view)
	}
	if e.near != nil && e.near.view != nil {
		f.passed[s.id] = f.passed[s.id].join(e.near.view)
	}
	f.last, f.whole = e.at, nil
	if s.kept > maxEntries {
		s.forget()
	}
}

// maxEntries bounds what flags keep. A run with more forgets all accesses so far.
const maxEntries = 1 << 18

// same reports whether two entries say the same.
func (e *entry) same(o *entry) bool {
	return e.mark == o.mark && e.near == o.near && e.lane == o.lane && e.warp == o.warp &&
		sameSlice(e.fences, o.fences) && sameSlice(e.synced, o.synced) && sameSlice(e.nearSynced, o.nearSynced)
}

func sameSlice(a, b []uint32) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// keepFences notes, at a barrier of the block, which fences its threads have had:
// an atomic of one thread after it publishes what the others did before theirs.
func (s *sanitizer) keepFences() {
	if !s.fenced {
		return
	}
	s.fenced = false
	fences := make([]uint32, len(s.block.warps)<<s.shift)
	for i := range s.block.warps {
		for l, t := range s.warps[i].threads {
			fences[i<<s.shift+l] = t.fence
		}
	}
	s.fences = fences
}

// syncThreads is syncWarp for what the threads know by fences and atomics.
func (c *warpClock) syncThreads(mask lane.Mask) {
	var v views
	for l := range mask.Lanes() {
		v.join(&c.threads[l].views)
	}
	for l := range mask.Lanes() {
		c.threads[l].views = v
	}
	if c.fenced {
		c.fenced = false
		synced, near := make([]uint32, len(c.threads)), make([]uint32, len(c.threads))
		copy(synced, c.synced)
		copy(near, c.near)
		for l := range mask.Lanes() {
			synced[l], near[l] = c.threads[l].fence, c.threads[l].nearFence
		}
		c.synced, c.near = synced, near
	}
}
