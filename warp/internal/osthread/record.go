//go:build amd64 || arm64

package osthread

import "unsafe"

// record returns the runtime's record of the goroutine that calls.
func record() unsafe.Pointer
