// Package kernels is a collection of small kernels built of shuffles, votes and
// shared memory, to read, to copy and to measure: each shows one idea of warp
// programming, works on warps of any width, and says which lanes must be there.
//
//	Broadcast, Rotate             a value from one lane, or from a neighbour
//	MailboxShuffle, MailboxShared, MailboxBlock
//	                              a value from any lane, and what each way costs
//	WalshHadamard, FFT            butterflies
//	MatVec                        many sums at once by halving
//	FindFirst                     early exit by vote
//	TaskQueue                     lanes that are done take the next task
//
// The transpose of a register tile by shuffles is in package tile, stream
// compaction in package pack, sorting networks in package order, all below scan.
//
// Below what it does and an example with what goes in and what comes out, the doc
// of a function says which lanes must come, what shared memory it needs, what it
// costs, what is undefined, and the kinds of errors.
//
// Functions replace or set registers of one warp and give back those they take.
// An argument that cannot be is a [*team.Error], with which they end the
// kernel: the engine's Run returns a fault that unwraps to it. The README has a
// table of what each costs.
package kernels
