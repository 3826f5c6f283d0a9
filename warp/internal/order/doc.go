// Package order puts the instructions of a warp into the order that a compiler
// would choose. Kernels are written in the order in which people think; a GPU runs
// what its compiler made of them, and issues that in order.
//
// It works on records (package isa), after the values are known and before the
// timing model sees them, so that values, faults, races and counts are those of the
// order as written. Records are cut into windows at what nothing may cross: block
// barriers, branches, fences, readings of the clock, the end of what a warp has
// recorded so far; a window has at most 512 records. In each
//
//   - a register that is written again is a new one: rows, predicates and uniform
//     registers get other numbers, of registers that no kernel has, at most [Live]
//     rows at a time. What a window leaves in a register is in the one that the
//     kernel named;
//   - accesses to memory keep their order unless both are loads, they go to different
//     arrays of shared memory, or to places of one array at different distances from the
//     same index. Arrays of global memory are pointers, which may point to the same: a
//     load does not go before a store to another one.
//     Volatile accesses and atomics keep their order among each other, and a barrier
//     of the lanes of a warp keeps all accesses on its side;
//   - what has been computed from the same operands is not computed again, and moves
//     between registers only give another name;
//   - a move under a guard becomes a select, which waits 4 cycles for its predicate
//     and not 13. A select between two results that nothing else needs becomes an
//     instruction under a guard that overwrites the other, if its predicate is there
//     in time;
//   - a value goes to another register bank than the first operand of what makes it;
//   - of what can be issued, the instruction goes first from which the longest way
//     leads to the end of the window, by the least distances between producers and
//     consumers that compilers keep ([timing.Table.Distance]).
//
// A loop whose turns all lanes take together is unrolled if a compiler would do so: if
// it compares a register that each turn changes once, and by a constant, with something
// that no turn changes, and nothing may be crossed inside. (A stride that is in a
// register, as one of blockDim.x is, keeps it from that in the recorded code.) [Turns]
// turns, or as many as hold [Loads] loads, make one window, and of their conditions and
// branches only the last is issued. Any other loop is issued turn by turn, with its branches. A loop that
// the kernel's Go code turns costs nothing but what it issues, as if it was unrolled
// altogether, and what [warp.Warp.Jump] books, which is treated like the branch above.
//
// What stands between a call and the next branch was compiled by itself and stays as it
// is (isa.CallBranch); an instruction that computes without a result makes a constant,
// and what comes later waits for it.
//
// Before accesses to global memory stand a load of the array's address, the first time
// that a warp needs it, and what adds the index to it (isa.AuxAdded), which is
// computed once for each array and index like anything else ([Scheduler.Order] puts them
// there). An atomic that a device's compiler combines (isa.AtomicSum, isa.AtomicRedux), on a
// word that is one for all lanes by the way its index was made ([Known]), becomes one
// lane's, with what the compiler puts around it.
//
// So fewer instructions are issued than were executed. A window of a shape that has been
// ordered before, among the last ones, is not ordered again: it may differ in how many
// lanes were active, in passes and in sectors, as those of other warps and of other turns
// do; one that nothing ends begins and
// ends at the same place of what a kernel does over and over, if there is such a place.
// What a new window takes is measured by BenchmarkOrder, beside the time for timing it.
// Not seen: what depends on a bit cast, which leaves no record; short bodies of branches
// stay branches.
package order
