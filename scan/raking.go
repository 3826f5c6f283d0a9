package scan

import (
	"math/bits"

	"example.com/warpsim/lane"
	"example.com/warpsim/reduce"
	"example.com/warpsim/scan/internal/parts"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/team"
)

// segments is how raking cuts an array of n elements, one segment a lane.
type segments struct {
	n      int
	length int // elements of a segment
	pitch  int // elements from one segment to the next
}

// rakingSegments cuts threads elements for a warp, padded so that lanes which
// walk through their segments visit different banks.
func rakingSegments(lanes, threads, n int) segments {
	length := max(1, lane.Warps(min(threads, lanes), threads))
	s := segments{n: n, length: length, pitch: length}
	if length > 1 && length%2 == 0 {
		s.pitch++
	}
	return s
}

// NewRakingStorage declares what BlockRaking needs: an element a thread with
// padding, and two more.
func NewRakingStorage[T any](w *warp.Warp) warp.Mem[T] {
	return warp.Shared[T](w, rakingElements(w.Width(), w.BlockThreads()))
}

func rakingElements(lanes, threads int) int {
	s := rakingSegments(lanes, threads, threads)
	return lane.Warps(s.length, threads)*s.pitch + 2
}

// mostKept is the longest segment that BlockRakingMemoized keeps in registers.
const mostKept = 64

// rake scans the elements of m with the active warp: each lane adds up its
// segment in order, the sums are scanned by HillisSteele, and each lane walks
// through its segment again from the sum of those before. With exclusive set,
// each element becomes what stands before it, where initial (if any) stands
// before all; the first is left alone if there is none. Otherwise it becomes the
// inclusive scan.
//
// If totalAt is not negative, that element receives the sum of all.
func rake[T any](b *team.Roster, op *reduce.Op[T], m warp.Mem[T], s segments, initial warp.Reg[T], exclusive, keep bool, totalAt int) {
	w := b.W
	id := w.LaneID()
	mark := w.Mark()
	at := id
	if s.pitch > 1 {
		at = warp.Alloc[int32](w)
		warp.MulImm(at, id, int32(s.pitch))
	}
	sum, x := warp.Alloc[T](w), warp.Alloc[T](w)
	var kept [mostKept]warp.Reg[T]
	if keep = keep && s.length <= mostKept; keep {
		for j := range s.length {
			kept[j] = warp.Alloc[T](w)
		}
	}
	active := w.Active()
	each := func(j int, body func()) {
		if have := lane.FirstN((s.n - j + s.length - 1) / s.length).And(active); have == active {
			body()
		} else {
			only(w, have, body)
		}
	}
	length := min(s.length, s.n)
	for j := range length {
		each(j, func() {
			dst := x
			if keep {
				dst = kept[j]
			} else if j == 0 {
				dst = sum
			}
			warp.Load(dst, m.At(j), at)
			switch {
			case j > 0:
				op.Apply(sum, sum, dst)
			case keep:
				warp.Mov(sum, dst)
			}
		})
	}
	g := team.Warp().First((s.n+s.length-1)/s.length).BindLanes(w, b.Name)
	hillisSteele(&g, sum, op)
	if totalAt >= 0 {
		zero := warp.Alloc[int32](w)
		warp.Set(zero, 0)
		only(w, lane.Bit(g.Count-1), func() { warp.Store(m.At(totalAt), zero, sum) })
	}
	if length == 1 && !exclusive {
		each(0, func() { warp.Store(m, at, sum) })
		w.Release(mark)
		return
	}

	// before becomes the sum of the segments before the lane's own.
	before := warp.Alloc[T](w)
	if b.Lanes > 1 {
		warp.ShflUp(before, sum, 1)
	}
	first := lane.Bit(0)
	if parts.Given(initial) {
		only(w, g.Members.AndNot(first), func() { op.Apply(before, initial, before) })
		only(w, first, func() { warp.Mov(before, initial) })
		first = lane.Mask{}
	}
	for j := range length {
		each(j, func() {
			item := x
			if keep {
				item = kept[j]
			} else {
				warp.Load(item, m.At(j), at)
			}
			lonely := j == 0 && !first.Empty() // lane 0 has nothing before its first item
			if exclusive {
				if lonely {
					only(w, w.Active().AndNot(first), func() { warp.Store(m.At(j), at, before) })
				} else {
					warp.Store(m.At(j), at, before)
				}
			}
			if exclusive && j == length-1 {
				return
			}
			if lonely {
				only(w, first, func() { warp.Mov(before, item) })
				only(w, w.Active().AndNot(first), func() { op.Apply(before, before, item) })
			} else {
				op.Apply(before, before, item)
			}
			if !exclusive {
				warp.Store(m.At(j), at, before)
			}
		})
	}
	w.Release(mark)
}

