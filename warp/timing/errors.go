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
