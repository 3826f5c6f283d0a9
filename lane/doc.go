// Package lane holds what a warp has of each lane: sets of lanes and the register
// file. It knows nothing of instructions, cycles or devices.
//
// # Sets of lanes
//
// A [Mask] is a set of up to [MaxLanes] lanes: a value that can be compared and used
// as a key of maps. [FirstN], [Range], [Only] and [Bits] make one, [ParseMask] reads
// one, [Mask.Lanes] goes through its lanes from below, and [Mask.Ranges] writes them
// as people do ("0-3,8").
//
// # Registers
//
// A [File] has rows of 32 bits for each lane. [Alloc] takes as many rows as a type
// needs, [Row] is a view of them in that type, and [File.Mark] and [File.Release] give
// them back in the reverse order. Each row knows in which lanes its bits are undefined
// ([File.Undefined]). Types with pointers are refused ([CheckType]).
//
// # Stability
//
// The exported names are stable from version 1 on: they keep their meaning within a
// major version.
package lane
