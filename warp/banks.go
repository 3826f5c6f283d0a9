package warp

import (
	"math/bits"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp/device"
)

// bankPasses returns how many passes through the banks of shared memory an
// access of the active lanes takes: n bytes at base + at[l]*stride in lane l. It
// books those that a conflict-free access of these lanes would not take.
func (w *Warp) bankPasses(base uint64, stride, n int, at []int32, run bool) int {
	banks := &w.run.engine.profile.Shared
	free := w.groupsServed(groupLanes(banks, n))
	if stride == n && run && (n == banks.Bytes || n > banks.Bytes && w.full) {
		return runPasses(banks, w.active, w.lanes, n)
	}
	var addrs [lane.MaxLanes]uint64
	for l, k := range at {
		addrs[l&(lane.MaxLanes-1)] = base + uint64(int64(k)*int64(stride))
	}
	passes := w.banks.passes(banks, w.active, &addrs, n)
	w.conflicts += int64(max(passes-free, 0))
	return passes
}

// runPasses returns the passes of an access of lanes of m, all behind each other
// in memory: each bank has its share of the words.
func runPasses(b *device.Banks, m lane.Mask, lanes, n int) int {
	group, row, passes := servedTogether(b, n), b.Count*b.Bytes, 0
	for l := 0; l < lanes; l += group {
		passes += (m.And(lane.Range(l, l+group)).Count()*n + row - 1) / row
	}
	return max(1, passes)
}

// groupsServed returns how many groups of neighbouring lanes have an active
// one, at least 1.
func (w *Warp) groupsServed(group int) int {
	if group >= w.lanes {
		return 1
	}
	n := 0
	for l := 0; l < w.lanes; l += group {
		if w.active.Overlaps(lane.Range(l, l+group)) {
			n++
		}
	}
	return max(1, n)
}

// groupLanes returns how many lanes are served together in an access of n bytes
// a lane.
func groupLanes(b *device.Banks, n int) int {
	return max(1, b.GroupLanes*b.Bytes/max(n, b.Bytes))
}

// servedTogether returns how many lanes share words that they want alike.
func servedTogether(b *device.Banks, n int) int {
	if n <= b.Bytes {
		return b.GroupLanes
	}
	return min(groupLanes(b, n)*max(1, b.WideGroups), lane.MaxLanes)
}

// consecutive reports whether the index rises by one from lane to lane.
func consecutive(at []int32) bool {
	zero := at[0]
	for i, k := range at {
		if k != zero+int32(i) {
			return false
		}
	}
	return true
}

// consecutive reports whether the index rises as the lane number does, over the
// active lanes.
func (w *Warp) consecutive(at []int32) bool {
	if w.full {
		return consecutive(at)
	}
	first := w.active.First()
	if first < 0 {
		return true
	}
	zero := at[first] - int32(first)
	for x := w.active.Lo; x != 0; x &= x - 1 {
		if i := bits.TrailingZeros64(x); at[i] != zero+int32(i) {
			return false
		}
	}
	for x := w.active.Hi; x != 0; x &= x - 1 {
		if i := 64 + bits.TrailingZeros64(x); at[i] != zero+int32(i) {
			return false
		}
	}
	return true
}

// BankPasses returns how many passes through the banks of shared memory it takes
// when lane l of m accesses n bytes (1 to 16) at address addr(l). Lanes are
// served in groups, of wide accesses perhaps several together; each takes as many passes as the most wanted bank has
// different words in it, and lanes that want the same word share it. It is 1
// for an access without conflict that fits one group, for an empty mask, and if b or
// addr is nil.
// The banks are those of a profile that validates; others give some number.
func BankPasses(b *device.Banks, m lane.Mask, addr func(l int) uint64, n int) int {
	if b == nil || addr == nil {
		return 1
	}
	if b.Count < 1 || b.Bytes < 1 || b.GroupLanes < 1 || n < 1 {
		b = &device.Banks{Count: max(1, b.Count), Bytes: max(1, b.Bytes), GroupLanes: max(1, b.GroupLanes), WideGroups: b.WideGroups}
		n = max(1, n)
	}
	n = min(n, 16)
	var addrs [lane.MaxLanes]uint64
	for l := range m.Lanes() {
		addrs[l] = addr(l)
	}
	return new(bankCounter).passes(b, m, &addrs, n)
}

// A bankCounter counts the different words that a group of lanes wants of each
// bank. It lives in the warp, since clearing it for every access would cost more
// than the counting.
type bankCounter struct {
	head  [maxBanks]uint16 // last word of a bank in words, plus one
	count [maxBanks]uint8
	most  [maxBanks]uint64 // the highest word of a bank
	words [4 * lane.MaxLanes]uint64
	next  [4 * lane.MaxLanes]uint16 // the word before of the same bank, plus one
}

// maxBanks bounds the banks that are told apart; no device has more.
const maxBanks = 128

