package warp

import (
	"runtime"
	"unsafe"

	"example.com/warpsim/warp/isa"
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
	w.checkLimit()
	if w.n == len(w.buf) {
		w.spill()
		w.setRoom()
		w.setPlain()
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

// maxOps is the number of ops, and room for a few, so that any seven bits
// can be counted.
const maxOps = 128

// guard returns the guard of the instructions to come, setGuard sets it.
func (w *Warp) guard() uint8 { return uint8(w.common >> 16) }

func (w *Warp) setGuard(g uint8) { w.common = w.common&^0xff0000 | uint64(g)<<16 }

const bigEndian = runtime.GOARCH == "s390x" || runtime.GOARCH == "ppc64" || runtime.GOARCH == "mips" || runtime.GOARCH == "mips64"

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

// emitPure is emitSeq of an operation whose number is pure, if that is one record.
func (w *Warp) emitPure(s sequence, pure uint8, dst, a, b isa.Reg) {
	if s-1 >= maxOps {
		w.emitSeq(s, dst, a, b, isa.NoReg)
		return
	}
	w.put(uint64(s)|uint64(pure)<<24|uint64(dst)<<32, secondWord(a, b, isa.NoReg))
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
