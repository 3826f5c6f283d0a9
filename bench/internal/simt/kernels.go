// Package simt holds divergent kernels, written per lane, whose outcome on real
// hardware is recorded: the same program in both forms, so that the recording
// tells whether kernels written per lane come out as they do on a device.
package simt

import (
	"context"
	"fmt"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/intrinsics/cg"
	"example.com/warpsim/warp"
)

type (
	thread = intrinsics.Thread
	array  = *intrinsics.Array[int32]
)

const full = intrinsics.FullMask

// kernels are the recorded programs by name: each writes one number a thread.
var kernels = map[string]func(t *thread, o array){
	"two_sites":         twoSites,
	"two_sites_all":     twoSitesAll,
	"exited_vote":       exitedVote,
	"partial_then_full": partialThenFull,
	"disjoint_masks":    disjointMasks,
	"loop_trip":         loopTrip,
	"early_exit_loop":   earlyExitLoop,
	"compact":           compact,
	"coalesced":         coalesced,
	"tile4":             tile4,
	"redux_partial":     reduxPartial,
	"bar_after_exit":    barAfterExit,
	"named_half":        namedHalf,
}

// Run runs a recorded kernel in one block of the given number of threads and
// returns what each thread wrote. A name that was not recorded is an error, and
// so is what the kernel does wrong.
func Run(ctx context.Context, e *warp.Engine, name string, threads int) ([]int32, error) {
	k, ok := kernels[name]
	if !ok {
		return nil, fmt.Errorf("simt: no kernel %q is recorded", name)
	}
	data := make([]int32, max(threads, 0))
	o, err := intrinsics.Global(e, data)
	if err != nil {
		return nil, err
	}
	_, err = intrinsics.Launch(ctx, e, warp.X(1), warp.X(threads), func(t *thread) { k(t, o) })
	return data, err
}

// twoSites meets at two calls with one mask.
func twoSites(t *thread, o array) {
	l := t.Lane()
	var r int
	if l < 16 {
		r = intrinsics.ShflXorSync(t, full, l, 16)
	} else {
		r = intrinsics.ShflXorSync(t, full, l, 16)
	}
	o.Store(t, l, int32(r))
}

func twoSitesAll(t *thread, o array) {
	l := t.Lane()
	a := l >= 16
	var r bool
	if l < 16 {
		r = intrinsics.AllSync(t, full, a)
	} else {
		r = intrinsics.AllSync(t, full, a)
	}
	o.Store(t, l, number(r))
}

// exitedVote votes after most lanes have left.
func exitedVote(t *thread, o array) {
	l := t.Lane()
	o.Store(t, l, -1)
	if l%3 != 0 {
		return
	}
	a := intrinsics.AllSync(t, full, l != 13)
	n := intrinsics.AnySync(t, full, l == 13)
	b := intrinsics.BallotSync(t, full, true)
	o.Store(t, l, number(a)*2+number(n))
	if l == 0 {
		o.Store(t, 1, int32(b))
	}
}

// partialThenFull exchanges between two lanes in a branch, then among all.
func partialThenFull(t *thread, o array) {
	l := t.Lane()
	a, r := int32(l), int32(l+32)
	if l%16 == 0 {
		a += r
		r = intrinsics.ShflXorSync(t, uint32(0x00010001), a, 16)
	}
	o.Store(t, l, intrinsics.ShflUpSync(t, full, r, 8))
}

// disjointMasks sums in four interleaved groups at one call.
func disjointMasks(t *thread, o array) {
	l := t.Lane()
	m := uint32(0x11111111) << (l & 3)
	v := int32(l)
	for d := 4; d < 32; d <<= 1 {
		v += intrinsics.ShflXorSync(t, m, v, d)
	}
	o.Store(t, l, v)
}

// loopTrip matches among the lanes that happen to be converged.
func loopTrip(t *thread, o array) {
	l := t.Lane()
	var c int32
	for i := 0; i <= l%5; i++ {
		m := intrinsics.MatchAnySync(t, intrinsics.ActiveMask(t), int32(i))
		c += number(m.Count() > 0)
	}
	intrinsics.SyncWarp(t, full)
	o.Store(t, l, c)
}

// earlyExitLoop goes on until no lane needs another turn.
func earlyExitLoop(t *thread, o array) {
	l := t.Lane()
	var it int32
	x := 1 + float32(l)
	for intrinsics.AnySync(t, full, x > 2) {
		if x > 2 {
			x *= 0.5
		}
		it++
	}
	o.Store(t, l, it)
}

// compact writes the lanes that hit next to each other.
func compact(t *thread, o array) {
	l := t.Lane()
	hit := l*7%5 < 2
	b := intrinsics.BallotSync(t, full, hit)
	rank := intrinsics.Popc(t, b&(1<<l-1))
	o.Store(t, l, -1)
	intrinsics.SyncWarp(t, full)
	if hit {
		o.Store(t, rank, int32(l))
	}
}

// coalesced sums over the lanes that took a branch.
func coalesced(t *thread, o array) {
	l := t.Lane()
	o.Store(t, l, -1)
	if l%3 == 1 {
		g := cg.CoalescedThreads(t)
		v := int32(l)
		for d := g.Size() / 2; d > 0; d /= 2 {
			v += cg.ShflDown(g, v, d)
		}
		o.Store(t, l, int32(g.Rank())*1000+v)
	}
}

// tile4 sums and votes in tiles of four lanes.
func tile4(t *thread, o array) {
	tile := cg.TiledPartition(cg.ThisThreadBlock(t), 4)
	l := t.Lane()
	v := int32(l)
	for d := 2; d > 0; d /= 2 {
		v += cg.ShflXor(tile, v, d)
	}
	o.Store(t, l, v+1000*int32(tile.Rank())+100000*int32(tile.Ballot(l%3 == 0)))
}

// reduxPartial reduces two parts of the warp in hardware.
func reduxPartial(t *thread, o array) {
	l := t.Lane()
	o.Store(t, l, -1)
	if l < 20 {
		o.Store(t, l, intrinsics.ReduceAddSync(t, uint32(0x000fffff), int32(l)))
	} else {
		o.Store(t, l, intrinsics.ReduceMaxSync(t, uint32(0xfff00000), int32(l)))
	}
}

// barAfterExit counts at a barrier after some threads have left.
func barAfterExit(t *thread, o array) {
	i := t.ThreadIdx().X
	o.Store(t, i, -1)
	if i%7 == 3 {
		return
	}
	c := intrinsics.SyncThreadsCount(t, i%2 != 0)
	o.Store(t, i, int32(c))
}

// namedHalf waits at a barrier for each of two warps.
func namedHalf(t *thread, o array) {
	s := intrinsics.Shared[int32](t, 64)
	i := t.ThreadIdx().X
	s.Store(t, i, int32(i))
	if i < 32 {
		intrinsics.BarrierSync(t, 1, 32)
		o.Store(t, i, s.Load(t, 31-i))
	} else {
		intrinsics.BarrierSync(t, 2, 32)
		o.Store(t, i, s.Load(t, 95-i))
	}
}

func number(b bool) int32 {
	if b {
		return 1
	}
	return 0
}
