package warp

import (
	"math/bits"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
)

// bankPasses returns how many passes through the banks of shared memory an
// access of the active lanes takes: n bytes at base + at[l]*stride in lane l. It
// books those that a conflict-free access of these lanes would not take.
func (w *Warp) bankPasses(base uint64, stride, n int, at []int32, run bool) int {
	banks := &w.run.engine.profile.Shared
	free := w.groupsServed(groupLanes(banks, n))
	if stride == n && n >= banks.Bytes && groupLanes(banks, n)*n <= banks.Count*banks.Bytes && run {
		return free // neighbours in memory never meet in a bank
	}
	var addrs [lane.MaxLanes]uint64
	for l, k := range at {
		addrs[l&(lane.MaxLanes-1)] = base + uint64(int64(k)*int64(stride))
	}
	passes := w.banks.passes(banks, w.active, &addrs, n)
	w.conflicts += int64(passes - free)
	return passes
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

// Passes returns how many passes through the banks of shared memory it takes
// when lane l of m accesses n bytes (1 to 16) at address addr(l). Lanes are
// served in groups; each group takes as many passes as the most wanted bank has
// different words in it, and lanes that want the same word share it. It is 1
// for an access without conflict that fits one group, and for an empty mask.
// The banks are those of a profile that validates; others give some number.
func Passes(b *device.Banks, m lane.Mask, addr func(l int) uint64, n int) int {
	if b.Count < 1 || b.Bytes < 1 || b.GroupLanes < 1 || n < 1 {
		b = &device.Banks{Count: max(1, b.Count), Bytes: max(1, b.Bytes), GroupLanes: max(1, b.GroupLanes)}
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
	words [4 * lane.MaxLanes]uint64
	next  [4 * lane.MaxLanes]uint16 // the word before of the same bank, plus one
}

// maxBanks bounds the banks that are told apart; no device has more.
const maxBanks = 128

func (c *bankCounter) passes(b *device.Banks, m lane.Mask, addrs *[lane.MaxLanes]uint64, n int) int {
	group := groupLanes(b, n)
	passes := 0
	for first := 0; first < lane.MaxLanes; first += group {
		if g := m.And(lane.Range(first, first+group)); !g.Empty() {
			passes += c.groupPasses(b, g, addrs, uint64(n))
		}
	}
	return max(1, passes)
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
					c.count[bank] = 0
				}
				for i != 0 && c.words[i-1] != word {
					i = c.next[i-1]
				}
				if i != 0 || int(used) == len(c.words) {
					continue
				}
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

// sectors returns how many sectors of global memory an access of the active
// lanes touches, and the level that serves it: the farthest that any of its
// lines is at.
func (w *Warp) sectors(base uint64, stride, n int, at []int32, run bool) (sectors, level int) {
	first := w.active.First()
	if stride != n || first < 0 || !run || w.active != lane.Range(first, w.active.Last()+1) {
		return w.scatteredSectors(base, stride, n, at)
	}
	// One run of bytes: count its sectors without looking at each lane.
	mem := &w.run.engine.profile.Memory
	sector, line := uint64(mem.SectorBytes), uint64(mem.LineBytes)
	a := base + uint64(int64(at[first])*int64(stride))
	end := a + uint64(n*w.active.Count()) - 1
	for l := a / line; l <= end/line; l++ {
		level = max(level, w.group.lines.touch(l))
	}
	return int(end/sector - a/sector + 1), level
}

// scatteredSectors is sectors lane by lane.
func (w *Warp) scatteredSectors(base uint64, stride, n int, at []int32) (sectors, level int) {
	mem := &w.run.engine.profile.Memory
	sector, line := uint64(mem.SectorBytes), uint64(mem.LineBytes)
	var seen [2 * lane.MaxLanes]uint64
	used, last := 0, ^uint64(0)
	for l := range w.active.Lanes() {
		a := base + uint64(int64(at[l])*int64(stride))
		for s := a / sector; s <= (a+uint64(n)-1)/sector; s++ {
			if s == last {
				continue
			}
			last = s
			known := false
			for _, old := range seen[:used] {
				if old == s {
					known = true
					break
				}
			}
			if known || used == len(seen) {
				continue
			}
			seen[used] = s
			used++
			level = max(level, w.group.lines.touch(s*sector/line))
		}
	}
	return used, level
}

// lineCache is the model of the caches: a direct-mapped first level of the
// device's size, empty when a group of blocks starts, before a second level
// that holds everything (MemoryWarm) or nothing (MemoryCold) the group touches
// for the first time. It is the simplest model whose answer does not depend on
// what other multiprocessors do.
type lineCache struct {
	tags []uint64 // line plus one, by line modulo len(tags)
	miss int      // level that serves a miss
	used bool     // since the last reset
}

func (c *lineCache) reset(mem *device.Memory, state MemoryState) {
	if n := max(1, mem.L1Bytes/max(1, mem.LineBytes)); len(c.tags) != n {
		c.tags = make([]uint64, n)
	}
	if c.used {
		clear(c.tags)
	}
	c.used = false
	c.miss = isa.LevelDRAM
	if state == MemoryWarm {
		c.miss = isa.LevelL2
	}
}

// touch returns the level that serves a line and brings it into the first.
func (c *lineCache) touch(line uint64) int {
	tag := &c.tags[line%uint64(len(c.tags))]
	if *tag == line+1 {
		return isa.LevelL1
	}
	*tag, c.used = line+1, true
	return c.miss
}
