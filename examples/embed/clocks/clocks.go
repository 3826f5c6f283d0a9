// Command clocks puts multiprocessors into a small simulator in the manner of SST:
// components register handlers that a clock calls cycle by cycle, until they say that they
// are done, and send each other events over links with a latency. What answers the
// multiprocessors here is one memory behind such links.
package main

import (
	"fmt"
	"io"

	"example.com/warpsim/examples/embed/internal/command"
	"example.com/warpsim/examples/embed/internal/loads"
	"example.com/warpsim/warp/timing"
)

// A Handler is called for a cycle of its clock, and reports whether it is done.
type Handler func(now timing.Cycle) (done bool, err error)

// A Clock calls handlers in turn, one cycle after the other.
type Clock struct{ handlers []Handler }

// Run returns the cycle at which all handlers were done.
func (c *Clock) Run() (timing.Cycle, error) {
	for now := timing.Cycle(0); ; now++ {
		all := true
		for _, h := range c.handlers {
			done, err := h(now)
			if err != nil {
				return now, err
			}
			all = all && done
		}
		if all {
			return now, nil
		}
	}
}

// A Link takes events to its other end, some cycles later and in order.
type Link struct {
	latency timing.Cycle
	events  []Event
}

// An Event is an access, or the answer to one.
type Event struct {
	at timing.Cycle // when it arrives
	id timing.AccessID
}

// Send sends an event at a cycle.
func (l *Link) Send(now timing.Cycle, id timing.AccessID) {
	l.events = append(l.events, Event{now + l.latency, id})
}

// Take returns the next event that has arrived.
func (l *Link) Take(now timing.Cycle) (e Event, ok bool) {
	if len(l.events) == 0 || l.events[0].at > now {
		return e, false
	}
	e, l.events = l.events[0], l.events[1:]
	return e, true
}

// A Core is a multiprocessor with a link to the memory and one back.
type Core struct {
	gpu      *timing.Multiprocessor
	out, in  Link
	ended    timing.Cycle
	accesses int
}

// Access implements timing.MemoryPort.
func (c *Core) Access(a *timing.Access) timing.Cycle {
	c.accesses++
	c.out.Send(a.At, a.ID)
	return timing.Later
}

// Tick is the handler of a core: it takes in what has come back, and simulates the cycle.
func (c *Core) Tick(now timing.Cycle) (bool, error) {
	for e, ok := c.in.Take(now); ok; e, ok = c.in.Take(now) {
		if err := c.gpu.Complete(e.id.Block, e.id.Warp, e.id.Index, now); err != nil {
			return false, err
		}
	}
	for {
		st, err := c.gpu.Tick()
		if err != nil {
			return false, err
		}
		if st.State != timing.BlockEnded {
			return st.State == timing.Done, nil
		}
		c.ended = st.Now
	}
}

// A Memory serves one access a cycle, of the cores in turn.
type Memory struct {
	cores []*Core
	next  int
	most  int // accesses that waited at a time
}

// Tick is the handler of the memory. It has nothing to do of its own.
func (m *Memory) Tick(now timing.Cycle) (bool, error) {
	waiting := 0
	for _, c := range m.cores {
		waiting += len(c.out.events)
	}
	m.most = max(m.most, waiting)
	for range m.cores {
		c := m.cores[m.next]
		m.next = (m.next + 1) % len(m.cores)
		if e, ok := c.out.Take(now); ok {
			c.in.Send(now, e.id)
			break
		}
	}
	return true, nil
}

// simulate runs a block on each of some cores.
func simulate(cores int) (m *Memory, end timing.Cycle, err error) {
	table, err := loads.Table()
	if err != nil {
		return nil, 0, err
	}
	m = &Memory{}
	clock := &Clock{}
	for i := range cores {
		c := &Core{out: Link{latency: 100}, in: Link{latency: 150}}
		if c.gpu, err = timing.New(table, timing.Config{Memory: c}); err != nil {
			return nil, 0, err
		}
		if err := loads.Start(c.gpu, 8, 20, 1000*i); err != nil {
			return nil, 0, err
		}
		m.cores = append(m.cores, c)
		clock.handlers = append(clock.handlers, c.Tick)
	}
	clock.handlers = append(clock.handlers, m.Tick)
	end, err = clock.Run()
	return m, end, err
}

func main() {
	command.Main("clocks", `Multiprocessors as components of a small simulator that calls handlers cycle by cycle,
with one memory behind links of a latency.`, show)
}

func show(out io.Writer) error {
	m, end, err := simulate(3)
	if err != nil {
		return err
	}
	for i, c := range m.cores {
		fmt.Fprintln(out, "core", i, "done at cycle", c.ended, "after", c.accesses, "accesses")
	}
	fmt.Fprintln(out, "all done at cycle", end)
	return nil
}
