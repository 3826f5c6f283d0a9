package intrinsics

import (
	"reflect"
	"runtime"
	"strings"
	"sync"

	"example.com/warpsim/intrinsics/internal/flow"
	"example.com/warpsim/warp"
)

// Where lanes part and meet is decided by turns first, then by place: of two
// lanes in one loop, that with fewer turns comes first; in the same turn, that at
// the earlier call. For each loop around its place a lane has a count of turns,
// which goes up when it passes a call that it could only come to by the end of a
// turn. Which loops there are, and in which order control comes to their calls,
// is read from the machine code of the kernel, see package flow.
//
// While all lanes do the same nothing is counted: only differences matter.

// A frame is one compiled function that is running: what a place knows of it.
type frame struct {
	pc    uintptr
	fn    *flow.Func // nil: not known
	node  int32      // the call in fn
	level int        // the number of the loop of Loop that it runs, -1: it is none
	at    int        // where the turns of its loops are among those of the place
}

// A meeting is where all lanes did the same for the last time.
type meeting struct {
	n     int64 // how many there have been
	path  uint64
	place *place
	loops int // loops of Loop and their turns
	turns [maxLoops]int
}

// meet notes that all lanes are about to do the same, at a place that is known.
func (s *scheduler) meet(lead *Thread) {
	m := &s.met
	m.n++
	m.loops = lead.loops
	if lead.loops > 0 {
		m.turns = lead.turns
	}
	if lead.path != m.path {
		m.path, m.place = lead.path, s.places[lead.path]
	}
}

// know makes the place known at which all lanes are that wait.
func (s *scheduler) know(lead *Thread) {
	p := s.flowOf(s.placeOf(lead))
	if p.watched == nil {
		return
	}
	for l := range s.waiting.Lanes() {
		if t := &s.threads[l]; t.saw.of != p || t.saw.path != t.path {
			s.lookAgain(t)
		}
	}
}

// knows reports whether the place of a thread's request is known.
func (s *scheduler) knows(t *Thread) bool {
	if t.path == s.met.path {
		return true
	}
	p := s.places[t.path]
	return p != nil && p.frames != nil
}

// arrive notes the turns of a thread that has asked, while lanes go different
// ways, and makes them a part of its place.
func (s *scheduler) arrive(t *Thread) {
	p := s.known(t)
	if p.watched != nil && t.saw.of != p {
		s.lookAgain(t)
	}
	if t.met != s.met.n { // it has been with all others since
		t.met = s.met.n
		t.last = s.met.place
		clear(t.counts)
		t.lastLoops, t.lastTurns = s.met.loops, s.met.turns
	}
	if len(t.counts) < p.turns {
		t.counts = append(t.counts, make([]int32, p.turns-len(t.counts))...)
	}
	if t.last != nil {
		s.count(t, s.flowOf(t.last), p)
	}
	t.last, t.lastLoops = p, t.loops
	if t.loops > 0 {
		t.lastTurns = t.turns
	}
	for _, n := range t.counts[:p.turns] {
		t.place = (t.place ^ uint64(n)) * 0x9E3779B97F4A7C15
	}
}

// A passage is what coming to a place from another one does to the turns.
type passage struct {
	from *place
	both int // loops around both
	add  int // the count that goes up, -1: none
	keep int // how many stay
}

// known returns the place of a thread's request.
func (s *scheduler) known(t *Thread) *place {
	if p := t.last; p != nil && p.path == t.path {
		return p
	}
	return s.flowOf(s.placeOf(t))
}

// count brings a thread's turns from those at its last place to those at p.
func (s *scheduler) count(t *Thread, last, p *place) {
	if p.levels > 0 {
		// Loops of Loop tell of their turns.
		for j := 0; j < min(len(last.frames), len(p.frames)) && last.frames[j].pc == p.frames[j].pc; j++ {
			if l := p.frames[j].level; l >= 0 && l < maxLoops && (l >= t.lastLoops || t.lastTurns[l] != t.turn(l)) {
				clear(t.counts[p.loopsAfter(j):])
				return
			}
		}
	}
	w := p.passageFrom(last)
	if p.watched != nil {
		if i := t.begun(last, p, w.both); i >= 0 {
			t.counts[i]++
			clear(t.counts[i+1:])
			return
		}
	}
	if w.add >= 0 {
		t.counts[w.add]++
	}
	clear(t.counts[w.keep:])
}

// passageFrom returns the passage from another place to this one.
func (p *place) passageFrom(last *place) *passage {
	if p.passage.from != last {
		p.passage = passageBetween(last, p)
	}
	return &p.passage
}

