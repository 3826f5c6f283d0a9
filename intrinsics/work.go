package intrinsics

import (
	"unsafe"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
)

// A workList is what a thread has computed since its last request.
type workList struct {
	n   int
	ops [16]struct {
		op isa.Op
		n  int
	}
}

// Work books n instructions of an op that computes in registers. Plain Go costs
// nothing; this declares what it stands for. The instructions are issued before
// the thread's next request, together with those of the lanes that it meets
// there: as many as the lane that booked most. A negative n counts as 0; an op
// that does more than compute (isa.Op.Computes) is a fault of kind
// warp.BadInstruction.
func (t *Thread) Work(op isa.Op, n int) {
	if !t.awake {
		t.stray()
	}
	if !op.Computes() {
		panic(&warp.Fault{Kind: warp.BadInstruction, Severity: warp.SeverityError, Count: 1, Lanes: lane.Bit(t.lane),
			Detail: op.String() + " is no computation in registers",
			Advice: "book arithmetic; memory, collectives and control have functions of their own"})
	}
	if n <= 0 {
		return
	}
	w := &t.work
	for i := range w.n {
		if w.ops[i].op == op {
			w.ops[i].n += n
			return
		}
	}
	if w.n == len(w.ops) {
		t.ask(flush{}, keyWork, free, lane.Mask{}, 0, 0)
	}
	w.ops[w.n].op, w.ops[w.n].n = op, n
	w.n++
	t.s.busy = true
}

type flush struct{}

func (flush) issue(*scheduler, *Thread) {} // the work has gone before

// flushWork issues what the lanes of m have booked. It leaves other lanes
// active.
func (s *scheduler) flushWork(m lane.Mask) {
	var most [isa.NumOps]int
	var who [isa.NumOps]lane.Mask
	for l := range m.Lanes() {
		w := &s.threads[l].work
		for _, b := range w.ops[:w.n] {
			most[b.op] = max(most[b.op], b.n)
			who[b.op] = who[b.op].With(l)
		}
		w.n = 0
	}
	for op, n := range most {
		if n > 0 {
			s.w.Front().Activate(who[op])
			if lanes := who[op]; s.current == nil || !lanes.Has(s.current.lane) {
				s.current = &s.threads[lanes.First()]
			}
			if o := isa.Op(op); o >= isa.DAdd && o <= isa.DCmp {
				work(s, o, n, s.r8, s.work8)
				s.worked8 = true
			} else {
				work(s, o, n, s.r4, s.work4)
				s.worked4 = true
			}
		}
	}
	s.busy = false
	for l := range s.waiting.AndNot(m).Lanes() {
		s.busy = s.busy || s.threads[l].work.n > 0
	}
}

// work issues n instructions of an op that depend on what the last instruction
// has left in r. They write to another register, which the next instruction then
// reads.
func work[T any](s *scheduler, op isa.Op, n int, r, to warp.Reg[T]) {
	if s.worked(unsafe.Sizeof(*new(T))) {
		r = to
	}
	warp.Book(op, n, to, r)
}

// worked reports whether the lanes have computed since the last instruction on
// values of a size.
func (s *scheduler) worked(size uintptr) bool {
	return size == 4 && s.worked4 || size == 8 && s.worked8
}
