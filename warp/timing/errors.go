package timing

import (
	"fmt"
	"strings"

	"example.com/warpsim/warp/isa"
)

// An Error is a number that the profile lacks or that makes no sense, or a
// call that does not fit the state of the model.
type Error struct {
	// Field is the path of the number in the profile, such as
	// "timing.ops.match.any", or the function that was called.
	Field string
	// Op is the instruction that needs it, isa.Invalid if none.
	Op isa.Op
	// Reason says what is wrong and what to do.
	Reason string
}

func (e *Error) Error() string {
	if e.Op != isa.Invalid {
		return fmt.Sprintf("timing: %s: %s (needed by %s)", e.Field, e.Reason, e.Op)
	}
	return fmt.Sprintf("timing: %s: %s", e.Field, e.Reason)
}

// A DeadlockError says which warps wait at barriers that nobody else will
// reach.
type DeadlockError struct {
	Cycle   Cycle
	Waiting []WaitingWarp
}

// A WaitingWarp is a warp that waits at a barrier.
type WaitingWarp struct {
	Block, Warp, Barrier int
	// Arrived of Expected warps are at the barrier.
	Arrived, Expected int
	Since             Cycle
}

func (e *DeadlockError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "timing: deadlock at cycle %d: %d warps wait at barriers that nobody else reaches", e.Cycle, len(e.Waiting))
	for i, w := range e.Waiting {
		if i == 4 {
			b.WriteString("; ...")
			break
		}
		fmt.Fprintf(&b, "; block %d warp %d at barrier %d since cycle %d (%d of %d arrived)", w.Block, w.Warp, w.Barrier, w.Since, w.Arrived, w.Expected)
	}
	return b.String()
}

// An AccessProblem is what is wrong with an answer to an access.
type AccessProblem uint8

// The problems. Each is an error that errors.Is finds in an AccessError.
const (
	// AccessUnknown: the multiprocessor has not asked for that access.
	AccessUnknown AccessProblem = iota
	// AccessAnswered: it has been answered, or the instruction is none that asks.
	AccessAnswered
	// AccessInPast: time has gone past the cycle of the answer.
	AccessInPast
)

var accessProblems = [...]string{
	"nobody has asked for it: answer with the ID that Access was called with",
	"it has been answered before, or asked for nothing: answer each once",
	"that is past: answer before time gets there, with a Run that stops in time",
}

func (p AccessProblem) Error() string {
	if int(p) < len(accessProblems) {
		return accessProblems[p]
	}
	return fmt.Sprintf("access problem(%d)", uint8(p))
}

// An AccessError is a wrong answer of a memory. The access stays as it was.
type AccessError struct {
	Problem AccessProblem
	ID      AccessID
	At      Cycle // of the answer
	Now     Cycle // when it was given
}

func (e *AccessError) Error() string {
	return fmt.Sprintf("timing: answer for cycle %d at cycle %d to the access of block %d warp %d instruction %d: %v", e.At, e.Now, e.ID.Block, e.ID.Warp, e.ID.Index, e.Problem)
}

// Unwrap returns the problem.
func (e *AccessError) Unwrap() error { return e.Problem }
