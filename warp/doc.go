// Package warp is the engine: it runs kernels on simulated warps, blocks and
// grids, computes exactly what the device computes, counts its cycles and names
// every undefined thing that the code does.
//
// A kernel is a Go function that is called once for each warp and works on
// registers that span all lanes. Every operation is one simulated instruction
// of the active lanes, with its destination first:
//
//	v, t := warp.Alloc[float32](w), warp.Alloc[float32](w)
//	warp.Load(v, in, w.GlobalID())
//	for d := w.Width() / 2; d > 0; d /= 2 {
//		warp.ShflDown(t, v, d)
//		warp.Add(v, v, t)
//	}
//
// Go code between the operations costs nothing; it stands for what a compiler
// unrolls or computes at compile time. Divergence is structured: If, IfElse,
// While, Where, Break, Continue and Exit narrow the active lanes.
//
// Values never depend on time. The engine records what each warp issues and
// package timing finds the cycles from the records.
//
// Mistakes of a kernel are values of type *Fault with the lanes, masks and the
// source line; they match their FaultKind with errors.Is. A Config says whether
// the first one ends the run.
package warp
