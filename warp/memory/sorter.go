package memory

// A sorter puts things of one window in the order of cycles, and those of one
// cycle in the order in which they are placed.
type sorter struct {
	at    []int32 // by cycle: how many, then where the next one goes
	order []place
}

type place struct{ front, index int32 }

func (s *sorter) init(cycles int) { s.at, s.order = make([]int32, cycles+1), make([]place, 0, 256) }

func (s *sorter) begin(n int) {
	clear(s.at)
	if cap(s.order) < n {
		s.order = make([]place, n+n/2)
	}
	s.order = s.order[:n]
}

func (s *sorter) cycle(t tick) int { return min(max(int(t/fraction), 0), len(s.at)-1) }

func (s *sorter) count(t tick) { s.at[s.cycle(t)]++ }

func (s *sorter) sum() {
	n := int32(0)
	for i, k := range s.at {
		s.at[i] = n
		n += k
	}
}

func (s *sorter) place(t tick, front, index int32) {
	c := s.cycle(t)
	s.order[s.at[c]] = place{front, index}
	s.at[c]++
}
