package order

import (
	"slices"

	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"
)

const (
	// Live is how many values of each kind of register are kept beside those that
	// the kernel's own registers hold.
	Live = 64
	// Loads and Turns bound how far a loop is unrolled: up to so many loads, but
	// at least that many turns if they fit.
	Loads = 16
	Turns = 4

	// most bounds the records of a window, but for the last few of a stream.
	most = 512
)

// A Scheduler orders the records of warps. It is not safe for concurrent use.
type Scheduler struct {
	table *timing.Table
	costs *costs

	known memory

	full   []isa.Instr // the stream, with addresses
	whence []int32     // of each in full, the place that it has without them

	result []isa.Instr // the window that is being ordered
	places []uint16

	values
	list
}

// New returns a scheduler for a device whose costs t has, and whose threads have so
// many registers.
func New(t *timing.Table, registers int) *Scheduler {
	s := &Scheduler{table: t}
	s.known.age = 1
	s.spare = newSpares((registers + 1) &^ 1)
	s.makeRoom()
	if t != nil {
		s.costs = newCosts(t)
	}
	return s
}

// makeRoom makes the slices as long as they hardly ever have to be, so that ordering
// allocates nothing.
func (s *Scheduler) makeRoom() {
	const n = most + alike + 1
	s.known.recs, s.known.from = make([]isa.Instr, 0, mostRemembered), make([]uint16, 0, mostRemembered)
	s.result, s.places = make([]isa.Instr, 0, n), make([]uint16, 0, n)
	s.recs, s.place = make([]isa.Instr, 0, n), make([]uint16, 0, n)
	s.nodes, s.instrs, s.sources, s.edges = make([]node, 0, n), make([]isa.Instr, 0, n), make([]sources, 0, n), make([]edge, 0, 12*n)
	s.vals, s.users, s.defs = make([]value, 0, 3*n), make([]user, 0, 8*n), make([]def, 0, n)
	s.loads, s.stores, s.groups = make([]access, 0, n), make([]access, 0, farApart+1), make([]isa.Reg, 0, n)
	for q := range s.spare.queue {
		s.spare.queue[q].freed = make([]spare, 0, n)
	}
	for p := range s.open {
		s.open[p] = make(heap, 0, 64)
	}
}

// Order appends records of a warp to out in the order of a compiler, and to from for each
// the place in recs of the one that it comes from, or for the address of which it stands:
// of those that are left out, none does. It returns both. Known is what is known of the warp
// before these records, and then behind them; nil: records that need no addresses. A
// Scheduler that New has not made leaves the order as it is.
func (s *Scheduler) Order(recs, out []isa.Instr, from []int32, known *Known) ([]isa.Instr, []int32) {
	if s == nil || s.table == nil {
		return asIs(recs, 0, out, from)
	}
	if known == nil {
		return s.windows(recs, out, from)
	}
	if !slices.ContainsFunc(recs, func(in isa.Instr) bool { return addressed(&in) }) {
		for i := range recs {
			known.follow(&recs[i])
		}
		return s.windows(recs, out, from)
	}
	s.expand(recs, known)
	n := len(from)
	out, from = s.windows(s.full, out, from)
	for k := range from[n:] {
		from[n+k] = s.whence[from[n+k]]
	}
	return out, from
}

// asIs appends records that stand from a place on as they are.
func asIs(recs []isa.Instr, at int, out []isa.Instr, from []int32) ([]isa.Instr, []int32) {
	for k := range recs {
		from = append(from, int32(at+k))
	}
	return append(out, recs...), from
}

// windows is Order for records that have their addresses.
func (s *Scheduler) windows(recs, out []isa.Instr, from []int32) ([]isa.Instr, []int32) {
	for at := 0; at < len(recs); {
		n := s.cut(recs[at:])
		if n == 1 || at > 0 && calls(&recs[at-1]) {
			out, from = asIs(recs[at:at+n], at, out, from)
		} else {
			out, from = s.window(recs[at:at+n], at, out, from)
		}
		at += n
	}
	return out, from
}

// window appends a window that begins at a place of the stream in order.
func (s *Scheduler) window(recs []isa.Instr, at int, out []isa.Instr, from []int32) ([]isa.Instr, []int32) {
	h := hashShape(recs)
	x, ok, same := s.known.find(h, recs)
	if !ok {
		s.result, s.places = s.result[:0], s.places[:0]
		s.order(recs)
		s.known.keep(x, h, recs, s.result, s.places)
	}
	ordered, places := s.known.window(x)
	begin := len(out)
	out = append(out, ordered...)
	for _, k := range places {
		from = append(from, int32(at)+int32(k))
	}
	if ok && !same {
		for i, k := range places {
			in := &out[begin+i]
			in.Active, in.Count = recs[k].Active, recs[k].Count
		}
	}
	return out, from
}

