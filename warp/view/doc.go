// Package view shows a run: where values went and where cycles went.
//
// [Record] runs kernels and keeps what happened; the methods of the [Recording] write
// it down:
//
//	r, err := view.Record(warp.Config{Device: h200}, view.Options{}, func(e *warp.Engine) error {
//		_, err := e.Run(ctx, launch, kernel)
//		return err
//	})
//	r.WritePage(file)
//
// The function may run any front: kernels of wide registers, kernels per lane
// (intrinsics.Launch), listings (sass.Run), the collectives of reduce and scan. A
// kernel per lane keeps its values in Go variables, which nobody can follow: its steps
// show what instructions exchange, and not where it came from before.
//
// # What there is
//
//   - [Recording.WritePage]: one HTML file with all of it, for a browser, offline
//   - [Recording.WriteSource]: the kernel's source with what each line cost
//   - [Recording.WriteProfile]: a profile for go tool pprof
//   - [Recording.WriteTrace]: a trace for ui.perfetto.dev
//   - [Recording.WriteSteps]: what every lane holds after every instruction, and the
//     threads that it came from
//   - [Recording.WritePicture]: pictures as SVG
//   - [Chart]: measurements over sizes, simulated against measured, a [Roofline]
//
// # What it costs
//
// Nothing if it is off: engines without an observer do what they did before. A
// recorded run uses one processor and asks for source lines; see the README for
// figures. Memory is bounded by [Options]; totals, and a trace that [Options] sends
// to a writer as it comes, know no bound of their own.
//
// # Stability
//
// The exported names are stable from version 1 on: they keep their meaning within a
// major version.
package view
