package intrinsics

import (
	"unsafe"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/isa"
)

// patience is for how many instructions a lane of a device with independent
// threads may stand back for lanes that come before it in source order.
const patience = 4096

// A scheduler runs the threads of one warp: it lets each run to its next
// request, decides which requests meet, and issues each meeting as one
// instruction of the engine, of which the threads then fetch their results.
type scheduler struct {
	launch  *launch
	threads []Thread
	w       *warp.Warp

	// The requests of the present turn.
	turn

	explored explored
	met      meeting
	spin     spinning

	live    int               // lanes that have not left the kernel
	all     lane.Mask         // lanes of the warp that exist
	waiting lane.Mask         // lanes with requests that are not served
	current *Thread           // whose place the engine's faults name
	places  map[uint64]*place // by path
	// A thread that goes on while locating is set only says where it is.
	locating locating
	watching bool // some place has counters to read
	pcs      [maxDepth]uintptr
	depth    int

	// Hidden registers. A thread puts its value into its lane of the row of
	// that size and fetches the result from there.
	rows   [9]unsafe.Pointer // by size
	r1     warp.Reg[uint8]
	r2     warp.Reg[uint16]
	r4     warp.Reg[uint32]
	r8     warp.Reg[uint64]
	idx    warp.Reg[int32]
	args   []int32 // the lanes of idx
	match  warp.Reg[lane.Mask]
	masks  []lane.Mask // the lanes of match
	in, pr warp.Pred
	set    warp.MaskReg
	mark   warp.Mark // what is allocated above it belongs to one instruction

	// What came of the last instructions, see recent.go.
	v4      recent[uint32]
	v8      recent[uint64]
	latest  isa.Reg   // the latest result
	pending []isa.Reg // results that nothing has read so far
	guard   isa.Reg   // the predicate of the last vote, if nothing has been booked since

	votes    lane.Mask // predicates of the lanes
	yes      lane.Mask // predicates that came back
	result   lane.Mask // a set of lanes that came back
	members  lane.Mask // the member mask of the present instruction
	maskless bool      // the present instruction has none

	lockstep  bool // the device does not wait by mask
	fair      bool // its threads make progress whatever others do
	groupBits int  // lanes that a mask of the language names, if not the warp's
	maskBits  int
	shared    []declaration
	busy      bool // some lane has booked work
	narrow    bool // some lane has passed a mask type that is too narrow
}

// locating is what a thread is asked to say.
type locating uint8

const (
	locateNothing locating = iota
	locatePath
	locateCounters
)

func newScheduler(l *launch) *scheduler {
	return &scheduler{launch: l, places: map[uint64]*place{}}
}

// run runs the kernel for all lanes of a warp.
func (s *scheduler) run(w *warp.Warp) {
	s.begin(w)
	ready := w.Live()
	for {
		s.resume(ready)
		if s.broken != nil {
			panic(s.broken)
		}
		if !s.gone.Empty() {
			s.leave()
		}
		live := w.Live()
		if live.Empty() {
			if w.Front().Watched() {
				w.Front().SetLeft(s.leaving())
			}
			return
		}
		if err := s.launch.ctx.Err(); err != nil {
			w.Cancel(err)
		}
		if s.alike && s.asked == s.live {
			ready = live
			if !s.knows(s.lead) {
				s.know(s.lead)
			}
			s.meet(s.lead)
		} else {
			s.alike = false
			s.arrivals()
			ready = s.choose(live)
		}
		s.serve(ready)
		s.idle(live)
	}
}

// arrivals notes the turns of the lanes that have asked since the last
// instruction.
func (s *scheduler) arrivals() {
	for l := range s.waiting.Lanes() {
		if t := &s.threads[l]; t.step == s.step {
			s.arrive(t)
		}
	}
}

// leave takes the lanes that have left the kernel out of the warp.
func (s *scheduler) leave() {
	for l := range s.gone.Lanes() {
		if t := &s.threads[l]; t.failure != nil {
			s.fail(t)
		}
	}
	if s.busy {
		s.flushWork(s.gone)
	}
	s.w.Front().Exit(s.gone)
	s.waiting = s.waiting.AndNot(s.gone)
	s.w.Front().Changed()
	s.live = s.w.Live().Count()
}

// begin takes a warp that is about to start.
func (s *scheduler) begin(w *warp.Warp) {
	s.w = w
	if s.threads == nil {
		s.threads = make([]Thread, w.Width())
		for i := range s.threads {
			s.threads[i].s, s.threads[i].lane = s, i
		}
	}
	rules := &w.Device().Rules
	s.lockstep = rules.Participation != device.ByMask
	s.fair = rules.IndependentThreads
	s.maskBits = rules.MaskBits
	s.groupBits = 0
	if rules.MaskScope == device.MaskOfGroup && rules.MaskBits < w.Width() {
		s.groupBits = rules.MaskBits
	}
	s.r4 = warp.Alloc[uint32](w)
	s.r8 = warp.Alloc[uint64](w)
	s.r2 = warp.Alloc[uint16](w)
	s.r1 = warp.Alloc[uint8](w)
	s.idx = warp.Alloc[int32](w)
	s.match = warp.Alloc[lane.Mask](w)
	s.rows[1] = unsafe.Pointer(unsafe.SliceData(s.r1.Lanes()))
	s.rows[2] = unsafe.Pointer(unsafe.SliceData(s.r2.Lanes()))
	s.rows[4] = unsafe.Pointer(unsafe.SliceData(s.r4.Lanes()))
	s.rows[8] = unsafe.Pointer(unsafe.SliceData(s.r8.Lanes()))
	s.args, s.masks = s.idx.Lanes(), s.match.Lanes()
	s.in, s.pr, s.set = w.Pred(), w.Pred(), w.MaskReg()
	four, eight := recent4, recent8
	if w.Front().Registers() < manyRegisters {
		four, eight = fewRecent, fewRecent
	}
	s.v4.begin(w, four)
	s.v8.begin(w, eight)
	s.latest, s.guard, s.pending = isa.NoReg, isa.NoReg, s.pending[:0]
	w.Front().PerLane()
	s.mark = w.Mark()
	s.shared = s.shared[:0]
	s.waiting, s.votes, s.busy, s.narrow = lane.Mask{}, lane.Mask{}, false, false
	s.current, s.broken = nil, nil
	s.all = w.Live()
	s.live = s.all.Count()
	s.chained = lane.Mask{}
	w.Front().SetLocator(s.site)
	w.Front().SetWords(ownNames)
	if w.Front().Watched() {
		w.Front().SetJudge(s.judgeLeft)
	}
	s.met.n, s.met.path, s.met.place, s.met.loops = 1, 0, nil, 0
	s.spin = spinning{changes: w.Front().Changes(), since: s.step}
	s.explored.begin(s)
	id := w.ID() * w.Width()
	for l := range w.Live().Lanes() {
		s.threads[l].start(id+l, position(id+l, s.launch.block))
	}
}

