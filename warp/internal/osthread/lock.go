// Package osthread finds out whether a goroutine is locked to its thread. Kernels run
// on coroutines, and Go ends a program that switches to one from a goroutine that has
// called runtime.LockOSThread. It has no function that tells, but the runtime's record
// of a goroutine says which thread it is locked to, and where in the record that
// stands can be seen by locking one.
package osthread

import (
	"runtime"
	"sync"
	"unsafe"
)

// A Lock tells of the goroutine that called Own. The zero Lock is never held.
type Lock struct{ thread *uintptr }

// Held reports whether the goroutine is locked to its thread. On processors other than
// amd64 and arm64, and if the record of a goroutine is not understood, it reports
// false.
func (l Lock) Held() bool { return l.thread != nil && *l.thread != 0 }

// Release unlocks the goroutine, however often it has been locked. Only that goroutine
// may call it.
func (l Lock) Release() {
	for range 1 << 20 { // each may have been locked more than once
		if !l.Held() {
			return
		}
		runtime.UnlockOSThread()
	}
}

// Own returns the lock of the goroutine that calls.
func Own() Lock {
	off := offset()
	if off == 0 {
		return Lock{}
	}
	return Lock{(*uintptr)(unsafe.Add(record(), off))}
}

// searched is how many words of a goroutine's record are looked through: it has more.
const searched = 48

// offset returns where the record says that its goroutine is locked: the only word
// that is zero before and after, and not while it is locked. 0: there is none.
var offset = sync.OnceValue(func() (off uintptr) {
	if record() == nil {
		return 0
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		var found [3]uintptr // again and again, as the scheduler writes there too
		for i := range found {
			var words [3][searched]uintptr
			read := func(to *[searched]uintptr) {
				copy(to[:], unsafe.Slice((*uintptr)(record()), searched))
			}
			read(&words[0])
			runtime.LockOSThread()
			read(&words[1])
			runtime.UnlockOSThread()
			read(&words[2])
			n := 0
			for w := range searched {
				if words[0][w] == 0 && words[1][w] != 0 && words[2][w] == 0 {
					found[i] = uintptr(w) * unsafe.Sizeof(found[i])
					n++
				}
			}
			if n != 1 {
				return
			}
		}
		if found[0] == found[1] && found[1] == found[2] {
			off = found[0]
		}
	})
	wg.Wait()
	return off
})
