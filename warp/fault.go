package warp

import (
	"cmp"
	"fmt"
	"runtime"
	"strings"

	"example.com/warpsim/lane"
)

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
	OutOfBounds        // an address outside its array
	Unsupported        // the device has no such instruction, or its profile no number for it
	RegisterFile       // no room, or a type that cannot be a register
	SharedMemory       // more shared memory than the block has, or unequal declarations
	WrongWarp          // a register of another warp
	BadInstruction     // an encoded instruction that makes no sense
	KernelPanic        // the kernel function panicked
	// What follows is found with Config.Sanitize only.

	SharedRace          // accesses to shared memory that nothing orders
	GlobalRace          // the same in global memory, among the threads of a block
	BenignRace          // stores that nothing orders, of the same value
	UninitializedShared // shared memory read that nobody has written
	ActiveMaskAsMask    // a snapshot of the active lanes decides who takes part
	ShiftRange          // a shift count that drops every bit
	BallotTruncated     // a set of lanes cut to fewer bits than it needs
	PartialReduction    // a tree of shuffles that covers a part of the warp
	numFaultKinds
)

var faultKinds = [numFaultKinds]struct {
	text     string
	severity Severity
}{
	NoFault:            {"no fault", SeverityNone},
	MaskZero:           {"member mask is zero", SeverityError},
	CallerNotInMask:    {"caller not in its member mask", SeverityError},
	MaskAbsent:         {"member mask names lanes that do not arrive", SeverityError},
	MaskMismatch:       {"lanes of one collective pass different masks", SeverityError},
	MaskNotActive:      {"member mask is not the set of active lanes", SeverityError},
	MaskTooNarrow:      {"mask type too narrow for the warp", SeverityError},
	MaskBeyondWarp:     {"member mask names lanes beyond the warp", SeverityError},
	ReadInactive:       {"source lane does not take part", SeverityWarning},
	UndefinedUse:       {"undefined value used", SeverityError},
	WidthNotPowerOfTwo: {"width is not a power of two", SeverityError},
	WidthAboveWarp:     {"width above the warp", SeverityError},
	OperandRange:       {"operand outside the segment", SeverityLint},
	BarrierDivergent:   {"barrier in divergent code", SeverityError},
	BarrierMismatch:    {"barrier mismatch", SeverityError},
	Deadlock:           {"deadlock", SeverityError},
	OutOfBounds:        {"address out of bounds", SeverityError},
	Unsupported:        {"not available on this device", SeverityError},
	RegisterFile:       {"register file", SeverityError},
	SharedMemory:       {"shared memory", SeverityError},
	WrongWarp:          {"register of another warp", SeverityError},
	BadInstruction:     {"bad instruction", SeverityError},
	KernelPanic:        {"kernel panicked", SeverityError},

	SharedRace:          {"race in shared memory", SeverityError},
	GlobalRace:          {"race in global memory", SeverityError},
	BenignRace:          {"race of equal stores", SeverityLint},
	UninitializedShared: {"uninitialised shared memory read", SeverityWarning},
	ActiveMaskAsMask:    {"active mask used as member mask", SeverityLint},
	ShiftRange:          {"shift count drops every bit", SeverityLint},
	BallotTruncated:     {"set of lanes cut short", SeverityWarning},
	PartialReduction:    {"reduction covers a part of the warp", SeverityLint},
}

// Error returns the kind in words.
func (k FaultKind) Error() string {
	if k < numFaultKinds {
		return faultKinds[k].text
	}
	return fmt.Sprintf("fault kind %d", uint8(k))
}

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

// A Site is a place in the source of a kernel. The zero Site is unknown.
type Site struct {
	File string // full path
	Line int
	Func string
}

// String returns file:line without the folders, "unknown" for the zero Site.
func (s Site) String() string {
	if s.File == "" {
		return "unknown"
	}
	return fmt.Sprintf("%s:%d", s.File[strings.LastIndexByte(s.File, '/')+1:], s.Line)
}

// compare orders sites by file, line and function.
func (s Site) compare(o Site) int {
	return cmp.Or(cmp.Compare(s.File, o.File), s.Line-o.Line, cmp.Compare(s.Func, o.Func))
}

// A Fault is one mistake found while a kernel ran. It matches its FaultKind
// with errors.Is.
type Fault struct {
	Kind     FaultKind
	Severity Severity
	Block    int       // linear number of the block
	Warp     int       // number of the warp in its block
	Lanes    lane.Mask // the lanes that made it
	Mask     lane.Mask // the member mask passed, where one was
	Width    int       // lanes of the warp, the width in which masks are written
	Site     Site      // where in the kernel
	Detail   string    // what happened
	Advice   string    // what to do
	Count    int       // how often it happened at this site, 1 or more

	cause error
}

