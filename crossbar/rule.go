package crossbar

import (
	"fmt"
)

// A Rule says how many bits of a shuffle's operand the device looks at. The
// rules agree for operands from 0 to one less than the number of lanes and part
// beyond them: with 32 lanes, down by 33 is down by 1 where the operand is cut
// to the warp, and keeps the own value where it is not cut. The zero Rule is none;
// routes take it for CutToWarp.
type Rule uint8

const (
	// CutToWarp uses the low log2(lanes) bits: PTX, recorded on hardware.
	CutToWarp Rule = iota + 1
	// Uncut uses all 32 bits in wrapping signed arithmetic and reduces only
	// the resulting lane to the warp: the formulas of HIP's headers. A
	// negative operand can therefore pass the segment test and wrap around.
	Uncut
	// CutTo7 uses the low 7 bits on every width: MUSA's encoding.
	CutTo7
)

var ruleNames = []string{"ptx", "hip", "musa"}

// String returns the language that has the rule, as a device profile names it:
// "ptx", "hip" or "musa".
func (r Rule) String() string {
	if i := int(r) - 1; i >= 0 && i < len(ruleNames) {
		return ruleNames[i]
	}
	return fmt.Sprintf("rule(%d)", uint8(r))
}

// operandBits returns the mask of the operand bits that a cutting rule keeps
// on a warp of the given number of lanes.
func (r Rule) operandBits(lanes int) uint32 {
	if r == CutTo7 {
		return 0x7f
	}
	return uint32(lanes - 1)
}

// segmentShift returns the position of the segment field in a raw operand.
func (r Rule) segmentShift() uint {
	if r == CutTo7 {
		return 7
	}
	return 8
}
