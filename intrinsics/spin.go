package intrinsics

import (
	"fmt"
	"slices"
	"strings"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
)

// A warp that spins comes to the same state again and again: each lane at the same
// call, with the same values in the frames of its functions, and nothing in memory
// has changed in between. If no other warp can go on either, it never ends. What a
// kernel keeps elsewhere, in variables of its caller, does not show; a loop that
// counts there and gives up must do so within idleSteps instructions.

// On a device of independent threads a warp that spins while some of its lanes stand
// back lets them go on: they may end it. What spins there reads memory.

// yieldSteps is after how many instructions that change nothing that is looked for, and
// yieldSoon the same for a warp that has spun before.
const (
	yieldSteps = 64
	yieldSoon  = 4
)

// idleSteps is after how many instructions that change nothing a warp's states are
// compared.
const idleSteps = 1 << 15

// A spinning is how far the scheduler is with finding that out.
type spinning struct {
	changes int64 // that the group had made at the last look
	since   int64 // the step of that
	on      bool  // states are compared
	from    int64 // the step of the state to compare with
	state   uint64
	next    int64 // when to take another one
	reads   int64 // the last step that read memory
	yields  bool  // lanes that stand back go first, until something changes
	spun    bool  // they did once
}

// idle notes an instruction, and ends the run if the warp is found to spin.
func (s *scheduler) idle(live lane.Mask) {
	x := &s.spin
	if n := s.w.Front().Changes(); n != x.changes {
		x.changes, x.since, x.on, x.yields = n, s.step, false, false
		return
	}
	if s.current != nil && s.current.memory != 0 {
		x.reads = s.step
	}
	enough := int64(idleSteps)
	switch {
	case !hashesStack:
		return
	case s.fair && !s.alike && x.spun:
		enough = yieldSoon
	case s.fair && !s.alike:
		enough = yieldSteps
	}
	if s.step-x.since < enough {
		return
	}
	var state uint64
	every := true
	for l := range live.Lanes() {
		t := &s.threads[l]
		state = (state ^ t.state ^ t.path) * 0x9E3779B97F4A7C15
		every = every && (t.step >= x.from || !s.waitsForNobody(t))
	}
	switch {
	case !x.on || s.step >= x.next:
		x.on, x.from, x.state = true, s.step, state
		x.next = s.step + (s.step - x.since)
	case state != x.state || s.step == x.from:
	case s.fair && !every:
		x.yields = x.yields || x.reads > x.from
		x.spun = x.spun || x.yields
	case s.step-x.since >= idleSteps:
		if s.w.Front().Spins() {
			s.endless(live, x.from)
		}
		x.since, x.on = s.step, false
	}
}

// waitsForNobody reports whether a thread's request can be served at any time.
func (s *scheduler) waitsForNobody(t *Thread) bool {
	return t.class == free || t.class == converged || s.lockstep && t.class == masked
}

// endless faults a warp whose lanes spin: those that have asked since a step.
func (s *scheduler) endless(live lane.Mask, since int64) {
	var who, others lane.Mask
	var sites, words []string
	for l := range live.Lanes() {
		t := &s.threads[l]
		if t.step < since {
			others = others.With(l)
			continue
		}
		who = who.With(l)
		p := s.placeOf(t).site().String()
		if !slices.Contains(sites, p) && len(sites) < 4 {
			sites = append(sites, p)
		}
		if t.ptr != nil && t.memory != 0 {
			word := fmt.Sprintf("element %d of the array of the %s at %s", s.args[l], t.key, p)
			if !slices.Contains(words, word) && len(words) < 4 {
				words = append(words, word)
			}
		}
	}
	detail := fmt.Sprintf("lanes %s of warp %d spin at %s", who.Ranges(), s.w.ID(), strings.Join(sites, ", "))
	if len(words) > 0 {
		detail += " on " + strings.Join(words, ", ")
	}
	detail += ", and nothing changes any more"
	for left := others; !left.Empty(); {
		t := &s.threads[left.First()]
		group := where(left, func(l int) bool { return s.threads[l].path == t.path })
		left = left.AndNot(group)
		detail += fmt.Sprintf("; lanes %s, which could end it, wait behind them at %s (%s)", group.Ranges(), t.key, s.placeOf(t).site())
	}
	if o := s.w.Front().OthersWaiting(); o != "" {
		detail += "; " + o
	}
	first := &s.threads[who.First()]
	advice := "let a thread that can go on store what the loop waits for"
	if !others.Empty() && !s.fair {
		advice = "the lanes of a warp run in lockstep: put what the others wait for into the loop, in the branch that has the lock"
	}
	s.current = first
	s.w.Fail(warp.Fault{Kind: warp.Endless, Lanes: who, Missing: others, Site: s.placeOf(first).site(), Detail: detail, Advice: advice}, nil)
}

// where returns the lanes of m in which f holds.
func where(m lane.Mask, f func(l int) bool) (r lane.Mask) {
	for l := range m.Lanes() {
		if f(l) {
			r = r.With(l)
		}
	}
	return r
}
