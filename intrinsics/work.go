package intrinsics

import (
	"slices"
	"unsafe"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/isa"
)

// maxBooked is how many bookings of a thread are kept apart between two requests.
const maxBooked = 24

// A workList is what a thread has computed since its last request, in its order.
type workList struct {
	n    int
	list [maxBooked]booking
}

// A booking is instructions that a thread has booked.
type booking struct {
	ops  []isa.Op  // one after the other
	n    int       // how often
	math warp.Math // or those of a function, once
	// What they read and make, as bits, if that is known: size is then how many bytes
	// these have.
	in   [3]uint64
	out  uint64
	ins  uint8
	size uint8

	branch bool // a comparison and a branch, which is taken if out is set
}

// single has each op alone.
var single = func() (ops [isa.NumOps][]isa.Op) {
	for op := range ops {
		ops[op] = []isa.Op{isa.Op(op)}
	}
	return ops
}()

// alike reports whether two threads have booked the same instructions.
func (b *booking) alike(o *booking) bool {
	return b.n == o.n && b.branch == o.branch && b.size == o.size && b.ins == o.ins && unsafe.SliceData(b.ops) == unsafe.SliceData(o.ops) &&
		b.math == o.math
}

// Work books n instructions of an op that computes in registers. Plain Go costs
// nothing; this declares what it stands for. The instructions are issued before
// the thread's next request, together with those of the lanes that it meets
// there: where lanes have booked different ones, as many of each op as the lane that
// booked most. The first reads the latest result, and each what the one before has
// made; those of results that nothing has read so far are read as well. A negative n
// counts as 0; an op that does more than compute (isa.Op.Computes) is a fault of kind
// warp.BadInstruction. Add, FMA, Exp and the like compute and book in one, and are
// known by what they read.
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
	if w.n > 0 {
		if b := &w.list[w.n-1]; b.size == 0 && !b.branch && b.ops[0] == op {
			b.n += n
			return
		}
	}
	t.book(booking{ops: single[op], n: n})
}

// Branch books the branch of an if, or of a loop that a compiler does not unroll, and
// returns p:
//
//	for o := t.BlockDim().X / 2; t.Branch(o > 0); o /= 2 {
//
// The branch waits for the comparison or vote that has just been booked or asked for, or
// else for a comparison of its own, which waits for nothing, as that of a counter. Go's own control flow costs nothing, as if all of it was unrolled and computed
// beforehand.
func (t *Thread) Branch(p bool) bool {
	b := booking{ops: single[isa.ICmp], n: 1, branch: true}
	if p {
		b.out = 1
	}
	t.book(b)
	return p
}

// book books instructions. Where there is no room, they go to those of the same ops, in
// whatever order.
func (t *Thread) book(b booking) {
	if !t.awake {
		t.stray()
	}
	w := &t.work
	if w.n == len(w.list) {
		if len(b.ops) > 0 && !b.branch {
			for i := range w.list {
				if x := &w.list[i]; x.size == 0 && !x.branch && unsafe.SliceData(x.ops) == unsafe.SliceData(b.ops) {
					x.n += b.n
					return
				}
			}
		}
		t.ask(flush{}, keyWork, free, lane.Mask{}, 0, 0)
	}
	w.list[w.n] = b
	w.n++
	t.s.busy = true
}

type flush struct{}

func (flush) issue(*scheduler, *Thread) {} // the work has gone before

// flushWork issues what the lanes of m have booked. It leaves other lanes
// active.
func (s *scheduler) flushWork(m lane.Mask) {
	var lead *workList
	var who lane.Mask
	alike := true
	for l := range m.Lanes() {
		w := &s.threads[l].work
		if w.n == 0 {
			continue
		}
		who = who.With(l)
		if lead == nil {
			lead = w
			continue
		}
		alike = alike && w.n == lead.n && slices.EqualFunc(w.list[:w.n], lead.list[:lead.n],
			func(a, b booking) bool { return a.alike(&b) })
	}
	switch {
	case lead == nil:
	case alike:
		s.bookFor(who)
		for i := range lead.n {
			s.issueBooked(who, i)
		}
	default:
		s.issueMost(who)
	}
	for l := range who.Lanes() {
		s.threads[l].work.n = 0
	}
	s.busy = false
	for l := range s.waiting.AndNot(m).Lanes() {
		s.busy = s.busy || s.threads[l].work.n > 0
	}
}

