package warp

import (
	"context"
	"fmt"

	"example.com/warpsim/warp/grid"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"
)

// A clock finds the time of a run: it keeps the records of blocks until the
// multiprocessors of the grid come to them.
type clock struct {
	grid *grid.Grid
	run  *run

	blocks map[int]*blockRecords // by number: those that are not through
	spare  []*blockRecords
	ready  int // blocks whose records are there, from the first on
	given  int // blocks at which the timing model stood last
	begun  bool

	observing string // the function of the Observer that has been called and has not returned
	shape     grid.Shape
	failure   error // of a run whose Observer.Issued never did
}

// lookahead is how many blocks are computed before time goes on to them.
const lookahead = 1024

// begin gives the run a clock, unless it is ValuesOnly.
func (r *run) begin() error {
	e := r.engine
	if e.config.ValuesOnly {
		return nil
	}
	c := e.clocks.take()
	if c.grid == nil {
		if e.table == nil {
			return &timing.Error{Field: "timing", Op: isa.Invalid, Reason: e.profile.Name + " has no costs; set Config.ValuesOnly for values without cycles"}
		}
		conf := grid.Config{Timing: timing.Config{Scheduler: e.config.Scheduler, Sites: e.config.Sites}}
		if o := e.config.Observer; o != nil && o.Issued != nil {
			conf.Observer = func(i *timing.Issue) {
				c.observing = "Issued"
				o.Issued(i)
				c.observing = ""
			}
		}
		if o := e.config.Observer; o != nil && o.Event != nil {
			conf.Events = func(ev *timing.Event) {
				c.observing = "Event"
				o.Event(ev)
				c.observing = ""
			}
		}
		g, err := grid.New(e.profile, e.table, conf)
		if err != nil {
			return err
		}
		c.grid, c.blocks = g, map[int]*blockRecords{}
	}
	c.run, c.ready, c.begun = r, 0, false
	r.clock = c
	return nil
}

// end gives the clock back.
func (r *run) end() {
	c := r.clock
	if c == nil {
		return
	}
	for i, b := range c.blocks {
		c.spare = append(c.spare, b)
		delete(c.blocks, i)
	}
	c.run = nil
	if c.failure == nil { // the grid was left in the midst of an instruction
		r.engine.clocks.giveBack(c)
	}
}

// room returns empty records for a group's blocks.
func (c *clock) room(old []*blockRecords, blocks, warps int) []*blockRecords {
	r := c.run
	r.mu.Lock()
	defer r.mu.Unlock()
	old = old[:0]
	for range blocks {
		b := (*blockRecords)(nil)
		if n := len(c.spare); n > 0 {
			b, c.spare = c.spare[n-1], c.spare[:n-1]
		} else {
			b = new(blockRecords)
		}
		b.begin(warps)
		old = append(old, b)
	}
	return old
}

// supply hands over the records of a group.
func (c *clock) supply(g *group) {
	r := c.run
	r.mu.Lock()
	defer r.mu.Unlock()
	c.supplyLocked(g)
}

func (c *clock) supplyLocked(g *group) {
	for i, b := range g.records {
		c.blocks[g.index*c.run.perGroup+i] = b
	}
}

// catchUp lets the timing model come near to where the values are, once they are
// far enough ahead: the last worker that comes here does it for all. r.mu is held.
func (r *run) catchUp(ctx context.Context) {
	c := r.clock
	if c == nil {
		return
	}
	r.waiting++
	for !r.failed && r.next < r.groups && r.next*r.perGroup >= c.given+c.initial()+2*lookahead {
		if r.waiting < r.workers {
			r.turn.Wait()
			continue
		}
		if err := c.advance(ctx, r.next*r.perGroup); err != nil {
			r.failed, r.err, r.errGroup = true, err, 0
		}
		c.given = c.grid.Given()
		r.turn.Broadcast()
	}
	r.waiting--
}

// initial is how many blocks begin at once, at most.
func (c *clock) initial() int {
	return c.run.perGroup * c.run.engine.profile.Limits.Multiprocessors
}

// ahead lets time go on in the midst of the only group of a run, so that the
// records of long kernels do not pile up.
func (r *run) ahead(g *group) error {
	if r.groups > 1 {
		return nil
	}
	r.clock.supplyLocked(g)
	return r.clock.advance(g.ctx, r.blocks)
}

// rest is what is left when all values are there.
func (c *clock) rest(ctx context.Context) error { return c.advance(ctx, c.run.blocks) }

// advance lets time go on as far as the records of the first blocks allow.
func (c *clock) advance(ctx context.Context, ready int) (err error) {
	defer c.blame(&err)
	if !c.begun {
		c.begun = true
		c.start()
	}
	_, err = c.grid.Advance(ctx, min(ready, c.run.blocks), c.processors())
	return err
}

// blame notes that the observer has not returned, in the function that advance
// defers. If it has ended the goroutine, only failure says so.
func (c *clock) blame(err *error) {
	if c.observing == "" {
		return
	}
	p := recover()
	if p == nil {
		p = "runtime.Goexit was called"
	}
	c.failure = &ConfigError{"Config.Observer." + c.observing, "a function that does not return", fmt.Sprint(p)}
	*err = c.failure
}

func (c *clock) processors() int {
	return c.run.processors()
}

// start begins the grid. What the first blocks have declared is known by now.
func (c *clock) start() {
	r := c.run
	e := r.engine
	s := grid.Shape{Blocks: r.blocks, Warps: r.warps, Places: r.resident, Shared: r.launch.Shared, Low: 1 << 20, Memory: e.config.Memory}
	e.mu.Lock()
	s.High = e.nextAddr
	e.mu.Unlock()
	c.shape = s
	c.grid.Begin(s, c)
	c.given = 0
}

// Next implements grid.Source.
func (c *clock) Next(block, warp int) (grid.Chunk, bool) {
	r := &c.blocks[block].warps[warp]
	x := r.next()
	last := r.done && r.first == r.kept
	if o := c.run.engine.config.Observer; o != nil && o.Records != nil && (last || len(x.Recs) > 0) {
		c.observing = "Records"
		o.Records(&RecordsEvent{c.shape, block, warp, x, last})
		c.observing = ""
	}
	return x, last
}

// Ended implements grid.Source.
func (c *clock) Ended(block int) {
	c.spare = append(c.spare, c.blocks[block])
	delete(c.blocks, block)
}
