package order

import (
	"fmt"
	"math"

	"example.com/warpsim/reduce"
	"example.com/warpsim/scan"
	"example.com/warpsim/scan/internal/parts"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/team"
)

// Digits have from 1 to MaxDigitBits bits, DefaultDigitBits if nothing is said.
const (
	DefaultDigitBits = 4
	MaxDigitBits     = 6
)

// RankStorage is the shared memory of RadixRank.
type RankStorage struct {
	bits     int
	counters warp.Mem[uint16] // by digit and thread
	sums     warp.Mem[int32]
}

// NewRankStorage declares the shared memory for digits of so many bits: a 16-bit
// counter for each digit and thread with 1/32 more to keep banks apart, and what
// scan.BlockHybrid needs. Fewer or more bits than there may be end the kernel with a
// *team.Error of kind team.ErrShape.
func NewRankStorage(w *warp.Warp, bits int) RankStorage {
	checkBits("rank-storage", bits)
	return RankStorage{bits, warp.Shared[uint16](w, counters(bits, w.BlockThreads())), reduce.NewHybridStorage[int32](w)}
}

func checkBits(name string, bits int) {
	if bits < 1 || bits > MaxDigitBits {
		panic(&team.Error{Algorithm: name, Kind: team.ErrShape, Detail: fmt.Sprintf("digits of %d bits", bits), Advice: fmt.Sprintf("use 1 to %d", MaxDigitBits)})
	}
}

// row is how many counters fill the banks; two are left out after each.
const row = 64

func counters(bits, threads int) int {
	if bits < 1 || bits > MaxDigitBits {
		return 0
	}
	n := max(0, threads) << bits
	return n + n/row*2
}

// padded turns the number of a counter into its index, in place.
func padded(at warp.Reg[int32]) {
	w := at.Warp()
	m := w.Mark()
	skip := warp.Alloc[int32](w)
	warp.ShrImm(skip, at, 6)
	warp.ShlImm(skip, skip, 1)
	warp.Add(at, at, skip)
	w.Release(m)
}

// RadixRank finds where each key of a block goes when they are sorted by one
// digit: ranks[j] is the number of keys with a smaller digit, and of those with
// the same digit that stand before. It is the step that a radix sort repeats.
//
//	digits  thread 0: 2 0   thread 1: 0 1   thread 2: 2 0
//	ranks   thread 0: 4 0   thread 1: 1 3   thread 2: 5 2     starts 0 3 4
//
// descending puts larger digits first, and leaves the order of equal ones. starts,
// if it is not the zero register, receives in thread d where the keys of digit d
// begin, whether there are any or not; the block must have a thread for each
// digit.
//
// Contract:
//
//   - Threads: all of a block of any size.
//   - Keys: up to 65,535 in a block.
//   - Shared memory: RankStorage.
//   - Cost: each thread counts its digits in its own column of counters, a load and
//     a store a key; the counters, digit after digit, are scanned, a load and a
//     store each, and scan.BlockHybrid; five barriers.
//   - Order: stable.
//   - Undefined: digits beyond the bits of the storage.
//   - Errors: team.ErrItems, ErrValid, ErrActive, ErrShape.
func RadixRank(valid team.Count, ranks, digits []warp.Reg[int32], descending bool, starts warp.Reg[int32], s RankStorage) {
	t := parts.Bind(team.Block().Holding(valid), warpOf(ranks), "radix-rank", len(ranks))
	t.Same("digits", len(digits))
	radixRank(&t, ranks, digits, s.bits, descending, starts, s)
}

// radixRank ranks digits of the given number of bits, at most the storage's.
func radixRank(t *parts.Roster, ranks, digits []warp.Reg[int32], bits int, descending bool, starts warp.Reg[int32], s RankStorage) {
	w := t.W
	bins := 1 << bits
	switch n := t.Width * t.Items; {
	case n > math.MaxUint16:
		t.Fail(team.ErrItems, fmt.Sprintf("%d keys, and counters have 16 bits", n), "sort fewer keys a block")
	case parts.Given(starts) && t.Width < bins:
		t.Fail(team.ErrShape, fmt.Sprintf("%d digits in %d threads", bins, t.Width), "use more threads or fewer bits")
	}
	id := w.ThreadID()
	w.LaneID()
	m := w.Mark()

	// Counters stand digit after digit, each with one for every thread. In
	// between, each thread has as many of them in a row as there are digits.
	mine := warp.Alloc[int32](w)
	warp.ShlImm(mine, id, int32(bits))
	padded(mine)
	count := warp.Alloc[uint16](w)
	warp.Set(count, 0)
	for i := range bins {
		warp.Store(s.counters.At(i), mine, count)
	}
	w.SyncBlock()

	at := make([]warp.Reg[int32], len(digits))
	for j, d := range digits {
		at[j] = warp.Alloc[int32](w)
		t.IfAny(t.Blocked(j), func() {
			if descending {
				warp.XorImm(at[j], d, int32(bins-1))
				parts.Times(at[j], at[j], t.Width)
			} else {
				parts.Times(at[j], d, t.Width)
			}
			warp.Add(at[j], at[j], id)
			padded(at[j])
			warp.Load(count, s.counters, at[j])
			widen(ranks[j], count)
			warp.AddImm(count, count, 1)
			warp.Store(s.counters, at[j], count)
		})
	}
	w.SyncBlock()

	scanCounters(w, mine, bins, s)
	for j := range digits {
		t.IfAny(t.Blocked(j), func() {
			before := warp.Alloc[int32](w)
			warp.Load(count, s.counters, at[j])
			widen(before, count)
			warp.Add(ranks[j], ranks[j], before)
		})
	}
	if parts.Given(starts) {
		t.IfAny(t.Where(func(number, _, _ int) bool { return number < bins }), func() {
			first := warp.Alloc[int32](w)
			if descending {
				warp.XorImm(first, id, int32(bins-1))
				parts.Times(first, first, t.Width)
			} else {
				parts.Times(first, id, t.Width)
			}
			padded(first)
			warp.Load(count, s.counters, first)
			widen(starts, count)
		})
	}
	w.Release(m)
}

// scanCounters makes every counter the sum of those before it.
func scanCounters(w *warp.Warp, mine warp.Reg[int32], bins int, s RankStorage) {
	m := w.Mark()
	kept := make([]warp.Reg[uint16], bins)
	sum, before, x := warp.Alloc[int32](w), warp.Alloc[int32](w), warp.Alloc[int32](w)
	for i := range kept {
		kept[i] = warp.Alloc[uint16](w)
		warp.Load(kept[i], s.counters.At(i), mine)
	}
	warp.Set(sum, 0)
	for _, c := range kept {
		widen(x, c)
		warp.Add(sum, sum, x)
	}
	scan.BlockHybrid(sum, reduce.Sum[int32](), scan.Spec[int32]{Exclusive: before}, s.sums)
	running := warp.Alloc[uint16](w)
	warp.Map1(running, before, isa.Mov, func(x int32) uint16 { return uint16(x) })
	for i, c := range kept {
		warp.Store(s.counters.At(i), mine, running)
		if i+1 < bins {
			warp.Add(running, running, c)
		}
	}
	w.SyncBlock()
	w.Release(m)
}

// widen sets dst to a: a move, as registers hold 16 bits in 32.
func widen(dst warp.Reg[int32], a warp.Reg[uint16]) {
	warp.Map1(dst, a, isa.Mov, func(x uint16) int32 { return int32(x) })
}
