package reduce

import (
	"unsafe"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
)

// BlockHybrid reduces inside each warp by ShuffleDown, and the results of the warps,
// through shared memory, by ShuffleDown in the first warp: one barrier. The
// operator must commute. s has NewHybridStorage.
func BlockHybrid[T any](v warp.Reg[T], op Op[T], t Tile, s warp.Mem[T]) {
	hybrid("hybrid", byDown, v, &op, t, s)
}

// BlockHybridInterleaved is BlockHybrid with ShuffleInterleaved: operands keep their
// order, and the operator need not commute.
func BlockHybridInterleaved[T any](v warp.Reg[T], op Op[T], t Tile, s warp.Mem[T]) {
	hybrid("hybrid-interleaved", byInterleaved, v, &op, t, s)
}

// BlockHybridRedux is BlockHybrid with the device's reduction instruction.
func BlockHybridRedux[T any](v warp.Reg[T], op Op[T], t Tile, s warp.Mem[T]) {
	hybrid("hybrid-redux", byRedux, v, &op, t, s)
}

func hybrid[T any](name string, part warpPart, v warp.Reg[T], op *Op[T], t Tile, s warp.Mem[T]) {
	b := t.block(v.Warp(), name)
	b.readIDs()
	checkPart(part, b.W, name, "hybrid-interleaved", op)
	b.NeedStorage(s.Len(), b.W.BlockWarps()+1)
	if none(&b, v, op) {
		return
	}
	shareWarps(&b, part, v, op, s)
	if b.Partials() > 1 {
		b.FirstWarp(func() { gather(&b, part, v, op, s) })
	}
	if t.Everywhere && b.W.BlockThreads() > 1 {
		share(&b, v, s, b.W.BlockWarps())
	}
}

// shareWarps reduces each warp and puts the results into s, one a warp; a
// barrier makes them visible.
func shareWarps[T any](b *roster, part warpPart, v warp.Reg[T], op *Op[T], s warp.Mem[T]) {
	w := b.W
	if b.Here > 0 {
		reduceWarp(part, w, b.Name, v, op, b.Here)
	}
	if b.Partials() == 1 {
		return
	}
	id := w.LaneID()
	if b.Here > 0 {
		m := w.Mark()
		p := w.Pred()
		warp.EqImm(p, id, 0)
		w.Where(p, func() { warp.Store(s.At(w.ID()), id, v) })
		w.Release(m)
	}
	w.SyncBlock()
}

// gather reduces the results of the warps in the first warp. If there are more
// of them than lanes, each lane first takes several neighbours in order.
func gather[T any](b *roster, part warpPart, v warp.Reg[T], op *Op[T], s warp.Mem[T]) {
	n := b.Partials()
	each := (n + b.Lanes - 1) / b.Lanes
	rake(b, v, op, s, n, each, each)
	reduceWarp(part, b.W, b.Name, v, op, (n+each-1)/each)
}

// rake loads the n elements of s in segments of the given length, one a lane,
// the segments pitch elements apart, and reduces each in order into v.
func rake[T any](b *roster, v warp.Reg[T], op *Op[T], s warp.Mem[T], n, length, pitch int) {
	w := b.W
	id := w.LaneID()
	m := w.Mark()
	at := id
	if pitch > 1 {
		at = warp.Alloc[int32](w)
		warp.MulImm(at, id, int32(pitch))
	}
	// All lanes with a segment have its first elements, and those but the last one
	// have all of it.
	active := w.Active()
	length = min(length, n)
	all := length - (length-n%length)%length
	part := func(from, to int) {
		if from == to {
			return
		}
		body := func() {
			if from == 0 {
				warp.Load(v, s, at)
				from++
			}
			addAll(v, op, s.At(from), at, to-from)
		}
		if have := lane.FirstN((n - from + length - 1) / length).And(active); have == active {
			body()
		} else {
			p := w.Pred()
			warp.SetPred(p, have)
			w.Where(p, body)
		}
	}
	part(0, all)
	part(all, length)
	w.Release(m)
}

// mostLoaded is how many rows addAll loads before it applies the operator.
const mostLoaded = 32

