package order

import (
	"fmt"

	"example.com/warpsim/lane"
	"example.com/warpsim/reduce"
	"example.com/warpsim/scan"
	"example.com/warpsim/scan/internal/parts"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/team"
)

// MatchStorage is the shared memory of RadixRankMatch.
type MatchStorage struct {
	bits     int
	counters warp.Mem[int32] // by digit and warp
	sums     warp.Mem[int32]
}

// NewMatchStorage declares the shared memory for digits of so many bits: a
// counter for each digit and warp, and what scan.BlockHybrid needs. Fewer or more bits
// than there may be end the kernel with a *team.Error of kind team.ErrShape.
func NewMatchStorage(w *warp.Warp, bits int) MatchStorage {
	checkBits("match-storage", bits)
	return MatchStorage{bits, warp.Shared[int32](w, w.BlockWarps()<<bits), reduce.NewHybridStorage[int32](w)}
}

// MatchFits returns nil if a device can run RadixRankMatch, a *team.Error of
// kind team.ErrMatch if not; a nil device is one of kind team.ErrShape.
func MatchFits(p *device.Profile) error {
	switch {
	case p == nil:
		return team.NoDevice("radix-rank-match")
	case p.Rules.Match:
		return nil
	}
	return &team.Error{Algorithm: "radix-rank-match", Kind: team.ErrMatch, Detail: p.Name + " has none", Advice: "use RadixRank"}
}

// RadixRankMatch is RadixRank of warp-striped digits: the keys of a warp stand
// together, key j*lanes + l of them in register j of lane l (with a last warp of
// fewer threads, that many instead of lanes). Lanes with the same digit find each
// other by a match, so that a warp needs one counter a digit instead of one a
// thread.
//
//	digits  lane 0: 2 0   lane 1: 0 1   lane 2: 2 0     the order is 2 0 2, 0 1 0
//	ranks   lane 0: 4 1   lane 1: 0 3   lane 2: 5 2
//
// Contract:
//
//   - Threads: all of a block of any size.
//   - Keys: any number.
//   - Shared memory: MatchStorage.
//   - Cost: a match, population counts, a shuffle and a warp barrier a key, and a
//     scan of the counters; five block barriers.
//   - Order: stable.
//   - Undefined: digits beyond the bits of the storage.
//   - Errors: those of RadixRank, and team.ErrMatch on a device without the instruction.
func RadixRankMatch(valid team.Count, ranks, digits []warp.Reg[int32], descending bool, starts warp.Reg[int32], s MatchStorage) {
	t := parts.Bind(team.Block().Holding(valid), warpOf(ranks), "radix-rank-match", len(ranks))
	t.Same("digits", len(digits))
	checkBits(t.Name, s.bits)
	w := t.W
	if err := MatchFits(w.Device()); err != nil {
		panic(err)
	}
	bins, warps := 1<<s.bits, w.BlockWarps()
	if parts.Given(starts) && t.Width < bins {
		t.Fail(team.ErrShape, fmt.Sprintf("%d digits in %d threads", bins, t.Width), "use more threads or fewer bits")
	}
	tid, id := w.ThreadID(), w.LaneID()
	m := w.Mark()
	c := counting{t: &t, bins: bins, warps: warps, s: s}
	c.clear(tid)
	w.SyncBlock()

	peers, leads := warp.Alloc[lane.Mask](w), w.Pred()
	n, first, before := warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w)
	at := make([]warp.Reg[int32], len(digits))
	for j, d := range digits {
		at[j] = warp.Alloc[int32](w)
		t.IfAny(t.WarpStriped(j), func() {
			c.place(at[j], d, descending)
			warp.MatchAny(peers, d)
			parts.Peers(n, first, peers)
			parts.Below(ranks[j], peers, id)
			warp.Eq(leads, first, id)
			w.Where(leads, func() {
				warp.Load(before, s.counters.At(w.ID()), at[j])
				warp.Add(n, n, before)
				warp.Store(s.counters.At(w.ID()), at[j], n)
			})
			warp.Shfl(before, before, warp.Shuffle{PerLane: first})
			warp.Add(ranks[j], ranks[j], before)
		})
		if j+1 < len(digits) {
			w.SyncWarp(w.Active()) // another lane may lead the next keys of a digit
		}
	}
	w.SyncBlock()

	c.scan(tid)
	for j := range digits {
		t.IfAny(t.WarpStriped(j), func() {
			warp.Load(before, s.counters.At(w.ID()), at[j])
			warp.Add(ranks[j], ranks[j], before)
		})
	}
	if parts.Given(starts) {
		t.IfAny(t.Where(func(number, _, _ int) bool { return number < bins }), func() {
			c.place(first, tid, descending)
			warp.Load(starts, s.counters, first)
		})
	}
	w.Release(m)
}

// counting is the counters of RadixRankMatch: digit after digit, each with one
// for every warp.
type counting struct {
	t           *parts.Roster
	bins, warps int
	s           MatchStorage
}

// place sets at to the first counter of a digit.
func (c *counting) place(at, digit warp.Reg[int32], descending bool) {
	if descending {
		warp.XorImm(at, digit, int32(c.bins-1))
		parts.Times(at, at, c.warps)
	} else {
		parts.Times(at, digit, c.warps)
	}
}

// share is how many counters in a row each thread has when they are scanned.
func (c *counting) share() int { return (c.bins*c.warps + c.t.Width - 1) / c.t.Width }

// here returns the threads that have a counter i of their share.
func (c *counting) here(i int) lane.Mask {
	return c.t.Where(func(number, _, _ int) bool { return number*c.share()+i < c.bins*c.warps })
}

func (c *counting) clear(tid warp.Reg[int32]) {
	w := c.t.W
	m := w.Mark()
	zero := warp.Alloc[int32](w)
	warp.Set(zero, 0)
	for i := range c.share() {
		first := i * c.t.Width
		c.t.IfAny(c.t.Where(func(number, _, _ int) bool { return first+number < c.bins*c.warps }), func() {
			warp.Store(c.s.counters.At(first), tid, zero)
		})
	}
	w.Release(m)
}

// scan makes every counter the sum of those before it.
func (c *counting) scan(tid warp.Reg[int32]) {
	w, k := c.t.W, c.share()
	m := w.Mark()
	mine, sum, before := tid, warp.Alloc[int32](w), warp.Alloc[int32](w)
	if k > 1 {
		mine = warp.Alloc[int32](w)
		parts.Times(mine, tid, k)
	}
	kept := make([]warp.Reg[int32], k)
	warp.Set(sum, 0)
	for i := range kept {
		kept[i] = warp.Alloc[int32](w)
		c.t.IfAny(c.here(i), func() {
			warp.Load(kept[i], c.s.counters.At(i), mine)
			warp.Add(sum, sum, kept[i])
		})
	}
	scan.BlockHybrid(sum, reduce.Sum[int32](), scan.Spec[int32]{Exclusive: before}, c.s.sums)
	for i, n := range kept {
		c.t.IfAny(c.here(i), func() {
			warp.Store(c.s.counters.At(i), mine, before)
			if i+1 < k {
				warp.Add(before, before, n)
			}
		})
	}
	w.SyncBlock()
	w.Release(m)
}
