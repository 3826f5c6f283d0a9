package order

import (
	"fmt"
	"math"
	"unsafe"

	"example.com/warpsim/reduce"
	"example.com/warpsim/scan/internal/team"
	"example.com/warpsim/scan/tile"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
)

// RadixOptions says how a radix sort goes about. The zero value sorts by all
// bits, smallest key first.
type RadixOptions struct {
	// Descending puts larger keys first. Equal ones keep their order.
	Descending bool
	// Begin and End say which bits of the key count, from Begin to End-1,
	// counted from the lowest; an End of 0 is all. Bits are those of the key
	// in order: with the sign of integers flipped, floats turned round below 0.
	Begin, End int
	// Striped leaves the result striped, key i in register i/threads of thread
	// i%threads, as memory likes it.
	Striped bool
}

// RadixStorage is the shared memory of Radix.
type RadixStorage[K, V any] struct {
	rank   RankStorage
	keys   warp.Mem[K]
	values warp.Mem[V]
}

// NewRadixStorage declares the shared memory for tiles of so many keys a thread,
// sorted by digits of so many bits: RankStorage, and an element a key with
// padding as in tile.Storage, and as much for values if pairs is set. More bits
// take fewer passes and more counters. For keys without values V may be any type.
func NewRadixStorage[K, V any](w *warp.Warp, keys, bits int, pairs bool) RadixStorage[K, V] {
	s := RadixStorage[K, V]{rank: NewRankStorage(w, bits), keys: reduce.Shared[K](w, tile.Storage(keys))}
	if pairs {
		s.values = reduce.Shared[V](w, tile.Storage(keys))
	}
	return s
}

// RadixStorageBytes returns how many bytes of shared memory NewRadixStorage
// takes, but for what aligning the parts to 16 bytes takes.
func RadixStorageBytes[K, V any](keys, bits int, pairs bool, lanes, threads int) int {
	return RankStorageBytes(bits, lanes, threads) + MergeStorageBytes[K, V](keys, pairs, lanes, threads)
}

// RadixFits returns nil if a block of a device can sort so many keys a thread by
// digits of so many bits, and a *reduce.Error with the reason if not: of kind
// reduce.ErrShape for the block or the bits, ErrItems for the number of keys,
// ErrStorage for its shared memory, of which the kernel may need some for other
// things.
func RadixFits[K, V any](p *device.Profile, threads, keys, bits int, pairs bool) error {
	bad := func(kind error, detail, advice string) error {
		return &reduce.Error{Algorithm: "radix", Kind: kind, Detail: detail, Advice: advice}
	}
	limit := p.Limits.SharedPerBlock
	switch {
	case threads < 1 || threads > p.Limits.ThreadsPerBlock:
		return bad(reduce.ErrShape, fmt.Sprintf("a block of %d threads", threads), fmt.Sprintf("a block of %s has 1 to %d", p.Name, p.Limits.ThreadsPerBlock))
	case bits < 1 || bits > MaxDigitBits:
		return bad(reduce.ErrShape, fmt.Sprintf("digits of %d bits", bits), fmt.Sprintf("use 1 to %d", MaxDigitBits))
	case keys < 1 || keys > math.MaxUint16/threads:
		return bad(reduce.ErrItems, fmt.Sprintf("%d keys in each of %d threads", keys, threads), "sort 1 to 65,535 keys a block")
	}
	if n := RadixStorageBytes[K, V](keys, bits, pairs, p.Lanes, threads); n > limit {
		return bad(reduce.ErrStorage, fmt.Sprintf("%d bytes, and a block of %s has %d", n, p.Name, limit), "use digits of fewer bits, or fewer keys")
	}
	return nil
}

// Radix sorts the keys of a block by their digits, from the lowest to the
// highest.
//
//	in   thread 0: 5 9   thread 1: 1 3   thread 2: 4 2
//	out  thread 0: 1 2   thread 1: 3 4   thread 2: 5 9
//
// Of floats, -0 and +0 are equal; a NaN stands beyond the infinity of its sign.
//
// Contract:
//
//   - Threads: all of a block of any size.
//   - Keys: integers or floats, up to 65,535 in a block.
//   - Shared memory: RadixStorage.
//   - Cost: RadixRank and tile.ScatterToBlocked for each digit.
//   - Order: stable.
//   - Errors: reduce.ErrItems, ErrValid, ErrStorage, ErrActive, and ErrShape for
//     bits that the key does not have.
func Radix[K warp.Number](keys []warp.Reg[K], valid int, o RadixOptions, s RadixStorage[K, int32]) {
	t := team.Block(warpOf(keys), "radix", len(keys), valid)
	radix(&t, keys, nil, valid, o, s)
}

