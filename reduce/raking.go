package reduce

import (
	"math/bits"

	"example.com/warpsim/lane"
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
	length := max(1, lane.Warps(min(n, lanes), n))
	l := layout{length: length, pitch: length, threads: lane.Warps(length, n)}
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
	if bits.OnesCount(uint(l.length)) == 1 {
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

// NewRakingStorage declares what BlockRaking needs: an element a thread, and
// padding.
func NewRakingStorage[T any](w *warp.Warp) warp.Mem[T] {
	return warp.Shared[T](w, rakingElements(w.Width(), w.BlockThreads()))
}

func rakingElements(lanes, threads int) int { return max(raking(lanes, threads).elements(), threads) }

// BlockRaking stores all items; the lanes of the first warp then each reduce a
// segment of neighbours in order, and the results of the lanes are reduced by
// ShuffleInterleaved. One barrier, and little work for all warps but the first.
// The operator need not commute. s has NewRakingStorage.
func BlockRaking[T any](v warp.Reg[T], op Op[T], t Tile, s warp.Mem[T]) {
	const name = "raking"
	b := t.block(v.Warp(), name)
	b.readIDs()
	b.NeedStorage(s.Len(), rakingElements(b.Lanes, b.W.BlockThreads()))
	if none(&b, v, &op) {
		return
	}
	rakeAll(&b, v, &op, s)
	if t.Everywhere && b.W.BlockThreads() > 1 {
		share(&b, v, s, 0)
	}
}

func rakeAll[T any](b *roster, v warp.Reg[T], op *Op[T], s warp.Mem[T]) {
	w := b.W
	if w.BlockWarps() == 1 {
		reduceWarp(byInterleaved, w, b.Name, v, op, b.Valid)
		return
	}
	l := raking(b.Lanes, w.BlockThreads())
	put(b, l, v, s, 0)
	w.SyncBlock()
	b.FirstWarp(func() {
		rake(b, v, op, s, b.Valid, l.length, l.pitch)
		reduceWarp(byInterleaved, w, b.Name, v, op, (b.Valid+l.length-1)/l.length)
	})
}

// put stores the items of the threads from skip on into the segments.
func put[T any](b *roster, l layout, v warp.Reg[T], s warp.Mem[T], skip int) {
	w := b.W
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
	if skip > 0 {
		// No warp stores but those behind the first.
		p := w.Pred()
		warp.GeImm(p, id, int32(skip))
		w.Where(p, func() { warp.Store(s, at, v) })
	} else if b.Here == b.W.Live().Count() {
		warp.Store(s, at, v)
	} else {
		b.Below(b.Valid, func() { warp.Store(s, at, v) })
	}
	w.Release(m)
}

// BlockRakingCommutative is BlockRaking in which the lanes of the first warp keep their
// own item in a register and rake over those of the other warps only, each a tree of
// neighbours that begins with its own item, as the public library does it: less shared
// memory, and the operator must commute. Partial tiles, and blocks that are no multiple of
// the warp or only one warp, are reduced as BlockRaking does.
func BlockRakingCommutative[T any](v warp.Reg[T], op Op[T], t Tile, s warp.Mem[T]) {
	const name = "raking-commutative"
	b := t.block(v.Warp(), name)
	b.readIDs()
	must(op.needOrder(name, "raking"))
	b.NeedStorage(s.Len(), rakingElements(b.Lanes, b.W.BlockThreads()))
	if none(&b, v, &op) {
		return
	}
	w := b.W
	threads := w.BlockThreads()
	if b.Valid < threads || threads%b.Lanes != 0 || threads == b.Lanes {
		rakeAll(&b, v, &op, s)
	} else {
		l := raking(b.Lanes, threads-b.Lanes)
		put(&b, l, v, s, b.Lanes)
		w.SyncBlock()
		b.FirstWarp(func() { rakeOnto(&b, v, &op, s, l) })
	}
	if t.Everywhere && threads > 1 {
		share(&b, v, s, 0)
	}
}

// rakeOnto adds a whole segment to each lane's own item, and reduces the lanes.
func rakeOnto[T any](b *roster, v warp.Reg[T], op *Op[T], s warp.Mem[T], l layout) {
	w := b.W
	id := w.LaneID()
	m := w.Mark()
	at := id
	if l.pitch > 1 {
		at = warp.Alloc[int32](w)
		warp.MulImm(at, id, int32(l.pitch))
	}
	addTree(v, op, s, at, l.length)
	w.Release(m)
	reduceWarp(byInterleaved, w, b.Name, v, op, b.Lanes)
}
