package intrinsics_test

import (
	_ "embed"
	"encoding/csv"
	"math/bits"
	"strconv"
	"strings"
	"testing"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"github.com/stretchr/testify/require"
)

// shapesCSV is what one warp of an H200 logged in twelve pieces of control flow:
// for every mark that it passed, in order, the lanes that passed it together. The
// kernels were compiled with loops that are not unrolled; the data of lane i is
// (7i+3) mod 16.
//
//go:embed testdata/shapes.csv
var shapesCSV string

// A mark is passed by lanes together.
type mark struct {
	id    int
	lanes lane.Mask
}

// A marker logs marks. The lowest lane of those that pass one writes.
type marker struct {
	t   *thread
	log *[]mark
}

func (m marker) pass(id int) {
	if lanes := intrinsics.ActiveMask(m.t); lanes.First() == m.t.Lane() {
		*m.log = append(*m.log, mark{id, lanes})
	}
}

// shapes are the kernels of shapesCSV, with plain loops where every turn passes a
// mark.
var shapes = map[string]func(t *thread, d int, m func(int), lock *intrinsics.Array[int32]){
	"branch_at_the_end_of_a_loop": func(t *thread, d int, m func(int), _ *intrinsics.Array[int32]) {
		for r := 0; r < 4; r++ {
			m(1)
			if d%3 == 0 {
				m(2)
			}
		}
		m(3)
	},
	"branch_at_the_start_of_a_loop": func(t *thread, d int, m func(int), _ *intrinsics.Array[int32]) {
		for r := 0; r < 4; r++ {
			if (d+r)%3 == 0 {
				m(1)
			}
			m(2)
		}
		m(3)
	},
	"nested_loops_unequal_turns": func(t *thread, d int, m func(int), _ *intrinsics.Array[int32]) {
		for r := 0; r < 3; r++ {
			for k := 0; k < (d+r)%4+1; k++ {
				m(1)
			}
			m(2)
		}
		m(3)
	},
	"continue_in_a_loop": func(t *thread, d int, m func(int), _ *intrinsics.Array[int32]) {
		for r := range t.Loop() {
			if r >= 6 {
				break
			}
			if (d+r)%3 == 0 {
				continue
			}
			m(1)
		}
		m(2)
	},
	"break_in_a_loop": func(t *thread, d int, m func(int), _ *intrinsics.Array[int32]) {
		for r := 0; r < 8; r++ {
			m(1)
			if r == d%5 {
				break
			}
			m(2)
		}
		m(3)
	},
	"turns_by_data": func(t *thread, d int, m func(int), _ *intrinsics.Array[int32]) {
		k := d
		for k > 0 {
			m(1)
			k -= 3
		}
		m(2)
	},
	"if_else_chain": func(t *thread, d int, m func(int), _ *intrinsics.Array[int32]) {
		if d < 3 {
			m(1)
		} else if d < 7 {
			m(2)
		} else if d < 12 {
			m(3)
			m(4)
		} else {
			m(5)
		}
		m(6)
	},
	"loops_on_both_sides": func(t *thread, d int, m func(int), _ *intrinsics.Array[int32]) {
		if d&1 != 0 {
			for r := 0; r < d%4; r++ {
				m(1)
			}
		} else {
			for r := 0; r < 2; r++ {
				m(2)
			}
		}
		m(3)
	},
	"return_from_a_call": func(t *thread, d int, m func(int), _ *intrinsics.Array[int32]) {
		f := func(x int) {
			if x&1 != 0 {
				return
			}
			m(1)
			if x&2 != 0 {
				return
			}
			m(2)
		}
		for r := 0; r < 3; r++ {
			f(d + r)
			m(3)
		}
		m(4)
	},
	"short_circuit": func(t *thread, d int, m func(int), _ *intrinsics.Array[int32]) {
		p := func() bool { m(1); return d&1 != 0 }
		q := func() bool { m(2); return d&2 != 0 }
		for r := 0; r < 2; r++ {
			if p() && q() {
				m(3)
			} else {
				m(4)
			}
			m(5)
		}
	},
	"lock_in_the_branch": func(t *thread, d int, m func(int), lock *intrinsics.Array[int32]) {
		done := false
		for !done {
			m(1)
			if intrinsics.AtomicCAS(t, lock, 0, 0, 1) == 0 {
				m(2)
				intrinsics.AtomicExch(t, lock, 0, 0)
				done = true
			}
			m(3)
		}
		m(4)
	},
	"two_loops_and_a_way_out": func(t *thread, d int, m func(int), _ *intrinsics.Array[int32]) {
		for r := 0; r < 4; r++ {
			for k := 0; k < 4; k++ {
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
}

// recorded returns the marks of shapesCSV by shape.
func recorded(t testing.TB) map[string][]mark { return recordedIn(t, shapesCSV) }

func recordedIn(t testing.TB, text string) map[string][]mark {
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	require.NoError(t, err)
	all := map[string][]mark{}
	for _, r := range rows[1:] {
		id, err := strconv.Atoi(r[2])
		require.NoError(t, err)
		lanes, err := strconv.ParseUint(r[3], 16, 32)
		require.NoError(t, err)
		require.Equal(t, strconv.Itoa(len(all[r[0]])), r[1])
		all[r[0]] = append(all[r[0]], mark{id, lane.Bits(lanes)})
	}
	return all
}

// marksOf runs a kernel in one full warp and returns its marks.
func marksOf(t testing.TB, e *warp.Engine, kernel func(t *thread, m func(int))) []mark {
	var log []mark
	run(t, e, e.Device().Lanes, func(t *thread) int {
		kernel(t, marker{t, &log}.pass)
		return 0
	})
	return log
}

// Lanes part and meet as on the chip, on a device of independent threads and on
// one in lockstep: every mark with its lanes, in order. The order of the two sides
// of a branch is the compiler's there and the source's here.
func TestShapes(t *testing.T) {
	readsCode(t)
	for name, want := range recorded(t) {
		for _, d := range []string{"h200", "pascal"} {
			t.Run(name+"/"+d, func(t *testing.T) {
				kernel := shapes[name]
				require.NotNil(t, kernel)
				e := engine(t, d, values)
				lock, err := intrinsics.Global(e, make([]int32, 1))
				require.NoError(t, err)
				got := marksOf(t, e, func(t *thread, m func(int)) { kernel(t, (t.Lane()*7+3)%16, m, lock) })
				if name == "lock_in_the_branch" {
					require.Equal(t, lockMarks(32), got)
					return
				}
				require.Equal(t, sides(name, want), sides(name, got))
			})
		}
	}
}

// sides returns the marks with those of the sides of a branch, which the compiler
// has put into another order, in the order of their numbers.
func sides(name string, marks []mark) []mark {
	if name != "if_else_chain" {
		return marks
	}
	sorted := append([]mark(nil), marks...)
	for i := range sorted {
		for j := i; j > 0 && sorted[j].id < sorted[j-1].id; j-- {
			sorted[j], sorted[j-1] = sorted[j-1], sorted[j]
		}
	}
	return sorted
}

// lockMarks are the marks of lock_in_the_branch, where the lowest lane gets the
// lock: one lane comes through in each turn and waits behind the loop.
func lockMarks(lanes int) (m []mark) {
	for i := range lanes {
		waiting := lane.Range(i, lanes)
		m = append(m, mark{1, waiting}, mark{2, lane.Bit(i)}, mark{3, waiting})
	}
	return append(m, mark{4, lane.FirstN(lanes)})
}

// Turns come before places, and no instruction is issued twice for it.
func TestPlainLoops(t *testing.T) {
	readsCode(t)
	for _, d := range []string{"h200", "pascal", "mi300x", "mtt-s4000", "mtt-s5000", "custom-128"} {
		t.Run(d, func(t *testing.T) {
			e := engine(t, d, values)
			n := e.Device().Lanes
			sums := make([]int32, 3)
			out, err := intrinsics.Global(e, sums)
			require.NoError(t, err)
			_, r, err := try(e, n, func(t *thread) int {
				for row := 0; row < 3; row++ {
					x := int32(t.Lane() + row)
					for off := n / 2; off > 0; off /= 2 {
						x += intrinsics.ShflXor(t, x, off)
					}
					if t.Lane() == 0 {
						out.Store(t, row, x)
					}
				}
				return 0
			})
			require.NoError(t, err)
			only(t, r)
			require.Equal(t, []int32{int32(ramp(n)), int32(ramp(n) + n), int32(ramp(n) + 2*n)}, sums)
			require.EqualValues(t, 3*(bits.Len(uint(n))-1)+3, r.Instructions)
			// A branch at the end of a loop costs no instructions of the next turn.
			in, err := intrinsics.Global(e, make([]int32, 16*n))
			require.NoError(t, err)
			to, err := intrinsics.Global(e, make([]int32, 16*n))
			require.NoError(t, err)
			_, r, err = try(e, n, func(t *thread) int {
				for i := range 16 {
					x := in.Load(t, i*n+t.Lane())
					if t.Lane()%2 == 1 {
						to.Store(t, i*n+t.Lane(), x)
					}
				}
				return 0
			})
			require.NoError(t, err)
			only(t, r)
			require.EqualValues(t, 32, r.Instructions)
		})
	}
}
