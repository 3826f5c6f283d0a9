// Package gridkernels holds the grids whose time was recorded on a chip
// (grids.csv and counting.csv in bench/accuracy/testdata), written as wide kernels the way a user
// would write them: line by line as the CUDA sources beside the records.
//
// [Inputs.Prepare] makes one of them ready to run on an engine: the same items,
// blocks and threads as recorded, inputs by the same formulas.
package gridkernels
