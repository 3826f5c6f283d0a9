package flow

// What Step returns beside the depth of a loop.
const (
	// Forward: no loop has begun a turn.
	Forward = 1<<15 - 1
	// Never: the call cannot come after the other one while the function runs, so
	// that it has been called again.
	Never = -1
)

// Node returns the number of the call that returns to pc, and whether there is
// one.
func (g *Func) Node(pc uintptr) (node int32, ok bool) {
	node, ok = g.node[pc]
	return node, ok
}

// Depth returns how many loops are around a call.
func (g *Func) Depth(node int32) int {
	if l := g.blocks[node].loop; l >= 0 {
		return g.loops[l].depth + 1
	}
	return 0
}

// Common returns how many loops are around both of two calls.
func (g *Func) Common(a, b int32) int {
	x, y := g.blocks[a].loop, g.blocks[b].loop
	for x != y {
		if y < 0 || x >= 0 && g.loops[x].depth >= g.loops[y].depth {
			x = g.loops[x].parent
		} else {
			y = g.loops[y].parent
		}
	}
	if x < 0 {
		return 0
	}
	return g.loops[x].depth + 1
}

// Order says which of two calls comes first within a turn of the loops around
// both: negative if a does, 0 if they are one.
func (g *Func) Order(a, b int32) int {
	if a == b {
		return 0
	}
	c := g.Common(a, b)
	return int(g.item(a, c) - g.item(b, c))
}

// item returns the rank of a call, or of the loop around it, among what stands
// directly in the loop at a depth.
func (g *Func) item(node int32, depth int) int32 {
	rank := g.blocks[node].rank
	for l := g.blocks[node].loop; l >= 0 && g.loops[l].depth >= depth; l = g.loops[l].parent {
		rank = g.loops[l].rank
	}
	return rank
}

// Step returns which loop around both calls a thread has begun a new turn of that
// passes call b next after a: its depth from the outermost, 0. If several may
// have, it is the innermost.
func (g *Func) Step(a, b int32) int {
	depth := int(g.from(a)[b])
	if depth >= g.Common(a, b) {
		return Forward // out of that loop
	}
	return depth
}

// from returns Step for all calls after one.
func (g *Func) from(a int32) []int16 {
	if s, ok := g.steps[a]; ok {
		return s
	}
	if g.steps == nil {
		g.steps = map[int32][]int16{}
	}
	s := make([]int16, len(g.blocks))
	for i := range s {
		s[i] = Never
	}
	type edge struct{ from, to int32 }
	var now, later []edge
	for _, b := range g.blocks[a].succ {
		now = append(now, edge{a, b})
	}
	// Ways that end no turn first, then those that end one of the innermost loop,
	// and so on outward.
	for level := int16(Forward); ; {
		later = later[:0]
		for len(now) > 0 {
			e := now[len(now)-1]
			now = now[:len(now)-1]
			if s[e.to] != Never {
				continue
			}
			if depth := g.closes(a, e.from, e.to); depth < level {
				later = append(later, e)
				continue
			}
			s[e.to] = level
			if b := &g.blocks[e.to]; !b.must {
				for _, next := range b.succ {
					now = append(now, edge{e.to, next})
				}
			}
		}
		level--
		if depth := int16(g.Depth(a)); level >= depth {
			level = depth - 1
		}
		if level < 0 {
			break
		}
		now = append(now, later...)
	}
	g.steps[a] = s
	return s
}

// closes returns the depth of the loop around call a of which the way between two
// blocks ends a turn, Forward if there is none.
func (g *Func) closes(a, from, to int32) int16 {
	for l := g.blocks[a].loop; l >= 0; l = g.loops[l].parent {
		if g.loops[l].header == to && g.loops[l].in[from] {
			return int16(g.loops[l].depth)
		}
	}
	return Forward
}

// rank puts the calls and loops that stand directly in one loop into an order in
// which control passes them; of those that exclude each other, such as the sides
// of a branch, that on the earlier line comes first.
func (g *Func) rank() {
	var calls []int32
	for i := range g.blocks {
		if g.blocks[i].call && g.idom[i] >= 0 {
			calls = append(calls, int32(i))
		}
	}
	for l := int32(-1); l < int32(len(g.loops)); l++ {
		g.rankIn(l, calls)
	}
}

// An item is a call or a loop with calls.
type item struct {
	node, loop int32
	at         []line
	after      map[int]bool // items that come after it
	before     int          // how many that come before it are not placed
	placed     bool
}

// rankIn ranks what stands directly in loop l, or in none.
func (g *Func) rankIn(l int32, calls []int32) {
	depth := 0
	if l >= 0 {
		depth = g.loops[l].depth + 1
	}
	var items []item
	byLoop := map[int32]int{}
	which := map[int32]int{} // items of calls
	for _, c := range calls {
		k := g.blocks[c].loop
		inner := int32(-1)
		for k >= 0 && k != l {
			inner, k = k, g.loops[k].parent
		}
		if k != l {
			continue
		}
		at := g.blocks[c].at
		if inner < 0 {
			which[c] = len(items)
			items = append(items, item{node: c, loop: -1, at: at, after: map[int]bool{}})
			continue
		}
		i, ok := byLoop[inner]
		if !ok {
			i = len(items)
			byLoop[inner] = i
			items = append(items, item{node: -1, loop: inner, at: at, after: map[int]bool{}})
		}
		which[c] = i
		if compareLines(at, items[i].at) < 0 {
			items[i].at = at
		}
	}
	if len(items) == 0 {
		return
	}
	for _, c := range calls {
		i, ok := which[c]
		if !ok {
			continue
		}
		s := g.from(c)
		for _, d := range calls {
			if j, ok := which[d]; ok && i != j && s[d] != Never && int(s[d]) >= depth && !items[i].after[j] {
				items[i].after[j] = true
				items[j].before++
			}
		}
	}
	for n := range items {
		best := -1
		for i := range items {
			it := &items[i]
			if it.placed {
				continue
			}
			if best < 0 || (it.before == 0) != (items[best].before == 0) && it.before == 0 ||
				(it.before == 0) == (items[best].before == 0) && compareLines(it.at, items[best].at) < 0 {
				best = i
			}
		}
		it := &items[best]
		it.placed = true
		for j := range it.after {
			items[j].before--
		}
		if it.loop >= 0 {
			g.loops[it.loop].rank = int32(n)
		} else {
			g.blocks[it.node].rank = int32(n)
		}
	}
}

// Leads reports whether control can come from call a to call b without the end of
// a turn of a loop around both.
func (g *Func) Leads(a, b int32) bool {
	depth := int16(g.Common(a, b))
	seen := make([]bool, len(g.blocks))
	for work := []int32{a}; len(work) > 0; {
		from := work[len(work)-1]
		work = work[:len(work)-1]
		for _, to := range g.blocks[from].succ {
			if !seen[to] && g.closes(a, from, to) >= depth {
				if to == b {
					return true
				}
				seen[to] = true
				work = append(work, to)
			}
		}
	}
	return false
}
