package reduce

import (
	"fmt"

	"example.com/warpsim/warp"
)

// A Storage says how many elements of shared memory an algorithm needs for
// blocks of so many threads in warps of so many lanes.
type Storage func(lanes, threads int) int

// Shared declares what an algorithm needs in the shared memory of the block.
// Two reductions one after the other may use the same array if a barrier comes
// between them: SyncBlock, or SyncWarp where only warps reduce.
func Shared[T any](w *warp.Warp, s Storage) warp.Mem[T] {
	return warp.Shared[T](w, s(w.Width(), w.BlockThreads()))
}

// WarpStorage is what warp-level algorithms in shared memory need: an element a
// lane of the block's warps.
func WarpStorage(lanes, threads int) int { return (threads + lanes - 1) / lanes * lanes }

// ThreadStorage is what block-level trees need: an element a thread.
func ThreadStorage(lanes, threads int) int { return threads }

// HybridStorage is what algorithms that share the results of warps need: an
// element a warp, and one for the result.
func HybridStorage(lanes, threads int) int { return (threads+lanes-1)/lanes + 1 }

// A team is how the threads of a block take part in one block-level reduction.
type team struct {
	w     *warp.Warp
	name  string
	lanes int // of a warp
	valid int // items, in the first threads
	base  int // the warp's first thread
	mine  int // items in this warp
}

// assemble finds out what this warp's part in a block is. A tile that cannot be
// ends the kernel.
func assemble(w *warp.Warp, name string, t Tile) team {
	if t.Width != 0 {
		fail(name, ErrWidth, fmt.Sprintf("%d, and a block has no groups", t.Width), "leave it 0")
	}
	must(t.checkValid(name, w.BlockThreads()))
	b := team{w: w, name: name, lanes: w.Width(), valid: t.Valid}
	if b.valid == 0 {
		b.valid = w.BlockThreads()
	}
	b.base = w.ID() * b.lanes
	b.mine = min(max(b.valid-b.base, 0), b.lanes)
	if active := w.Active(); active != w.Live() {
		fail(name, ErrActive, "lanes "+active.Ranges()+" of a warp with lanes "+w.Live().Ranges(),
			"call it outside of branches, with all threads of the block")
	}
	return b
}

// readIDs reads the numbers of thread and lane, unless the kernel has already:
// early, as compilers do, since it takes a while.
func (b *team) readIDs() {
	b.w.ThreadID()
	b.w.LaneID()
}

// partials is the number of warps with an item.
func (b *team) partials() int { return (b.valid + b.lanes - 1) / b.lanes }

// below runs body as predicated instructions of the threads below n.
func (b *team) below(n int, body func()) {
	w := b.w
	id := w.ThreadID()
	m := w.Mark()
	p := w.Pred()
	warp.LtImm(p, id, int32(n))
	w.Where(p, body)
	w.Release(m)
}

// firstWarp runs body in the first warp of the block, behind a branch.
func (b *team) firstWarp(body func()) {
	w := b.w
	if w.BlockWarps() == 1 {
		body()
		return
	}
	id := w.ThreadID()
	m := w.Mark()
	p := w.Pred()
	warp.LtImm(p, id, int32(b.lanes))
	w.If(p, body)
	w.Release(m)
}

// store stores the items, each at the place of its thread.
func store[T any](b *team, v warp.Reg[T], s warp.Mem[T]) {
	id := b.w.ThreadID()
	if b.valid == b.w.BlockThreads() {
		warp.Store(s, id, v)
		return
	}
	b.below(b.valid, func() { warp.Store(s, id, v) })
}

// share gives all threads of the block what thread 0 holds, through an element
// of s that nobody reads or writes at this time.
func share[T any](b *team, v warp.Reg[T], s warp.Mem[T], at int) {
	w := b.w
	id := w.ThreadID()
	s = s.At(at)
	b.below(1, func() { warp.Store(s, id, v) })
	w.SyncBlock()
	m := w.Mark()
	zero := warp.Alloc[int32](w)
	warp.Set(zero, 0)
	warp.Load(v, s, zero)
	w.Release(m)
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
	t := Tile{Valid: n}
	if part == byRedux {
		Redux(v, *op, t)
		return
	}
	g := split(w, name, t)
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
