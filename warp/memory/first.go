package memory

// A firstLevel is one first-level cache.
type firstLevel struct {
	sets, ways int
	lines      []held // set by set
	clock      uint32
}

// held is one line of a first level.
type held struct {
	ready         tick   // when what came last is there
	tag           uint32 // line plus one, 0: none
	stamp         uint32 // of the last use
	miss          int32  // the last one that brings some, -1: none
	there, coming uint8  // sectors
}

// makeRoom takes the memory for the lines.
func (c *firstLevel) makeRoom() {
	if n := c.sets * c.ways; len(c.lines) < n {
		c.lines = make([]held, n)
	}
}

// resize empties the cache and gives it so many lines.
func (c *firstLevel) resize(lines, ways int) {
	c.ways = min(max(1, ways), max(1, lines))
	c.sets = max(1, lines/c.ways)
	c.reset()
}

func (c *firstLevel) reset() {
	if c.clock > 0 {
		clear(c.lines)
	}
	c.clock = 0
}

func (c *firstLevel) place(line uint64) int {
	n := uint64(c.sets)
	return int((line%n+line/n*skew)%n) * c.ways
}

// find returns where a line is, or where it goes from now on, with nothing of it
// there.
func (c *firstLevel) find(line uint64) int {
	k := c.place(line)
	c.clock++
	oldest := k
	for i := k; i < k+c.ways; i++ {
		if c.lines[i].tag == uint32(line)+1 {
			c.lines[i].stamp = c.clock
			return i
		}
		if c.lines[i].stamp < c.lines[oldest].stamp {
			oldest = i
		}
	}
	c.lines[oldest] = held{tag: uint32(line) + 1, stamp: c.clock, miss: -1}
	return oldest
}

// drop forgets a line.
func (c *firstLevel) drop(line uint64) {
	if c.clock == 0 {
		return
	}
	k := c.place(line)
	for i := k; i < k+c.ways; i++ {
		if c.lines[i].tag == uint32(line)+1 {
			c.lines[i] = held{}
		}
	}
}
