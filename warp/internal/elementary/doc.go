// Package elementary knows the mathematical functions of kernels: what each
// gives for a lane, and the instructions that a compiler makes of it. It knows
// nothing of warps.
//
// # Values
//
// Single precision follows the algorithms that the compiler of compute capability
// 9.0 emits, step by step, with every multiplication and addition rounded or fused
// as there. Functions made of these alone ([Log], [Log2], [Sin], [Cos]) give the
// chip's bits. Those that use the approximations of the special unit (reciprocal,
// reciprocal square root, powers and logarithms of two, tanh) put the correctly
// rounded result in the place of the unit's, whose tables are not published, and
// differ from the chip in the last places: testdata has what an H200 gave for 4,096
// arguments, and the tests how far apart the two are. [Sqrt], [Rcp] and [Div] are
// rounded correctly, here and there. [Pow] is rounded correctly up to one unit in
// the last place.
//
// In double precision [Sqrt], [Rcp] and [Div] are rounded correctly; the others
// are those of Go's package math, whose last bit may depend on the processor that
// the simulation runs on.
//
// # Instructions
//
// [Function.Steps] has the instructions in the order of the compiler, slow ways
// that only huge or denormal arguments take left out. They are those of one vendor;
// for devices of others they are an estimate.
package elementary
