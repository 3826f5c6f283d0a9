package order

import (
	"fmt"
	"math"
	"unsafe"

	"example.com/warpsim/lane"
	"example.com/warpsim/scan/internal/parts"
	"example.com/warpsim/scan/tile"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/team"
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
// padding as in tile.NewStorage, and as much for values. Keys without values have
// V struct{}. More bits take fewer passes and more counters.
func NewRadixStorage[K, V any](w *warp.Warp, keys, bits int) RadixStorage[K, V] {
	s := RadixStorage[K, V]{rank: NewRankStorage(w, bits), keys: tile.NewStorage[K](w, keys)}
	if hasValues[V]() {
		s.values = tile.NewStorage[V](w, keys)
	}
	return s
}

// RadixFits returns nil if a block of a device can sort so many keys a thread by
// digits of so many bits, with values of type V, or none if it is struct{}; and a
// *team.Error with the reason if not: of kind
// team.ErrShape for the block or the bits, ErrItems for the number of keys,
// ErrStorage for its shared memory, of which the kernel may need some for other
// things.
func RadixFits[K, V any](p *device.Profile, threads, keys, bits int) error {
	bad := func(kind error, detail, advice string) error {
		return &team.Error{Algorithm: "radix", Kind: kind, Detail: detail, Advice: advice}
	}
	if p == nil {
		return team.NoDevice("radix")
	}
	limit := p.Limits.SharedStatic
	switch {
	case threads < 1 || threads > p.Limits.ThreadsPerBlock:
		return bad(team.ErrShape, fmt.Sprintf("a block of %d threads", threads), fmt.Sprintf("a block of %s has 1 to %d", p.Name, p.Limits.ThreadsPerBlock))
	case bits < 1 || bits > MaxDigitBits:
		return bad(team.ErrShape, fmt.Sprintf("digits of %d bits", bits), fmt.Sprintf("use 1 to %d", MaxDigitBits))
	case keys < 1 || keys > math.MaxUint16/threads:
		return bad(team.ErrItems, fmt.Sprintf("%d keys in each of %d threads", keys, threads), "sort 1 to 65,535 keys a block")
	}
	n := 2*counters(bits, threads) + 4*(lane.Warps(p.Lanes, threads)+1) // the parts of NewRadixStorage
	n += pairBytes[K, V]() * parts.AreaLength(keys, p.Lanes, threads)
	if n > limit {
		return bad(team.ErrStorage, fmt.Sprintf("%d bytes, and a kernel of %s can declare %d", n, p.Name, limit), "use digits of fewer bits, or fewer keys")
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
//   - Errors: team.ErrItems, ErrValid, ErrStorage, ErrActive, and ErrShape for
//     bits that the key does not have.
func Radix[K warp.Number](valid team.Count, keys []warp.Reg[K], o RadixOptions, s RadixStorage[K, struct{}]) {
	t := parts.Bind(team.Block().Holding(valid), warpOf(keys), "radix", len(keys))
	radix(&t, keys, nil, valid, o, s)
}

// RadixPairs is Radix with a value of any type to each key.
func RadixPairs[K warp.Number, V any](valid team.Count, keys []warp.Reg[K], values []warp.Reg[V], o RadixOptions, s RadixStorage[K, V]) {
	t := parts.Bind(team.Block().Holding(valid), warpOf(keys), "radix-pairs", len(keys))
	t.Same("values", len(values))
	radix(&t, keys, values, valid, o, s)
}

func radix[K warp.Number, V any](t *parts.Roster, keys []warp.Reg[K], values []warp.Reg[V], valid team.Count, o RadixOptions, s RadixStorage[K, V]) {
	var zero K
	size := int(unsafe.Sizeof(zero)) * 8
	if o.End == 0 {
		o.End = size
	}
	if o.Begin < 0 || o.End > size || o.Begin > o.End {
		t.Fail(team.ErrShape, fmt.Sprintf("bits %d to %d of a key of %d", o.Begin, o.End-1, size), "name bits that the key has, lowest first")
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
	block := team.Block().Holding(valid)
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
		move(block, keys, ranks, s.keys)
		if values != nil {
			moveValues(block, values, ranks, s.values)
		}
	}
	if o.Striped && o.Begin == o.End {
		tile.BlockedToStriped(block, keys, s.keys)
		if values != nil {
			tile.BlockedToStriped(block, values, s.values)
		}
	}
	w.Release(m)
}

// digit sets dst to bits low to low+bits-1 of a key: a shift and a mask, with
// what it takes to put the key's bits in order before.
func digit[K warp.Number](dst warp.Reg[int32], key warp.Reg[K], low, bits int) {
	mask := uint64(1)<<bits - 1
	warp.Map1(dst, key, isa.Shift, func(k K) int32 { return int32(ordered(k) >> low & mask) })
	parts.Cost(isa.Logic, 1, dst)
	var zero K
	words := max(1, int(unsafe.Sizeof(zero))/4)
	switch {
	case K(1)/2 != 0: // -0 becomes +0; all bits flip below 0, the sign above
		parts.Cost(isa.FCmp, 1, dst)
		parts.Cost(isa.Select, words, dst)
		parts.Cost(isa.Shift, 1, dst)
		parts.Cost(isa.Logic, 2*words, dst)
	case zero-1 < zero: // the sign flips
		parts.Cost(isa.Logic, 1, dst)
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
