package warp

import (
	"runtime"
	"unsafe"

	"example.com/warpsim/lane"
	"example.com/warpsim/warp/isa"
	"example.com/warpsim/warp/timing"
)

// emit appends the record of an instruction that all active lanes execute.
func (w *Warp) emit(op isa.Op, dst, a, b, c isa.Reg) {
	w.put(firstWord(op, dst), secondWord(a, b, c))
}

// firstWord and secondWord are the halves of most records, see put.
func firstWord(op isa.Op, dst isa.Reg) uint64 { return uint64(op) | uint64(dst)<<32 }

func secondWord(a, b, c isa.Reg) uint64 { return uint64(a) | uint64(b)<<16 | uint64(c)<<32 }

// record appends a record as it is, but for the active lanes and the guard.
func (w *Warp) record(r isa.Instr) {
	w.put(uint64(r.Op)|uint64(r.Aux)<<24|uint64(r.Dst)<<32|uint64(r.Dst2)<<48,
		uint64(r.A)|uint64(r.B)<<16|uint64(r.C)<<32|uint64(r.Count)<<48)
}

// put appends a record that is given as the two words that a little-endian
// machine reads in it, but for the active lanes and the guard. Ten narrow stores
// instead of the two would take as long as the loop over the lanes.
func (w *Warp) put(first, second uint64) {
	n := w.n
	if n >= w.room {
		w.putSlowly(first, second)
		return
	}
	w.n = n + 1
	w.write(n, first, second)
}

// putSlowly is put when there is more to do than to write the record.
func (w *Warp) putSlowly(first, second uint64) {
	if !w.running {
		w.strayRegister()
	}
	if w.n == len(w.buf) {
		w.spill()
	}
	w.n++
	w.write(w.n-1, first, second)
	if w.room == 0 {
		w.hook()
	}
}

// write fills in record n of the buffer, which has room for it, and counts it;
// see put.
func (w *Warp) write(n int, first, second uint64) {
	op := isa.Op(first)
	if first |= w.common; bigEndian {
		in := &w.buf[n]
		in.Op, in.Active, in.Guard, in.Aux = op, uint8(first>>8), uint8(first>>16), uint8(first>>24)
		in.Dst, in.Dst2 = isa.Reg(first>>32), isa.Reg(first>>48)
		in.A, in.B, in.C, in.Count = isa.Reg(second), isa.Reg(second>>16), isa.Reg(second>>32), uint16(second>>48)
	} else {
		*(*[2]uint64)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(w.buf)), n*int(unsafe.Sizeof(isa.Instr{})))) = [2]uint64{first, second}
	}
	w.counts[op&(maxOps-1)]++
}

// maxOps is the number of ops, and room for a few, so that any six bits can be
// counted.
const maxOps = 64

// guard returns the guard of the instructions to come, setGuard sets it.
func (w *Warp) guard() uint8 { return uint8(w.common >> 16) }

func (w *Warp) setGuard(g uint8) { w.common = w.common&^0xff0000 | uint64(g)<<16 }

const bigEndian = runtime.GOARCH == "s390x" || runtime.GOARCH == "ppc64" || runtime.GOARCH == "mips" || runtime.GOARCH == "mips64"

// spill makes room in a full record buffer: the warp pauses, the other warps
// of the group catch up, and the timing model takes the records.
func (w *Warp) spill() {
	if w.co != nil {
		w.state, w.group.full = stateFull, true
		w.suspend(eventFull)
	}
	if w.n == len(w.buf) {
		// Alone in the group there is nobody to hand over to.
		w.group.drain(w)
	}
}

// A sequence is the instructions that one operation of the wide front comes to
// on 32-bit hardware, up to four of them: the first in the lowest byte, so that a
// single one is the number itself.
type sequence uint32

// sequences has the sequence of an operation by kind of register, with room for
// whatever four bits can say.
type sequences [16]sequence

func chain(ops ...isa.Op) sequence {
	var s sequence
	for i, op := range ops {
		s |= sequence(op) << (8 * i)
	}
	return s
}

