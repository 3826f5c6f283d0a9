package reduce

import (
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
)

// A layout is how raking cuts an array into segments, one for each raking lane.
type layout struct {
	length  int // elements of a segment
	pitch   int // elements from one segment to the next: padded against conflicts
	threads int // raking lanes
}

// raking cuts n elements for a warp of so many lanes.
func raking(lanes, n int) layout {
	length := (n + min(n, lanes) - 1) / max(1, min(n, lanes))
	l := layout{length: length, pitch: length, threads: (n + length - 1) / length}
	if length > 1 && length%2 == 0 {
		l.pitch++ // an odd pitch visits all banks
	}
	return l
}

// elements returns how much memory the layout takes.
func (l layout) elements() int { return l.threads * l.pitch }

// place sets at to where the element of index i goes, as instructions.
func (l layout) place(at, i warp.Reg[int32]) {
	if l.pitch == l.length {
		warp.Mov(at, i)
		return
	}
	if pow2(l.length) {
		shift := int32(0)
		for 1<<shift < l.length {
			shift++
		}
		warp.ShrImm(at, i, shift)
	} else {
		n := int32(l.length)
		warp.Map1(at, i, isa.IMul, func(x int32) int32 { return x / n })
	}
	warp.Add(at, at, i)
}

// RakingStorage is what Raking needs: an element a thread, and padding.
func RakingStorage(lanes, threads int) int { return max(raking(lanes, threads).elements(), threads) }

// Raking stores all items; the lanes of the first warp then each reduce a
// segment of neighbours in order, and the results of the lanes are reduced by
// ShuffleInterleaved. One barrier, and little work for all warps but the first.
// The operator need not commute. s has RakingStorage.
func Raking[T any](v warp.Reg[T], op Op[T], t Tile, s warp.Mem[T]) {
	const name = "raking"
	b := assemble(v.Warp(), name, t)
	b.readIDs()
	must(needStorage(name, s, RakingStorage(b.lanes, b.w.BlockThreads())))
	rakeAll(&b, v, &op, s)
	if t.Everywhere && b.w.BlockThreads() > 1 {
		share(&b, v, s, 0)
	}
}

func rakeAll[T any](b *team, v warp.Reg[T], op *Op[T], s warp.Mem[T]) {
	w := b.w
	if w.BlockWarps() == 1 {
		reduceWarp(byInterleaved, w, b.name, v, op, b.valid)
		return
	}
	l := raking(b.lanes, w.BlockThreads())
	put(b, l, v, s, 0)
	w.SyncBlock()
	b.firstWarp(func() {
		rake(b, v, op, s, b.valid, l.length, l.pitch)
		reduceWarp(byInterleaved, w, b.name, v, op, (b.valid+l.length-1)/l.length)
	})
}

// put stores the items of the threads from skip on into the segments.
func put[T any](b *team, l layout, v warp.Reg[T], s warp.Mem[T], skip int) {
	w := b.w
	id := w.ThreadID()
	m := w.Mark()
	at := id
	if l.pitch != l.length || skip > 0 {
		at = warp.Alloc[int32](w)
		if skip > 0 {
			from := warp.Alloc[int32](w)
			warp.AddImm(from, id, int32(-skip))
			l.place(at, from)
		} else {
			l.place(at, id)
		}
	}
	if b.mine == b.w.Live().Count() && skip == 0 {
		warp.Store(s, at, v)
	} else {
		b.below(b.valid, func() { warp.Store(s, at, v) })
	}
	w.Release(m)
}

// RakingCommutative is Raking in which the lanes of the first warp keep their
// own item in a register and rake over those of the other warps only: less
// shared memory, and the operator must commute. Partial tiles, and blocks that
// are no multiple of the warp or only one warp, are reduced as Raking does.
func RakingCommutative[T any](v warp.Reg[T], op Op[T], t Tile, s warp.Mem[T]) {
	const name = "raking-commutative"
	b := assemble(v.Warp(), name, t)
	b.readIDs()
	must(op.needOrder(name, "raking"))
	must(needStorage(name, s, RakingStorage(b.lanes, b.w.BlockThreads())))
	w := b.w
	threads := w.BlockThreads()
	if b.valid < threads || threads%b.lanes != 0 || threads == b.lanes {
		rakeAll(&b, v, &op, s)
	} else {
		l := raking(b.lanes, threads-b.lanes)
		if w.ID() > 0 {
			put(&b, l, v, s, b.lanes)
		}
		w.SyncBlock()
		b.firstWarp(func() { rakeOnto(&b, v, &op, s, l) })
	}
	if t.Everywhere && threads > 1 {
		share(&b, v, s, 0)
	}
}

// rakeOnto adds a whole segment to each lane's own item, and reduces the lanes.
func rakeOnto[T any](b *team, v warp.Reg[T], op *Op[T], s warp.Mem[T], l layout) {
	w := b.w
	id := w.LaneID()
	m := w.Mark()
	at, x := id, warp.Alloc[T](w)
	if l.pitch > 1 {
		at = warp.Alloc[int32](w)
		warp.MulImm(at, id, int32(l.pitch))
	}
	for j := range l.length {
		warp.Load(x, s.At(j), at)
		op.Apply(v, v, x)
	}
	w.Release(m)
	reduceWarp(byInterleaved, w, b.name, v, op, b.lanes)
}
