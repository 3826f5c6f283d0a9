package scan

import (
	"math/bits"
	"unsafe"

	"example.com/warpsim/lane"
	"example.com/warpsim/reduce"
	"example.com/warpsim/scan/internal/parts"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
)

// mostLoaded is how many sums a thread loads before it adds them up.
const mostLoaded = 16

// BlockWarpScans scans each warp by HillisSteele; after one barrier every thread adds
// up the sums of the warps before its own, from left to right, and puts the
// result in front of its items. One barrier, and a load and an operator for each
// warp.
func BlockWarpScans[T any](v warp.Reg[T], op reduce.Op[T], s Spec[T], m warp.Mem[T]) {
	b := block(v.Warp(), "warp-scans", &op, &s, m, v.Warp().BlockWarps()+1)
	if none(&b, &op, &s) {
		return
	}
	w := b.W
	w.ThreadID()
	w.LaneID()
	mark := w.Mark()
	scanAndShare(&b, v, &op, &s, m)
	prefix, total := warp.Alloc[T](w), warp.Alloc[T](w)
	needTotal := parts.Given(s.Aggregate) || s.Prefix != nil
	if b.Partials() > 1 || needTotal {
		zero := warp.Alloc[int32](w)
		warp.Set(zero, 0)
		n := b.Partials()
		if !needTotal {
			n = min(n, w.BlockWarps()-1) // nobody needs the last sum
		}
		own, here := warp.Alloc[int32](w), w.Pred()
		warpNumber(&b, own)
		var x [mostLoaded]warp.Reg[T]
		for k := 0; k < n; k += mostLoaded {
			loads := w.Mark()
			// First load, then apply, so that the loads overlap.
			for i, sum := range loadRow(x[:min(mostLoaded, n-k)], m, zero, k) {
				if k+i == 0 {
					warp.Mov(total, sum)
					continue
				}
				// Which warp this is only the threads know: each compares.
				warp.EqImm(here, own, int32(k+i))
				w.Where(here, func() { warp.Mov(prefix, total) })
				op.Apply(total, total, sum)
			}
			w.Release(loads)
		}
		if w.ID() >= n {
			warp.Mov(prefix, total)
		}
	}
	spread(&b, v, &op, &s, prefix, total, m)
	w.Release(mark)
}

// BlockHybrid scans each warp by HillisSteele, then, in the first warp, the sums of
// the warps in the same way; each warp puts the sum of those before it in front
// of its items. Two barriers.
func BlockHybrid[T any](v warp.Reg[T], op reduce.Op[T], s Spec[T], m warp.Mem[T]) {
	b := block(v.Warp(), "hybrid", &op, &s, m, v.Warp().BlockWarps()+1)
	if none(&b, &op, &s) {
		return
	}
	w := b.W
	w.ThreadID()
	w.LaneID()
	mark := w.Mark()
	scanAndShare(&b, v, &op, &s, m)
	n := b.Partials()
	if n > 1 {
		b.FirstWarp(func() {
			each := (n + b.Lanes - 1) / b.Lanes
			rake(&b, &op, m, segments{n: n, length: each, pitch: each}, warp.Reg[T]{}, false, false, -1)
		})
		w.SyncBlock()
	}
	prefix, total := warp.Alloc[T](w), warp.Alloc[T](w)
	if w.ID() > 0 && b.Here > 0 {
		team.LoadOne(prefix, m, w.ID()-1)
	}
	if parts.Given(s.Aggregate) || s.Prefix != nil {
		team.LoadOne(total, m, n-1)
	}
	spread(&b, v, &op, &s, prefix, total, m)
	w.Release(mark)
}

// scanAndShare scans each warp, keeps what an exclusive scan needs, and stores
// the sum of each warp; a barrier makes them visible.
func scanAndShare[T any](b *team.Roster, v warp.Reg[T], op *reduce.Op[T], s *Spec[T], m warp.Mem[T]) {
	w := b.W
	scanWarpItems(b, v, op)
	if parts.Given(s.Exclusive) {
		exclusiveInWarp(b, s.Exclusive, v)
	}
	if b.Partials() == 1 && !parts.Given(s.Aggregate) && s.Prefix == nil {
		return
	}
	if b.Here > 0 {
		mark := w.Mark()
		at := warp.Alloc[int32](w)
		warp.Set(at, int32(w.ID()))
		only(w, lane.Bit(b.Here-1), func() { warp.Store(m, at, v) })
		w.Release(mark)
	}
	w.SyncBlock()
}

// spread puts the sum of the warps before this one, and what the Spec says,
// in front of the warp's items. total is the sum of all, where it is needed.
func spread[T any](b *team.Roster, v warp.Reg[T], op *reduce.Op[T], s *Spec[T], prefix, total warp.Reg[T], m warp.Mem[T]) {
	w := b.W
	before := w.ID() > 0
	if parts.Given(s.Initial) {
		if before && b.Here > 0 {
			op.Apply(prefix, s.Initial, prefix)
		} else {
			prefix = s.Initial
		}
		before = true
	}
	if before && b.Here > 0 {
		withItems(b, func() { op.Apply(v, prefix, v) })
		if parts.Given(s.Exclusive) {
			only(w, b.Members.Without(0), func() { op.Apply(s.Exclusive, prefix, s.Exclusive) })
			only(w, lane.Bit(0), func() { warp.Mov(s.Exclusive, prefix) })
		}
	}
	if !before && parts.Given(s.Exclusive) && s.Prefix == nil {
		b.Below(1, func() { warp.Set(s.Exclusive, op.Identity) })
	}
	complete(b, v, op, s, total, m, w.BlockWarps())
}

// complete gives out the sum of all items and calls the callback of a Spec.
// Element free of m is nobody's.
func complete[T any](b *team.Roster, v warp.Reg[T], op *reduce.Op[T], s *Spec[T], total warp.Reg[T], m warp.Mem[T], free int) {
	if parts.Given(s.Aggregate) {
		warp.Mov(s.Aggregate, total)
	}
	if s.Prefix != nil {
		callPrefix(b, v, op, s, total, m, free)
	}
}

// loadRow loads elements k and on of m into new registers, in every thread; zero holds 0.
// Words at multiples of four are loaded four at a time, as compilers do where an address is
// one for all.
func loadRow[T any](to []warp.Reg[T], m warp.Mem[T], zero warp.Reg[int32], k int) []warp.Reg[T] {
	w := zero.Warp()
	i := 0
	var word T
	if unsafe.Sizeof(word) == 4 && k%4 == 0 {
		if wide, err := warp.ViewMem[[4]T](m); err == nil {
			for ; i+4 <= len(to); i += 4 {
				four := warp.Alloc[[4]T](w)
				warp.Load(four, wide.At((k+i)/4), zero)
				for part := range 4 {
					to[i+part] = warp.Part[T](four, part)
				}
			}
		}
	}
	for ; i < len(to); i++ {
		to[i] = warp.Alloc[T](w)
		warp.Load(to[i], m.At(k+i), zero)
	}
	return to
}

// warpNumber sets own to the number of the warp, in every thread.
func warpNumber(b *team.Roster, own warp.Reg[int32]) {
	warp.ShrImm(own, b.W.ThreadID(), int32(bits.TrailingZeros(uint(b.Lanes))))
}