// bookFor makes the lanes of who, which have booked something, those that pay.
func (s *scheduler) bookFor(who lane.Mask) {
	s.w.Front().Activate(who)
	if s.current == nil || !who.Has(s.current.lane) {
		s.current = &s.threads[who.First()]
	}
}

// issueBooked issues booking i of the lanes of who, who have all booked the same.
func (s *scheduler) issueBooked(who lane.Mask, i int) {
	b := &s.threads[who.First()].work.list[i]
	switch {
	case b.branch:
		if !s.latest.IsPredicate() {
			s.compute(isa.ICmp, isa.NoReg, isa.NoReg, isa.NoReg)
		}
		s.guard = isa.NoReg
		var taken lane.Mask
		for l := range who.Lanes() {
			if s.threads[l].work.list[i].out != 0 {
				taken = taken.With(l)
			}
		}
		s.w.Front().BookBranch(s.latest, taken)
		s.used(s.latest)
	case b.size == 8:
		issueKnown(s, &s.v8, who, i)
	case b.size > 0:
		issueKnown(s, &s.v4, who, i)
	default:
		for range b.n {
			s.compute(b.ops[0], s.latest, s.takePending(), s.takePending())
		}
	}
}

// compute issues an instruction into the register of the next result, whose value only
// Go knows. A comparison makes the predicate that votes read.
func (s *scheduler) compute(op isa.Op, a, b, c isa.Reg) {
	f, g := s.w.Front(), s.takeGuard()
	switch {
	case op == isa.ICmp || op == isa.FCmp || op == isa.DCmp:
		s.latest = f.Register(s.in)
		f.Book(op, g, s.latest, a, b, c)
		s.pend(s.latest)
	case op >= isa.DAdd && op <= isa.DCmp:
		f.Book(op, g, named(s.v8.slots[s.v8.next].reg), a, b, c)
		s.v8.put(s, false)
	default:
		f.Book(op, g, named(s.v4.slots[s.v4.next].reg), a, b, c)
		s.v4.put(s, false)
	}
	s.used(a)
}

// issueKnown issues booking i, whose operands and result are known. An operand that is
// no recent result is a constant if it is the same in all lanes, and another one is a
// recent result; or else it was made of the latest one.
func issueKnown[T uint32 | uint64](s *scheduler, q *recent[T], who lane.Mask, i int) {
	f := s.w.Front()
	b := &s.threads[who.First()].work.list[i]
	var from [3]isa.Reg
	var constant [3]bool
	some := false
	for k := range b.ins {
		first := T(b.in[k])
		constant[k] = true
		for l := range who.Lanes() {
			v := T(s.threads[l].work.list[i].in[k])
			q.lanes[l] = v
			constant[k] = constant[k] && v == first
		}
		if at := q.find(q.lanes, who); at >= 0 {
			from[k], some = named(q.slots[at].reg), true
			s.used(from[k])
		}
	}
	for k := range b.ins {
		if from[k] == isa.NoReg && !(some && constant[k]) {
			from[k] = s.latest
			s.used(s.latest)
		}
	}
	x := &q.slots[q.next]
	dst := named(x.reg)
	f.BookMath(b.math, dst, from[0], from[1])
	for range b.n {
		for _, op := range b.ops {
			f.Book(op, s.takeGuard(), dst, from[0], from[1], from[2])
			from = [3]isa.Reg{dst}
		}
	}
	lanes := x.reg.Lanes()
	for l := range who.Lanes() {
		lanes[l] = T(s.threads[l].work.list[i].out)
	}
	x.reg.Define(who)
	q.put(s, true)
}

// issueMost issues what lanes have booked that have not booked the same: as many
// instructions of each op as the lane that booked most.
func (s *scheduler) issueMost(m lane.Mask) {
	var most [isa.NumOps]int
	var who [isa.NumOps]lane.Mask
	for l := range m.Lanes() {
		var n [isa.NumOps]int
		w := &s.threads[l].work
		for i := range w.n {
			b := &w.list[i]
			for _, op := range b.ops {
				n[op] += b.n
			}
			for op := range b.math.Ops() {
				if op.Computes() {
					n[op]++
				}
			}
		}
		for op := range n {
			if n[op] > 0 {
				most[op] = max(most[op], n[op])
				who[op] = who[op].With(l)
			}
		}
	}
	for op, n := range most {
		if n > 0 {
			s.bookFor(who[op])
			for range n {
				s.compute(isa.Op(op), s.latest, s.takePending(), s.takePending())
			}
		}
	}
}
