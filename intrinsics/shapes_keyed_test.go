package intrinsics_test

import (
	"slices"
	"testing"

	"example.com/warpsim/intrinsics"
	"example.com/warpsim/lane"
	"github.com/stretchr/testify/require"
)

// A keyed mark is one that a lane passes, with when: turns and places from the
// outside in.
type keyed struct {
	key []int
	id  int
}

// inOrder returns the marks that lanes pass together: in the order of their keys,
// and together if these are equal.
func inOrder(lanes int, passes func(l int, m func(id int, key ...int))) (marks []mark) {
	type met struct {
		keyed
		lanes lane.Mask
	}
	var all []met
	for l := range lanes {
		passes(l, func(id int, key ...int) {
			for i := range all {
				if slices.Equal(all[i].key, key) && all[i].id == id {
					all[i].lanes = all[i].lanes.With(l)
					return
				}
			}
			all = append(all, met{keyed{slices.Clone(key), id}, lane.Bit(l)})
		})
	}
	slices.SortStableFunc(all, func(a, b met) int { return slices.Compare(a.key, b.key) })
	for _, m := range all {
		marks = append(marks, mark{m.id, m.lanes})
	}
	return marks
}

//go:noinline
func countDown(m func(int), n int) {
	m(1)
	if n > 0 {
		countDown(m, n-1)
	}
	m(2)
}

//go:noinline
func innerLoop(m func(int), n int) {
	for range n {
		m(1)
	}
}

//go:noinline
func search(m func(int), n int) {
	for k := range 4 {
		m(1)
		if (n+k)%5 == 0 {
			return
		}
	}
	m(2)
}

