package main

import (
	"fmt"
	"strings"

	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"
)

// chase times a chain of 8-byte loads through global memory by one lane: the
// rows for which there is no listing.
func chase(t *device.Timing, r row) (float64, error) {
	level, ok := map[string]int{
		"ldg_L1_hit": isa.LevelL1,
		"ldg_L2_hit": isa.LevelL2,
		// 65,536 lines of a large array: all of them fit into the second level.
		"ldg_DRAM": isa.LevelL2,
	}[r.kernel]
	if !ok {
		return 0, fmt.Errorf("no code of %s", r.kernel)
	}
	m, err := timing.New(t, timing.Config{})
	if err != nil {
		return 0, err
	}
	p := isa.RowPair(2)
	load := isa.Instr{Op: isa.LoadGlobal, Active: 1, Dst: p, A: p, Aux: isa.MemAux(8, level), Count: 1}
	const few, many = 8, 24
	var d [2]timing.Cycle
	for i, n := range []int{few, many} {
		m.Reset()
		b, err := m.StartBlock(1)
		if err != nil {
			return 0, err
		}
		for range n {
			m.Feed(b, 0, []isa.Instr{load}, nil)
		}
		m.End(b, 0)
		for {
			st, err := m.Run(timing.Never)
			if err != nil {
				return 0, err
			}
			if st.State == timing.Done {
				break
			}
		}
		d[i] = m.Now()
	}
	return float64(d[1]-d[0]) / (many - few), nil
}

func isChase(r row) bool { return strings.HasPrefix(r.kernel, "ldg_") }