// serve issues the requests of the lanes of m as one instruction.
func (s *scheduler) serve(m lane.Mask) {
	if s.w.Active() != m {
		s.w.Front().Activate(m)
	}
	lead := &s.threads[m.First()]
	s.current = lead
	for l := range s.waiting.AndNot(m).Lanes() {
		if s.threads[l].class == barrier { // these lanes may be past it, see notePassed
			s.placeOf(lead)
			break
		}
	}
	s.members, s.maskless = lead.mask, lead.key&keyMaskless != 0
	if s.groupBits > 0 && lead.class == masked {
		for l := range m.AndNot(lead.mask).Lanes() {
			s.members = s.members.Or(s.threads[l].mask) // merged parts of the warp
		}
	}
	if s.busy {
		s.flushWork(m)
		s.w.Front().Activate(m)
	}
	if s.narrow {
		s.checkNarrow(m)
	}
	if s.lockstep && lead.class == masked && lead.key&keyBase < keyAll {
		s.serveLockstep(m, lead)
	} else {
		lead.op.issue(s, lead)
	}
	s.waiting = s.waiting.AndNot(m)
	s.step++
}

// site returns where in the kernel the present instruction stands.
func (s *scheduler) site() warp.Site {
	if s.current == nil {
		return warp.Site{}
	}
	return s.placeOf(s.current).site()
}

// placeOf returns the place of a thread's request.
func (s *scheduler) placeOf(t *Thread) *place {
	p := s.places[t.path]
	if p == nil {
		if s.server != nil {
			// Its request is at the same place, and its calls are on this stack.
			s.depth = framePath(t.base, &s.pcs)
		} else {
			s.locating = locatePath
			t.next()
		}
		p = resolve(s.pcs[:s.depth], t.base)
		p.path = t.path
		s.places[t.path] = p
	}
	return p
}

// operand returns the operand of an instruction whose lanes all have the same,
// or makes the index register carry theirs.
func (s *scheduler) operand() (arg int32, perLane warp.Reg[int32]) {
	m := s.w.Active()
	arg = s.args[m.First()]
	for l := range m.Lanes() {
		if s.args[l] != arg {
			s.idx.Define(m)
			return 0, s.idx
		}
	}
	return arg, warp.Reg[int32]{}
}

// result returns the register for the result of the present instruction: deliver
// hands it to the threads.
func result[T any](s *scheduler) warp.Reg[T] {
	switch sizeOf[T]() {
	case 1:
		return warp.View[T](s.r1)
	case 2:
		return warp.View[T](s.r2)
	case 4:
		return warp.View[T](s.v4.slots[s.v4.next].reg)
	case 8:
		return warp.View[T](s.v8.slots[s.v8.next].reg)
	}
	return warp.Alloc[T](s.w)
}

// value returns the register that an instruction reads the values of the active
// lanes from, of type T, whose result goes to r, which result has returned. r has the
// same values so far: those of lanes that the instruction leaves out stay.
func value[T any](s *scheduler, r warp.Reg[T]) warp.Reg[T] {
	v := source(s, r)
	if v.Row() != r.Row() {
		copy(r.Lanes(), v.Lanes())
		r.Define(s.w.Active())
		s.spoil(r.Row())
	}
	return v
}

// source is value for an instruction without a result.
func source[T any](s *scheduler, r warp.Reg[T]) warp.Reg[T] {
	m := s.w.Active()
	v := r
	switch sizeOf[T]() {
	case 1, 2: // the threads have put them there
	case 4:
		v = warp.View[T](operand(s, &s.v4, s.r4))
	case 8:
		v = warp.View[T](operand(s, &s.v8, s.r8))
	default:
		lanes := r.Lanes()
		for l := range m.Lanes() {
			lanes[l] = *cell[T](&s.threads[l])
		}
	}
	v.Define(m)
	return v
}

// deliver hands the lanes of r, which result has returned, to the threads.
func deliver[T any](s *scheduler, r warp.Reg[T]) {
	var zero T
	s.checkDefined(r.Undefined())
	switch unsafe.Sizeof(zero) {
	case 1, 2:
		return // the threads look there
	case 4:
		received(s, &s.v4, s.r4)
		return
	case 8:
		received(s, &s.v8, s.r8)
		return
	}
	lanes := r.Lanes()
	for l := range s.w.Active().Lanes() {
		*cell[T](&s.threads[l]) = lanes[l]
	}
	s.w.Release(s.mark)
}
