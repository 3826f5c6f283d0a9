// Command events puts multiprocessors into a small event-driven simulator in the manner
// of Akita: components with ports of limited room, an event queue, and back-pressure. A
// multiprocessor is a component that sleeps until something happens in it.
package main

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"example.com/warpsim/examples/embed/internal/command"
	"example.com/warpsim/examples/embed/internal/loads"
	"example.com/warpsim/warp/timing"
)

// An Engine calls what has been put off, in the order of time, and what falls on one
// cycle in the order in which it was put off.
type Engine struct {
	now   timing.Cycle
	queue []event
}

type event struct {
	at timing.Cycle
	do func()
}

// At puts something off.
func (e *Engine) At(at timing.Cycle, do func()) {
	at = max(at, e.now)
	i := len(e.queue)
	for i > 0 && e.queue[i-1].at > at {
		i--
	}
	e.queue = slices.Insert(e.queue, i, event{at, do})
}

// Run goes on until nothing is left to do.
func (e *Engine) Run() {
	for len(e.queue) > 0 {
		x := e.queue[0]
		e.queue = e.queue[1:]
		e.now = x.at
		x.do()
	}
}

// A Port takes messages as long as it has room.
type Port struct {
	room    int
	waiting []message
	senders []func(now timing.Cycle) // to be told once there is room again
}

type message struct {
	from *Core
	id   timing.AccessID
	at   timing.Cycle
}

// Send reports whether the port has taken the message; if not, full is called once it has
// room again.
func (p *Port) Send(m message, full func(now timing.Cycle)) bool {
	if len(p.waiting) == p.room {
		p.senders = append(p.senders, full)
		return false
	}
	p.waiting = append(p.waiting, m)
	return true
}

// A Memory serves one message of its port every few cycles, and answers some time later.
type Memory struct {
	*Engine
	Port
	every, latency  timing.Cycle
	busy            bool
	Served, Refused int
}

// Access takes a message from a core, and wakes the memory.
func (m *Memory) Access(c *Core, a *timing.Access) timing.Cycle {
	if !m.Send(message{c, a.ID, a.At}, c.resume) {
		m.Refused++
		a.Accepted = timing.Never // until resume
		return timing.Refused
	}
	if !m.busy {
		m.busy = true
		m.At(a.At, m.serve)
	}
	return timing.Later
}

func (m *Memory) serve() {
	x := m.waiting[0]
	m.waiting = m.waiting[1:]
	m.Served++
	m.At(max(m.now, x.at)+m.latency, func() { x.from.answer(x.id) })
	for _, wake := range m.senders {
		wake(m.now + 1)
	}
	m.senders = m.senders[:0]
	if m.busy = len(m.waiting) > 0; m.busy {
		m.At(m.now+m.every, m.serve)
	}
}

// A Core is a multiprocessor as a component.
type Core struct {
	engine *Engine
	gpu    *timing.Multiprocessor
	memory *Memory
	Done   timing.Cycle
	Err    error
	next   timing.Cycle // for when it has asked to be called
}

// NewCore returns a core in front of a memory.
func NewCore(e *Engine, t *timing.Table, m *Memory) (c *Core, err error) {
	c = &Core{engine: e, memory: m, next: timing.Never}
	c.gpu, err = timing.New(t, timing.Config{Memory: c})
	return c, err
}

// Access implements timing.MemoryPort.
func (c *Core) Access(a *timing.Access) timing.Cycle { return c.memory.Access(c, a) }

func (c *Core) answer(id timing.AccessID) {
	c.Err = errors.Join(c.Err, c.gpu.Complete(id.Block, id.Warp, id.Index, c.engine.now))
	c.wake()
}

func (c *Core) resume(now timing.Cycle) {
	c.gpu.Resume(now)
	c.wake()
}

// wake sees to it that the core is called when something happens in it.
func (c *Core) wake() {
	if at := c.gpu.NextEvent(); at < c.next {
		c.next = at
		c.engine.At(at, func() {
			if c.next == at { // else an earlier call has come in between
				c.next = timing.Never
				c.cycle()
			}
		})
	}
}

// cycle simulates the present cycle.
func (c *Core) cycle() {
	for c.Err == nil {
		st, err := c.gpu.Run(c.engine.now + 1)
		c.Err = err
		if st.State == timing.BlockEnded {
			c.Done = st.Now
			continue
		}
		break
	}
	c.wake()
}

// simulate runs a block of loads and additions on each of some cores.
func simulate(cores, room int) (cs []*Core, m *Memory, err error) {
	table, err := loads.Table()
	if err != nil {
		return nil, nil, err
	}
	e := &Engine{}
	m = &Memory{Engine: e, Port: Port{room: room}, every: 4, latency: 300}
	for i := range cores {
		c, err := NewCore(e, table, m)
		if err != nil {
			return nil, nil, err
		}
		if err := loads.Start(c.gpu, 8, 20, 1000*i); err != nil {
			return nil, nil, err
		}
		c.wake()
		cs = append(cs, c)
	}
	e.Run()
	return cs, m, nil
}

func main() {
	command.Main("events", `Multiprocessors as components of a small event-driven simulator, with ports, an event
queue and back-pressure.`, show)
}

func show(out io.Writer) error {
	cores, m, err := simulate(2, 4)
	if err != nil {
		return err
	}
	for i, c := range cores {
		fmt.Fprintln(out, "core", i, "done at cycle", c.Done, "error", c.Err)
	}
	fmt.Fprintln(out, m.Served, "accesses served,", m.Refused, "refused for now")
	return nil
}
