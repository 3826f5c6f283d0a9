// Package gallery has the kernels that people write, per lane, as they would in CUDA, HIP
// or MUSA: each a function that sets up memory, launches, and returns what the kernel
// wrote with the report of the launch. They ask how wide a warp is and name the lanes that
// exist, and so are right on 32, 64 and 128 lanes.
//
//	SoftmaxByWarp, SoftmaxByBlock, LayerNormByWarp   rows of a matrix
//	SparseTimesVector, Multiply                      a row a warp; tiles in shared memory
//	Transpose                                        three ways, with and without conflicts
//	Histogram                                        three places to count in
//	Filter                                           one atomic for a warp
//	Sum                                              the last block adds up
//	TopK                                             the largest of many
//	RadixPass                                        one digit of a stable sort
//	PrefixSum                                        over a grid, in three launches
//
// The README tells the idea of each and what it costs on three devices.
package gallery
