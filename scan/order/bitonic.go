package order

import (
	"fmt"

	"example.com/warpsim/lane"
	"example.com/warpsim/scan/internal/parts"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
)

// BitonicStorage is the shared memory of Bitonic in a block.
type BitonicStorage[K, V any] struct {
	keys   warp.Mem[K]
	values warp.Mem[V]
}

// NewBitonicStorage declares the shared memory for a block: two arrays with a key
// and a value a thread, through which warps exchange one item at a time. Keys
// without values have V struct{}.
func NewBitonicStorage[K, V any](w *warp.Warp) BitonicStorage[K, V] {
	n := w.BlockThreads()
	s := BitonicStorage[K, V]{keys: warp.Shared[K](w, 2*n)}
	if hasValues[V]() {
		s.values = warp.Shared[V](w, 2*n)
	}
	return s
}

// Bitonic sorts the keys of a team by a bitonic network: by shuffles where partners
// are in one warp, through shared memory where not.
//
//	in   thread 0: 5 9   thread 1: 1 3   thread 2: 4 2
//	out  thread 0: 1 2   thread 1: 3 4   thread 2: 5 9
//
// Contract:
//
//   - Threads: any team.
//   - Keys: a power of two of them a thread, any number valid.
//   - Shared memory: one BitonicStorage for a block, none for others.
//   - Cost: log2(n)*(log2(n)+1)/2 steps for n keys of a team, each of which
//     compares all keys in pairs: a shuffle, two compares and a predicated move a
//     key between lanes, a compare and three moves a pair inside a thread; between
//     warps a barrier, a store and a load a key instead of the shuffle.
//   - Order: not stable.
//   - Errors: team.ErrItems, ErrWidth, ErrValid, ErrStorage, ErrActive.
func Bitonic[K any](who team.Team, keys []warp.Reg[K], less Less[K], s ...BitonicStorage[K, struct{}]) {
	t := parts.Bind(who, warpOf(keys), "bitonic", len(keys))
	n := network[K, struct{}]{t: &t, keys: keys, less: less, shared: oneStorage(&t, s)}
	n.sort()
}

// BitonicPairs is Bitonic with a value to each key.
func BitonicPairs[K, V any](who team.Team, keys []warp.Reg[K], values []warp.Reg[V], less Less[K], s ...BitonicStorage[K, V]) {
	t := parts.Bind(who, warpOf(keys), "bitonic-pairs", len(keys))
	t.Same("values", len(values))
	n := network[K, V]{t: &t, keys: keys, values: values, less: less, shared: oneStorage(&t, s)}
	if t.IsBlock {
		t.NeedStorage(n.shared.values.Len(), 2*t.Width)
	}
	n.sort()
}

// oneStorage returns what a block was given, which must be one storage with room
// for its keys; groups need none.
func oneStorage[K, V any](t *parts.Roster, given []BitonicStorage[K, V]) (s BitonicStorage[K, V]) {
	if len(given) > 1 {
		t.Fail(team.ErrStorage, fmt.Sprintf("%d of them", len(given)), "give one to a block, none to groups")
	}
	if len(given) == 1 {
		s = given[0]
	}
	if t.IsBlock {
		t.NeedStorage(s.keys.Len(), 2*t.Width)
	}
	return s
}

// A network is a bitonic sort of a team. All its comparators put the earlier key
// in the lower place: the first step of each merge compares places mirrored in
// their block instead of turning the order of half of the blocks round. So keys
// that are not there, which stand in the highest places, count as last and are
// never moved.
type network[K, V any] struct {
	t      *parts.Roster
	keys   []warp.Reg[K]
	values []warp.Reg[V] // nil: none
	less   Less[K]

	shared BitonicStorage[K, V]
	turn   int // which half of the shared arrays is next

	number       warp.Reg[int32]
	at           warp.Reg[int32]
	key          [2]warp.Reg[K] // what partners hold
	value        [2]warp.Reg[V]
	swap         warp.Pred
	lower, upper warp.Pred
	low, up      lane.Mask // what lower and upper hold
}

func (n *network[K, V]) sort() {
	t, k := n.t, len(n.keys)
	if k&(k-1) != 0 {
		t.Fail(team.ErrItems, fmt.Sprintf("%d keys a thread", k), "use a power of two, or Merge")
	}
	w := t.W
	w.ThreadID()
	w.LaneID()
	m := w.Mark()
	n.number, n.at = t.NumberReg(), warp.Alloc[int32](w)
	n.swap, n.lower, n.upper = w.Pred(), w.Pred(), w.Pred()
	for i := range min(2, k) {
		n.key[i] = warp.Alloc[K](w)
		if n.values != nil {
			n.value[i] = warp.Alloc[V](w)
		}
	}
	all := 0
	for l := range w.Width() {
		all = max(all, t.ValidOf(l))
	}
	for size := 2; size < 2*all; size *= 2 {
		n.step(size-1, size)
		for d := size / 4; d > 0; d /= 2 {
			n.step(d, size)
		}
	}
	w.Release(m)
}

