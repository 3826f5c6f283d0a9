package warp

import (
	"encoding/json"
	"fmt"
	"strings"
)

// faultTexts has, for each kind, a word for programs and the rule of the
// language that was broken.
var faultTexts = [numFaultKinds]struct{ name, rule string }{
	NoFault:             {"none", ""},
	MaskZero:            {"mask-zero", "A member mask must name at least the lane that calls."},
	CallerNotInMask:     {"caller-not-in-mask", "Each lane that calls a collective must be named in the mask that it passes; otherwise the result is undefined."},
	MaskAbsent:          {"mask-absent", "All lanes that a mask names and that have not exited must execute the same collective with the same mask."},
	MaskMismatch:        {"mask-mismatch", "Lanes that take part in one collective must pass the same mask."},
	MaskNotActive:       {"mask-not-active", "On this device the mask must be the set of active lanes that pass it."},
	MaskTooNarrow:       {"mask-too-narrow", "The mask's type must have a bit for every lane that the language lets it name."},
	MaskBeyondWarp:      {"mask-beyond-warp", "A mask may name only lanes that the warp has."},
	ReadInactive:        {"read-inactive", "A shuffle may read only from lanes that take part in it; a value from another lane is undefined."},
	UndefinedUse:        {"undefined-use", "A value that was never set, or that came from a lane that took no part, must not decide a branch, an address or what is stored."},
	WidthNotPowerOfTwo:  {"width-not-power-of-two", "The width of a shuffle must be a power of two up to the warp; otherwise the result is undefined."},
	WidthAboveWarp:      {"width-above-warp", "The width of a shuffle must be a power of two up to the warp; otherwise the result is undefined."},
	OperandRange:        {"operand-range", "Operands outside the segment are legal, but languages cut them in different ways."},
	BarrierDivergent:    {"barrier-divergent", "A block barrier may stand in conditional code only if the condition is the same in all threads of the block."},
	BarrierMismatch:     {"barrier-mismatch", "All threads at a named barrier must name the same number of threads, a multiple of the warp."},
	Deadlock:            {"deadlock", "Every thread that a barrier or a collective waits for must reach it."},
	OutOfBounds:         {"out-of-bounds", "An access must lie inside its array."},
	Unsupported:         {"unsupported", "The device has no such instruction."},
	RegisterFile:        {"register-file", "A thread has only so many registers."},
	SharedMemory:        {"shared-memory", "A block has only so much shared memory, and all its warps declare the same arrays."},
	WrongWarp:           {"wrong-warp", "A register belongs to the warp that allocated it."},
	BadInstruction:      {"bad-instruction", "An instruction must have the operands that its operation takes."},
	KernelPanic:         {"kernel-panic", "A kernel must not panic."},
	SharedRace:          {"shared-race", "Two accesses of one byte by different threads, one of them a write and not both atomic, must be ordered by a barrier."},
	GlobalRace:          {"global-race", "Two accesses of one byte by different threads, one of them a write and not both atomic, must be ordered by a barrier."},
	BenignRace:          {"benign-race", "Unordered stores of one value leave that value in practice; the languages do not promise it."},
	UninitializedShared: {"uninitialized-shared", "Shared memory has no value until a thread of the block stores one."},
	ActiveMaskAsMask:    {"active-mask-as-mask", "The active mask says who is converged at this moment, not who will take part."},
	ShiftRange:          {"shift-range", "A shift by as many bits as the value has, or more, is undefined in the languages; devices differ."},
	BallotTruncated:     {"ballot-truncated", "A ballot has as many bits as the warp has lanes."},
	PartialReduction:    {"partial-reduction", "A tree of shuffles over d, d/2, ... 1 combines 2d lanes."},
}

// Name returns the kind in one word for programs, such as "shared-race".
func (k FaultKind) Name() string {
	if k < numFaultKinds {
		return faultTexts[k].name
	}
	return "unknown"
}

// Rule returns the rule that a fault of the kind breaks, in one sentence, "" for
// NoFault.
func (k FaultKind) Rule() string {
	if k < numFaultKinds {
		return faultTexts[k].rule
	}
	return ""
}

// FaultKinds returns all kinds of faults, NoFault not among them.
func FaultKinds() []FaultKind {
	kinds := make([]FaultKind, 0, numFaultKinds-1)
	for k := NoFault + 1; k < numFaultKinds; k++ {
		kinds = append(kinds, k)
	}
	return kinds
}

// MarshalJSON returns the fault as an object: kind and severity by name, block,
// warp, lanes as ranges ("0-3,7") and as a hex mask, the member mask if one was
// passed, file, line and func of the kernel, detail, rule, advice and count.
func (f *Fault) MarshalJSON() ([]byte, error) {
	o := struct {
		Kind     string `json:"kind"`
		Severity string `json:"severity"`
		Block    int    `json:"block"`
		Warp     int    `json:"warp"`
		Lanes    string `json:"lanes,omitempty"`
		LaneMask string `json:"laneMask,omitempty"`
		Mask     string `json:"mask,omitempty"`
		File     string `json:"file,omitempty"`
		Line     int    `json:"line,omitempty"`
		Func     string `json:"func,omitempty"`
		Detail   string `json:"detail"`
		Rule     string `json:"rule"`
		Advice   string `json:"advice,omitempty"`
		Count    int    `json:"count"`
	}{
		Kind: f.Kind.Name(), Severity: f.Severity.String(), Block: f.Block, Warp: f.Warp,
		File: f.Site.File, Line: f.Site.Line, Func: f.Site.Func,
		Detail: f.Detail, Rule: f.Kind.Rule(), Advice: f.Advice, Count: f.Count,
	}
	if !f.Lanes.Empty() {
		o.Lanes, o.LaneMask = f.Lanes.Ranges(), "0x"+f.Lanes.Hex(f.Width)
	}
	if !f.Mask.Empty() {
		o.Mask = "0x" + f.Mask.Hex(f.Width)
	}
	return json.Marshal(o)
}

// Explain returns the fault in several lines for people: what and where, who, what
// happened, the rule, and what to do. The last line has no newline.
func (f *Fault) Explain() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s (%s)", f.Site, f.Kind.Error(), f.Severity)
	fmt.Fprintf(&b, "\n  who:   block %d warp %d", f.Block, f.Warp)
	if !f.Lanes.Empty() {
		fmt.Fprintf(&b, " lanes %s (0x%s)", f.Lanes.Ranges(), f.Lanes.Hex(f.Width))
	}
	if !f.Mask.Empty() {
		fmt.Fprintf(&b, ", mask 0x%s", f.Mask.Hex(f.Width))
	}
	if f.Count > 1 {
		fmt.Fprintf(&b, ", %d times", f.Count)
	}
	for _, line := range []struct{ head, text string }{
		{"what:  ", f.Detail}, {"rule:  ", f.Kind.Rule()}, {"to do: ", f.Advice},
	} {
		if line.text != "" {
			fmt.Fprintf(&b, "\n  %s%s", line.head, line.text)
		}
	}
	return b.String()
}
