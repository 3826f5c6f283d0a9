package grid

import (
	"context"
	"errors"
	"fmt"

	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/memory"
	"example.com/warpsim/warp/timing"
)

// A Chunk is some of the records of a warp, one after the other, with what
// timing.Multiprocessor.Feed says of them.
type Chunk struct {
	Recs  []isa.Instr
	Sites []uint32
	Lines []isa.Line
}

// A Source has the records of the blocks. Its methods are called for different
// blocks at the same time.
type Source interface {
	// Next returns the next records of a warp, none if there are none yet; last
	// says that there will be no more.
	Next(block, warp int) (c Chunk, last bool)
	// Ended says that a block has ended: its records are not needed any more.
	Ended(block int)
}

// A Shape is what a launch looks like.
type Shape struct {
	Blocks, Warps int // blocks, and warps of each
	// Places is how many blocks share a multiprocessor at most, Shared how much
	// shared memory each of them has.
	Places, Shared int
	// Memory is what the second level holds at the start; Low and High bound the
	// addresses for memory.Warm.
	Memory    memory.State
	Low, High uint64
}

// A Config chooses how a Grid works.
type Config struct {
	Timing timing.Config // without Memory, Observer and Events
	// Observer is told of every instruction, with the number of the block in the
	// grid; nil costs nothing. It allows one worker only.
	Observer timing.Observer
	// Events is likewise told of what else happens.
	Events func(*timing.Event)
}

// A Grid plays one launch after the other. It is not safe for concurrent use.
type Grid struct {
	config     Config
	profile    *device.Profile
	table      *timing.Table
	memory     *memory.System // nil: the device has no figures for it
	dispatcher *dispatcher
	mps        []*multiprocessor

	shape     Shape
	source    Source
	window    timing.Cycle
	now       timing.Cycle // where the present window begins
	next      int          // the next block to hand out
	ended     int
	end       timing.Cycle // of the block that ended last
	blocks    []Block      // that have ended
	midway    bool         // the present window has begun
	workers   *workers
	first     timing.Cycle // when the first block began
	lastBegin timing.Cycle // likewise the last of the first round
}

// multiprocessor is one of a grid.
type multiprocessor struct {
	*timing.Multiprocessor
	front  *memory.Front
	starts []start // blocks that have been handed to it, by time
	blocks []int   // number in the grid of the blocks that it runs, by its own
	ended  []ended // in this window
	done   bool    // with this window
	used   bool    // it has had a block
	err    error
	live   int
}

type start struct {
	at    timing.Cycle
	block int
}

type ended struct {
	block           int
	from, end, free timing.Cycle
}

// New returns a grid of a device, whose costs t has. A grid without blocks is
// complete.
func New(p *device.Profile, t *timing.Table, c Config) (*Grid, error) {
	if p == nil || t == nil {
		return nil, errors.New("grid: no profile, or no table compiled from it: give both")
	}
	n := min(max(1, p.Limits.Multiprocessors), maxMultiprocessors)
	g := &Grid{config: c, profile: p, table: t, dispatcher: newDispatcher(p.Timing.Dispatch, n)}
	g.window = 256
	if p.Timing.Global != nil {
		var err error
		if g.memory, err = memory.New(p, n); err != nil {
			return nil, err
		}
		g.window = g.memory.Window()
	}
	g.mps = make([]*multiprocessor, n)
	return g, g.make(0)
}

// make makes sure that a multiprocessor exists.
func (g *Grid) make(i int) error {
	if g.mps[i] != nil {
		return nil
	}
	x := &multiprocessor{}
	var port timing.MemoryPort
	if g.memory != nil {
		x.front = g.memory.Front(i)
		port = x.front
	}
	var observer timing.Observer
	if o := g.config.Observer; o != nil {
		observer = func(e *timing.Issue) {
			e.Multiprocessor, e.Block = i, x.blocks[e.Block]
			o(e)
		}
	}
	c := g.config.Timing
	c.Memory, c.Observer = port, observer
	if o := g.config.Events; o != nil {
		c.Events = func(e *timing.Event) {
			e.Multiprocessor, e.Block = i, x.blocks[e.Block]
			o(e)
		}
	}
	var err error
	if x.Multiprocessor, err = timing.New(g.table, c); err != nil {
		return err
	}
	g.mps[i] = x
	return nil
}

// Begin begins a launch.
func (g *Grid) Begin(s Shape, source Source) {
	if g.dispatcher == nil {
		return // no grid that New made
	}
	g.shape, g.source = s, source
	g.dispatcher.reset(s.Places)
	if g.memory != nil {
		g.memory.Reset(s.Memory, s.Low, s.High)
	}
	for i, x := range g.mps {
		if x == nil {
			continue
		}
		x.Reset()
		x.starts, x.blocks, x.ended, x.done, x.err, x.live, x.used = x.starts[:0], x.blocks[:0], x.ended[:0], false, nil, 0, false
		if x.front != nil {
			g.memory.Front(i).Shared(s.Shared * s.Places)
		}
	}
	g.now, g.next, g.ended, g.end, g.midway, g.first, g.lastBegin = 0, 0, 0, 0, false, timing.Never, 0
	g.blocks = g.blocks[:0]
}

// Advance goes on as far as it can, given the records of the first blocks of
// the grid: until all blocks have ended, which it reports, until a block begins
// that is not among them, or a warp has no more records.
func (g *Grid) Advance(ctx context.Context, blocks, workers int) (bool, error) {
	defer g.start(workers)()
	for n := 0; ; n++ {
		if g.ended == g.shape.Blocks {
			return true, nil
		}
		if n&63 == 0 {
			if err := ctx.Err(); err != nil {
				return false, err
			}
		}
		if !g.midway {
			if more, err := g.handOut(blocks); more || err != nil {
				return false, err
			}
			g.midway = true
			for _, x := range g.mps {
				if x != nil {
					x.done = false
				}
			}
		}
		if ok, err := g.play(); err != nil || !ok {
			return false, err
		}
		g.meet()
	}
}