// step compares the places whose numbers differ by exactly the bits of x, in
// blocks of size.
func (n *network[K, V]) step(x, size int) {
	k := len(n.keys)
	if x < k {
		for j := range k {
			if p := j ^ x; p > j {
				n.inside(j, p)
			}
		}
		return
	}
	threads, reverse := x/k, x%k
	if reverse == 0 {
		for j := range k {
			n.fetch(0, j, j, threads)
			n.settle(0, j, j, threads)
		}
		return
	}
	// The mirror image of a thread's keys are those of its partner in reverse.
	for j := range k / 2 {
		p := k - 1 - j
		n.fetch(0, j, p, threads)
		n.fetch(1, p, j, threads)
		n.settle(0, j, p, threads)
		n.settle(1, p, j, threads)
	}
}

// partners returns the lanes whose key j is compared with key p of the thread
// that differs in the bits of x: the lower and the upper ones.
func (n *network[K, V]) partners(j, p, x int) (low, up lane.Mask) {
	k := len(n.keys)
	low = n.t.Where(func(number, _, valid int) bool {
		other := number ^ x
		return number < other && other*k+p < valid
	})
	up = n.t.Where(func(number, _, valid int) bool {
		other := number ^ x
		return number > other && number*k+j < valid
	})
	return low, up
}

// fetch gets key p of the partner, and the value that goes with it, into
// temporary i.
func (n *network[K, V]) fetch(i, j, p, x int) {
	t, w := n.t, n.t.W
	low, up := n.partners(j, p, x)
	if x < w.Width() {
		// Lanes that only give count as well.
		low2, up2 := n.partners(p, j, x)
		t.IfAny(low.Or(up).Or(low2).Or(up2), func() {
			warp.ShflXor(n.key[i], n.keys[p], x)
			if n.values != nil {
				warp.ShflXor(n.value[i], n.values[p], x)
			}
		})
		return
	}
	// Fetches take turns between two halves, so that one barrier is enough.
	keys, values := n.shared.keys.At(n.turn*t.Width), n.shared.values.At(n.turn*t.Width)
	n.turn = 1 - n.turn
	t.IfAny(t.Blocked(p), func() {
		warp.Store(keys, n.number, n.keys[p])
		if n.values != nil {
			warp.Store(values, n.number, n.values[p])
		}
	})
	t.Sync()
	t.IfAny(low.Or(up), func() {
		warp.XorImm(n.at, n.number, int32(x))
		warp.Load(n.key[i], keys, n.at)
		if n.values != nil {
			warp.Load(n.value[i], values, n.at)
		}
	})
}

// settle keeps the earlier of key j and what fetch got in the lower thread, and
// the later one in the upper. Both decide by the same comparison.
func (n *network[K, V]) settle(i, j, p, x int) {
	t, w := n.t, n.t.W
	low, up := n.partners(j, p, x)
	n.set(n.lower, &n.low, low)
	n.set(n.upper, &n.up, up)
	if !low.Empty() {
		w.Where(n.lower, func() { n.less(n.swap, n.key[i], n.keys[j]) })
	}
	if !up.Empty() {
		w.Where(n.upper, func() { n.less(n.swap, n.keys[j], n.key[i]) })
	}
	t.IfAny(low.Or(up), func() {
		w.Where(n.swap, func() {
			warp.Mov(n.keys[j], n.key[i])
			if n.values != nil {
				warp.Mov(n.values[j], n.value[i])
			}
		})
	})
}

// set makes a predicate hold in the lanes of m, unless it does.
func (n *network[K, V]) set(p warp.Pred, now *lane.Mask, m lane.Mask) {
	if *now != m {
		warp.SetPred(p, m)
		*now = m
	}
}

// inside compares two keys of each thread.
func (n *network[K, V]) inside(low, high int) {
	t, w := n.t, n.t.W
	t.IfAny(t.Blocked(high), func() {
		n.less(n.swap, n.keys[high], n.keys[low])
		w.Where(n.swap, func() {
			warp.Mov(n.key[0], n.keys[low])
			warp.Mov(n.keys[low], n.keys[high])
			warp.Mov(n.keys[high], n.key[0])
			if n.values != nil {
				warp.Mov(n.value[0], n.values[low])
				warp.Mov(n.values[low], n.values[high])
				warp.Mov(n.values[high], n.value[0])
			}
		})
	})
}
