// Package grid plays the blocks of a launch on all multiprocessors of a device
// in one time: it hands out blocks, lets multiprocessors ([timing.Multiprocessor]) go
// on by windows within which they cannot feel each other, and lets them meet in the
// memory ([memory.System]) in between.
//
// # Driving it
//
// It knows records, not values: a host gives it the records of each warp, see
// [Source]. [New] makes a [Grid], [Grid.Begin] begins a launch of a [Shape], and
// [Grid.Advance] lets it go on as far as the records given allow. When all have ended,
// [Grid.Cycles], [Grid.Totals], [Grid.Blocks] and [Grid.Uses] say what it took.
//
// Figures are the same for any number of workers.
//
// # Stability
//
// This package is for those who build fronts and tools on the engine: a minor version
// may change it.
package grid
