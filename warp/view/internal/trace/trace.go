// Package trace writes runs as a trace in the protobuf form of Perfetto. A
// nanosecond of the trace is a cycle.
//
// A multiprocessor is a process. Every warp has a track: an instruction is a slice
// from the issue of the one before to its own, inside which are the reasons for which
// it waited, and a last slice is what came behind the last instruction, so that the
// slices of a warp fill the time of its block. Every pipe of a sub-partition has a
// track of when it was taken, every place for a block one of the blocks that ran
// there. Counters say how many lanes were active, how long an instruction queued
// for its pipe or port, and how many instructions waited for global memory.
package trace

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"

	"example.com/warpsim/warp/grid"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"
	"example.com/warpsim/warp/view/internal/tape"
)

// A Writer writes one trace as instructions are issued.
type Writer struct {
	p packets

	mps    []*mp
	pipeOf []string // by op
	ops    [isa.NumOps]uint64
	waits  []uint64       // names of reasons
	blocks map[int]*block // of the present launch
	places []uint64       // by site, plus one
}

type mp struct {
	track                 uint64
	lanes, queue, flying  uint64 // counters
	lanesAt, queueAt, fly int64  // their values
	pipes                 map[pipeKey]uint64
	byOp                  [maxSubs][isa.NumOps]uint64 // tracks of pipes
	slots                 []uint64                    // tracks of places for blocks
}

type pipeKey struct {
	sub  int
	pipe string
}

// A block is the tracks of its warps, and up to where each is written.
type block struct {
	tracks []uint64
	ends   []timing.Cycle
}

// New begins a trace.
func New(w io.Writer) *Writer {
	t := &Writer{blocks: map[int]*block{}}
	t.p = packets{w: bufio.NewWriterSize(w, 1<<16), names: map[string]uint64{}, places: map[string]uint64{}}
	for _, r := range timing.Reasons() {
		t.waits = append(t.waits, t.p.name(r.String()))
	}
	return t
}

// Close ends the trace and returns the first error of its writer.
func (t *Writer) Close() error { return t.p.w.Flush() }

func (t *Writer) multiprocessor(n int) *mp {
	for n >= len(t.mps) {
		t.mps = append(t.mps, nil)
	}
	m := t.mps[n]
	if m == nil {
		m = &mp{track: t.p.track(fmt.Sprintf("multiprocessor %d", n), 0, false), pipes: map[pipeKey]uint64{}, lanesAt: -1}
		m.lanes = t.p.track("active lanes", m.track, true)
		m.queue = t.p.track("cycles queued for pipe or port", m.track, true)
		m.flying = t.p.track("instructions waiting for global memory", m.track, true)
		t.mps[n] = m
	}
	return m
}

// maxSubs is for how many sub-partitions tracks are found fast.
const maxSubs = 8

// pipe returns the track of the pipe that an op takes in a sub-partition, 0 if it takes
// none.
func (t *Writer) pipe(m *mp, sub int, op isa.Op) uint64 {
	if op >= isa.NumOps || t.pipeOf[op] == "" {
		return 0
	}
	id := &m.byOp[sub%maxSubs][op]
	if *id == 0 || sub >= maxSubs {
		k := pipeKey{sub, t.pipeOf[op]}
		if m.pipes[k] == 0 {
			m.pipes[k] = t.p.track(fmt.Sprintf("sub-partition %d pipe %s", k.sub, k.pipe), m.track, false)
		}
		*id = m.pipes[k]
	}
	return *id
}

// op returns the number of an op's name.
func (t *Writer) op(o isa.Op) uint64 {
	if o >= isa.NumOps {
		return t.p.name(o.String())
	}
	if t.ops[o] == 0 {
		t.ops[o] = t.p.name(o.String())
	}
	return t.ops[o]
}

// place returns the number of a source line, 0 for an unknown one.
func (t *Writer) place(tp *tape.Tape, site uint32) uint64 {
	if site == 0 {
		return 0
	}
	for int(site) >= len(t.places) {
		t.places = append(t.places, 0)
	}
	if t.places[site] == 0 {
		s := tp.Sites[site]
		t.places[site] = t.p.place(s.File, s.Func, s.Line, fmt.Sprint(site))
	}
	return t.places[site]
}

