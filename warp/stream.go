package warp

import (
	"math/bits"
	"slices"

	"example.com/warpsim/warp/grid"
	"example.com/warpsim/warp/internal/order"
	"example.com/warpsim/warp/isa"
)

// bufferRecords is how many instructions a warp runs before the other warps of
// its group get their turn. It is part of the semantics of racy kernels.
const bufferRecords = 4096

// A stream is where a warp writes its records. When the buffer is full, or the
// warp is done, they are put away for the timing model, see records.
type stream struct {
	// What every instruction touches.
	n    int // records in buf
	room int // records that buf takes with no more to do; 0: each is looked at, see Warp.hook
	buf  []isa.Instr

	lines   []isa.Line // of global memory, that the records in buf touch
	touched []uint64   // words of the lines of the access at work, a bit each
	early   int        // of these, at the end, those of a record that comes next
	sites   []uint32   // source sites of buf, nil if not recorded
	total   int64      // records of the kernel that buf no longer holds

	known   order.Known // of its registers, see keep
	encoded bool        // some instructions were encoded: see Config.Order
}

// begin makes the stream ready for another kernel.
func (s *stream) begin(sites bool) {
	s.n, s.total, s.lines, s.early, s.encoded = 0, 0, s.lines[:0], 0, false
	s.known = order.Known{}
	if len(s.buf) > bufferRecords { // see stretch
		s.buf = s.buf[:bufferRecords]
		if s.sites != nil {
			s.sites = s.sites[:bufferRecords]
		}
	}
	if sites && s.sites == nil {
		s.sites = make([]uint32, len(s.buf))
	}
}

// made is how many records the kernel has made.
func (s *stream) made() int64 { return s.total + int64(s.n) }

// empty forgets the records of buf.
func (s *stream) empty() {
	s.total += int64(s.n)
	s.n, s.lines, s.early = 0, append(s.lines[:0], s.lines[len(s.lines)-s.early:]...), 0
}

// spill makes room in a full record buffer: the warp pauses, and the other warps
// of the group catch up.
func (w *Warp) spill() {
	if w.group.driven() {
		w.group.drain()
		return
	}
	if w.co != nil && w.outside() {
		w.stretch()
		return
	}
	if w.co != nil {
		w.state, w.group.full = stateFull, true
		w.suspend(eventFull)
	}
	if w.n == len(w.buf) {
		// Alone in the group there is nobody to hand over to.
		w.group.drain()
	}
}

// stretch makes a full record buffer longer, for a host that issues from a goroutine
// of its own: only the kernel's can hand over to the other warps. The next kernel has
// one of the usual length again.
func (w *Warp) stretch() {
	w.buf = append(w.buf, make([]isa.Instr, len(w.buf))...)
	if w.sites != nil {
		w.sites = append(w.sites, make([]uint32, len(w.buf)-len(w.sites))...)
	}
}

// advance puts away what the warps have recorded. With end set, they have no more.
// A context that is done ends the group here.
func (g *group) advance(live []*Warp, end bool) error {
	if err := g.ctx.Err(); err != nil {
		return err
	}
	if g.run.abandons(g) {
		return errAborted
	}
	for _, w := range live {
		if g.run.clock != nil {
			r := &g.records[w.block.slot].warps[w.id]
			if w.n > 0 {
				r.keep(&w.stream, g.knownRecords(), g.orderOf(w))
			}
			r.done = w.state == stateDone
		}
		w.empty()
	}
	if g.run.clock != nil && !end {
		return g.run.ahead(g)
	}
	return nil
}

// drain empties the buffers of a group whose warps do not hand over to each other.
func (g *group) drain() {
	if err := g.advance(g.warps[:g.used*g.run.warps], false); err != nil {
		if g.err == nil {
			g.err = err
		}
		panic(abort{})
	}
}

// blockRecords are the records of a block, from when its warps make them until
// the timing model is through with them.
type blockRecords struct {
	warps []warpRecords
}

// warpRecords are those of one warp, in pieces.
type warpRecords struct {
	pieces []piece
	first  int // piece that the timing model has not had
	kept   int
	done   bool // there will be no more
	at     []int32
	from   []int32 // of the piece that was kept last
}

// A piece is a buffer full of records. Those of regular kernels are alike for
// many warps, and kept once; what is not is in own.
type piece struct {
	grid.Chunk
	own []isa.Instr
}

// begin makes room for the records of so many warps.
func (b *blockRecords) begin(warps int) {
	if len(b.warps) < warps {
		b.warps = append(b.warps, make([]warpRecords, warps-len(b.warps))...)
	}
	for i := range b.warps {
		b.warps[i].first, b.warps[i].kept, b.warps[i].done = 0, 0, false
	}
}

