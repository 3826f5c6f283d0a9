// Package half has floats of 16 bits as elements of registers, memory, shuffles,
// reductions and scans: [Float16] as in IEEE 754, [BFloat16], and a [Pair] of either in
// one register.
//
//	x := warp.Alloc[half.Float16](w)
//	warp.Load(x, in, w.ThreadID())               // 2 bytes a lane
//	reduce.ShuffleXor(x, reduce.HalfSum[half.Float16](), reduce.Tile{})
//
// They are no integers for Go, so that warp.Add and the like do not take them for such;
// [Add], [FMA] and the others here do arithmetic on registers of them, one instruction
// of the class isa.HFma each, for a pair as for a single one. Values of Go, as kernels
// per lane have them, have methods for the same.
//
// # Rounding
//
// Each operation rounds once, to the nearest, ties to even; [Float.FMA] and the like do
// so after both steps. Denormals are kept. A NaN becomes the one with all bits set but
// the sign, as NVIDIA's chips make it.
//
// # What is stable
//
// The exported names are stable from version 1 on. What the operations cost is part of
// the model and follows it.
package half
