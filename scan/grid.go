package scan

import (
	"context"
	"fmt"
	"math"

	"example.com/warpsim/reduce"
	"example.com/warpsim/warp"
	"example.com/warpsim/warp/team"
)

// A Method is how the blocks of a grid learn what stands before their items.
type Method uint8

const (
	// ThreePhase reduces each block, scans the results in one block, and scans
	// each block from what stands before it: three launches that read the data
	// twice.
	ThreePhase Method = iota
	// LookBack scans in one launch: each block publishes its sum, and then the
	// sum of all blocks up to it, behind memory fences; a block adds up what
	// those before it have published, a warp's width of them at a time, back to
	// the first that has published all. How far it looks depends on the
	// schedule, and so does, for floats, the rounding: here both are always the
	// same.
	LookBack
)

var methodNames = [...]string{"three-phase", "look-back"}

// String returns the name of the method, such as "look-back".
func (m Method) String() string {
	if int(m) < len(methodNames) {
		return methodNames[m]
	}
	return fmt.Sprintf("method(%d)", uint8(m))
}

// A Shape is how a grid scans an array. The zero Shape is a good one.
type Shape struct {
	// Threads is the size of a block; 0 is 256, or what the device allows.
	Threads int
	// Items is how many neighbouring items a thread scans by itself; 0 is 4.
	Items int
	// Method is how blocks learn what stands before them.
	Method Method
	// Exclusive asks for the exclusive scan. The operator must have an
	// identity, which the first item gets.
	Exclusive bool
}

// Grid scans data with a whole grid: each thread scans a few neighbouring items
// from left to right, the algorithm, one for blocks, scans the sums of the
// threads, and Shape.Method the sums of the blocks. Operands keep their order
// throughout.
//
// Errors are those of Algorithm.Fits, of Run, and of kind team.ErrShape and
// team.ErrIdentity. The report adds up all launches.
func Grid[T any](ctx context.Context, e *warp.Engine, data []T, op reduce.Op[T], a Algorithm[T], s Shape) ([]T, *warp.Report, error) {
	if e.Device() == nil {
		r, err := e.Run(ctx, warp.Launch{}, nil) // says what is wrong
		return nil, r, err
	}
	empty := &warp.Report{Device: e.Device().Name}
	g, err := newGrid(e, data, op, a, s)
	if err != nil || len(data) == 0 {
		return nil, empty, err
	}
	if s.Method == LookBack {
		report, err := g.run(ctx, g.blocks, g.lookBack)
		return g.out.Data(), report, err
	}
	if g.blocks == 1 {
		report, err := g.run(ctx, 1, func(w *warp.Warp) { g.scanTile(w, false, false, nil) })
		return g.out.Data(), report, err
	}
	total := new(warp.Report)
	for i, k := range []warp.Kernel{g.reduceTile, g.scanSums, func(w *warp.Warp) { g.scanTile(w, w.BlockIndex() > 0, false, nil) }} {
		blocks := g.blocks
		if i == 1 {
			blocks = 1
		}
		report, err := g.run(ctx, blocks, k)
		if sum := total.Add(report); err == nil {
			err = sum
		}
		if err != nil {
			return nil, total, err
		}
	}
	return g.out.Data(), total, nil
}

// A grid is one scan of an array.
type grid[T any] struct {
	Shape
	e      *warp.Engine
	op     reduce.Op[T]
	a      Algorithm[T]
	n      int // items
	tile   int // items of a block
	blocks int
	in     warp.Mem[T]
	out    warp.Mem[T]
	sums   warp.Mem[T] // of each block; later of all blocks before it
	// before LookBack's blocks: what they have published, and of what kind.
	upTo  warp.Mem[T]
	state warp.Mem[int32]
}

func newGrid[T any](e *warp.Engine, data []T, op reduce.Op[T], a Algorithm[T], s Shape) (*grid[T], error) {
	p := e.Device()
	bad := func(kind error, detail, advice string) error {
		return &team.Error{Algorithm: a.Name, Kind: kind, Detail: detail, Advice: advice}
	}
	if a.Run == nil || a.Scope != reduce.BlockScope {
		return nil, bad(team.ErrAlgorithm, fmt.Sprintf("%q is not for blocks", a.Name), "take one of BlockScope from Algorithms")
	}
	if s.Threads == 0 {
		s.Threads = min(256, p.Limits.ThreadsPerBlock)
	}
	if s.Items == 0 {
		s.Items = 4
	}
	n := len(data)
	switch {
	case s.Items < 0 || s.Items > 32:
		return nil, bad(team.ErrShape, fmt.Sprintf("%d items", s.Items), "use 0 to 32 items a thread")
	case s.Method > LookBack:
		return nil, bad(team.ErrShape, s.Method.String(), "use ThreePhase or LookBack")
	case n > math.MaxInt32-s.Threads*s.Items:
		return nil, bad(team.ErrShape, fmt.Sprintf("%d items", n), "scan at most 2^31 items, less a block, at once")
	case s.Exclusive && !op.HasIdentity:
		return nil, bad(team.ErrIdentity, op.Name+" has none for the first item of an exclusive scan", "scan inclusively")
	}
	if err := a.Fits(p, op, Spec[T]{}, s.Threads); err != nil {
		return nil, err
	}
	g := &grid[T]{Shape: s, e: e, op: op, a: a, n: n, tile: s.Threads * s.Items}
	g.blocks = (n + g.tile - 1) / g.tile
	var err error
	if g.in, err = warp.Global(e, data); err != nil {
		return nil, err
	}
	if g.out, err = warp.Global(e, make([]T, n)); err != nil {
		return nil, err
	}
	if g.sums, err = warp.Global(e, make([]T, g.blocks)); err != nil {
		return nil, err
	}
	if g.upTo, err = warp.Global(e, make([]T, g.blocks)); err != nil {
		return nil, err
	}
	g.state, err = warp.Global(e, make([]int32, g.blocks))
	return g, err
}

func (g *grid[T]) run(ctx context.Context, blocks int, k warp.Kernel) (*warp.Report, error) {
	return g.e.Run(ctx, warp.Launch{Blocks: warp.X(blocks), Threads: warp.X(g.Threads)}, k)
}

// items is how many items the block has.
func (g *grid[T]) items(w *warp.Warp) int { return min(g.n-w.BlockIndex()*g.tile, g.tile) }

// load loads the thread's items and scans them from left to right. It returns
// how many threads of the block have an item, and the register that holds where
// the first one is.
func (g *grid[T]) load(w *warp.Warp, x []warp.Reg[T]) (threads int, at warp.Reg[int32]) {
	at = warp.Alloc[int32](w)
	if g.Items > 1 {
		warp.MulImm(at, w.GlobalID(), int32(g.Items))
	} else {
		warp.Mov(at, w.GlobalID())
	}
	n := g.items(w)
	for j := range x {
		x[j] = warp.Alloc[T](w)
		g.having(w, n, at, j, func() { warp.Load(x[j], g.in.At(j), at) })
	}
	for j := 1; j < len(x); j++ {
		g.having(w, n, at, j, func() { g.op.Apply(x[j], x[j-1], x[j]) })
	}
	return (n + g.Items - 1) / g.Items, at
}

// having runs body in the threads that have a j-th item.
func (g *grid[T]) having(w *warp.Warp, n int, at warp.Reg[int32], j int, body func()) {
	if n == g.tile {
		body()
		return
	}
	m := w.Mark()
	p := w.Pred()
	warp.LtImm(p, at, int32(g.n-j))
	w.Where(p, body)
	w.Release(m)
}
