package order

import (
	"fmt"
	"unsafe"

	"example.com/warpsim/lane"
	"example.com/warpsim/reduce"
	"example.com/warpsim/scan/internal/team"
	"example.com/warpsim/warp"
)

// Bitonic sorts the keys of each group of lanes by a bitonic network of shuffles.
//
//	in   lane 0: 5   lane 1: 1   lane 2: 4   lane 3: 2
//	out  lane 0: 1   lane 1: 2   lane 2: 4   lane 3: 5
//
// Contract:
//
//   - Threads: any number of active lanes, the first of each group.
//   - Keys: a power of two of them a thread, any number valid.
//   - Shared memory: none.
//   - Cost: log2(n)*(log2(n)+1)/2 steps for n keys of a group, each of which
//     compares all keys in pairs: a shuffle, two compares and a predicated move a
//     key between lanes, a compare and three moves a pair inside a thread.
//   - Order: not stable.
//   - Errors: reduce.ErrItems, ErrWidth, ErrValid, ErrActive.
func Bitonic[K any](keys []warp.Reg[K], less Less[K], width, valid int) {
	t := team.Groups(warpOf(keys), "bitonic", width, len(keys), valid)
	n := network[K, int32]{t: &t, keys: keys, less: less}
	n.sort()
}

// BitonicPairs is Bitonic with a value to each key.
func BitonicPairs[K, V any](keys []warp.Reg[K], values []warp.Reg[V], less Less[K], width, valid int) {
	t := team.Groups(warpOf(keys), "bitonic-pairs", width, len(keys), valid)
	t.Same("values", len(values))
	n := network[K, V]{t: &t, keys: keys, values: values, less: less}
	n.sort()
}

// BitonicStorage is the shared memory of BlockBitonic.
type BitonicStorage[K, V any] struct {
	keys   warp.Mem[K]
	values warp.Mem[V]
}

// NewBitonicStorage declares the shared memory for a block: two arrays with a key
// and a value a thread, through which warps exchange one item at a time. For keys
// without values V may be any type, and pairs be false.
func NewBitonicStorage[K, V any](w *warp.Warp, pairs bool) BitonicStorage[K, V] {
	n := w.BlockThreads()
	s := BitonicStorage[K, V]{keys: warp.Shared[K](w, 2*n)}
	if pairs {
		s.values = warp.Shared[V](w, 2*n)
	}
	return s
}

// BitonicStorageBytes returns how many bytes of shared memory NewBitonicStorage
// takes, but for what aligning the parts to 16 bytes takes.
func BitonicStorageBytes[K, V any](pairs bool, threads int) int {
	var k K
	var v V
	n := int(unsafe.Sizeof(k))
	if pairs {
		n += int(unsafe.Sizeof(v))
	}
	return 2 * threads * n
}

// BlockBitonic sorts the keys of a block by a bitonic network: by shuffles where
// partners are in one warp, through shared memory where not.
//
//	in   thread 0: 5 9   thread 1: 1 3   thread 2: 4 2
//	out  thread 0: 1 2   thread 1: 3 4   thread 2: 5 9
//
// Contract:
//
//   - Threads: all of a block of any size.
//   - Keys: a power of two of them a thread, any number valid.
//   - Shared memory: BitonicStorage.
//   - Cost: the steps of Bitonic; one between warps takes a barrier, a store and a
//     load a key instead of a shuffle.
//   - Order: not stable.
//   - Errors: reduce.ErrItems, ErrValid, ErrStorage, ErrActive.
func BlockBitonic[K any](keys []warp.Reg[K], less Less[K], valid int, s BitonicStorage[K, int32]) {
	t := team.Block(warpOf(keys), "block-bitonic", len(keys), valid)
	t.NeedStorage(s.keys.Len(), 2*t.Width)
	n := network[K, int32]{t: &t, keys: keys, less: less, sharedKeys: s.keys}
	n.sort()
}

// BlockBitonicPairs is BlockBitonic with a value to each key.
func BlockBitonicPairs[K, V any](keys []warp.Reg[K], values []warp.Reg[V], less Less[K], valid int, s BitonicStorage[K, V]) {
	t := team.Block(warpOf(keys), "block-bitonic-pairs", len(keys), valid)
	t.Same("values", len(values))
	t.NeedStorage(s.keys.Len(), 2*t.Width)
	t.NeedStorage(s.values.Len(), 2*t.Width)
	n := network[K, V]{t: &t, keys: keys, values: values, less: less, sharedKeys: s.keys, sharedValues: s.values}
	n.sort()
}

// A network is a bitonic sort of a team. All its comparators put the earlier key
// in the lower place: the first step of each merge compares places mirrored in
// their block instead of turning the order of half of the blocks round. So keys
// that are not there, which stand in the highest places, count as last and are
// never moved.
type network[K, V any] struct {
	t      *team.Team
	keys   []warp.Reg[K]
	values []warp.Reg[V] // nil: none
	less   Less[K]

	sharedKeys   warp.Mem[K]
	sharedValues warp.Mem[V]
	turn         int // which half of the shared arrays is next

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
		t.Fail(reduce.ErrItems, fmt.Sprintf("%d keys a thread", k), "use a power of two, or Merge")
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
		all = max(all, t.Valid(l))
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
	keys, values := n.sharedKeys.At(n.turn*t.Width), n.sharedValues.At(n.turn*t.Width)
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
