//go:build !amd64 && !arm64

package intrinsics

import "runtime"

// framePath writes the return addresses of the running goroutine from the caller
// of its caller on, to base, exclusive, at most maxDepth. It returns how many
// there are and a hash of them.
//
//go:noinline
func framePath(base uintptr, pcs *[maxDepth]uintptr) (n int, hash uint64) {
	const skip = 3 // runtime.Callers, this function, and its caller
	all := runtime.Callers(skip, pcs[:])
	for n < all && pcs[n] != base {
		hash = (hash ^ uint64(pcs[n])) * 0x9E3779B97F4A7C15
		n++
	}
	return n, hash
}