// addAll applies the operator to v and each of the n elements of s that begin at the
// index at, in order: first it loads, then it applies, so that the loads overlap.
func addAll[T any](v warp.Reg[T], op *Op[T], s warp.Mem[T], at warp.Reg[int32], n int) {
	w := v.Warp()
	m := w.Mark()
	x := make([]warp.Reg[T], min(n, loaded[T]()))
	for i := range x {
		x[i] = warp.Alloc[T](w)
	}
	for k := 0; k < n; k += len(x) {
		some := x[:min(len(x), n-k)]
		for i := range some {
			warp.Load(some[i], s.At(k+i), at)
		}
		for i := range some {
			op.Apply(v, v, some[i])
		}
	}
	w.Release(m)
}

// addTree is addAll for operators that commute: what one load after the other has brought
// is added up as a tree over neighbours, of which v is the first.
func addTree[T any](v warp.Reg[T], op *Op[T], s warp.Mem[T], at warp.Reg[int32], n int) {
	w := v.Warp()
	m := w.Mark()
	x := append(make([]warp.Reg[T], 0, loaded[T]()), v)
	for k := 0; k < n; k += len(x) - 1 {
		x = x[:min(cap(x), n-k+1)]
		for i := 1; i < len(x); i++ {
			if k == 0 {
				x[i] = warp.Alloc[T](w)
			}
			warp.Load(x[i], s.At(k+i-1), at)
		}
		for d := 1; d < len(x); d *= 2 {
			for i := 0; i+d < len(x); i += 2 * d {
				op.Apply(x[i], x[i], x[i+d])
			}
		}
	}
	w.Release(m)
}

// loaded returns how many values of a type are loaded before they are combined.
func loaded[T any]() int {
	var zero T
	return max(2, 4*mostLoaded/max(4, int(unsafe.Sizeof(zero))))
}

// shortBody is how many loads with their operators are guarded instead of put behind a
// branch.
const shortBody = 3

// BlockWarpReductions reduces inside each warp by ShuffleInterleaved; thread 0 then
// adds the results of the warps one by one in order. It needs no second tree,
// and pays for it with a load and an operator for each warp.
func BlockWarpReductions[T any](v warp.Reg[T], op Op[T], t Tile, s warp.Mem[T]) {
	const name = "warp-reductions"
	b := t.block(v.Warp(), name)
	b.readIDs()
	b.NeedStorage(s.Len(), b.W.BlockWarps()+1)
	if none(&b, v, &op) {
		return
	}
	shareWarps(&b, byInterleaved, v, &op, s)
	w := b.W
	if n := b.Partials(); n > 1 {
		m := w.Mark()
		p := w.Pred()
		warp.LtImm(p, w.ThreadID(), 1)
		if n-1 <= shortBody {
			w.Where(p, func() { addAll(v, &op, s.At(1), w.ThreadID(), n-1) })
		} else { // behind a branch: most warps have nothing to do
			w.If(p, func() { addAll(v, &op, s.At(1), w.SharedBase(), n-1) })
		}
		w.Release(m)
	}
	if t.Everywhere && w.BlockThreads() > 1 {
		share(&b, v, s, w.BlockWarps())
	}
}

// BlockAtomics reduces inside each warp by ShuffleDown; the first warp stores
// its result, and the others add theirs to it by a shared atomic each. The
// operator must commute and have an atomic. In which order the warps come is
// theirs: for floats a device may give another result on every run; here it is
// the order in which the engine runs them.
func BlockAtomics[T any](v warp.Reg[T], op Op[T], t Tile, s warp.Mem[T]) {
	const name = "atomics"
	b := t.block(v.Warp(), name)
	b.readIDs()
	w := b.W
	checkPart(byDown, w, name, "hybrid-interleaved", &op)
	must(op.needAtomic(name, w.Device()))
	b.NeedStorage(s.Len(), 1)
	if none(&b, v, &op) {
		return
	}
	if b.Here > 0 {
		reduceWarp(byDown, w, name, v, &op, b.Here)
	}
	if b.Partials() == 1 {
		if t.Everywhere && w.BlockThreads() > 1 {
			share(&b, v, s, 0)
		}
		return
	}
	id := w.LaneID()
	m := w.Mark()
	zero, p := warp.Alloc[int32](w), w.Pred()
	warp.EqImm(p, id, 0)
	if w.ID() == 0 {
		w.Where(p, func() { warp.Store(s, id, v) })
	}
	w.SyncBlock()
	if w.ID() > 0 && b.Here > 0 {
		w.Where(p, func() { op.Atomic(s, id, v) })
	}
	w.SyncBlock()
	if t.Everywhere {
		warp.Set(zero, 0)
		warp.Load(v, s, zero)
	} else {
		b.Below(1, func() { warp.Load(v, s, id) })
	}
	w.Release(m)
}
