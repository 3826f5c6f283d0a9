// Package team says who takes part in a collective and how many items they hold.
//
// # For those who call collectives
//
// A [Team] is the threads of a block, those of a warp, or groups of neighbouring
// lanes, with the number of items that they hold; the functions of packages
// scan/tile, scan/pack and scan/order take one:
//
//	tile.Load(team.Block(), tile.Direct, items, src, s)           // a full tile
//	tile.Load(team.Block().First(n), tile.Direct, items, src, s)  // its first n items
//	order.Bitonic(team.Groups(8), keys, less, s)                  // in every 8 lanes
//
// A [Count] is a number of items for what has no choice of a team, as reduce.Tile
// and scan.Spec: the zero Count is all of them, First(0) none.
//
// # For those who write them
//
// A [Roster] is a team as one warp of it sees it: which lanes hold an item, who is
// whose neighbour, what may be read. What it tells of lanes is known before the
// kernel runs and costs nothing; its functions that issue instructions say so. An
// argument that cannot be is an [*Error], with which functions called from kernels
// end the kernel.
//
// # Stability
//
// [Team], [Count] and [Error] are stable once the project is; the rest follows the
// needs of the collectives.
package team