func (c *bankCounter) passes(b *device.Banks, m lane.Mask, addrs *[lane.MaxLanes]uint64, n int) int {
	group := servedTogether(b, n)
	if n == b.Bytes && group == 32 && m.Hi == 0 && m.Lo == 1<<32-1 && within(addrs, uint64(n), uint64(min(b.Count, maxBanks))) {
		return 1
	}
	passes := 0
	shift, count := bits.TrailingZeros(uint(b.Bytes)), b.Count
	// Wide accesses that are aligned take as many neighbouring banks each: as if
	// there were fewer and wider ones.
	whole := n > b.Bytes && n&(n-1) == 0 && count*b.Bytes%n == 0 && aligned(m, addrs, uint64(n))
	if whole {
		shift, count = bits.TrailingZeros(uint(n)), count*b.Bytes/n
	}
	for first := 0; first < lane.MaxLanes; first += group {
		g := m
		if group < lane.MaxLanes {
			g = m.And(lane.Range(first, first+group))
		}
		switch {
		case g.Empty():
		case whole || n <= b.Bytes && aligned(g, addrs, uint64(n)):
			passes += c.unitPasses(g, addrs, shift, uint64(min(count, maxBanks)))
		default:
			passes += c.groupPasses(b, g, addrs, uint64(n))
		}
	}
	return max(1, passes)
}

// within reports whether 32 lanes want words that lie so close together that no two
// share a bank, which most accesses do.
func within(addrs *[lane.MaxLanes]uint64, n, banks uint64) bool {
	or, least, most := uint64(0), addrs[0], addrs[0]
	for _, a := range addrs[:32] {
		or |= a
		least, most = min(least, a), max(most, a)
	}
	return or&(n-1) == 0 && n&(n-1) == 0 && most-least < n*banks
}

// aligned reports whether the addresses of m are multiples of n, a power of two.
func aligned(m lane.Mask, addrs *[lane.MaxLanes]uint64, n uint64) bool {
	if n&(n-1) != 0 {
		return false
	}
	var or uint64
	for x := m.Lo; x != 0; x &= x - 1 {
		or |= addrs[bits.TrailingZeros64(x)&(lane.MaxLanes-1)]
	}
	for x := m.Hi; x != 0; x &= x - 1 {
		or |= addrs[(64+bits.TrailingZeros64(x))&(lane.MaxLanes-1)]
	}
	return or&(n-1) == 0
}

// unitPasses is groupPasses for accesses that lie in one bank each, of 1<<shift
// bytes. It goes on to count only where two words meet in a bank.
func (c *bankCounter) unitPasses(m lane.Mask, addrs *[lane.MaxLanes]uint64, shift int, banks uint64) int {
	var taken [maxBanks / 64]uint64
	meet := false
	for half, w := range [2]uint64{m.Lo, m.Hi} {
		for ; w != 0; w &= w - 1 {
			word := addrs[(64*half+bits.TrailingZeros64(w))&(lane.MaxLanes-1)] >> (shift & 63)
			bank := word & (banks - 1) & (maxBanks - 1)
			if taken[bank>>6]>>(bank&63)&1 == 0 {
				taken[bank>>6] |= 1 << (bank & 63)
				c.words[bank] = word
			} else if c.words[bank] != word {
				meet = true
			}
		}
	}
	if !meet {
		return 1
	}
	return c.groupPasses(&device.Banks{Count: int(banks), Bytes: 1 << shift}, m, addrs, 1)
}

// groupPasses returns the most different words that one group wants of a bank.
func (c *bankCounter) groupPasses(b *device.Banks, m lane.Mask, addrs *[lane.MaxLanes]uint64, n uint64) int {
	banks := uint64(min(b.Count, maxBanks))
	shift := bits.TrailingZeros(uint(b.Bytes))
	clear(c.head[:banks])
	used, most := uint16(0), uint8(1)
	for half, w := range [2]uint64{m.Lo, m.Hi} {
		for ; w != 0; w &= w - 1 {
			a := addrs[(64*half+bits.TrailingZeros64(w))&(lane.MaxLanes-1)]
			for word := a >> shift; word <= (a+n-1)>>shift; word++ {
				bank := word & (banks - 1) & (maxBanks - 1)
				i := c.head[bank]
				if i == 0 {
					c.count[bank], c.most[bank] = 0, word
				}
				if word <= c.most[bank] { // or else no other lane has named it
					for i != 0 && c.words[i-1] != word {
						i = c.next[i-1]
					}
					if i != 0 {
						continue
					}
				}
				if int(used) == len(c.words) {
					continue
				}
				c.most[bank] = max(c.most[bank], word)
				c.words[used], c.next[used] = word, c.head[bank]
				used++
				c.head[bank] = used
				c.count[bank]++
				most = max(most, c.count[bank])
			}
		}
	}
	return int(most)
}
