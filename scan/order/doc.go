// Package order sorts the items of a tile: in a warp or a group of its lanes by
// a bitonic network or by merging, in a block by these or by the digits of their
// keys.
//
// A tile is several keys in each thread, keys[j] the register with key j of every
// thread, as in package tile. Tiles are blocked, thread t holding keys t*k to
// t*k+k-1, before and after. valid says how many of the first keys there are, 0
// for all; the others are not looked at and stay where they are.
//
// A [Less] says what comes first: Ascending and Descending order numbers, By any
// type. The functions that end in Pairs move a value along with each key.
//
//	function       scope   stable  needs
//	Bitonic        group   no      a power of two of keys a thread
//	Merge          group   yes     shared memory
//	BlockBitonic   block   no      a power of two of keys a thread, shared memory
//	BlockMerge     block   yes     shared memory
//	Radix          block   yes     integers or floats, shared memory
//
// Below what it does and an example with what goes in and what comes out, the doc
// of a function says what threads must come, how many keys there may be, what
// shared memory it needs, what it costs, whether it is stable, what is undefined,
// and the kinds of errors, as far as it applies; see package tile.
//
// Groups are neighbouring lanes, a power of two of them, 0 for the whole warp;
// the active lanes must be the first of their groups. The block functions must
// be reached by all threads of the block.
//
// Shared memory is a struct that a function such as NewMergeStorage declares;
// every warp of the block must do so at the same place. Two uses of it need a
// barrier between them: SyncBlock, or SyncWarp where only groups sort.
//
// All functions give back the registers they take. An argument that cannot be is
// a [*reduce.Error], with which they end the kernel: the engine's Run returns a
// fault that unwraps to it. The README has a table of what each costs.
package order
