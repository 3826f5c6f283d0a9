package isa

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"unsafe"
)

// A Reg names a register of a warp in an instruction record: a row of the
// register file, a predicate, or a uniform register. The zero Reg is none.
type Reg uint16

// How many registers of each kind a record can name.
const (
	MaxRows       = 1023
	MaxPredicates = 64
	MaxUniform    = 64

	firstPredicate = 1 + MaxRows
	firstUniform   = firstPredicate + MaxPredicates

	// NumRegs bounds Reg.Index.
	NumRegs = firstUniform + MaxUniform

	pairBit Reg = 1 << 15
)

// NoReg is the absent register.
const NoReg Reg = 0

// Row names row i of the register file, 32 bits a lane. It is invalid, a register
// that no device has, if i is not from 0 to MaxRows-1.
func Row(i int) Reg { return named(i, MaxRows, 1) }

// named returns register i of a kind that has n from first on.
func named(i, n int, first Reg) Reg {
	if i < 0 || i >= n {
		return NumRegs
	}
	return first + Reg(i)
}

// RowPair names rows i and i+1, which together hold 64 bits a lane.
func RowPair(i int) Reg { return named(i, MaxRows, 1) | pairBit }

// Predicate names predicate register i.
func Predicate(i int) Reg { return named(i, MaxPredicates, firstPredicate) }

// Uniform names uniform register i, which holds one value for the whole warp.
func Uniform(i int) Reg { return named(i, MaxUniform, firstUniform) }

// Index returns a number below NumRegs that identifies the register (the lower
// row of a pair), 0 for NoReg.
func (r Reg) Index() int { return int(r &^ pairBit) }

// IsPair reports whether r names two rows.
func (r Reg) IsPair() bool { return r&pairBit != 0 }

// IsPredicate reports whether r names a predicate.
func (r Reg) IsPredicate() bool { return r >= firstPredicate && r < firstUniform }

// IsUniform reports whether r names a uniform register.
func (r Reg) IsUniform() bool { return r >= firstUniform && r < NumRegs }

// String returns R3, R4:5 for a pair, P0 or U2, and "-" for NoReg.
func (r Reg) String() string {
	i := r.Index()
	switch {
	case i == 0:
		return "-"
	case i < firstPredicate && r.IsPair():
		return fmt.Sprintf("R%d:%d", i-1, i)
	case i < firstPredicate:
		return fmt.Sprintf("R%d", i-1)
	case i < firstUniform:
		return fmt.Sprintf("P%d", i-firstPredicate)
	}
	return fmt.Sprintf("U%d", i-firstUniform)
}

// An Instr is the record of one issued warp instruction: 16 bytes, all that the
// timing model needs and nothing of the values. Two runs with equal records
// take the same number of cycles.
type Instr struct {
	Op     Op
	Active uint8 // lanes that did useful work, 0 to 128
	Guard  uint8 // number of the predicate that guards it plus one, 0: none; and Coded
	// Aux depends on the op. Memory: bytes a lane, and for global memory the
	// level from which on it is served (see MemAux). Barriers: the barrier's
	// number. Fences: for whom, one of the Fence constants. Branch: one of the Branch constants. Shuffles: 1 if the result is
	// waited for together with a predicate beside it. Arithmetic: which operation of
	// the op it is, from 1 on, if the result depends on that and the operands alone.
	Aux uint8
	// Dst and Dst2 are written, A, B and C are read. Memory instructions of
	// more than 4 bytes a lane write or read as many rows from Dst or B on.
	Dst, Dst2, A, B, C Reg
	// Count depends on the op. Branch: LoopBranch, CallBranch or 0. Shared memory: how many passes the banks need
	// (1: no conflict). Shared atomics: the most lanes on one word, or different
	// words of one bank if those are more. Global
	// memory: sectors touched, of the size that the device has. Match: distinct
	// values. IMul: 2 if both words of the product are worked out. Barriers: warps that take
	// part, 0 for all of the block. Shuffles: passes of the crossbar. ReadSpecial: 2 for a
	// register of the cluster of blocks, which is further away. LoadConst and UniformMov:
	// which line of constants is read, see ConstantLine, 0 if that is not known. Everything
	// else: 0.
	Count uint16
}

// Coded is the bit of Instr.Guard of records that carry a compiler's schedule: then
// Dst2 is no register but a control code, see Instr.SetControl.
const Coded = 0x80

