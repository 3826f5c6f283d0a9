package warp

import (
	"cmp"
	"slices"
	"unsafe"
)

// Groups of blocks that run before their turn may do so in vain: if a group before
// them fails, one processor would never have come to them. So what such a group
// does is kept apart until all groups before it are through. Atomics wait for their
// turn anyway; of stores the old values are kept, and put back if need be. Groups in
// their turn, and runs on one processor, keep nothing.

// Bounds of the old values that are kept, in bytes with what says where they belong:
// of a group before equal places are looked for, of a group, of a run. A group that
// would need more waits for its turn.
const (
	undoTidy     = 1 << 20
	maxUndoGroup = 32 << 20
	maxUndoRun   = 256 << 20
)

// An undoLog is what a group has overwritten in global memory, in order.
type undoLog struct {
	places []undoPlace
	old    []byte
	tidy   int // the size from which on equal places are looked for
}

// An undoPlace is n bytes from at on, whose old values begin at index from.
type undoPlace struct {
	at   unsafe.Pointer
	n    int
	from int
}

func (u *undoLog) bytes() int { return len(u.old) + len(u.places)*int(unsafe.Sizeof(undoPlace{})) }

// keep notes n bytes from at on, which are about to be overwritten.
func (u *undoLog) keep(at unsafe.Pointer, n int) {
	u.places = append(u.places, undoPlace{at, n, len(u.old)})
	u.old = append(u.old, unsafe.Slice((*byte)(at), n)...)
}

// undo puts back what was there before the first store.
func (u *undoLog) undo() {
	for _, p := range slices.Backward(u.places) {
		copy(unsafe.Slice((*byte)(p.at), p.n), u.old[p.from:])
	}
	u.clear()
}

// clear forgets all, and keeps no array alive.
func (u *undoLog) clear() {
	clear(u.places)
	u.places, u.old, u.tidy = u.places[:0], u.old[:0], undoTidy
}

// drop forgets the values of places that were noted before.
func (u *undoLog) drop() {
	slices.SortFunc(u.places, func(a, b undoPlace) int {
		return cmp.Or(cmp.Compare(uintptr(a.at), uintptr(b.at)), cmp.Compare(a.n, b.n), cmp.Compare(a.from, b.from))
	})
	kept := slices.CompactFunc(u.places, func(a, b undoPlace) bool { return a.at == b.at && a.n == b.n })
	clear(u.places[len(kept):])
	u.places = kept
	slices.SortFunc(u.places, func(a, b undoPlace) int { return cmp.Compare(a.from, b.from) })
	n := 0
	for i := range u.places {
		p := &u.places[i]
		copy(u.old[n:], u.old[p.from:p.from+p.n])
		p.from = n
		n += p.n
	}
	u.old = u.old[:n]
	u.tidy = max(undoTidy, 2*u.bytes())
}

// keepOld notes what a store to global memory is about to overwrite, by a group that
// is ahead. Elements outside of the array are left out, as the store does.
func keepOld[T any](w *Warp, m *Mem[T], at []int32, run bool) {
	g := w.group
	if g.roomToUndo(); !g.ahead {
		return
	}
	u := g.undo
	var zero T
	size := int(unsafe.Sizeof(zero))
	if k := int(at[0]) + m.offset; run && k >= 0 && k <= len(m.data)-w.lanes {
		u.keep(unsafe.Pointer(&m.data[k]), w.lanes*size)
		return
	}
	for l := range w.active.Lanes() {
		k := int(at[l]) + m.offset
		if uint(k) >= uint(len(m.data)) {
			return
		}
		u.keep(unsafe.Pointer(&m.data[k]), size)
	}
}

// Overwrites says that bytes of global memory are about to be written by the warp. It
// must be called before every store that does not go through the package.
func (f Front) Overwrites(data []byte) {
	if g := f.w.group; g.ahead && len(data) > 0 {
		g.overwrites(data)
	}
}

func (g *group) overwrites(data []byte) {
	if g.roomToUndo(); g.ahead {
		g.undo.keep(unsafe.Pointer(unsafe.SliceData(data)), len(data))
	}
}

// roomToUndo makes room in the log of a group that is ahead, or waits for its turn.
func (g *group) roomToUndo() {
	if g.undo == nil {
		g.undo = g.run.engine.undos.take()
		g.undo.tidy = undoTidy
	}
	if g.undo.bytes() < g.undo.tidy {
		return
	}
	if g.undo.drop(); g.undo.bytes() < maxUndoGroup {
		return
	}
	g.waitForTurn()
}

// inTime notes that all groups before this one are through, so that nothing that it
// has done will be undone.
func (g *group) inTime() {
	g.ahead = false
	if g.undo != nil {
		g.undo.clear()
	}
}

// An outcome is what a group has come to that was through before its turn.
type outcome struct {
	faults faultList
	undo   *undoLog
	blocks int // of the group, 0 if it has failed
	counted
}

// outcomeOf takes what the group has come to out of it.
func (r *run) outcomeOf(g *group, err error) *outcome {
	o := r.engine.outcomes.take()
	o.faults, g.faults = g.faults, faultList{}
	o.undo, g.undo = g.undo, nil
	if o.undo != nil {
		r.undoBytes += o.undo.bytes()
	}
	if err == nil {
		o.blocks = g.used
	}
	if err == nil && g.ahead { // they have been added up if it was not
		o.counted = g.counted
	}
	return o
}

// book adds up an outcome, whose turn has come, and gives it back.
func (r *run) book(o *outcome) {
	r.faults.merge(&o.faults)
	r.blocksOK += o.blocks
	r.totals.count(&o.counted)
	r.forget(o)
}

// forget gives an outcome back.
func (r *run) forget(o *outcome) {
	if o.undo != nil {
		r.undoBytes -= o.undo.bytes()
		o.undo.clear()
		r.engine.undos.giveBack(o.undo)
	}
	*o = outcome{}
	r.engine.outcomes.giveBack(o)
}

// undo puts back what groups have overwritten that come after the one that failed,
// the last first. All workers are through.
func (r *run) undo() {
	groups := make([]int, 0, len(r.done))
	for i := range r.done {
		groups = append(groups, i)
	}
	slices.Sort(groups)
	for _, i := range slices.Backward(groups) {
		o := r.done[i]
		if o.undo != nil {
			r.undoBytes -= o.undo.bytes()
			o.undo.undo()
			r.engine.undos.giveBack(o.undo)
			o.undo = nil
		}
		r.forget(o)
	}
	clear(r.done)
}
