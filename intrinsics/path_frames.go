//go:build amd64 || arm64

package intrinsics

// framePath walks the frame pointers of the running goroutine from the caller
// of its caller on, to the frame that returns to base, exclusive. It writes the
// return addresses it meets, at most maxDepth, and returns how many there are.
//
//go:noinline
func framePath(base uintptr, pcs *[maxDepth]uintptr) (n int) {
	for n < maxDepth {
		pc := uintptr(stackWord(n+1, 8))
		if pc == base || pc == 0 {
			break
		}
		pcs[n] = pc
		n++
	}
	return n
}

// pathHash returns a hash of what framePath would write. It takes about a
// nanosecond a frame, where runtime.Callers takes a hundred and more.
//
//go:noescape
func pathHash(base uintptr) (hash uint64)

// stackWord returns the 8 bytes that lie off bytes from the frame pointer of a
// function that is depth calls above the caller.
//
//go:noescape
func stackWord(depth, off int) uint64

// stackHash returns a hash of what lies in the frames of the kernel, from the
// caller of its caller on up to the frame that returns to base.
//
//go:noescape
func stackHash(base uintptr) (hash uint64)

const hashesStack = true