// SetControl gives a record a control code: the next instruction of the warp comes
// stall cycles later at the earliest; it is issued once the scoreboards of wait, by
// bit, are free; and it takes the scoreboard write until its result is there, and
// read until its sources have been read. There are six scoreboards. Its registers
// say nothing of dependences then, and a second result is not in the record.
func (in *Instr) SetControl(stall, write, read, wait uint8) {
	in.Guard |= Coded
	in.Dst2 = Reg(stall&15) | Reg(write&7)<<4 | Reg(read&7)<<7 | Reg(wait&63)<<10
}

// Control returns the control code of a coded record.
func (in *Instr) Control() (stall, write, read, wait uint8) {
	c := in.Dst2
	return uint8(c & 15), uint8(c >> 4 & 7), uint8(c >> 7 & 7), uint8(c >> 10)
}

// Uncoded returns the record without its control code.
func (in Instr) Uncoded() Instr {
	if in.Guard&Coded != 0 {
		in.Guard &^= Coded
		in.Dst2 = NoReg
	}
	return in
}

// For whom a Fence record orders accesses, in Aux.
const (
	FenceBlock  = 0
	FenceDevice = 1
	FenceSystem = 2
)

// What a Branch record did, in Aux.
const (
	BranchNotTaken  = 0 // every active lane falls through
	BranchTaken     = 1 // every active lane jumps
	BranchDivergent = 2 // some jump

	// LoopBranch, in Count, says of a branch that it turns a loop, and that every
	// active lane goes on with the next turn.
	LoopBranch = 1
	// CallBranch, in Count, says that it calls a function that was compiled by itself:
	// what follows up to the next branch stays in the order that it has.
	CallBranch = 2
)

// The first level that may serve a global access, for MemAux: volatile loads and
// atomics go past the nearer ones.
const (
	LevelL1   = 0
	LevelL2   = 1
	LevelDRAM = 2
)

// Of an atomic on global memory, which the second level does, MemAux has instead of a level
// what a compiler makes of it if all lanes want one word.
const (
	AtomicSeparate = 1 // an operation for each lane
	AtomicSum      = 2 // one addition for all
	AtomicRedux    = 3 // one operation for all, by Redux: minima, maxima, and, or, xor
)

// SpecialThread is Aux of a ReadSpecial of a thread's number in its block.
const SpecialThread = 1

// MemAux packs bytes a lane (1, 2, 4, 8 or 16) and a level into Instr.Aux.
func MemAux(bytes, level int) uint8 { return uint8(bytes&0x1f | level<<5) }

// MemBytes returns the bytes a lane of a memory record.
func (in Instr) MemBytes() int { return int(in.Aux & 0x1f) }

// MemLevel returns the level of a global memory record.
func (in Instr) MemLevel() int {
	if in.Op == AtomicGlobal || in.Op == ReduceGlobal {
		return LevelL2
	}
	return int(in.Aux >> 5 & 3)
}

// TouchesLines reports whether lines (see Line) go with the record: it accesses
// global memory, in some lane.
func (in Instr) TouchesLines() bool {
	switch in.Op {
	case LoadGlobal, StoreGlobal, AtomicGlobal, ReduceGlobal:
		return in.Count > 0
	}
	return false
}

// constantLine is the size of a line of constants, in bytes.
const constantLine = 64

// ConstantLine is Count of an instruction that reads constants of a bank from a byte on:
// the number of their line of 64 bytes, and one more. It is 0, not known, for banks beyond
// 14 and bytes beyond 256 KB.
func ConstantLine(bank, offset int) uint16 {
	if bank < 0 || bank > 14 || offset < 0 || offset >= constantLine<<12 {
		return 0
	}
	return uint16(bank<<12+offset/constantLine) + 1
}

// ConstantBank returns the bank of a line of constants that is known.
func ConstantBank(line uint16) int { return int(line-1) >> 12 }

// AuxAdded is Aux of what the order of a compiler adds to a kernel's instructions: what
// works out the address of an access to global memory, and what combines an atomic over a
// warp. It takes its time, and is no instruction of the kernel.
const AuxAdded = 7 << 5

