package warp

import "example.com/warpsim/warp/timing"

// blockTimes are the blocks of a launch by their time.
type blockTimes struct {
	by map[timing.Cycle]blockTime
}

type blockTime struct{ blocks, first int }

// maxBlockTimes bounds the times for which a worker keeps room from run to run.
const maxBlockTimes = 1 << 10

func (t *blockTimes) reset() {
	if len(t.by) > maxBlockTimes {
		t.by = nil
	}
	clear(t.by)
}

// add books blocks that took c cycles, first the one with the lowest number.
func (t *blockTimes) add(c timing.Cycle, blocks, first int) {
	old, known := t.by[c]
	switch {
	case t.by == nil:
		t.by = map[timing.Cycle]blockTime{}
	case known:
		first = min(first, old.first)
	}
	t.by[c] = blockTime{old.blocks + blocks, first}
}

func (t *blockTimes) merge(o *blockTimes) {
	for c, b := range o.by {
		t.add(c, b.blocks, b.first)
	}
}

// rows returns the times, the shortest first.
func (t *blockTimes) rows() []BlockRow {
	if len(t.by) == 0 {
		return nil
	}
	rows := make([]BlockRow, 0, len(t.by))
	for c, b := range t.by {
		rows = append(rows, BlockRow{Cycles: c, Blocks: b.blocks, First: b.first})
	}
	sortBlocks(rows)
	return rows
}
