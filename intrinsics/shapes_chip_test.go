package intrinsics_test

import (
	"cmp"
	_ "embed"
	"slices"
	"testing"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/warp"
	"github.com/stretchr/testify/require"
)

// moreShapesCSV is what one warp of an H200 logged in further pieces of control flow,
// in the same way: ways out of loops with work before them, loops that are left in their
// midst or at their end, goto, calls.
//
//go:embed testdata/more_shapes.csv
var moreShapesCSV string

// chipShapes are the kernels of moreShapesCSV.
var chipShapes = map[string]func(t *thread, d int, m func(int), lock *intrinsics.Array[int32]){
	"work_before_a_break": func(t *thread, d int, m func(int), _ *intrinsics.Array[int32]) {
		for r := 0; r < 6; r++ {
			m(1)
			if r == d%5 {
				m(2)
				break
			}
			m(3)
		}
		m(4)
	},
	"work_before_a_break_at_the_end": func(t *thread, d int, m func(int), _ *intrinsics.Array[int32]) {
		for r := 0; r < 6; r++ {
			m(1)
			if r == d%5 {
				m(2)
				break
			}
		}
		m(4)
	},
	"forever_work_before_the_only_break": func(t *thread, d int, m func(int), _ *intrinsics.Array[int32]) {
		for r := 0; ; r++ {
			m(1)
			if r == d%5 {
				m(2)
				break
			}
			m(3)
		}
		m(4)
	},
	"forever_work_before_the_only_break_at_the_end": func(t *thread, d int, m func(int), _ *intrinsics.Array[int32]) {
		for r := 0; ; r++ {
			m(1)
			if r == d%5 {
				m(2)
				break
			}
		}
		m(4)
	},
	"do_while_return_with_work": func(t *thread, d int, m func(int), _ *intrinsics.Array[int32]) {
		f := func() {
			r := 0
			for {
				m(1)
				if r == d%5 {
					m(2)
					return
				}
				if r++; r >= d%7+1 {
					break
				}
			}
			m(3)
		}
		f()
		m(4)
	},
	"while_return_with_work": func(t *thread, d int, m func(int), _ *intrinsics.Array[int32]) {
		f := func() {
			for r := 0; r < d%7+1; r++ {
				m(1)
				if r == d%5 {
					m(2)
					return
				}
			}
			m(3)
		}
		f()
		m(4)
	},
	"forever_break_then_return": func(t *thread, d int, m func(int), _ *intrinsics.Array[int32]) {
		f := func() {
			for r := 0; ; r++ {
				m(1)
				if r == d%5 {
					break
				}
				if r == d%3 {
					m(2)
					return
				}
			}
			m(3)
		}
		f()
		m(4)
	},
	"forever_return_then_break": func(t *thread, d int, m func(int), _ *intrinsics.Array[int32]) {
		f := func() {
			for r := 0; ; r++ {
				m(1)
				if r == d%3 {
					m(2)
					return
				}
				if r == d%5 {
					break
				}
			}
			m(3)
		}
		f()
		m(4)
	},
	"forever_two_returns": func(t *thread, d int, m func(int), _ *intrinsics.Array[int32]) {
		f := func() {
			for r := 0; ; r++ {
				m(1)
				if r == d%5 {
					m(2)
					return
				}
				if r == d%3+1 {
					m(3)
					return
				}
			}
		}
		f()
		m(4)
	},
	"forever_two_returns_of_the_thread": func(t *thread, d int, m func(int), _ *intrinsics.Array[int32]) {
		for r := 0; ; r++ {
			m(1)
			if r == d%5 {
				m(2)
				return
			}
			if r == d%3+1 {
				m(3)
				return
			}
		}
	},
	"breaks_before_the_mark": func(t *thread, d int, m func(int), _ *intrinsics.Array[int32]) {
		for r := 0; r < d%4; r++ {
			if (d+r)%5 == 0 {
				break
			}
			if (d+r)%7 == 0 {
				break
			}
			m(1)
		}
		m(2)
	},
	"two_breaks_with_work": func(t *thread, d int, m func(int), _ *intrinsics.Array[int32]) {
		for r := 0; r < 6; r++ {
			m(1)
			if r == d%5 {
				m(2)
				break
			}
			if r == d%7 {
				m(3)
				break
			}
		}
		m(4)
	},
	"break_of_the_outer_with_work": func(t *thread, d int, m func(int), _ *intrinsics.Array[int32]) {
		for r := 0; r < 3; r++ {
			for k := 0; k < d%4+1; k++ {
				m(1)
				if r*4+k == d {
					m(2)
					goto out
				}
			}
			m(3)
		}
	out:
		m(4)
	},
	"inner_left_at_different_turns": func(t *thread, d int, m func(int), _ *intrinsics.Array[int32]) {
		for r := 0; r < 3; r++ {
			for k := 0; k < (d+r)%4+1; k++ {
				m(1)
				if r*4+k == d {
					goto out
				}
			}
			m(2)
		}
	out:
		m(3)
	},
	"continue_of_the_outer": func(t *thread, d int, m func(int), _ *intrinsics.Array[int32]) {
	outer:
		for r := 0; r < 3; r++ {
			for k := 0; k < 3; k++ {
				m(1)
				if (d+r+k)%4 == 0 {
					continue outer
				}
				m(2)
			}
			m(3)
		}
		m(4)
	},
	"silent_continue_with_inner": func(t *thread, d int, m func(int), _ *intrinsics.Array[int32]) {
		for r := range t.Loop() {
			if r >= 5 {
				break
			}
			if (d+r)%3 == 0 {
				continue
			}
			for k := 0; k < (d+r)%3; k++ {
				m(1)
			}
			m(2)
		}
		m(3)
	},
	"switch_in_a_loop": func(t *thread, d int, m func(int), _ *intrinsics.Array[int32]) {
		for r := range t.Loop() {
			if r >= 3 {
				break
			}
			switch (d + r) % 5 {
			case 0:
				m(1)
			case 1:
				m(2)
				fallthrough
			case 2:
				m(3)
			case 3:
				continue
			default:
				m(4)
			}
			m(5)
		}
		m(6)
	},
	"marks_in_the_condition": func(t *thread, d int, m func(int), _ *intrinsics.Array[int32]) {
		p := func(k int) bool { m(1); return k < d%4 }
		for k := 0; p(k); k++ {
			m(2)
			if (d+k)%3 == 0 {
				break
			}
			m(3)
		}
		m(4)
	},
	"goto_back": func(t *thread, d int, m func(int), _ *intrinsics.Array[int32]) {
		r := 0
	again:
		m(1)
		if r++; r < d%4 {
			goto again
		}
		m(2)
	},
	"goto_back_twice": func(t *thread, d int, m func(int), _ *intrinsics.Array[int32]) {
		r := 0
	again:
		m(1)
		if r++; r%3 == d%3 {
			goto again
		}
		m(2)
		if r < d%6 {
			goto again
		}
		m(3)
	},
	"or_chain": func(t *thread, d int, m func(int), _ *intrinsics.Array[int32]) {
		p := func() bool { m(1); return d&1 != 0 }
		q := func() bool { m(2); return d&2 != 0 }
		w := func() bool { m(3); return d&4 != 0 }
		for r := 0; r < 2; r++ {
			if p() || q() && w() {
				m(4)
				if d&8 != 0 {
					continue
				}
			}
			m(5)
		}
		m(6)
	},
	"return_from_a_loop_in_a_call": func(t *thread, d int, m func(int), _ *intrinsics.Array[int32]) {
		f := func(x int) {
			for k := 0; k < 4; k++ {
				m(1)
				if (x+k)%5 == 0 {
					m(2)
					return
				}
			}
			m(3)
		}
		for r := 0; r < 2; r++ {
			f(d + r)
			m(4)
		}
		m(5)
	},
	"exit_of_some_lanes_in_a_loop": func(t *thread, d int, m func(int), _ *intrinsics.Array[int32]) {
		for r := 0; r < 4; r++ {
			m(1)
			if (d+r)%5 == 0 {
				m(2)
				return
			}
			m(3)
		}
		m(4)
	},
	"three_loops": func(t *thread, d int, m func(int), _ *intrinsics.Array[int32]) {
		for r := 0; r < 2; r++ {
		middle:
			for k := range t.Loop() {
				if k >= (d+r)%3 {
					break
				}
				for j := 0; j < (d+k)%3+1; j++ {
					m(1)
					if (d+r+k+j)%7 == 0 {
						break middle
					}
				}
				m(2)
			}
			m(3)
		}
		m(4)
	},
	"lock_at_the_head": func(t *thread, d int, m func(int), lock *intrinsics.Array[int32]) {
		for intrinsics.AtomicCAS(t, lock, 0, 0, 1) != 0 {
			m(1)
		}
		m(2)
		intrinsics.AtomicExch(t, lock, 0, 0)
		m(3)
	},
	"recursion": func(t *thread, d int, m func(int), _ *intrinsics.Array[int32]) {
		countDown(m, d%4)
		m(3)
	},
	"a_function_from_both_sides": func(t *thread, d int, m func(int), _ *intrinsics.Array[int32]) {
		if d&1 != 0 {
			markAndReturn(m, d>>1)
			m(3)
		} else {
			markAndReturn(m, d>>2)
			m(4)
		}
		m(5)
	},
}