// handOut gives blocks to free places. It reports whether it needs a block whose
// records are not there yet.
func (g *Grid) handOut(blocks int) (more bool, err error) {
	for g.next < g.shape.Blocks && g.dispatcher.waiting() {
		if g.next >= blocks {
			return true, nil
		}
		mp, at, _ := g.dispatcher.next()
		if err := g.make(mp); err != nil {
			return false, err
		}
		at = max(at, g.now)
		x := g.mps[mp]
		x.starts = append(x.starts, start{at, g.next})
		g.first = min(g.first, at)
		if g.dispatcher.refills == 0 {
			g.lastBegin = max(g.lastBegin, at)
		}
		x.used = true
		g.next++
	}
	return false, nil
}

// advance plays the multiprocessor up to the end of a window. It reports whether
// it got there.
func (g *Grid) advance(x *multiprocessor) (ok bool, err error) {
	end := g.now + g.window
	if x.front != nil {
		if err := x.front.Deliver(x.Multiprocessor); err != nil {
			return false, err
		}
		if ok, err = g.playTo(x, end); !ok || err != nil {
			return ok, err
		}
		x.front.Close(end)
		// Blocks whose last stores have left by now make room.
		if err := x.front.Deliver(x.Multiprocessor); err != nil {
			return false, err
		}
	}
	return g.playTo(x, end)
}

func (g *Grid) playTo(x *multiprocessor, end timing.Cycle) (bool, error) {
	for {
		limit := end
		if len(x.starts) > 0 {
			limit = min(limit, x.starts[0].at)
		}
		var s timing.Status
		var err error
		if x.live == 0 {
			x.Skip(limit)
			s.State = timing.Limit
		} else if len(x.starts) == 0 && g.next == g.shape.Blocks && x.Flying() == 0 {
			s, err = x.RunLocal(timing.Never, end)
		} else {
			s, err = x.Run(limit)
		}
		if err != nil {
			return false, err
		}
		switch s.State {
		case timing.Starved:
			if !g.feed(x, s.Block, s.Warp) {
				return false, nil
			}
		case timing.BlockEnded:
			from, to := x.Block(s.Block)
			x.ended = append(x.ended, ended{x.blocks[s.Block], from, to, x.Free(s.Block)})
			x.Release(s.Block)
			x.live--
		default: // Limit, Done
			if len(x.starts) == 0 || x.starts[0].at >= end {
				return true, nil
			}
			if err := g.startBlock(x); err != nil {
				return false, err
			}
		}
	}
}

// startBlock begins the block that has been handed out next.
func (g *Grid) startBlock(x *multiprocessor) error {
	s := x.starts[0]
	x.starts = x.starts[:copy(x.starts, x.starts[1:])]
	x.Skip(s.at)
	id, err := x.StartBlock(g.shape.Warps)
	if err != nil {
		return err
	}
	for len(x.blocks) <= id {
		x.blocks = append(x.blocks, 0)
	}
	x.blocks[id] = s.block
	x.live++
	for w := range g.shape.Warps {
		g.feed(x, id, w)
	}
	return nil
}

// feed gives a warp of a block the records that come next, if there are some, and
// reports whether it can go on.
func (g *Grid) feed(x *multiprocessor, id, warp int) bool {
	c, last := g.source.Next(x.blocks[id], warp)
	if len(c.Recs) > 0 {
		x.Feed(id, warp, c.Recs, c.Sites, c.Lines)
	}
	if last {
		x.End(id, warp)
	}
	return last || len(c.Recs) > 0
}

// meet ends a window: requests meet in the memory, and blocks that have ended
// make room.
func (g *Grid) meet() {
	g.midway = false
	if g.memory != nil {
		g.memory.Exchange(g.now)
	}
	some := false
	for i, x := range g.mps {
		if x == nil || len(x.ended) == 0 {
			continue
		}
		some = true
		for _, e := range x.ended {
			g.dispatcher.ended(i, e.free)
			g.ended++
			g.end = max(g.end, e.end)
			g.blocks = append(g.blocks, Block{e.block, i, e.from, e.end - e.from})
			g.source.Ended(e.block)
		}
		x.ended = x.ended[:0]
	}
	if some {
		g.dispatcher.sort()
	}
	g.now += g.window
	if at := g.nextEvent(); at > g.now && at < timing.Never && !(g.next < g.shape.Blocks && g.dispatcher.waiting()) {
		g.now = at - at%g.window
	}
}

// nextEvent returns the first cycle in which something happens.
func (g *Grid) nextEvent() timing.Cycle {
	at := timing.Never
	for _, x := range g.mps {
		if x == nil {
			continue
		}
		if len(x.starts) > 0 {
			at = min(at, x.starts[0].at)
		}
		if x.live > 0 {
			at = min(at, x.NextEvent())
		}
		if at <= g.now {
			return g.now
		}
	}
	if g.memory != nil {
		at = min(at, g.memory.Next(g.now))
	}
	return at
}

// Given returns how many blocks have been handed out.
func (g *Grid) Given() int { return g.next }

// String says where the grid stands.
func (g *Grid) String() string {
	return fmt.Sprintf("cycle %d, %d of %d blocks ended", g.now, g.ended, g.shape.Blocks)
}
