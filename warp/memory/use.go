package memory

import "example.com/warpsim/warp/timing"

// A Use is which part of the time the units of one kind were busy, on average over
// those that could be.
type Use struct {
	What  string
	Share float64
}

// Uses returns how busy the units of the memory were in so many cycles with so many
// multiprocessors at work, and how long the most contended word was.
func (s *System) Uses(cycles timing.Cycle, active int) []Use {
	if s.window == 0 || cycles <= 0 || active < 1 {
		return nil
	}
	c := s.Counts()
	share := func(busy int64, units int) float64 {
		return float64(busy) / float64(max(1, units)) / (float64(cycles) * fraction)
	}
	groups := min(active, s.groupCount)
	return []Use{
		{"the first level", share(int64(max(s.access, s.line))*c.LoadRequests, active)},
		{"the ways back from L2", max(share(c.ReturnTicks, groups), share(int64(s.giveBack)*c.Returned, active))},
		{"the ways to L2", max(share(c.SendTicks, groups), share(c.SentTicks, active))},
		{"L2 bandwidth", share(c.SliceTicks, len(s.slices))},
		{"DRAM bandwidth", share(c.MainTicks, len(s.main))},
	}
}

// Contended returns which part of so many cycles the atomics on one line took, and
// the address of its word that was wanted last.
func (s *System) Contended(cycles timing.Cycle) (share float64, address uint64) {
	c := &s.counts
	if cycles <= 0 || c.ChainTicks == 0 {
		return 0, 0
	}
	return float64(c.ChainTicks) / (float64(cycles) * fraction), c.ChainLine*uint64(s.lineBytes) + uint64(c.ChainWord)*4
}
