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

// A conflict is what one instruction is in the way of.
type conflict struct {
	lanes       lane.Mask // of this warp
	low, high   int       // elements
	other       uint32    // thread
	otherRead   bool
	otherAtomic bool
	together    bool // another lane of the same instruction
	site        uint32
}

// conflict notes that lane l's access and one of thread o are not ordered.
func (s *sanitizer) conflict(w *Warp, a *access, l int, o, t uint32, otherRead, otherAtomic bool, site *shadowSites) {
	own := o>>s.shift == uint32(w.id)
	twin := -1
	if own && !otherRead && a.kind == accessStore {
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
		*f = conflict{low: k, high: k, other: o, otherRead: otherRead, otherAtomic: otherAtomic, together: twin >= 0}
		if site != nil {
			f.site = site.writer
			if otherRead {
				f.site = site.reader
			}
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
	f := Fault{Kind: UninitializedShared, Lanes: unset,
		Detail: fmt.Sprintf("%s of element %d, which no thread of the block has written; the value is undefined",
			accessNames[a.kind], a.at[unset.First()]),
		Advice: "store to the element before, and wait at a barrier"}
	if a.kind == accessAtomic {
		f.Severity = SeverityError // an undefined value goes on in memory
	}
	w.raise(f)
}

func (s *sanitizer) reportConflict(w *Warp, a *access, class int, c *conflict) {
	f := Fault{Kind: GlobalRace, Lanes: c.lanes}
	if a.view.shared {
		f.Kind = SharedRace
	}
	var b strings.Builder
	b.WriteString(accessNames[a.kind])
	if c.low == c.high {
		fmt.Fprintf(&b, " of element %d", c.low)
	} else {
		fmt.Fprintf(&b, " of elements %d to %d", c.low, c.high)
	}
	other := accessNames[accessStore]
	switch {
	case c.otherRead:
		other = accessNames[accessLoad]
	case c.otherAtomic:
		other = accessNames[accessAtomic]
	}
	warp, l := int(c.other>>s.shift), int(c.other)&(w.lanes-1)
	own := warp == w.id
	switch {
	case c.together:
		fmt.Fprintf(&b, ", and lane %d stores to one of them in the same instruction", l)
	case own:
		fmt.Fprintf(&b, " meets the %s of lane %d of the same warp", other, l)
	default:
		fmt.Fprintf(&b, " meets the %s of warp %d lane %d", other, warp, l)
	}
	if c.site != 0 && !c.together {
		w.run.mu.Lock()
		fmt.Fprintf(&b, " at %s", w.run.sites[c.site])
		w.run.mu.Unlock()
	}
	switch {
	case class == conflictBenign:
		f.Kind = BenignRace
		b.WriteString("; both leave the same value")
		f.Advice = "let one thread store it, or put a barrier between"
	case c.together:
		b.WriteString("; which value stays is undefined")
		f.Advice = "let one lane store, or give each an element of its own; Atomic combines them"
	case class == conflictLockstep:
		f.Severity = SeverityWarning
		b.WriteString("; the lanes of this device go in step, those of others do not")
		f.Advice = "put SyncWarp between the accesses: it costs nothing here"
	case class == conflictMet:
		f.Severity = SeverityWarning
		b.WriteString("; the collective between orders execution, not memory")
		f.Advice = "put SyncWarp between the accesses"
	case own:
		b.WriteString(" with no SyncWarp between; lanes need not go in step")
		f.Advice = "put SyncWarp between the accesses, or let only those lanes store that no other lane reads in this step"
	default:
		b.WriteString(" with no barrier between")
		f.Advice = "put SyncBlock between the accesses, or use atomics for both"
	}
	f.Detail = b.String()
	w.raise(f)
}
