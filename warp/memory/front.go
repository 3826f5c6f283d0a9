package memory

import (
	"math"
	"math/bits"

	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"
)

// A Front is what one multiprocessor has of the memory for itself: its first
// level and its way out. It is the timing.MemoryPort of that multiprocessor.
type Front struct {
	p           *params `frozen:"-"`
	index       int
	group, part int

	level firstLevel
	free  tick // when the first level takes the next instruction

	// What waits for the way out, from head on: first in a buffer before the way, and
	// from next on in the queue of the load/store units.
	queue        []request
	head, next   int
	taken, given int64 // sectors of all requests so far, and of those that were sent
	asked        int   // instructions whose last request is in the queue
	rows         int   // registers of theirs with what is to be written
	turned       bool  // an instruction was refused until somebody tells when

	out  tick // when the way is free
	in   tick // likewise the way back
	sent []request
	// Posted requests are those nobody waits for. credits has when what they take of
	// the way is free again, in the order in which they were sent, as a ring.
	credits          []tick
	posted, credited int
	under            []int32   // of reductions, by slice
	through          [][]freed // of these, those of which it is known when they are through

	misses  []miss
	unused  []int32
	waiters []waiter
	spare   int32 // first unused waiter
	flights []flight

	arrivals  []arrival // since Deliver
	done      []timing.Completion
	counts    FrontCounts
	sentTicks tick // how long the way out was busy
}

type requestKind uint8

const (
	reading requestKind = iota
	writing
	reducing   // an atomic without a result
	exchanging // an atomic with one
)

// A request is what goes to the second level for one line.
type request struct {
	at    tick // when it can be sent, and when it was
	line  isa.Line
	upto  int64 // sectors of all requests up to this one
	miss  int32 // of a posted request: the token of its instruction
	kind  requestKind
	float bool
	words uint8 // of an atomic in a sector
	// weight is how much of what may be under way a posted request takes, last that it
	// is the last one of its instruction.
	weight uint8
	last   bool
	rows   uint8 // of the last one: registers of its instruction with what is to be written
}

// An arrival is a reply that is back, or a posted request that is through.
type arrival struct {
	at     tick
	what   int32 // the miss, or the token of the instruction
	kind   requestKind
	weight uint8  // of a posted request
	slice  uint16 // of a reduction
}

// freed is when a reduction is through, and how much of a slice it took.
type freed struct {
	at     tick
	weight int32
}

// A miss is a request for which somebody waits.
type miss struct {
	line    uint64
	way     int32 // in the first level, -1: it does not go there
	before  int32 // the miss before on the same line, -1: none
	waiters int32 // -1: none
	sectors uint8
}

type waiter struct{ token, next int32 }

// A flight is an instruction some of whose lines are on their way.
type flight struct {
	left   int32
	latest tick
	id     timing.AccessID
}

func newFront(p *params, index, group, part int) *Front {
	f := &Front{p: p, index: index, group: group, part: part, credits: make([]tick, p.posted), under: make([]int32, p.sliceCount), through: make([][]freed, p.sliceCount)}
	f.level.resize(p.Bytes/p.lineBytes, p.Ways)
	return f
}

// makeRoom takes the memory that a multiprocessor at work needs, as a rule.
func (f *Front) makeRoom() {
	const room = 256
	if f.queue != nil {
		return
	}
	f.queue, f.sent = make([]request, 0, room), make([]request, 0, room)
	f.misses, f.unused, f.waiters = make([]miss, 0, room), make([]int32, 0, room), make([]waiter, 0, room)
	f.flights, f.done = make([]flight, 0, room/4), make([]timing.Completion, 0, room/4)
	f.arrivals = make([]arrival, 0, room)
	f.level.makeRoom()
}

