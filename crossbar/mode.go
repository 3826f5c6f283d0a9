package crossbar

import "fmt"

// A Mode says how a shuffle derives the source lane from its operand.
type Mode uint8

const (
	// Idx reads the lane that the operand names, counted from the start of
	// the reader's segment and wrapping at its width.
	Idx Mode = iota
	// Up reads the lane that lies operand lanes below; lanes with no such
	// lane in their segment keep their own value.
	Up
	// Down reads the lane that lies operand lanes above; lanes with no such
	// lane in their segment keep their own value.
	Down
	// Xor reads the lane whose number is the reader's number xor the
	// operand. A source in an earlier segment is read, one in a later
	// segment is not: the lane keeps its own value.
	Xor
)

var modeNames = [...]string{"idx", "up", "down", "xor"}

// String returns "idx", "up", "down" or "xor".
func (m Mode) String() string {
	if int(m) < len(modeNames) {
		return modeNames[m]
	}
	return fmt.Sprintf("mode(%d)", uint8(m))
}

// ParseMode returns the mode of a name as String writes it, or of "bfly", the
// instruction set's name for xor, and whether there is one.
func ParseMode(name string) (Mode, bool) {
	for i, n := range modeNames {
		if n == name {
			return Mode(i), true
		}
	}
	return Xor, name == "bfly"
}

// A Rule says how many bits of a shuffle's operand the device looks at. The
// rules agree for operands from 0 to one less than the number of lanes and part
// beyond them: with 32 lanes, down by 33 is down by 1 where the operand is cut
// to the warp, and keeps the own value where it is not cut.
type Rule uint8

const (
	// CutToWarp uses the low log2(lanes) bits: PTX, recorded on hardware.
	CutToWarp Rule = iota
	// Uncut uses all 32 bits in wrapping signed arithmetic and reduces only
	// the resulting lane to the warp: the formulas of HIP's headers. A
	// negative operand can therefore pass the segment test and wrap around.
	Uncut
	// CutTo7 uses the low 7 bits on every width: MUSA's encoding.
	CutTo7
)

var ruleNames = [...]string{"cut-to-warp", "uncut", "cut-to-7"}

// String returns "cut-to-warp", "uncut" or "cut-to-7".
func (r Rule) String() string {
	if int(r) < len(ruleNames) {
		return ruleNames[r]
	}
	return fmt.Sprintf("rule(%d)", uint8(r))
}

// ParseRule returns the rule of a name as String writes it, and whether there
// is one.
func ParseRule(name string) (Rule, bool) {
	for i, n := range ruleNames {
		if n == name {
			return Rule(i), true
		}
	}
	return CutToWarp, false
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
