package reduce

import (
	"context"
	"fmt"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
)

// A Combine is how the results of blocks become one.
type Combine uint8

const (
	// TwoPass stores them, and a second launch of one block reduces them.
	TwoPass Combine = iota
	// Atomics adds them to one element of global memory by an atomic each.
	// The operator must have one, an identity, and commute. The order is that
	// of the blocks here, and left to the device on hardware.
	Atomics
	// LastBlock stores them; each block then takes a ticket, behind a memory
	// fence, and the one with the last ticket reduces them all: one launch,
	// and the order of TwoPass.
	LastBlock
)

var combineNames = [...]string{"two-pass", "atomics", "last-block"}

// String returns the name of the step, such as "two-pass".
func (c Combine) String() string {
	if int(c) < len(combineNames) {
		return combineNames[c]
	}
	return fmt.Sprintf("combine(%d)", uint8(c))
}

// A Shape is how a grid reduces an array. The zero Shape is a good one.
type Shape struct {
	// Blocks is the most blocks of the grid; 0 is two for each
	// multiprocessor. No block is launched that would have no item.
	Blocks int
	// Threads is the size of a block; 0 is 256, or what the device allows.
	Threads int
	// Items is how many items a thread loads before it combines them; 0 is 4.
	// It hides latency and does not change the order of additions.
	Items int
	// Combine is how the results of blocks become one.
	Combine Combine
}

// Grid reduces data with a whole grid. Each thread first adds, in ascending
// order, the items at its own number and at every multiple of the grid's
// threads above it, so that neighbouring lanes load neighbouring items; then the
// algorithm reduces each block (each warp, if its scope is the warp), and
// Shape.Combine the results of blocks in the order of blocks: the same algorithm
// again for TwoPass and LastBlock, in one block whose threads add results in the
// same way as items. As items change places across threads, the operator must
// commute unless data has no more items than the grid threads.
//
// No data gives the identity, or an error of kind team.ErrIdentity. Other errors are
// those of Algorithm.Fits, of Run, and of kind team.ErrShape. The report adds up both
// launches of TwoPass.
func Grid[T any](ctx context.Context, e *warp.Engine, data []T, op Op[T], a Algorithm[T], s Shape) (T, *warp.Report, error) {
	var none T
	if e.Device() == nil {
		r, err := e.Run(ctx, warp.Launch{}, nil) // says what is wrong
		return none, r, err
	}
	empty := &warp.Report{Device: e.Device().Name}
	g, err := plan(e, len(data), &op, &a, s)
	if err != nil {
		return none, empty, err
	}
	if len(data) == 0 {
		if !op.HasIdentity {
			return none, empty, problem(a.Name, team.ErrIdentity, "no items to reduce with "+op.Name, "give at least one item")
		}
		return op.Identity, empty, nil
	}
	k, err := newKernel(e, g, data, op, a)
	if err != nil {
		return none, empty, err
	}
	report, err := e.Run(ctx, warp.Launch{Blocks: warp.X(g.blocks), Threads: warp.X(g.Threads)}, k.first)
	if err != nil || g.results == 1 || s.Combine != TwoPass {
		return k.result.Data()[0], report, err
	}
	second, err := e.Run(ctx, warp.Launch{Blocks: warp.X(1), Threads: warp.X(g.team)}, k.second)
	if sum := report.Add(second); err == nil {
		err = sum
	}
	return k.result.Data()[0], report, err
}
