package warp

import (
	"fmt"

	"example.com/warpsim/warp/device"
)

// A block is one running block: its warps, shared memory and barriers.
type block struct {
	group     *group
	index     int    // in the grid
	term      uint64 // counts the blocks of grids that it has been
	slot      int    // in the group
	warps     []*Warp
	liveWarps int
	releases  int      // of barriers
	shared    []uint64 // shared memory, 8-byte aligned
	declared  []sharedDecl
	bars      []barrier
	san       *sanitizer // nil: memory is not watched
}

// A barrier is one of the block's named barriers; barrier 0 is the block's own.
type barrier struct {
	arrived int // warps
	want    int // warps, 0: all that live
	count   int // lanes whose predicate holds
	and, or bool
	waiting []*Warp
	first   *Warp // to arrive, and where it is in the source: watched blocks only
	firstAt Site

	resultCount         int
	resultAnd, resultOr bool
	resultEnded         int // warps that had ended when all the others were there
	resultAt            int // releases of barriers of the block up to that
}

func newBlock(p *device.Profile) *block {
	return &block{bars: make([]barrier, max(p.Limits.NamedBarriers, 1))}
}

func (b *block) begin(g *group, index int, warps []*Warp) {
	b.group, b.index, b.slot = g, index, index-g.index*g.run.perGroup
	b.warps, b.liveWarps = warps, len(warps)
	b.term++
	b.declared = b.declared[:0]
	for i := range b.bars {
		bar := &b.bars[i]
		bar.arrived, bar.first, bar.waiting = 0, nil, bar.waiting[:0]
	}
	b.beginSanitize()
}

// warpDone takes a warp that has ended off what the barriers wait for.
func (b *block) warpDone() {
	b.liveWarps--
	if b.liveWarps == 0 && b.san != nil && b.san.check && b.group.err == nil {
		b.san.endTrees()
	}
	for i := range b.bars {
		if bar := &b.bars[i]; bar.arrived > 0 && bar.want == 0 && bar.arrived >= b.liveWarps {
			if b.san != nil {
				b.san.complete(i, nil)
			}
			b.release(bar)
		}
	}
}

// release lets the warps that wait at a barrier go on.
func (b *block) release(bar *barrier) {
	b.releases++
	bar.resultEnded, bar.resultAt = len(b.warps)-b.liveWarps, b.releases
	bar.resultCount, bar.resultAnd, bar.resultOr = bar.count, bar.and, bar.or
	for _, w := range bar.waiting {
		w.state = stateReady
		if w.group.driven() {
			w.passBarrier(bar)
		}
	}
	bar.waiting = bar.waiting[:0]
	bar.arrived, bar.first = 0, nil
}

// arrive books the warp's arrival at a barrier of want warps (0: all that
// live) and reports whether the barrier is complete.
func (w *Warp) arrive(id, want, count int, all, some bool) (*barrier, bool) {
	b := w.block
	bar := &b.bars[id]
	if bar.arrived == 0 {
		bar.want, bar.count, bar.and, bar.or = want, 0, true, false
	} else if bar.want != want {
		w.raise(Fault{Kind: BarrierMismatch, Lanes: w.active,
			Detail: fmt.Sprintf("barrier %d waits for %d warps, this warp names %d", id, bar.want, want),
			Advice: "every warp must name the same number of threads"})
	}
	if w.san != nil {
		w.san.arrive(w, id, bar.arrived == 0)
	}
	bar.arrived++
	bar.count += count
	bar.and = bar.and && all
	bar.or = bar.or || some
	need := bar.want
	if need == 0 {
		need = b.liveWarps
	}
	return bar, bar.arrived >= need
}

// waitAt arrives at a barrier and returns when it is complete.
func (w *Warp) waitAt(id, want, count int, all, some bool) *barrier {
	bar, complete := w.arrive(id, want, count, all, some)
	if complete {
		if w.san != nil {
			w.san.complete(id, w)
		}
		w.block.release(bar)
		return bar
	}
	bar.waiting = append(bar.waiting, w)
	w.state, w.waitBarrier = stateAtBarrier, id
	if w.group.driven() {
		w.waitSite = w.callSite()
		return bar
	}
	w.suspend(eventBarrier)
	if w.group.locating {
		// The group is stuck and asks where everybody waits.
		w.waitSite = w.callSite()
		w.suspend(eventBarrier)
	}
	if w.state == stateAtBarrier {
		// Alone in the group: nobody can come.
		w.group.err = w.group.deadlock([]*Warp{w})
		panic(abort{})
	}
	return bar
}
