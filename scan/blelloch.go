package scan

import (
	"math/bits"

	"example.com/warpsim/reduce"
	"example.com/warpsim/scan/internal/parts"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
)

// NewTreeStorage declares what BlockBlelloch needs: the threads rounded up to a
// power of two, and two more.
func NewTreeStorage[T any](w *warp.Warp) warp.Mem[T] {
	return warp.Shared[T](w, treeElements(w.BlockThreads()))
}

func treeElements(threads int) int { return team.CeilPow2(threads) + 2 }

// NewPaddedTreeStorage declares what BlockBlellochPadded needs: that of
// NewTreeStorage and an element more for every 16, the most that any device's
// padding takes.
func NewPaddedTreeStorage[T any](w *warp.Warp) warp.Mem[T] {
	return warp.Shared[T](w, paddedTreeElements(w.BlockThreads()))
}

func paddedTreeElements(threads int) int {
	return treeElements(threads) + team.CeilPow2(threads)/16
}

// BlockBlelloch scans a block in shared memory by sweeping up a tree of sums and down
// again: 2*log2(n) steps with a barrier each, and 2*n operators in all. The tree
// has a power of two of leaves; those without an item hold the identity, which
// the operator must have, and which it sees. Its strides make banks conflict:
// see BlockBlellochPadded.
func BlockBlelloch[T any](v warp.Reg[T], op reduce.Op[T], s Spec[T], m warp.Mem[T]) {
	blelloch("blelloch", v, &op, &s, m, treeElements(v.Warp().BlockThreads()), 0)
}

// BlockBlellochPadded is BlockBlelloch with an unused element after every row of banks, so
// that strides of powers of two visit different banks.
func BlockBlellochPadded[T any](v warp.Reg[T], op reduce.Op[T], s Spec[T], m warp.Mem[T]) {
	banks := max(v.Warp().Device().Shared.Count, 16)
	blelloch("blelloch-padded", v, &op, &s, m, paddedTreeElements(v.Warp().BlockThreads()), banks)
}

func blelloch[T any](name string, v warp.Reg[T], op *reduce.Op[T], s *Spec[T], m warp.Mem[T], need, banks int) {
	b := block(v.Warp(), name, op, s, m, need)
	if none(&b, op, s) {
		return
	}
	if !op.HasIdentity {
		fail(name, team.ErrIdentity, op.Name+" has none to fill the tree with", "use raking or hybrid")
	}
	w := b.W
	id := w.ThreadID()
	threads := w.BlockThreads()
	mark := w.Mark()
	n := team.CeilPow2(b.Valid)
	free := need - 2
	t := tree[T]{w: w, m: m, n: n, banks: banks, op: *op, threads: threads}
	t.low, t.high = warp.Alloc[T](w), warp.Alloc[T](w)
	t.at, t.pad = warp.Alloc[int32](w), warp.Alloc[int32](w)
	t.p = w.Pred()

	t.store(id, v, b.Valid)
	t.up(id)
	needTotal := parts.Given(s.Aggregate) || s.Prefix != nil
	w.SyncBlock()
	warp.EqImm(t.p, id, 0)
	root := t.place(n - 1)
	w.Where(t.p, func() {
		if needTotal {
			warp.Load(t.low, m.At(root), id)
			warp.Store(m.At(free), id, t.low)
		}
		if parts.Given(s.Initial) {
			warp.Mov(t.low, s.Initial)
		} else {
			warp.Set(t.low, op.Identity)
		}
		warp.Store(m.At(root), id, t.low)
	})
	t.down(id)
	w.SyncBlock()
	before := t.low
	if parts.Given(s.Exclusive) {
		before = s.Exclusive
	}
	t.position(id, 1, 0)
	withItems(&b, func() {
		warp.Load(before, m, t.at)
		op.Apply(v, before, v)
	})
	if needTotal {
		team.LoadOne(t.high, m, free)
	}
	complete(&b, v, op, s, t.high, m, free+1)
	w.Release(mark)
}

// A tree is BlockBlelloch's tree of sums in shared memory.
type tree[T any] struct {
	w         *warp.Warp
	m         warp.Mem[T]
	n         int // leaves
	banks     int // a padding element after so many, 0: none
	threads   int
	op        reduce.Op[T]
	low, high warp.Reg[T]
	at, pad   warp.Reg[int32]
	p         warp.Pred
}

// place returns where leaf i is.
func (t *tree[T]) place(i int) int {
	if t.banks > 0 {
		i += i / t.banks
	}
	return i
}

// position sets at to where leaf scale*id+offset is, as instructions.
func (t *tree[T]) position(id warp.Reg[int32], scale, offset int) {
	if scale > 1 {
		warp.MulImm(t.at, id, int32(scale))
	} else {
		warp.Mov(t.at, id)
	}
	if t.banks == 0 {
		if offset > 0 {
			warp.AddImm(t.at, t.at, int32(offset))
		}
		return
	}
	if offset > 0 {
		warp.AddImm(t.at, t.at, int32(offset))
	}
	warp.ShrImm(t.pad, t.at, int32(bits.Len(uint(t.banks))-1))
	warp.Add(t.at, t.at, t.pad)
}

