package warp

import (
	"fmt"
	"strings"
	"unsafe"

	"example.com/warpsim/lane"
)

// The ways in which two accesses can be in each other's way, worst first.
const (
	conflictRace     = iota // undefined here
	conflictMet             // a collective stands between, which orders execution only
	conflictLockstep        // ordered here, because a warp's lanes go in step
	conflictBenign          // both write the same value
	numConflicts
)

// The accesses that a shadow tells of.
type accessOf uint8

const (
	byWriter accessOf = iota
	byReader
	bySecondReader
	byPlain
	byOther
)

// of returns which access of the shadow that is.
func (c *shadow) of(who accessOf) (block, thread, time uint32) {
	switch who {
	case byWriter:
		return c.writerBlock, uint32(c.writer), c.written
	case byReader:
		return c.readerBlock, uint32(c.reader), c.read
	case byPlain:
		return c.plainBlock, uint32(c.plainWriter), c.plain
	case byOther:
		return c.otherBlock, uint32(c.otherWriter), c.other
	}
	return c.read2Block, uint32(c.reader2), c.read2
}

func (s *shadowSites) of(who accessOf) uint32 {
	switch who {
	case byWriter:
		return s.writer
	case byReader:
		return s.reader
	case bySecondReader:
		return s.reader2
	}
	return 0
}

// A conflict is what one instruction is in the way of.
type conflict struct {
	lanes     lane.Mask // of this warp
	low, high int       // elements
	block     uint32    // of the other access
	thread    uint32
	kind      accessKind
	together  bool // another lane of the same instruction
	site      uint32
}

// conflict notes that lane l's access and another one of the shadow are not
// ordered.
func (s *sanitizer) conflict(w *Warp, a *access, l int, c *shadow, who accessOf, site *shadowSites) {
	b, o, t := c.of(who)
	own := b == s.id && o>>s.shift == uint32(w.id)
	twin := -1
	if own && who == byWriter && a.kind == accessStore {
		twin = lowerTwin(w.active, a.at, l)
	}
	class := conflictRace
	switch {
	case a.kind == accessStore && s.sameValue(a, l, twin):
		class = conflictBenign
	case own && !s.independent && twin < 0:
		class = conflictLockstep
	case own && t < s.warps[w.id].met && twin < 0:
		class = conflictMet
	}
	k := int(a.at[l]) // as the kernel numbers the elements
	f := &s.found[class]
	if f.lanes.Empty() {
		*f = conflict{low: k, high: k, block: b, thread: o, kind: accessStore, together: twin >= 0}
		switch {
		case who == byReader || who == bySecondReader:
			f.kind = accessLoad
		case c.flags&shadowAtomic != 0 && who != byPlain:
			f.kind = accessAtomic
		}
		if site != nil {
			f.site = site.of(who)
		}
	}
	f.lanes = f.lanes.With(l)
	f.low, f.high = min(f.low, k), max(f.high, k)
	a.trouble = true
}

// sameValue reports whether a store leaves the element as it is, or as the lane
// twin of the same instruction makes it.
func (s *sanitizer) sameValue(a *access, l, twin int) bool {
	n := a.view.size
	v := unsafe.Add(a.values, l*n)
	if twin >= 0 {
		return equalBytes(v, unsafe.Add(a.values, twin*n), n)
	}
	return equalBytes(v, unsafe.Add(a.view.data, (int(a.at[l])+a.view.offset)*n), n)
}

// report raises the faults of one instruction.
func (s *sanitizer) report(w *Warp, a *access, unset lane.Mask) {
	if !unset.Empty() {
		s.reportUnset(w, a, unset)
	}
	if !a.trouble {
		return
	}
	for class := range s.found {
		if f := s.found[class]; !f.lanes.Empty() {
			s.found[class].lanes = lane.Mask{}
			s.reportConflict(w, a, class, &f)
		}
	}
}

