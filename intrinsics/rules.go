package intrinsics

import (
	"fmt"
	"strings"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
)

// ownNames replaces the engine's names in the advice of faults by those of this
// package.
var ownNames = strings.NewReplacer(
	"SyncBlock", "SyncThreads",
	"Barrier is for", "BarrierSync is for",
	"If or Where", "an if",
	"release registers with Mark and Release, or use a smaller type", "use a smaller type",
	", or Rank and CountMask on the mask register", "",
	"w.Live()", "AllLanes",
	"allocate registers, predicates and arrays in the kernel that uses them", "use threads and arrays only in the kernel that they belong to",
	"allocate registers in the kernel that uses them", "use threads and arrays only in the kernel that they belong to",
)

// serveLockstep issues a shuffle with member masks on a device whose lanes run
// in lockstep: those that are here take part, and the lanes that pass one mask
// must be the lanes that it names.
func (s *scheduler) serveLockstep(m lane.Mask, lead *Thread) {
	if s.alike || s.passing(m, lead.mask) == m {
		lead.op.issue(s, lead)
		return
	}
	// First the masks that are wrong by themselves.
	for left := m; !left.Empty(); {
		mask := s.threads[left.First()].mask
		pass := s.passing(left, mask)
		left = left.AndNot(pass)
		s.w.Front().NotInMask(pass.AndNot(mask), mask)
	}
	for left := m; !left.Empty(); {
		mask := s.threads[left.First()].mask
		pass := s.passing(left, mask)
		left = left.AndNot(pass)
		if who, gone := pass.And(mask), mask.AndNot(pass); !who.Empty() && !gone.Empty() {
			s.w.Front().Absent(who, gone, mask)
		}
	}
	s.maskless = true // any lane that is here may be a source
	lead.op.issue(s, lead)
}

// passing returns the lanes of m that pass a mask.
func (s *scheduler) passing(m, mask lane.Mask) (pass lane.Mask) {
	for l := range m.Lanes() {
		if s.threads[l].mask == mask {
			pass = pass.With(l)
		}
	}
	return pass
}

// outside reports whether a thread passes a member mask that does not name it.
func (t *Thread) outside() bool { return t.class == masked && !t.mask.Has(t.lane) }

// badFirst returns, instead of a group that can go on, lanes that ask for the same
// at the same place with a mask that does not name them, if there are any: what is
// wrong with the others' masks follows from theirs.
func (s *scheduler) badFirst(group lane.Mask) lane.Mask {
	lead := &s.threads[group.First()]
	if lead.class != masked || lead.outside() {
		return group
	}
	for l := range s.waiting.AndNot(group).Lanes() {
		if t := &s.threads[l]; t.outside() && t.key == lead.key && t.place == lead.place {
			return s.likewise(t)
		}
	}
	return group
}

// likewise returns the lanes that wait with a mask that does not name them, the same
// as t's, for the same.
func (s *scheduler) likewise(t *Thread) (m lane.Mask) {
	for l := range s.waiting.Lanes() {
		if o := &s.threads[l]; o.outside() && o.key == t.key && o.mask == t.mask && o.place == t.place {
			m = m.With(l)
		}
	}
	return m
}

// checkNarrow faults the lanes of m whose mask type cannot name the lanes of the
// device, each with its own mask.
func (s *scheduler) checkNarrow(m lane.Mask) {
	var bad lane.Mask
	for l := range m.Lanes() {
		if s.threads[l].narrow > 0 {
			bad = bad.With(l)
		}
	}
	for !bad.Empty() {
		t := &s.threads[bad.First()]
		pass, bits := s.passing(bad, t.mask), t.narrow
		bad = bad.AndNot(pass)
		for l := range pass.Lanes() {
			s.threads[l].narrow = 0
		}
		s.current = t
		if s.w.Front().Repeated(warp.MaskTooNarrow, pass, lane.Mask{}, t.mask) {
			continue
		}
		advice := "use a Mask"
		if s.maskBits <= 64 {
			advice = "use a uint64 or a Mask"
		}
		s.w.Fail(warp.Fault{Kind: warp.MaskTooNarrow, Lanes: pass, Mask: t.mask, Site: s.placeOf(t).site(),
			Detail: fmt.Sprintf("a mask of %d bits, and masks of %s have %d", bits, s.w.Device().Name, s.maskBits),
			Advice: advice}, nil)
	}
	s.narrow = false
	for l := range s.waiting.AndNot(m).Lanes() {
		s.narrow = s.narrow || s.threads[l].narrow > 0
	}
}

// fail ends the run with the panic of a kernel.
func (s *scheduler) fail(t *Thread) {
	f := *t.failure
	f.Lanes, f.Detail = lane.Bit(t.lane), fmt.Sprintf("thread %s: %s", t.where(), f.Detail)
	s.w.Fail(f, f.Unwrap())
}

