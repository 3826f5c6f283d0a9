package reduce

import (
	"fmt"
	"math"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
)

// A grid is a Shape made fit for a number of items.
type grid struct {
	Shape
	blocks  int
	perWarp bool // the algorithm reduces warps: each warp has a result
	lanes   int
	team    int // threads that reduce the results
	results int
}

func plan[T any](e *warp.Engine, n int, op *Op[T], a *Algorithm[T], s Shape) (*grid, error) {
	p := e.Device()
	bad := func(detail, advice string) error { return problem(a.Name, team.ErrShape, detail, advice) }
	if a.Run == nil {
		return nil, problem(a.Name, team.ErrAlgorithm, "the zero Algorithm", "take one from Algorithms or Lookup")
	}
	if s.Threads == 0 {
		s.Threads = min(256, p.Limits.ThreadsPerBlock)
	}
	if s.Blocks == 0 {
		s.Blocks = 2 * p.Limits.Multiprocessors
	}
	if s.Items == 0 {
		s.Items = 4
	}
	switch {
	case s.Blocks < 0 || s.Items < 0 || s.Items > 32:
		return nil, bad(fmt.Sprintf("%d blocks, %d items", s.Blocks, s.Items), "use 0 or more blocks, 0 to 32 items a thread")
	case s.Combine == LastBlock && a.Scope == WarpScope && s.Threads%p.Lanes != 0:
		return nil, bad(fmt.Sprintf("blocks of %d threads, of which the last warp may be the last to finish", s.Threads),
			fmt.Sprintf("use a multiple of %d threads, or TwoPass", p.Lanes))
	case s.Combine > LastBlock:
		return nil, bad(s.Combine.String(), "use TwoPass, Atomics or LastBlock")
	}
	if err := a.Fits(p, *op, Tile{}, s.Threads); err != nil {
		return nil, err
	}
	g := &grid{Shape: s, perWarp: a.Scope == WarpScope, lanes: p.Lanes}
	g.blocks = max(1, min(s.Blocks, (n+s.Threads-1)/s.Threads))
	if int64(g.blocks)*int64(s.Threads)+int64(n) > math.MaxInt32 {
		return nil, bad(fmt.Sprintf("%d items by %d blocks of %d threads", n, g.blocks, s.Threads),
			"reduce fewer than 2^31 items and threads at once")
	}
	g.team, g.results = s.Threads, g.blocks
	if g.perWarp {
		g.team = min(g.lanes, s.Threads)
		busy := min(n, g.blocks*s.Threads)
		g.results = busy / s.Threads * ((s.Threads + g.lanes - 1) / g.lanes)
		g.results += (busy%s.Threads + g.lanes - 1) / g.lanes
	}
	if n > g.blocks*s.Threads || g.results > g.team {
		if err := op.needOrder(a.Name, "a grid with as many threads as items, and as many threads a block as results"); err != nil {
			return nil, err
		}
	}
	if s.Combine == Atomics && g.results > 1 {
		if err := op.needAtomic(a.Name, p); err != nil {
			return nil, err
		}
		if err := op.needOrder(a.Name, "TwoPass"); err != nil {
			return nil, err
		}
		if !op.HasIdentity {
			return nil, problem(a.Name, team.ErrIdentity, op.Name+" has none to start an atomic from", "use TwoPass or LastBlock")
		}
	}
	return g, nil
}