func (f *Front) reset() {
	f.level.reset()
	f.free, f.out, f.in, f.sentTicks = 0, 0, 0, 0
	f.queue, f.head, f.next, f.sent, f.asked = f.queue[:0], 0, 0, f.sent[:0], 0
	f.taken, f.given = 0, 0
	f.posted, f.credited, f.rows, f.turned = 0, 0, 0, false
	clear(f.under)
	for i := range f.through {
		f.through[i] = f.through[i][:0]
	}
	f.misses, f.unused, f.waiters, f.spare = f.misses[:0], f.unused[:0], f.waiters[:0], -1
	f.flights, f.done, f.arrivals = f.flights[:0], f.done[:0], f.arrivals[:0]
	f.counts = FrontCounts{}
}

// Access serves one instruction.
func (f *Front) Access(a *timing.Access) timing.Cycle {
	p := f.p
	if p == nil {
		return a.At // no front that New made
	}
	n := tick(len(a.Lines))
	begin := max(tick(a.At)*fraction, f.free)
	rows := 0
	if a.Op != isa.LoadGlobal {
		rows = (a.Bytes + 3) / 4
	}
	if a.Op != isa.LoadGlobal && f.full(rows) {
		if f.send(tick(a.At) * fraction); f.full(rows) {
			f.refuse(a)
			return timing.Refused
		}
	}
	passes := n
	if a.Op == isa.LoadGlobal {
		passes = p.passes(a)
	}
	f.free = begin + max(p.access, passes*p.line)
	accepted := begin + passes*p.pipe
	a.Accepted = max(a.Accepted, timing.Cycle((accepted+fraction-1)/fraction))
	if a.Op == isa.LoadGlobal {
		return f.load(a, begin, passes)
	}
	for len(f.flights) <= a.Token {
		f.flights = append(f.flights, flight{})
	}
	f.flights[a.Token] = flight{left: int32(n), id: a.ID}
	kind := kindOf(a.Op)
	words := uint8(max(1, p.sectorBytes/max(4, a.Bytes)))
	for i, l := range a.Lines {
		r := request{at: begin + tick(i)*p.line, line: l, kind: kind, float: a.Float, words: words, miss: int32(a.Token)}
		switch kind {
		case exchanging:
			r.miss = f.newMiss(l, -1, -1)
			f.wait(r.miss, a.Token)
			r.weight = uint8(max(bits.OnesCount8(l.Sectors()), l.Most()))
		case writing:
			r.weight = uint8(tick(bits.OnesCount8(l.Sectors())) + masks(l))
		default:
			r.weight = uint8(max(bits.OnesCount8(l.Sectors()), l.Most()))
		}
		f.push(r)
		if kind != writing {
			f.level.drop(l.Number())
		} else {
			f.counts.StoreSectors += int64(bits.OnesCount8(l.Sectors()))
		}
	}
	f.last(rows)
	return timing.Later
}

// mostRows is how many registers an instruction writes at most.
const mostRows = 4

// full reports whether there is no room for an instruction with so many registers to
// write.
func (f *Front) full(rows int) bool {
	return f.asked >= f.p.queue || rows > 0 && f.rows > 0 && f.p.queueRows > 0 && f.rows+rows > f.p.queueRows
}

// refuse lets an instruction ask again when the next one leaves the queue.
func (f *Front) refuse(a *timing.Access) {
	if at := f.room(); at < timing.Never {
		a.Accepted = at
		return
	}
	a.Accepted, f.turned = timing.Never, true
}

// room is when the first instruction will have left the queue, Never if it waits for credit
// of which nothing is known yet.
func (f *Front) room() timing.Cycle {
	first := f.next
	for first < len(f.queue) && !f.queue[first].last {
		first++
	}
	out, posted := f.out, f.posted
	for i := f.head; i < len(f.queue); i++ {
		r := &f.queue[i]
		at, ok := f.ready(r, out, posted)
		if !ok {
			return timing.Never
		}
		if first < len(f.queue) && f.queue[first].upto-r.upto <= f.p.buffer {
			return timing.Cycle(at/fraction) + 1
		}
		out = at + f.p.cost(r)
		if r.kind == writing || r.kind == reducing {
			posted += int(r.weight)
		}
	}
	return timing.Never
}

