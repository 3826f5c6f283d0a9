//go:build !amd64 && !arm64

package stack

import "runtime"

// Callers writes the return addresses of the functions on the stack, from the
// caller of its caller on, innermost first, and returns how many there are.
func Callers(pcs *[Depth]uintptr) (n int) {
	return runtime.Callers(3, pcs[:]) // past runtime.Callers, this one and its caller
}
