package warp

import "iter"

// event is why a warp gave control back.
type event uint8

const (
	eventDone event = iota
	eventBarrier
	eventFull
	eventTurn  // waits for the group's turn, see turn.go
	eventPause // an explorer has stopped it
)

// A coroutine runs the kernel of one warp after another. One whose warp is done
// goes on with the next that has not begun, so that a group needs only one more of
// them than it has warps that wait: changing between many is slow, and hinders other
// processors.
type coroutine struct {
	warp  *Warp                  // that it runs
	yield func(event) bool       // hands control back, nil when the run is over
	next  func() (event, bool)   // hands control to the kernel
	stop  func()                 // unwinds it
	body  func(func(event) bool) // loop as a value
}

// coroutine returns one that is free.
func (g *group) coroutine() *coroutine {
	if n := len(g.idle); n > 0 {
		c := g.idle[n-1]
		g.idle = g.idle[:n-1]
		return c
	}
	if g.started == len(g.coroutines) {
		c := new(coroutine)
		c.body = c.loop
		g.coroutines = append(g.coroutines, c)
	}
	c := g.coroutines[g.started]
	g.started++
	c.next, c.stop = iter.Pull(c.body)
	return c
}

// loop is the body of a coroutine: one kernel after another.
func (c *coroutine) loop(yield func(event) bool) {
	c.yield = yield
	for {
		w := c.warp
		g := w.group
		w.call()
		if c.yield == nil {
			return
		}
		w.co = nil
		w.done()
		if g.explorer == nil && g.err == nil {
			if next := g.nextWarp(); next != nil {
				c.warp, next.co = next, c
				continue
			}
		}
		g.idle = append(g.idle, c)
		if !yield(eventDone) {
			return
		}
	}
}

// stopAll ends the coroutines of the group.
func (g *group) stopAll() {
	defer func() {
		if g.started > 0 { // what a kernel defers has ended this goroutine
			g.stopAll()
		}
	}()
	g.idle = g.idle[:0]
	for g.started > 0 {
		g.started--
		c := g.coroutines[g.started]
		w, stop := c.warp, c.stop
		c.next, c.stop = nil, nil
		stop()
		w.co, c.warp, c.yield = nil, nil, nil
	}
}

// resume lets the warp, which is ready, run until it gives control back; its
// coroutine may have gone on to another one by then.
func (w *Warp) resume() event {
	g := w.group
	if w.co == nil {
		if g.explorer == nil && g.nextWarp() != w {
			panic("warps do not begin in order")
		}
		w.co = g.coroutine()
		w.co.warp = w
	}
	ev, _ := w.co.next()
	return ev
}

// suspend hands control to the other warps of the group, if there are any.
func (w *Warp) suspend(ev event) {
	c := w.co
	if c == nil {
		return
	}
	if w.outside() {
		panic(w.outsideFault())
	}
	w.checkLock(false)
	w.rest()
	if !c.yield(ev) {
		w.co, c.yield = nil, nil // the run is over: unwind the kernel
		panic(abort{})
	}
	w.wake()
}
