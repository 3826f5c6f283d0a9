package order

import (
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

	// most bounds the records of a window.
	most = 512
	// remembered windows, a power of two.
	remembered = 512
)

// A Scheduler orders the records of warps. It is not safe for concurrent use.
type Scheduler struct {
	table *timing.Table
	first int // row that no kernel has

	known [remembered]window
	out   []isa.Instr
	from  []int32

	values
	list
}

// A window is one that has been ordered.
type window struct {
	hash uint64
	recs []isa.Instr
	out  []isa.Instr
	from []uint16
}

// New returns a scheduler for a device whose costs t has, and whose threads have so
// many registers.
func New(t *timing.Table, registers int) *Scheduler {
	return &Scheduler{table: t, first: (registers + 1) &^ 1}
}

// Order returns records in the order of a compiler, and for each the place of the
// one that it comes from: of those that are left out, none does. Both are valid
// until the next call.
func (s *Scheduler) Order(recs []isa.Instr) ([]isa.Instr, []int32) {
	if s == nil || s.table == nil {
		from := make([]int32, len(recs))
		for i := range from {
			from[i] = int32(i)
		}
		return recs, from // none that New made
	}
	s.out, s.from = s.out[:0], s.from[:0]
	for at := 0; at < len(recs); {
		n := s.cut(recs[at:])
		if n == 1 {
			s.out, s.from = append(s.out, recs[at]), append(s.from, int32(at))
			at++
			continue
		}
		w := s.window(recs[at : at+n])
		s.out = append(s.out, w.out...)
		for _, f := range w.from {
			s.from = append(s.from, int32(at)+int32(f))
		}
		at += n
	}
	return s.out, s.from
}

// window returns a window in order.
func (s *Scheduler) window(recs []isa.Instr) *window {
	h := isa.Hash(recs)
	w := &s.known[h>>32%remembered]
	if w.hash == h && isa.Equal(w.recs, recs) {
		return w
	}
	w.hash = h
	w.recs = append(w.recs[:0], recs...)
	w.out, w.from = w.out[:0], w.from[:0]
	s.order(w)
	return w
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

// cut returns how many of the records are the first window: up to a wall.
func (s *Scheduler) cut(recs []isa.Instr) int {
	loads, turns, begin, end := 0, 0, 0, min(len(recs), most)
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
			if turns >= Turns && (loads >= Loads || loads == 0) || !another(recs[begin:end]) {
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
	return end
}

// another reports whether a whole turn of a loop follows.
func another(recs []isa.Instr) bool {
	for i := range recs {
		if turn(&recs[i]) {
			return true
		}
		if wall(&recs[i]) {
			return false
		}
	}
	return false
}

// order fills in out and from of a window.
func (s *Scheduler) order(w *window) {
	recs := w.recs
	n := len(recs)
	last := n > 0 && wall(&recs[n-1])
	if last {
		n--
	}
	s.fold(recs[:n])
	if len(s.recs) > 1 {
		s.build()
		s.schedule(w)
	} else {
		w.out, w.from = append(w.out, s.recs...), append(w.from, s.place...)
	}
	if last {
		w.out, w.from = append(w.out, recs[n]), append(w.from, uint16(n))
	}
}

// fold copies the records of a window to s.recs, but for the branches of a loop
// inside, and what only they need, and makes selects of guarded moves.
func (s *Scheduler) fold(recs []isa.Instr) {
	s.recs, s.place = s.recs[:0], s.place[:0]
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
