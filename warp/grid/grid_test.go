package grid_test

import (
	"context"
	"runtime"
	"slices"
	"testing"

	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/grid"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/memory"
	"example.com/warpsim/warp/timing"
	"github.com/stretchr/testify/require"
)

// small returns an H200 of so many multiprocessors, whose dispatch is easy to count.
func small(t *testing.T, multiprocessors int) *device.Profile {
	t.Helper()
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	p.Limits.Multiprocessors = multiprocessors
	p.Timing.Dispatch = &device.DispatchTiming{StartCycles: 10, RefillLatency: 1000, RefillCycles: 7}
	return p
}

// A source gives every warp of a block the same records.
type source struct {
	chunk func(block int) grid.Chunk
	ended []int
}

func (s *source) Next(block, warp int) (grid.Chunk, bool) { return s.chunk(block), true }
func (s *source) Ended(block int)                         { s.ended = append(s.ended, block) }

// chain is n additions, each of which waits 4 cycles for the one before.
func chain(n int) grid.Chunk {
	recs := make([]isa.Instr, n)
	for i := range recs {
		recs[i] = isa.Instr{Op: isa.FAdd, Active: 32, Dst: isa.Row(1), A: isa.Row(1)}
	}
	return grid.Chunk{Recs: recs}
}

func newGrid(t *testing.T, p *device.Profile) *grid.Grid {
	t.Helper()
	table, err := timing.Compile(&p.Timing, p.Lanes)
	require.NoError(t, err)
	g, err := grid.New(p, table, grid.Config{})
	require.NoError(t, err)
	return g
}

func play(t *testing.T, g *grid.Grid, s grid.Shape, src grid.Source, workers int) []grid.Block {
	t.Helper()
	g.Begin(s, src)
	done, err := g.Advance(context.Background(), s.Blocks, workers)
	require.NoError(t, err)
	require.True(t, done)
	blocks := slices.Clone(g.Blocks())
	slices.SortFunc(blocks, func(a, b grid.Block) int { return a.Block - b.Block })
	return blocks
}

// TestFirstRound: one block for each multiprocessor in turn, then the second, which
// begins ten cycles later.
func TestFirstRound(t *testing.T) {
	g := newGrid(t, small(t, 3))
	c := chain(100)
	blocks := play(t, g, grid.Shape{Blocks: 5, Warps: 1, Places: 2}, &source{chunk: func(int) grid.Chunk { return c }}, 1)
	for i, b := range blocks {
		require.Equal(t, i%3, b.Multiprocessor)
		require.Equal(t, timing.Cycle(i/3*10), b.Begin)
	}
	require.Equal(t, blocks[0].Cycles, blocks[1].Cycles)
	// A hundred additions at four cycles, the last of them until it is there.
	require.Equal(t, timing.Cycle(400), blocks[0].Cycles)
	require.Equal(t, timing.Cycle(410), g.Cycles())
	require.EqualValues(t, 500, g.Totals().Instructions)
}

// TestRefill: a block begins in the place of one that has ended, a thousand cycles
// after that, and seven cycles after the one that was refilled before.
func TestRefill(t *testing.T) {
	g := newGrid(t, small(t, 2))
	short, long := chain(100), chain(1000)
	src := &source{chunk: func(block int) grid.Chunk {
		if block == 0 {
			return long
		}
		return short
	}}
	blocks := play(t, g, grid.Shape{Blocks: 4, Warps: 1, Places: 1}, src, 1)
	// Blocks 0 and 1 begin at once. Block 2 follows block 1; block 3 follows it, while
	// block 0 still runs.
	require.Equal(t, []int{0, 1, 1, 1}, []int{blocks[0].Multiprocessor, blocks[1].Multiprocessor, blocks[2].Multiprocessor, blocks[3].Multiprocessor})
	require.Equal(t, timing.Cycle(400+1007), blocks[2].Begin)
	require.Equal(t, timing.Cycle(400+1007+400+1007), blocks[3].Begin)
	require.ElementsMatch(t, []int{0, 1, 2, 3}, src.ended)
}

// TestTwoPlacesAtOnce: of two places that come free in one cycle the second is filled
// seven cycles after the first.
func TestTwoPlacesAtOnce(t *testing.T) {
	g := newGrid(t, small(t, 2))
	c := chain(100)
	blocks := play(t, g, grid.Shape{Blocks: 4, Warps: 1, Places: 1}, &source{chunk: func(int) grid.Chunk { return c }}, 1)
	require.Equal(t, timing.Cycle(1407), blocks[2].Begin)
	require.Equal(t, timing.Cycle(1414), blocks[3].Begin)
}

// traffic is a block that loads, adds up and stores lines of its own.
func traffic(block int) grid.Chunk {
	var c grid.Chunk
	for i := range 6 {
		c.Recs = append(c.Recs, isa.Instr{Op: isa.LoadGlobal, Active: 32, Dst: isa.Row(1 + i), Aux: isa.MemAux(4, isa.LevelL1), Count: 4})
		c.Lines = append(c.Lines, isa.MakeLine(uint64(8192+block*7+i*(1+block%5)), 15, 0, 0, 0).End())
	}
	for i := range 6 {
		c.Recs = append(c.Recs, isa.Instr{Op: isa.FAdd, Active: 32, Dst: isa.Row(10), A: isa.Row(10), B: isa.Row(1 + i)})
	}
	c.Recs = append(c.Recs,
		isa.Instr{Op: isa.StoreGlobal, Active: 32, B: isa.Row(10), Aux: isa.MemAux(4, isa.LevelL1), Count: 4},
		isa.Instr{Op: isa.ReduceGlobal, Active: 1, B: isa.Row(10), Aux: isa.MemAux(4, isa.LevelL2) | isa.AuxFloat, Count: 1})
	c.Lines = append(c.Lines, isa.MakeLine(uint64(90000+block), 15, 0, 0, 0).End(), isa.MakeLine(77, 1, 1, 1, block%3).End())
	return c
}

