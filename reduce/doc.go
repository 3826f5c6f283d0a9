// Package reduce combines the values of many threads into one: over the lanes
// of a warp, the threads of a block, or a whole array on a grid, for any type,
// any associative operator and warps of any width.
//
// An [Op] is the operator. Warp-level algorithms work on the active lanes of
// one warp and leave the result in the first lane of each group:
//
//	reduce.ShuffleDown(v, reduce.Sum[float32](), reduce.Tile{})
//
// Block-level algorithms work on all threads of a block, share values through
// an array in shared memory that the caller declares, and leave the result in
// thread 0:
//
//	s := reduce.NewHybridStorage[float32](w)
//	reduce.BlockHybrid(v, reduce.Sum[float32](), reduce.Tile{}, s)
//
// [Grid] reduces a slice on a whole grid with any of them, and [Algorithms]
// lists them with what they need. README.md tells steps, instructions, shared
// memory and the order of additions of each.
//
// # Names
//
// A function whose name begins with Block works on the threads of a block, the
// others on the lanes of a warp or on groups of them; so it is in package scan.
//
// # Which lanes hold items
//
// A [Tile] says it: all by default, or the first ones, see [team.Count]; none are
// none, and reduce to the operator's identity.
//
// Every algorithm combines items only, never a lane without one, and works on
// partial tiles and partial last warps. Which items are combined in which order
// is fixed, so that a float result is the same on every run.
//
// An argument that cannot be is an [*team.Error], which says what is wrong and what
// to do. Functions called from kernels end the kernel with it: the engine's Run
// returns a fault that unwraps to it, so errors.As and errors.Is find it.
//
// # What is stable
//
// The exported names are stable from version 1 on: they keep their meaning within a
// major version.
// Cycles are results of the model and follow it.
package reduce
