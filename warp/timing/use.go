package timing

import "example.com/warpsim/warp/isa"

// Unit returns what one instruction of an op without further counts occupies: its
// pipe, for how long, and its port, "" if it takes none. An op without costs occupies
// nothing.
func (t *Table) Unit(op isa.Op) (pipe string, cycles Cycle, port string, portCycles Cycle) {
	info := &t.ops[op]
	if info.kind == missing {
		return "", 0, "", 0
	}
	if info.port > 0 {
		port, portCycles = t.portNames[info.port], Cycle(info.portCycles)
	}
	return t.pipeNames[info.pipe&15], Cycle(info.interval), port, portCycles
}

// SubPartitions returns how many sub-partitions a multiprocessor has.
func (t *Table) SubPartitions() int { return t.subCount }