// TestWorkersChangeNothing: 1, 2, 4 and 7 workers give the same blocks, totals and
// counts, and so does a grid that has played another launch before.
func TestWorkersChangeNothing(t *testing.T) {
	p, err := device.Lookup("h200")
	require.NoError(t, err)
	const blocks = 3000
	chunks := make([]grid.Chunk, blocks)
	for i := range chunks {
		chunks[i] = traffic(i)
	}
	shape := grid.Shape{Blocks: blocks, Warps: 4, Places: 4, Memory: memory.Cold}
	g := newGrid(t, p)
	var want []grid.Block
	var totals timing.Totals
	var counts memory.Counts
	for i, workers := range []int{1, 2, 4, 7, 1} {
		src := &source{chunk: func(b int) grid.Chunk { return chunks[b] }}
		got := play(t, g, shape, src, workers)
		if i == 0 {
			want, totals, counts = got, g.Totals(), g.Memory()
			require.Greater(t, counts.ChainTicks, int64(0))
			continue
		}
		require.Equal(t, want, got, "%d workers", workers)
		require.Equal(t, totals, g.Totals())
		require.Equal(t, counts, g.Memory())
		if workers == 4 {
			g = newGrid(t, p)
			play(t, g, grid.Shape{Blocks: 50, Warps: 2, Places: 8}, src, 2)
		}
	}
}

// TestRecordsMayComeLate: the figures do not depend on how many blocks are known when
// time goes on.
func TestRecordsMayComeLate(t *testing.T) {
	p := small(t, 4)
	shape := grid.Shape{Blocks: 100, Warps: 2, Places: 2, Memory: memory.Cold}
	g := newGrid(t, p)
	want := play(t, g, shape, &source{chunk: traffic}, 1)
	g.Begin(shape, &source{chunk: traffic})
	for n := 1; ; n += 3 {
		done, err := g.Advance(context.Background(), min(n, shape.Blocks), 2)
		require.NoError(t, err)
		if done {
			break
		}
	}
	got := slices.Clone(g.Blocks())
	slices.SortFunc(got, func(a, b grid.Block) int { return a.Block - b.Block })
	require.Equal(t, want, got)
}

// TestMemoryIsBounded: a grid of ten times the blocks takes the host's memory once for
// the device and then only what Blocks returns.
func TestMemoryIsBounded(t *testing.T) {
	p := small(t, 8)
	g := newGrid(t, p)
	chunks := make([]grid.Chunk, 16)
	for i := range chunks {
		chunks[i] = traffic(i)
	}
	run := func(blocks int) uint64 {
		src := &quiet{chunks}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		g.Begin(grid.Shape{Blocks: blocks, Warps: 2, Places: 4, Memory: memory.Cold}, src)
		done, err := g.Advance(context.Background(), blocks, 1)
		runtime.ReadMemStats(&after)
		require.NoError(t, err)
		require.True(t, done)
		return after.TotalAlloc - before.TotalAlloc
	}
	run(4000)
	run(4000)
	require.Less(t, run(4000), uint64(4096), "a run like the one before takes nothing")
	require.Less(t, run(20000), uint64(20000*150), "what Blocks returns, as it grows")
	require.Less(t, run(20000), uint64(4096))
}

type quiet struct{ chunks []grid.Chunk }

func (q *quiet) Next(block, _ int) (grid.Chunk, bool) { return q.chunks[block%len(q.chunks)], true }
func (q *quiet) Ended(int)                            {}

func TestUses(t *testing.T) {
	g := newGrid(t, small(t, 1))
	c := chain(1000)
	play(t, g, grid.Shape{Blocks: 1, Warps: 1, Places: 1}, &source{chunk: func(int) grid.Chunk { return c }}, 1)
	// One instruction every four cycles in one of four sub-partitions.
	uses := map[string]float64{}
	for _, u := range g.Uses(0) {
		uses[u.What] = u.Share
	}
	require.InDelta(t, 1.0/16, uses["issue"], 1e-9)
	require.InDelta(t, 1.0/16, uses["pipe fma"], 1e-9)
	require.Zero(t, uses["DRAM bandwidth"])
	share, block := g.Straggling()
	require.Zero(t, share)
	require.Zero(t, block)
}

func TestBadGrids(t *testing.T) {
	_, err := grid.New(nil, nil, grid.Config{})
	require.ErrorContains(t, err, "no profile")
	var none grid.Grid
	none.Begin(grid.Shape{}, nil)
	done, err := newGrid(t, small(t, 1)).Advance(context.Background(), 0, 1)
	require.NoError(t, err)
	require.True(t, done, "a grid without blocks is complete")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	g := newGrid(t, small(t, 1))
	c := chain(10)
	g.Begin(grid.Shape{Blocks: 1, Warps: 1, Places: 1}, &source{chunk: func(int) grid.Chunk { return c }})
	_, err = g.Advance(ctx, 1, 1)
	require.ErrorIs(t, err, context.Canceled)
}
