// Package order sorts the items of a tile: in a warp or a group of its lanes by
// a bitonic network or by merging, in a block by these or by the digits of their
// keys.
//
// A tile is several keys in each thread, keys[j] the register with key j of every
// thread, as in package tile. Tiles are blocked, thread t holding keys t*k to
// t*k+k-1, before and after. The team, or a [team.Count], says how many of the first
// keys there are: all, or First of a number, of which 0 is none. The others are not
// looked at and stay where they are.
//
// A [Less] says what comes first: Ascending and Descending order numbers, By any
// type. The functions that end in Pairs move a value along with each key.
//
//	function   team   stable  needs
//	Bitonic    any    no      a power of two of keys a thread; in a block shared memory
//	Merge      any    yes     shared memory
//	Radix      block  yes     integers or floats, shared memory
//
// Below what it does and an example with what goes in and what comes out, the doc
// of a function says what threads must come, how many keys there may be, what
// shared memory it needs, what it costs, whether it is stable, what is undefined,
// and the kinds of errors, as far as it applies; see package tile.
//
// # Who takes part
//
// A function that takes a [team.Team] works on it: on all threads of a block, which
// must all reach it, on a warp, or on groups of neighbouring lanes, a power of two
// of them, of which the active must be the first. A function that takes none works
// on the block.
//
// # Shared memory
//
// Shared memory is a struct that a function such as NewMergeStorage declares;
// every warp of the block must do so at the same place. Two uses of it need a
// barrier between them: SyncBlock, or SyncWarp where only groups sort.
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
package order
