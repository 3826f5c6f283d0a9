package warp

import "unsafe"

// What depends on the order of blocks waits for the turn of the warp's group,
// which comes when all earlier groups have their values. A reduction whose old
// value nobody gets needs only be done in turn, not be waited for: it is put
// into a log, and the group goes on until one of its warps does something that
// could tell.

// turnState is how far a group is with its turn.
type turnState uint8

const (
	// turnAhead: nothing has depended on the order of blocks so far.
	turnAhead turnState = iota
	// turnDeferred: the group goes on as in its turn, but earlier groups may
	// not be done: reductions go into the log, and the next other access to
	// global memory takes the turn.
	turnDeferred
	// turnTaken: all earlier groups have their values.
	turnTaken
)

// Bounds of what is deferred: lanes in one log, and logs in one run. A group
// that would need more takes its turn instead.
const (
	maxDeferredLanes = 4096
	maxDeferredLogs  = 256
)

// A reductionLog is what a group will do to global memory when its turn comes,
// in order.
type reductionLog struct {
	ops   []deferredOp
	index []int    // elements, by op and active lane
	value []uint64 // operands; the first bytes of each are the value
}

// A deferredOp is one reduction, of the next so many lanes of the log.
type deferredOp struct {
	data  unsafe.Pointer // the array
	len   int            // its elements
	lanes int
	op    AtomicOp
	kind  Kind
}

// enterTurn lets the other warps of the group go as far as they can before the
// first instruction of this one that depends on the order of blocks. It does so
// whether it is the group's turn already or not, so that the outcome does not
// depend on that.
func (w *Warp) enterTurn() {
	g := w.group
	switch {
	case g.turn != turnAhead:
	case w.co != nil && g.explorer == nil:
		w.state = stateAwaitsTurn
		g.awaiting++
		w.suspend(eventTurn)
	default:
		g.beginTurn()
	}
}

// beginTurn lets the group go on as in its turn.
func (g *group) beginTurn() {
	if g.turn == turnAhead {
		g.turn = turnDeferred
		if !g.ahead {
			g.turn = turnTaken
		}
	}
}

// orderBlocks waits until all earlier groups of blocks have their values, so that
// what depends on the order of blocks comes out as if they had run one by one.
func (w *Warp) orderBlocks() {
	w.enterTurn()
	if w.group.turn == turnDeferred {
		w.group.takeTurn()
	}
}

// takeTurn waits for the turn of a group that has deferred reductions, and does
// these.
func (g *group) takeTurn() {
	g.waitForTurn()
	g.turn = turnTaken
	if g.log != nil {
		g.log.apply()
	}
}

// waitForTurn waits until all earlier groups have their values, and ends the kernel
// if one of them failed.
func (g *group) waitForTurn() {
	if !g.run.await(g.index) {
		if g.err == nil {
			g.err = errAborted
		}
		panic(abort{})
	}
	g.inTime()
}

// orderAccess is orderBlocks for an access that waits only if something has been
// deferred: one to the shared memory of b, or to global memory.
func (w *Warp) orderAccess(b *block) {
	if b == nil && w.group.turn == turnDeferred {
		w.group.takeTurn()
	}
}

// deferReduction puts a reduction of global memory into the group's log and
// reports whether it has done so; if not, the reduction has to be done in turn.
func deferReduction[T Number](w *Warp, op AtomicOp, m *Mem[T], at []int32, v *cell) bool {
	w.enterTurn()
	g := w.group
	if g.turn != turnDeferred || w.san != nil {
		return false
	}
	for l := range w.active.Lanes() {
		if uint(int(at[l])+m.offset) >= uint(len(m.data)) {
			return false // a fault after what the lower lanes do
		}
	}
	if g.log == nil {
		g.log = g.run.engine.logs.take()
	}
	log, n := g.log, w.active.Count()
	if len(log.index)+n > maxDeferredLanes || len(log.ops) == maxDeferredLanes {
		return false
	}
	log.ops = append(log.ops, deferredOp{unsafe.Pointer(unsafe.SliceData(m.data)), len(m.data), n, op, kindOf[T]()})
	operand := vals(Reg[T]{cell: v})
	for l := range w.active.Lanes() {
		log.index = append(log.index, int(at[l])+m.offset)
		log.value = append(log.value, 0)
		*(*T)(unsafe.Pointer(&log.value[len(log.value)-1])) = operand[l]
	}
	return true
}