func (s *sanitizer) reportUnset(w *Warp, a *access, unset lane.Mask) {
	f := Fault{Kind: UninitializedShared, Lanes: unset}
	if !a.view.shared {
		f.Kind = UninitializedGlobal
	}
	if a.kind == accessAtomic || w.frontWords != nil {
		// An undefined value goes on, in memory or in a variable of Go: that is a use.
		f.Severity, f.cause = SeverityError, UndefinedUse
	}
	if w.repeatedAs(f.Severity, f.Kind, unset, lane.Mask{}, lane.Mask{}) {
		return
	}
	what, element := accessNames[a.kind], a.at[unset.First()]
	f.Detail = fmt.Sprintf("%s of element %d, which no thread of the block has written; the value is undefined", what, element)
	f.Advice = "store to the element before, and wait at a barrier"
	if !a.view.shared {
		f.Detail = fmt.Sprintf("%s of element %d of an array that started undefined, which no kernel has written", what, element)
		f.Advice = "store to the element before, or make the array with Global if the host fills it"
	}
	w.raise(f)
}

func (s *sanitizer) reportConflict(w *Warp, a *access, class int, c *conflict) {
	f := Fault{Kind: GlobalRace, Lanes: c.lanes}
	if a.view.shared {
		f.Kind = SharedRace
	}
	switch {
	case class == conflictBenign:
		f.Kind = BenignRace
	case !c.together && (class == conflictLockstep || class == conflictMet):
		f.Severity = SeverityWarning
	}
	if w.repeatedAs(f.Severity, f.Kind, f.Lanes, lane.Mask{}, lane.Mask{}) {
		return
	}
	var b strings.Builder
	b.WriteString(accessNames[a.kind])
	if c.low == c.high {
		fmt.Fprintf(&b, " of element %d", c.low)
	} else {
		fmt.Fprintf(&b, " of elements %d to %d", c.low, c.high)
	}
	other := accessNames[c.kind]
	warp, l := int(c.thread>>s.shift), int(c.thread)&(w.lanes-1)
	block := c.block == s.id
	own := block && warp == w.id
	switch {
	case c.together:
		fmt.Fprintf(&b, ", and lane %d stores to one of them in the same instruction", l)
	case own:
		fmt.Fprintf(&b, " meets the %s of lane %d of the same warp", other, l)
	case block:
		fmt.Fprintf(&b, " meets the %s of warp %d lane %d", other, warp, l)
	default:
		fmt.Fprintf(&b, " meets the %s of block %d warp %d lane %d", other, c.block, warp, l)
	}
	if c.site != 0 && !c.together {
		w.run.mu.Lock()
		fmt.Fprintf(&b, " at %s", w.run.sites[c.site])
		w.run.mu.Unlock()
	}
	switch {
	case class == conflictBenign:
		b.WriteString("; both leave the same value")
		f.Advice = "let one thread store it, or put a barrier between"
	case c.together:
		b.WriteString("; which value stays is undefined")
		f.Advice = "let one lane store, or give each an element of its own; Atomic combines them"
	case class == conflictLockstep:
		b.WriteString("; the lanes of this device go in step, those of others do not")
		f.Advice = "put SyncWarp between the accesses: it costs nothing here"
	case class == conflictMet:
		b.WriteString("; the collective between orders execution, not memory")
		f.Advice = "put SyncWarp between the accesses"
	case own:
		b.WriteString(" with no SyncWarp between; lanes need not go in step")
		f.Advice = "put SyncWarp between the accesses, or let only those lanes store that no other lane reads in this step"
	case !block:
		b.WriteString(" with nothing between that orders blocks")
		f.Advice = "use atomics for both, or let a fence and an atomic come after the one and an atomic and a fence before the other, or make two launches of it"
	default:
		b.WriteString(" with no barrier between")
		f.Advice = "put SyncBlock between the accesses, or use atomics for both"
	}
	f.Detail = b.String()
	w.raise(f)
}
