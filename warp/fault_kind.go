package warp

import "fmt"

// A FaultKind is one sort of mistake a kernel can make. It is itself an error,
// so that errors.Is(err, warp.OutOfBounds) asks what kind a fault is.
type FaultKind uint8

// The kinds of faults.
const (
	NoFault         FaultKind = iota
	MaskZero                  // a member mask that names nobody
	CallerNotInMask           // lanes run a collective whose mask does not name them
	MaskAbsent                // the mask names lanes that do not come
	MaskMismatch              // lanes of one collective pass different masks
	MaskNotActive             // the device wants the mask to be the active lanes, and it is not
	MaskTooNarrow             // a mask type that cannot name every lane of the warp
	MaskBeyondWarp            // a mask that names lanes which the warp does not have
	// ReadInactive: the source lane of a shuffle does not take part. The value
	// is undefined, or what the device says; an undefined one is free of blame
	// until it is used (UndefinedUse), so this is a warning.
	ReadInactive
	UndefinedUse       // an undefined value decides a branch, an address or a result in memory
	WidthNotPowerOfTwo // a segment width that is no power of two
	WidthAboveWarp     // a segment wider than the warp
	OperandRange       // a shuffle operand outside the segment: legal, and often a mistake
	BarrierDivergent   // a block barrier reached by some lanes of a warp only
	BarrierMismatch    // a named barrier that does not exist or whose counts disagree
	Deadlock           // every warp waits and none can go on
	Endless            // a loop that cannot end, or more instructions than Config.MaxInstructions
	OutOfBounds        // an address outside its array
	Unsupported        // the device has no such instruction, or its profile no number for it
	RegisterFile       // no room, or a type that cannot be a register
	SharedMemory       // more shared memory than the block has, or unequal declarations
	WrongWarp          // a register of another warp
	BadInstruction     // an encoded instruction that makes no sense
	BadArgument        // a call of the library has an argument that it does not take
	KernelPanic        // the kernel function panicked
	// What follows the engine looks for with Config.Sanitize.

	SharedRace          // accesses to shared memory that nothing orders
	GlobalRace          // the same in global memory, also among blocks
	BenignRace          // stores that nothing orders, of the same value
	UninitializedShared // shared memory read that nobody has written
	UninitializedGlobal // an element of an array of Undefined read that no kernel has written
	ActiveMaskAsMask    // a snapshot of the active lanes decides who takes part
	ShiftRange          // a shift count that drops every bit
	BallotTruncated     // a set of lanes cut to fewer bits than it needs
	PartialReduction    // a tree of shuffles, or in shared memory, that leaves lanes or elements out
	numFaultKinds
)

