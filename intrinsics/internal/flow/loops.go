package flow

import (
	"runtime"
	"slices"
)

// A Func is the flow of one function.
type Func struct {
	Entry  uintptr
	blocks []block
	node   map[uintptr]int32 // calls by return address
	loops  []loop
	idom   []int32
	frame  int   // bytes below the frame pointer
	unsure uint8 // what Unsure gives: 1 no, 2 yes
	steps  map[int32][]int16
}

// A loop is a natural loop, with what is left of its turn on the ways out of it.
type loop struct {
	header int32
	in     []bool // by block
	parent int32  // the loop around it, -1: none
	depth  int    // loops around it
	rank   int32  // as that of a block

	counted bool
	slots   []Slot // counters, if counted
}

// A line is one level of a position in the source: a call, and in the function
// that it calls and that was inlined, another.
type line struct {
	file string
	line int
}

// linesOf returns the position of the call that returns to pc, outermost first.
func linesOf(pc uintptr) (lines []line) {
	frames := runtime.CallersFrames([]uintptr{pc, pc})
	for {
		f, more := frames.Next()
		lines = append(lines, line{f.File, f.Line})
		if f.Func != nil || !more {
			break
		}
	}
	slices.Reverse(lines)
	return lines
}

// compareLines orders positions in the source.
func compareLines(a, b []line) int {
	for i := range min(len(a), len(b)) {
		switch {
		case a[i] == b[i]:
		case a[i].file != b[i].file:
			if a[i].file < b[i].file {
				return -1
			}
			return 1
		default:
			return a[i].line - b[i].line
		}
	}
	return len(a) - len(b)
}

// findLoops finds the loops and which block is in which.
func (g *Func) findLoops() {
	g.prune()
	order := g.dominators()
	byHeader := map[int32]int{}
	for _, u := range order {
		for _, h := range g.blocks[u].succ {
			if !g.dominates(h, u) {
				continue
			}
			i, ok := byHeader[h]
			if !ok {
				i = len(g.loops)
				byHeader[h] = i
				g.loops = append(g.loops, loop{header: h, in: make([]bool, len(g.blocks)), parent: -1})
				g.loops[i].in[h] = true
			}
			g.grow(&g.loops[i], u)
		}
	}
	for i := range g.blocks {
		if b := &g.blocks[i]; g.idom[i] >= 0 && (b.call || b.leaves || len(b.succ) > 1) {
			b.at = linesOf(b.end)
		}
	}
	natural := make([][]bool, len(g.loops))
	for i := range g.loops {
		natural[i] = slices.Clone(g.loops[i].in)
	}
	g.nest(natural)
	for i := range g.loops {
		g.takeArms(i, natural)
	}
	g.place()
}

// prune takes away ways that end in a panic only, unless all do.
func (g *Func) prune() {
	ends := make([]bool, len(g.blocks))
	var work []int32
	for i := range g.blocks {
		if g.blocks[i].leaves {
			ends[i] = true
			work = append(work, int32(i))
		}
	}
	if len(work) == 0 {
		return
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, p := range g.blocks[b].pred {
			if !ends[p] {
				ends[p] = true
				work = append(work, p)
			}
		}
	}
	for i := range g.blocks {
		b := &g.blocks[i]
		if !ends[i] && !g.loopsForEver(int32(i)) {
			b.succ, b.pred = nil, nil
		}
	}
	for i := range g.blocks {
		b := &g.blocks[i]
		dead := func(k int32) bool { return !ends[k] && len(g.blocks[k].succ) == 0 }
		b.succ = slices.DeleteFunc(b.succ, dead)
		b.pred = slices.DeleteFunc(b.pred, dead)
	}
}

// loopsForEver reports whether some way from a block does not end.
func (g *Func) loopsForEver(from int32) bool {
	state := map[int32]uint8{} // 1: on the way, 2: ends
	var walk func(b int32) bool
	walk = func(b int32) bool {
		state[b] = 1
		for _, s := range g.blocks[b].succ {
			if state[s] == 1 || state[s] == 0 && walk(s) {
				return true
			}
		}
		state[b] = 2
		return false
	}
	return walk(from)
}