// walls are the ops that nothing crosses.
var walls = [256]bool{
	isa.Invalid: true, isa.Fence: true, isa.BarSync: true, isa.BarArrive: true, isa.BarRed: true,
	isa.Branch: true, isa.PushSync: true, isa.Reconverge: true, isa.Exit: true, isa.ReadClock: true,
}

// wall reports whether nothing crosses a record.
func wall(in *isa.Instr) bool { return walls[in.Op] || in.Guard&isa.Coded != 0 }

// turn reports whether a record is the branch of a loop whose turns all lanes take
// together.
func turn(in *isa.Instr) bool { return in.Op == isa.Branch && in.Count == isa.LoopBranch }

// calls reports whether a record is the branch to a function that was compiled by
// itself.
func calls(in *isa.Instr) bool { return in.Op == isa.Branch && in.Count == isa.CallBranch }

// cut returns how many of the records are the first window: up to a wall.
func (s *Scheduler) cut(recs []isa.Instr) int {
	loads, turns, begin, end := 0, 0, 0, len(recs)
	if end > most+alike {
		end = most
	}
	for i := range end {
		in := &recs[i]
		switch {
		case in.Op == isa.LoadShared || in.Op == isa.LoadGlobal:
			loads++
		case turn(in):
			if turns++; turns > Turns && loads > Loads {
				return begin // without this turn
			}
			begin = i + 1
			if turns >= Turns && (loads >= Loads || loads == 0) || !counted(recs[begin:end], in.A) {
				return begin
			}
		case wall(in):
			if turns > 0 {
				return begin
			}
			return i + 1
		}
	}
	if begin > 0 {
		return begin
	}
	if end < len(recs) {
		return again(recs[:end+alike])
	}
	return end
}

// alike is how many records have to come again for a window to end before them.
const alike = 4

// again returns how long a window is that nothing ends: as long as it can be, but it
// ends where what it begins with comes again, if it does in the second half. So the
// windows of what a kernel does over and over are the same.
func again(recs []isa.Instr) int {
	n := len(recs) - alike
	for k := n; k > n/2; k-- {
		if recs[k] == recs[0] && isa.Equal(recs[k:k+alike], recs[:alike]) {
			return k
		}
	}
	return n
}

// order fills in result and places of a window.
func (s *Scheduler) order(recs []isa.Instr) {
	n := len(recs)
	last := n > 0 && wall(&recs[n-1])
	if last {
		n--
	}
	s.fold(recs[:n])
	if len(s.recs) > 1 {
		s.build()
		s.schedule()
	} else {
		s.result, s.places = append(s.result, s.recs...), append(s.places, s.place...)
	}
	if last {
		s.result, s.places = append(s.result, recs[n]), append(s.places, uint16(n))
	}
}

// fold copies the records of a window to s.recs, but for the branches of a loop
// inside, and what only they need, and makes selects of guarded moves.
func (s *Scheduler) fold(recs []isa.Instr) {
	s.recs, s.place, s.picks = s.recs[:0], s.place[:0], false
	for i := range recs {
		in := recs[i]
		if turn(&in) {
			if k := s.unused(in.A, recs[i+1:]); k >= 0 {
				s.recs = append(s.recs[:k], s.recs[k+1:]...)
				s.place = append(s.place[:k], s.place[k+1:]...)
			}
			continue
		}
		if in.Op == isa.Mov && in.Guard != 0 && !in.Dst.IsPredicate() {
			in.Op, in.B, in.C, in.Guard = isa.Select, in.Dst, isa.Predicate(int(in.Guard)-1), 0
		}
		s.picks = s.picks || in.Op == isa.Select
		s.recs, s.place = append(s.recs, in), append(s.place, uint16(i))
	}
}

// unused returns which of s.recs has made the predicate p of a branch that is left
// out, if nothing else reads it, and -1 otherwise.
func (s *Scheduler) unused(p isa.Reg, later []isa.Instr) int {
	if !p.IsPredicate() {
		return -1
	}
	reads := func(in *isa.Instr) bool {
		return in.A == p || in.B == p || in.C == p || in.Guard != 0 && isa.Predicate(int(in.Guard)-1) == p
	}
	k := len(s.recs) - 1
	for ; k >= 0 && s.recs[k].Dst != p && s.recs[k].Dst2 != p; k-- {
		if reads(&s.recs[k]) {
			return -1
		}
	}
	if k < 0 || s.recs[k].Dst != p || s.recs[k].Dst2 != isa.NoReg || s.recs[k].Guard != 0 || !s.recs[k].Op.Computes() {
		return -1
	}
	for i := range later {
		if reads(&later[i]) && !turn(&later[i]) {
			return -1
		}
		if later[i].Dst == p && later[i].Guard == 0 {
			return k
		}
	}
	return -1
}