// Marks come in the order of turns and places, as structured code gives them.
func TestMarksComeByTurnsAndPlaces(t *testing.T) {
	readsCode(t)
	type marks = func(id int, key ...int)
	for name, c := range map[string]struct {
		kernel func(t *thread, d int, m func(int))
		want   func(d int, m marks)
	}{
		"calls of the inner loop only": {
			func(t *thread, d int, m func(int)) {
				for r := 0; r < 3; r++ {
					for k := 0; k < (d+r)%4+1; k++ {
						m(1)
					}
				}
				m(2)
			},
			func(d int, m marks) {
				for r := range 3 {
					for k := range (d+r)%4 + 1 {
						m(1, 0, r, k)
					}
				}
				m(2, 1)
			},
		},
		"inner loop in a function": {
			func(t *thread, d int, m func(int)) {
				for r := 0; r < 3; r++ {
					innerLoop(m, (d+r)%4+1)
				}
				m(2)
			},
			func(d int, m marks) {
				for r := range 3 {
					for k := range (d+r)%4 + 1 {
						m(1, 0, r, k)
					}
				}
				m(2, 1)
			},
		},
		"store after an inner loop in some lanes": {
			func(t *thread, d int, m func(int)) {
				for r := range 4 {
					for k := 8; k > 0; k /= 2 {
						m(1)
					}
					if (d+r)%3 == 0 {
						m(2)
					}
				}
				m(3)
			},
			func(d int, m marks) {
				for r := range 4 {
					for k := range 4 {
						m(1, 0, r, 0, k)
					}
					if (d+r)%3 == 0 {
						m(2, 0, r, 1)
					}
				}
				m(3, 1)
			},
		},
		"do while": {
			func(t *thread, d int, m func(int)) {
				for k := d; ; k-- {
					m(1)
					if k <= 0 {
						break
					}
				}
				m(2)
			},
			func(d int, m marks) {
				for k := range d + 1 {
					m(1, 0, k)
				}
				m(2, 1)
			},
		},
		"work before a break": {
			func(t *thread, d int, m func(int)) {
				for r := 0; r < 8; r++ {
					m(1)
					if r == d%5 {
						m(2)
						break
					}
				}
				m(3)
			},
			func(d int, m marks) {
				for r := range d%5 + 1 {
					m(1, 0, r, 0)
				}
				m(2, 0, d%5, 1)
				m(3, 1)
			},
		},
		"return from two loops": {
			func(t *thread, d int, m func(int)) {
				for r := 0; r < 4; r++ {
					for k := 0; k < 4; k++ {
						m(1)
						if r*4+k == d {
							m(2)
							return
						}
					}
					m(3)
				}
				m(4)
			},
			func(d int, m marks) {
				for r := range 4 {
					for k := range 4 {
						m(1, 0, r, 0, k, 0)
						if r*4+k == d {
							m(2, 0, r, 0, k, 1)
							return
						}
					}
					m(3, 0, r, 1)
				}
				m(4, 1)
			},
		},
		"recursion": {
			func(t *thread, d int, m func(int)) {
				countDown(m, d%5)
				m(3)
			},
			func(d int, m marks) {
				key := []int{0}
				for range d%5 + 1 {
					m(1, append(key, 0)...)
					key = append(key, 1)
				}
				for n := len(key) - 1; n > 0; n-- {
					m(2, append(slices.Clone(key[:n]), 2)...)
				}
				m(3, 1)
			},
		},
		"switch in a loop": {
			func(t *thread, d int, m func(int)) {
				for r := range 5 {
					switch (d + r) % 12 {
					case 0:
						m(10)
					case 1:
						m(11)
					case 2:
						m(12)
						continue
					case 3:
						m(13)
					case 4:
						m(14)
					case 5:
						m(15)
					case 6:
						m(16)
					case 7:
						m(17)
					case 8:
						m(18)
						fallthrough
					case 9:
						m(19)
					default:
						m(20)
					}
					m(1)
				}
				m(2)
			},
			func(d int, m marks) {
				for r := range 5 {
					n := min((d+r)%12, 10)
					m(10+n, 0, r, 0, n)
					if n == 8 {
						m(19, 0, r, 0, 9)
					}
					if n != 2 {
						m(1, 0, r, 1)
					}
				}
				m(2, 1)
			},
		},
		"two loops in a row": {
			func(t *thread, d int, m func(int)) {
				for r := 0; r < d%3; r++ {
					m(1)
				}
				for r := 0; r < d%4; r++ {
					m(2)
				}
				m(3)
			},
			func(d int, m marks) {
				for r := range d % 3 {
					m(1, 0, r)
				}
				for r := range d % 4 {
					m(2, 1, r)
				}
				m(3, 2)
			},
		},
		"calls in the head of a loop": {
			func(t *thread, d int, m func(int)) {
				p := func(k int) bool { m(1); return k < d%4 }
				q := func(k int) bool { m(2); return (d+k)%5 != 0 }
				for k := 0; p(k) && q(k); k++ {
					if (d+k)%2 == 0 {
						continue
					}
					m(3)
				}
				m(4)
			},
			func(d int, m marks) {
				for k := 0; ; k++ {
					if m(1, 0, k, 0); k >= d%4 {
						break
					}
					if m(2, 0, k, 1); (d+k)%5 == 0 {
						break
					}
					if (d+k)%2 != 0 {
						m(3, 0, k, 2)
					}
				}
				m(4, 1)
			},
		},
		"other sides in other turns": {
			func(t *thread, d int, m func(int)) {
				for r := range 5 {
					if (d>>r)&1 == 0 {
						m(1)
					} else {
						m(2)
					}
				}
				m(3)
			},
			func(d int, m marks) {
				for r := range 5 {
					if (d>>r)&1 == 0 {
						m(1, 0, r, 0)
					} else {
						m(2, 0, r, 1)
					}
				}
				m(3, 1)
			},
		},
		"plain loops around and inside one of Loop": {
			func(t *thread, d int, m func(int)) {
				for r := range 2 {
					for i := range t.Loop() {
						if i == 3 {
							break
						}
						if (d+i)%3 == 0 {
							continue
						}
						for k := 0; k <= (d+r)%2; k++ {
							m(1)
						}
					}
					m(2)
				}
				m(3)
			},
			func(d int, m marks) {
				for r := range 2 {
					for i := range 3 {
						if (d+i)%3 != 0 {
							for k := range (d+r)%2 + 1 {
								m(1, 0, r, 0, i, k)
							}
						}
					}
					m(2, 0, r, 1)
				}
				m(3, 1)
			},
		},
		"two continues": {
			func(t *thread, d int, m func(int)) {
				for r := range 4 {
					if (d+r)%3 == 0 {
						m(1)
						continue
					}
					m(2)
					if (d+r)%4 == 0 {
						m(3)
						continue
					}
					m(4)
				}
				m(5)
			},
			func(d int, m marks) {
				for r := range 4 {
					if (d+r)%3 == 0 {
						m(1, 0, r, 0)
						continue
					}
					if m(2, 0, r, 1); (d+r)%4 == 0 {
						m(3, 0, r, 2)
						continue
					}
					m(4, 0, r, 3)
				}
				m(5, 1)
			},
		},
		"continue of the outermost of three loops": {
			func(t *thread, d int, m func(int)) {
			outer:
				for r := range 3 {
					for k := range 3 {
						for j := range 3 {
							m(1)
							if (9*r+3*k+j+d)%7 == 0 {
								continue outer
							}
						}
						m(2)
					}
					m(3)
				}
				m(4)
			},
			func(d int, m marks) {
			outer:
				for r := range 3 {
					for k := range 3 {
						for j := range 3 {
							if m(1, 0, r, 0, k, 0, j); (9*r+3*k+j+d)%7 == 0 {
								continue outer
							}
						}
						m(2, 0, r, 0, k, 1)
					}
					m(3, 0, r, 1)
				}
				m(4, 1)
			},
		},
		"return from the loop of a function in a loop": {
			func(t *thread, d int, m func(int)) {
				for r := range 3 {
					search(m, d+r)
					m(3)
				}
				m(4)
			},
			func(d int, m marks) {
				for r := range 3 {
					found := false
					for k := 0; k < 4 && !found; k++ {
						m(1, 0, r, 0, 0, k)
						found = (d+r+k)%5 == 0
					}
					if !found {
						m(2, 0, r, 0, 1)
					}
					m(3, 0, r, 1)
				}
				m(4, 1)
			},
		},
		"loops in the arms of a switch": {
			func(t *thread, d int, m func(int)) {
				for r := range 2 {
					switch (d + r) % 3 {
					case 0:
						for range d%3 + 1 {
							m(1)
						}
					case 1:
						for range 2 {
							m(2)
						}
					default:
						for range d % 4 {
							m(3)
						}
					}
					m(4)
				}
				m(5)
			},
			func(d int, m marks) {
				for r := range 2 {
					arm := (d + r) % 3
					for k := range []int{d%3 + 1, 2, d % 4}[arm] {
						m(1+arm, 0, r, 0, arm, k)
					}
					m(4, 0, r, 1)
				}
				m(5, 1)
			},
		},
		"recursion in a loop": {
			func(t *thread, d int, m func(int)) {
				for r := range 3 {
					countDown(m, (d+r)%4)
					m(3)
				}
				m(4)
			},
			func(d int, m marks) {
				for r := range 3 {
					key := []int{0, r, 0}
					for range (d+r)%4 + 1 {
						m(1, append(key, 0)...)
						key = append(key, 1)
					}
					for n := len(key) - 1; n > 2; n-- {
						m(2, append(slices.Clone(key[:n]), 2)...)
					}
					m(3, 0, r, 1)
				}
				m(4, 1)
			},
		},
		"shuffle in the head of a loop": {
			func(t *thread, d int, m func(int)) {
				for k := 0; intrinsics.Shfl(t, k, t.Lane()) < d%4; k++ {
					m(1)
				}
				m(2)
			},
			func(d int, m marks) {
				for k := range d % 4 {
					m(1, 0, k)
				}
				m(2, 1)
			},
		},
	} {
		for _, d := range []string{"h200", "pascal", "mi300x", "mtt-s4000", "mtt-s5000"} {
			t.Run(name+"/"+d, func(t *testing.T) {
				e := engine(t, d, values)
				n := e.Device().Lanes
				want := inOrder(n, func(l int, m func(id int, key ...int)) { c.want((l*7+3)%16, m) })
				require.Equal(t, want, marksOf(t, e, func(t *thread, m func(int)) { c.kernel(t, (t.Lane()*7+3)%16, m) }))
			})
		}
	}
}
