package intrinsics

import (
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
)

// AllSync reports whether p holds in all lanes that take part: those that mask
// names and that have not exited, see the package documentation.
func AllSync[M MaskType](t *Thread, mask M, p bool) bool {
	return t.ballotYes(keyAll, masked, lanesOf(t, mask), p)
}

// AnySync reports whether p holds in some lane that takes part, see AllSync.
func AnySync[M MaskType](t *Thread, mask M, p bool) bool {
	return t.ballotYes(keyAny, masked, lanesOf(t, mask), p)
}

// UniSync reports whether p is the same in all lanes that take part, see
// AllSync.
func UniSync[M MaskType](t *Thread, mask M, p bool) bool {
	return t.ballotYes(keyUni, masked, lanesOf(t, mask), p)
}

// All is AllSync without a member mask, for the lanes that are converged.
func All(t *Thread, p bool) bool {
	return t.ballotYes(keyAll|keyMaskless, converged, lane.Mask{}, p)
}

// Any is AnySync without a member mask, for the lanes that are converged.
func Any(t *Thread, p bool) bool {
	return t.ballotYes(keyAny|keyMaskless, converged, lane.Mask{}, p)
}

func (t *Thread) ballotYes(k key, c class, m lane.Mask, p bool) bool {
	t.vote(p)
	t.ask(vote{}, k, c, m, 0, 0)
	return t.s.yes.Has(t.lane)
}

type vote struct{}

func (vote) issue(s *scheduler, lead *Thread) {
	s.in.Define(s.votes, s.w.Active())
	kind := warp.VoteKind(lead.key&keyBase - keyAll)
	if s.maskless {
		warp.Vote(kind, s.pr, s.in)
	} else {
		warp.Vote(kind, s.pr, s.in, s.members)
	}
	s.told()
	s.guard = s.latest
	s.yes = s.pr.Mask()
	if m := s.w.Active(); s.lockstep && kind == warp.VoteAll && !s.maskless && !m.Contains(s.members) {
		// The language compares a ballot with the mask, and a lane that is not
		// here is not in the ballot. The fault is noted.
		s.yes = s.yes.AndNot(m)
	}
}

// BallotSync returns the lanes that take part and in which p holds, in the type
// of the mask: on a device whose masks name a group of lanes, the lanes of the
// caller's group, unless mask is a Mask. See AllSync.
func BallotSync[M MaskType](t *Thread, mask M, p bool) M {
	t.vote(p)
	t.ask(ballot{}, keyBallot, masked, lanesOf(t, mask), 0, 0)
	return maskOf[M](t, t.s.result)
}

// Ballot returns the converged lanes in which p holds.
func Ballot(t *Thread, p bool) Mask {
	t.vote(p)
	t.ask(ballot{}, keyBallot|keyMaskless, converged, lane.Mask{}, 0, 0)
	return t.s.result
}

type ballot struct{}

func (ballot) issue(s *scheduler, lead *Thread) {
	s.in.Define(s.votes, s.w.Active())
	if s.maskless {
		warp.Ballot(s.set, s.in)
	} else {
		warp.Ballot(s.set, s.in, s.members)
	}
	s.told()
	s.result = s.set.Mask()
}

// ActiveMask returns the lanes that are converged at this call. On devices with
// independent threads that is a snapshot of one schedule and no way to find out
// who takes part in what follows.
func ActiveMask(t *Thread) Mask {
	t.ask(activeMask{}, keyActiveMask|keyMaskless, converged, lane.Mask{}, 0, 0)
	return t.s.result
}

type activeMask struct{}

func (activeMask) issue(s *scheduler, lead *Thread) {
	warp.ActiveMask(s.set)
	s.told()
	s.result = s.set.Mask()
}

// ElectSync reports true in one of the lanes that take part, the lowest.
func ElectSync[M MaskType](t *Thread, mask M) bool {
	t.ask(elect{}, keyElect, masked, lanesOf(t, mask), 0, 0)
	return t.s.yes.Has(t.lane)
}

type elect struct{}

func (elect) issue(s *scheduler, lead *Thread) {
	s.onlyMembers()
	warp.Elect(s.pr)
	s.told()
	s.yes = s.pr.Mask()
}

// onlyMembers holds the member mask of an instruction that the engine has only
// for active lanes against them, and leaves its members active.
func (s *scheduler) onlyMembers() {
	if s.maskless || s.members == s.w.Active() {
		return
	}
	s.w.Front().Activate(s.w.Front().Members(s.members))
}
