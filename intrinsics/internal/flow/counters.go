package flow

// What a thread passes does not always tell which loop it has begun anew: after
// the last turn of an inner loop the outer one's next turn may lead to the inner
// loop's call again. But the outer loop has a counter, or another variable that
// changes from turn to turn, and if that lives across the inner loop's call it is
// in the frame of the function: compilers of Go keep nothing in registers there.

// A Slot is a variable in a frame: where it is, in bytes from the function's frame
// pointer, and its size, up to 8 bytes.
type Slot struct{ Off, Size int }

// maxCounters is how many variables of a loop are looked at.
const maxCounters = 3

// Counters returns, for each loop around a call from the outermost, variables that
// are constant between the calls of one turn and may be others in the next.
func (g *Func) Counters(node int32) [][]Slot {
	all := make([][]Slot, g.Depth(node))
	for l := g.blocks[node].loop; l >= 0; l = g.loops[l].parent {
		all[g.loops[l].depth] = g.counters(l)
	}
	return all
}

// counters returns the variables of one loop.
func (g *Func) counters(l int32) (found []Slot) {
	lp := &g.loops[l]
	if lp.counted {
		return lp.slots
	}
	lp.counted = true
	calls := func(b int32) bool { return lp.in[b] && g.blocks[b].call }
	inner := func(from, to int32) bool { return lp.in[to] && to != lp.header }
	// Blocks that control comes to after a call of the turn, and those from which
	// it goes on to one.
	after := make([]bool, len(g.blocks))
	ahead := make([]bool, len(g.blocks))
	var down, up []int32
	for b := range int32(len(g.blocks)) {
		if !calls(b) {
			continue
		}
		up = append(up, b)
		ahead[b] = true
		for _, s := range g.blocks[b].succ {
			if inner(b, s) && !after[s] {
				after[s] = true
				down = append(down, s)
			}
		}
	}
	for len(down) > 0 {
		b := down[len(down)-1]
		down = down[:len(down)-1]
		for _, s := range g.blocks[b].succ {
			if inner(b, s) && !after[s] {
				after[s] = true
				down = append(down, s)
			}
		}
	}
	for len(up) > 0 {
		b := up[len(up)-1]
		up = up[:len(up)-1]
		if b == lp.header {
			continue
		}
		for _, p := range g.blocks[b].pred {
			if lp.in[p] && !ahead[p] {
				ahead[p] = true
				up = append(up, p)
			}
		}
	}
	state := map[slot]int{} // 1: stored, 2: and loaded, -1: not fit
	var bad []slot
	for b := range g.blocks {
		for _, a := range g.blocks[b].accesses {
			switch {
			case a.what == address:
				bad = append(bad, slot{a.off, 8})
			case a.what == store && lp.in[b] && (after[b] && ahead[b] || a.size > 8):
				bad = append(bad, a.slot)
			case a.what == store && lp.in[b]:
				state[a.slot] = max(state[a.slot], 1)
			}
		}
	}
	var order []slot
	for b := range g.blocks {
		for _, a := range g.blocks[b].accesses {
			if a.what == load && state[a.slot] == 1 && lp.in[b] {
				state[a.slot] = 2
				order = append(order, a.slot)
			}
		}
	}
	for _, s := range order {
		fit := true
		for _, o := range bad {
			fit = fit && (s.off+s.size <= o.off || o.off+o.size <= s.off)
		}
		for o := range state {
			fit = fit && (o == s || s.off+s.size <= o.off || o.off+o.size <= s.off)
		}
		if fit && len(found) < maxCounters {
			found = append(found, Slot{spFromFP(g.frame) + int(s.off), int(s.size)})
		}
	}
	lp.slots = found
	return found
}

// Unsure reports whether some call of the function can follow another in more than
// one way, so that which turn a thread is in needs its counters.
func (g *Func) Unsure() bool {
	if g.unsure == 0 {
		g.unsure = 1
		for a := range g.blocks {
			if g.blocks[a].call && g.idom[a] >= 0 && g.unsureAfter(int32(a)) {
				g.unsure = 2
				break
			}
		}
	}
	return g.unsure == 2
}

// unsureAfter reports whether some call can follow a in more than one way.
func (g *Func) unsureAfter(a int32) bool {
	s := g.from(a)
	for l := g.blocks[a].loop; l >= 0; l = g.loops[l].parent {
		lp := &g.loops[l]
		depth := int16(lp.depth)
		ends := false // a turn of this loop, without a call that asks for sure
		for b := range lp.in {
			if !lp.in[b] || int32(b) != a && (s[b] == Never || s[b] < depth || g.blocks[b].must) {
				continue
			}
			for _, to := range g.blocks[b].succ {
				ends = ends || to == lp.header
			}
		}
		if !ends {
			continue
		}
		seen := make([]bool, len(g.blocks))
		seen[lp.header] = true
		for work := []int32{lp.header}; len(work) > 0; {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			if g.blocks[b].call && s[b] > depth {
				return true // without the end of the turn as well
			}
			if g.blocks[b].must {
				continue
			}
			for _, to := range g.blocks[b].succ {
				if lp.in[to] && !seen[to] {
					seen[to] = true
					work = append(work, to)
				}
			}
		}
	}
	return false
}

// GoesOn reports whether of the calls by which a thread may ask one can follow
// another before the function is left.
func (g *Func) GoesOn() bool {
	asks := func(b int32) bool { return g.blocks[b].call && !g.blocks[b].host && g.idom[b] >= 0 }
	for a := range int32(len(g.blocks)) {
		if !asks(a) {
			continue
		}
		for b, step := range g.from(a) {
			if step != Never && asks(int32(b)) {
				return true
			}
		}
	}
	return false
}
