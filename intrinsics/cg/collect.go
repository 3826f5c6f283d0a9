package cg

import (
	"example.com/warpsim/intrinsics"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
)

// ballot returns the lanes of the group in which p holds.
func (g Group) ballot(p bool) lane.Mask {
	if g.t.Lockstep() {
		return intrinsics.Ballot(g.t, p).And(g.mask)
	}
	return intrinsics.BallotSync(g.t, g.mask, p)
}

// All reports whether p holds in all lanes of the group.
func (g Group) All(p bool) bool {
	if g.t.Lockstep() {
		return intrinsics.Ballot(g.t, !p).And(g.mask).Empty()
	}
	return intrinsics.AllSync(g.t, g.mask, p)
}

// Any reports whether p holds in some lane of the group.
func (g Group) Any(p bool) bool {
	if g.t.Lockstep() {
		return !g.ballot(p).Empty()
	}
	return intrinsics.AnySync(g.t, g.mask, p)
}

// Ballot returns the ranks in which p holds, rank i as bit i. Of a group of more
// than 64 lanes it returns the lower 64 ranks; BallotMask has all.
func (g Group) Ballot(p bool) uint64 { return g.BallotMask(p).Lo }

// BallotMask returns the ranks in which p holds.
func (g Group) BallotMask(p bool) intrinsics.Mask { return g.ranks(g.ballot(p)) }

// MatchAny returns the ranks that hold the same value as the caller.
func MatchAny[T warp.Number](g Group, v T) intrinsics.Mask { return g.ranks(matchAny(g, v)) }

func matchAny[T warp.Number](g Group, v T) lane.Mask {
	if g.t.Lockstep() {
		return intrinsics.MatchAny(g.t, v).And(g.mask)
	}
	return intrinsics.MatchAnySync(g.t, g.mask, v)
}

// MatchAll returns all ranks and true if all lanes of the group hold the same
// value, and none and false if not.
func MatchAll[T warp.Number](g Group, v T) (intrinsics.Mask, bool) {
	if g.t.Lockstep() {
		m := intrinsics.MatchAny(g.t, v).And(g.mask)
		// Equal to all that are here: what is unequal shows in another lane.
		if !intrinsics.Ballot(g.t, m != intrinsics.ActiveMask(g.t).And(g.mask)).And(g.mask).Empty() {
			return lane.Mask{}, false
		}
		return g.ranks(m), true
	}
	m, all := intrinsics.MatchAllSync(g.t, g.mask, v)
	return g.ranks(m), all
}

// ranks returns lanes of the group as ranks.
func (g Group) ranks(m lane.Mask) (r lane.Mask) {
	if g.tile > 0 {
		return shiftDown(m, g.first)
	}
	i := 0
	for l := range g.mask.Lanes() {
		if m.Has(l) {
			r = r.With(i)
		}
		i++
	}
	return r
}

func shiftDown(m lane.Mask, n int) lane.Mask {
	switch {
	case n == 0:
		return m
	case n >= 64:
		return lane.Mask{Lo: m.Hi >> uint(n-64)}
	}
	return lane.Mask{Lo: m.Lo>>uint(n) | m.Hi<<uint(64-n), Hi: m.Hi >> uint(n)}
}

// Shfl returns the value that v has in rank from. A rank that the group does not
// have is taken modulo the size of a tile; in another group it gives the
// caller's own value.
func Shfl[T any](g Group, v T, from int) T {
	switch {
	case g.tile == 0:
		return byRank(g, v, from)
	case g.t.Lockstep():
		return intrinsics.Shfl(g.t, v, from, g.tile)
	}
	return intrinsics.ShflSync(g.t, g.mask, v, from, g.tile)
}

// ShflDown returns the value that v has delta ranks above the caller's; ranks
// that have no such rank in the group get their own.
func ShflDown[T any](g Group, v T, delta int) T {
	switch {
	case g.tile == 0:
		return byRank(g, v, g.rank+delta)
	case g.t.Lockstep():
		return intrinsics.ShflDown(g.t, v, delta, g.tile)
	}
	return intrinsics.ShflDownSync(g.t, g.mask, v, delta, g.tile)
}

// ShflUp returns the value that v has delta ranks below the caller's; ranks that
// have no such rank in the group get their own.
func ShflUp[T any](g Group, v T, delta int) T {
	switch {
	case g.tile == 0:
		return byRank(g, v, g.rank-delta)
	case g.t.Lockstep():
		return intrinsics.ShflUp(g.t, v, delta, g.tile)
	}
	return intrinsics.ShflUpSync(g.t, g.mask, v, delta, g.tile)
}

// ShflXor returns the value that v has in the rank that is the caller's xor
// rankMask; ranks that the group does not have give the caller's own.
func ShflXor[T any](g Group, v T, rankMask int) T {
	switch {
	case g.tile == 0:
		return byRank(g, v, g.rank^rankMask)
	case g.t.Lockstep():
		return intrinsics.ShflXor(g.t, v, rankMask, g.tile)
	}
	return intrinsics.ShflXorSync(g.t, g.mask, v, rankMask, g.tile)
}

// byRank returns the value that v has in a rank, the caller's own if there is no
// such rank.
func byRank[T any](g Group, v T, rank int) T {
	l := g.t.Lane()
	if rank >= 0 && rank < g.size {
		l = g.mask.Nth(rank)
	}
	if g.t.Lockstep() {
		return intrinsics.Shfl(g.t, v, l)
	}
	return intrinsics.ShflSync(g.t, g.mask, v, l)
}

// InvokeOne runs f in one lane of the group, the lowest that has not exited, and
// reports in it that it did. The others do not wait.
func (g Group) InvokeOne(f func()) bool {
	var chosen bool
	if g.t.Lockstep() {
		chosen = g.ballot(true).First() == g.t.Lane()
	} else {
		chosen = intrinsics.ElectSync(g.t, g.mask)
	}
	if chosen {
		f()
	}
	return chosen
}

// InvokeOneBroadcast runs f in one lane of the group and returns its result in
// all.
func InvokeOneBroadcast[T any](g Group, f func() T) T {
	var v T
	here := g.ballot(true)
	if here.First() == g.t.Lane() {
		v = f()
	}
	return Shfl(g, v, g.mask.Rank(here.First()))
}
