// Package linear applies linear maps to the lanes of a warp, one element a lane:
// Walsh–Hadamard and Fourier transforms by butterflies, and matrices.
//
// All functions work on one warp with all its lanes active; another number is a
// *reduce.Error of kind reduce.ErrActive, with which the kernel ends.
package linear
