package intrinsics

import "example.com/warpsim/lane"

// A turn is the lanes of a warp running from one request to the next.
//
// Switching to a coroutine and back costs as much as all the rest of a
// collective, so the threads hand over to each other instead of to the
// scheduler: each, having asked, resumes the next lane, and the last one serves
// the requests if they are all alike. It then goes on at once, and the others
// after it in reverse order, each resumed by the one above it giving control
// back. The first lane is the last of that turn, and the next goes up again.
// What is not that simple goes back to the scheduler.
type turn struct {
	lead  *Thread // the first to ask
	asked int
	alike bool      // all that asked may become one instruction
	gone  lane.Mask // lanes that left the kernel

	step    int64     // counts instructions
	back    bool      // the lanes run in descending order
	halt    bool      // control goes back to the scheduler
	chained lane.Mask // the lanes that hand over to each other
	server  *Thread   // the thread on whose stack an instruction is issued
	broken  any       // what the engine panicked with there
}

// roomForOne is how many records the engine needs room for at most, so that an
// instruction does not suspend the warp.
const roomForOne = 128

// checkEvery is after how many instructions at most control goes back to the
// scheduler.
const checkEvery = 256

// begin starts a turn.
func (u *turn) begin(back bool) {
	u.lead, u.asked, u.alike, u.back = nil, 0, true, back
}

// resume lets the lanes of m run to their next requests.
func (s *scheduler) resume(m lane.Mask) {
	s.gone, s.halt = lane.Mask{}, false
	s.turn.begin(false)
	s.waiting = s.waiting.Or(m)
	if m != s.chained {
		s.chain(m)
	}
	s.threads[m.First()].next()
}

// chain links the lanes of m in ascending order.
func (s *scheduler) chain(m lane.Mask) {
	s.chained = m
	var last *Thread
	for l := range m.Lanes() {
		t := &s.threads[l]
		t.first = last == nil
		if last != nil {
			last.above = t
		}
		last = t
	}
	last.above = nil
}

// handOver hands control on from a thread that has left the kernel and returns
// when the kernel is to run again.
func (t *Thread) handOver() {
	s := t.s
	if !s.halt && !s.back && t.above != nil {
		t.above.next()
	} else {
		s.halt = s.halt || !s.back || t.first // not all lanes ask
	}
	t.giveBack()
}

// giveBack gives control back to whoever resumed the thread.
func (t *Thread) giveBack() {
	if !t.yield(struct{}{}) {
		t.unwind()
	}
}

// unwind leaves the kernel of a thread whose launch is over.
func (t *Thread) unwind() {
	t.ending = true
	panic(unwind{})
}

// serveAll serves the requests of all lanes if they are one instruction that
// does not suspend the warp, and reports whether it did.
func (t *Thread) serveAll() (served bool) {
	s := t.s
	if !s.alike || s.asked != s.live || s.busy || s.lead.class == barrier || s.step%checkEvery == 0 || !s.knows(s.lead) || s.w.Front().Room() < roomForOne || s.step-s.spin.since > idleSteps {
		return false
	}
	defer func() {
		s.server = nil
		if p := recover(); p != nil {
			s.broken, served = p, false
		}
	}()
	s.server = t
	back := !s.back
	s.meet(s.lead)
	s.serve(s.chained)
	s.waiting = s.chained
	s.turn.begin(back)
	return true
}
