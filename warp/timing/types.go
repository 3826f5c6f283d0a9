package timing

import (
	"fmt"
	"slices"

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
	// that were under way, or for its stores to leave the multiprocessor.
	Drained
	// Finished: the warp was done and waited for its block to give up its place: for the
	// others, or for stores and reductions to be through.
	Finished
	// Unfed: the host had no records for the warp, and held it; see
	// Multiprocessor.Hold.
	Unfed

	numReasons
)

var reasonNames = [numReasons]string{
	"issued", "control", "barrier", "dependency", "memory", "bank conflict",
	"port busy", "pipe busy", "not selected", "drained", "finished", "unfed",
}

// Reasons returns all reasons in their order.
func Reasons() []Reason {
	all := make([]Reason, numReasons)
	for i := range all {
		all[i] = Reason(i)
	}
	return all
}

// String returns the reason's name in lower case.
func (r Reason) String() string {
	if r < numReasons {
		return reasonNames[r]
	}
	return fmt.Sprintf("reason(%d)", uint8(r))
}

// ParseReason returns the reason of a name as String writes it, and whether there
// is one.
func ParseReason(name string) (Reason, bool) {
	i := slices.Index(reasonNames[:], name)
	return Reason(max(i, 0)), i >= 0
}

// An Issue tells an observer of one issued instruction.
type Issue struct {
	Cycle        Cycle // when it was issued
	Block, Warp  int
	SubPartition int
	// Multiprocessor is the number of it in a grid, 0 outside one.
	Multiprocessor int
	// Start is when the pipe took the instruction and Free when the pipe had taken
	// all of it. Ready is when its result can be read, 0 if it has none or the time
	// depends on a memory that several share.
	Start, Free, Ready Cycle
	// Flying is how many instructions of the multiprocessor wait for a memory that
	// several share, this one not counted.
	Flying int
	Index  int64 // its place in the warp's program, from 0
	Site   uint32
	Instr  isa.Instr
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
	for k := Control; k < numReasons; k++ {
		if n := i.Waits.Of(k); n > 0 && (r == Issued || n > i.Waits.Of(r)) {
			r = k
		}
	}
	if r == Issued {
		return r, 0
	}
	return r, i.Waits.Of(r)
}

// An Observer is called with each issued instruction, in the order of issue.
// The Issue is overwritten by the next call.
type Observer func(*Issue)

// An EventKind says what an Event tells of.
type EventKind uint8

// The kinds.
const (
	// Completed: the result of an access to global memory can be read, or what an access
	// without a result does is through. Issue.Ready tells of all other results.
	Completed EventKind = iota
	// Arrived: the warp has come to a barrier.
	Arrived
	// Released: the warp goes on behind a barrier.
	Released
	// Diverged: some lanes of the warp jump and some do not.
	Diverged
	// Reconverged: the lanes of the warp have met again.
	Reconverged

	numEventKinds
)

var eventNames = [numEventKinds]string{"completed", "arrived", "released", "diverged", "reconverged"}

// String returns the kind in lower case.
func (k EventKind) String() string {
	if k < numEventKinds {
		return eventNames[k]
	}
	return fmt.Sprintf("event(%d)", uint8(k))
}

// An Event tells an observer of what happens besides the issue of instructions.
type Event struct {
	Kind EventKind
	// Cycle is when it happens. Observers are told when that is known, which for
	// Completed and Released is before it is reached.
	Cycle       Cycle
	Block, Warp int
	// Multiprocessor is the number of it in a grid, 0 outside one.
	Multiprocessor int
	Index          int64 // of the instruction that it is about in the warp's program, from 0
	// Instr is the record of that instruction; of one that has been completed or
	// released only Op, Dst, and a barrier's number in Aux.
	Instr isa.Instr
}

// A Config chooses how a Multiprocessor works. The zero Config is a good one.
type Config struct {
	Scheduler Scheduler
	// Sites turns on totals by source site. Sites are small numbers: memory
	// grows with the largest.
	Sites bool
	// Observer is told of every instruction; nil costs nothing.
	Observer Observer
	// Events is told of everything else that an Event can be; nil costs nothing. The
	// Event is overwritten by the next call.
	Events func(*Event)
	// Memory serves the accesses to global memory; nil is a memory whose levels
	// have fixed latencies, as the records say.
	Memory MemoryPort
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
	// records are used up and the slices may be reused. See Multiprocessor.Hold.
	Starved
	// Waiting: nothing happens before the host completes an access, resumes the
	// memory, or feeds a warp that it holds. Only a run without a limit ends so; one
	// with a limit goes on to it.
	Waiting
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
	case Waiting:
		return "waiting"
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
