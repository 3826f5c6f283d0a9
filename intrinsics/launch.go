package intrinsics

import (
	"context"
	"sync"

	"example.com/warpsim/warp"
)

// An Option changes a launch; a nil one does not.
type Option func(*launch)

// DynamicBytes gives each block n bytes of dynamic shared memory, see Dynamic.
func DynamicBytes(n int) Option { return func(l *launch) { l.dynamic = n } }

// Launch runs kernel once for each thread of a grid of blocks on the device that
// e simulates, and returns what it cost. Errors are those of warp.Engine.Run: a
// mistake of the kernel is a *warp.Fault with the source line, a panic in the
// kernel one of kind warp.KernelPanic; the context's error comes back if it
// ends, which is noticed at the intrinsics: a loop without any is not stopped.
//
// The kernel must not call runtime.LockOSThread: its threads are coroutines, and
// Go ends a program that switches to one with a locked thread. On amd64 and arm64 it
// is a fault of kind warp.KernelPanic instead, at the call of the library that comes
// next.
//
// The threads are coroutines that take turns, so that a kernel may use variables
// of its caller without a lock, as long as the engine runs one block at a time
// (warp.Config.Workers = 1) or each block uses its own. None of them survives
// the call.
func Launch(ctx context.Context, e *warp.Engine, grid, block warp.Dim, kernel func(t *Thread), options ...Option) (*warp.Report, error) {
	l := &launch{ctx: ctx, kernel: kernel, grid: full(grid), block: full(block), code: codeOf(e)}
	for _, o := range options {
		if o != nil {
			o(l)
		}
	}
	shape := warp.Launch{Blocks: grid, Threads: block, Shared: l.dynamic}
	if kernel == nil {
		return e.Run(ctx, shape, nil) // says what is wrong
	}
	defer l.close()
	return e.Run(ctx, shape, l.warp)
}

// full returns d with the dimensions that count as one written out.
func full(d warp.Dim) warp.Dim { return warp.Dim{X: d.X, Y: max(d.Y, 1), Z: max(d.Z, 1)} }

// A launch is one call of Launch. It keeps the schedulers, and with them the
// coroutines, of warps that are done for warps that come.
type launch struct {
	ctx         context.Context
	kernel      func(*Thread)
	grid, block warp.Dim
	dynamic     int

	code *machineCode

	mu   sync.Mutex
	all  []*scheduler
	idle []*scheduler
}

// warp runs the kernel for the lanes of one warp.
func (l *launch) warp(w *warp.Warp) {
	s := l.take()
	s.run(w)
	l.giveBack(s)
}

func (l *launch) take() *scheduler {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.idle); n > 0 {
		s := l.idle[n-1]
		l.idle = l.idle[:n-1]
		return s
	}
	s := newScheduler(l)
	l.all = append(l.all, s)
	return s
}

func (l *launch) giveBack(s *scheduler) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.idle = append(l.idle, s)
}

// close ends all coroutines. Never on the caller's goroutine: what a kernel defers
// may end it.
func (l *launch) close() {
	for closed := false; !closed; {
		var wg sync.WaitGroup
		wg.Go(func() {
			for _, s := range l.all {
				for i := range s.threads {
					s.threads[i].over = true
					s.threads[i].end()
				}
			}
			closed = true
		})
		wg.Wait()
	}
}