// last marks the last request of an instruction that is posted or exchanges, and writes so
// many registers. Loads take no place among those.
func (f *Front) last(rows int) {
	r := &f.queue[len(f.queue)-1]
	r.last, r.rows = true, uint8(rows)
	f.asked++
	f.rows += rows
	f.enter()
}

// push queues a request, whose weight is its sectors so far.
func (f *Front) push(r request) {
	f.taken += int64(r.weight)
	r.upto = f.taken
	if r.kind == reducing {
		r.weight = uint8(min(math.MaxUint8, f.p.ofReductions(int(r.weight))))
	}
	f.queue = append(f.queue, r)
}

// enter lets what has room into the buffer before the way.
func (f *Front) enter() {
	for ; f.next < len(f.queue) && f.queue[f.next].upto-f.given <= f.p.buffer; f.next++ {
		if r := &f.queue[f.next]; r.last {
			f.asked--
			f.rows -= int(r.rows)
		}
	}
}

// passes is how many turns of the first level a load takes: as many as one bank of the
// tags has lines to look for, or one bank of the data words to give.
func (p *params) passes(a *timing.Access) tick {
	most := tick(max(a.Lines[0].Passes(), 1))
	if len(p.tagBanks) == 0 {
		return max(most, tick(len(a.Lines)))
	}
	if len(a.Lines) <= int(most) {
		return most
	}
	var banks [1 << maxTagBits]tick
	for _, l := range a.Lines {
		b := &banks[p.tagBank(l.Number())]
		*b++
		most = max(most, *b)
	}
	return most
}

// load serves one load: what is in the first level, what is on its way there,
// and the rest.
func (f *Front) load(a *timing.Access, begin, passes tick) timing.Cycle {
	p := f.p
	f.counts.LoadRequests++
	left := int32(0)
	ready := begin + p.first + (passes-1)*p.line
	for i, l := range a.Lines {
		at := begin + tick(i)*passes/tick(len(a.Lines))*p.line
		want := l.Sectors()
		f.counts.LoadSectors += int64(bits.OnesCount8(want))
		if a.Past {
			f.ask(f.newMiss(l, -1, -1), l, at, a.Token)
			left++
			continue
		}
		way := f.level.find(l.Number())
		x := &f.level.lines[way]
		if want&x.there != 0 {
			ready = max(ready, x.ready)
		}
		f.counts.LoadHits += int64(bits.OnesCount8(want & (x.there | x.coming)))
		if coming := want & x.coming; coming != 0 {
			for m := x.miss; m >= 0 && coming != 0; m = f.misses[m].before {
				if f.misses[m].sectors&coming != 0 {
					coming &^= f.misses[m].sectors
					f.wait(m, a.Token)
					left++
				}
			}
		}
		if missing := want &^ (x.there | x.coming); missing != 0 {
			m := f.newMiss(isa.MakeLine(l.Number(), missing, 0, 0, 0), int32(way), x.miss)
			x.coming |= missing
			x.miss = m
			f.ask(m, isa.MakeLine(l.Number(), missing, 0, 0, 0), at, a.Token)
			left++
		}
	}
	if left == 0 {
		return timing.Cycle((ready + fraction - 1) / fraction)
	}
	for len(f.flights) <= a.Token {
		f.flights = append(f.flights, flight{})
	}
	f.flights[a.Token] = flight{left, ready, a.ID}
	return timing.Later
}

// ask queues the request of a miss.
func (f *Front) ask(m int32, l isa.Line, at tick, token int) {
	f.wait(m, token)
	f.push(request{at: at, line: l, kind: reading, miss: m, weight: 1})
}

