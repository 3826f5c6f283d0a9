// Package pack brings items together that belong together: it selects,
// partitions, finds runs of equal items and expands them again, and counts items
// by value.
//
// A tile is several items in each thread, items[j] the register with item j of
// every thread, as in package tile. Unless a function says otherwise tiles are
// blocked, thread t holding items t*k to t*k+k-1. Results are striped, item i in register
// i/threads of thread i%threads, so that StoreFirst writes them side by side.
//
// # Who takes part
//
// A function that takes a [team.Team] works on the threads of a block, which must
// all reach it, or on the active lanes of a warp, which must be its first; a
// function that takes none works on the block. The team, or a [team.Count], says
// how many of the first items there are: all, or First of a number, of which 0 is
// none.
//
// # Shared memory
//
// Shared memory is a struct that a function such as NewStorage declares; every
// warp of the block must do so at the same place. Two uses of it need a barrier
// between them: SyncBlock, or SyncWarp where only lanes of warps work together.
//
// Below what it does and an example with what goes in and what comes out, the doc
// of a function says what threads must come, what partial tiles mean, what shared
// memory it needs, what it costs, what order it keeps, what is undefined, and the
// kinds of errors, as far as it applies; see package tile.
//
// All functions give back the registers they take. An argument that cannot be is
// a [*team.Error], with which they end the kernel: the engine's Run returns a
// fault that unwraps to it. The README has a table of what each costs.
//
// # What is stable
//
// The exported names are stable from version 1 on: they keep their meaning within a
// major version.
// Cycles are results of the model and follow it.
package pack
