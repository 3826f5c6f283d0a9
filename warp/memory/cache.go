package memory

import "math/bits"

// A cache is one part of the second level: tags of lines, with what each sector
// is. Sets are filled in when a run first looks at them, so that starting one
// costs nothing.
type cache struct {
	sets, ways int
	tags       []uint32 // set by set: line plus one, 0: none
	lines      []cached
	state      []set

	epoch       uint32
	mode        State
	whole       uint8  // all sectors of a line
	low, high   uint64 // Warm: the lines that are there
	part, parts int
	homeLines   uint64
	homeMask    uint64
}

// cached is one line of a cache.
type cached struct {
	ready   tick // when the late sectors are there, and atomics are through
	before  tick // when the others are
	chain   tick // how long its atomics have taken it
	sectors uint8
	dirty   uint8
	late    uint8 // those that were brought last
	word    uint8 // of the last atomic
	claimed bool  // somebody has asked for it in this run, or it came in it
}

// there is when sectors that a line has can be read.
func (x *cached) there(sectors uint8) tick {
	if sectors&x.late != 0 {
		return x.ready
	}
	return x.before
}

// bring notes that sectors come to a line.
func (x *cached) bring(sectors uint8, at tick) {
	if sectors&^x.sectors == 0 {
		return
	}
	x.before, x.ready = x.ready, max(x.ready, at)
	x.late = sectors &^ x.sectors
	x.sectors |= sectors
}

// hold keeps all of a line until a time.
func (x *cached) hold(until tick) { x.ready, x.before = until, until }

type set struct {
	epoch uint32
	used  uint32 // a bit for each way that was used since the hand came by
	hand  uint8
}

const (
	foreign = ^uint32(0) // the tag of somebody else's data
	skew    = 40503      // odd: lines that lie the number of sets apart go to different sets
)

func (c *cache) init(lines, ways int, whole uint8) {
	c.whole = whole
	c.ways = min(max(1, ways), 32)
	c.sets = max(1, lines/c.ways)
}

func (c *cache) reset(state State, low, high uint64, part, parts int) {
	c.epoch++
	c.mode, c.low, c.high, c.part, c.parts = state, low, high, part, parts
	if most := uint64(c.sets * c.ways); high-low > most*uint64(parts) {
		c.low = high - most*uint64(parts)
	}
}

// place returns the set of a line: neighbours lie in neighbouring sets, and
// each turn around all sets starts elsewhere.
func (c *cache) place(line uint64) int {
	n := uint64(c.sets)
	return int((line%n + line/n*skew) % n)
}

// find returns the set of a line and its place, -1 if it is not there.
func (c *cache) find(line uint64) (int, int) {
	if c.tags == nil { // not before it is needed
		c.tags = make([]uint32, c.sets*c.ways)
		c.lines = make([]cached, c.sets*c.ways)
		c.state = make([]set, c.sets)
	}
	k := c.place(line)
	if c.state[k].epoch != c.epoch {
		c.fill(k)
	}
	tags := c.tags[k*c.ways : (k+1)*c.ways]
	for i, t := range tags {
		if t == uint32(line)+1 {
			c.state[k].used |= 1 << i
			return k, k*c.ways + i
		}
	}
	return k, -1
}

// fill is what a set holds when a run starts.
func (c *cache) fill(k int) {
	s := &c.state[k]
	fresh := s.epoch == 0
	s.epoch = c.epoch
	at := k * c.ways
	lines, tags := c.lines[at:at+c.ways], c.tags[at:at+c.ways]
	if c.mode == Kept && !fresh {
		for i := range lines {
			lines[i].hold(0)
			lines[i].chain = 0
		}
		return
	}
	s.used, s.hand = 0, 0
	clear(lines)
	clear(tags)
	switch c.mode {
	case Cold:
		for i := range tags {
			tags[i] = foreign
			lines[i].dirty = c.whole
		}
	case Warm:
		// Those of the lines from low to high that lie in this set.
		n, i := uint64(c.sets), 0
		whole := c.high-c.low <= uint64(len(c.tags))
		for turn := c.low / n; turn*n < c.high; turn++ {
			line := turn*n + (uint64(k)+n-turn*skew%n)%n
			if line < c.low || line >= c.high || !whole && home(line/c.homeLines, c.parts, c.homeMask) != c.part {
				continue
			}
			tags[i%c.ways] = uint32(line) + 1
			lines[i%c.ways] = cached{sectors: c.whole}
			i++
		}
		s.hand = uint8(i % c.ways)
	}
}

// victim returns the place in a set that is given up next: the one that has not
// been used for longest, about.
func (c *cache) victim(k int) int {
	s := &c.state[k]
	tags := c.tags[k*c.ways : (k+1)*c.ways]
	for {
		i := int(s.hand)
		if s.hand++; int(s.hand) == c.ways {
			s.hand = 0
		}
		if tags[i] != 0 && s.used>>i&1 != 0 {
			s.used &^= 1 << i
			continue
		}
		return k*c.ways + i
	}
}

// home is the part of the second level that a line belongs to.
func (p *params) home(line uint64) int { return home(line/p.homeLines, p.partCount, p.homeMask) }

// home is that for lines, or for as many of them in a row as belong to one part. A mask
// makes the parity of these bits of the number the part.
func home(line uint64, parts int, mask uint64) int {
	if parts == 1 {
		return 0
	}
	if mask != 0 && parts == 2 {
		return bits.OnesCount64(line&mask) & 1
	}
	return int(mix(line) >> 40 % uint64(parts))
}

func mix(x uint64) uint64 {
	x *= 0x9e3779b97f4a7c15
	return x ^ x>>29
}

// spread maps a line to one of n slices, or several lines in a row to one of n channels:
// n in a row go to all of them, each n behind each other beginning elsewhere.
func spread(line uint64, n int) int {
	turn := line / uint64(n)
	start, _ := bits.Mul64(mix(turn)*0xbf58476d1ce4e5b9, uint64(n))
	i := int(line-turn*uint64(n)) + int(start)
	if i >= n {
		i -= n
	}
	return i
}
