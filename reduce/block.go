package reduce

import (
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
)

// NewWarpStorage declares what warp-level algorithms in shared memory need: an
// element a lane of the block's warps.
//
// Here and below, two reductions one after the other may use the same array if a
// barrier comes between them: SyncBlock, or SyncWarp where only warps reduce.
func NewWarpStorage[T any](w *warp.Warp) warp.Mem[T] {
	return warp.Shared[T](w, w.BlockWarps()*w.Width())
}

// NewThreadStorage declares what block-level trees need: an element a thread.
func NewThreadStorage[T any](w *warp.Warp) warp.Mem[T] { return warp.Shared[T](w, w.BlockThreads()) }

// NewHybridStorage declares what algorithms that share the results of warps need:
// an element a warp, and one for the result. Scans take the same.
func NewHybridStorage[T any](w *warp.Warp) warp.Mem[T] { return warp.Shared[T](w, w.BlockWarps()+1) }

// store stores the items, each at the place of its thread.
func store[T any](b *roster, v warp.Reg[T], s warp.Mem[T]) {
	id := b.W.ThreadID()
	if b.Valid == b.W.BlockThreads() {
		warp.Store(s, id, v)
		return
	}
	b.Below(b.Valid, func() { warp.Store(s, id, v) })
}

// warpPart reduces the items of one warp.
type warpPart uint8

const (
	byDown warpPart = iota
	byInterleaved
	byRedux
)

// reduceWarp leaves the reduction of the first n lanes in lane 0.
func reduceWarp[T any](part warpPart, w *warp.Warp, name string, v warp.Reg[T], op *Op[T], n int) {
	t := Tile{Valid: team.First(n)}
	if part == byRedux {
		Redux(v, *op, t)
		return
	}
	g := t.lanes(w, name)
	shuffleDown(&g, v, op, false, part == byInterleaved)
}

// check holds an operator against what the part can do.
func checkPart[T any](part warpPart, w *warp.Warp, name, instead string, op *Op[T]) {
	switch part {
	case byDown:
		must(op.needOrder(name, instead))
	case byRedux:
		must(op.needRedux(name, w.Device()))
	}
}
