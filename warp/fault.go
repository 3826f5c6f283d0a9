package warp

import "example.com/warpsim/lane"

// A Fault is one mistake found while a kernel ran. It matches its FaultKind
// with errors.Is.
type Fault struct {
	Kind     FaultKind
	Severity Severity
	Block    int       // linear number of the block
	Warp     int       // number of the warp in its block
	Lanes    lane.Mask // the lanes of this warp that made it
	Missing  lane.Mask // lanes that those wait for, or name, and that do not come
	Mask     lane.Mask // the member mask that they passed, where one was
	Width    int       // lanes of the warp, the width in which masks are written
	Site     Site      // where in the kernel
	Detail   string    // what happened
	Advice   string    // what to do
	Count    int       // how often it happened at this site with this mask, 1 or more

	cause error
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

// raise notes a fault of this warp and, if the run must end, unwinds the
// kernel. The site is that of the kernel's call.
func (w *Warp) raise(f Fault) {
	if w.run.engine.config.Faults == Off && !f.Kind.final() {
		return
	}
	f.Block, f.Warp, f.Width = w.block.index, w.id, w.lanes
	w.mustRun()
	if f.Severity == SeverityNone {
		f.Severity = faultKinds[f.Kind].severity
	}
	if f.Site == (Site{}) {
		f.Site = w.callSite()
	}
	if w.frontWords != nil {
		f.Advice = w.frontWords.Replace(f.Advice)
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
