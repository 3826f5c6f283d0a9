package warp

import (
	"reflect"
	"runtime"

	"example.com/warpsim/warp/internal/osthread"
)

// A ThreadLock tells whether a kernel has locked the goroutine that it runs on to its
// thread (runtime.LockOSThread). Go ends a program that switches to another coroutine
// then, so that a front whose kernels run on coroutines of their own asks before. It
// can be seen on amd64 and arm64.
type ThreadLock struct{ lock osthread.Lock }

// OwnThreadLock returns the lock of the goroutine that calls.
func OwnThreadLock() ThreadLock { return ThreadLock{osthread.Own()} }

// Held reports whether the goroutine is locked.
func (l ThreadLock) Held() bool { return l.lock.Held() }

// Take unlocks the goroutine, which must be the caller's own, and returns the fault of
// the kernel that has locked it and then returned: it stands at the kernel's first
// line. At a call of the kernel that is known better.
func (l ThreadLock) Take(kernel any) *Fault {
	l.lock.Release()
	f := &Fault{Kind: KernelPanic, Severity: SeverityError, Count: 1,
		Detail: "the kernel called runtime.LockOSThread: its threads are coroutines, which must not be locked to a thread of the system",
		Advice: "lock the thread around the launch, or do what needs it outside of the kernel"}
	v := reflect.ValueOf(kernel)
	if v.Kind() != reflect.Func {
		return f
	}
	if fn := runtime.FuncForPC(v.Pointer()); fn != nil {
		file, line := fn.FileLine(fn.Entry())
		f.Site = Site{file, line, fn.Name()}
	}
	return f
}

// checkLock ends the kernel if it has locked its goroutine.
func (w *Warp) checkLock(returned bool) {
	if !w.lock.Held() {
		return
	}
	f := *w.lock.Take(w.run.kernel)
	if !returned {
		f.Site = Site{} // the present line
	}
	f.Lanes = w.active
	w.raise(f)
	panic(abort{})
}