// stuck faults a warp none of whose lanes can go on, and returns the lanes that
// go on all the same if the run does not end.
func (s *scheduler) stuck(live lane.Mask) lane.Mask {
	for l := range s.waiting.Lanes() {
		if t := &s.threads[l]; t.outside() {
			return s.likewise(t) // what the others wait for follows from that
		}
	}
	if s.narrow {
		s.checkNarrow(s.waiting)
	}
	var groups []lane.Mask
	var texts []string
	var atBarrier lane.Mask
	kind := warp.MaskMismatch
	for left := s.waiting; !left.Empty(); {
		lead := &s.threads[left.First()]
		group, _ := s.group(lead, left, live)
		left = left.AndNot(group)
		groups = append(groups, group)
		if lead.class == barrier {
			kind = warp.Deadlock
			atBarrier = atBarrier.Or(group)
		} else if lead.key != s.threads[s.waiting.First()].key && kind == warp.MaskMismatch {
			kind = warp.MaskAbsent
		}
		texts = append(texts, s.describe(lead, group, live))
	}
	if kind == warp.Deadlock {
		if others := s.w.Front().OthersWaiting(); others != "" {
			texts = append(texts, others)
		}
	}
	first := s.toBlame(groups, atBarrier)
	lead := s.earliest(first)
	s.current = lead
	f := warp.Fault{Kind: kind, Lanes: first, Missing: s.missing(lead, first, live), Mask: lead.mask, Site: s.placeOf(lead).site(),
		Detail: strings.Join(texts, "; "),
		Advice: "let all lanes that the mask names reach the call, or name only those that do"}
	switch {
	case lead.class == barrier:
		f.Advice = "let all threads of the block reach the same barrier"
	case kind == warp.Deadlock:
		f.Advice = "name in the mask only the lanes that reach the call before the barrier"
	}
	s.w.Fail(f, nil)
	// The run collects faults: go on with those that came.
	for l := range first.Lanes() {
		s.threads[l].mask = first
	}
	return first
}

// toBlame returns which of the groups of a warp that is stuck is told of. A barrier
// waits rightly for lanes that a mask holds up: those whose mask names lanes which
// are at a barrier are to blame, then those whose mask names other lanes.
func (s *scheduler) toBlame(groups []lane.Mask, atBarrier lane.Mask) (first lane.Mask) {
	best := 0
	for _, g := range groups {
		rank, lead := 0, &s.threads[g.First()]
		if lead.class == masked {
			rank = 1
			if lead.mask.Overlaps(atBarrier) {
				rank = 2
			}
		}
		if first.Empty() || rank > best || rank == best && s.before(s.earliest(g), s.earliest(first)) {
			first, best = g, rank
		}
	}
	return first
}

// missing returns the live lanes that a group waits for.
func (s *scheduler) missing(lead *Thread, group, live lane.Mask) lane.Mask {
	m := live.AndNot(group)
	if lead.class == masked {
		m = m.And(lead.mask)
	}
	return m
}

// describe says where the lanes of a group wait and for whom.
func (s *scheduler) describe(lead *Thread, group, live lane.Mask) string {
	t := s.earliest(group)
	text := fmt.Sprintf("%s of warp %d (lanes %s) at %s (%s)", s.threadRange(group), s.w.ID(), group.Ranges(), lead.key, s.placeOf(t).site())
	if lead.class == masked {
		text += fmt.Sprintf(" with mask 0x%s", lead.mask.Hex(s.w.Width()))
	}
	return text + fmt.Sprintf(" wait for lanes %s", s.missing(lead, group, live).Ranges())
}

// threadRange names the threads of a group by their numbers in the block.
func (s *scheduler) threadRange(group lane.Mask) string {
	first, last := &s.threads[group.First()], &s.threads[group.Last()]
	if first == last {
		return "thread " + first.where()
	}
	return fmt.Sprintf("threads %s to %s", first.where(), last.where())
}

// Fail faults the calling thread, for packages that build on this one: site,
// block, warp and lanes are filled in. It does not return if the run ends.
func (t *Thread) Fail(f warp.Fault) {
	t.fault = &f
	t.ask(raise{}, keyRaise, free, lane.Mask{}, 0, 0)
}

type raise struct{}

func (raise) issue(s *scheduler, lead *Thread) {
	f := *lead.fault
	f.Lanes = s.w.Active()
	s.w.Fail(f, nil)
}

// checkDefined faults active lanes that get an undefined value: in a variable of Go
// nothing tells any more that it is undefined, so that this is its use.
func (s *scheduler) checkDefined(undefined lane.Mask) {
	bad := undefined.And(s.w.Active())
	if !s.maskless {
		bad = bad.And(s.members) // the others have a fault of their own
	}
	if !bad.Empty() && !s.w.Front().Repeated(warp.UndefinedUse, bad, lane.Mask{}, lane.Mask{}) {
		s.w.Fail(warp.Fault{Kind: warp.UndefinedUse, Lanes: bad, Detail: "an undefined value becomes one of Go",
			Advice: "let the source lane take part, or ask in a branch of the lanes whose source does"}, nil)
	}
}
