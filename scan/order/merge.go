package order

import (
	"fmt"
	"math/bits"

	"example.com/warpsim/scan/internal/parts"
	"example.com/warpsim/scan/tile"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
)

// MergeStorage is the shared memory of Merge.
type MergeStorage[K, V any] struct {
	keys   warp.Mem[K]
	values warp.Mem[V]
}

// NewMergeStorage declares the shared memory for tiles of so many keys a thread:
// an element a key of every lane of the block's warps, with padding as in
// tile.NewStorage, and as much for values. Keys without values have V struct{}.
func NewMergeStorage[K, V any](w *warp.Warp, keys int) MergeStorage[K, V] {
	s := MergeStorage[K, V]{keys: tile.NewStorage[K](w, keys)}
	if hasValues[V]() {
		s.values = tile.NewStorage[V](w, keys)
	}
	return s
}

// Merge sorts the keys of a team by merging: each thread sorts its
// own keys, then runs of 1, 2, 4, ... threads are merged in pairs through shared
// memory.
//
//	in   lane 0: 5 9   lane 1: 1 3   lane 2: 4 2   lane 3: 8 7
//	out  lane 0: 1 2   lane 1: 3 4   lane 2: 5 7   lane 3: 8 9
//
// Contract:
//
//   - Threads: any team.
//   - Keys: any number a thread, any number valid, any type.
//   - Shared memory: MergeStorage.
//   - Cost: k rounds of compares inside a thread for k keys, and log2(w) merges for
//     w threads, in each of which a thread stores its keys, finds where its share
//     of the result begins by binary search, and takes k keys from two runs one
//     after another.
//   - Order: stable.
//   - Errors: team.ErrItems, ErrWidth, ErrValid, ErrStorage, ErrActive.
func Merge[K any](who team.Team, keys []warp.Reg[K], less Less[K], s MergeStorage[K, struct{}]) {
	t := parts.Bind(who, warpOf(keys), "merge", len(keys))
	sortByMerging(&t, keys, nil, less, s)
}

// MergePairs is Merge with a value to each key.
func MergePairs[K, V any](who team.Team, keys []warp.Reg[K], values []warp.Reg[V], less Less[K], s MergeStorage[K, V]) {
	t := parts.Bind(who, warpOf(keys), "merge-pairs", len(keys))
	t.Same("values", len(values))
	sortByMerging(&t, keys, values, less, s)
}

// A merger is a merge sort of a team.
type merger[K, V any] struct {
	t      *parts.Roster
	keys   []warp.Reg[K]
	values []warp.Reg[V] // nil: none
	less   Less[K]
	number warp.Reg[int32]

	keyArea   parts.Area[K]
	valueArea parts.Area[V]
}

func sortByMerging[K, V any](t *parts.Roster, keys []warp.Reg[K], values []warp.Reg[V], less Less[K], s MergeStorage[K, V]) {
	w := t.W
	w.ThreadID()
	w.LaneID()
	m := w.Mark()
	g := merger[K, V]{t: t, keys: keys, values: values, less: less, number: t.NumberReg(), keyArea: parts.NewArea(t, s.keys)}
	if values != nil {
		g.valueArea = parts.NewArea(t, s.values)
	}
	g.threadSort()
	most := 0
	for l := range w.Width() {
		most = max(most, t.Threads(l))
	}
	for run := 1; run < most; run *= 2 {
		if run > 1 {
			t.Sync() // the arrays are free again
		}
		g.merge(run)
	}
	w.Release(m)
}

// threadSort sorts the keys of each thread by odd-even transposition: as many
// rounds as keys, of compares of neighbours, which keeps equal keys in order.
func (g *merger[K, V]) threadSort() {
	t, w := g.t, g.t.W
	k := len(g.keys)
	if k == 1 {
		return
	}
	m := w.Mark()
	swap, key := w.Pred(), warp.Alloc[K](w)
	var value warp.Reg[V]
	if g.values != nil {
		value = warp.Alloc[V](w)
	}
	for round := range k {
		for j := round % 2; j+1 < k; j += 2 {
			a, b := g.keys[j], g.keys[j+1]
			t.IfAny(t.Blocked(j+1), func() {
				g.less(swap, b, a)
				w.Where(swap, func() {
					warp.Mov(key, a)
					warp.Mov(a, b)
					warp.Mov(b, key)
					if g.values != nil {
						warp.Mov(value, g.values[j])
						warp.Mov(g.values[j], g.values[j+1])
						warp.Mov(g.values[j+1], value)
					}
				})
			})
		}
	}
	w.Release(m)
}

