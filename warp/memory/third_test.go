package memory_test

import (
	"testing"

	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/memory"
	"example.com/warpsim/warp/timing"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// withThird returns a device whose third level has what the second, of as many lines as
// one set, gave up: 100 cycles behind the second, 200 before the memory.
func withThird(t *testing.T) *device.Profile {
	t.Helper()
	p := simple(t)
	p.Timing.Global.Second = &device.SecondTiming{Bytes: 4 * 128, Ways: 4, Parts: 1, Slices: 4, SectorCycles: 1}
	p.Timing.Global.Third = &device.ThirdTiming{Bytes: 64 * 128, Ways: 64, Latency: 300, SectorCycles: 3}
	return p
}

// chain is loads of single lines, each after the one before.
func chain(lines ...uint64) program {
	var p program
	for i, l := range lines {
		p.load(1+i%8, l)
		p.use(1 + i%8)
	}
	return p
}

// A line that only the third level has comes back in its time; one that nobody has, in
// the memory's.
func TestThirdLevelHasWhatTheSecondGaveUp(t *testing.T) {
	order := []uint64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
	h := newHost(t, withThird(t))
	h.run(memory.Clean, 0, chain(order...))
	c := h.sys.Counts()
	require.EqualValues(t, []int64{0, 4 * 12}, []int64{c.ThirdSectors, c.MainReadSectors})

	first := h.run(memory.Kept, 0, chain(order...))[0]
	c = h.sys.Counts()
	assert.EqualValues(t, []int64{4 * 12, 0}, []int64{c.ThirdSectors, c.MainReadSectors}, "all are in the third level")

	p := withThird(t)
	p.Timing.Global.Third = nil
	h = newHost(t, p)
	h.run(memory.Clean, 0, chain(order...))
	second := h.run(memory.Kept, 0, chain(order...))[0]
	assert.EqualValues(t, timing.Cycle(12*200), second-first, "the memory is 200 cycles further")
}

// What was written goes to the memory when the third level gives it up, not before.
func TestThirdLevelKeepsWhatWasWritten(t *testing.T) {
	p := withThird(t)
	p.Timing.Global.Third.Bytes, p.Timing.Global.Third.Ways = 8*128, 8
	h := newHost(t, p)
	var stores program
	for l := range uint64(8) {
		stores.add(isa.StoreGlobal, isa.NoReg, isa.MemAux(4, isa.LevelL1), isa.MakeLine(l, 15, 0, 0, 0))
	}
	h.run(memory.Clean, 0, stores)
	assert.Zero(t, h.sys.Counts().MainWriteSectors, "the second level has four, the third the others")
	var more []uint64
	for l := range uint64(24) {
		more = append(more, 100+l)
	}
	h.run(memory.Kept, 0, chain(more...))
	assert.EqualValues(t, 4*8, h.sys.Counts().MainWriteSectors)
}
