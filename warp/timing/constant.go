package timing

import "example.com/warpsim/warp/isa"

// A fetch is a line of constants that a cache has, or will have from a cycle on.
type fetch struct {
	line uint16
	at   Cycle
}

// constant returns by how many cycles an instruction at issue has to wait for a line of
// constants, which its sub-partition has from then on.
func (m *Multiprocessor) constant(s *sub, in *isa.Instr, t Cycle) Cycle {
	if in.Guard != 0 && in.Active == 0 {
		return 0
	}
	cache, latency := &s.fetched[0], Cycle(m.constants.LoadLatency)
	if in.Op == isa.UniformMov {
		cache, latency = &s.fetched[1], Cycle(m.constants.UniformLatency)
	}
	for i := range *cache {
		if f := &(*cache)[i]; f.line == in.Count {
			if f.at > t {
				m.recall.lose()
			}
			return max(0, f.at-t)
		}
	}
	m.recall.lose()
	at := t + latency
	if isa.ConstantBank(in.Count) > 0 {
		at = m.bankLine(in.Count, t) + latency
	}
	*cache = append(*cache, fetch{in.Count, at})
	return at - t
}

// bankLine returns from when on the multiprocessor has a line that is no parameter's.
func (m *Multiprocessor) bankLine(line uint16, t Cycle) Cycle {
	line = (line - 1) / uint16(max(1, m.constants.BankLines))
	for _, f := range m.fetched {
		if f.line == line {
			return max(f.at, t)
		}
	}
	at := t + Cycle(m.constants.BankLatency)
	m.fetched = append(m.fetched, fetch{line, at})
	return at
}