// merge joins sorted runs of so many threads in pairs.
//
// In each pair run A comes first. A thread takes the places of the merged run
// that are its own: it finds how many keys of A stand before them, the rest being
// of B, and takes the earlier key of both as many times as it has keys. A key of
// A goes before an equal one of B.
func (g *merger[K, V]) merge(run int) {
	t, w := g.t, g.t.W
	k := len(g.keys)
	m := w.Mark()
	out := g.keyArea.Blocked()
	for j, v := range g.keys {
		t.IfAny(t.Blocked(j), func() {
			s, at := out.Slot(j)
			warp.Store(s, at, v)
		})
	}
	t.Sync()

	// The runs: A from a0 to a1, B from there to b1, all in keys of the team.
	a1, b1, diag := warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w)
	a, b := warp.Alloc[int32](w), warp.Alloc[int32](w)
	g.bounds(run, a, a1, b1, diag)

	lo, hi, mid, other := warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w)
	ka, kb := warp.Alloc[K](w), warp.Alloc[K](w)
	p, q := w.Pred(), w.Pred()

	// The first of the thread's keys in A is between diag-|B| and diag, and in A.
	warp.Sub(hi, b1, a1)
	warp.Sub(lo, diag, hi)
	warp.Set(mid, 0)
	warp.Max(lo, lo, mid)
	warp.Sub(hi, a1, a)
	warp.Min(hi, hi, diag)
	for range bits.Len(uint(run * k)) {
		warp.Lt(p, lo, hi)
		w.Where(p, func() {
			warp.Add(mid, lo, hi)
			warp.ShrImm(mid, mid, 1)
			warp.Add(other, a, mid)
			g.load(ka, other)
			warp.Sub(other, diag, mid)
			warp.Add(other, other, a1)
			warp.AddImm(other, other, -1)
			g.load(kb, other)
			g.less(q, kb, ka)
			// A's key goes first unless B's is less.
			w.Where(q, func() { warp.Mov(hi, mid) })
			warp.PredNot(q, q)
			w.Where(q, func() { warp.AddImm(lo, mid, 1) })
		})
	}
	warp.Add(a, a, lo)
	warp.Sub(b, diag, lo)
	warp.Add(b, b, a1)

	// Take the earlier of both, k times. from is where each key comes from.
	from := make([]warp.Reg[int32], k)
	hasA, hasB := w.Pred(), w.Pred()
	fetch := func(has warp.Pred, key warp.Reg[K], at, end warp.Reg[int32]) {
		warp.Lt(has, at, end)
		w.Where(has, func() { g.load(key, at) })
	}
	fetch(hasA, ka, a, a1)
	fetch(hasB, kb, b, b1)
	takeB := w.Pred()
	for j, v := range g.keys {
		from[j] = warp.Alloc[int32](w)
		t.IfAny(t.Blocked(j), func() {
			// B's key, if A has none left, or both have and B's is less.
			warp.PredNot(takeB, hasA)
			warp.PredAnd(q, hasA, hasB)
			w.Where(q, func() { g.less(takeB, kb, ka) })
			warp.PredNot(p, takeB)
			w.Where(takeB, func() {
				warp.Mov(v, kb)
				warp.Mov(from[j], b)
				if j+1 < k {
					warp.AddImm(b, b, 1)
					fetch(hasB, kb, b, b1)
				}
			})
			w.Where(p, func() {
				warp.Mov(v, ka)
				warp.Mov(from[j], a)
				if j+1 < k {
					warp.AddImm(a, a, 1)
					fetch(hasA, ka, a, a1)
				}
			})
		})
	}
	g.moveValues(from)
	w.Release(m)
}

// load reads a key of the team by its number.
func (g *merger[K, V]) load(dst warp.Reg[K], number warp.Reg[int32]) {
	w := g.t.W
	m := w.Mark()
	at := warp.Alloc[int32](w)
	warp.Mov(at, number)
	g.keyArea.Place(at)
	warp.Load(dst, g.keyArea.Array(), at)
	w.Release(m)
}

// bounds sets where the runs of each thread's pair begin and end, and how many
// keys of the pair stand before the thread's own.
func (g *merger[K, V]) bounds(run int, a0, a1, b1, diag warp.Reg[int32]) {
	t, w := g.t, g.t.W
	k := len(g.keys)
	m := w.Mark()
	warp.AndImm(a0, g.number, int32(-2*run))
	warp.AndImm(diag, g.number, int32(2*run-1))
	if k > 1 {
		warp.MulImm(a0, a0, int32(k))
		warp.MulImm(diag, diag, int32(k))
	}
	warp.AddImm(a1, a0, int32(run*k))
	warp.AddImm(b1, a0, int32(2*run*k))
	end := warp.Alloc[int32](w)
	if _, even := t.Even(); even {
		warp.Set(end, int32(t.ValidOf(0)))
	} else {
		warp.SetLanes(end, func(l int) int32 { return int32(t.ValidOf(l)) })
	}
	warp.Min(a0, a0, end)
	warp.Min(a1, a1, end)
	warp.Min(b1, b1, end)
	warp.Sub(end, b1, a0)
	warp.Min(diag, diag, end)
	w.Release(m)
}

// moveValues brings the values after their keys: from is where in the team each
// comes from.
func (g *merger[K, V]) moveValues(from []warp.Reg[int32]) {
	if g.values == nil {
		return
	}
	t, w := g.t, g.t.W
	m := w.Mark()
	out := g.valueArea.Blocked()
	for j, v := range g.values {
		t.IfAny(t.Blocked(j), func() {
			s, at := out.Slot(j)
			warp.Store(s, at, v)
		})
	}
	t.Sync()
	for j, v := range g.values {
		t.IfAny(t.Blocked(j), func() {
			g.valueArea.Place(from[j])
			warp.Load(v, g.valueArea.Array(), from[j])
		})
	}
	w.Release(m)
}

func warpOf[T any](keys []warp.Reg[T]) *warp.Warp {
	if len(keys) == 0 {
		panic(&team.Error{Algorithm: "sort", Kind: team.ErrItems, Detail: fmt.Sprintf("%d registers", len(keys)),
			Advice: "give each thread one key or more"})
	}
	return keys[0].Warp()
}
