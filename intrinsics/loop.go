package intrinsics

import "iter"

// maxLoops is how many loops of Loop inside each other are told apart.
const maxLoops = 16

// Loop yields 0, 1, 2 and so on without end, for a loop that is left by break or
// return, and tells the scheduler of its turns, at no cost:
//
//	for i := range t.Loop() {
//		if i >= n {
//			break
//		}
//		...
//	}
//
// It matters in a loop some of whose turns pass no intrinsic: without it, the
// scheduler cannot see such turns, and lets the lane meet others in a turn that
// they are in. Lanes of one loop then go on turn by turn, as after structured
// reconvergence. A loop each of whose turns passes an intrinsic needs it not, unless it has
// no condition and ends with a branch with work before a way out, see Converged lanes. Of
// more than 16 loops inside each other, the outer 16 count.
func (t *Thread) Loop() iter.Seq[int] {
	return func(yield func(int) bool) {
		level := t.loops
		t.loops++
		defer func() { t.loops = level }()
		for i := 0; ; i++ {
			if level < maxLoops {
				t.turns[level] = i
			}
			if !yield(i) {
				return
			}
		}
	}
}

// turn returns the turn of the thread's loop at a level.
func (t *Thread) turn(level int) int {
	if level < min(t.loops, maxLoops) {
		return t.turns[level]
	}
	return 0
}

// withTurns returns a path together with the turns of the loops around it.
func (t *Thread) withTurns(path uint64) uint64 {
	for _, n := range t.turns[:min(t.loops, maxLoops)] {
		path = (path ^ uint64(n+1)) * 0x9E3779B97F4A7C15
	}
	return path
}