func (f *Front) newMiss(l isa.Line, way, before int32) int32 {
	x := miss{l.Number(), way, before, -1, l.Sectors()}
	if n := len(f.unused); n > 0 {
		m := f.unused[n-1]
		f.unused = f.unused[:n-1]
		f.misses[m] = x
		return m
	}
	f.misses = append(f.misses, x)
	return int32(len(f.misses) - 1)
}

// wait lets an instruction wait for a miss.
func (f *Front) wait(m int32, token int) {
	i := f.spare
	if i >= 0 {
		f.spare = f.waiters[i].next
	} else {
		i = int32(len(f.waiters))
		f.waiters = append(f.waiters, waiter{})
	}
	f.waiters[i] = waiter{int32(token), f.misses[m].waiters}
	f.misses[m].waiters = i
}

// ready is when a request can be sent behind another one and so many sectors under way, if
// that is known.
func (f *Front) ready(r *request, out tick, posted int) (tick, bool) {
	at := max(r.at, out)
	if r.kind != writing && r.kind != reducing {
		return at, true
	}
	if r.kind == reducing && f.p.postedSlice > 0 {
		var ok bool
		if at, ok = f.admitted(r, at); !ok {
			return 0, false
		}
	}
	behind := posted + int(r.weight) - len(f.credits) // the credit that it needs
	if behind > f.credited && posted > f.credited {
		return 0, false
	}
	if behind > 0 {
		at = max(at, f.credits[(behind-1)%len(f.credits)])
	}
	return at, true
}

// admitted returns when the slice of a reduction takes it, from a time on, if that is known.
func (f *Front) admitted(r *request, at tick) (tick, bool) {
	s := f.p.sliceOf(r.line)
	n, most := f.under[s], max(0, f.p.postedSlice-int32(r.weight))
	for _, x := range f.through[s] {
		if x.at > at && n <= most {
			break
		}
		n -= x.weight
		at = max(at, x.at)
	}
	return at, n <= most
}

// depart counts a reduction that is sent to its slice, and no longer those that are through
// by then.
func (f *Front) depart(r *request, at tick) {
	s := f.p.sliceOf(r.line)
	f.under[s] += int32(r.weight)
	n := 0
	for _, x := range f.through[s] {
		if x.at > at {
			break
		}
		f.under[s] -= x.weight
		n++
	}
	if n > 0 {
		f.through[s] = f.through[s][:copy(f.through[s], f.through[s][n:])]
	}
}

// ofReductions is how much of what may be under way sectors of reductions take.
func (p *params) ofReductions(sectors int) int {
	if p.postedReductions == 0 {
		return sectors
	}
	return (sectors*p.posted + p.postedReductions/2) / p.postedReductions
}

// cost is how long a request takes the way out.
func (p *params) cost(r *request) tick {
	sectors := tick(bits.OnesCount8(r.line.Sectors()))
	switch r.kind {
	case reading:
		return p.request
	case writing:
		return p.store*sectors + p.mask*masks(r.line)
	}
	return p.atomic * max(sectors, tick(r.line.Most()))
}

// sliceOf numbers the slice of a line in its part.
func (p *params) sliceOf(l isa.Line) int { return spread(l.Number(), p.sliceCount) }

// send sends what can be sent before a time.
func (f *Front) send(end tick) {
	p := f.p
	for ; f.head < len(f.queue); f.head++ {
		r := &f.queue[f.head]
		at, ok := f.ready(r, f.out, f.posted)
		if !ok || at >= end {
			break
		}
		cost := p.cost(r)
		if r.kind == reducing && p.postedSlice > 0 {
			f.depart(r, at)
		}
		if r.kind == writing || r.kind == reducing {
			f.posted += int(r.weight)
		}
		if r.last && r.kind != exchanging { // for reductions the place of its block waits all the same
			f.done = append(f.done, timing.Completion{ID: f.flights[r.miss].id, Token: int(r.miss), At: timing.Cycle((at + cost + fraction - 1) / fraction), Sent: true, Holds: r.kind == reducing})
		}
		f.out = at + cost
		f.sentTicks += cost
		r.at = at
		f.sent = append(f.sent, *r)
	}
	if f.head > 0 {
		f.given = f.queue[f.head-1].upto
		f.enter()
	}
	if f.head == len(f.queue) {
		f.queue, f.head, f.next = f.queue[:0], 0, 0
	} else if f.head > 1024 && f.head > len(f.queue)/2 {
		f.queue = f.queue[:copy(f.queue, f.queue[f.head:])]
		f.head, f.next = 0, f.next-f.head
	}
}