// warp returns the track of a warp, and its block.
func (t *Writer) warp(m *mp, number, warp int) (uint64, *block) {
	b := t.blocks[number]
	if b == nil {
		b = &block{}
		t.blocks[number] = b
	}
	for len(b.tracks) <= warp {
		b.tracks = append(b.tracks, t.p.track(fmt.Sprintf("block %d warp %d", number, len(b.tracks)), m.track, false))
		b.ends = append(b.ends, -1)
	}
	return b.tracks[warp], b
}

// slice writes one that has no others inside.
func (t *Writer) slice(track uint64, from, to timing.Cycle, name uint64) {
	t.p.event(sliceBegin, track, int64(from), name, 0, 0)
	t.p.event(sliceEnd, track, int64(to), 0, 0, 0)
}

// Issue writes an instruction.
func (t *Writer) Issue(tp *tape.Tape, i *tape.Issue, waits []tape.Wait) {
	if t.pipeOf == nil {
		for op := range isa.NumOps {
			t.pipeOf = append(t.pipeOf, tp.Device.Timing.Ops[op.String()].Pipe)
		}
	}
	m := t.multiprocessor(int(i.Multiprocessor))
	track, b := t.warp(m, int(i.Block), int(i.Warp))
	at := i.Cycle
	for _, w := range waits {
		at -= w.Cycles
	}
	name, place := t.op(i.Op), t.place(tp, i.Site)
	t.p.event(sliceBegin, track, int64(at), name, place, 0)
	for _, w := range waits {
		t.slice(track, at, at+w.Cycles, t.waits[w.Reason])
		at += w.Cycles
	}
	t.p.event(sliceEnd, track, int64(i.Cycle+1), 0, 0, 0)
	b.ends[i.Warp] = i.Cycle + 1
	if pipe := t.pipe(m, int(i.Sub), i.Op); pipe != 0 && i.Free > i.Start {
		t.slice(pipe, i.Cycle+timing.Cycle(i.Start), i.Cycle+timing.Cycle(i.Free), name)
	}
	t.count(m.lanes, &m.lanesAt, i.Cycle, int64(i.Active))
	t.count(m.queue, &m.queueAt, i.Cycle, int64(i.Start))
	t.count(m.flying, &m.fly, i.Cycle, int64(i.Flying))
}

// count writes a counter's value if it has changed.
func (t *Writer) count(track uint64, was *int64, at timing.Cycle, now int64) {
	if *was != now {
		*was = now
		t.p.event(counter, track, int64(at), 0, 0, now)
	}
}

// End writes the blocks of a launch, and what their warps did behind their last
// instructions.
func (t *Writer) End(_ *tape.Tape, l *tape.Launch) {
	blocks := slices.Clone(l.Blocks)
	slices.SortFunc(blocks, func(a, b grid.Block) int {
		return cmp.Or(cmp.Compare(a.Begin, b.Begin), a.Block-b.Block)
	})
	free := map[*mp][]timing.Cycle{} // when each place is
	behind := t.p.name("behind the last instruction")
	for _, x := range blocks {
		m := t.multiprocessor(x.Multiprocessor)
		slot := slices.IndexFunc(free[m], func(c timing.Cycle) bool { return c <= x.Begin })
		if slot < 0 {
			slot = len(free[m])
			free[m] = append(free[m], 0)
		}
		for len(m.slots) <= slot {
			m.slots = append(m.slots, t.p.track(fmt.Sprintf("place %d for blocks", len(m.slots)), m.track, false))
		}
		end := x.Begin + x.Cycles
		free[m][slot] = end
		t.slice(m.slots[slot], l.Start+x.Begin, l.Start+end, t.p.name(fmt.Sprintf("block %d", x.Block)))
		if b := t.blocks[x.Block]; b != nil {
			for w, track := range b.tracks {
				if from := b.ends[w]; from >= 0 && from < l.Start+end {
					t.slice(track, from, l.Start+end, behind)
				}
			}
		}
	}
	clear(t.blocks)
}

// Write writes what a tape has kept.
func Write(w io.Writer, tp *tape.Tape) error {
	t := New(w)
	next := 0
	for l := range tp.Launches {
		for ; next < len(tp.Issues) && int(tp.Issues[next].Launch) == l; next++ {
			t.Issue(tp, &tp.Issues[next], tp.WaitsOf(&tp.Issues[next]))
		}
		t.End(tp, &tp.Launches[l])
	}
	return t.Close()
}
