package timing

import (
	"fmt"

	"example.com/warpsim/warp/isa"
)

// A Cycle is a time or a duration in cycles of the multiprocessor's clock.
type Cycle int64

// Never is later than any cycle that a run can reach.
const Never Cycle = 1 << 44

// A Scheduler picks which of the ready warps a sub-partition issues from.
type Scheduler uint8

const (
	// LooseRoundRobin takes the warp whose next instruction has been ready
	// longest, and of several the next after the one that issued last. Devices
	// with Timing.Stay stay with that one while it can go on at once.
	LooseRoundRobin Scheduler = iota
	// GreedyThenOldest stays with a warp while it is ready and then takes the
	// ready warp that became resident first.
	GreedyThenOldest
)

// String returns the scheduler's name.
func (s Scheduler) String() string {
	switch s {
	case LooseRoundRobin:
		return "loose round robin"
	case GreedyThenOldest:
		return "greedy then oldest"
	}
	return fmt.Sprintf("scheduler(%d)", uint8(s))
}

// A Reason says what a warp did with a cycle.
type Reason uint8

// The reasons, in the order in which they are looked for: an instruction that
// waits for several things at once waits for the first of them.
const (
	// Issued: the warp issued an instruction.
	Issued Reason = iota
	// Control: the instruction before was a branch or a point of
	// reconvergence, or asks for a distance to the next.
	Control
	// Barrier: the warp waited at a barrier.
	Barrier
	// Dependency: an operand was not ready.
	Dependency
	// Memory: an operand from global memory was not ready.
	Memory
	// BankConflict: an operand or the pipe was late because shared memory took
	// more than one pass for an access, or an atomic several turns for a word.
	BankConflict
	// PortBusy: an operand was late because its instruction queued for a port
	// shared by the sub-partitions.
	PortBusy
	// PipeBusy: the pipe was taken.
	PipeBusy
	// NotSelected: the sub-partition issued from another warp, or a register bank
	// that the instruction reads was taken.
	NotSelected
	// Drained: the warp had issued its last instruction and waited for results
	// that were under way.
	Drained
	// Finished: the warp was done and waited for the rest of its block.
	Finished

	NumReasons // the number of reasons, not a reason
)

var reasonNames = [NumReasons]string{
	"issued", "control", "barrier", "dependency", "memory", "bank conflict",
	"port busy", "pipe busy", "not selected", "drained", "finished",
}

// String returns the reason's name in lower case.
func (r Reason) String() string {
	if r < NumReasons {
		return reasonNames[r]
	}
	return fmt.Sprintf("reason(%d)", uint8(r))
}

// Cycles counts cycles by reason.
type Cycles [NumReasons]Cycle

// Total returns the sum over all reasons.
func (c *Cycles) Total() Cycle {
	var n Cycle
	for _, x := range c {
		n += x
	}
	return n
}

// Add adds o to c.
func (c *Cycles) Add(o *Cycles) {
	for i, x := range o {
		c[i] += x
	}
}

// Totals adds up over warps.
type Totals struct {
	Instructions int64
	// Cycles are those of all warps by reason: their sum is the sum over all
	// blocks of length times warps.
	Cycles Cycles
	// ConflictPasses counts the passes through shared memory, and the turns of
	// conflicting atomics, beyond the first of each access.
	ConflictPasses int64
	// ByOp has for each op how often it was issued and how long its warps were
	// held up by it.
	ByOp [isa.NumOps]OpTotals
}

// OpTotals are the totals of one op or of one source site.
type OpTotals struct {
	Count int64
	// Cycles is the time from the issue of the instruction before to the issue
	// of this one.
	Cycles Cycle
}

// Add adds o to t.
func (t *Totals) Add(o *Totals) {
	t.Instructions += o.Instructions
	t.Cycles.Add(&o.Cycles)
	t.ConflictPasses += o.ConflictPasses
	for i := range o.ByOp {
		t.ByOp[i].Count += o.ByOp[i].Count
		t.ByOp[i].Cycles += o.ByOp[i].Cycles
	}
}

// SiteTotals are the totals of one source site.
type SiteTotals struct {
	Count  int64
	Cycles Cycles
}

// An Issue tells an observer of one issued instruction.
type Issue struct {
	Cycle        Cycle // when it was issued
	Block, Warp  int
	SubPartition int
	Index        int64 // its place in the warp's program, from 0
	Site         uint32
	Instr        isa.Instr
	// Waits says where the cycles since the instruction before went; Issued is
	// 1. For the first instruction of a warp they count from the block's start.
	Waits Cycles
	// WaitedFor is the register that came last of those it waited for, NoReg
	// if it waited for none.
	WaitedFor isa.Reg
}

// WaitReason returns what most of the waiting was for, Issued if there was
// none, and how many cycles that took.
func (i *Issue) WaitReason() (Reason, Cycle) {
	r := Issued
	for k := Control; k < NumReasons; k++ {
		if i.Waits[k] > 0 && (r == Issued || i.Waits[k] > i.Waits[r]) {
			r = k
		}
	}
	if r == Issued {
		return r, 0
	}
	return r, i.Waits[r]
}

// An Observer is called with each issued instruction, in the order of issue.
// The Issue is overwritten by the next call.
type Observer func(*Issue)

// A Config chooses how a Multiprocessor works. The zero Config is a good one.
type Config struct {
	Scheduler Scheduler
	// Lanes is the width of the warps; 0 means the width for which the profile
	// gives its numbers.
	Lanes int
	// Sites turns on totals by source site. Sites are small numbers: memory
	// grows with the largest.
	Sites bool
	// Observer is told of every instruction; nil costs nothing.
	Observer Observer
}

// A State says why Run came back.
type State uint8

const (
	// Done: no block is resident.
	Done State = iota
	// BlockEnded: the named block has ended just now. Its slots are free for
	// another one.
	BlockEnded
	// Limit: the next event is at or beyond the limit.
	Limit
	// Starved: time cannot go on before the named warp is fed or ended. Its
	// records are used up and the slices may be reused.
	Starved
)

// String returns the state's name.
func (s State) String() string {
	switch s {
	case Done:
		return "done"
	case BlockEnded:
		return "block ended"
	case Limit:
		return "limit"
	case Starved:
		return "starved"
	}
	return fmt.Sprintf("state(%d)", uint8(s))
}

// A Status says where a run stands.
type Status struct {
	State State
	// Block is the block that has ended; Block and Warp name the starved warp.
	Block, Warp int
	// Now is the time reached: everything before it has happened.
	Now Cycle
}
