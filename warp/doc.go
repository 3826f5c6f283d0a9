// Package warp is the engine: it runs kernels on simulated warps, blocks and
// grids, computes exactly what the device computes, counts its cycles and names
// every undefined thing that the code does.
//
// # Kernels
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
// unrolls or computes at compile time. Divergence is structured: [Warp.If],
// [Warp.IfElse], [Warp.While], [Warp.Where], [Warp.Break], [Warp.Continue] and
// [Warp.Exit] narrow the active lanes. Registers that a body of If or While
// allocates end with it.
//
// # Values and time
//
// Values never depend on time. The engine records what each warp issues and
// package timing finds the cycles from the records. [Engine.Run] returns a
// [Report] of what the run cost: totals, and tables by operation, reason, source
// line, block and launch.
//
// # Mistakes
//
// Mistakes of a kernel are values of type [Fault] with the lanes, masks and the
// source line; they match their [FaultKind] with errors.Is. A [Config] says whether
// the first one ends the run. What is wrong with a Config, a Launch or an argument
// outside of kernels is a [ConfigError].
//
// # What may change
//
// Before version 1 a minor version may change any of this, and the changelog says
// how to adapt. [Front], [Warp.Issue] and [Observer] are for those who build a
// front or a tool on the engine, and may change in later versions as well. Cycles
// are results of the model: a better profile or rule changes them without notice.
package warp
