// Package tile moves the items of a tile between the threads of a block or of a
// group of lanes, and between registers and memory.
//
// A tile is several items in each thread of a team, one in each register of a
// slice: items[j] holds item j of every thread. Where the items of the whole
// tile stand is its arrangement. With 4 threads and 2 items each:
//
//	blocked    thread 0: 0 1   thread 1: 2 3   thread 2: 4 5   thread 3: 6 7
//	striped    thread 0: 0 4   thread 1: 1 5   thread 2: 2 6   thread 3: 3 7
//
// Blocked suits scans and sorts, as each thread has neighbours; striped suits
// memory, as threads side by side access elements side by side. Warp-striped is
// striped inside each warp, with the items of a warp together; the last warp of
// a block may have fewer threads, and then stripes of that many.
//
// # Who takes part
//
// A function that takes a [team.Team] works on it: on all threads of a block, which
// must all reach it, on a warp, or on groups of neighbouring lanes, a power of two
// of them, each with a tile of its own. The active lanes must be the first of their
// groups; a group with fewer of them is a smaller team. A function that takes none
// works on the block.
//
// The team, or a [team.Count], says how many items of the tile there are, the first
// in the order of the arrangement: all, or First of a number, of which 0 is none.
// Registers of the others may be undefined before and are left alone.
//
// # Shared memory
//
// Shared memory is an array that the caller declares, of the length that the
// function's doc names:
//
//	s := tile.NewStorage[float32](w, len(items))
//	tile.StripedToBlocked(team.Block(), items, s)
//
// # What a contract says
//
// Below what it does and an example with what goes in and what comes out, the doc
// of a function says in this order, as far as it applies:
//
//   - Threads: how many there may be, and who must come.
//   - Valid: what partial tiles mean.
//   - Shared memory: what the caller declares.
//   - Cost: what a thread does; the README has figures.
//   - Undefined: what is not defined, or a fault of the engine.
//   - Errors: the kinds of *team.Error.
//
// A function that differs from another in some point names that one and the
// difference.
//
// No function waits before it writes to the array or after it has read it: put a
// barrier (SyncBlock, or SyncWarp where only lanes of warps work together) between two uses.
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
package tile