// BlockRaking stores all items; the lanes of the first warp each add up a segment of
// neighbours, scan the sums by HillisSteele, and walk through their segments a
// second time. Two barriers, and little work for all warps but the first. A
// block of one warp is scanned by HillisSteele.
func BlockRaking[T any](v warp.Reg[T], op reduce.Op[T], s Spec[T], m warp.Mem[T]) {
	raking("raking", v, &op, &s, m, false)
}

// BlockRakingMemoized is BlockRaking in which the lanes keep their segments in registers
// and load them once only; segments of more than 64 items are loaded twice.
func BlockRakingMemoized[T any](v warp.Reg[T], op reduce.Op[T], s Spec[T], m warp.Mem[T]) {
	raking("raking-memoized", v, &op, &s, m, true)
}

func raking[T any](name string, v warp.Reg[T], op *reduce.Op[T], s *Spec[T], m warp.Mem[T], keep bool) {
	b := block(v.Warp(), name, op, s, m, rakingElements(v.Warp().Width(), v.Warp().BlockThreads()))
	if none(&b, op, s) {
		return
	}
	w := b.W
	threads := w.BlockThreads()
	id := w.ThreadID()
	w.LaneID()
	mark := w.Mark()
	if w.BlockWarps() == 1 {
		oneWarp(&b, v, op, s, m, rakingElements(b.Lanes, threads)-1)
		w.Release(mark)
		return
	}
	cut := rakingSegments(b.Lanes, threads, b.Valid)
	at := id
	if cut.pitch != cut.length {
		at = warp.Alloc[int32](w)
		placed(at, id, cut)
	}
	withItems(&b, func() { warp.Store(m, at, v) })
	w.SyncBlock()
	exclusive := parts.Given(s.Exclusive) || parts.Given(s.Initial)
	total := warp.Alloc[T](w)
	free := rakingElements(b.Lanes, threads) - 2
	totalAt := -1
	if parts.Given(s.Aggregate) || s.Prefix != nil {
		totalAt = free + 1
	}
	b.FirstWarp(func() { rake(&b, op, m, cut, s.Initial, exclusive, keep, totalAt) })
	w.SyncBlock()
	switch {
	case !exclusive:
		withItems(&b, func() { warp.Load(v, m, at) })
	case parts.Given(s.Initial):
		before := total
		if parts.Given(s.Exclusive) {
			before = s.Exclusive
		}
		withItems(&b, func() {
			warp.Load(before, m, at)
			op.Apply(v, before, v)
		})
	default:
		rest := b.Members
		if b.Base == 0 {
			rest = rest.Without(0)
		}
		only(w, rest, func() {
			warp.Load(s.Exclusive, m, at)
			op.Apply(v, s.Exclusive, v)
		})
		if s.Prefix == nil {
			b.Below(1, func() { warp.Set(s.Exclusive, op.Identity) })
		}
	}
	if totalAt >= 0 {
		team.LoadOne(total, m, totalAt)
	}
	complete(&b, v, op, s, total, m, free)
	w.Release(mark)
}

// oneWarp scans a block of one warp without shared memory.
func oneWarp[T any](b *team.Roster, v warp.Reg[T], op *reduce.Op[T], s *Spec[T], m warp.Mem[T], free int) {
	total := s.Aggregate
	if !parts.Given(total) && s.Prefix != nil {
		total = warp.Alloc[T](b.W)
	}
	g := team.Warp().First(b.Valid).BindLanes(b.W, b.Name)
	hillisSteele(&g, v, op)
	finish(&g, v, op, &Spec[T]{Initial: s.Initial, Exclusive: s.Exclusive, Aggregate: total})
	if s.Prefix != nil {
		callPrefix(b, v, op, s, total, m, free)
	}
}

// placed sets at to where element i is, as instructions.
func placed(at, i warp.Reg[int32], s segments) {
	if s.length&(s.length-1) == 0 {
		warp.ShrImm(at, i, int32(bits.TrailingZeros(uint(s.length))))
	} else {
		n := int32(s.length)
		warp.Map1(at, i, isa.IMul, func(x int32) int32 { return x / n })
	}
	warp.Add(at, at, i)
}
