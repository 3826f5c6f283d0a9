// Package scan computes prefix sums, inclusive and exclusive, over the lanes of
// a warp, the threads of a block, or a whole array on a grid, for any type, any
// associative operator and warps of any width.
//
// The operators are those of package reduce. None of the algorithms changes the
// order of the operands, so that an operator need not commute.
//
// # Algorithms
//
// Warp-level algorithms replace v by its inclusive scan over the active lanes of
// one warp; a [Spec] asks for more:
//
//	scan.HillisSteele(v, reduce.Sum[int32](), scan.Spec[int32]{Exclusive: before})
//
// Block-level algorithms scan all threads of a block and share values through an
// array in shared memory that the caller declares:
//
//	s := reduce.NewHybridStorage[int32](w)
//	scan.BlockHybrid(v, reduce.Sum[int32](), scan.Spec[int32]{}, s)
//
// [Grid] scans a slice on a whole grid, and [Algorithms] lists all algorithms.
// README.md tells steps, instructions, shared memory and the order of additions
// of each.
//
// # Names
//
// A function whose name begins with Block works on the threads of a block, the
// others on the lanes of a warp or on groups of them, as in package reduce. A Spec's
// count of items is all by default, see [team.Count].
//
// Every algorithm combines items only, never a lane without one, and works on
// partial tiles and partial last warps. An argument that cannot be is a
// [*team.Error], with which functions called from kernels end the kernel.
//
// # What is stable
//
// The exported names are stable from version 1 on: they keep their meaning within a
// major version.
// Cycles are results of the model and follow it.
package scan