// store fills the leaves: items, and the identity after them.
func (t *tree[T]) store(id warp.Reg[int32], v warp.Reg[T], valid int) {
	w := t.w
	t.position(id, 1, 0)
	if valid == t.threads {
		warp.Store(t.m, t.at, v)
	} else {
		warp.LtImm(t.p, id, int32(valid))
		w.Where(t.p, func() { warp.Store(t.m, t.at, v) })
	}
	if t.n == valid {
		return
	}
	warp.Set(t.low, t.op.Identity)
	for first := valid; first < t.n; first += t.threads {
		t.position(id, 1, first)
		warp.LtImm(t.p, id, int32(t.n-first))
		w.Where(t.p, func() { warp.Store(t.m, t.at, t.low) })
	}
}

// pair runs body in the threads that have a pair of subtrees of d leaves each,
// with their sums in low and high; at is where low was, and up where high was.
func (t *tree[T]) pair(id warp.Reg[int32], d int, body func(low, high warp.Reg[int32])) {
	w := t.w
	m := w.Mark()
	low := warp.Alloc[int32](w)
	t.position(id, 2*d, d-1)
	warp.Mov(low, t.at)
	t.position(id, 2*d, 2*d-1)
	warp.LtImm(t.p, id, int32(t.n/(2*d)))
	w.Where(t.p, func() {
		warp.Load(t.low, t.m, low)
		warp.Load(t.high, t.m, t.at)
		body(low, t.at)
	})
	w.Release(m)
}

// up replaces the root of every subtree by the sum of its leaves.
func (t *tree[T]) up(id warp.Reg[int32]) {
	for d := 1; d < t.n; d *= 2 {
		t.w.SyncBlock()
		t.pair(id, d, func(_, high warp.Reg[int32]) {
			t.op.Apply(t.high, t.low, t.high)
			warp.Store(t.m, high, t.high)
		})
	}
}

// down replaces every leaf by what stands before it.
func (t *tree[T]) down(id warp.Reg[int32]) {
	for d := t.n / 2; d > 0; d /= 2 {
		t.w.SyncBlock()
		t.pair(id, d, func(low, high warp.Reg[int32]) {
			warp.Store(t.m, low, t.high)
			t.op.Apply(t.high, t.high, t.low)
			warp.Store(t.m, high, t.high)
		})
	}
}

// NewTwiceStorage declares what BlockHillisSteele needs: two elements a thread,
// and one more.
func NewTwiceStorage[T any](w *warp.Warp) warp.Mem[T] {
	return warp.Shared[T](w, 2*w.BlockThreads()+1)
}

// BlockHillisSteele scans a block in shared memory over the distances 1, 2, 4,
// ..., between two arrays that take turns, so that one barrier a step is
// enough. It takes log2(n) steps, and n operators in each.
func BlockHillisSteele[T any](v warp.Reg[T], op reduce.Op[T], s Spec[T], m warp.Mem[T]) {
	b := block(v.Warp(), "block-hillis-steele", &op, &s, m, 2*v.Warp().BlockThreads()+1)
	if none(&b, &op, &s) {
		return
	}
	w := b.W
	id := w.ThreadID()
	threads := w.BlockThreads()
	mark := w.Mark()
	x, p := warp.Alloc[T](w), w.Pred()
	in, out := m, m.At(threads)
	withItems(&b, func() { warp.Store(in, id, v) })
	w.SyncBlock()
	for d := 1; d < b.Valid; d *= 2 {
		warp.SetPred(p, hereFrom(&b, d))
		w.Where(p, func() {
			warp.Load(x, in.At(-d), id)
			op.Apply(v, x, v)
		})
		in, out = out, in
		withItems(&b, func() { warp.Store(in, id, v) })
		w.SyncBlock()
	}
	total := warp.Alloc[T](w)
	if parts.Given(s.Aggregate) || s.Prefix != nil {
		team.LoadOne(total, in, b.Valid-1)
	}
	if parts.Given(s.Exclusive) {
		warp.SetPred(p, hereFrom(&b, 1))
		w.Where(p, func() { warp.Load(s.Exclusive, in.At(-1), id) })
	}
	switch {
	case parts.Given(s.Initial):
		withItems(&b, func() { op.Apply(v, s.Initial, v) })
		if parts.Given(s.Exclusive) {
			inFront(&b, s.Exclusive, s.Initial, &op)
		}
	case parts.Given(s.Exclusive) && s.Prefix == nil:
		b.Below(1, func() { warp.Set(s.Exclusive, op.Identity) })
	}
	complete(&b, v, &op, &s, total, m, 2*threads)
	w.Release(mark)
}
