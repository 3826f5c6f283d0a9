// Package timing tells how many cycles a multiprocessor takes for what its
// warps issue, and what they waited for.
//
// # Driving it
//
// [Compile] checks the numbers of a profile once, and [New] makes a [Multiprocessor] of
// them. A host runs the values first and feeds a [Multiprocessor] with the records of
// each warp in program order ([Multiprocessor.Feed]); values never depend on
// time. [Multiprocessor.StartBlock] begins a block, [Multiprocessor.End] says that
// nothing follows from a warp, and [Multiprocessor.Run] and [Multiprocessor.Tick] let
// time pass, until a limit or until records are wanted ([Starved]).
//
// # The model
//
// It is made of these parts, all with numbers from the device profile:
//
//   - Sub-partitions, each with a scheduler that issues at most one instruction
//     a cycle from one of its warps. A warp issues in order.
//   - A ready time per register. A reader in the pipe of the producer sees the
//     result after the latency, one in another pipe later by the operand delay
//     of its own pipe. Results of pipes of variable latency are awaited through
//     a scoreboard: every reader sees them at the same time. Predicates take
//     longer to reach the issue stage (guards, votes, branches, barriers) than
//     to reach a select.
//   - Pipes, busy for an interval after each instruction.
//   - Register banks, which read and write one row a cycle each. Instructions that
//     read from a busy bank wait to be issued; results that come back from a shared
//     unit wait for those of known latency.
//   - Ports that all sub-partitions share. An instruction queues there after it
//     was issued: a busy port delays its result and keeps its pipe busy, not
//     the warp.
//   - Barriers: a shared unit counts one arrival after the other and releases
//     all waiting warps some cycles after the last.
//   - Branches, which delay the next instruction of their warp, more if its lanes part.
//   - Control codes of compiled instructions, where records have them: stalls,
//     scoreboards, and whether a warp yields.
//   - Global memory: a [MemoryPort], which package memory serves for a whole device with
//     levels, the way to them, atomics and limits of what is under way; without one, a
//     latency by level and a bandwidth in sectors.
//   - Fences, which wait for the stores of their warp.
//
// What the model leaves out: instruction caches, the caches of operands in front of
// the register banks, and a limit on loads under way. MODEL.md says what that comes to,
// by kind of kernel.
//
// # Loops
//
// Loops are simulated until they repeat. The model writes its state down now and
// then, relative to the present; when it comes back to a state and the same
// records follow, it takes over the time and the totals of what followed. Both
// comparisons are exact, so the figures are those of simulating every
// instruction, which observers and totals by site make it do.
//
// # What waiting was for
//
// Waiting is accounted for without remainder: of each cycle from the start of a
// block to its end, each of its warps knows whether it issued or what it waited
// for ([Reason]).
//
// # Stability
//
// This package is for those who build fronts and tools on the engine: a minor version
// may change it.
package timing