// RadixPairs is Radix with a value of any type to each key.
func RadixPairs[K warp.Number, V any](keys []warp.Reg[K], values []warp.Reg[V], valid int, o RadixOptions, s RadixStorage[K, V]) {
	t := team.Block(warpOf(keys), "radix-pairs", len(keys), valid)
	t.Same("values", len(values))
	radix(&t, keys, values, valid, o, s)
}

func radix[K warp.Number, V any](t *team.Team, keys []warp.Reg[K], values []warp.Reg[V], valid int, o RadixOptions, s RadixStorage[K, V]) {
	var zero K
	size := int(unsafe.Sizeof(zero)) * 8
	if o.End == 0 {
		o.End = size
	}
	if o.Begin < 0 || o.End > size || o.Begin > o.End {
		t.Fail(reduce.ErrShape, fmt.Sprintf("bits %d to %d of a key of %d", o.Begin, o.End-1, size), "name bits that the key has, lowest first")
	}
	checkBits(t.Name, s.rank.bits)
	w := t.W
	w.ThreadID()
	w.LaneID()
	m := w.Mark()
	digits, ranks := make([]warp.Reg[int32], len(keys)), make([]warp.Reg[int32], len(keys))
	for j := range keys {
		digits[j], ranks[j] = warp.Alloc[int32](w), warp.Alloc[int32](w)
	}
	move := tile.ScatterToBlocked[K]
	moveValues := tile.ScatterToBlocked[V]
	for low := o.Begin; low < o.End; low += s.rank.bits {
		bits := min(s.rank.bits, o.End-low)
		for j, v := range keys {
			t.IfAny(t.Blocked(j), func() { digit(digits[j], v, low, bits) })
		}
		radixRank(t, ranks, digits, bits, o.Descending, warp.Reg[int32]{}, s.rank)
		if o.Striped && low+bits == o.End {
			move, moveValues = tile.ScatterToStriped[K], tile.ScatterToStriped[V]
		}
		move(keys, ranks, valid, s.keys)
		if values != nil {
			moveValues(values, ranks, valid, s.values)
		}
	}
	if o.Striped && o.Begin == o.End {
		tile.BlockedToStriped(keys, valid, s.keys)
		if values != nil {
			tile.BlockedToStriped(values, valid, s.values)
		}
	}
	w.Release(m)
}

// digit sets dst to bits low to low+bits-1 of a key: a shift and a mask, with
// what it takes to put the key's bits in order before.
func digit[K warp.Number](dst warp.Reg[int32], key warp.Reg[K], low, bits int) {
	mask := uint64(1)<<bits - 1
	warp.Map1(dst, key, isa.Shift, func(k K) int32 { return int32(ordered(k) >> low & mask) })
	team.Cost(isa.Logic, 1, dst)
	var zero K
	words := max(1, int(unsafe.Sizeof(zero))/4)
	switch {
	case K(1)/2 != 0: // -0 becomes +0; all bits flip below 0, the sign above
		team.Cost(isa.FCmp, 1, dst)
		team.Cost(isa.Select, words, dst)
		team.Cost(isa.Shift, 1, dst)
		team.Cost(isa.Logic, 2*words, dst)
	case zero-1 < zero: // the sign flips
		team.Cost(isa.Logic, 1, dst)
	}
}

// ordered returns unsigned bits in the order of the keys.
func ordered[K warp.Number](k K) uint64 {
	var zero K
	size := unsafe.Sizeof(zero) * 8
	sign := uint64(1) << (size - 1)
	switch {
	case K(1)/2 != 0:
		if k == 0 {
			return sign
		}
		bits := uint64(math.Float32bits(float32(k)))
		if size == 64 {
			bits = math.Float64bits(float64(k))
		}
		if bits&sign != 0 {
			return ^bits & (sign | (sign - 1))
		}
		return bits | sign
	case zero-1 < zero:
		return (uint64(k) & (sign | (sign - 1))) ^ sign
	}
	return uint64(k)
}
