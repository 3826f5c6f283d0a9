package tile

import (
	"example.com/warpsim/lane"
	"example.com/warpsim/scan/internal/parts"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
)

// NewShiftStorage declares the shared memory of Offset, Rotate, ShiftUp and
// ShiftDown: an element a thread, and one more.
func NewShiftStorage[T any](w *warp.Warp) warp.Mem[T] { return warp.Shared[T](w, w.BlockThreads()+1) }

// Offset sets dst in each thread to what v holds distance threads above, or
// below for a negative distance. Threads without such a thread keep dst.
//
//	v    thread 0: a   thread 1: b   thread 2: c   thread 3: d
//	dst  thread 0: b   thread 1: c   thread 2: d   thread 3: as before     (distance 1)
//
// dst may be v, and the distance any.
//
// Contract:
//
//   - Threads: all of a block of any size.
//   - Shared memory: NewShiftStorage.
//   - Cost: a store, a barrier, a compare and a load.
//   - Errors: team.ErrStorage, ErrActive.
func Offset[T any](dst, v warp.Reg[T], distance int, s warp.Mem[T]) {
	t := parts.Bind(team.Block(), v.Warp(), "offset", 1)
	t.NeedStorage(s.Len(), t.Width+1)
	id := t.W.ThreadID()
	warp.Store(s, id, v)
	t.Sync()
	inside := t.Where(func(number, threads, _ int) bool { return number+distance >= 0 && number+distance < threads })
	t.IfAny(inside, func() { warp.Load(dst, s.At(distance), id) })
}

// Rotate sets dst in each thread to what v holds distance threads above, going
// round at the end of the block.
//
//	v    thread 0: a   thread 1: b   thread 2: c   thread 3: d
//	dst  thread 0: b   thread 1: c   thread 2: d   thread 3: a     (distance 1)
//
// dst may be v. Any distance, also negative ones; otherwise it is Offset.
func Rotate[T any](dst, v warp.Reg[T], distance int, s warp.Mem[T]) {
	t := parts.Bind(team.Block(), v.Warp(), "rotate", 1)
	t.NeedStorage(s.Len(), t.Width+1)
	n := t.Width
	d := ((distance % n) + n) % n
	id := t.W.ThreadID()
	m := t.W.Mark()
	warp.Store(s, id, v)
	t.Sync()
	at := id
	if d > 0 {
		at = warp.Alloc[int32](t.W)
		warp.AddImm(at, id, int32(d))
		t.IfAny(t.Where(func(number, _, _ int) bool { return number+d >= n }), func() { warp.AddImm(at, at, int32(-n)) })
	}
	warp.Load(dst, s, at)
	t.W.Release(m)
}

// ShiftUp moves the items of a blocked tile up by one: each becomes the item
// before it. The first stays what it was. last, if it is not the zero register,
// receives the last item in all threads, and stays what it is if there is none.
//
//	in   thread 0: a b   thread 1: c d   thread 2: e f
//	out  thread 0: a a   thread 1: b c   thread 2: d e     last f
//
// Contract:
//
//   - Threads: all of a block of any size.
//   - Valid: the first items; others are neither read nor written.
//   - Shared memory: NewShiftStorage, for the last item of each thread.
//   - Cost: a move an item, a store, a barrier and a load.
//   - Errors: team.ErrItems, ErrValid, ErrStorage, ErrActive.
func ShiftUp[T any](valid team.Count, items []warp.Reg[T], last warp.Reg[T], s warp.Mem[T]) {
	t := parts.Bind(team.Block().Holding(valid), warpOf(items), "shift-up", len(items))
	t.NeedStorage(s.Len(), t.Width+1)
	if t.Valid == 0 {
		return
	}
	k := t.Items
	id := t.W.ThreadID()
	t.IfAny(t.Blocked(k-1), func() { warp.Store(s, id, items[k-1]) })
	keepEdge(&t, items, t.ValidOf(0)-1, last, s)
	t.Sync()
	for j := k - 1; j > 0; j-- {
		t.IfAny(t.Blocked(j), func() { warp.Mov(items[j], items[j-1]) })
	}
	t.IfAny(t.Blocked(0).And(after(&t, 0)), func() { warp.Load(items[0], s.At(-1), id) })
	takeEdge(&t, last, s)
}

// ShiftDown moves the items of a blocked tile down by one: each becomes the item
// after it. The last stays what it was. first, if it is not the zero register,
// receives the first item in all threads.
//
//	in   thread 0: a b   thread 1: c d   thread 2: e f
//	out  thread 0: b c   thread 1: d e   thread 2: f f     first a
//
// Otherwise it is ShiftUp.
func ShiftDown[T any](valid team.Count, items []warp.Reg[T], first warp.Reg[T], s warp.Mem[T]) {
	t := parts.Bind(team.Block().Holding(valid), warpOf(items), "shift-down", len(items))
	t.NeedStorage(s.Len(), t.Width+1)
	if t.Valid == 0 {
		return
	}
	k := t.Items
	id := t.W.ThreadID()
	t.IfAny(t.Blocked(0), func() { warp.Store(s, id, items[0]) })
	keepEdge(&t, items, 0, first, s)
	t.Sync()
	inner := func(j int) lane.Mask {
		return t.Where(func(number, _, valid int) bool { return number*k+j+1 < valid })
	}
	for j := range k - 1 {
		t.IfAny(inner(j), func() { warp.Mov(items[j], items[j+1]) })
	}
	t.IfAny(inner(k-1), func() { warp.Load(items[k-1], s.At(1), id) })
	takeEdge(&t, first, s)
}

// after returns the lanes whose thread is above n.
func after(t *parts.Roster, n int) lane.Mask {
	return t.Where(func(number, _, _ int) bool { return number > n })
}

// keepEdge stores item i of a blocked tile for all threads, if it is wanted.
func keepEdge[T any](t *parts.Roster, items []warp.Reg[T], i int, edge warp.Reg[T], s warp.Mem[T]) {
	if !parts.Given(edge) {
		return
	}
	holder, j := i/t.Items, i%t.Items
	if m := t.Where(func(number, _, _ int) bool { return number == holder }); !m.Empty() {
		id := t.W.ThreadID()
		t.IfAny(m, func() { warp.Store(s.At(t.Width-holder), id, items[j]) })
	}
}

// takeEdge loads what keepEdge has stored.
func takeEdge[T any](t *parts.Roster, edge warp.Reg[T], s warp.Mem[T]) {
	if !parts.Given(edge) {
		return
	}
	m := t.W.Mark()
	zero := warp.Alloc[int32](t.W)
	warp.Set(zero, 0)
	warp.Load(edge, s.At(t.Width), zero)
	t.W.Release(m)
}
