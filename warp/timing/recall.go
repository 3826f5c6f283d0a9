package timing

import (
	"slices"

	"example.com/warpsim/warp/isa"
)

// Kernels are loops, and time in them soon repeats. So the machine is written
// down at checkpoints: if it has been in that state before, and its warps are
// about to issue the records that they issued then, what followed then follows
// now. The states are compared word by word and the records byte by byte, so that
// the figures are those of simulating each instruction.
//
// A loop is in the same state only when it is in the same place. Checkpoints are
// therefore taken where one warp, the lead, is about to issue the same few
// records as at the checkpoint before.
type recall struct {
	lead   *warp
	anchor [anchorLength]isa.Instr
	stride int // records of a warp between checkpoints, at least
	missed int // checkpoints in a row at which nothing was known
	last   int // of Multiprocessor.due: then a checkpoint is taken anywhere

	// What is being recorded: since when, and what there was then.
	open   bool
	start  Cycle
	since  []Cycle
	hash   uint64
	begins []begin
	byOp   [isa.NumOps]OpTotals

	present  snapshot
	known    []*stretch
	hashes   []uint64 // of the states that they begin in
	uses     int64
	repeated int64 // stretches
}

const (
	anchorLength = 4
	firstStride  = 32
	lastStride   = 2048
	maxStretches = 32
	patience     = 4
	// worthRecalling is below the shortest stretch: a host that ticks has no use of them.
	worthRecalling = 4
	maxRecords     = 1 << 16 // of all warps in a stretch
	respite        = 8
	// worthwhile is how many instructions a run has before anything is written
	// down, as long as nothing is known.
	worthwhile = 512
)

// begin is where a warp stood when a recording began.
type begin struct {
	next   int
	cycles perReason
}

// A stretch is what happened from one checkpoint to the next.
type stretch struct {
	begin, end []Cycle // snapshots
	endHash    uint64
	length     Cycle
	lead       int32 // slot of the warp that leads from its end on
	anchor     [anchorLength]isa.Instr
	parts      []part // by slot
	recs       []isa.Instr
	ops        []opChange
	index      int   // among the known
	made, used int64 // when it was recorded, and last of use
	// follower is what followed it the last time, if that was made at madeThen:
	// else another stretch has taken its place.
	follower *stretch
	madeThen int64
}

// A part is one warp's part in a stretch: the records that it issued and the one
// behind them are recs[from:to] of the stretch. A warp without a next record has
// none.
type part struct {
	from, to int
	cycles   perReason
}

// issued returns how many records the warp went on.
func (p *part) issued() int { return max(p.to-p.from-1, 0) }

type opChange struct {
	op isa.Op
	OpTotals
}

// reset prepares for a run from the start, and returns when the first checkpoint
// is due.
func (r *recall) reset() int {
	r.lose()
	r.lead, r.stride, r.missed, r.last = nil, firstStride, 0, 0
	if r.known == nil {
		return worthwhile
	}
	return 0
}

// lose gives up the recording: something happened that is not in it.
func (r *recall) lose() { r.open = false }

// anchored reports whether a checkpoint may be due before w issues: m.due says that
// it is, and w is where the last one was taken or no such place has come by.
func (m *Multiprocessor) anchored(w *warp) bool {
	return m.due < 0 && (w == m.recall.lead && w.recs[w.next] == m.recall.anchor[0] || m.due < m.recall.last)
}

// checkpoint is called before w issues, where it is anchored. It reports whether
// time has moved on.
func (m *Multiprocessor) checkpoint(w *warp, bound Cycle) bool {
	r := &m.recall
	if m.told {
		m.due = 1 << 30 // each instruction has to be told of
		return false
	}
	if bound-m.now < worthRecalling {
		m.due = r.stride * m.active
		r.last = -m.due
		r.lose()
		return false
	}
	ahead := w.recs[w.next:]
	if len(ahead) < anchorLength || m.due >= r.last && [anchorLength]isa.Instr(ahead) != r.anchor {
		return false
	}
	r.lead, r.anchor = w, [anchorLength]isa.Instr(ahead)
	m.due = r.stride * m.active
	r.last = -m.due
	if !m.possible() {
		r.lose()
		return false
	}
	s := &r.present
	s.words, s.now, s.load = s.words[:0], m.now, false
	s.machine(m)
	hash := s.hash()
	if r.open {
		m.record(hash)
	}
	words, moved, more := s.words, false, true
	for before := (*stretch)(nil); ; {
		x := m.find(before, words, hash)
		if x == nil {
			break
		}
		if more = m.now+x.length < bound; !more {
			break // it is known, but stops on the way
		}
		m.repeat(x)
		words, hash, moved = x.end, x.endHash, true
		before = x
	}
	if moved {
		r.missed = 0
		back := snapshot{words: words, now: m.now, load: true}
		back.machine(m)
	} else if r.missed++; r.missed > patience {
		r.missed = 0
		if r.stride *= 2; r.stride > lastStride || r.stride*m.active > maxRecords/2 {
			r.stride /= 2
			m.due *= respite // nothing seems to come back
		}
	}
	if r.open = more; more {
		m.startRecording(words, hash)
	}
	return moved
}

