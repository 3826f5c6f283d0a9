package device

import (
	"fmt"
	"strings"
)

// A ShiftCounts says what a shift makes of its count.
type ShiftCounts uint8

const (
	// CountsClamped: a count of the type's width or more, read as unsigned,
	// shifts all bits out: 0, or copies of the sign bit to the right of a
	// signed type.
	CountsClamped ShiftCounts = iota + 1
	// CountsCut: the low 5 bits of the count are used, 6 for types of 64
	// bits. Types of less than 32 bits are shifted as 32 bits and cut to their
	// own.
	CountsCut
)

// A LeadingZeros says what an instruction that counts leading zeros gives for 0. The
// functions of languages (warp.Clz) give the width of the type.
type LeadingZeros uint8

const (
	ZerosWidth LeadingZeros = iota + 1 // the width of the type
	ZerosOnes                          // all bits, as a signed number -1
)

// An InactiveRead is what the language says about the value read from a lane
// that does not take part.
type InactiveRead uint8

const (
	InactiveUndefined InactiveRead = iota + 1 // any value
	InactiveZero                              // zero
)

// A ChipRead is what the chip was seen to give for such a read.
type ChipRead uint8

const (
	ChipZero    ChipRead = iota + 1 // zero
	ChipOwn                         // the reader's own value
	ChipUnknown                     // nobody has published it
)

// A Participation says which lanes a collective needs.
type Participation uint8

const (
	// ByMask: a collective waits for all lanes named in the caller's mask that
	// have not exited, for each group of lanes with one mask, whatever their
	// call sites.
	ByMask Participation = iota + 1
	// ByActive: the lanes that pass a mask at a call site must be the lanes
	// that the mask names.
	ByActive
	// ByLockstep: the lanes that are converged at the call site take part.
	ByLockstep
)

// A MaskScope says which lanes the bits of a member mask name. It matters
// where the mask type has fewer bits than the warp has lanes.
type MaskScope uint8

const (
	// MaskOfWarp: bit i names lane i of the warp, so that lanes from MaskBits
	// up cannot be named.
	MaskOfWarp MaskScope = iota + 1
	// MaskOfGroup: bit i names lane i of the caller's own group of MaskBits
	// lanes. A collective then acts within that group, and a ballot returns
	// the bits of the group.
	MaskOfGroup
)

// A BarrierExited says what threads that have left the kernel mean to a block
// barrier.
type BarrierExited uint8

const (
	ExitedIgnored BarrierExited = iota + 1 // the barrier does not wait for them
	ExitedError                            // all threads of the block must come
)

var (
	shiftNames         = []string{"clamped", "cut"}
	zerosNames         = []string{"width", "ones"}
	inactiveNames      = []string{"undefined", "zero"}
	chipNames          = []string{"zero", "own", "unknown"}
	participationNames = []string{"mask", "active", "lockstep"}
	scopeNames         = []string{"warp", "group"}
	exitedNames        = []string{"ignored", "error"}
)

// String returns the rule as a profile writes it.
func (r ShiftCounts) String() string { return enumName(shiftNames, uint8(r)) }

// String returns the rule as a profile writes it.
func (r LeadingZeros) String() string { return enumName(zerosNames, uint8(r)) }

// String returns the rule as a profile writes it.
func (r InactiveRead) String() string { return enumName(inactiveNames, uint8(r)) }

// String returns the rule as a profile writes it.
func (r ChipRead) String() string { return enumName(chipNames, uint8(r)) }

// String returns the rule as a profile writes it.
func (r Participation) String() string { return enumName(participationNames, uint8(r)) }

// String returns the rule as a profile writes it.
func (r MaskScope) String() string { return enumName(scopeNames, uint8(r)) }

// String returns the rule as a profile writes it.
func (r BarrierExited) String() string { return enumName(exitedNames, uint8(r)) }

func enumName(names []string, v uint8) string {
	if i := int(v) - 1; i >= 0 && i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("rule(%d)", v)
}

func parseEnum[T ~uint8](names []string, text []byte, v *T) error {
	for i, n := range names {
		if n == string(text) {
			*v = T(i + 1)
			return nil
		}
	}
	return fmt.Errorf("%q is none of %s", text, strings.Join(names, ", "))
}