// passageBetween works out a passage.
func passageBetween(last, p *place) passage {
	j, n := 0, min(len(last.frames), len(p.frames))
	for j < n && last.frames[j].pc == p.frames[j].pc {
		j++
	}
	w := passage{from: last, add: -1}
	if j = min(j, n-1); j < 0 {
		return w
	}
	w.both = p.frames[j].at
	if x, y := &last.frames[j], &p.frames[j]; x.fn != nil && x.fn == y.fn {
		w.both += x.fn.Common(x.node, y.node)
	}
	for ; j >= 0; j-- {
		x, y := &last.frames[j], &p.frames[j]
		switch {
		case y.level >= 0:
			continue // its turn is the same
		case x.fn == nil && y.fn == nil && x.pc != y.pc:
			w.keep = y.at
			return w
		case x.fn == nil || x.fn != y.fn:
			continue
		}
		switch depth := x.fn.Step(x.node, y.node); depth {
		case flow.Never:
			continue
		case flow.Forward:
			w.keep = y.at + x.fn.Common(x.node, y.node)
		default:
			w.add, w.keep = y.at+depth, y.at+depth+1
		}
		return w
	}
	return w
}

// loopsAfter returns where the turns begin of the frames inside frame j.
func (p *place) loopsAfter(j int) int {
	if j+1 < len(p.frames) {
		return p.frames[j+1].at
	}
	return p.turns
}

// A machineCode is what is known of the code of kernels. An engine keeps it for all its
// launches, as reading it takes milliseconds the first time that lanes part in a function.
type machineCode struct {
	mu sync.Mutex
	*flow.Code
}

func codeOf(e *warp.Engine) *machineCode {
	type key struct{}
	return e.Kept(key{}, func() any {
		return &machineCode{Code: flow.New(asks, strings.TrimSuffix(askName, "(*Thread).ask"))}
	}).(*machineCode)
}

// flowOf makes a place know of its frames.
func (s *scheduler) flowOf(p *place) *place {
	if p.frames != nil || len(p.pcs) == 0 {
		return p
	}
	code := s.launch.code
	code.mu.Lock()
	defer code.mu.Unlock()
	p.frames = make([]frame, len(p.pcs))
	for i, pc := range p.pcs {
		f := &p.frames[i]
		*f = frame{pc: pc, level: -1, at: p.turns}
		if isLoop(pc) {
			f.level = p.levels
			p.levels++
			continue
		}
		f.fn = code.Func(pc)
		if f.fn == nil {
			continue
		}
		var ok bool
		if f.node, ok = f.fn.Node(pc); !ok {
			f.fn = nil
			continue
		}
		p.turns += f.fn.Depth(f.node)
	}
	s.watch(p)
	return p
}

// askName is the name of the function by which threads ask.
var askName = runtime.FuncForPC(reflect.ValueOf((*Thread).ask).Pointer()).Name()

// asks reports whether a function is that one.
func asks(name string) bool { return name == askName }

// isLoop reports whether a call is that of the body of a loop of Loop.
func isLoop(pc uintptr) bool {
	f := runtime.FuncForPC(pc - 1)
	if f == nil {
		return false
	}
	file, _ := f.FileLine(pc - 1)
	return file == ownFolder()+"/loop.go"
}

// before reports whether a comes before b: in the outermost call in which they
// differ, by the turns of the loops around both, then by the order in which
// control passes the calls, which is the source's for the two sides of a branch.
func (s *scheduler) before(a, b *Thread) bool {
	before, _ := s.order(a, b, false)
	return before
}

// order is before, and reports, if that is asked, whether b has to wait for a for
// that, or the order is a choice.
func (s *scheduler) order(a, b *Thread, ask bool) (before, must bool) {
	p, q := s.known(a), s.known(b)
	for i := range min(len(p.frames), len(q.frames)) {
		x, y := &p.frames[i], &q.frames[i]
		if x.level >= 0 && x.level == y.level && a.turn(x.level) != b.turn(x.level) {
			return a.turn(x.level) < b.turn(x.level), true
		}
		if x.fn == nil || x.fn != y.fn {
			if x.pc != y.pc {
				return p.compare(q) < 0, false
			}
			continue
		}
		for d := range x.fn.Common(x.node, y.node) {
			if m, n := a.countOf(x.at+d), b.countOf(y.at+d); m != n {
				return m < n, true
			}
		}
		if x.pc != y.pc {
			return x.fn.Order(x.node, y.node) < 0, ask && x.fn.Leads(x.node, y.node) != x.fn.Leads(y.node, x.node)
		}
	}
	return p.compare(q) < 0, false
}

// countOf returns how many turns a thread has had of a loop around its place.
func (t *Thread) countOf(i int) int32 {
	if i < len(t.counts) {
		return t.counts[i]
	}
	return 0
}

// compare orders places by the lines of their calls.
func (p *place) compare(q *place) int {
	for i := range min(len(p.calls), len(q.calls)) {
		x, y := &p.calls[i], &q.calls[i]
		switch {
		case x.file != y.file:
			return strings.Compare(x.file, y.file)
		case x.line != y.line:
			return x.line - y.line
		}
	}
	for i := range min(len(p.pcs), len(q.pcs)) {
		if x, y := p.pcs[i], q.pcs[i]; x < y {
			return -1
		} else if x > y {
			return 1
		}
	}
	return len(p.pcs) - len(q.pcs)
}
