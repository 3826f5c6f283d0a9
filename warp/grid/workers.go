package grid

import (
	"sync"
	"sync/atomic"
)

// workers are the goroutines that play multiprocessors at the same time. Each
// takes the next one that nobody has.
type workers struct {
	g     *Grid
	wg    sync.WaitGroup
	begin []chan struct{} // of a window, by helper; closed at the end
	done  chan struct{}   // from each helper
	next  atomic.Int64
}

// few is how many multiprocessors one worker plays alone: waking others takes as
// long.
const few = 8

// start starts the helpers of one call of Advance, and returns what ends them.
func (g *Grid) start(n int) func() {
	g.workers = nil
	if n = min(n, len(g.mps)); g.config.Observer != nil || n < 2 || g.shape.Blocks <= few {
		return func() {}
	}
	w := &workers{g: g, done: make(chan struct{}, n)}
	g.workers = w
	for range n - 1 {
		c := make(chan struct{}, 1)
		w.begin = append(w.begin, c)
		w.wg.Go(func() {
			for range c {
				w.work()
				w.done <- struct{}{}
			}
		})
	}
	return func() {
		for _, c := range w.begin {
			close(c)
		}
		w.wg.Wait()
		g.workers = nil
	}
}

func (w *workers) work() {
	n := int64(len(w.g.mps))
	for i := w.next.Add(1) - 1; i < n; i = w.next.Add(1) - 1 {
		w.g.one(w.g.mps[i])
	}
}

// one plays one multiprocessor in the present window.
func (g *Grid) one(x *multiprocessor) {
	if x == nil || x.done || x.err != nil {
		return
	}
	x.done, x.err = g.advance(x)
}

// play plays all multiprocessors up to the end of the window, and reports whether
// all got there. Of several errors it returns that of the first multiprocessor.
func (g *Grid) play() (bool, error) {
	active := 0
	for _, x := range g.mps {
		if x != nil && !x.done && (x.live > 0 || len(x.starts) > 0) {
			active++
		}
	}
	if w := g.workers; w != nil && active > few {
		w.next.Store(0)
		for _, c := range w.begin {
			c <- struct{}{}
		}
		w.work()
		for range w.begin {
			<-w.done
		}
	} else {
		for _, x := range g.mps {
			g.one(x)
		}
	}
	ok := true
	for _, x := range g.mps {
		if x == nil {
			continue
		}
		if x.err != nil {
			return false, x.err
		}
		ok = ok && x.done
	}
	return ok, nil
}