// faultKinds has everything there is to say of a kind, but for what a fault itself
// tells.
var faultKinds = [numFaultKinds]struct {
	name     string   // in one word, for programs
	text     string   // in words
	severity Severity // if the fault does not say otherwise
	final    bool     // nothing sensible can follow: the run ends in every mode
	rule     string   // of the language that was broken
}{
	NoFault: {
		name: "none", text: "no fault", severity: SeverityNone,
	},
	MaskZero: {
		name: "mask-zero", text: "member mask is zero", severity: SeverityError,
		rule: "A member mask must name at least the lane that calls.",
	},
	CallerNotInMask: {
		name: "caller-not-in-mask", text: "caller not in its member mask", severity: SeverityError,
		rule: "Each lane that calls a collective must be named in the mask that it passes; otherwise the result is undefined.",
	},
	MaskAbsent: {
		name: "mask-absent", text: "member mask names lanes that do not arrive", severity: SeverityError,
		rule: "All lanes that a mask names and that have not exited must execute the same collective with the same mask.",
	},
	MaskMismatch: {
		name: "mask-mismatch", text: "lanes of one collective pass different masks", severity: SeverityError,
		rule: "Lanes that take part in one collective must pass the same mask.",
	},
	MaskNotActive: {
		name: "mask-not-active", text: "member mask is not the set of active lanes", severity: SeverityError,
		rule: "On this device the mask must be the set of active lanes that pass it.",
	},
	MaskTooNarrow: {
		name: "mask-too-narrow", text: "mask type too narrow for the warp", severity: SeverityError,
		rule: "The mask's type must have a bit for every lane that the language lets it name.",
	},
	MaskBeyondWarp: {
		name: "mask-beyond-warp", text: "member mask names lanes beyond the warp", severity: SeverityError,
		rule: "A mask may name only lanes that the warp has.",
	},
	ReadInactive: {
		name: "read-inactive", text: "source lane does not take part", severity: SeverityWarning,
		rule: "A shuffle may read only from lanes that take part in it; a value from another lane is undefined.",
	},
	UndefinedUse: {
		name: "undefined-use", text: "undefined value used", severity: SeverityError,
		rule: "A value that was never set, or that came from a lane that took no part, must not decide a branch, an address or what is stored.",
	},
	WidthNotPowerOfTwo: {
		name: "width-not-power-of-two", text: "width is not a power of two", severity: SeverityError,
		rule: "The width of a shuffle must be a power of two up to the warp; otherwise the result is undefined.",
	},
	WidthAboveWarp: {
		name: "width-above-warp", text: "width above the warp", severity: SeverityError,
		rule: "The width of a shuffle must be a power of two up to the warp; otherwise the result is undefined.",
	},
	OperandRange: {
		name: "operand-range", text: "operand outside the segment", severity: SeverityLint,
		rule: "Operands outside the segment are legal, but languages cut them in different ways.",
	},
	BarrierDivergent: {
		name: "barrier-divergent", text: "barrier in divergent code", severity: SeverityError,
		rule: "A block barrier may stand in conditional code only if the condition is the same in all threads of the block.",
	},
	BarrierMismatch: {
		name: "barrier-mismatch", text: "barrier mismatch", severity: SeverityError, final: true,
		rule: "All threads at a named barrier must name the same number of threads, a multiple of the warp.",
	},
	Deadlock: {
		name: "deadlock", text: "deadlock", severity: SeverityError, final: true,
		rule: "Every thread that a barrier or a collective waits for must reach it.",
	},
	Endless: {
		name: "endless", text: "endless loop", severity: SeverityError, final: true,
		rule: "A loop that waits for a value in memory must wait for one that a thread which can go on will store.",
	},
	OutOfBounds: {
		name: "out-of-bounds", text: "address out of bounds", severity: SeverityError, final: true,
		rule: "An access must lie inside its array.",
	},
	Unsupported: {
		name: "unsupported", text: "not available on this device", severity: SeverityError, final: true,
		rule: "The device has no such instruction.",
	},
	RegisterFile: {
		name: "register-file", text: "register file", severity: SeverityError, final: true,
		rule: "A thread has only so many registers.",
	},
	SharedMemory: {
		name: "shared-memory", text: "shared memory", severity: SeverityError, final: true,
		rule: "A block has only so much shared memory, and all its warps declare the same arrays.",
	},
	WrongWarp: {
		name: "wrong-warp", text: "register of another warp", severity: SeverityError, final: true,
		rule: "A register belongs to the warp that allocated it.",
	},
	BadInstruction: {
		name: "bad-instruction", text: "bad instruction", severity: SeverityError, final: true,
		rule: "An instruction must have the operands that its operation takes.",
	},
	BadArgument: {
		name: "bad-argument", text: "bad argument", severity: SeverityError, final: true,
		rule: "A call must have the arguments that its document allows.",
	},
	KernelPanic: {
		name: "kernel-panic", text: "kernel panicked", severity: SeverityError, final: true,
		rule: "A kernel must not panic.",
	},
	SharedRace: {
		name: "shared-race", text: "race in shared memory", severity: SeverityError,
		rule: "Two accesses of one byte by different threads, one of them a write and not both atomic, must be ordered by a barrier.",
	},
	GlobalRace: {
		name: "global-race", text: "race in global memory", severity: SeverityError,
		rule: "Two accesses of one byte by different threads, one of them a write and not both atomic or volatile, must be ordered: by a barrier in a block, by fences and atomics between blocks.",
	},
	BenignRace: {
		name: "benign-race", text: "race of equal stores", severity: SeverityLint,
		rule: "Unordered stores of one value leave that value in practice; the languages do not promise it.",
	},
	UninitializedShared: {
		name: "uninitialized-shared", text: "uninitialised shared memory read", severity: SeverityWarning,
		rule: "Shared memory has no value until a thread of the block stores one.",
	},
	UninitializedGlobal: {
		name: "uninitialized-global", text: "uninitialised global memory read", severity: SeverityWarning,
		rule: "Memory that a program allocates has no value until something is stored to it.",
	},
	ActiveMaskAsMask: {
		name: "active-mask-as-mask", text: "active mask used as member mask", severity: SeverityLint,
		rule: "The active mask says who is converged at this moment, not who will take part.",
	},
	ShiftRange: {
		name: "shift-range", text: "shift count drops every bit", severity: SeverityLint,
		rule: "A shift by as many bits as the value has, or more, is undefined in the languages; devices differ.",
	},
	BallotTruncated: {
		name: "ballot-truncated", text: "set of lanes cut short", severity: SeverityWarning,
		rule: "A ballot has as many bits as the warp has lanes.",
	},
	PartialReduction: {
		name: "partial-reduction", text: "reduction leaves a part out", severity: SeverityLint,
		rule: "A tree over the distances d, d/2, ... 1 combines 2d values; one that starts lower or ends earlier leaves some out.",
	},
}

// Error returns the kind in words.
func (k FaultKind) Error() string {
	if k < numFaultKinds {
		return faultKinds[k].text
	}
	return fmt.Sprintf("fault kind %d", uint8(k))
}

// Name returns the kind in one word for programs, such as "shared-race".
func (k FaultKind) Name() string {
	if k < numFaultKinds {
		return faultKinds[k].name
	}
	return "unknown"
}

// Rule returns the rule that a fault of the kind breaks, in one sentence, "" for
// NoFault.
func (k FaultKind) Rule() string {
	if k < numFaultKinds {
		return faultKinds[k].rule
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

// final reports whether nothing sensible can follow a fault of this kind.
func (k FaultKind) final() bool { return k < numFaultKinds && faultKinds[k].final }

// A Severity orders faults by how much they matter.
type Severity uint8

// The severities.
const (
	SeverityNone    Severity = iota
	SeverityLint             // legal and defined, but rarely meant
	SeverityWarning          // works here, not on other devices
	SeverityError            // undefined, or cannot go on
)

var severityNames = []string{"none", "lint", "warning", "error"}

// String returns the severity in one word.
func (s Severity) String() string {
	if int(s) < len(severityNames) {
		return severityNames[s]
	}
	return "unknown"
}
