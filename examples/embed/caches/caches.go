// Command caches puts caches and memory of a host's own behind several multiprocessors: a
// first level for each, a second level for all, and banks of DRAM with open rows. It
// answers each access at once, which the order of time allows: all multiprocessors go from
// one event to the next together.
package main

import (
	"fmt"
	"io"

	"example.com/warpsim/examples/embed/internal/command"
	"example.com/warpsim/examples/embed/internal/loads"
	"example.com/warpsim/warp/timing"
)

// A Cache holds the lines that were used last, set by set.
type Cache struct {
	sets         [][]uint64 // lines, that used last first
	ways         int
	Hits, Misses int
}

// NewCache returns an empty cache.
func NewCache(sets, ways int) *Cache { return &Cache{sets: make([][]uint64, sets), ways: ways} }

// Look reports whether a line is there, and brings it in.
func (c *Cache) Look(line uint64) bool {
	set := &c.sets[line%uint64(len(c.sets))]
	for i, l := range *set {
		if l == line {
			copy((*set)[1:i+1], (*set)[:i])
			(*set)[0] = line
			c.Hits++
			return true
		}
	}
	c.Misses++
	if len(*set) < c.ways {
		*set = append(*set, 0)
	}
	copy((*set)[1:], *set)
	(*set)[0] = line
	return false
}

// A DRAM has banks, each with a row open.
type DRAM struct {
	free    [8]timing.Cycle
	row     [8]uint64
	RowHits int
}

// The latencies, in cycles.
const (
	first, second  = 33, 200
	rowOpen, other = 150, 300
	burst          = 8
	linesPerRow    = 16
)

// Read returns when a line is there that was asked for at a cycle.
func (d *DRAM) Read(line uint64, at timing.Cycle) timing.Cycle {
	row := line / linesPerRow
	bank := row % uint64(len(d.free))
	cost := timing.Cycle(other)
	if d.row[bank] == row+1 {
		cost = rowOpen
		d.RowHits++
	}
	d.row[bank] = row + 1
	start := max(at, d.free[bank])
	d.free[bank] = start + burst
	return start + cost
}

// A Device is multiprocessors, the caches and the DRAM.
type Device struct {
	cores []*Core
	l2    *Cache
	dram  DRAM
	now   timing.Cycle
}

// A Core is a multiprocessor and its first level.
type Core struct {
	*Device
	gpu  *timing.Multiprocessor
	l1   *Cache
	took timing.Cycle
}

// Access implements timing.MemoryPort.
func (c *Core) Access(a *timing.Access) timing.Cycle {
	ready := a.At
	for i, l := range a.Lines {
		at := a.At + timing.Cycle(i)
		switch {
		case c.l1.Look(l.Number()):
			at += first
		case c.l2.Look(l.Number()):
			at += second
		default:
			at = c.dram.Read(l.Number(), at+second)
		}
		ready = max(ready, at)
	}
	return ready
}

// New returns a device of some multiprocessors.
func New(cores int) (*Device, error) {
	table, err := loads.Table()
	if err != nil {
		return nil, err
	}
	d := &Device{l2: NewCache(256, 8)}
	for range cores {
		c := &Core{Device: d, l1: NewCache(16, 4)}
		if c.gpu, err = timing.New(table, timing.Config{Memory: c}); err != nil {
			return nil, err
		}
		d.cores = append(d.cores, c)
	}
	return d, nil
}

// Run goes on to the end of all blocks: from event to event, each cycle on all
// multiprocessors before the next, so that accesses come in the order of time.
func (d *Device) Run() error {
	for busy := true; busy; {
		next := timing.Never
		for _, c := range d.cores {
			next = min(next, c.gpu.NextEvent())
		}
		busy = false
		for _, c := range d.cores {
			for {
				st, err := c.gpu.Run(min(next, timing.Never-1) + 1)
				if err != nil {
					return err
				}
				if st.State == timing.BlockEnded {
					c.took = st.Now
					continue
				}
				busy = busy || st.State != timing.Done
				break
			}
		}
		d.now = next + 1
	}
	return nil
}

func main() {
	command.Main("caches", `Multiprocessors with caches and memory of the host's own behind them.`, show)
}

func show(out io.Writer) error {
	d, err := New(4)
	for i := 0; err == nil && i < len(d.cores); i++ {
		err = loads.Start(d.cores[i].gpu, 8, 20, 80*i) // each has half of its lines in common with the next
	}
	if err == nil {
		err = d.Run()
	}
	if err != nil {
		return err
	}
	for i, c := range d.cores {
		fmt.Fprintln(out, "multiprocessor", i, "took", c.took, "cycles; first level:", c.l1.Hits, "hits,", c.l1.Misses, "misses")
	}
	fmt.Fprintln(out, "second level:", d.l2.Hits, "hits,", d.l2.Misses, "misses;", d.dram.RowHits, "in open rows")
	return nil
}
