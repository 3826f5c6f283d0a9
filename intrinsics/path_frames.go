//go:build amd64 || arm64

package intrinsics

// framePath walks the frame pointers of the running goroutine from the caller
// of its caller on, to the frame that returns to base, exclusive. It writes the
// return addresses it meets, at most maxDepth, and returns how many there are.
//
//go:noescape
func framePath(base uintptr, pcs *[maxDepth]uintptr) (n int)

// pathHash returns a hash of what framePath would write. It takes about a
// nanosecond a frame, where runtime.Callers takes a hundred and more.
//
//go:noescape
func pathHash(base uintptr) (hash uint64)