// emitSeq appends the records of a sequence that reads a, b and c and leaves
// its result in dst. Each instruction but the first depends on the one before.
func (w *Warp) emitSeq(s sequence, dst, a, b, c isa.Reg) {
	for ; s != 0; s >>= 8 {
		op, d := isa.Op(s), dst
		switch op {
		case isa.ICmp, isa.DCmp, isa.FCmp:
			if !dst.IsPredicate() {
				d = isa.Predicate(hiddenPred)
			}
		}
		w.emit(op, d, a, b, c)
		c = d
	}
}

// hook tells the observer and the recorder of source sites about the record just
// appended.
func (w *Warp) hook() {
	site := uint32(0)
	if w.sites != nil {
		site = w.siteNumber()
		w.sites[w.n-1] = site
	}
	if o := w.run.engine.config.Observer; o != nil && o.Instr != nil {
		o.Instr(InstrEvent{
			Warp: w, Index: w.total + int64(w.n) - 1, Instr: w.buf[w.n-1],
			Active: w.active, Site: site,
		})
	}
}

// strayRegister ends the kernel that uses registers of another warp, which is
// the one whose records the instruction went to. Outside of all kernels there is
// nothing to end.
func (w *Warp) strayRegister() {
	if w.group == nil || w.group.run == nil {
		panic("warp: a register is used outside of the kernel that allocated it")
	}
	w.raise(Fault{Kind: WrongWarp, Detail: "an instruction whose registers all belong to another warp, or to a kernel that has returned",
		Advice: "allocate registers in the kernel that uses them"})
	panic(abort{})
}

// An Observer is told what happens while a kernel runs. A nil field costs
// nothing. A run with an observer uses one processor, so the calls never overlap.
type Observer struct {
	// Instr is called for every instruction, after it has taken effect: in
	// program order of each warp, and before any time is known.
	Instr func(InstrEvent)
	// Issued is called for every instruction when the timing model issues it, in
	// the order of time on each multiprocessor; not if the run is ValuesOnly. Its
	// Block is the number in the grid, its cycles count from the start of the
	// blocks that share the multiprocessor. The Issue is overwritten by the next
	// call. Every group of blocks is timed, as none is taken for one before.
	Issued func(*timing.Issue)
}

// An InstrEvent is one instruction as an Observer sees it.
type InstrEvent struct {
	Warp   *Warp     // only valid during the call
	Index  int64     // of the instruction in its warp, from 0
	Instr  isa.Instr // the record that the timing model gets
	Active lane.Mask // the lanes that executed it
	Site   uint32    // number of the source site, see Report.Sites; 0 if not recorded
}

// site returns the number of the kernel's source line that is executing, by
// the program counters on the stack: the first one seen in a line gives it a
// number.
func (r *run) site() uint32 {
	var pcs [12]uintptr
	n := runtime.Callers(5, pcs[:])
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, pc := range pcs[:n] {
		id, known := r.siteOfPC[pc]
		if !known {
			id = r.newSite(pc)
		}
		if id != 0 {
			return id
		}
	}
	return 0
}

// newSite gives a program counter its site, 0 if it belongs to the engine.
func (r *run) newSite(pc uintptr) uint32 {
	if r.siteOfPC == nil {
		r.siteOfPC = map[uintptr]uint32{}
	}
	id := uint32(0)
	frames := runtime.CallersFrames([]uintptr{pc})
	engine := enginePath()
	for {
		fr, more := frames.Next()
		if fr.Function != "" && !engineFrame(engine, fr.Function, fr.File) {
			s := Site{fr.File, fr.Line, fr.Function}
			for i, old := range r.sites {
				if old == s {
					id = uint32(i)
				}
			}
			if id == 0 {
				r.sites = append(r.sites, s)
				id = uint32(len(r.sites) - 1)
			}
			break
		}
		if !more {
			break
		}
	}
	r.siteOfPC[pc] = id
	return id
}
