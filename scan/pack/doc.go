// Package pack brings items together that belong together: it selects,
// partitions, finds runs of equal items and expands them again, and counts items
// by value.
//
// A tile is several items in each thread, items[j] the register with item j of
// every thread, as in package tile. Unless a function says otherwise tiles are
// blocked, thread t holding items t*k to t*k+k-1, and valid says how many of the
// first items there are, 0 for all. Results are striped, item i in register
// i/threads of thread i%threads, so that StoreFirst writes them side by side.
//
// Functions whose name begins with Warp work on the active lanes of one warp,
// which must be its first; the others on all threads of the block, and must be
// reached by all of them.
//
// Shared memory is a struct that a function such as NewStorage declares; every
// warp of the block must do so at the same place. Two uses of it need a barrier
// between them: SyncBlock, or SyncWarp for the Warp functions.
//
// Below what it does and an example with what goes in and what comes out, the doc
// of a function says what threads must come, what partial tiles mean, what shared
// memory it needs, what it costs, what order it keeps, what is undefined, and the
// kinds of errors, as far as it applies; see package tile.
//
// All functions give back the registers they take. An argument that cannot be is
// a [*reduce.Error], with which they end the kernel: the engine's Run returns a
// fault that unwraps to it. The README has a table of what each costs.
package pack
