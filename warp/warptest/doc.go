// Package warptest tests kernels: it fails a test for what a kernel does that no
// language defines, runs it under many legal schedules, and puts what it does on
// several devices side by side.
//
// # In a test
//
// [NoFaults] fails for faults of a run; [Explore] shows two schedules that give
// different results; [Portability] compares devices. A [Program] is what they run:
// [Output] makes one of a wide kernel. [Profile] drops a profile of a test.
//
// # For implementers
//
// As testing/fstest does for file systems: [TestCrossbar] holds somebody else's
// implementation of shuffles against what the vendors publish, [TestVotes] one of votes,
// matches and reductions against their definitions, [TestMemory] a memory behind
// multiprocessors against what the timing model asks of one, and [TestDevice] a profile
// against what its language and its own rules promise.
//
// # Without a test
//
// [Find] and [Compare] return what Explore and Portability report, [Text] and [Kinds]
// say what faults a report has.
//
// # Stability
//
// The exported names are stable from version 1 on: they keep their meaning within a
// major version.
package warptest
