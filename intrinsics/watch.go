package intrinsics

// Where what a lane passes does not tell its turns, the counters of the loops do,
// see package flow. Each lane reads those in its own frames when it asks.

// A watched is one counter, of the loop that is the n-th around a place.
type watched struct {
	n          int
	depth, off int // where stackWord finds it, from see
	shift      int // bits of the word that are not its own
}

// A view is what a thread has read of the counters of the loops around its place.
type view struct {
	path  uint64
	of    *place // nil: not known then
	loops []uint64
}

// watch makes a place know which counters to read.
func (s *scheduler) watch(p *place) {
	for i := range p.frames {
		f := &p.frames[i]
		if f.fn == nil || f.fn.Depth(f.node) == 0 {
			continue
		}
		unsure := f.fn.Unsure()
		for _, inner := range p.frames[i+1:] {
			// What it calls may ask once more, or be called once more.
			unsure = unsure || inner.level < 0 && (inner.fn == nil || inner.fn.GoesOn())
		}
		if !unsure {
			continue
		}
		for d, slots := range f.fn.Counters(f.node) {
			for _, slot := range slots {
				p.sees |= 1 << (f.at + d) // those from the 65th on are not looked at
				p.watched = append(p.watched, watched{n: f.at + d, depth: len(p.frames) - i + 1, off: slot.Off, shift: 64 - 8*slot.Size})
			}
		}
	}
	s.watching = s.watching || len(p.watched) > 0
}

// look reads the counters where the thread asks; again: for the same request.
//
//go:noinline
func (t *Thread) look(again bool) {
	if !again {
		t.seen, t.saw = t.saw, t.seen
	}
	v := &t.saw
	if t.seen.of != nil && t.seen.path == t.path {
		v.of = t.seen.of
	} else {
		v.of = t.s.places[t.path]
	}
	v.path, t.turned = t.path, -1
	if v.of == nil || v.of.watched == nil {
		return
	}
	if len(v.loops) < v.of.turns {
		v.loops = make([]uint64, v.of.turns)
	}
	clear(v.loops)
	for i := range v.of.watched {
		w := &v.of.watched[i]
		v.loops[w.n] = (v.loops[w.n] ^ stackWord(w.depth, w.off)<<w.shift) * 0x9E3779B97F4A7C15
	}
	if last := t.seen.of; last != nil && last.frames != nil {
		t.turned = t.begun(last, v.of, v.of.passageFrom(last).both)
	}
}

// lookAgain lets a thread, which has asked before its place was known, look.
func (s *scheduler) lookAgain(t *Thread) {
	s.locating = locateCounters
	t.next()
}

// begun returns the outermost of the first n loops around both a thread's last
// place and p of which the counters tell that the thread has begun a turn, -1 if
// they tell of none.
func (t *Thread) begun(last, p *place, n int) int {
	if t.seen.of == last && t.saw.of == p && last.watched != nil {
		for i := range n {
			if last.sees&p.sees>>i&1 != 0 && t.seen.loops[i] != t.saw.loops[i] {
				return i
			}
		}
	}
	return -1
}