// startRecording begins at a checkpoint, with the state that the machine is in.
func (m *Multiprocessor) startRecording(words []Cycle, hash uint64) {
	r := &m.recall
	r.start, r.hash = m.now, hash
	r.since = append(r.since[:0], words...)
	copy(r.byOp[:], m.byOp[:])
	r.begins = slices.Grow(r.begins[:0], len(m.warps))[:len(m.warps)]
	for i, w := range m.warps {
		r.begins[i] = begin{w.next, w.cycles}
	}
	for i := range m.ports {
		m.ports[i].beyond = false
	}
}

// record ends the recording at a checkpoint and keeps the stretch in place of
// the one that has been of no use for longest.
func (m *Multiprocessor) record(hash uint64) {
	r := &m.recall
	if !m.recordable() {
		return
	}
	if r.known == nil {
		r.makeRoom(len(r.present.words), len(m.warps))
	}
	x := r.room()
	r.hashes[x.index] = r.hash
	x.endHash, x.length, x.follower = hash, m.now-r.start, nil
	x.begin, x.end = append(x.begin[:0], r.since...), append(x.end[:0], r.present.words...)
	x.lead, x.anchor = r.lead.slot, r.anchor
	x.recs, x.parts = x.recs[:0], x.parts[:0]
	before := []isa.Instr(nil)
	for i, w := range m.warps {
		b := &r.begins[i]
		p := part{cycles: w.cycles}
		for k, c := range b.cycles {
			p.cycles[k] -= c
		}
		if w.next < len(w.recs) {
			recs := w.recs[b.next : w.next+1]
			// Warps of a block mostly issue the same.
			if !isa.Equal(recs, before) {
				x.recs = append(x.recs, recs...)
			}
			before = recs
			p.from, p.to = len(x.recs)-len(recs), len(x.recs)
		}
		x.parts = append(x.parts, p)
	}
	x.ops = x.ops[:0]
	for op := range r.byOp {
		if n := m.byOp[op].Count - r.byOp[op].Count; n > 0 {
			x.ops = append(x.ops, opChange{isa.Op(op), OpTotals{n, m.byOp[op].Cycles - r.byOp[op].Cycles}})
		}
	}
}

// recordable reports whether the stretch that ends is one to keep: what happened
// in it happens whenever it begins, and its records are not too many.
func (m *Multiprocessor) recordable() bool {
	for i := range m.ports {
		if m.ports[i].beyond {
			return false
		}
	}
	n := 0
	for i, w := range m.warps {
		n += w.next - m.recall.begins[i].next
	}
	return n <= maxRecords
}

// makeRoom makes the stretches, with memory for states of about so many words,
// all at once: a run that goes on allocates nothing.
func (r *recall) makeRoom(words, warps int) {
	const ops = 16
	words += words/2 + 24*warps
	stretches := make([]stretch, maxStretches)
	states := make([]Cycle, 2*maxStretches*words)
	parts := make([]part, maxStretches*warps)
	recs := make([]isa.Instr, maxStretches*4*firstStride)
	changes := make([]opChange, maxStretches*ops)
	r.known, r.hashes = make([]*stretch, maxStretches), make([]uint64, maxStretches)
	for i := range stretches {
		x := &stretches[i]
		r.known[i] = x
		x.index = i
		x.begin, x.end = cut(&states, words), cut(&states, words)
		x.parts, x.recs, x.ops = cut(&parts, warps), cut(&recs, 4*firstStride), cut(&changes, ops)
	}
}

// cut takes an empty slice with room for n from the front of a slab.
func cut[T any](slab *[]T, n int) []T {
	x := (*slab)[:0:n]
	*slab = (*slab)[n:]
	return x
}

// room returns a stretch to fill.
func (r *recall) room() *stretch {
	r.uses++
	oldest := 0
	for i, x := range r.known {
		if x.used < r.known[oldest].used {
			oldest = i
		}
	}
	x := r.known[oldest]
	x.used, x.made = r.uses, r.uses
	return x
}

// find returns what followed the state when the warps were about to issue what
// they are about to issue now, nil if that is not known. before is the stretch
// that ended in the state, nil if none did.
func (m *Multiprocessor) find(before *stretch, words []Cycle, hash uint64) *stretch {
	if before != nil {
		// What followed it the last time needs no comparison of states.
		if x := before.follower; x != nil && x.made == before.madeThen && m.issues(x) {
			return x
		}
	}
	r := &m.recall
	for i, h := range r.hashes {
		if x := r.known[i]; h == hash && x.made > 0 && m.issues(x) && slices.Equal(x.begin, words) {
			if before != nil {
				before.follower, before.madeThen = x, x.made
			}
			return x
		}
	}
	return nil
}

// issues reports whether the warps are about to issue the records of a stretch.
func (m *Multiprocessor) issues(x *stretch) bool {
	for i, w := range m.warps {
		p := &x.parts[i]
		n := p.to - p.from
		if n > len(w.recs)-w.next || !isa.Equal(w.recs[w.next:w.next+n], x.recs[p.from:p.to]) {
			return false
		}
	}
	return true
}

// repeat lets pass what happened in a stretch, but for the state it ends in.
func (m *Multiprocessor) repeat(x *stretch) {
	m.now += x.length
	for i, w := range m.warps {
		w.next += x.parts[i].issued()
		w.cycles.add(&x.parts[i].cycles)
	}
	for _, o := range x.ops {
		m.byOp[o.op].Count += o.Count
		m.byOp[o.op].Cycles += o.Cycles
	}
	r := &m.recall
	r.uses++
	r.repeated++
	x.used = r.uses
	r.lead, r.anchor = m.warps[x.lead], x.anchor
}