//go:noinline
func markAndReturn(m func(int), k int) {
	m(1)
	if k&1 != 0 {
		return
	}
	m(2)
}

// compilers are the shapes in which the chip's compiler does other things than the source
// says, because it sees the flow of control only, or changes it: with one way out of a
// loop, what stands before it is what comes behind the loop; of two ways out to the end of
// a function it takes either as that; it runs what several cases or conditions lead to once
// for each, and one call from two sides once; and a function that calls itself does not
// meet at its returns. Here the source counts, and lanes meet once for each place of a turn.
var compilers = []string{
	"forever_work_before_the_only_break", "forever_break_then_return", "while_return_with_work",
	"switch_in_a_loop", "or_chain", "a_function_from_both_sides", "recursion",
}

// Lanes part and meet as on the chip in further shapes: the marks with their lanes, apart
// from the order of the sides of branches, and from who goes on while others spin.
func TestChipShapes(t *testing.T) {
	readsCode(t)
	for name, want := range recordedIn(t, moreShapesCSV) {
		for _, d := range []string{"h200", "pascal"} {
			t.Run(name+"/"+d, func(t *testing.T) {
				kernel := chipShapes[name]
				require.NotNil(t, kernel)
				e := engine(t, d, values)
				lock, err := intrinsics.Global(e, make([]int32, 1))
				require.NoError(t, err)
				run := func() []mark {
					return marksOf(t, e, func(t *thread, m func(int)) { kernel(t, (t.Lane()*7+3)%16, m, lock) })
				}
				switch {
				case name == "lock_at_the_head" && d == "pascal": // ends on no chip in lockstep
					_, _, err := try(e, 32, func(t *thread) int {
						kernel(t, 0, func(int) {}, lock)
						return 0
					})
					require.ErrorIs(t, err, warp.Endless)
				case name == "lock_at_the_head":
					spins := func(m mark) bool { return m.id != 2 }
					require.Equal(t, anyOrder(slices.DeleteFunc(want, spins)), anyOrder(slices.DeleteFunc(run(), spins)))
				case slices.Contains(compilers, name):
					require.NotEqual(t, anyOrder(want), anyOrder(run()))
				default:
					require.Equal(t, anyOrder(want), anyOrder(run()))
				}
			})
		}
	}
}

// anyOrder returns marks in the order of their numbers and lanes.
func anyOrder(marks []mark) []mark {
	marks = slices.Clone(marks)
	slices.SortFunc(marks, func(a, b mark) int {
		return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.lanes.Lo, b.lanes.Lo))
	})
	return marks
}
