package sass

import "unsafe"

// vectors says whether the processor has the instructions that runSteps takes: AVX2,
// FMA, and an operating system that keeps their registers.
var vectors = hasVectors()

// hasVectors asks the processor.
func hasVectors() bool

// runSteps runs up to n steps for the active lanes of the machine, one behind the other,
// and notes the lanes of each in execs. It returns how many it has run: it leaves out the
// first that has no kernel, or that reads something undefined, and all behind it.
//
//go:noescape
func runSteps(m *machine, s *step, n int, execs *uint32) int

// vectorLie is lieOf.
//
//go:noescape
func vectorLie(a *row, add, n uint32, off *row, l *lie)

// vectorGather takes a word of each lane, off bytes behind a place in memory.
//
//go:noescape
func vectorGather(d *row, from unsafe.Pointer, off *row)

// vectorGather4 takes four words of each lane to four rows.
//
//go:noescape
func vectorGather4(d *[4]row, from unsafe.Pointer, off *row)

// vectorAmong is what machine.among does.
//
//go:noescape
func vectorAmong(d, a *row, first, exec uint32)

// vectorBlend copies the lanes of exec.
//
//go:noescape
func vectorBlend(d, a *row, exec uint32)