// Implied reports whether the instruction has AuxAdded.
func (in *Instr) Implied() bool {
	if in.Aux != AuxAdded {
		return false
	}
	switch in.Op {
	case LoadConst, IMul, IAdd, Logic, ICmp, Popc, ShflIdx, ShflUp, Ballot, Redux, ReadSpecial, UniformALU, UniformToReg:
		return true
	}
	return false
}

// AuxFloat is set in Aux of an atomic on floating-point numbers.
const AuxFloat = 1 << 7

// String returns the record as one line of an assembly listing.
func (in Instr) String() string {
	in = in.Uncoded()
	s := in.Op.String()
	if in.Guard > 0 {
		s = fmt.Sprintf("@P%d %s", in.Guard-1, s)
	}
	sep := " "
	for _, r := range []Reg{in.Dst, in.Dst2, in.A, in.B, in.C} {
		if r != NoReg && !r.IsPlace() {
			s += sep + r.String()
			sep = ", "
		}
	}
	if in.Count > 1 && in.Op != Branch && in.Op != LoadConst && in.Op != UniformMov {
		s += fmt.Sprintf(" x%d", in.Count)
	}
	return s
}

// Equal reports whether two streams of records are the same.
func Equal(a, b []Instr) bool { return len(a) == len(b) && bytes.Equal(asBytes(a), asBytes(b)) }

// Hash returns a number that is the same for equal streams, and hardly ever for
// others.
func Hash(recs []Instr) uint64 {
	h := uint64(len(recs)) * 0x9e3779b97f4a7c15
	b := asBytes(recs)
	for ; len(b) >= 16; b = b[16:] {
		h = (h ^ binary.LittleEndian.Uint64(b)) * 0x9e3779b97f4a7c15
		h = bits.RotateLeft64(h, 27)
		h = (h ^ binary.LittleEndian.Uint64(b[8:])) * 0xbf58476d1ce4e5b9
		h = bits.RotateLeft64(h, 31)
	}
	return h ^ h>>32*0x9e3779b97f4a7c15
}

// asBytes returns records as bytes, which compare faster. Records have no padding.
func asBytes(recs []Instr) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(recs))), len(recs)*int(unsafe.Sizeof(Instr{})))
}

// A memory record of a host that knows its arrays says in C, which is no operand
// then, which array it goes to and at which distance from its index register: see
// Place. Its number is beyond those of registers, so that it is always ready.

const (
	placeArrays  = 220
	placeOffsets = 64
	placeFirst   = NumRegs + 8 // behind what timing keeps scoreboards in
	placeLow     = 1<<11 - placeFirst
)

// Place names array number array, seen from offset elements on. Arrays that are
// alike modulo 220 share a place; offsets are told apart from -31 to 31.
func Place(array uint64, offset int) Reg {
	o := 0 // unknown
	if offset > -32 && offset < 32 {
		o = offset + 32
	}
	n := int(array%placeArrays)*placeOffsets + o
	return Reg(placeFirst+n%placeLow) | Reg(n/placeLow)<<11
}

// Constant names a constant by its bits, as an operand that is always ready. Two constants may have the same name, rarely.
func Constant(bits uint64) Reg {
	n := int(bits * 0x9e3779b97f4a7c15 >> 32 % (placeLow * 16))
	return Reg(placeFirst+n%placeLow) | Reg(n/placeLow)<<11
}

// IsPlace reports whether r names a place, or a constant, instead of a register.
func (r Reg) IsPlace() bool { return r&(1<<11-1) >= placeFirst }

// Place returns the array of a place, and the offset if it is known.
func (r Reg) Place() (array, offset int, known bool) {
	n := int(r>>11&15)*placeLow + int(r&(1<<11-1)) - placeFirst
	array, offset = n/placeOffsets, n%placeOffsets
	return array, offset - 32, offset > 0
}

// Rows returns how many rows a memory instruction writes from Dst on and reads
// from B on.
func (in Instr) Rows() (dst, data int) {
	switch in.Op {
	case LoadShared, LoadGlobal, LoadConst:
		return max(1, (in.MemBytes()+3)/4), 1
	case StoreShared, StoreGlobal, ReduceGlobal:
		return 1, max(1, (in.MemBytes()+3)/4)
	case AtomicShared, AtomicSharedLoop, AtomicGlobal:
		n := max(1, (in.MemBytes()+3)/4)
		return n, n
	}
	return 1, 1
}
