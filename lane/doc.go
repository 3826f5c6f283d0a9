// Package lane holds what a warp has of each lane: sets of lanes (Mask) and the
// register file (File). It knows nothing of instructions, cycles or devices.
//
// The exported names are stable from version 1 on: they keep their meaning within a
// major version.
package lane