// Error returns the fault in one line: where, who, what, and what to do.
func (f *Fault) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s: block %d warp %d", f.Site, f.Kind.Error(), f.Block, f.Warp)
	if !f.Lanes.Empty() {
		fmt.Fprintf(&b, " lanes %s (0x%s)", f.Lanes.Ranges(), f.Lanes.Hex(f.Width))
	}
	if f.Detail != "" {
		b.WriteString(": " + f.Detail)
	}
	if f.Advice != "" {
		b.WriteString("; " + f.Advice)
	}
	if f.Count > 1 {
		fmt.Fprintf(&b, " (%d times)", f.Count)
	}
	return b.String()
}

// Is reports whether target is the fault's kind.
func (f *Fault) Is(target error) bool { return target == error(f.Kind) }

// Unwrap returns the error that led to the fault, nil if there was none.
func (f *Fault) Unwrap() error { return f.cause }

// A FaultMode says what a run does about faults.
type FaultMode uint8

// The modes.
const (
	// Strict ends the run at the first fault of SeverityError.
	Strict FaultMode = iota
	// Collect notes faults and goes on: undefined values stay undefined.
	// Faults after which nothing sensible can follow (a deadlock, a panic, an
	// address out of bounds, a full register file) end the run all the same.
	Collect
	// Mimic does what the chip was seen to do for what is undefined, and
	// notes faults as Collect does.
	Mimic
	// Off does what the chip was seen to do and notes only faults that end
	// the run in every mode.
	Off
)

// abort unwinds a kernel; it never leaves the package.
type abort struct{}

// raise notes a fault of this warp and, if the run must end, unwinds the
// kernel. The site is that of the kernel's call.
func (w *Warp) raise(f Fault) {
	if w.run.engine.config.Faults == Off && !f.Kind.final() {
		return
	}
	f.Block, f.Warp, f.Width = w.block.index, w.id, w.lanes
	if f.Severity == SeverityNone {
		f.Severity = faultKinds[f.Kind].severity
	}
	if f.Site == (Site{}) {
		f.Site = w.callSite()
	}
	switch {
	case f.Kind == ReadInactive && w.firstInactive == (Site{}):
		w.firstInactive = f.Site
	case f.Kind == UndefinedUse && w.firstInactive != (Site{}):
		f.Advice += "; undefined values were read at " + w.firstInactive.String()
	}
	if w.group.note(f) {
		w.group.fail(&f)
		panic(abort{})
	}
}

// callSite returns the innermost frame outside the engine's own packages.
func callSite() Site {
	var pcs [48]uintptr
	n := runtime.Callers(3, pcs[:])
	frames := runtime.CallersFrames(pcs[:n])
	engine := enginePath()
	for {
		fr, more := frames.Next()
		if fr.Function != "" && !engineFrame(engine, fr.Function, fr.File) {
			return Site{fr.File, fr.Line, fr.Function}
		}
		if !more {
			return Site{}
		}
	}
}

// panickedInEngine reports whether the innermost function that is not the Go
// runtime's, of a stack that is panicking, is the engine's. Its caller is called
// by the deferred function.
func panickedInEngine() bool {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(4, pcs[:])])
	for {
		fr, more := frames.Next()
		if fr.Function != "" && !strings.HasPrefix(fr.Function, "runtime.") {
			return engineFrame(enginePath(), fr.Function, fr.File)
		}
		if !more {
			return false
		}
	}
}

// enginePath returns the import path of this package, read off a function's
// name so that it need not be written down.
func enginePath() string {
	pc, _, _, _ := runtime.Caller(0)
	name := runtime.FuncForPC(pc).Name()
	slash := strings.LastIndexByte(name, '/')
	return name[:slash+1+strings.IndexByte(name[slash+1:], '.')]
}

// engineFrame reports whether a function belongs to the engine or to the Go
// runtime and not to a kernel. Tests of the engine are kernels.
func engineFrame(engine, fn, file string) bool {
	if strings.HasPrefix(fn, "runtime.") {
		return true
	}
	root := engine[:strings.LastIndexByte(engine, '/')]
	if !strings.HasPrefix(fn, root) || strings.HasSuffix(file, "_test.go") {
		return false
	}
	if rest, ok := strings.CutPrefix(fn, engine); ok {
		return rest == "" || rest[0] == '.' || strings.HasPrefix(rest, "/internal/")
	}
	// What the engine calls may call it back: the loop over the lanes of a mask.
	switch pkg, _, _ := strings.Cut(fn[len(root):], "."); pkg {
	case "/lane", "/crossbar", "/vote":
		return true
	}
	return false
}