// Close ends a window: what can be sent before its end is sent.
func (f *Front) Close(end timing.Cycle) {
	if f.p == nil || f.head == len(f.queue) {
		return
	}
	f.send(tick(end) * fraction)
}

// credit notes when a posted request is through, in the order of sending.
func (f *Front) credit(a *arrival) {
	for range a.weight {
		f.credits[f.credited%len(f.credits)] = a.at
		f.credited++
	}
	if a.kind == reducing && f.p.postedSlice > 0 {
		f.through[a.slice] = append(f.through[a.slice], freed{a.at, int32(a.weight)})
	}
	f.land(a.what, a.at)
}

// land is one line of an instruction that is through.
func (f *Front) land(token int32, at tick) {
	t := &f.flights[token]
	t.latest = max(t.latest, at)
	if t.left--; t.left == 0 {
		f.done = append(f.done, timing.Completion{ID: t.id, Token: int(token), At: timing.Cycle((t.latest + fraction - 1) / fraction)})
	}
}

// arrive is a reply that is back.
func (f *Front) arrive(m int32, at tick) {
	x := &f.misses[m]
	if x.way >= 0 {
		f.fill(x, m, at)
	}
	for i := x.waiters; i >= 0; {
		w := &f.waiters[i]
		next := w.next
		f.land(w.token, at)
		w.next, f.spare = f.spare, i
		i = next
	}
	x.waiters = -1
	f.unused = append(f.unused, m)
}

// fill brings what a miss was for into the first level.
func (f *Front) fill(x *miss, m int32, at tick) {
	if f.level.lines[x.way].tag != uint32(x.line)+1 {
		return // the line was given up meanwhile
	}
	l := &f.level.lines[x.way]
	l.there |= x.sectors
	l.coming &^= x.sectors
	l.ready = max(l.ready, at)
	for p := &l.miss; *p >= 0; p = &f.misses[*p].before {
		if *p == m {
			*p = x.before
			break
		}
	}
}

// Deliver takes in what has come back, and tells the multiprocessor, whose memory it must
// be: an error of another's is a *timing.AccessError. It also tells it which stores have been
// sent; to be told of that in the same window, call it after Close, too.
func (f *Front) Deliver(m *timing.Multiprocessor) error {
	for i := range f.arrivals {
		if a := &f.arrivals[i]; a.kind == writing || a.kind == reducing {
			f.credit(a)
		} else {
			f.arrive(a.what, a.at)
		}
	}
	f.arrivals = f.arrivals[:0]
	if f.turned {
		at := timing.Cycle(0)
		if f.full(mostRows) {
			at = f.room()
		}
		if at < timing.Never {
			f.turned = false
			m.Resume(at)
		}
	}
	if len(f.done) == 0 {
		return nil
	}
	err := m.CompleteAll(f.done)
	f.done = f.done[:0]
	return err
}

// Shared says how many bytes of the first level are taken as shared memory.
func (f *Front) Shared(bytes int) {
	if f.p == nil {
		return
	}
	n := f.p.Bytes
	if f.p.Total > 0 {
		n = min(n, f.p.Total-bytes)
	}
	f.level.resize(max(0, n)/f.p.lineBytes, f.p.Ways)
}
