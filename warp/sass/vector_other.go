//go:build !amd64

package sass

import "unsafe"

// vectors says that there are vector instructions: none for this processor.
const vectors = false

// runSteps is described in vector_amd64.go.
func runSteps(*machine, *step, int, *uint32) int { return 0 }

// These are described there as well.
func vectorLie(*row, uint32, uint32, *row, *lie)  {}
func vectorGather(*row, unsafe.Pointer, *row)     {}
func vectorGather4(*[4]row, unsafe.Pointer, *row) {}
func vectorAmong(_, _ *row, _, _ uint32)          {}
func vectorBlend(_, _ *row, _ uint32)             {}
