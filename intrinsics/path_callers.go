//go:build !amd64 && !arm64

package intrinsics

import "runtime"

// framePath writes the return addresses of the running goroutine from the caller
// of its caller on, to base, exclusive, at most maxDepth, and returns how many
// there are.
//
//go:noinline
func framePath(base uintptr, pcs *[maxDepth]uintptr) (n int) {
	const skip = 3 // runtime.Callers, this function, and its caller
	all := runtime.Callers(skip, pcs[:])
	for n < all && pcs[n] != base {
		n++
	}
	return n
}

// pathHash returns a hash of what framePath would write.
//
//go:noinline
func pathHash(base uintptr) (hash uint64) {
	const skip = 3
	var pcs [maxDepth]uintptr
	for _, pc := range pcs[:runtime.Callers(skip, pcs[:])] {
		if pc == base {
			break
		}
		hash = (hash ^ uint64(pc)) * 0x9E3779B97F4A7C15
	}
	return hash
}

// stackWord would return what lies in a function's frame.
func stackWord(depth, off int) uint64 { return 0 }

// stackHash would return a hash of what lies in the kernel's frames.
func stackHash(base uintptr) (hash uint64) { return 0 }

const hashesStack = false
