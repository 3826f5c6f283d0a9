package intrinsics

import (
	"fmt"
	"strings"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
)

// serveLockstep issues a shuffle with member masks on a device whose lanes run
// in lockstep: those that are here take part, and the lanes that pass one mask
// must be the lanes that it names.
func (s *scheduler) serveLockstep(m lane.Mask, lead *Thread) {
	same := true
	if !s.alike {
		for l := range m.Lanes() {
			same = same && s.threads[l].mask == lead.mask
		}
	}
	if same {
		lead.op.issue(s, lead)
		return
	}
	for left := m; !left.Empty(); {
		t := &s.threads[left.First()]
		pass := lane.Mask{}
		for l := range left.Lanes() {
			if s.threads[l].mask == t.mask {
				pass = pass.With(l)
			}
		}
		left = left.AndNot(pass)
		if t.mask != pass {
			s.w.Fail(warp.Fault{Kind: warp.MaskNotActive, Lanes: pass, Mask: t.mask,
				Detail: fmt.Sprintf("lanes 0x%s pass mask 0x%s", pass.Hex(s.w.Width()), t.mask.Hex(s.w.Width())),
				Advice: "pass the mask of the lanes that are active here and pass it"}, nil)
		}
	}
	s.maskless = true // any lane that is here may be a source
	lead.op.issue(s, lead)
}

// checkNarrow faults the lanes of m whose mask type cannot name the lanes of the
// device.
func (s *scheduler) checkNarrow(m lane.Mask) {
	var bad lane.Mask
	for l := range m.Lanes() {
		if s.threads[l].narrow {
			s.threads[l].narrow = false
			bad = bad.With(l)
		}
	}
	s.narrow = false
	for l := range s.waiting.AndNot(m).Lanes() {
		s.narrow = s.narrow || s.threads[l].narrow
	}
	if !bad.Empty() {
		s.w.Fail(warp.Fault{Kind: warp.MaskTooNarrow, Lanes: bad, Mask: s.threads[bad.First()].mask,
			Detail: fmt.Sprintf("a mask of 32 bits, and masks of %s have %d", s.w.Device().Name, s.maskBits),
			Advice: "pass a uint64 or a Mask"}, nil)
	}
}

// fail ends the run with the panic of a kernel.
func (s *scheduler) fail(t *Thread) {
	f := warp.Fault{Kind: warp.KernelPanic, Lanes: lane.Bit(t.lane), Site: t.failure.site,
		Detail: fmt.Sprintf("thread %s: %v", t.where(), t.failure.value),
		Advice: "the kernel's own Go code panicked at this line"}
	if t.failure.gone {
		f.Detail = fmt.Sprintf("thread %s called runtime.Goexit", t.where())
		f.Advice = "do not end a test from inside a kernel (FailNow, Fatal, require); use Error or assert"
	}
	err, _ := t.failure.value.(error)
	s.w.Fail(f, err)
}

// stuck faults a warp none of whose lanes can go on, and returns the lanes that
// go on all the same if the run does not end.
func (s *scheduler) stuck(live lane.Mask) lane.Mask {
	var first lane.Mask
	var texts []string
	kind := warp.MaskMismatch
	for left := s.waiting; !left.Empty(); {
		lead := &s.threads[left.First()]
		group, _ := s.group(lead, left, live)
		left = left.AndNot(group)
		if first.Empty() || s.before(s.earliest(group), s.earliest(first)) {
			first = group
		}
		if lead.class == barrier {
			kind = warp.Deadlock
		} else if lead.key != s.threads[s.waiting.First()].key && kind == warp.MaskMismatch {
			kind = warp.MaskAbsent
		}
		texts = append(texts, s.describe(lead, group, live))
	}
	if kind == warp.Deadlock {
		if others := s.w.OthersWaiting(); others != "" {
			texts = append(texts, others)
		}
	}
	lead := s.earliest(first)
	s.current = lead
	f := warp.Fault{Kind: kind, Lanes: first, Mask: lead.mask, Site: s.placeOf(lead).site(), Detail: strings.Join(texts, "; "),
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

// describe says where the lanes of a group wait and for whom.
func (s *scheduler) describe(lead *Thread, group, live lane.Mask) string {
	t := s.earliest(group)
	text := fmt.Sprintf("%s of warp %d (lanes %s) at %s (%s)", s.threadRange(group), s.w.ID(), group.Ranges(), lead.key, s.placeOf(t).site())
	missing := live.AndNot(group)
	if lead.class == masked {
		missing = lead.mask.And(missing)
		text += fmt.Sprintf(" with mask 0x%s", lead.mask.Hex(s.w.Width()))
	}
	return text + fmt.Sprintf(" wait for lanes %s", missing.Ranges())
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