// dominators finds the immediate dominator of each block that can be reached, and
// returns these in reverse postorder.
func (g *Func) dominators() []int32 {
	var order []int32
	seen := make([]bool, len(g.blocks))
	type visit struct{ b, next int32 }
	seen[0] = true
	for stack := []visit{{0, 0}}; len(stack) > 0; {
		v := &stack[len(stack)-1]
		if succ := g.blocks[v.b].succ; int(v.next) < len(succ) {
			s := succ[v.next]
			v.next++
			if !seen[s] {
				seen[s] = true
				stack = append(stack, visit{s, 0})
			}
			continue
		}
		order = append(order, v.b)
		stack = stack[:len(stack)-1]
	}
	slices.Reverse(order)
	number := make([]int32, len(g.blocks))
	g.idom = make([]int32, len(g.blocks))
	for i := range g.idom {
		g.idom[i] = -1
	}
	for i, b := range order {
		number[b] = int32(i)
	}
	g.idom[0] = 0
	for changed := true; changed; {
		changed = false
		for _, b := range order[1:] {
			d := int32(-1)
			for _, p := range g.blocks[b].pred {
				switch {
				case g.idom[p] < 0:
				case d < 0:
					d = p
				default:
					for q := p; d != q; {
						for number[d] > number[q] {
							d = g.idom[d]
						}
						for number[q] > number[d] {
							q = g.idom[q]
						}
					}
				}
			}
			if d != g.idom[b] {
				g.idom[b], changed = d, true
			}
		}
	}
	return order
}

// dominates reports whether all ways to b lead over a.
func (g *Func) dominates(a, b int32) bool {
	if g.idom[b] < 0 || g.idom[a] < 0 {
		return false
	}
	for b != a && b != 0 {
		b = g.idom[b]
	}
	return a == b
}

// grow adds to a loop the ways from its header to the end u of a turn.
func (g *Func) grow(l *loop, u int32) {
	for work := []int32{u}; len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if l.in[b] || g.idom[b] < 0 {
			continue
		}
		l.in[b] = true
		work = append(work, g.blocks[b].pred...)
	}
}

// takeArms adds to loop i what is run on a way out of it before it is left: the
// statements before a break or a return in a branch of its body, which no compiler
// has as a part of the loop. They are what lies between the loop and what comes
// behind it.
func (g *Func) takeArms(i int, natural [][]bool) {
	l, in := &g.loops[i], natural[i]
	after := g.reach(g.behindLoop(i, natural), func(b int32) bool { return b == l.header })
	for b := range g.blocks {
		if !in[b] {
			continue
		}
		for _, s := range g.blocks[b].succ {
			if in[s] || after[s] {
				continue
			}
			for arm, ok := range g.reach([]int32{s}, func(k int32) bool { return in[k] || after[k] }) {
				if ok && !in[arm] && !after[arm] && g.dominates(l.header, int32(arm)) {
					l.in[arm] = true
				}
			}
		}
	}
}

// behindLoop returns the first blocks that come behind loop i. The way out by a
// condition at its head leads there. If it has none, the lines decide: of the blocks to
// which ways out lead and that stand behind all of the loop, the others are statements at
// its end if they stand before one that is no further out. Where there is but one way
// out, what it leads to is all that comes behind.
func (g *Func) behindLoop(i int, natural [][]bool) (behind []int32) {
	in, parent := natural[i], g.loops[i].parent
	left := func(b int32) bool { return parent >= 0 && !natural[parent][b] }
	if exits := g.headExits(i, in); len(exits) > 0 && !slices.ContainsFunc(exits, left) {
		return exits
	}
	own := g.callsAround(in)
	outside := func(b int32) bool {
		at := g.blocks[b].at
		return left(b) || len(at) <= len(own) || !slices.Equal(at[:len(own)], own)
	}
	landings := g.landings(in)
	for _, s := range landings {
		arm := false
		for _, t := range landings {
			k, ok := compareCalls(g.blocks[s].at, g.blocks[t].at)
			arm = arm || ok && k < 0 && (outside(s) || !outside(t))
		}
		if !arm {
			behind = append(behind, s)
		}
	}
	return behind
}

// callsAround returns the calls, inlined, by which the function is called that a loop
// stands in.
func (g *Func) callsAround(in []bool) (common []line) {
	first := true
	for b := range g.blocks {
		at := g.blocks[b].at
		if !in[b] || at == nil {
			continue
		}
		if first {
			common, first = at[:len(at)-1], false
		}
		k := 0
		for k < len(common) && k < len(at)-1 && common[k] == at[k] {
			k++
		}
		common = common[:k]
	}
	return common
}

