// Package grid plays the blocks of a launch on all multiprocessors of a device
// in one time: it hands out blocks, lets multiprocessors (package timing) go on
// by windows within which they cannot feel each other, and lets them meet in the
// memory (package memory) in between. It knows records, not values: a host gives
// it the records of each warp, see [Source].
//
// Figures are the same for any number of workers.
//
// This package is for those who build fronts and tools on the engine: a minor version
// may change it.
package grid
