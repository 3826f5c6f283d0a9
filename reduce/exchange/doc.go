// Package exchange moves values between the lanes of a warp and the threads of a
// block, and computes what takes little else: broadcasts, rotations, transposes,
// blocked and striped arrangements, butterflies (Walsh–Hadamard, Fourier),
// sorting networks, and matrix–vector products.
//
// All functions but those that say so work on one warp with all its lanes
// active; another number is a *reduce.Error of kind reduce.ErrActive, with which
// the kernel ends.
package exchange
