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
// Functions whose name begins with Group work on groups of width neighbouring
// lanes, each with a tile of its own; width is a power of two, and 0 is the whole
// warp. The active lanes must be the first of their groups; a group with fewer
// of them is a smaller team. The other functions work on all threads of the
// block and must be reached by all of them.
//
// valid says how many items of the tile there are, the first in the order of the
// arrangement; 0 is all. Registers of the others may be undefined before and are
// left alone.
//
// Shared memory is an array that the caller declares, of the length that the
// function's doc names:
//
//	s := reduce.Shared[float32](w, tile.Storage(len(items)))
//	tile.StripedToBlocked(items, 0, s)
//
// Below what it does and an example with what goes in and what comes out, the doc
// of a function says in this order, as far as it applies:
//
//   - Threads: how many there may be, and who must come.
//   - Valid: what partial tiles mean.
//   - Shared memory: what the caller declares.
//   - Cost: what a thread does; the README has figures.
//   - Undefined: what is not defined, or a fault of the engine.
//   - Errors: the kinds of *reduce.Error.
//
// A function that differs from another in some point names that one and the
// difference.
//
// No function waits before it writes to the array or after it has read it: put a
// barrier (SyncBlock, or SyncWarp for the Group functions) between two uses.
//
// All functions give back the registers they take. An argument that cannot be is
// a [*reduce.Error], with which they end the kernel: the engine's Run returns a
// fault that unwraps to it. The README has a table of what each costs.
package tile
