// Package isa names the instructions that the warp engine issues and gives the
// compact record of one issued instruction, the only thing the timing model
// sees of a kernel.
//
// # Operations
//
// The names are those of no vendor: an [Op] stands for the class of hardware
// instruction that a device profile gives a pipe, a latency and an interval.
// [Op.String] is the name that profiles use, and [ParseOp] finds it.
//
// # Records
//
// An [Instr] is one issued instruction: its op, the registers that it writes and reads,
// how many lanes were active, and what its op needs besides (Count, Aux). A [Reg] is a
// row of the register file ([Row]), a pair of rows ([RowPair]), a predicate
// ([Predicate]) or a uniform register ([Uniform]); [NoReg] is none. [MemAux] has the
// bytes that each lane of a memory access moves and the level that serves it. An access
// to memory that several multiprocessors share names its lines too, see [Line].
//
// # Stability
//
// This package is for those who build fronts and tools on the engine: a minor version
// may change it.
package isa
