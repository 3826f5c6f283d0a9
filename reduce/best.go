package reduce

import (
	"context"
	"fmt"
	"slices"

	"example.com/warpsim/warp"
	"example.com/warpsim/warp/device"
	"example.com/warpsim/warp/team"
	"example.com/warpsim/warp/timing"
)

// mostTimed is how many items Best times a grid on.
const mostTimed = 1 << 17

// A Score is what one algorithm takes for a job.
type Score struct {
	Algorithm    string
	Scope        Scope
	Cycles       timing.Cycle
	Instructions int64
	Err          error // why it cannot do the job; then the rest is 0
}

// A Choice is the algorithm that takes the fewest cycles for a job, and what the
// others take.
type Choice[T any] struct {
	Algorithm Algorithm[T]
	// Why says in a sentence what was compared and by how much it wins.
	Why string
	// Scores are those of all algorithms: the best first, those that cannot
	// do the job last.
	Scores []Score
}

// Best picks the algorithm that reduces n items with op in the fewest simulated
// cycles on a device: on one warp, with one item a lane, if they fit in it; on
// one block, with one item a thread, if they fit in that, one time of many in a row with
// the barrier between two that the use of the same shared memory asks for; otherwise on a whole grid
// of the default Shape, from its first block to the end of its last, with data that is in no
// cache: blocks wait for their turn, for memory and for each other's atomics. It is
// timed on no more than 2^17 items: how algorithms compare on many millions, where all of
// them wait for memory, is not seen. Of equal cycles the fewer instructions win, then the name.
//
// An n below 1 is an error of kind team.ErrItems; if no algorithm can do it, the
// error is that of the first.
func Best[T any](ctx context.Context, p *device.Profile, op Op[T], n int) (Choice[T], error) {
	if n < 1 {
		return Choice[T]{}, problem("", team.ErrItems, fmt.Sprintf("%d items", n), "reduce at least one")
	}
	if ctx == nil {
		return Choice[T]{}, &warp.ConfigError{Field: "context", Value: "nil", Reason: "pass context.Background() if nothing is to end the choice"}
	}
	e, err := warp.New(warp.Config{Device: p})
	if err != nil {
		return Choice[T]{}, err
	}
	var c Choice[T]
	byName := map[string]Algorithm[T]{}
	grid := n > p.Limits.ThreadsPerBlock
	for _, a := range Algorithms[T]() {
		if !grid && (a.Scope == WarpScope) != (n <= p.Lanes) {
			continue // a block algorithm for a warp, or the other way round
		}
		byName[a.Name] = a
		s := Score{Algorithm: a.Name, Scope: a.Scope}
		if grid {
			var report *warp.Report
			_, report, s.Err = Grid(ctx, e, make([]T, min(n, mostTimed)), op, a, Shape{})
			if s.Err == nil {
				s.Cycles, s.Instructions = report.Cycles, report.Instructions
			}
		} else {
			s.Cycles, s.Instructions, s.Err = once(ctx, e, op, a, n)
		}
		if ctx.Err() != nil {
			return Choice[T]{}, ctx.Err()
		}
		c.Scores = append(c.Scores, s)
	}
	slices.SortFunc(c.Scores, func(a, b Score) int {
		switch {
		case (a.Err == nil) != (b.Err == nil):
			if a.Err == nil {
				return -1
			}
			return 1
		case a.Cycles != b.Cycles:
			return int(a.Cycles - b.Cycles)
		case a.Instructions != b.Instructions:
			return int(a.Instructions - b.Instructions)
		}
		return compareNames(a.Algorithm, b.Algorithm)
	})
	best := c.Scores[0]
	if best.Err != nil {
		return Choice[T]{}, best.Err
	}
	c.Algorithm = byName[best.Algorithm]
	c.Why = why(c.Scores, p, n, grid)
	return c, nil
}

func compareNames(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// once returns what it takes to reduce one warp or block of n threads: the slope
// between kernels that do it more or less often, so that the start and the end of a
// kernel do not count.
func once[T any](ctx context.Context, e *warp.Engine, op Op[T], a Algorithm[T], n int) (timing.Cycle, int64, error) {
	if err := a.Fits(e.Device(), op, Tile{}, n); err != nil {
		return 0, 0, err
	}
	const few, many = 2, 6
	var reports [2]*warp.Report
	for i, times := range []int{few, many} {
		var err error
		reports[i], err = e.Run(ctx, warp.Launch{Blocks: warp.X(1), Threads: warp.X(n)}, func(w *warp.Warp) {
			var s warp.Mem[T]
			if a.Storage != nil {
				s = a.Storage(w)
			}
			v := warp.Alloc[T](w)
			var zero T
			warp.Set(v, zero)
			for range times {
				a.Run(v, op, Tile{}, s)
				switch {
				case a.Storage == nil:
				case a.Scope == WarpScope:
					w.SyncWarp(w.Active())
				default:
					w.SyncBlock()
				}
			}
		})
		if err != nil {
			return 0, 0, err
		}
	}
	x, y := reports[0], reports[1]
	return (y.Cycles - x.Cycles) / (many - few), (y.Instructions - x.Instructions) / (many - few), nil
}

// why puts a ranking into words.
func why(scores []Score, p *device.Profile, n int, grid bool) string {
	best := scores[0]
	where := fmt.Sprintf("%d items in one %s of %s", n, best.Scope, p.Name)
	if grid {
		where = fmt.Sprintf("%d items on a grid of %s", n, p.Name)
	}
	for _, s := range scores[1:] {
		switch {
		case s.Err != nil || s.Cycles == 0:
		case s.Cycles == best.Cycles && s.Instructions == best.Instructions:
			return fmt.Sprintf("%s takes %d cycles for %s, as %s does", best.Algorithm, best.Cycles, where, s.Algorithm)
		case s.Cycles == best.Cycles:
			return fmt.Sprintf("%s takes %d cycles for %s, as %s does with more instructions", best.Algorithm, best.Cycles, where, s.Algorithm)
		default:
			return fmt.Sprintf("%s takes %d cycles for %s; next is %s with %d, %.2f times as many",
				best.Algorithm, best.Cycles, where, s.Algorithm, s.Cycles, float64(s.Cycles)/float64(best.Cycles))
		}
	}
	return fmt.Sprintf("%s takes %d cycles for %s; nothing else can do it", best.Algorithm, best.Cycles, where)
}