// apply does what the log says, and empties it.
func (l *reductionLog) apply() {
	index, value := l.index, l.value
	for i := range l.ops {
		o := &l.ops[i]
		o.apply(index[:o.lanes], value[:o.lanes])
		index, value = index[o.lanes:], value[o.lanes:]
	}
	l.clear()
}

// clear empties the log without doing what it says.
func (l *reductionLog) clear() {
	clear(l.ops) // arrays must not be kept alive
	l.ops, l.index, l.value = l.ops[:0], l.index[:0], l.value[:0]
}

func (o *deferredOp) apply(index []int, value []uint64) {
	switch o.kind {
	case Int8:
		applyTo[int8](o, index, value)
	case Int16:
		applyTo[int16](o, index, value)
	case Int32:
		applyTo[int32](o, index, value)
	case Int64:
		applyTo[int64](o, index, value)
	case Uint8:
		applyTo[uint8](o, index, value)
	case Uint16:
		applyTo[uint16](o, index, value)
	case Uint32:
		applyTo[uint32](o, index, value)
	case Uint64:
		applyTo[uint64](o, index, value)
	case Float32:
		applyTo[float32](o, index, value)
	case Float64:
		applyTo[float64](o, index, value)
	}
}

func applyTo[T Number](o *deferredOp, index []int, value []uint64) {
	data := unsafe.Slice((*T)(o.data), o.len)
	for i, k := range index {
		combine(o.op, &data[k], *(*T)(unsafe.Pointer(&value[i])))
	}
}

// failedBefore reports whether a group before i has failed. r.mu is held.
func (r *run) failedBefore(i int) bool { return r.errGroup >= 0 && r.errGroup < i }

// abandons reports whether the run goes on without a group, and lets one know whose
// turn has come.
func (r *run) abandons(g *group) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failedBefore(g.index) {
		return true
	}
	if g.ahead && r.ordered >= g.index {
		g.inTime()
	}
	return false
}

// await returns once all groups before i have computed what they compute. It
// reports false if one of them failed.
func (r *run) await(i int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.awaitLocked(i)
}

func (r *run) awaitLocked(i int) bool {
	for r.ordered < i && !r.failedBefore(i) {
		r.turn.Wait()
	}
	return !r.failedBefore(i)
}

// handOver notes that a group computes no more, if that is not known yet. What it
// has deferred is done in its turn, by whoever comes to that. r.mu is held, but not
// all the time.
func (r *run) handOver(g *group) {
	log := g.log
	if log != nil && len(log.ops) == 0 {
		log = nil
	}
	if log != nil {
		if r.queued >= maxDeferredLogs {
			r.awaitLocked(g.index)
		}
		r.queued++
		g.log = nil
	}
	g.turn = turnTaken // nothing is left to do in it
	r.valued(g.index, log)
}

// valued notes that group i has its values but for a log, and does all logs whose
// turn it is. r.mu is held, but not meanwhile.
func (r *run) valued(i int, log *reductionLog) {
	if _, known := r.valueSet[i]; known || i < r.ordered || i == r.ordered && r.applying {
		return
	}
	if i != r.ordered { // most groups come in order
		if r.valueSet == nil {
			r.valueSet = map[int]*reductionLog{}
		}
		r.valueSet[i] = log
		return
	}
	r.applying = true
	for ok := true; ok; {
		if log != nil {
			r.inOrder(log)
		}
		r.ordered++
		r.turn.Broadcast()
		log, ok = r.valueSet[r.ordered]
		delete(r.valueSet, r.ordered)
	}
	r.applying = false
}

// inOrder does the log of the group whose turn it is, unless an earlier group has
// failed.
func (r *run) inOrder(log *reductionLog) {
	if r.failedBefore(r.ordered) {
		log.clear()
	} else {
		r.mu.Unlock()
		log.apply()
		r.mu.Lock()
	}
	r.queued--
	r.engine.logs.giveBack(log)
}

// flush does what a group that fails has deferred before it did.
func (r *run) flush(g *group) {
	if g.turn != turnDeferred {
		return
	}
	if r.await(g.index) {
		g.turn = turnTaken
		if g.log != nil {
			g.log.apply()
		}
	}
}
