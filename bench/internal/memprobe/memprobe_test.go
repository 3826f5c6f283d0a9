package memprobe_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/warpsim/bench/internal/memprobe"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/grid"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/memory"
	"example.com/warpsim/warp/timing"
)

func counts(t *testing.T, p *memprobe.Probe) memory.Counts {
	t.Helper()
	d, err := device.Lookup("h200")
	require.NoError(t, err)
	table, err := timing.Compile(&d.Timing, d.Lanes)
	require.NoError(t, err)
	g, err := grid.New(d, table, grid.Config{})
	require.NoError(t, err)
	g.Begin(p.Shape(d), p.Source(d))
	done, err := g.Advance(context.Background(), p.Blocks, 1)
	require.NoError(t, err)
	require.True(t, done)
	return g.Memory()
}

// What probes move is known from their sizes.
func TestProbesMoveWhatTheySay(t *testing.T) {
	s := memprobe.Stream{Level: isa.LevelL2, Bytes: 16, InFlight: 4, Blocks: 3, Threads: 64, Base: 1 << 20, To: 1 << 24, PerBlock: 3*4096 + 1024, Apart: 1 << 14, Passes: 2}
	assert.EqualValues(t, 3*2*4096, s.Moved())
	assert.EqualValues(t, 3*3*2*4096/32, counts(t, s.Probe()).ReadSectors, "whole turns only")
	s.Rest = true
	assert.EqualValues(t, 2*(3*4096+1024), s.Moved())
	assert.EqualValues(t, 3*2*(3*4096+1024)/32, counts(t, s.Probe()).ReadSectors)
	s.Mode = memprobe.Copy
	c := counts(t, s.Probe())
	assert.Equal(t, c.ReadSectors, c.WriteSectors)
	assert.EqualValues(t, 3*2*(3*4096+1024)/32, c.WriteSectors)
	s.Mode = memprobe.Write
	assert.Zero(t, counts(t, s.Probe()).ReadSectors)

	order := make([]uint32, 100)
	for i := range order {
		order[i] = uint32(99 - i)
	}
	chain := memprobe.Chain{Base: 1 << 20, Lines: 100, Step: 128, Level: isa.LevelL1, Turns: 2}
	assert.EqualValues(t, 100, counts(t, chain.Probe(order)).MainReadSectors, "the second turn finds them all")

	// 2 blocks of 2 warps, 8 times: a word of all, a sector of each lane.
	assert.EqualValues(t, 2*2*8, counts(t, memprobe.Atomics(4, true, false, memprobe.OneWord, 2, 64, 32, 8, 1<<20)).AtomicSectors)
	assert.EqualValues(t, 2*2*8*32, counts(t, memprobe.Atomics(4, false, true, memprobe.SectorALane, 2, 64, 32, 8, 1<<20)).AtomicSectors)

	assert.EqualValues(t, 2*16*8, counts(t, memprobe.Strided(isa.LevelL2, 2, 32, 16, 1<<20)).ReadSectors, "lanes two words apart touch eight sectors, both times")
}
