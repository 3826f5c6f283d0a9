package isa

import (
	"bytes"
	"fmt"
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
	Guard  uint8 // number of the predicate that guards it plus one, 0: none
	// Aux depends on the op. Memory: bytes a lane, and for global memory the
	// level (see MemAux). Barriers: the barrier's
	// number. Branch: one of the Branch constants.
	Aux uint8
	// Dst and Dst2 are written, A, B and C are read. Memory instructions of
	// more than 4 bytes a lane write or read as many rows from Dst or B on.
	Dst, Dst2, A, B, C Reg
	// Count depends on the op. Shared memory: how many passes the banks need
	// (1: no conflict). Shared atomics: the most lanes on one word, or different
	// words of one bank if those are more. Global
	// memory: 32-byte sectors touched. Match: distinct values. Barriers:
	// warps that take part, 0 for all of the block. Shuffles: passes of the
	// crossbar. Everything else: 0.
	Count uint16
}

// What a Branch record did, in Aux.
const (
	BranchNotTaken  = 0 // every active lane falls through
	BranchTaken     = 1 // every active lane jumps
	BranchDivergent = 2 // some jump
)

// Where a global access was served, for MemAux.
const (
	LevelL1   = 0
	LevelL2   = 1
	LevelDRAM = 2
)

// MemAux packs bytes a lane (1, 2, 4, 8 or 16) and a level into Instr.Aux.
func MemAux(bytes, level int) uint8 { return uint8(bytes&0x1f | level<<5) }

// MemBytes returns the bytes a lane of a memory record.
func (in Instr) MemBytes() int { return int(in.Aux & 0x1f) }

// MemLevel returns the level of a global memory record.
func (in Instr) MemLevel() int { return int(in.Aux >> 5) }

// String returns the record as one line of an assembly listing.
func (in Instr) String() string {
	s := in.Op.String()
	if in.Guard > 0 {
		s = fmt.Sprintf("@P%d %s", in.Guard-1, s)
	}
	sep := " "
	for _, r := range []Reg{in.Dst, in.Dst2, in.A, in.B, in.C} {
		if r != NoReg {
			s += sep + r.String()
			sep = ", "
		}
	}
	if in.Count > 1 {
		s += fmt.Sprintf(" x%d", in.Count)
	}
	return s
}

// Equal reports whether two streams of records are the same.
func Equal(a, b []Instr) bool { return len(a) == len(b) && bytes.Equal(asBytes(a), asBytes(b)) }

// asBytes returns records as bytes, which compare faster. Records have no padding.
func asBytes(recs []Instr) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(recs))), len(recs)*int(unsafe.Sizeof(Instr{})))
}
