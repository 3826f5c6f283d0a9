package flow

// Leaves reports where a thread that has passed no call which asks for sure since
// call a, -1: since the function began, may have left the function, and not by way
// of call b: before b, as one that returns early, or behind it and the loops around
// it, at the end of the function. Positions in the source decide. A return out of a
// loop around b is before b, as b may come in the next turn.
func (g *Func) Leaves(a, b int32) (before, behind bool) {
	seen := make([]bool, len(g.blocks))
	work := []int32{0}
	if a >= 0 {
		work = append(work[:0], g.blocks[a].succ...)
	}
	at, from := g.blocks[b].at[0], g.behind(b)
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[n] || n == b || g.blocks[n].must {
			continue
		}
		seen[n] = true
		if g.blocks[n].leaves {
			l := g.lineOf(n)
			past := l.file == at.file && l.line >= from
			before, behind = before || !past, behind || past
		}
		work = append(work, g.blocks[n].succ...)
	}
	return before, behind
}

// never is a line that no function has.
const never = 1 << 30

// behind returns the first line that is behind a call and the loops around it: if
// there are loops, that of the end of the function, never if the outermost of them
// does not end by its condition.
func (g *Func) behind(b int32) int {
	outer := int32(-1)
	for l := g.blocks[b].loop; l >= 0; l = g.loops[l].parent {
		outer = l
	}
	if outer < 0 {
		return g.blocks[b].at[0].line + 1
	}
	begin, end := never, 0
	for n := range g.blocks {
		if g.blocks[n].leaves {
			end = max(end, g.lineOf(int32(n)).line)
		} else if g.loops[outer].in[n] {
			begin = min(begin, g.lineOf(int32(n)).line)
		}
	}
	for n, in := range g.loops[outer].in {
		if !in || g.lineOf(int32(n)).line != begin {
			continue
		}
		for _, s := range g.blocks[n].succ {
			if !g.loops[outer].in[s] || g.blocks[s].leaves {
				return end
			}
		}
	}
	return never
}

// lineOf returns the position of a block's end, in the function itself.
func (g *Func) lineOf(n int32) line { return linesOf(g.blocks[n].end)[0] }

// OnlyCall reports whether a thread may ask by call b alone: the function does
// nothing else.
func (g *Func) OnlyCall(b int32) bool {
	for n := range g.blocks {
		if c := &g.blocks[n]; c.call && !c.host && int32(n) != b && g.idom[n] >= 0 {
			return false
		}
	}
	return true
}
