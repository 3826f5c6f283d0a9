// Package lane holds what a warp has of each lane: sets of lanes (Mask) and the
// register file (File). It knows nothing of instructions, cycles or devices.
package lane