// keep puts away what is in a stream's buffer, in the order that o gives it; nil
// leaves it as it is.
func (r *warpRecords) keep(s *stream, known *knownRecords, o *order.Scheduler) {
	if through := r.first - 1; r.kept == len(r.pieces) && through > 0 {
		// It still reads the last one that it has had; those before go to the end.
		slices.Reverse(r.pieces[:through])
		slices.Reverse(r.pieces[through:])
		slices.Reverse(r.pieces)
		r.first, r.kept = r.first-through, r.kept-through
	}
	if r.kept == len(r.pieces) {
		r.pieces = append(r.pieces, piece{})
	}
	p := &r.pieces[r.kept]
	r.kept++
	recs := s.buf[:s.n]
	var from []int32 // nil: as they are
	k := known.find(recs, o, &s.known)
	switch {
	case k != nil:
		p.Recs, from = k.out, k.from
	default:
		if cap(p.own) < len(recs) { // pieces are of any size: make room for the next ones too
			p.own = make([]isa.Instr, 0, 1<<bits.Len(uint(len(recs)-1)))
		}
		if o == nil {
			p.own = append(p.own[:0], recs...)
		} else {
			p.own, r.from = o.Order(recs, p.own[:0], r.from[:0], &s.known)
			from = r.from
		}
		p.Recs = p.own
	}
	p.Lines, p.Sites = p.Lines[:0], p.Sites[:0]
	if from == nil {
		p.Lines = append(p.Lines, s.lines...)
		if s.sites != nil {
			p.Sites = append(p.Sites, s.sites[:s.n]...)
		}
		return
	}
	if len(s.lines) > 0 {
		p.Lines = r.reorder(p.Lines, s, p.Recs, from)
	}
	if s.sites != nil {
		for _, f := range from {
			p.Sites = append(p.Sites, s.sites[f])
		}
	}
}

// reorder appends the lines that the records of a stream touch, in the order recs in which
// these come: record i is the one that stands at from[i] in the stream, or stands for its
// address.
func (r *warpRecords) reorder(lines []isa.Line, s *stream, recs []isa.Instr, from []int32) []isa.Line {
	r.at = r.at[:0]
	n := int32(0)
	for i := range s.buf[:s.n] {
		r.at = append(r.at, n)
		if in := &s.buf[i]; in.TouchesLines() {
			for n++; !s.lines[n-1].Last(); n++ {
			}
		}
	}
	s.early = len(s.lines) - int(n) // noted before a full buffer was taken
	for i, f := range from {
		if recs[i].TouchesLines() {
			k := r.at[f]
			begin := len(lines)
			for lines = append(lines, s.lines[k]); !s.lines[k].Last(); lines = append(lines, s.lines[k]) {
				k++
			}
			if recs[i].Active < s.buf[f].Active { // combined: one lane's, on one word
				x := lines[begin]
				lines[begin] = isa.MakeLine(x.Number(), x.Sectors(), 1, 1, x.Word()).End()
			}
		}
	}
	return lines
}

// next returns the next piece, an empty one if there is none.
func (r *warpRecords) next() grid.Chunk {
	if r.first == r.kept {
		return grid.Chunk{}
	}
	c := r.pieces[r.first].Chunk
	if len(c.Sites) == 0 {
		c.Sites = nil
	}
	r.first++
	return c
}

// knownRecords are pieces that have been seen before.
type knownRecords [256]knownPiece

type knownPiece struct {
	hash uint64
	recs []isa.Instr // nil: seen once
	out  []isa.Instr // in order
	from []int32     // nil: out is recs

	before, after order.Known
}

// knownRecords is nil if nothing is gained by them: the records of a run of one
// group are taken as they are made.
func (g *group) knownRecords() *knownRecords {
	if g.run.groups == 1 {
		return nil
	}
	return &g.known
}

// find returns a piece of equal records, of a warp of which the same is known, that is kept
// for good, nil if these have not been seen before. If it is there, now is what is known
// behind it.
func (k *knownRecords) find(recs []isa.Instr, o *order.Scheduler, now *order.Known) *knownPiece {
	if k == nil {
		return nil
	}
	h := isa.Hash(recs) ^ now.Hash()
	if o == nil {
		h = ^h
	}
	x := &k[h>>56]
	switch {
	case x.hash != h:
		x.hash, x.recs = h, nil
		return nil
	case x.recs == nil:
		x.recs, x.before = append([]isa.Instr(nil), recs...), *now
		x.out, x.from = x.recs, nil
		if o != nil {
			x.out, x.from = o.Order(recs, make([]isa.Instr, 0, len(recs)), make([]int32, 0, len(recs)), now)
		}
		x.after = *now
	case x.before != *now || !isa.Equal(x.recs, recs):
		return nil
	}
	*now = x.after
	return x
}

// orderOf returns what puts the records of a warp into order, nil if they stay as
// they are.
func (g *group) orderOf(w *Warp) *order.Scheduler {
	if w.encoded {
		return nil
	}
	return g.order
}