// landings returns the first blocks behind the lines of a loop that ways out of it lead
// to.
func (g *Func) landings(in []bool) (found []int32) {
	seen := make([]bool, len(g.blocks))
	var work []int32
	for b := range g.blocks {
		if in[b] {
			work = append(work, g.blocks[b].succ...)
		}
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if in[b] || seen[b] {
			continue
		}
		seen[b] = true
		if g.blocks[b].at != nil && !g.amid(in, b) {
			found = append(found, b)
		} else {
			work = append(work, g.blocks[b].succ...)
		}
	}
	return found
}

// headExits returns where the condition at the head of loop i leads out of it: the first
// branch, if nothing of the loop stands before it, and if it does not lead to what stands
// in its midst.
func (g *Func) headExits(i int, in []bool) []int32 {
	b := g.loops[i].header
	for range g.blocks {
		if len(g.blocks[b].succ) != 1 {
			break
		}
		b = g.blocks[b].succ[0]
	}
	var out []int32
	for _, s := range g.blocks[b].succ {
		if !in[s] {
			out = append(out, s)
		}
	}
	if out == nil {
		return nil
	}
	for n, ok := range in {
		if !ok {
			continue
		}
		if k, ok := compareCalls(linesOf(g.blocks[n].start+1), g.blocks[b].at); ok && k < 0 {
			return nil // the line of the loop itself
		}
	}
	for n, ok := range g.reach(out, func(k int32) bool { return in[k] }) {
		if ok && !in[n] && g.blocks[n].call && g.dominates(g.loops[i].header, int32(n)) && g.amid(in, int32(n)) {
			return nil
		}
	}
	return out
}

// reach returns the blocks that ways from some of them lead to, up to where stop
// says, inclusive.
func (g *Func) reach(from []int32, stop func(int32) bool) []bool {
	seen := make([]bool, len(g.blocks))
	for work := slices.Clone(from); len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[b] {
			continue
		}
		seen[b] = true
		if !stop(b) {
			work = append(work, g.blocks[b].succ...)
		}
	}
	return seen
}

// amid reports whether a block, which a loop leads to, stands before something of the
// loop.
func (g *Func) amid(in []bool, arm int32) bool {
	at := g.blocks[arm].at
	if at == nil {
		return false
	}
	for b := range g.blocks {
		if c := g.blocks[b].at; in[b] && c != nil {
			if k, ok := compareCalls(at, c); ok && k < 0 {
				return true
			}
		}
	}
	return false
}

// compareCalls orders positions where they first differ, and reports whether that is in
// one function.
func compareCalls(a, b []line) (order int, ok bool) {
	if len(a) == 0 || len(b) == 0 {
		return 0, false
	}
	k := 0
	for k < len(a)-1 && k < len(b)-1 && a[k] == b[k] {
		k++
	}
	return a[k].line - b[k].line, a[k].file == b[k].file
}

// nest finds which loop is in which.
func (g *Func) nest(natural [][]bool) {
	size := func(in []bool) (n int) {
		for _, ok := range in {
			if ok {
				n++
			}
		}
		return n
	}
	sizes := make([]int, len(g.loops))
	for i := range g.loops {
		sizes[i] = size(natural[i])
	}
	for i := range g.loops {
		l := &g.loops[i]
		for j := range g.loops {
			if j != i && natural[j][l.header] && sizes[j] > sizes[i] && (l.parent < 0 || sizes[j] < sizes[l.parent]) {
				l.parent = int32(j)
			}
		}
	}
}

// place finds what is in which loop.
func (g *Func) place() {
	for i := range g.loops {
		for p := g.loops[i].parent; p >= 0; p = g.loops[p].parent {
			g.loops[i].depth++
			for b, ok := range g.loops[i].in {
				if ok {
					g.loops[p].in[b] = true
				}
			}
		}
	}
	for b := range g.blocks {
		best := int32(-1)
		for i := range g.loops {
			if g.loops[i].in[b] && (best < 0 || g.loops[i].depth > g.loops[best].depth) {
				best = int32(i)
			}
		}
		g.blocks[b].loop = best
	}
}
