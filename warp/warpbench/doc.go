// Package warpbench measures kernels in simulated cycles, in Go benchmarks and tables.
//
// # What a figure is
//
// A kernel that does something once is mostly its own start and end. So what is to be
// measured is applied several times in a row, and its cost is the slope: the cycles of
// eight applications less those of two, for each application between. Recorded
// measurements of hardware are made the same way. Costs are exact: the same on every
// machine and in every run.
//
// # In a benchmark
//
// [Benchmark] makes a sub-benchmark for each device and case, with the metrics
// simcycles/op and siminstr/op (of one application) and ns/instr (what the host takes to
// simulate a warp instruction). Names and units are those that benchstat reads. [Compare]
// makes a table, with the devices side by side.
//
// A kernel is a [Program]: [Wide] makes one of a wide kernel; one per lane calls
// intrinsics.Launch itself.
//
// # Stability
//
// The exported names are stable from version 1 on: they keep their meaning within a
// major version.
package warpbench
